"""Respondents who have several records: what numbers or names them repeats, and yet identifies.

Such an attribute is told by its form (a name that says a number, long codes of one length), or
because it gives away what belongs to one person: another identifier, a date of birth, or several
of sex, nationality and the like. What people belong to (a hospital, a region) is told by its name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tacita.inspection import predictions
from tacita.inspection.columns import Column
from tacita.inspection.evidence import Evidence
from tacita.inspection.names import words
from tacita.inspection.vocabulary.words import GROUPS, NUMBERING, NUMBERING_FIRST, SUBJECTS

MANY = 20  # distinct values that groups may have
SHARING = 2  # records a value has on average, at least
FULL_NAME = r"^\p{Lu}[\p{L}'.-]* (?:\p{Lu}[\p{L}'.-]* ){0,2}\p{Lu}[\p{L}'-]+$"
NAMES = 0.8  # share of the values that are full names, at least
NAMESAKES = 2  # full names that begin with one given name, on average, at least
LONG_CODE = 8  # signs from which on codes of one length number respondents
CODE = r"^(?:[^\s\d-]\S*)?[0-9]\S*$"
DAY = "^(?:19|20)[0-9]{6}$"
PERSONAL = ("sex", "marital_status", "nationality", "ethnicity", "education")
TOLD = 2  # of these that an attribute gives away, to belong to one person
TELLING = ("birth_date",)  # what belongs to one person by itself


def is_shared(column: Column) -> bool:
    """Tell whether many values have several records each."""
    return column.distinct > MANY and SHARING * column.distinct <= column.filled


def may_number(evidence: Evidence) -> bool:
    """Tell whether shared values may be those of respondents: no name says what else they are."""
    column, concept = evidence.column, evidence.concept
    explained = concept is not None and (not concept.vague or concept.name == "time")
    if explained or evidence.seen is not None or not (column.is_text or column.is_integer):
        return False
    return is_shared(column) and not evidence.has_word(GROUPS)


def numbers_by_form(evidence: Evidence) -> bool:
    """Tell whether the name says a number or a person, or the values are long codes or names."""
    column, said = evidence.column, words(evidence.column.name)
    called = bool(said) and (said[-1] in NUMBERING - {"code"} or said[0] in NUMBERING_FIRST)
    about_people = bool(said) and SUBJECTS.issuperset(said)
    by_name = called or about_people or evidence.means("id")
    return by_name or are_long_codes(column) or (column.is_text and _are_full_names(column.values))


def _are_full_names(values: pa.Array) -> bool:
    """Tell whether values are given names with family names: several share a given name."""
    full = values.filter(pc.match_substring_regex(values, FULL_NAME))
    given = pc.unique(pc.list_element(pc.split_pattern(full, " ", max_splits=1), 0))
    return len(full) >= NAMES * len(values) and len(full) >= NAMESAKES * len(given)


def are_long_codes(column: Column) -> bool:
    """Tell whether text or numbers are codes with digits, of one length, and no days."""
    if not column.distinct or not (column.is_text or column.is_integer):
        return False
    codes = column.values.cast(pa.string())
    ends = pc.min_max(pc.utf8_length(codes)).as_py()
    if not ends["min"] == ends["max"] >= LONG_CODE:
        return False
    return _all_match(codes, CODE) and not _all_match(codes, DAY)


def _all_match(values: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(values, pattern)).as_py())


def told_by(
    attributes: Sequence[Column], identifiers: Sequence[Column], known: Sequence[Evidence]
) -> dict[str, list[str]]:
    """Return the attributes that give one person away, each with what it tells of that person.

    Args:
        attributes: those that may number or name respondents.
        identifiers: attributes that are known to do so.
        known: the attributes whose names say what they are.
    """
    personal = [one.column for one in known if one.means(*PERSONAL)]
    telling = [*identifiers, *(one.column for one in known if one.means(*TELLING))]
    found, _ = predictions.search(attributes, [*telling, *personal])
    told: dict[str, list[str]] = defaultdict(list)
    for one in found:
        told[one.attribute].append(one.key)
    enough = {column.name for column in telling if column.distinct > MANY}
    return {
        name: keys for name, keys in told.items() if len(keys) >= TOLD or enough.intersection(keys)
    }

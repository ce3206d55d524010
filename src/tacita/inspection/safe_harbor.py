"""What the Safe Harbor of HIPAA asks of an attribute: 45 CFR 164.514(b)(2)(i), letters A to R."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from enum import StrEnum
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Kind, Role
from tacita.inspection.columns import Column
from tacita.inspection.evidence import Evidence
from tacita.inspection.names import words
from tacita.inspection.roles import ANSWERS, NUMBERED, OLDEST, Proposal
from tacita.inspection.shapes import DIGIT_DATE, ISO_DATE, OTHER_DATE, POSTCODES
from tacita.inspection.vocabulary.us_states import STATES
from tacita.microdata.masking.safe_harbor_zip import RESTRICTED

GEOGRAPHY, DATES, OTHER, NAMES = "B", "C", "R", "A"
ZIP = r"^\d{5}(-?\d{4})?$"
MAY_BE_ZIP = r"^\d{5}(-?\d{4})?$|^\d{3}[*#xX]{2}$"
WHOLE_ZIP = r"^\d{3,5}$|^\d{7,9}$"  # one or two zeros in front may be lost
THREE_DIGITS = r"^\d{3}$"
YEAR = r"^(1[89]|20)\d\d$"
NUMBER = re.compile(r"\d+")
OPEN_AGE = re.compile(rf"(?:{OLDEST + 1}\s*\+|>\s*{OLDEST}|>=\s*{OLDEST + 1}|\*)")
URBAN = frozenset({"urban", "rural", "urbanicity", "urbrur"})
COUNTRY = frozenset({"country", "land", "pays", "pais", "kraj", "nation", "paese"})
TOWN = frozenset(
    {"place", "birthplace", "ort", "geburtsort", "lieu", "lugar", "luogo", "geboorteplaats"}
)


class Remedy(StrEnum):
    """What is done to an attribute so that it may go out."""

    KEEP = "kept as it is"
    DROP = "dropped"
    YEAR = "cut to the year"
    BIRTH_DATE = "cut to the year, early ones gathered"
    BIRTH_YEAR = "early years gathered"
    AGE = "ages over 89 gathered"
    ZIP = "cut to three digits, 000 where few live"


class Concern(NamedTuple):
    """What an attribute is to the Safe Harbor.

    Args:
        letter: the identifier of the rule, A to R.
        remedy: what is to be done.
        why: what a person should know of it, in a sentence; nothing where it is plain.
    """

    letter: str
    remedy: Remedy
    why: str = ""


Rule = Callable[[Evidence, Kind, Proposal], Concern | None]


def concern_of(evidence: Evidence, kind: Kind, proposal: Proposal) -> Concern | None:
    """Return what an attribute is to the Safe Harbor; None if nothing."""
    if kind is Kind.SET_VALUED:  # whose members tell no place and no time
        return _identifier(evidence, kind, proposal)
    return next((found for rule in RULES if (found := rule(evidence, kind, proposal))), None)


def _free_text(evidence: Evidence, _: Kind, __: Proposal) -> Concern | None:
    if not evidence.free_text:
        return None
    told = (
        "It is free text, in which any identifier may stand; only a person who reads it can tell."
    )
    return Concern(OTHER, Remedy.DROP, told)


def _identifier(evidence: Evidence, _: Kind, proposal: Proposal) -> Concern | None:
    if not {Role.IDENTIFIER, Role.HOUSEHOLD} & set(proposal.roles):
        return None
    concept, shown = evidence.concept, _shown_by_values(evidence)
    if concept is None or concept.role is not Role.IDENTIFIER:
        return Concern(shown or OTHER, Remedy.DROP)
    # Of a vague name, the values say more.
    said = (concept.vague and shown) or concept.hipaa
    return Concern(said or OTHER, Remedy.DROP)


def _shown_by_values(evidence: Evidence) -> str:
    """Return the letter of the identifier that the values show, or nothing."""
    letters = [one.hipaa for one in evidence.detections if one.detector not in NUMBERED]
    if letters or evidence.seen is None:
        return next(iter(letters), "")
    return evidence.seen.shape.hipaa


def _postcode(evidence: Evidence, _: Kind, __: Proposal) -> Concern | None:
    seen = evidence.seen is not None and evidence.seen.shape in POSTCODES
    if not (seen or evidence.means("postcode") or _may_be_zips(evidence)):
        return None
    column = evidence.column
    if _matching(column, THREE_DIGITS) == column.distinct:
        return _three_digits(column)
    if _matching(column, WHOLE_ZIP if column.is_integer else ZIP) == column.distinct:
        return Concern(GEOGRAPHY, Remedy.ZIP)
    return Concern(GEOGRAPHY, Remedy.DROP, "Not all of its values are US ZIP codes.")


def _may_be_zips(evidence: Evidence) -> bool:
    """Tell whether nothing is known of a column but that it may hold ZIP codes.

    Its name begins like `zipm`, or says nothing and all values are text of five digits, of which
    the last ones may be hidden. Whole numbers of five digits are more often something else.
    """
    if evidence.meant is not None:
        return False
    column = evidence.column
    if any(word.startswith("zip") for word in words(column.name)):
        return True
    return column.is_text and column.distinct == _matching(column, MAY_BE_ZIP) > 1


def _three_digits(column: Column) -> Concern:
    """Return what is done to ZIP codes that were cut before: areas of few people must be 000."""
    areas = pc.is_in(column.values.cast(pa.string()), value_set=pa.array(RESTRICTED))
    if not pc.any(areas, min_count=1).as_py():
        return Concern(GEOGRAPHY, Remedy.KEEP, "Check that no area of few people is among them.")
    if column.is_integer:
        told = "Areas of few people stand there as numbers; write them as text to make them 000."
        return Concern(GEOGRAPHY, Remedy.DROP, told)
    return Concern(GEOGRAPHY, Remedy.ZIP)


def _age(evidence: Evidence, kind: Kind, _: Proposal) -> Concern | None:
    if not evidence.means("age"):
        return None
    column = evidence.column
    if kind is Kind.CONTINUOUS:
        is_old = bool(column.distinct) and column.range[1] > OLDEST
        return Concern(DATES, Remedy.AGE if is_old else Remedy.KEEP)
    texts = column.values.cast(pa.string()).to_pylist()
    if all(OPEN_AGE.fullmatch(text) or _is_below(text, OLDEST) for text in texts):
        return Concern(DATES, Remedy.KEEP)
    told = "It may tell ages over 89 apart; gather them into `90+` to keep it."
    return Concern(DATES, Remedy.DROP, told)


def _is_below(text: str, most: int) -> bool:
    """Tell whether no number in a text is larger, where the text is no open end like `85+`.

    >>> _is_below("80-89", 89), _is_below("85+", 89), _is_below("85-94", 89)
    (True, False, False)
    """
    found = [int(number) for number in NUMBER.findall(text)]
    return bool(found) and max(found) <= most and not set("+>≥") & set(text)


def _date(evidence: Evidence, kind: Kind, _: Proposal) -> Concern | None:
    is_birth = evidence.means("birth_date")
    if kind is Kind.DATE:
        return Concern(DATES, Remedy.BIRTH_DATE if is_birth else Remedy.YEAR)
    shape = None if evidence.seen is None else evidence.seen.shape
    if shape not in (ISO_DATE, OTHER_DATE, DIGIT_DATE) and not _says_when(evidence):
        return None
    if _are_years(evidence.column):
        return _year(evidence.column, kind) if is_birth else Concern(DATES, Remedy.KEEP)
    told = "It is no year and no date like 1964-09-27; write it so to keep the year."
    return Concern(DATES, Remedy.DROP, told)


def _says_when(evidence: Evidence) -> bool:
    """Tell whether a name says a time, and its values are not only answers such as yes and no."""
    if evidence.means("time"):
        return evidence.meant is not None and evidence.meant.plainly
    some = evidence.column.distinct > ANSWERS and bool(_matching(evidence.column, r"\d"))
    return evidence.means("birth_date") or (evidence.means("event_date") and some)


def _year(column: Column, kind: Kind) -> Concern:
    if int(pc.min(column.values.cast(pa.string())).as_py()) >= earliest_birth():
        return Concern(DATES, Remedy.KEEP)
    if kind is Kind.CONTINUOUS:
        return Concern(DATES, Remedy.BIRTH_YEAR)
    return Concern(DATES, Remedy.DROP, "Its first years tell ages over 89; gather them to keep it.")


def earliest_birth() -> int:
    """Return the year that stands for itself and all earlier ones: people of 90 were born in it."""
    return date.today().year - OLDEST - 1


def _region(evidence: Evidence, _: Kind, __: Proposal) -> Concern | None:
    said = set(words(evidence.column.name))
    if evidence.means("region"):
        if said & URBAN:
            return None
        known = said & COUNTRY or _are_states(evidence.column)
        told = "" if known else "Not all of its values are states of the United States."
        return Concern(GEOGRAPHY, Remedy.KEEP if known else Remedy.DROP, told)
    is_town = evidence.means("nationality") and bool(said & TOWN)
    if is_town or evidence.means("city", "coordinate", "grid_coordinate", "address"):
        return Concern(GEOGRAPHY, Remedy.DROP)
    return None


def _employer(evidence: Evidence, _: Kind, __: Proposal) -> Concern | None:
    if not evidence.means("employer"):
        return None
    told = "The names of employers count too; keep it if it names nobody's."
    return Concern(NAMES, Remedy.DROP, told)


def _are_states(column: Column) -> bool:
    known = pc.is_in(pc.utf8_lower(column.values.cast(pa.string())), pa.array(sorted(STATES)))
    return bool(pc.all(known, min_count=1).as_py())


def _are_years(column: Column) -> bool:
    return column.distinct > 0 and _matching(column, YEAR) == column.distinct


def _matching(column: Column, pattern: str) -> int:
    """Count the distinct values that a pattern is found in."""
    found = pc.match_substring_regex(column.values.cast(pa.string()), pattern)
    return int(pc.sum(found, min_count=0).as_py())


RULES: tuple[Rule, ...] = (_free_text, _identifier, _postcode, _age, _date, _region, _employer)

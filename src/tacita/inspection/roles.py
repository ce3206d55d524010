"""What an attribute is to an intruder: one rule a reason, the first that speaks decides.

The order of `RULES` is the precedence: free text, what detectors find in the values, values of an
identifier's shape, names of identifiers, what is the same in every record, unique codes, what a
sample survey needs (weight, household, stratum), numbers of records, names of keys, names of
confidential attributes, dates and postcodes by their shape, numbers of respondents with several
records, codes of groups, values that separate records well. Everything else is non-confidential.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Kind, Role
from tacita.inspection.columns import Column
from tacita.inspection.detectors import Detection
from tacita.inspection.evidence import Evidence
from tacita.inspection.predictions import Prediction
from tacita.inspection.respondents import (
    are_long_codes,
    is_shared,
    may_number,
    numbers_by_form,
)
from tacita.inspection.vocabulary.words import NUMBERING
from tacita.results import listed, percent

UNIQUE = Fraction(95, 100)  # share of unique values from which on a code names the respondent
FEWEST = 10  # records below which to be unique says nothing
SEPARATES = Fraction(8, 10)  # separation from which on an attribute is a key by its values
FEWEST_VALUES = 10  # distinct values a key by its values has at least
ANSWERS = 5  # distinct values that may be answers about an identifier: yes, no, unknown
ANSWER = "^(?:[0-9]{1,2}|[^0-9]*)$"
ENOUGH = 50  # records in which an identifier would have more values
DEGREES = 180.0  # of longitude to either side
NUMBERED = ("record_number", "household_number")  # what names may explain
NAMED = 3  # attributes that a reason names
OLDEST = 89  # years; HIPAA has higher ages gathered into one category


@dataclass(frozen=True)
class Proposal:
    """Roles for an attribute, and why.

    Args:
        roles: the roles.
        reasons: sentences that say why.
        warnings: sentences that say what to look at.
        respondent: whether it numbers or names respondents who may have several records.
    """

    roles: tuple[Role, ...]
    reasons: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    respondent: bool = False


Rule = Callable[[Evidence, Kind], Proposal | None]


def role_of(evidence: Evidence, kind: Kind) -> Proposal:
    """Return the role to propose for an attribute by itself."""
    found = next(one for rule in RULES if (one := rule(evidence, kind)) is not None)
    found = replace(found, warnings=(*found.warnings, *_old_ages(evidence)))
    if not _is_respondent(evidence, found):
        return found
    told = f"Several records share each of its {evidence.column.distinct:,} values."
    return replace(found, reasons=(*found.reasons, told), respondent=True)


def _is_respondent(evidence: Evidence, found: Proposal) -> bool:
    """Tell whether an identifier may be shared by records of one respondent alone.

    People share family names, doctors and streets.
    """
    if Role.IDENTIFIER not in found.roles or evidence.free_text:
        return False
    others = evidence.means("person_name", "related_person", "address")
    return is_shared(evidence.column) and not others


def _proposal(role: Role, *reasons: str) -> Proposal:
    return Proposal((role,), reasons)


def _says_nothing(evidence: Evidence, kind: Kind) -> Proposal | None:
    column = evidence.column
    if not column.records or not column.is_constant or _survey(evidence, kind) is not None:
        return None
    told = "It is blank in every record" if not column.distinct else "Every record has one value"
    return _proposal(Role.NON_CONFIDENTIAL, f"{told}, so that it tells nobody apart.")


def _free_text(evidence: Evidence, _: Kind) -> Proposal | None:
    if not evidence.free_text:
        return None
    told = "It is free text: people may name themselves or others in it, and nothing masks it."
    return _proposal(Role.IDENTIFIER, told)


def _contents_identify(evidence: Evidence, _: Kind) -> Proposal | None:
    """Take values for what they hold, whatever the name says."""
    return _detected(one for one in evidence.detections if one.detector not in NUMBERED)


def _numbers_records(evidence: Evidence, _: Kind) -> Proposal | None:
    return _detected(one for one in evidence.detections if one.detector == "record_number")


def _numbers_groups(evidence: Evidence, _: Kind) -> Proposal | None:
    return _detected(one for one in evidence.detections if one.detector == "household_number")


def _detected(detections: Iterable[Detection]) -> Proposal | None:
    reasons = [one.sentence for one in detections]
    return _proposal(Role.IDENTIFIER, *reasons) if reasons else None


def _shape_identifies(evidence: Evidence, _: Kind) -> Proposal | None:
    seen = evidence.seen
    if seen is None or seen.shape.role is not Role.IDENTIFIER:
        return None
    return _proposal(Role.IDENTIFIER, seen.told)


def _name_identifies(evidence: Evidence, _: Kind) -> Proposal | None:
    meant = evidence.meant
    if meant is None or meant.concept.role is not Role.IDENTIFIER or meant.concept.vague:
        return None
    if _are_answers(evidence) and not evidence.means("person_name", "address"):
        return None
    return _proposal(Role.IDENTIFIER, meant.told)


def _are_answers(evidence: Evidence) -> bool:
    """Tell whether values are too few and too plain to identify: `passport` may be a yes or a no.

    A name that says a number means it.
    """
    column = evidence.column
    if not 1 < column.distinct <= ANSWERS or column.filled < ENOUGH:
        return False
    plain = pc.all(pc.match_substring_regex(column.values.cast(pa.string()), ANSWER)).as_py()
    return bool(plain) and not evidence.has_word(NUMBERING)


def _vague_name(evidence: Evidence, _: Kind) -> Proposal | None:
    """Take a bare `id` or `name` at its word; with other words, only if values are distinct.

    A `doctor` or `mother` is a person wherever the word stands, unless it is a yes or a no.
    """
    column, meant = evidence.column, evidence.meant
    if meant is None or not evidence.means("id", "name", "related_person"):
        return None
    able = column.filled >= FEWEST and (column.is_text or column.is_integer)
    if evidence.means("related_person"):
        if _are_answers(evidence) or not (meant.plainly or column.is_text):
            return None
    elif not meant.plainly and not (able and 2 * column.distinct > column.filled):
        return None
    return _proposal(Role.IDENTIFIER, meant.told)


def _unique_code(evidence: Evidence, _: Kind) -> Proposal | None:
    """Text or numbers that are another one in each record, unless a name explains them.

    Numbers must count up, be called numbers or be long and of one length, because amounts are
    distinct, too.
    """
    column = evidence.column
    called = evidence.has_word(NUMBERING)
    if evidence.concept is not None and not evidence.concept.vague and not called:
        return None
    is_long = are_long_codes(column) and not evidence.means("time")
    is_code = column.is_text or (column.is_integer and (called or column.is_running or is_long))
    if not is_code or evidence.seen is not None or column.filled < FEWEST:
        return None
    if column.distinct < UNIQUE * column.filled or column.unique * column.records < FEWEST:
        return None
    share = Fraction(column.distinct, column.filled)
    told = f"{percent(share)} of its values are distinct, as those of an identifier are."
    return _proposal(Role.IDENTIFIER, told)


def _survey(evidence: Evidence, _: Kind) -> Proposal | None:
    meant, column = evidence.meant, evidence.column
    if meant is None or meant.concept.role not in (Role.WEIGHT, Role.HOUSEHOLD, Role.STRATUM):
        return None
    if column.records and not column.distinct:
        return None
    if meant.concept.role is Role.WEIGHT and not _can_weigh(evidence):
        return None
    if meant.concept.role is Role.HOUSEHOLD and not (column.is_text or column.is_integer):
        return None
    if meant.concept.role is Role.HOUSEHOLD and column.unique == 1:
        told = "Every record has another one, so that it numbers the respondents."
        return _proposal(Role.IDENTIFIER, meant.told, told)
    return _proposal(meant.concept.role, meant.told)


def _can_weigh(evidence: Evidence) -> bool:
    """Tell whether numbers can be sampling weights: above 0, and not whole by a bare `weight`."""
    column = evidence.column
    kind = column.values.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)) or column.blank:
        return False
    whole = column.is_integer or pc.all(pc.equal(pc.floor(column.values), column.values)).as_py()
    return bool(column.distinct and column.range[0] > 0) and not (
        whole and evidence.means("weight")
    )


def _name_of_key(evidence: Evidence, kind: Kind) -> Proposal | None:
    meant = evidence.meant
    if meant is None or meant.concept.role is not Role.KEY:
        return None
    if meant.concept.vague and not meant.plainly and kind is not Kind.DATE:
        return None
    if evidence.means("coordinate") and not _are_degrees(evidence.column):
        return None
    return _proposal(Role.KEY, meant.told)


def _are_degrees(column: Column) -> bool:
    """Tell whether numbers with decimals can be latitudes or longitudes."""
    if not pa.types.is_floating(column.values.type) or not column.distinct:
        return False
    low, high = column.range
    return bool(-DEGREES <= low <= high <= DEGREES)


def _name_of_confidential(evidence: Evidence, _: Kind) -> Proposal | None:
    meant = evidence.meant
    if meant is None or meant.concept.role is not Role.CONFIDENTIAL:
        return None
    return _proposal(Role.CONFIDENTIAL, meant.told)


def _shape_of_known(evidence: Evidence, kind: Kind) -> Proposal | None:
    """Dates and postcodes are known to others, whatever the attribute is called."""
    if evidence.seen is not None:
        return _proposal(evidence.seen.shape.role, evidence.seen.told)
    if kind is not Kind.DATE:
        return None
    return _proposal(Role.KEY, "Its values are dates, which others may know.")


def _shared_number(evidence: Evidence, _: Kind) -> Proposal | None:
    if not may_number(evidence) or not numbers_by_form(evidence):
        return None
    return _proposal(Role.IDENTIFIER, "It looks like the numbers or names of respondents.")


def _groups(evidence: Evidence, _: Kind) -> Proposal | None:
    if not evidence.means("id"):
        return None
    told = f"It numbers {evidence.column.distinct:,} groups of records; others may know the group."
    return _proposal(Role.KEY, told)


def _separates(evidence: Evidence, kind: Kind) -> Proposal | None:
    """Categories that repeat and yet tell most pairs of records apart narrow a search down."""
    column = evidence.column
    repeats = 10 if kind is Kind.CONTINUOUS else 1.5
    able = column.is_integer if kind is Kind.CONTINUOUS else kind is not Kind.SET_VALUED
    many = FEWEST_VALUES <= column.distinct <= column.filled / repeats
    if not able or not many or column.separation < SEPARATES:
        return None
    told = (
        f"Its {column.distinct:,} values repeat and tell {percent(column.separation)} of the "
        "pairs of records apart; if nobody outside can know them, it is no key."
    )
    return _proposal(Role.KEY, told)


def _anything_else(_: Evidence, __: Kind) -> Proposal | None:
    return _proposal(
        Role.NON_CONFIDENTIAL, "Neither its name nor its values say that it identifies or harms."
    )


RULES: tuple[Rule, ...] = (
    _free_text,
    _contents_identify,
    _shape_identifies,
    _name_identifies,
    _vague_name,
    _says_nothing,
    _unique_code,
    _survey,
    _numbers_records,
    _name_of_key,
    _name_of_confidential,
    _shape_of_known,
    _shared_number,
    _numbers_groups,
    _groups,
    _separates,
    _anything_else,
)


def _old_ages(evidence: Evidence) -> Sequence[str]:
    column = evidence.column
    old = evidence.means("age") and column.is_integer and column.distinct
    if not old or column.range[1] <= OLDEST:
        return ()
    told = f"`{column.name}` holds ages over {OLDEST}, which HIPAA C has gathered into one: "
    return (f"{told}top_code them.",)


def settled(proposals: dict[str, Proposal], evidence: dict[str, Evidence]) -> dict[str, Proposal]:
    """Let one weight and one household stand, and tell a body's weight from a sample's.

    A second number of the household would undo the pseudonyms of the first: it identifies.
    """
    bodily = any(one.means("body") for one in evidence.values())
    for name, one in evidence.items():
        if bodily and one.means("weight") and Role.WEIGHT in proposals[name].roles:
            told = "It is a body's weight: other attributes measure the body, too."
            proposals = {**proposals, name: _proposal(Role.CONFIDENTIAL, told)}
    for role in (Role.WEIGHT, Role.HOUSEHOLD):
        held = [name for name, found in proposals.items() if role in found.roles]
        first = sorted(held, key=lambda name: evidence[name].means("weight"))[:1]
        for name in set(held) - set(first):
            told = f"It could be the {role}, but only one attribute can: `{first[0]}` is."
            left = Role.IDENTIFIER if role is Role.HOUSEHOLD else Role.NON_CONFIDENTIAL
            proposals = {**proposals, name: _proposal(left, told)}
    return proposals


def with_respondents(
    proposals: dict[str, Proposal], told: Mapping[str, Sequence[str]]
) -> dict[str, Proposal]:
    """Make attributes identifiers that repeat and tell what belongs to one respondent.

    Args:
        proposals: what is proposed for each attribute.
        told: the attributes that number or name respondents, each with what it tells of them.
    """
    changed = dict(proposals)
    for name, keys in told.items():
        kept = proposals[name].reasons if Role.IDENTIFIER in proposals[name].roles else ()
        reason = (
            f"Several records share each of its values, which tell {listed(keys, NAMED)}: it "
            "numbers or names respondents."
        )
        changed[name] = Proposal((Role.IDENTIFIER,), (*kept, reason), respondent=True)
    return changed


def with_predictions(
    proposals: dict[str, Proposal], predictions: Sequence[Prediction]
) -> dict[str, Proposal]:
    """Make attributes that give a key away keys, too; a weight stays one, with a warning."""
    told = dict(proposals)
    for found in predictions:
        proposal = told[found.attribute]
        away = f"gives the key `{found.key}` away (lambda {float(found.strength):.2f})"
        if Role.WEIGHT in proposal.roles:
            warning = f"The weight `{found.attribute}` {away}; round or recalibrate it."
            told[found.attribute] = replace(proposal, warnings=(*proposal.warnings, warning))
        elif Role.KEY not in proposals[found.attribute].roles:
            told[found.attribute] = _also_key(proposal, f"It {away}.")
    return told


def _also_key(proposal: Proposal, reason: str) -> Proposal:
    kept = [role for role in proposal.roles if role not in (Role.NON_CONFIDENTIAL, Role.KEY)]
    return replace(proposal, roles=(*kept, Role.KEY), reasons=(*proposal.reasons, reason))

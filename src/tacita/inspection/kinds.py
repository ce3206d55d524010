"""What can be computed with the values of an attribute: a kind for each, and orders that are known.

Rules are tried in the order of `RULES`; the first that speaks decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Kind, Role
from tacita.data.declaration import inferred_kind
from tacita.inspection.columns import Column
from tacita.inspection.evidence import Evidence
from tacita.inspection.shapes import ISO_DATE
from tacita.inspection.vocabulary.words import CODES, COUNTS, STEPS

FEW = 20  # distinct values that may be the codes of categories
MOST_STEPS = 12  # distinct values that may be the steps of a scale
REPEATED = 3  # records a code has on average, at least
CODE_LENGTH = 5  # digits from which on numbers of one length are codes
SET_SHARE = 0.3  # share of the distinct values with a separator that makes an attribute set-valued
LOOKED_AT = 5_000  # distinct values that show whether text is parted
SEPARATORS = ("|", ";")
FLAGS = ((0, 1), (1, 2))  # what stands for no and yes, or yes and no
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
LEADING_NUMBER = re.compile(
    r"^[<>≤≥€$£ ]{0,3}(\d+(?:[.,]\d+)?)\s*(?:[-\u2013+<>≤≥]|to\b|bis\b|or\b|and\b|$)"
)

# Scales in ascending order; a line of several words for one step parts them by a slash.
SCALES = (
    "very bad/very poor, bad/poor, fair/average/neutral, good, very good, excellent",
    "very low, low, medium/moderate/middle, high, very high",
    (
        "strongly disagree, disagree, neutral/neither agree nor disagree/undecided, agree, "
        "strongly agree"
    ),
    "very dissatisfied, dissatisfied, neutral, satisfied, very satisfied",
    "never, rarely/seldom, sometimes/occasionally, often/frequently, always",
    (
        "none/no education/no schooling, pre-primary/preschool, primary, lower secondary, "
        "secondary, upper secondary, post-secondary, short-cycle tertiary, tertiary, "
        "bachelor/bachelors, master/masters, doctorate/phd"
    ),
    "micro, small, medium, large, very large",
    "young, middle-aged, old",
    "mild, moderate, severe, critical",
    (
        "january, february, march, april, may, june, july, august, september, october, november, "
        "december"
    ),
    "monday, tuesday, wednesday, thursday, friday, saturday, sunday",
    "sehr schlecht, schlecht, mittelmassig/mittelmäßig, gut, sehr gut",
    "niedrig/gering, mittel, hoch",
    "nie, selten, manchmal, oft/häufig, immer",
    "très mauvais, mauvais, moyen, bon, très bon",
    "faible/bas, moyen, élevé/haut",
    "jamais, rarement, parfois, souvent, toujours",
    "muy malo, malo, regular, bueno, muy bueno",
    "bajo, medio, alto",
    "nunca, raramente, a veces/às vezes, a menudo/muitas vezes, siempre/sempre",
    "molto male, male, discreto, bene, molto bene",
    "basso, medio, alto",
    "laag, midden, hoog",
    "låg, medel, hög",
    "niski, średni, wysoki",
)


def kind_of(evidence: Evidence) -> Kind:
    """Return the kind to propose for an attribute."""
    return next(kind for rule in RULES if (kind := rule(evidence)) is not None)


def _of_type(evidence: Evidence) -> Kind | None:
    """Dates, numbers with decimals and lists are what they are; `47.11` is no number in NACE."""
    column = evidence.column
    if column.is_text or column.is_integer:
        return None
    kind = inferred_kind(column.values.type)
    return Kind.NOMINAL if kind is Kind.CONTINUOUS and evidence.means("sector") else kind


def _iso_dates(evidence: Evidence) -> Kind | None:
    seen = evidence.seen
    is_dates = seen is not None and seen.shape is ISO_DATE and seen.matching == 1
    return Kind.DATE if is_dates and _are_days(evidence.column.values) else None


def _are_days(values: pa.Array) -> bool:
    try:
        values.cast(pa.date32())
    except pa.ArrowInvalid:
        return False
    return True


def _sets(evidence: Evidence) -> Kind | None:
    return Kind.SET_VALUED if separator_of(evidence.column) else None


def _scales(evidence: Evidence) -> Kind | None:
    return Kind.ORDINAL if evidence.column.is_text and known_order(evidence.column) else None


def _text(evidence: Evidence) -> Kind | None:
    return Kind.NOMINAL if evidence.column.is_text else None


def _codes(evidence: Evidence) -> Kind | None:
    """Whole numbers with labels or a name that says so are codes; so are long ones of one length.

    Numbers that count or measure have a name that says so, or differ in length.
    """
    column, concept = evidence.column, evidence.concept
    if column.labelled or (evidence.seen is not None and evidence.seen.shape.hint):
        return Kind.NOMINAL
    if evidence.has_word(COUNTS):
        return None
    if _is_few(column, FEW) and evidence.has_word(CODES):
        return Kind.NOMINAL
    if concept is not None and not concept.vague:
        return Kind.NOMINAL if concept.coded else None
    return Kind.NOMINAL if evidence.means("id") or _one_length(column) else None


def _one_length(column: Column) -> bool:
    low, high = column.range
    if low is None or low < 0 or column.distinct * REPEATED > 2 * column.filled:
        return False
    return len(str(low)) == len(str(high)) >= CODE_LENGTH


def _few_integers(evidence: Evidence) -> Kind | None:
    """Few small whole numbers are the steps of a scale, two are a yes and a no."""
    column, concept = evidence.column, evidence.concept
    if not _is_few(column, MOST_STEPS) or evidence.has_word(COUNTS):
        return None
    low, high = column.range
    if concept is not None and concept.role is Role.CONFIDENTIAL and (low, high) in FLAGS:
        return Kind.NOMINAL
    if concept is not None and not concept.coded and not evidence.has_word(STEPS):
        return None
    if low < 0 or high - low >= FEW:
        return None
    return Kind.ORDINAL if column.distinct > 2 else Kind.NOMINAL  # noqa: PLR2004 - yes and no


def _is_few(column: Column, most: int) -> bool:
    return 0 < column.distinct <= most and column.distinct * REPEATED <= column.filled


def _numbers(_: Evidence) -> Kind | None:
    return Kind.CONTINUOUS


RULES: tuple[Callable[[Evidence], Kind | None], ...] = (
    _of_type,
    _iso_dates,
    _sets,
    _scales,
    _text,
    _codes,
    _few_integers,
    _numbers,
)


def separator_of(column: Column) -> str | None:
    """Return what parts the members of a set-valued attribute, if it is one in text.

    Members come again in other sets; what is parted only once or twice is not a set.
    """
    if not column.is_text:
        return None
    values = column.values[:LOOKED_AT]
    for separator in SEPARATORS:
        parted = pc.match_substring(values, separator)
        if (pc.sum(parted).as_py() or 0) < max(2, SET_SHARE * len(values)):
            continue
        members = pc.list_flatten(pc.split_pattern(values, separator))
        if 2 * len(pc.unique(members)) <= len(members):
            return separator
    return None


def known_order(column: Column) -> tuple[Any, ...] | None:
    """Return the values of a text attribute in their order, if that is known.

    It is known of scales such as `low, medium, high`, and of classes of numbers such as `1-9, 10+`.
    """
    if not 2 < column.distinct <= FEW:  # noqa: PLR2004 - two values are in order either way
        return None
    values = column.values.to_pylist()
    for places in _SCALES:
        if all(_plain(value) in places for value in values):
            return tuple(sorted(values, key=lambda value: places[_plain(value)]))
    return _by_number(values)


def _by_number(values: list[str]) -> tuple[str, ...] | None:
    """Order classes of numbers by the first one each names; `<10` comes before `10-19`."""
    found = [LEADING_NUMBER.match(value) for value in values]
    if any(one is None for one in found) or all(map(NUMBER.fullmatch, values)):
        return None
    starts = [
        (float(one[1].replace(",", ".")) - (0.5 if value.lstrip().startswith(("<", "≤")) else 0))
        for one, value in zip(found, values, strict=True)
        if one is not None
    ]
    if len(set(starts)) < len(starts):
        return None
    return tuple(value for _, value in sorted(zip(starts, values, strict=True)))


def _plain(value: str) -> str:
    return " ".join(value.casefold().replace("_", " ").split())


_SCALES = tuple(
    {word: place for place, step in enumerate(scale.split(", ")) for word in step.split("/")}
    for scale in SCALES
)


def order_of(column: Column) -> tuple[Any, ...]:
    """Return the categories of an ordinal attribute in ascending order."""
    order = known_order(column) if column.is_text else None
    if order is not None:
        return order
    return tuple(sorted(column.values.to_pylist(), key=_as_number))


def _as_number(value: Any) -> float:
    return float(str(value).replace(",", "."))

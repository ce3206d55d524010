"""What all values of an attribute look like: postcodes, dates, codes of diseases, positions.

A shape is a pattern of whole columns and, for numbers that check themselves, a test. What must not
be released even once is for the detectors. One value in eleven passes a test modulo 11 by chance: a
shape counts only when so many values pass that chance alone would need luck of less than one in
`LUCK`, by Chernoff's bound.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from math import log
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Role
from tacita.inspection import check_digits as check
from tacita.inspection.vocabulary import Concept, hipaa_mention

FIRST_LOOK = 50  # values that rule most shapes out
TESTED = 20_000  # values whose check digits are computed
MATCHING, PASSING = 0.8, 0.5  # least shares of the values that have the pattern, and pass the test
FEWEST = 5  # values that show a shape which has no test, unless the name says it too
LUCK = 1e9

MARKS = re.compile(r"[\s./\-]")


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape that values can have.

    Args:
        what: what the values are called.
        role: the role of an attribute whose values they are.
        pattern: a regular expression (RE2) that the whole value must match.
        hipaa: the letter of the HIPAA identifier they are, or nothing.
        test: a test that the value must pass, without spaces, points, slashes and hyphens.
        chance: the probability that a value of the pattern passes the test though it is none.
        hint: names of concepts, one of which the attribute's name must mean; none: no need.
    """

    what: str
    role: Role
    pattern: str
    hipaa: str = ""
    _: KW_ONLY
    test: Callable[[str], bool] | None = None
    chance: float = 0.0
    hint: tuple[str, ...] = ()

    @property
    def whole(self) -> str:
        """The pattern from the beginning of a value to its end."""
        return f"^(?:{self.pattern})$"

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.whole)

    def matches(self, value: str) -> bool:
        """Tell whether a value is of the shape."""
        if not self._compiled.match(value):
            return False
        return self.test is None or self.test(MARKS.sub("", value).upper())


class Seen(NamedTuple):
    """A shape that the values of an attribute have.

    Args:
        shape: the shape.
        matching: the share of the distinct values that have its pattern.
        passing: the share of these that pass its test.
        tested: how many of these were tested.
    """

    shape: Shape
    matching: float
    passing: float
    tested: int

    @property
    def told(self) -> str:
        """What was seen, in a sentence."""
        shape, share = self.shape, f"{self.matching * self.passing:.0%}"
        checked = f" with right check digits (by chance {shape.chance:.1%})" if shape.chance else ""
        mention = hipaa_mention(shape.hipaa)
        return f"{share} of the distinct values are {shape.what}{checked}{mention}."


YEAR, DAY, MONTH = "(?:1[89]|20)[0-9]{2}", "(?:0?[1-9]|[12][0-9]|3[01])", "(?:0?[1-9]|1[0-2])"
CLOCK = "(?:[01]?[0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?"
DEGREES = r"-?[0-9]{1,3}\.[0-9]{3,}"

ISO_DATE = Shape("dates", Role.KEY, rf"{YEAR}-[01][0-9]-[0-3][0-9](?:[T ]{CLOCK}Z?)?", "C")
OTHER_DATE = Shape(
    "dates",
    Role.KEY,
    rf"(?:{DAY}[./-]{MONTH}|{MONTH}[./-]{DAY})[./-](?:{YEAR}|[0-9]{{2}})\.?(?: {CLOCK})?"
    rf"|{YEAR}[./]{MONTH}[./]{DAY}(?: {CLOCK})?",
    "C",
)
DIGIT_DATE = Shape(
    "dates",
    Role.KEY,
    "(?:19|20)[0-9]{6}",
    "C",
    test=check.calendar_day,
    chance=0.037,
    hint=("birth_date", "event_date", "time"),
)
POSTCODES = (
    Shape("British postcodes", Role.KEY, "[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][ABD-HJLNP-UW-Z]{2}", "B"),
    Shape("Dutch postcodes", Role.KEY, "[1-9][0-9]{3} ?[A-Z]{2}", "B"),
    Shape("Canadian postcodes", Role.KEY, "[A-CEGHJ-NPRSTVXY][0-9][A-Z] ?[0-9][A-Z][0-9]", "B"),
    Shape("US ZIP+4 codes", Role.KEY, "[0-9]{5}-[0-9]{4}", "B"),
    Shape("Polish postcodes", Role.KEY, "[0-9]{2}-[0-9]{3}", "B"),
    Shape("Portuguese postcodes", Role.KEY, "[1-9][0-9]{3}-[0-9]{3}", "B"),
    Shape("postcodes", Role.KEY, "[0-9]{4,6}", "B", hint=("postcode",)),
)
ICD_10 = Shape(
    "ICD-10 codes",
    Role.CONFIDENTIAL,
    r"[A-TV-Z][0-9][0-9AB](?:\.?[0-9A-Z]{1,4})?",
    hint=("diagnosis", "health"),
)
ACTIVITIES = Shape(
    "codes of economic activities (NACE, ISIC)",
    Role.KEY,
    r"[A-U]|[A-U]?[0-9]{2}(?:\.?[0-9]{1,2})?",
    hint=("sector",),
)
REGIONS = Shape("codes of regions (NUTS)", Role.KEY, "[A-Z]{2}[0-9A-Z]{1,3}", hint=("region",))
CODES = (*POSTCODES, ICD_10, ACTIVITIES, REGIONS)

SHAPES: Sequence[Shape] = (
    ISO_DATE,
    OTHER_DATE,
    DIGIT_DATE,
    Shape(
        "UUIDs",
        Role.IDENTIFIER,
        "[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}",
        "R",
    ),
    Shape(
        "vehicle identification numbers",
        Role.IDENTIFIER,
        "[A-HJ-NPR-Z0-9]{17}",
        "L",
        test=check.vin,
        chance=1 / 11,
    ),
    Shape("positions", Role.IDENTIFIER, rf"{DEGREES} ?[,;] ?{DEGREES}", "B"),
    Shape(
        "positions",
        Role.IDENTIFIER,
        r"(?:SRID=[0-9]+;)?POINT ?Z? ?\( ?-?[0-9.]+ -?[0-9.]+(?: -?[0-9.]+)? ?\)",
        "B",
    ),
    Shape("times of day", Role.KEY, CLOCK, hint=("time", "event_date", "birth_date")),
    *CODES,
)


def shape_of(values: pa.Array, concept: Concept | None = None) -> Seen | None:
    """Return the shape that distinct values have, the one that is hardest to have by chance.

    Args:
        values: distinct values without blanks, numbers or text.
        concept: what the attribute's name means, if that is known.

    >>> shape_of(pa.array([f"101{i} AB" for i in range(9)])).shape.what
    'Dutch postcodes'
    """
    text = _as_text(values)
    if text is None or not len(text):
        return None
    hinted = "" if concept is None else concept.name
    look = _some(text, FIRST_LOOK).to_pylist()
    possible = [s for s in SHAPES if (not s.hint or hinted in s.hint) and _may_be(s, look)]
    seen = [found for shape in possible if (found := _seen(shape, text, concept)) is not None]
    return max(seen, key=_evidence, default=None)


def _as_text(values: pa.Array) -> pa.Array | None:
    types = pa.types
    if not (types.is_string(values.type) or types.is_integer(values.type)):
        return None
    return pc.utf8_trim_whitespace(values.cast(pa.string()))


def _some(values: pa.Array, most: int) -> pa.Array:
    """Take values at equal distances: all when there are few."""
    if len(values) <= most:
        return values
    return values.take(pa.array(np.linspace(0, len(values) - 1, most).astype(np.int64)))


def _may_be(shape: Shape, look: list[str]) -> bool:
    return sum(map(shape.matches, look)) >= len(look) * MATCHING * PASSING


def _seen(shape: Shape, text: pa.Array, concept: Concept | None) -> Seen | None:
    """Return what is seen of a shape in all values, or None when chance could show as much."""
    fitting = text.filter(pc.match_substring_regex(text, shape.whole))
    matching = len(fitting) / len(text)
    tested = _some(fitting, TESTED).to_pylist() if shape.test else []
    passing = sum(map(shape.matches, tested)) / len(tested) if tested else 1.0
    if matching < MATCHING or passing < PASSING:
        return None
    seen = Seen(shape, matching, passing, len(tested) or len(fitting))
    says_it = concept is not None and (concept.name in shape.hint or concept.hipaa == shape.hipaa)
    return seen if says_it or _is_sure(seen) else None


def _is_sure(seen: Seen) -> bool:
    if not seen.shape.chance:
        return seen.tested >= FEWEST
    return _evidence(seen) > log(LUCK)


def _evidence(seen: Seen) -> float:
    """Return the logarithm of the luck that chance would need to let so many values pass."""
    chance, passing = seen.shape.chance, seen.passing
    if not chance:
        return float("inf") if not seen.shape.hint else log(LUCK)
    if passing <= chance:
        return 0.0
    failing = (1 - passing) * log((1 - passing) / (1 - chance)) if passing < 1 else 0.0
    return seen.tested * (passing * log(passing / chance) + failing)

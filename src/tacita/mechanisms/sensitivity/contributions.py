"""What a sensitivity rule looks at and what it says: the shape of every rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Mask
from tacita.errors import InputError
from tacita.results import exactly

CLOSE = 1e-9  # of the numbers compared: nearer than that, doubles do not decide
DIGITS = 15  # so many digits of a decimal survive in a double
SUMMED = 4  # last bits of a double that adding up may have changed

Margin = Annotated[
    float,
    Field(
        ge=0,
        description="How far above and below its value a sensitive cell must be possible, in "
        "percent of the value.",
    ),
]


@dataclass(frozen=True, eq=False)
class Contributions:
    """Who contributes how much to some cells, or to some answers; one row a cell. NaN is unknown.

    Args:
        value: what would be published.
        total: the sum of the contributions' sizes.
        frequency: the records, each counted with its sampling weight.
        contributors: the respondents; a holding with several records is one, and so is a record
            with a sampling weight unless the table says that it represents others.
        largest: the largest contributions of single contributors, in descending order, 0 where
            there are no more.
        asked: the largest contribution of one who asked for protection, at level 1 and level 2.
        group: for each attribute that spans the table, the members of the nearest cell above along
            it that is divided into several categories (NaN where there is none), and in `siblings`
            how many categories that is divided into.
        siblings: see `group`.
        members: what `group` counts: the frequency, or the contributors where records have weights
            and respondents are judged. The frequency when left out.
    """

    value: Floats
    total: Floats
    frequency: Floats
    contributors: Floats
    largest: Floats
    asked: Floats
    group: Mapping[str, Floats] = field(default_factory=dict)
    siblings: Mapping[str, Floats] = field(default_factory=dict)
    members: Floats | None = None

    def __len__(self) -> int:
        return len(self.value)


@dataclass(frozen=True, eq=False)
class Judgement:
    """What a rule says of some cells.

    Args:
        sensitive: which cells tell too much.
        upper_level: how far above its value a sensitive cell must be possible (units of the value);
            0 for other cells.
        lower_level: how far below it.
        sliding_level: how wide its interval must be in all.
    """

    sensitive: Mask
    upper_level: Floats
    lower_level: Floats
    sliding_level: Floats

    @classmethod
    def of(cls, sensitive: Mask, level: Any = 0.0) -> Judgement:
        """Make a judgement whose levels are the same to both sides, and none as a whole."""
        both = np.where(sensitive, np.broadcast_to(level, sensitive.shape), 0.0)
        return cls(sensitive, both, both.copy(), np.zeros(len(sensitive)))


def is_below(
    left: Floats, right: Floats, exact: Callable[[int], tuple[Fraction, Fraction]]
) -> Mask:
    """Tell row by row whether a number is below another.

    Doubles decide where the two are far apart; where they are close, the decimals that were
    written do.

    Args:
        left: the numbers, as doubles. A NaN is below nothing.
        right: those they are compared with.
        exact: gives both numbers of a row exactly.
    """
    below = left < right
    size = np.abs(left) + np.abs(right)
    near = np.abs(left - right) <= CLOSE * size
    for row in np.flatnonzero(near & (size > 0)):  # nothing is not below nothing
        one, other = exact(int(row))
        below[row] = one < other
    return below


def decimal(number: float) -> Fraction:
    """Return a double as the decimal that was written, or that its parts add up to.

    >>> decimal(np.float64(0.1)), decimal(0.1 + 0.2)
    (Fraction(1, 10), Fraction(3, 10))
    """
    number = float(number)
    if number.is_integer():
        return Fraction(number)
    short = f"{number:.{DIGITS}g}"
    is_near = abs(float(short) - number) <= SUMMED * math.ulp(number)
    return Fraction(short) if is_near else exactly(number)


def needed(cells: Contributions, count: int) -> Floats:
    """Return the largest contributions that a rule needs; those of nobody are 0.

    Raises:
        InputError: fewer were kept than the rule looks at, and some cell has more contributors.
    """
    kept = min(cells.largest.shape[1], count)
    missing = ((0, 0), (0, count - kept))
    largest = np.pad(cells.largest[:, :count], missing, constant_values=np.nan)
    largest[np.isnan(largest) & (np.arange(count) >= cells.contributors[:, None])] = 0.0
    not_kept = np.isnan(largest[:, kept:]).any(axis=1)
    if (not_kept & ~np.isnan(cells.total)).any():
        raise InputError(
            f"The rule looks at the {count} largest contributions of a cell; the table holds "
            f"{kept}. Tabulate with `largest={count}` or more, or give them with the table."
        )
    return largest


def refuse_unknown(rule: str, what: str, *columns: Floats) -> None:
    """Refuse cells of which a rule can judge none.

    Raises:
        InputError: of every cell, something is not known that the rule looks at.
    """
    known = ~np.isnan(np.column_stack(columns)).any(axis=1)
    if not known.any():
        raise InputError(
            f"`{rule}` looks at the {what} of the cells; the table does not hold them. Tabulate "
            "the microdata, or give them with the table."
        )


def share_of_value(cells: Contributions, percent: float) -> Floats:
    """Return a percentage of the size of every value, 0 where it is not known."""
    share: Floats = percent / 100 * np.nan_to_num(np.abs(cells.value))
    return share

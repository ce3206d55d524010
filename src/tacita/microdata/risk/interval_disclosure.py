"""Interval disclosure: the original value lies close around the released one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Ints, Mask
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.constants import constants, left_out
from tacita.microdata.comparing.features import shared
from tacita.microdata.comparing.nearness import is_numeric, numbers, spread_of
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.comparing.representation import alike, common_codes
from tacita.results import Measurement, counted, exactly, listed
from tacita.validity import OF_RESPONDENTS, Use

NUMERIC = frozenset({Kind.CONTINUOUS, Kind.DATE})


class IntervalDisclosure(Method):
    """The share of original values that lie in an interval around their released value (ID).

    Numbers and dates: |x - x'| <= width * s, where s is the (weighted) standard deviation of the
    attribute in the original data, or in the protected data if `deviation` says so. Ordinal
    attributes: the ranks of x and x' among the released values differ by less than `rank_width` %
    of the records; equal values share the middle of their ranks. Nominal and set-valued attributes
    have no order, so that only the value itself is in its interval. The number is the mean over
    attributes of these shares; the figure `all_attributes` is the share of records of which every
    value is disclosed, which with the deviation of the protected data is sdcMicro's `dRisk`.

    An attribute of which all original values are the same is left out: it tells nothing of anybody.

    When not to use it: on generalized values, which are other values than the original ones.

    >>> import tacita as ta
    >>> data, released = ta.example("medical"), ta.example("medical_rank_swapped")
    >>> data, released = ta.pair(data, released, "position")
    >>> ta.IntervalDisclosure(["Chol", "Temp"], width=0.2).measure(data, released).parts["Chol"]
    0.18181818181818182
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.NEARNESS
    at_everything: ClassVar = True
    reference: ClassVar = (
        "Domingo-Ferrer & Torra, in Confidentiality, Disclosure and Data Access, 2001, pp. 111-134"
    )
    missing: ClassVar = (
        "A blank original value cannot be disclosed and is not counted; a blank released value "
        "discloses nothing."
    )
    public: ClassVar = frozenset({"attributes", "width", "rank_width", "deviation"})

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes to look at; by default all that tell of respondents."),
    ] = None
    width: Annotated[
        float,
        Field(description="How far an interval goes to each side, in standard deviations.", ge=0),
    ] = 0.05
    rank_width: Annotated[
        float,
        Field(
            description="How far an interval of ranks goes to each side, in percent of records.",
            ge=0,
            le=100,
        ),
    ] = 5.0
    deviation: Annotated[
        Literal["original", "protected"],
        Field(description="The data whose standard deviation the interval is measured in."),
    ] = "original"

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Look where every original value lies."""
        known = paired(original, protected)
        asked = shared([original]) if self.attributes is None else list(self.attributes)
        held = comparable_attributes(original, protected, asked)
        constant = constants(original, held)
        names = [name for name in held if name not in constant]
        there = {name: np.asarray(pc.is_valid(known.column(name))) for name in names}
        inside = {
            name: there[name] & self._inside(original, known, protected, name) for name in names
        }
        shares = {name: _share(inside[name], there[name]) for name in names}
        measured = [share for share in shares.values() if share is not None]
        disclosed, values = _total(inside, len(protected)), _total(there, len(protected))
        return Measurement(
            self.name,
            self.family,
            sum(measured, Fraction(0)) / len(measured) if measured else None,
            _told(len(measured), [name for name in asked if name not in held]) + left_out(constant),
            parts={name: None if share is None else float(share) for name, share in shares.items()},
            per_record=disclosed / np.maximum(values, 1),
            parameters=self.parameters(),
            figures={
                "all_attributes": _share(disclosed == values, values > 0),
            },
        )

    def _inside(self, original: Dataset, known: Dataset, protected: Dataset, name: str) -> Mask:
        """Tell which original values of an attribute lie in the interval; some may be blank."""
        kind = original.attribute(name).kind
        if kind in NUMERIC:
            before, after = numbers([known, protected], name)
            spread = numbers([original if self.deviation == "original" else protected], name)[0]
            weight = original.weight if self.deviation == "original" else protected.weight
            with np.errstate(over="ignore"):  # what lies farther apart than a double tells is far
                return np.asarray(np.abs(before - after) <= self.width * spread_of(spread, weight))
        if kind is Kind.ORDINAL:
            order = original.attribute(name).order or ()
            return self._ranks_near(*(_places(order, data, name) for data in (known, protected)))
        codes, released = common_codes(known.column(name), protected.column(name))
        return np.asarray(codes == released)

    def _ranks_near(self, before: Ints, after: Ints) -> Mask:
        """Tell where two places of an order (-1: none) are near by their ranks in the second.

        Ranks are doubled, so that the middle of tied ranks is a whole number.
        """
        counts = np.bincount(after + 1, minlength=max(int(before.max(initial=-1)) + 2, 1))[1:]
        upto = np.cumsum(counts)
        doubled = np.append(2 * upto - counts + 1, 0)
        reach = ceil(exactly(self.rank_width) * len(after) / 50)
        near = (np.abs(doubled[before] - doubled[after]) < reach) | (before == after)
        return np.asarray(near & (before >= 0) & (after >= 0))


def comparable_attributes(
    original: Dataset, protected: Dataset, asked: Sequence[str] | None
) -> list[str]:
    """Return those of some attributes (by default all that tell of respondents) to compare."""
    names = shared([original]) if asked is None else asked
    return [name for name in names if _is_comparable(original, protected, name)]


def _is_comparable(original: Dataset, protected: Dataset, name: str) -> bool:
    """Tell whether the release still holds an attribute, and as numbers where they were some."""
    if name not in protected.attributes:
        return False
    return original.attribute(name).kind not in NUMERIC or is_numeric([original, protected], name)


def _places(order: Sequence[Any], data: Dataset, name: str) -> Ints:
    """Return the place of every value in the order of the categories, -1 where it has none."""
    categories, values = alike(pa.array(order), data.column(name))
    return np.asarray(pc.index_in(values, categories).fill_null(-1), np.int64)


def _share(some: Mask, among: Mask) -> Fraction | None:
    total = int(np.count_nonzero(among))
    return Fraction(int(np.count_nonzero(some & among)), total) if total else None


def _total(masks: Mapping[str, Mask], records: int) -> Ints:
    return sum((mask.astype(np.int64) for mask in masks.values()), np.zeros(records, np.int64))


def _told(measured: int, lost: Sequence[str]) -> str:
    gone = f"; left out or recoded: {listed(lost)}" if lost else ""
    return (
        f"share of the values of {counted(measured, 'attribute')} that lie in the interval around "
        f"their released value, on average{gone}"
    )

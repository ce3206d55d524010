"""Coarsening: the domain cut into intervals of one length, whatever lies in them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError
from tacita.method import ANY_KIND, AttributeNames, Method, refuse_kind
from tacita.microdata.masking.ranges.line import Line
from tacita.validity import Change

Resolution = Annotated[int, Field(ge=1, le=100_000)]  # more coarsen nothing and take long


class Coarsen(Method):
    """Replace every value by the one of r intervals of equal length that it lies in.

    Whole numbers from min to max are cut at min + floor(i (max - min + 1) / r), i = 0..r, and
    released as `[min;max]` of their interval; so are dates (by their day), codes of as many digits
    each, and categories at their place in their order, their tree or the alphabet. Other numbers
    are cut at min + i (max - min) / r and released as `[a;b)`. An interval of one value is that
    value. Each attribute is cut for itself.

    When not to use it: to promise anything. The intervals do not look at who lies in them, so that
    unique combinations stay; Algorithm S2 (`sorted_clusters`) leaves none.

    >>> import tacita as ta
    >>> ages = ta.example("patients", 500).apply(ta.Coarsen(4, ["age_yrs"])).column("age_yrs")
    >>> sorted(set(ages.to_pylist()))
    ['[0;20]', '[21;42]', '[43;63]', '[64;85]']
    """

    applies_to: ClassVar = ANY_KIND - {Kind.SET_VALUED}
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = (
        "Sanchez, Martinez & Domingo-Ferrer, Science 351(6279):1274, 2016, Algorithm S3"
    )
    missing: ClassVar = "Missing and suppressed values stay as they are."
    example: ClassVar = {"resolution": 4, "attributes": ["age", "zip", "education"]}
    public: ClassVar = frozenset({"resolution", "attributes"})

    resolution: Annotated[
        Resolution | Mapping[str, Resolution],
        Field(description="The number of intervals (1 to 100,000), or one for each attribute."),
    ]
    attributes: Annotated[
        AttributeNames | None,
        Field(
            description="The attributes to coarsen; by default those that `resolution` names, or "
            "the keys."
        ),
    ] = None

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with attributes coarsened."""
        for name, resolution in self._resolutions(data).items():
            refuse_kind(self, data, name)
            data = coarsened(data, name, resolution)
        return data

    def _resolutions(self, data: Dataset) -> dict[str, int]:
        if isinstance(self.resolution, int):
            names = data.keys if self.attributes is None else self.attributes
            if not names:
                raise InputError(
                    "No attribute has the role `key`; say which `attributes` to coarsen."
                )
            return dict.fromkeys(names, self.resolution)
        names = tuple(self.resolution) if self.attributes is None else self.attributes
        for name in names:
            if name not in self.resolution:
                raise ParameterError(f"`resolution` of `coarsen` says nothing of `{name}`.")
        return {name: self.resolution[name] for name in names}


def coarsened(data: Dataset, name: str, resolution: int) -> Dataset:
    """Return the data with one attribute cut into so many intervals."""
    line = Line.of(data, name)
    number, texts = intervals(line, resolution)
    if line.is_exact and texts.take(pa.array(number)).equals(line.values):
        return data
    values = texts.take(pa.array(np.append(number, -1)[line.place], mask=line.place < 0))
    order = tuple(texts.take(pa.array(np.unique(number))).to_pylist())
    return data.with_column(line.attribute.recoded(Kind.ORDINAL, order), values)


def intervals(line: Line, resolution: int) -> tuple[Ints, pa.Array]:
    """Cut a line into intervals of equal length.

    Returns:
        the interval of every distinct value, and the intervals as text, ascending.
    """
    if line.ends is None:
        return np.zeros(0, np.int64), pa.array([], pa.string())
    if line.said is None and len(line.at) == 1:
        return np.zeros(1, np.int64), line.values
    if line.said is None:
        return _of_fractions(line.at, resolution)  # type: ignore[arg-type]
    low, high = (int(end) for end in line.ends)
    cuts = sorted({low + cut for cut in whole_cuts(high - low + 1, resolution)})
    ends = np.array(cuts[:-1], np.int64), np.array([cut - 1 for cut in cuts[1:]], np.int64)
    number = np.searchsorted(ends[0], line.at, side="right") - 1
    return number, line.said_as_ranges(*(line.said(end) for end in ends))


def whole_cuts(width: int, resolution: int) -> list[int]:
    """Return where so many whole numbers are cut: floor(i width / r), i = 0..r.

    >>> whole_cuts(86, 4)
    [0, 21, 43, 64, 86]
    """
    parts = min(resolution, width)
    return [part * width // parts for part in range(parts + 1)]


def inner_cuts(low: float, high: float, resolution: int) -> list[float]:
    """Return where a range of numbers is cut: low + i (high - low) / r, 0 < i < r.

    The cuts have 12 digits at most, as text has that says them.

    >>> inner_cuts(0.0, 1.0, 3)
    [0.333333333333, 0.666666666667]
    """
    start, length = Fraction(low), Fraction(high) - Fraction(low)
    between = (float(start + length * part / resolution) for part in range(1, resolution))
    return [cut for cut in sorted({float(f"{cut:.12g}") for cut in between}) if low < cut < high]


def _of_fractions(at: Floats, resolution: int) -> tuple[Ints, pa.Array]:
    low, high = float(at[0]), float(at[-1])
    inner = inner_cuts(low, high, resolution)
    number = np.searchsorted(np.array(inner), at, side="right")
    ends = [low, *inner, high]
    texts = [f"[{a!r};{b!r})" for a, b in pairwise(ends[:-1])]
    return number, pa.array([*texts, f"[{ends[-2]!r};{ends[-1]!r}]"], pa.string())

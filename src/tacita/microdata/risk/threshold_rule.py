"""The threshold rule of mu-ARGUS: combinations of key values that too few records have."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import BeforeValidator, Field

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import ANY_KIND, Method
from tacita.microdata.risk.frequencies.key_counts import Keys
from tacita.microdata.risk.frequencies.key_subsets import codes
from tacita.results import Measurement, listed
from tacita.validity import NON_PERTURBATIVE, Use

if TYPE_CHECKING:
    from tacita.kernels.grouping import Groups

SCHEMA = pa.schema(
    {
        "attributes": pa.list_(pa.string()),
        "dimension": pa.int64(),
        "threshold": pa.int64(),
        "unsafe_combinations": pa.int64(),
        "records": pa.int64(),
    }
)
ROUNDING = 1e-9  # relative; a sum of weights so near to its threshold does not exceed it


class ThresholdRule(Method):
    """The share of records that have an unsafe combination of key values.

    Of every 1, 2, ... `dimension` keys, a combination of values is unsafe when it is rare: when
    its frequency does not exceed the threshold for so many keys. The frequency is the number of
    records or, with `count` = `population`, the number of respondents in the population estimated
    by the sum of the sampling weights. A part is the share of records with an unsafe combination
    that holds the attribute.

    `per_record` is the number of unsafe combinations of the record. `details` lists all sets of
    attributes with their threshold, the unsafe combinations of values and the records in them; the
    combinations are those of sdcMicro's riskyCells, which too calls "at most the threshold" unsafe
    but counts a missing value as a value.

    When not to use it: on perturbed keys, whose rare combinations may be nobody's.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.ThresholdRule(1, dimension=2, keys=["Sex", "MarStat"]).measure(data, data).value
    Fraction(1, 11)
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    uses: ClassVar = Use.PARTS
    reference: ClassVar = (
        "Hundepool et al., mu-ARGUS user's manual 5.1, Statistics Netherlands, 2014; "
        "Willenborg & de Waal, Statistical Disclosure Control in Practice, Springer, 1996"
    )
    missing: ClassVar = "A missing or suppressed value is never part of a combination."
    public: ClassVar = frozenset({"thresholds", "dimension", "count", "keys"})
    shown_by_release: ClassVar = True

    thresholds: Annotated[
        tuple[Annotated[int, Field(ge=1, le=10**15)], ...],
        BeforeValidator(lambda said: [said] if isinstance(said, int) else said),
        Field(
            description="The highest frequency that is unsafe, for one key, two keys and so on; "
            "the last holds for all larger combinations.",
            min_length=1,
        ),
    ] = (10, 5, 3)
    dimension: Annotated[int, Field(description="The most keys that are combined.", ge=1)] = 3
    count: Annotated[
        Literal["records", "population"],
        Field(description="What is counted: records, or respondents by their sampling weights."),
    ] = "records"
    keys: Keys = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:  # noqa: ARG002
        """Count every combination of key values of the protected data."""
        keys = protected.classes(self.keys).keys
        records, most = len(protected), min(self.dimension, len(keys))
        weight = _weight(protected) if self.count == "population" else None
        tally = _Tally({name: codes(protected, name) for name in keys}, weight, records)
        for size in range(1, most + 1):
            threshold = self.thresholds[min(size, len(self.thresholds)) - 1]
            for chosen in combinations(keys, size):
                tally.add(chosen, threshold)
        risky = int(np.count_nonzero(tally.unsafe))
        return Measurement(
            self.name,
            self.family,
            Fraction(risky, records) if records else None,
            f"{risky:,} of {records:,} records have an unsafe combination of values of at most "
            f"{most} of {listed(keys)}",
            parts={name: _share(mask) for name, mask in tally.by_key.items()},
            per_record=tally.unsafe,
            parameters=self.parameters(),
            figures={
                "unsafe_combinations": sum(int(row["unsafe_combinations"]) for row in tally.rows)
            },
            details=pa.Table.from_pylist(tally.rows, SCHEMA),
        )


class _Tally:
    """What was counted so far, set of attributes by set of attributes."""

    def __init__(self, coded: Mapping[str, Ints], weight: Floats | None, records: int) -> None:
        self.coded, self.weight = coded, weight
        self.unsafe = np.zeros(records, np.int64)
        self.by_key = {name: np.zeros(records, np.bool_) for name in coded}
        self.rows: list[dict[str, Any]] = []

    def add(self, chosen: tuple[str, ...], threshold: int) -> None:
        """Count the combinations of values of some attributes, and mark the unsafe ones."""
        from tacita.kernels.grouping import group

        groups = group([self.coded[name] for name in chosen])
        rare = self._at_most(threshold, groups)
        for name in chosen:
            rare &= self.coded[name][groups.first] >= 0
        unsafe = rare[groups.ids]
        self.unsafe += unsafe
        for name in chosen:
            self.by_key[name] |= unsafe
        self.rows.append(
            {
                "attributes": list(chosen),
                "dimension": len(chosen),
                "threshold": threshold,
                "unsafe_combinations": int(np.count_nonzero(rare)),
                "records": int(np.count_nonzero(unsafe)),
            }
        )

    def _at_most(self, threshold: int, groups: Groups) -> Mask:
        """Tell which combinations are not more frequent than the threshold."""
        from tacita.kernels.by_group import sum_by_group

        if self.weight is None:
            return groups.counts <= threshold
        frequency = sum_by_group(groups.ids, self.weight, len(groups.counts))
        return frequency <= threshold * (1 + ROUNDING)


def _weight(data: Dataset) -> Floats:
    """Return the sampling weights; without them nobody knows the population.

    Raises:
        InputError: there are none that can be used.
    """
    weight = data.weight
    if weight is None:
        raise InputError(
            "Frequencies in the population need sampling weights; no attribute has the role "
            "`weight`, count `records` or name one."
        )
    return weight


def _share(mask: Mask) -> float | None:
    return float(mask.mean()) if len(mask) else None

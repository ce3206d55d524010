"""The space of the keys: how far apart records are, blanks included, and clusters in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.microdata.masking.partitions.mixed import MixedSpace
from tacita.microdata.masking.partitions.scaling import Scale


def key_space(data: Dataset, keys: Sequence[str], scale: Scale = "standardize") -> MixedSpace:
    """Lay out the keys of all records so that blanks are somewhere too.

    A blank is farther from every value of its attribute than any two records without blanks are
    from each other, and 0 from another blank. So records with the same blanks come together first.

    Args:
        data: the records.
        keys: what they are compared by; one without any value tells nobody apart.
        scale: how numbers and dates come to one unit.
    """
    held = [name for name in keys if data.column(name).null_count < len(data)]
    space = MixedSpace.of(data, held, scale=scale)
    partly = [name for name in held if data.column(name).null_count]
    if not partly:
        return space
    values = np.nan_to_num(space.numbers, nan=0.0)
    height = np.sqrt(1 + np.square(np.ptp(values, axis=0)).sum() + len(space.semantics))
    blank = [np.asarray(data.column(name).is_null()) * height for name in partly]
    first = values.shape[1]
    return MixedSpace(
        (*space.names[:first], *(f"{name} is blank" for name in partly), *space.names[first:]),
        np.column_stack([values, *blank]),
        np.append(space.is_rank, np.zeros(len(partly), np.bool_)),
        tuple(replace(part, codes=np.maximum(part.codes, 0)) for part in space.semantics),
    )


def microaggregated(space: MixedSpace, k: int) -> Ints:
    """Group all records by MDAV into clusters of k to 2k - 1; fewer than 2k are one cluster."""
    from tacita.kernels.mdav import mdav

    size = len(space.numbers)
    if size < 2 * k or not space.names:
        return np.zeros(size, np.int64)
    return mdav(space.numbers, k) if is_plain(space) else space.partition(np.arange(size), k)


def is_plain(space: MixedSpace) -> bool:
    """Tell whether the average of records has the mean of everything."""
    return not space.semantics and not space.is_rank.any()

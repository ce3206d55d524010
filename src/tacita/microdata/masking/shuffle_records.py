"""Putting the records in random order."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.preserved import Statistic, always


class ShuffleRecords(Method):
    """Put the records in random order.

    A file sorted by an attribute tells ranks that masking took away: inside an interval the first
    records are the youngest, and pseudonyms line up with a sorted register. Values do not change.

    When not to use it: where users must lay the file beside another one, record by record.

    >>> import tacita as ta
    >>> ta.example("salary").apply(ta.ShuffleRecords(), seed=1).source_rows.tolist()[:4]
    [1, 12, 7, 10]
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = (always(Statistic.JOINT_DISTRIBUTION, of="all attributes"),)
    changes: ClassVar = frozenset()
    reference: ClassVar = (
        "Hundepool et al., mu-ARGUS 4.0 user's manual, 2005 (records in random order)"
    )
    missing: ClassVar = "Values do not matter."
    draws: ClassVar = True

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the records in random order."""
        return data.take(rng.permutation(len(data)))

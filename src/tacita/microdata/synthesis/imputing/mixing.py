"""Mixing sets: for every sensitive record the others that are most like it but for its keys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.microdata.comparing.nearness import spread_of
from tacita.microdata.synthesis.making.columns import Column


class MixingSets:
    """The records that are not sensitive, by their nearness to each one that is.

    Args:
        data: all records.
        names: the attributes by which nearness is judged: numbers and dates count in standard
            deviations, other values 0 if they are the same and 1 if not, blanks as values.
        sensitive: the sensitive records.
    """

    def __init__(self, data: Dataset, names: Sequence[str], sensitive: Mask) -> None:
        self.sensitive = np.flatnonzero(sensitive)
        self.others = np.flatnonzero(~sensitive)
        columns = [Column.of(data, name) for name in names]
        scaled = [
            np.nan_to_num(column.numbers / (spread_of(column.numbers) or 1.0))
            for column in columns
            if column.numbers is not None
        ]
        # The codes of numbers only tell whether there is one.
        codes = [
            column.codes if column.numbers is None else np.minimum(column.codes, 1)
            for column in columns
        ]
        self._numbers: Floats = np.column_stack([np.zeros((len(data), 0)), *scaled])
        self._codes: Ints = np.column_stack([np.zeros((len(data), 0), np.int64), *codes])

    def union(self, size: int) -> Ints:
        """Return the sensitive records and the nearest `size` others of each, ascending.

        Of equally near ones those with the lowest record numbers are taken.
        """
        from tacita.kernels.mixed_distance import smallest, squared_distances

        widths = self._codes.max(axis=0, initial=0) + 1
        chosen = np.zeros(len(self._numbers), np.bool_)
        chosen[self.sensitive] = True
        for row in self.sensitive:
            tables = [np.ones(width) for width in widths]
            for table, code in zip(tables, self._codes[row], strict=True):
                table[code] = 0.0
            place = self._numbers[row]
            away = squared_distances(self._numbers, self._codes, self.others, place, tables)
            chosen[self.others[smallest(away, size)]] = True
        return np.flatnonzero(chosen)

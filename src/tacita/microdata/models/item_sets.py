"""The sets of a set-valued attribute as numbers: which items every record has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Ints
from tacita.data.dataset import Dataset


@dataclass(frozen=True, eq=False)
class ItemSets:
    """Which items every record has, by number; a set holds each of its items once.

    Args:
        record: of every item of every set, the record; ascending.
        code: of every item of every set, the place of its word; ascending within a record.
        words: the distinct items, as text.
        records: the number of records, also those without items.
    """

    record: Ints
    code: Ints
    words: pa.Array
    records: int

    @classmethod
    def of(cls, data: Dataset, name: str) -> ItemSets:
        """Give numbers to the items of an attribute; a missing item is none."""
        column = data.column(name)
        record = np.asarray(pc.list_parent_indices(column), np.int64)
        members = column.flatten().cast(pa.string())
        there = np.asarray(members.is_valid())
        encoded = pc.dictionary_encode(members.filter(pa.array(there)))
        codes = np.asarray(encoded.indices, np.int64)
        return cls(record[there], codes, encoded.dictionary, len(data)).recoded(
            np.arange(len(encoded.dictionary)), encoded.dictionary
        )

    def recoded(self, code_of: Ints, words: pa.Array) -> ItemSets:
        """Return the sets after item i became item `code_of[i]` of some words."""
        size = max(len(words), 1)
        pairs = np.unique(self.record * size + code_of[self.code])
        return ItemSets(pairs // size, pairs % size, words, self.records)

    @property
    def starts(self) -> Ints:
        """Where the items of every record begin, and where the last has ended."""
        return np.searchsorted(self.record, np.arange(self.records + 1))

    def named(self, codes: Ints) -> list[str]:
        """Return the words of some items."""
        words: list[str] = self.words.take(pa.array(codes)).to_pylist()
        return words

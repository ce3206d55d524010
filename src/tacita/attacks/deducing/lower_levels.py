"""Lower levels: what generalized keys would have been released as one level below."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import EquivalenceClasses, Ints
from tacita.data.dataset import Dataset
from tacita.microdata.anonymize.generalizing.levels import at_level, height
from tacita.microdata.comparing.representation import as_text


def below(known: Dataset, protected: Dataset, name: str) -> Ints | None:
    """Return what every record's key would be one level lower, by its number; -1 if nothing else.

    A record's level is the lowest on which the hierarchy of the known data gives its released
    label. None is returned if no record is released above its lowest level.

    Args:
        known: the original records, in the order of the released ones.
        protected: the released records.
        name: the key.
    """
    values = EquivalenceClasses.of(known, [name])
    leaves = known.take(values.first)
    released = pc.dictionary_encode(as_text(protected.column(name)))
    theirs = np.asarray(released.indices.fill_null(-1), np.int64)
    lower = np.full(len(protected), -1, np.int64)
    is_open = np.ones(len(protected), np.bool_)
    before = np.full(len(values), -1, np.int64)
    for level in range(height(known, name) + 1):
        labels = as_text(at_level(leaves, name, level).column(name))
        same = _placed(labels, released.dictionary)[values.of_record] == theirs
        fits = is_open & same
        lower[fits] = before[values.of_record[fits]]
        is_open &= ~same
        before = np.asarray(pc.dictionary_encode(labels).indices.fill_null(-1), np.int64)
    return lower if (lower >= 0).any() else None


def _placed(labels: pa.Array, released: pa.Array) -> Ints:
    """Return the place of labels among the released ones: -1 for a blank, -2 if it is not there."""
    places = pc.index_in(labels, released).fill_null(-2)
    return np.where(np.asarray(labels.is_null()), -1, np.asarray(places, np.int64))

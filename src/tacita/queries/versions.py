"""The data as they were: without them, a history could not be taken up after they changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tacita.data.classes import Ints, joined_sets
from tacita.data.dataset import Dataset
from tacita.data.formats.atomic import atomic_file
from tacita.errors import InputError


def in_order(data: Dataset, record: str | None) -> Dataset:
    """Return the records in an order of their own: a database gives them in any order.

    Args:
        data: the records.
        record: the attribute that names them; all attributes where there is none.
    """
    return Dataset(data.table.take(pa.array(own_order(data, record))), data.attributes)


def own_order(data: Dataset, record: str | None) -> Ints:
    """Return the places of the records in that order."""
    names = [record] if record else data.names
    plain = pa.table({name: _sortable(data.column(name)) for name in names})
    order = pc.sort_indices(plain, [(name, "ascending") for name in names])
    return np.asarray(order, np.int64)


def _sortable(column: pa.Array) -> pa.Array:
    return joined_sets(column) if pa.types.is_list(column.type) else column


@dataclass(frozen=True)
class Versions:
    """A folder with every version of the data that questions were answered from.

    The files hold the records as they are: keep them as the database is kept.

    Args:
        folder: where they lie.
    """

    folder: Path

    def keep(self, data: Dataset) -> str:
        """Write a version down, once; return the name it is found by."""
        name = data.fingerprint()
        file = self._file(name)
        if not file.exists():
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with atomic_file(file) as place:
                pq.write_table(data.to_arrow(), place)
        return name

    def read(self, name: str, like: Dataset) -> Dataset:
        """Return a version, its attributes as those of the data of today."""
        file = self._file(name)
        if not file.is_file():
            raise InputError(
                f"The ledger speaks of data that are not in {self.folder}: {file.name}; put the "
                "file back, or begin a new ledger."
            )
        return Dataset(pq.read_table(file).combine_chunks(), like.attributes)

    def _file(self, name: str) -> Path:
        return self.folder / f"{name[:32]}.parquet"

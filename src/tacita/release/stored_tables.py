"""What was found for the tables of a release, read back from what the house keeps of it.

A search that a clock stopped need not find the same pattern again, and noise of a secure source is
never drawn twice. To verify such a release the stored pattern or values are put on tables that are
made again from the source; what they tell, cost and protect is then computed anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tacita.data.classes import Floats, Ints
from tacita.errors import InputError
from tacita.method import Method
from tacita.tables.linked import LinkedTables
from tacita.tables.status import Status

if TYPE_CHECKING:
    from tacita.tables.perturb.perturbation import Perturbation
    from tacita.tables.protect.suppression import Suppression
    from tacita.tables.table import Table

LEVELS = ("lower_level", "upper_level", "sliding_level")
STATUSES = {status.word: int(status) for status in Status}


@dataclass(frozen=True)
class StoredTables:
    """The tables of a release as the house keeps them.

    Args:
        folder: where their files lie.
        content: what the evidence says of them.
    """

    folder: Path
    content: Mapping[str, Any]

    @property
    def has_pattern(self) -> bool:
        """Whether the stored pattern of suppressions stands in for a new search."""
        kept = self.content["suppression"]
        return kept is not None and not kept["reproducible"]

    @property
    def has_values(self) -> bool:
        """Whether the stored values stand in for a new draw."""
        kept = self.content["perturbation"]
        return kept is not None and not kept["reproducible"]

    def protected(self, tables: Sequence[Table]) -> tuple[list[Table], Suppression]:
        """Put the stored pattern on tables, and audit it.

        Args:
            tables: the tables before secondary suppression, in the order of the plan.
        """
        from tacita.tables.audit.audit import audit
        from tacita.tables.protect.suppression import Suppression

        made = [self._with_pattern(table, row) for table, row in self._pairs(tables)]
        system = replace(LinkedTables(tuple(made)).system(), known=None)
        kept = self.content["suppression"]
        found = audit(system)
        return made, Suppression(
            found.system, kept["cost"], kept["bound"], kept["optimal"], kept["reproducible"], found
        )

    def perturbed(
        self, links: LinkedTables, by: Method, rng: np.random.Generator
    ) -> tuple[LinkedTables, Perturbation]:
        """Put the stored values on tables; what the method says of itself is that of a new draw."""
        from tacita.tables.perturb.applied import perturbed, with_values

        _, found = perturbed(links, by, rng)
        value: Floats = np.full(len(found.value), np.nan)
        for (_, row), places in zip(self._pairs(links.tables), links.places, strict=True):
            value[places] = _numbers(self._file(row)["perturbed"])
        kept = self.content["perturbation"]
        loss, bound = kept["loss"], kept["bound"]
        found = replace(found, value=value, loss=loss, bound=bound, is_optimal=kept["optimal"])
        return with_values(links, found, by.name), found

    def _pairs(self, tables: Sequence[Table]) -> list[tuple[Table, Mapping[str, Any]]]:
        return list(zip(tables, self.content["tables"], strict=True))

    def _file(self, row: Mapping[str, Any]) -> pa.Table:
        file = self.folder / f"{Path(row['plan']['name']).name}.parquet"
        try:
            return pq.read_table(file)
        except (OSError, pa.ArrowInvalid) as error:
            raise InputError(
                f"The table {file} cannot be read: it is no whole Parquet file."
            ) from error

    def _with_pattern(self, table: Table, row: Mapping[str, Any]) -> Table:
        stored = self._file(row)
        if stored.num_rows != len(table):
            raise InputError(
                f"The stored table {row['plan']['name']} has {stored.num_rows:,} cells; the source "
                f"gives {len(table):,}."
            )
        status: Ints = np.array([STATUSES[word] for word in stored["status"].to_pylist()])
        reason = np.array([word or "" for word in stored["reason"].to_pylist()], object)
        levels = {name: _numbers(stored[name]) for name in LEVELS if name in stored.column_names}
        kept = table.cells.status.dtype
        return table.with_cells(status=status.astype(kept), reason=reason, **levels)


def _numbers(column: pa.ChunkedArray) -> Floats:
    numbers: Floats = column.to_numpy().astype(np.float64)
    return numbers

"""The value mapping: which original value became which released value, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import UNIT_SEPARATOR
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import load_extra
from tacita.microdata.comparing.representation import as_text
from tacita.results import counted

RELEASED, SUPPRESSED, MISSING, LEFT_OUT, DROPPED = (
    "released",
    "suppressed",
    "missing",
    "left out",
    "dropped",
)
COLUMNS = ("original", "released", "state")
SHOWN = 20  # rows that are printed


@dataclass(frozen=True, eq=False, repr=False)
class ValueMapping:
    """Which original value of an attribute became which released value.

    It helps to undo the masking: it stays in the house.

    Args:
        attribute: the attribute.
        table: one row for each original value and what became of it: `original`, `released`,
            `state` (released, suppressed, missing, left out with its record, or dropped with the
            attribute) and `records`, how many records that is. An original value has several rows
            where it became several values.
    """

    attribute: str
    table: pa.Table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def is_masked(self) -> bool:
        """Whether some released value is not the original one."""
        known = self.table.filter(pc.is_in(self.table["state"], pa.array([RELEASED, SUPPRESSED])))
        before, after = known["original"], known["released"]
        if before.type != after.type:
            return len(known) > 0
        same = pc.fill_null(pc.equal(before, after), False)
        return not pc.all(pc.or_(same, pc.is_null(before)), min_count=0).as_py()

    def __repr__(self) -> str:
        rows = self.table.slice(0, SHOWN).to_pylist()
        told = [(_shown(row["original"]), _outcome(row), f"{row['records']:,}") for row in rows]
        wide = [max((len(line[at]) for line in told), default=0) for at in range(3)]
        lines = [f"  {a:<{wide[0]}} -> {b:<{wide[1]}}  {n:>{wide[2]}}" for a, b, n in told]
        more = len(self) - len(rows)
        records = pc.sum(self.table["records"]).as_py() or 0
        size = f"{counted(len(self), 'pair')} of values in {counted(records, 'record')}"
        rest = [f"  ... and {more:,} more"] if more else []
        return "\n".join([f"{self.attribute}: {size}", *lines, *rest])

    def to_arrow(self) -> pa.Table:
        """Return the mapping in Arrow: original, released, state, records."""
        return self.table

    def to_polars(self) -> Any:
        """Return the mapping as a Polars frame."""
        return load_extra("polars", "frames").from_arrow(self.table)

    def to_pandas(self) -> Any:
        """Return the mapping as a pandas frame."""
        load_extra("pandas", "frames")
        return self.table.to_pandas()


def value_mapping(original: Dataset, protected: Dataset, name: str) -> ValueMapping:
    """Count which original value of an attribute became which released value.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> value_mapping(data, data.apply(ta.TopCode("DH", 30, label=">30"), seed=0), "DH")
    DH: 8 pairs of values in 11 records
      1  -> 1    1
      2  -> 2    1
      3  -> 3    2
      5  -> 5    2
      7  -> 7    2
      10 -> 10   1
      40 -> >30  1
      60 -> >30  1

    Args:
        original: the data before masking.
        protected: the data after masking.
        name: the attribute; every record is `dropped` where the protected data lack it.

    Raises:
        InputError: the original data have no such attribute, or nobody knows which records belong
            together.
    """
    known = _plain(original.column(name))
    rows = paired_rows(original, protected)
    if name in protected.names:
        released, states = _plain(protected.column(name)), _states(protected, name)
    else:
        released = pa.nulls(len(rows), known.type)
        states = pa.array([DROPPED] * len(rows), pa.string())
    gone = np.setdiff1d(np.arange(len(original)), rows)
    left = (known.take(pa.array(gone)), pa.nulls(len(gone), released.type), [LEFT_OUT] * len(gone))
    kept = pa.table([known.take(pa.array(rows)), released, states], names=COLUMNS)
    pairs = pa.concat_tables([kept, pa.table(list(left), schema=kept.schema)])
    return ValueMapping(name, _counted(pairs))


def masked_values(original: Dataset, protected: Dataset) -> pa.Table:
    """Return the mappings of all masked attributes in one table of text, told apart by `attribute`.

    An attribute whose every released value is the original one is left out.
    """
    shared = [name for name in protected.names if name in original.names]
    found = (value_mapping(original, protected, name) for name in shared)
    empty = {name: pa.array([], pa.string()) for name in ("attribute", *COLUMNS)}
    parts = [pa.table({**empty, "records": pa.array([], pa.int64())})]
    return pa.concat_tables([*parts, *(_in_text(one) for one in found if one.is_masked)])


def _in_text(mapping: ValueMapping) -> pa.Table:
    table = mapping.table
    text = {name: table[name].cast(pa.string()) for name in COLUMNS}
    names = pa.array([mapping.attribute] * len(table), pa.string())
    return pa.table({"attribute": names, **text, "records": table["records"]})


def _plain(column: pa.Array) -> pa.Array:
    """Return values that can be counted: sets, and what is blank everywhere, as text."""
    if pa.types.is_list(column.type):
        return pc.replace_substring(as_text(column), UNIT_SEPARATOR, "|")
    return column.cast(pa.string()) if pa.types.is_null(column.type) else column


def _states(protected: Dataset, name: str) -> pa.Array:
    blank = np.asarray(protected.column(name).is_null())
    hidden = blank & protected.suppressed_in(name)
    codes = np.where(hidden, 1, np.where(blank, 2, 0))
    return pa.array([RELEASED, SUPPRESSED, MISSING]).take(pa.array(codes))


def _counted(pairs: pa.Table) -> pa.Table:
    """Count equal pairs, by original value and then the most frequent first; blanks last."""
    found = pairs.group_by(list(COLUMNS), use_threads=False).aggregate([([], "count_all")])
    found = found.rename_columns([*COLUMNS, "records"])
    order = [("original", "ascending"), ("records", "descending")]
    ties = [(name, "ascending") for name in COLUMNS[1:]]
    return found.take(pc.sort_indices(found, [*order, *ties]))


def _outcome(row: dict[str, Any]) -> str:
    return _shown(row["released"]) if row["state"] == RELEASED else f"({row['state']})"


def _shown(value: Any) -> str:
    return "(blank)" if value is None else str(value)

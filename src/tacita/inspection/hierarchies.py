"""How the values of a key could become more general: a hierarchy for each, to be improved on."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Kind
from tacita.data.hierarchies import build
from tacita.data.hierarchies.building.widths import round_widths, start_of
from tacita.errors import HierarchyError
from tacita.inspection.columns import Column
from tacita.inspection.kinds import order_of

Specification = dict[str, Any]

LEVELS = 3  # widths of intervals
FEW = 20  # codes that begin differently, below which their beginnings are not worth a branch
LONGEST_CODE = 12  # characters of a code that is cut off sign by sign
SHARED = 2  # values that begin alike, on average, from which on the beginning is a category
MOST_LEAVES = 2_000  # values that are listed in a tree
BRANCHES = (3, 1)  # characters of the branches of codes of several lengths
DECADES = 20  # years from which on decades are of use
ROOT = "*"
DAY_FIRST = re.compile(r"\s*\d{1,2}[./-]\d{1,2}[./-]((?:1[89]|20)\d\d)\b")


def hierarchy_of(column: Column, kind: Kind) -> Specification | None:
    """Return a hierarchy that covers the values of a key, as plans say it; None if there is none.

    Numbers get intervals of round widths, dates calendar units, codes their beginnings, and a few
    categories one root above them, which a person can replace by something that means more.
    """
    for way in WAYS.get(kind, ()) if column.distinct else ():
        said = way(column)
        if said is not None and _covers(said, column, kind):
            return said
    return None


def _covers(said: Specification, column: Column, kind: Kind) -> bool:
    values = column.values.cast(pa.date32()) if kind is Kind.DATE else column.values
    if kind is Kind.CONTINUOUS:  # intervals that hold both ends hold everything between
        values = pa.array(column.range, values.type)
    try:
        hierarchy = build(said)
        for level in range(1, hierarchy.height + 1):
            hierarchy.labels(values, level)
    except (HierarchyError, pa.ArrowException, OverflowError):
        return False
    return True


def _intervals(column: Column) -> Specification | None:
    low, high = (None if end is None else float(end) for end in column.range)
    if low is None or high is None:
        return None
    widths = list(islice(round_widths(low, high, column.is_integer), LEVELS))
    return {"intervals": {"start": start_of(low, widths[0], widths[-1]), "widths": widths}}


def _dates(column: Column) -> Specification | None:
    first, last = (None if end is None else str(end)[:4] for end in column.range)
    if first is None or last is None:
        return None
    units = ["month", "quarter", "year"]
    return {"dates": [*units, "decade"] if int(last) - int(first) > DECADES else units}


def _prefix(column: Column) -> Specification | None:
    """Cut codes of one length off sign by sign, if many of them begin alike."""
    codes = column.values.cast(pa.string())
    if DAY_FIRST.match(codes[0].as_py() or ""):  # its beginning is the least it should keep
        return None
    ends = pc.min_max(pc.utf8_length(codes)).as_py()
    length = ends["min"]
    if not length or length != ends["max"] or not 1 < length <= LONGEST_CODE:
        return None
    if not _are_codes(codes):
        return None
    beginnings = pc.unique(pc.utf8_slice_codeunits(codes, 0, length // 2 + length % 2))
    return {"prefix": length} if len(codes) >= SHARED * len(beginnings) else None


def _are_codes(codes: pa.Array) -> bool:
    """Tell codes from words: after three letters at most, every one has a digit."""
    return bool(pc.all(pc.match_substring_regex(codes, "^[A-Za-z]{0,3}[0-9]")).as_py())


def _years(column: Column) -> Specification | None:
    """Put dates that begin with the day or month below their years."""
    if not 0 < column.distinct <= MOST_LEAVES or not column.is_text:
        return None
    nested: Specification = {}
    for value in sorted(column.values.to_pylist()):
        found = DAY_FIRST.match(value)
        if found is None:
            return None
        nested.setdefault(found[1], []).append(value)
    return {"tree": {ROOT: nested}}


def _branches(column: Column) -> Specification | None:
    """Put codes of several lengths below their first signs."""
    if not SHARED * FEW < column.distinct <= MOST_LEAVES:
        return None
    codes = column.values.cast(pa.string())
    if not _are_codes(codes):
        return None
    nested: Specification = {}
    for code in sorted(codes.to_pylist()):
        *outer, last = [f"{code[:length]}{ROOT}" for length in reversed(BRANCHES)]
        branch = nested
        for label in outer:
            branch = branch.setdefault(label, {})
        branch.setdefault(last, []).append(code)
    return {"tree": {ROOT: nested}}


def _tree(column: Column) -> Specification | None:
    if not 0 < column.distinct <= MOST_LEAVES:
        return None
    return {"tree": {ROOT: sorted(column.values.cast(pa.string()).to_pylist())}}


def _scale(column: Column) -> Specification | None:
    return {"tree": {ROOT: [str(value) for value in order_of(column)]}}


WAYS: dict[Kind, tuple[Callable[[Column], Specification | None], ...]] = {
    Kind.CONTINUOUS: (_intervals,),
    Kind.DATE: (_dates,),
    Kind.NOMINAL: (_years, _prefix, _branches, _tree),
    Kind.ORDINAL: (_scale,),
}


def suppressed_at_least(blanks: list[np.ndarray[Any, Any]], records: int, k: int) -> float:
    """Return the share of records that stay in too small classes though every key is at its root.

    Blanks do not generalize: records are alone when no other is blank in the same attributes.

    Args:
        blanks: for each key what tells its blanks apart from values, and from one another.
        records: the number of records.
        k: the least size of a class.
    """
    from tacita.kernels.grouping import group

    counts = group(blanks, records=records).counts
    return float(counts[counts < k].sum() / records) if records else 0.0

"""Generalization hierarchies: from a value to ever more general ones, up to one root.

Level 0 is the value itself, level `height` the root that stands for every value. One file a way to
say it: intervals, cuts, prefixes, category trees, dates; `files` reads and writes the hierarchy
files of other programs, `building` makes hierarchies from data. Each resolves only the distinct
values of a column, so that a hierarchy costs the same for a thousand records and for a million.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa
import pyarrow.compute as pc

from tacita.errors import HierarchyError, did_you_mean, shown

SHOWN = 5  # values named in a message


@runtime_checkable
class Hierarchy(Protocol):
    """A way to generalize values."""

    @property
    def height(self) -> int:
        """The level of the root: how many times a value can be generalized."""

    def labels(self, values: pa.Array, level: int) -> pa.Array:
        """Return the generalization at a level (1 to height) of distinct, non-blank values.

        Raises:
            HierarchyError: some values are not covered; the message names them.
        """

    def specification(self) -> dict[str, Any]:
        """Return the hierarchy as a plan file says it."""


def generalize(column: pa.Array, hierarchy: Hierarchy, level: int) -> pa.Array:
    """Replace every value of a column by its generalization at a level; blanks stay blank.

    >>> from tacita.data.hierarchies.prefix import Prefix
    >>> generalize(pa.array(["94138", None, "94141"]), Prefix(5), 1).to_pylist()
    ['9413*', None, '9414*']
    """
    if not 0 <= level <= hierarchy.height:
        raise HierarchyError(
            f"The hierarchy has levels 0 to {hierarchy.height}; level {level} was asked for."
        )
    if level == 0:
        return column
    encoded = pc.dictionary_encode(column)
    return hierarchy.labels(encoded.dictionary, level).take(encoded.indices)


def build(specification: Mapping[str, Any], folder: Path | None = None) -> Hierarchy:
    """Make a hierarchy from what a plan file says: `{prefix: 5}`, `{tree: {...}}`, ...

    What is made from data (`{quantiles: 3}`) is refused; see `building`.

    Args:
        specification: one entry, named after the way the hierarchy is said.
        folder: where a relative path in `{file: path}` starts. How the file is laid out can be
            said too: `{file: {path: regions.hrc, leading: "@", root: Total}}`.
    """
    from tacita.data.hierarchies import cuts, dates, files, intervals, prefix, tree
    from tacita.data.hierarchies.building import MADE_ONLY, is_made

    ways: dict[str, Callable[[Any], Hierarchy]] = {
        "intervals": intervals.Intervals.from_plan,
        "cuts": cuts.Cuts,
        "prefix": prefix.Prefix,
        "tree": tree.Tree.from_nested,
        "dates": dates.Dates.from_units,
        "file": lambda said: files.from_plan(said, folder or Path()),
    }
    if len(specification) != 1:
        raise HierarchyError(
            f"A hierarchy is said in one way ({', '.join(ways)}); found {shown(specification)}."
        )
    (way, said) = next(iter(specification.items()))
    if is_made(specification):
        raise HierarchyError(
            f"`{way}` makes a hierarchy from data, and here it must be said itself; make it with "
            "`hierarchy_from` and say what it gives."
        )
    if way not in ways:
        raise HierarchyError(
            f"`{way}` is not a way to say a hierarchy ({', '.join(ways)})."
            f"{did_you_mean(way, [*ways, *MADE_ONLY])}"
        )
    return ways[way](said)


def not_covered(values: pa.Array, what: str) -> HierarchyError:
    """Return the error that names some values that a hierarchy does not cover."""
    return HierarchyError(
        f"The hierarchy does not cover {some_of(values.to_pylist())}: {what}. "
        "Add these values to the hierarchy or recode them first."
    )


def some_of(values: Sequence[Any]) -> str:
    """Name the first few of some values.

    >>> some_of(list("abcdefg"))
    "'a', 'b', 'c', 'd', 'e' and 2 more"
    """
    told = ", ".join(repr(value) for value in values[:SHOWN])
    return told if len(values) <= SHOWN else f"{told} and {len(values) - SHOWN} more"

"""Hierarchies of categories: a tree whose leaves are the values."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.hierarchies import not_covered
from tacita.errors import HierarchyError, shown

MIN_PATH = 2


@dataclass(frozen=True)
class Tree:
    """Generalize categories along a tree in which every leaf lies equally deep.

    Args:
        paths: one path a leaf: the value, its parent, and so on to the root.

    >>> jobs = Tree.from_nested({"any": {"care": ["nurse", "doctor"], "law": ["judge"]}})
    >>> jobs.labels(pa.array(["judge", "nurse"]), 1).to_pylist()
    ['law', 'care']
    """

    paths: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if not self.paths or len(self.paths[0]) < MIN_PATH:
            raise HierarchyError(
                "A category tree needs at least one value below a root; found none."
            )
        _check_depth(self.paths)
        _check_leaves(self.paths)
        _check_parents(self.paths)
        roots = sorted({path[-1] for path in self.paths})
        if len(roots) > 1:
            raise HierarchyError(f"A hierarchy is a tree with one root; found {', '.join(roots)}.")

    @classmethod
    def from_nested(cls, nested: Mapping[str, Any]) -> Tree:
        """Make the hierarchy from nested mappings `{root: {branch: [leaf, leaf]}}`."""
        if not isinstance(nested, Mapping) or len(nested) != 1:
            found = list(nested) if isinstance(nested, Mapping) else nested
            raise HierarchyError(f"A category tree has one root; found {shown(found)}.")
        return cls(tuple(_walk(nested, ())))

    @classmethod
    def from_file(cls, path: Path, delimiter: str = ";") -> Tree:
        """Read one line a leaf: the value, then its generalization at each level, to the root."""
        try:
            with path.open(encoding="utf-8-sig", newline="") as lines:
                rows = [tuple(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        except FileNotFoundError as error:
            raise HierarchyError(f"There is no hierarchy file {path}.") from error
        except (OSError, ValueError, csv.Error) as error:
            why = getattr(error, "strerror", None) or "it is not a text file in UTF-8"
            raise HierarchyError(f"The hierarchy file {path} cannot be read: {why}.") from error
        return cls(tuple(rows))

    @property
    def height(self) -> int:
        """The number of steps from a leaf to the root."""
        return len(self.paths[0]) - 1

    def labels(self, values: pa.Array, level: int) -> pa.Array:
        """Return the ancestor of each value at a level."""
        text = values.cast(pa.string())
        place = pc.index_in(text, pa.array([path[0] for path in self.paths], pa.string()))
        if place.null_count:
            raise not_covered(text.filter(place.is_null()), "they are not leaves of the tree")
        return pa.array([path[level] for path in self.paths], pa.string()).take(place)

    def specification(self) -> dict[str, Any]:
        """Return `{tree: {root: {...}}}`."""
        nested: dict[str, Any] = {}
        for path in self.paths:
            *inner, parent = path[:0:-1]
            branch = nested
            for label in inner:
                branch = branch.setdefault(label, {})
            branch.setdefault(parent, []).append(path[0])
        return {"tree": nested}


def _walk(branch: Any, above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    if isinstance(branch, Mapping):
        for label, below in branch.items():
            yield from _walk(below, (str(label), *above))
    elif isinstance(branch, Sequence) and not isinstance(branch, str):
        yield from ((str(leaf), *above) for leaf in branch)
    elif branch is None:
        raise HierarchyError(f"The branch {above[0]!r} of the category tree has no leaves.")
    else:
        yield (str(branch), *above)


def _check_depth(paths: Iterable[tuple[str, ...]]) -> None:
    depths: dict[int, str] = {}
    for path in paths:
        depths.setdefault(len(path), path[0])
    if len(depths) > 1:
        (deep, one), (shallow, other) = sorted(depths.items(), reverse=True)[:2]
        raise HierarchyError(
            f"Every value must lie equally deep in its hierarchy; {one!r} has {deep - 1} "
            f"generalizations and {other!r} has {shallow - 1}."
        )


def _check_leaves(paths: Iterable[tuple[str, ...]]) -> None:
    seen: set[str] = set()
    for path in paths:
        if path[0] in seen:
            raise HierarchyError(f"The value {path[0]!r} stands twice in its hierarchy.")
        seen.add(path[0])


def _check_parents(paths: Iterable[tuple[str, ...]]) -> None:
    """Refuse a label with two parents at one level: the levels would not nest."""
    parents: dict[tuple[int, str], str] = {}
    for path in paths:
        for level, (label, parent) in enumerate(pairwise(path)):
            if parents.setdefault((level, label), parent) != parent:
                raise HierarchyError(
                    f"A hierarchy is a tree, but {label!r} (level {level}) lies below both "
                    f"{parents[level, label]!r} and {parent!r}."
                )

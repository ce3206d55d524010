"""Hierarchies of categories: a tree whose leaves are the values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.hierarchies import Hierarchy, not_covered, some_of
from tacita.data.hierarchies.outline import Path, leaf_paths, nested_nodes, outline
from tacita.errors import HierarchyError, InputError, shown

MIN_PATH = 2
SHOWN_NODES = 30  # labels that are printed


class PathError(HierarchyError):
    """Some paths do not make a tree.

    Attributes:
        places: which paths, counted from 0.
    """

    def __init__(self, message: str, *places: int) -> None:
        super().__init__(message)
        self.places = places


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """Generalize categories along a tree.

    Every leaf lies equally deep. A leaf that would lie higher than others repeats itself on the
    levels it lacks, as in ARX: `(none, none, any)` beside `(nurse, care, any)`. The order of the
    paths means nothing.

    Args:
        paths: one path a leaf: the value, its parent, and so on to the root.

    >>> jobs = Tree.from_nested({"any": {"care": ["nurse", "doctor"], "law": ["judge"]}})
    >>> jobs
    Tree of 3 values, 2 levels up to `any`
      any
        care
          nurse
          doctor
        law
          judge
    >>> jobs.labels(pa.array(["judge", "nurse"]), 1).to_pylist()
    ['law', 'care']
    """

    paths: tuple[Path, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "paths", tuple(map(tuple, self.paths)))
        if not self.paths or len(self.paths[0]) < MIN_PATH:
            raise HierarchyError(
                "A category tree needs at least one value below a root; found none."
            )
        _check_depth(self.paths)
        levels = [self.level(level) for level in range(self.height + 1)]
        for labels in levels:
            _check_blank(labels)
        _check_leaves(levels[0])
        for level in range(1, self.height):
            _check_parents(level, levels[level], levels[level + 1])
        _check_root(levels[-1])

    def __repr__(self) -> str:
        nodes = list(islice(outline(self.paths), SHOWN_NODES + 1))
        lines = [f"{'  ' * (node.depth + 1)}{node.label}" for node in nodes]
        if len(nodes) > SHOWN_NODES:
            lines[-1] = "  ..."
        size = f"{len(self.paths):,} values, {self.height} levels up to `{self.root}`"
        return "\n".join([f"Tree of {size}", *lines])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and set(self.paths) == set(other.paths)

    def __hash__(self) -> int:
        return hash(frozenset(self.paths))

    @classmethod
    def from_nested(cls, nested: Mapping[str, Any]) -> Tree:
        """Make the hierarchy from nested mappings `{root: {branch: [leaf, leaf]}}`.

        A leaf beside a branch is said in a list: `{root: [leaf, {branch: [leaf, leaf]}]}`.
        """
        if not isinstance(nested, Mapping) or len(nested) != 1:
            found = list(nested) if isinstance(nested, Mapping) else nested
            raise HierarchyError(f"A category tree has one root; found {shown(found)}.")
        return cls(leaf_paths(nested_nodes(nested))[0])

    @classmethod
    def over(cls, hierarchy: Hierarchy, values: Iterable[Any]) -> Tree:
        """Make the tree that says of some values what another hierarchy says of them.

        Args:
            hierarchy: the other one, whatever its kind.
            values: the values, perhaps repeated or blank, as a list or an Arrow column.

        >>> from tacita.data.hierarchies.prefix import Prefix
        >>> Tree.over(Prefix(2), ["94", "95", "94"]).paths
        (('94', '9*', '**'), ('95', '9*', '**'))
        """
        try:
            column = pc.drop_null(pc.unique(pa.array(values)))
            leaves = column.cast(pa.string())
        except (TypeError, pa.ArrowException) as error:
            raise InputError(
                "A hierarchy is laid over values of one type: numbers, text or dates."
            ) from error
        above = [hierarchy.labels(column, level + 1) for level in range(hierarchy.height)]
        return cls(tuple(zip(*(level.to_pylist() for level in (leaves, *above)), strict=True)))

    @property
    def height(self) -> int:
        """The number of steps from a leaf to the root."""
        return len(self.paths[0]) - 1

    @property
    def root(self) -> str:
        """The label that stands for every value."""
        return self.paths[0][-1]

    def level(self, level: int) -> list[str]:
        """Return the label of every leaf at a level; the leaf itself at level 0."""
        return [path[level] for path in self.paths]

    def labels(self, values: pa.Array, level: int) -> pa.Array:
        """Return the ancestor of each value at a level."""
        text = values.cast(pa.string())
        place = pc.index_in(text, pa.array(self.level(0), pa.string()))
        if place.null_count:
            raise not_covered(text.filter(place.is_null()), "they are not leaves of the tree")
        return pa.array(self.level(level), pa.string()).take(place)

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


def _check_depth(paths: Sequence[Path]) -> None:
    depths: dict[int, int] = {}
    for place, path in enumerate(paths):
        depths.setdefault(len(path), place)
    if len(depths) > 1:
        (deep, one), (shallow, other) = sorted(depths.items(), reverse=True)[:2]
        raise PathError(
            f"Every value must lie equally deep in its hierarchy; {paths[one][0]!r} has "
            f"{deep - 1} generalizations and {paths[other][0]!r} has {shallow - 1}.",
            *sorted((one, other)),
        )


def _check_blank(labels: Sequence[str]) -> None:
    blank = next((label for label in set(labels) if not label.strip()), None)
    if blank is not None:
        raise PathError("A hierarchy has no blank labels; found one.", labels.index(blank))


def _check_leaves(leaves: Sequence[str]) -> None:
    if len(set(leaves)) == len(leaves):
        return
    first: dict[str, int] = {}
    for place, leaf in enumerate(leaves):
        if first.setdefault(leaf, place) != place:
            raise PathError(
                f"The value {leaf!r} stands twice in its hierarchy.", first[leaf], place
            )


def _check_parents(level: int, labels: Sequence[str], above: Sequence[str]) -> None:
    """Refuse a label with two parents at one level: the levels would not nest."""
    if len(set(zip(labels, above, strict=True))) == len(set(labels)):
        return
    first: dict[str, int] = {}
    for place, label in enumerate(labels):
        parent, other = above[first.setdefault(label, place)], above[place]
        if parent != other:
            raise PathError(
                f"A hierarchy is a tree, but {label!r} (level {level}) lies below both "
                f"{parent!r} and {other!r}.",
                first[label],
                place,
            )


def _check_root(roots: Sequence[str]) -> None:
    distinct = list(dict.fromkeys(roots))
    if len(distinct) > 1:
        raise PathError(
            f"A hierarchy is a tree with one root; found {some_of(distinct)}.",
            0,
            roots.index(distinct[1]),
        )

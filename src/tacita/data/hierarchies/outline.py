"""A tree as an outline: its labels in order, each with its depth, as plans and files list them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple

from tacita.errors import HierarchyError

Path = tuple[str, ...]  # from a leaf to the root


class Node(NamedTuple):
    """A label of a tree.

    Args:
        depth: how many labels lie above it; 0 for the root.
        label: the label.
        line: the line of its file that says it, where there is one.
    """

    depth: int
    label: str
    line: int = 0


END = Node(0, "")
LEAF: tuple[Any, ...] = ()  # what lies below a leaf


def leaf_paths(nodes: Iterable[Node]) -> tuple[tuple[Path, ...], list[int]]:
    """Return one path a leaf, all equally long, and the lines of the leaves.

    A leaf that lies higher than others repeats itself on the levels it lacks, as in ARX, so that
    the levels nest.

    >>> leaf_paths([Node(0, "any"), Node(1, "care"), Node(2, "nurse"), Node(1, "none")])[0]
    (('nurse', 'care', 'any'), ('none', 'none', 'any'))
    """
    above: list[str] = []
    paths, lines = [], []
    for node, following in pairwise(chain(nodes, [END])):
        del above[node.depth :]
        above.append(node.label)
        if following.depth <= node.depth:
            paths.append(tuple(reversed(above)))
            lines.append(node.line)
    longest = max(map(len, paths), default=0)
    return tuple((path[0],) * (longest - len(path)) + path for path in paths), lines


def without_repeats(paths: Sequence[Path]) -> Sequence[Path]:
    """Return the paths without the repeats that `leaf_paths` puts there.

    A label that covers other leaves too is no repeat. Where no leaf would be left at the full
    depth, nobody could tell how deep the tree is, and all paths stay as they are.

    >>> without_repeats([("nurse", "care", "any"), ("none", "none", "any")])
    [('nurse', 'care', 'any'), ('none', 'any')]
    """
    starts = [0] * len(paths)
    for level in range(1, len(paths[0]) - 1):
        covered = Counter(path[level] for path in paths)
        for place, path in enumerate(paths):
            if starts[place] == level - 1 and path[level] == path[0] and covered[path[0]] == 1:
                starts[place] = level
    return paths if all(starts) else [path[at:] for path, at in zip(paths, starts, strict=True)]


def outline(paths: Iterable[Path]) -> Iterator[Node]:
    """List the labels of a tree from the root down, those of one branch together.

    >>> [node.label for node in outline([("a", "x", "*"), ("b", "y", "*"), ("c", "x", "*")])]
    ['*', 'x', 'a', 'c', 'y', 'b']
    """
    open_branches = [iter(_branches(paths).items())]
    while open_branches:
        for label, below in open_branches[-1]:
            yield Node(len(open_branches) - 1, label)
            open_branches.append(iter(below.items()))
            break
        else:
            open_branches.pop()


def _branches(paths: Iterable[Path]) -> dict[str, Any]:
    """Nest the labels; below a leaf is nothing."""
    top: dict[str, Any] = {}
    for path in paths:
        branch = top
        for label in reversed(path):
            branch = branch.setdefault(label, {})
    return top


def nested_nodes(nested: Mapping[str, Any]) -> Iterator[Node]:
    """List the labels of nested mappings and lists: `{root: {branch: [leaf, {branch: leaf}]}}`."""
    waiting = [(0, *entry) for entry in reversed(_entries("", nested))]
    while waiting:
        depth, label, below = waiting.pop()
        yield Node(depth, label)
        if below is not LEAF:
            waiting += ((depth + 1, *entry) for entry in reversed(_entries(label, below)))


def _entries(label: str, branch: Any) -> list[tuple[str, Any]]:
    """Return the labels directly below a label, each with what lies below it."""
    if isinstance(branch, Mapping):
        entries = [(str(key), below) for key, below in branch.items()]
    elif isinstance(branch, Sequence) and not isinstance(branch, str):
        entries = [entry for item in branch for entry in _listed(label, item)]
    else:
        entries = [] if branch is None else [(str(branch), LEAF)]
    if not entries:
        raise HierarchyError(f"The branch {label!r} of the category tree has no leaves.")
    return entries


def _listed(label: str, item: Any) -> list[tuple[str, Any]]:
    """Return what one item of a list puts below a label: a leaf, or branches."""
    if item is None or (isinstance(item, Sequence) and not isinstance(item, str)):
        what = "a blank" if item is None else "a list"
        raise HierarchyError(
            f"The list below {label!r} of the category tree holds {what}; expected leaves and "
            "branches."
        )
    return _entries(label, item)

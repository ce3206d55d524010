"""Parent tables: one line an edge of the tree, `child,parent`.

The root is the one label without a parent. It may have a line with a blank parent, or none. A
header is known by a field that holds the word parent; without one, the child stands first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tacita.data.hierarchies import SHOWN, some_of
from tacita.data.hierarchies.files.delimited import Rows, joined, read_rows
from tacita.data.hierarchies.files.text import refusal, tree_of, unwritable, write_text
from tacita.data.hierarchies.outline import Node, leaf_paths, without_repeats
from tacita.data.hierarchies.tree import Tree

EDGE = 2  # fields a line


class Edge(NamedTuple):
    """A line of a parent table; the root's line has no parent."""

    child: str
    parent: str
    line: int


def read(path: Path) -> Tree:
    """Read the tree of a parent table; fields are parted by commas, semicolons, tabs or bars."""
    return tree(read_rows(path))


def fits(rows: Rows) -> bool:
    """Tell a parent table from an ARX file of two levels, which has one parent on all lines."""
    return all(len(row) == EDGE for row in rows.fields) and len({row[1] for row in rows.fields}) > 1


def tree(rows: Rows) -> Tree:
    """Return the tree that the lines of a parent table say."""
    edges = _edges(rows)
    parents = {child: edge.parent for child, edge in edges.items() if edge.parent}
    labels = dict.fromkeys((*edges, *parents.values()))
    roots = [label for label in labels if label not in parents]
    if len(roots) > 1:
        raise refusal(
            rows.path,
            f"{len(roots)} labels have no parent: {some_of(roots)}; a tree has one root.",
        )
    nodes = list(_nodes(roots, edges))
    if len(nodes) < len(labels):
        _refuse_cycle(rows.path, edges, labels.keys() - {node.label for node in nodes})
    return tree_of(rows.path, *leaf_paths(nodes))


def _edges(rows: Rows) -> dict[str, Edge]:
    """Return the line of every label that has one; none may have two."""
    edges: dict[str, Edge] = {}
    child, first = _header(rows)
    for row, line in zip(rows.fields[first:], rows.lines[first:], strict=True):
        if len(row) != EDGE:
            problem = f"expected a label and its parent, found {len(row)} fields."
            raise refusal(rows.path, problem, line)
        edge = Edge(row[child], row[1 - child] if row[1 - child].strip() else "", line)
        if not edge.child.strip():
            raise refusal(rows.path, "a label is blank; expected a label and its parent.", line)
        if edges.setdefault(edge.child, edge) is not edge:
            _refuse_double(rows.path, edges[edge.child], edge)
    return edges


def _header(rows: Rows) -> tuple[int, int]:
    """Return which field holds the child, and on which row the table begins.

    A first line that tells of parents is a header unless the table knows one of its words: a line
    that hangs together with no other is no part of a tree.
    """
    first, *others = rows.fields
    titles = ["parent" in field.casefold() for field in first]
    if not any(titles) or {*first} & {field for row in others for field in row}:
        return 0, 0
    return (1 if titles == [True, False] else 0), 1


def _refuse_double(path: Path, one: Edge, other: Edge) -> None:
    if one.parent == other.parent:
        problem = f"{one.child!r} stands twice in its hierarchy."
    else:
        problem = (
            f"{one.child!r} has two parents, {one.parent!r} and {other.parent!r}; "
            "in a tree it has one."
        )
    raise refusal(path, problem, one.line, other.line)


def _nodes(roots: list[str], edges: Mapping[str, Edge]) -> Iterator[Node]:
    """List the labels that lie below the root, and the root."""
    below: dict[str, list[str]] = defaultdict(list)
    for edge in edges.values():
        below[edge.parent].append(edge.child)
    waiting = [(0, root) for root in roots]
    while waiting:
        depth, label = waiting.pop()
        yield Node(depth, label, edges[label].line if label in edges else 0)
        waiting += ((depth + 1, child) for child in reversed(below.get(label, ())))


def _refuse_cycle(path: Path, edges: Mapping[str, Edge], lost: Iterable[str]) -> None:
    """Tell the cycle that labels which no root lies above must run into."""
    label = min(lost, key=lambda label: edges[label].line)
    climbed: dict[str, None] = {}
    while label not in climbed:
        climbed[label] = None
        label = edges[label].parent
    cycle = [*climbed][[*climbed].index(label) :]
    told = " -> ".join((*cycle, label) if len(cycle) <= SHOWN else (*cycle[:SHOWN], "...", label))
    raise refusal(
        path,
        f"{told} is a cycle; a tree has none.",
        *sorted(edges[member].line for member in cycle[:SHOWN]),
    )


def write(tree: Tree, path: Path) -> None:
    """Write a tree as a parent table with a header; one that exists is replaced.

    A label can stand only once in it, so a tree with a label at two levels is refused, unless it
    is that of a leaf that lies higher than others.
    """
    write_text(tree, path, lambda: _text(tree, path))


def _text(tree: Tree, path: Path) -> str:
    parents: dict[str, str] = {}
    for leaf in without_repeats(tree.paths):
        for child, parent in pairwise(leaf):
            if child in (parent, tree.root) or parents.setdefault(child, parent) != parent:
                why = "it stands at two places, and a parent table has one for a label"
                raise unwritable(child, path, why)
    titles = [_unused(title, {*parents, tree.root}) for title in ("child", "parent")]
    return joined([titles, *parents.items()], ",")


def _unused(title: str, labels: Set[str]) -> str:
    """Return a title that is no label, so that the header is known to be one."""
    while title in labels:
        title += "_"
    return title

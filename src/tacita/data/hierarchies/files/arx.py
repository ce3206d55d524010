"""Hierarchy files of ARX: one line a leaf, with its label at every level: `leaf;level 1;...;root`.

No header. All lines have the same number of fields: a leaf that lies higher than others repeats
itself.
"""

from __future__ import annotations

from pathlib import Path

from tacita.data.hierarchies.files.delimited import Rows, joined, read_rows
from tacita.data.hierarchies.files.text import tree_of, write_text
from tacita.data.hierarchies.tree import Tree


def read(path: Path) -> Tree:
    """Read the tree of an ARX file; fields are parted by semicolons, tabs, bars or commas."""
    return tree(read_rows(path))


def tree(rows: Rows) -> Tree:
    """Return the tree that the lines of an ARX file say."""
    return tree_of(rows.path, rows.fields, rows.lines)


def write(tree: Tree, path: Path) -> None:
    """Write a tree as an ARX file, parted by semicolons; one that exists is replaced."""
    write_text(tree, path, lambda: joined(tree.paths, ";"))

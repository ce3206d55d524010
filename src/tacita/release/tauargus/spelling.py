"""How tau-ARGUS writes the codes of a variable, and how they lie below each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from tacita.data.hierarchies.files.text import lines_of, read_text
from tacita.data.hierarchies.outline import Node, leaf_paths
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError

APART = " ({})"  # what tells the second of two codes with one name from the first
LEADING = "@"


@dataclass(frozen=True)
class Spelling:
    """How the codes of a variable are written.

    Args:
        width: codes that nothing else is said of have so many characters, blanks before them.
        words: how codes are written that a hierarchy file spells; a code that stands there twice
            is written twice alike.
        missing: the codes for missing values, which are listed although nobody has them.
        is_hierarchical: whether there are levels between the codes and the total.
    """

    width: int = 0
    words: Mapping[str, str] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    is_hierarchical: bool = False

    def word(self, code: str) -> str:
        """Return a code as it is written.

        >>> Spelling(2).word("7")
        ' 7'
        """
        return self.words.get(code) or code.rjust(self.width)


def read_hierarchy(path: Path, root: str, leading: str | None) -> tuple[Tree, dict[str, str]]:
    """Read a hierarchy file, and how it spells its codes.

    A code may stand there twice, as it may for tau-ARGUS: records with it belong to the first, and
    the second, which nobody contributes to, is named apart. Of a code right below itself the lower
    is that of the records.

    Args:
        path: the `.hrc` file.
        root: the code of the total.
        leading: what stands before a code once for each level; `@` when it is not said.

    Raises:
        HierarchyError: the file cannot be read or is no tree.
    """
    mark = leading or LEADING
    nodes: list[Node] = []
    for number, line in enumerate(lines_of(read_text(path)), start=1):
        depth = 1
        while line.startswith(mark):
            line, depth = line[len(mark) :], depth + 1  # noqa: PLW2901 - level by level
        if line.strip():
            _refuse_jump(path, number, depth, nodes)
            nodes.append(Node(depth, line.rstrip(), number))
    if not nodes:
        raise HierarchyError(f"{path} has no codes; expected one a line.")
    labels = _named_apart(nodes)
    words = {label: node.label for label, node in zip(labels, nodes, strict=True)}
    named = [node._replace(label=label) for label, node in zip(labels, nodes, strict=True)]
    return Tree(leaf_paths([Node(0, root), *named])[0]), words


def _refuse_jump(path: Path, number: int, depth: int, before: Sequence[Node]) -> None:
    allowed = before[-1].depth + 1 if before else 1
    if depth > allowed:
        raise HierarchyError(
            f"{path}, line {number}: the code lies {depth} levels below the total, but the one "
            f"before it allows {allowed} at most."
        )


def _named_apart(nodes: Sequence[Node]) -> list[str]:
    """Give every line of a hierarchy a name of its own.

    >>> _named_apart([Node(1, " 1"), Node(2, "A"), Node(2, "B"), Node(1, "B"), Node(2, "B")])
    ['1', 'A', 'B', 'B (2)', 'B (3)']
    """
    labels = [node.label.strip() for node in nodes]
    met: dict[str, int] = {}
    for place, label in enumerate(labels):
        met[label] = met.get(label, 0) + 1
        if met[label] == 1:
            continue
        above = place - 1
        is_below_itself = nodes[above].depth < nodes[place].depth and labels[above] == label
        labels[above if is_below_itself else place] = label + APART.format(met[label])
    return labels


def flat_tree(codes: Iterable[str], root: str, spelling: Spelling) -> Tree:
    """Return the tree of codes right below the total, in the order in which they are written."""
    return Tree(tuple((code, root) for code in sorted(codes, key=spelling.word)))


def tree_by_digits(codes: Iterable[str], levels: Sequence[int], root: str) -> Tree:
    """Return the tree in which the first characters of a code are the code above it.

    Args:
        codes: the codes.
        levels: how many characters each level adds.
        root: the code of the total.

    >>> tree_by_digits(["132", "120"], [1, 1, 1], "Total").paths
    (('120', '12', '1', 'Total'), ('132', '13', '1', 'Total'))
    """
    steps = list(accumulate(levels))
    paths = [
        (code, *(code[:step] for step in reversed(steps) if step < len(code)), root)
        for code in sorted(codes)
    ]
    longest = max(map(len, paths), default=0)
    return Tree(tuple((path[0],) * (longest - len(path)) + path for path in paths))

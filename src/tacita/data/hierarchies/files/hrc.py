"""Hierarchy files of tau-ARGUS (`.hrc`): one line a code, indented by a leading string.

The codes right below the root begin their lines; every level below puts the leading string, `@` by
default, once more before the code. The root is not in the file: it stands for the total. Blanks
around a code only align it and are no part of it; but for a line that begins with one, it has to be
said what indents it. ::

    North
    @N1
    @N2
    South

A leaf may lie higher than others (`South` above); it repeats itself on the levels it lacks when the
file is read, and is written once. No code stands twice, except directly below itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tacita.data.hierarchies.files.text import (
    lines_of,
    read_text,
    refusal,
    tree_of,
    unwritable,
    write_text,
)
from tacita.data.hierarchies.outline import Node, leaf_paths, outline, without_repeats
from tacita.data.hierarchies.tree import Tree
from tacita.errors import OutputError, ParameterError, shown

ROOT = "Total"
LEADING = "@"
OTHER_LEADING = "-.#~"
BLANKS = " \t"


def read(path: Path, *, root: str = ROOT, leading: str | None = None) -> Tree:
    """Read the tree of a `.hrc` file.

    Args:
        path: the file.
        root: the label of the total, which the file does not hold.
        leading: what stands before a code once for each level; found out when left out.
    """
    lines = lines_of(read_text(path))
    indented_by = _found_out(path, lines) if leading is None else _checked(leading)
    if not isinstance(root, str) or not root.strip():
        raise ParameterError(f"`root` must be a text; found {shown(root)}.")
    nodes = [Node(0, root), *_nodes(path, lines, indented_by)]
    _check_codes(path, nodes)
    return tree_of(path, *leaf_paths(nodes))


def leading_string(lines: Sequence[str]) -> str:
    """Find out what indents the lines.

    It is `@` if a line begins with it; else one of `-`, `.`, `#`, `~` that begins a line but not
    the first, which nothing can lie above.

    >>> leading_string(["North", "-N1", "-N2"])
    '-'
    """
    begins = {line[:1] for line in lines}
    if LEADING not in begins:
        first = next(line for line in lines if line.strip(BLANKS))
        for mark in OTHER_LEADING:
            if mark in begins and not first.startswith(mark):
                return mark
    return LEADING


def doubtful_line(lines: Sequence[str], leading: str) -> int | None:
    """Return the number of a line that something unknown may indent; None if there is none.

    A blank at its begin may, and where the leading string stands nowhere, a sign that does not
    begin the first line.

    >>> doubtful_line(["North", "*N1"], "@"), doubtful_line(["North", "@*"], "@")
    (2, None)
    """
    begins = {at: line[0] for at, line in enumerate(lines, start=1) if line.strip(BLANKS)}
    known = {leading, "_", "'", '"', next(iter(begins.values()))}
    is_flat = leading not in begins.values()
    for at, sign in begins.items():
        if sign in BLANKS or (is_flat and _is_sign(sign) and sign not in known):
            return at
    return None


def _is_sign(character: str) -> bool:
    """Tell what marks a line from what is written in one: letters, digits, pictures."""
    return not unicodedata.category(character).startswith(("L", "M", "N", "So"))


def _found_out(path: Path, lines: Sequence[str]) -> str:
    leading = leading_string(lines)
    at = doubtful_line(lines, leading)
    if at is None:
        return leading
    problem = (
        f"the line begins with {lines[at - 1][0]!r}, which may indent it; give `leading`, the "
        f"string that indents the codes ({LEADING!r} if nothing does)."
    )
    raise refusal(path, problem, at)


def _checked(leading: str) -> str:
    if not isinstance(leading, str) or not leading or set(leading) & {"\r", "\n"}:
        raise ParameterError(f"`leading` must be a text on one line; found {shown(leading)}.")
    return leading


def _nodes(path: Path, lines: Iterable[str], leading: str) -> Iterator[Node]:
    indentation = re.compile(f"(?:{re.escape(leading)})*")
    above = 0
    for number, line in enumerate(lines, start=1):
        if not line.strip(BLANKS):
            continue
        end = len(indentation.match(line)[0])  # type: ignore[index] # it always matches
        label, depth = line[end:].strip(BLANKS), end // len(leading) + 1
        if not label:
            raise refusal(path, f"there is no code after {leading!r}.", number)
        if depth > above + 1:
            raise refusal(
                path,
                f"{label!r} is indented by {depth - 1} times {leading!r}, but the code before it "
                f"allows {above} at most.",
                number,
            )
        yield Node(depth, label, number)
        above = depth


def _check_codes(path: Path, nodes: Iterable[Node]) -> None:
    """Refuse a code that stands twice, but for one directly below itself."""
    for first, again in _doubles(nodes):
        if not first.node.line:
            problem = f"{again.node.label!r} is also the label of the root; give another root."
            raise refusal(path, problem, again.node.line)
        problem = (
            f"the code {again.node.label!r} stands twice, below {first.parent!r} and below "
            f"{again.parent!r}; in a tree it has one place."
        )
        raise refusal(path, problem, first.node.line, again.node.line)


class _Placed(NamedTuple):
    node: Node
    parent: str


def _doubles(nodes: Iterable[Node]) -> Iterator[tuple[_Placed, _Placed]]:
    first: dict[str, _Placed] = {}
    above: list[str] = []
    for node in nodes:
        del above[node.depth :]
        placed = _Placed(node, above[-1] if above else "")
        if first.setdefault(node.label, placed) is not placed and placed.parent != node.label:
            yield first[node.label], placed
        above.append(node.label)


def write(tree: Tree, path: Path, *, leading: str | None = None) -> None:
    """Write a tree as a `.hrc` file; `read` gives it back when it is told the label of the root.

    Args:
        tree: the tree.
        path: the file; one that exists is replaced.
        leading: what stands before a code once for each level; `@` when left out.
    """
    said = LEADING if leading is None else _checked(leading)
    write_text(tree, path, lambda: _text(tree, path, said, told=leading is not None))


def _text(tree: Tree, path: Path, leading: str, *, told: bool) -> str:
    nodes = list(outline(without_repeats(tree.paths)))
    for _, again in _doubles(nodes):
        raise unwritable(again.node.label, path, "a code stands only once in a `.hrc` file")
    for label in {node.label for node in nodes[1:]}:
        _check_code(label, path, leading)
    lines = [leading * (node.depth - 1) + node.label for node in nodes[1:]]
    found = leading_string(lines)
    odd = doubtful_line(lines, found)
    if not told and (found != leading or odd):
        sign = lines[odd - 1][0] if odd else found
        raise OutputError(
            f"Codes that begin with {sign!r} would seem to lie deeper in {path}; write the "
            "hierarchy to a CSV or YAML file."
        )
    return "\n".join(lines) + "\n"


def _check_code(label: str, path: Path, leading: str) -> None:
    if set(label) & {"\r", "\n"}:
        raise unwritable(label, path, "a `.hrc` file has one line a code")
    if label != label.strip(BLANKS + "\ufeff"):
        raise unwritable(label, path, "blanks around a code are no part of it in a `.hrc` file")
    if label.startswith(leading):
        raise unwritable(label, path, f"it begins with the leading string {leading!r}")

"""Recodes of a job: a hierarchy cut at some codes, or codes put together by a `.grc` file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from tacita.data.formats.rda import TOKEN
from tacita.data.hierarchies.outline import outline, without_repeats
from tacita.data.hierarchies.tree import Tree
from tacita.errors import InputError, did_you_mean
from tacita.release.tauargus.spelling import Spelling
from tacita.tables.dimension import NONE, Dimension
from tacita.tables.formats.text import lines_of, refusal
from tacita.tables.table import Table

TREE = "<TREERECODE>"
NEW = " (new)"  # after a code that others are put together to, until those are gone
TAG = re.compile(r"\s*<(\w+)>(.*)")


@dataclass(frozen=True, eq=False)
class Recoding:
    """How a variable becomes coarser.

    Args:
        tree: its hierarchy, with the new codes above those that they are made of.
        cut: the codes whose parts go.
        names: what codes are called afterwards, where that is something else.
        spelling: how codes are written afterwards.
    """

    tree: Tree
    cut: frozenset[str]
    spelling: Spelling
    names: Mapping[str, str] = field(default_factory=dict)


# -- hierarchies -----------------------------------------------------------------------------------


def cut_at_level(tree: Tree, spelling: Spelling, level: int) -> Recoding:
    """Keep the levels of a hierarchy down to one, which is counted from the total (0).

    Raises:
        InputError: the variable has no hierarchy.
    """
    _refuse_flat(spelling)
    nodes = list(outline(without_repeats(tree.paths)))
    return Recoding(tree, frozenset(n.label for n in nodes if n.depth == level), spelling)


def read_tree_recode(path: Path, tree: Tree, spelling: Spelling) -> Recoding:
    """Read a file that names the codes whose parts go.

    Raises:
        InputError: it is no such file, or names a code that the variable does not have.
    """
    (number, first), *rest = lines_of(path)
    if first.strip().upper() != TREE:
        raise refusal(path, number, f"expected {TREE}, as the variable has a hierarchy.")
    _refuse_flat(spelling)
    known = {node.label for node in outline(tree.paths)}
    for number, line in rest:
        if line.strip() not in known:
            near = did_you_mean(line.strip(), known)
            raise refusal(path, number, f"the variable has no code {line.strip()!r}.{near}")
    return Recoding(tree, frozenset(line.strip() for _, line in rest), spelling)


def _refuse_flat(spelling: Spelling) -> None:
    if not spelling.is_hierarchical:
        raise InputError("only a variable with a hierarchy can be cut at a level or at codes.")


def with_cut(table: Table, axis: int, recoding: Recoding) -> Table:
    """Return the table without the codes that a recode takes away; their totals stay."""
    dimension = table.dimensions[axis]
    below = np.zeros(len(dimension), bool)
    for place, above in enumerate(dimension.parents[0]):  # what lies above comes before
        if above != NONE:
            below[place] = below[above] or dimension.codes[above] in recoding.cut
    kept = np.flatnonzero(~below)
    new_place = np.full(len(dimension), NONE, np.int32)
    new_place[kept] = np.arange(len(kept))
    rows = np.flatnonzero(~below[table.places[:, axis]])
    places = table.places[rows].copy()
    places[:, axis] = new_place[places[:, axis]]
    dimensions = list(table.dimensions)
    dimensions[axis] = _kept(dimension, kept, new_place, recoding.names)
    return replace(table, dimensions=tuple(dimensions), places=places, cells=table.cells.take(rows))


def _kept(
    dimension: Dimension,
    kept: Sequence[int] | np.ndarray,
    new_place: np.ndarray,
    names: Mapping[str, str],
) -> Dimension:
    codes = tuple(names.get(dimension.codes[p], dimension.codes[p]) for p in kept)
    above = dimension.parents[0][kept]
    parents = np.where(above == NONE, NONE, new_place[above]).astype(np.int32)
    return replace(
        dimension, codes=codes, parents=(parents,), missing=dimension.missing & frozenset(codes)
    )


# -- codes put together ----------------------------------------------------------------------------


def read_recode(path: Path, tree: Tree, spelling: Spelling) -> Recoding:
    """Read a file that says which codes become which: `new: old, from-to, -to, from-`.

    Codes that it does not name stay as they are.

    Args:
        path: the `.grc` file.
        tree: the codes that the variable has, right below the total.
        spelling: how they are written, which is how `from` and `to` are compared.

    Raises:
        InputError: a line cannot be understood, or two lines are about the same code.
    """
    held = [leaf for leaf, *_ in tree.paths]
    missing = spelling.missing
    became: dict[str, str] = {}
    for number, line in lines_of(path):
        tag = TAG.fullmatch(line)
        if tag and tag[1].upper() == "MISSING":
            missing = _words(tag[2])
        elif tag and tag[1].upper() != "CODELIST":
            raise refusal(path, number, f"expected new codes; found <{tag[1]}>.")
        elif not tag:
            _add(path, number, line, held, spelling, became)
    return _put_together(held, became, tree.root, replace(spelling, missing=missing))


def _words(said: str) -> tuple[str, ...]:
    return tuple(q or plain for q, plain in TOKEN.findall(said) if (q or plain) != ",")


def _add(
    path: Path,
    number: int,
    line: str,
    held: Sequence[str],
    spelling: Spelling,
    became: dict[str, str],
) -> None:
    new, mark, olds = line.partition(":")
    if not mark or not new.strip() or not olds.strip():
        raise refusal(
            path, number, f"expected a new code and old ones, like 1: 1-5; found `{line}`."
        )
    for part in olds.split(","):
        for old in _meant(path, number, part.strip(), held, spelling):
            if became.setdefault(old, new.strip()) != new.strip():
                raise refusal(
                    path,
                    number,
                    f"the code {old!r} is to become {new.strip()!r} and {became[old]!r}; say one.",
                )


def _meant(
    path: Path, number: int, part: str, held: Sequence[str], spelling: Spelling
) -> Iterable[str]:
    """Return the codes that a part of a line is about, of those that the variable has."""
    if part in held:
        return [part]
    first, mark, last = (word.strip() for word in part.partition("-"))
    if not part or (mark and not first and not last):
        raise refusal(path, number, "expected a code or a range of codes; found nothing.")
    if not mark:
        return []
    low = first.rjust(spelling.width) if first else ""
    high = last.rjust(spelling.width) if last else None
    words = {code: spelling.word(code) for code in held}
    return [code for code in held if low <= words[code] and (high is None or words[code] <= high)]


def _put_together(
    held: Sequence[str], became: Mapping[str, str], root: str, spelling: Spelling
) -> Recoding:
    targets = set(became.values())
    new_of = {code: became.get(code, code) for code in held}
    width = max([len(code) for code in (*new_of.values(), *spelling.missing)], default=0)
    after = replace(spelling, width=width, words={root: root})
    ordered = sorted(held, key=lambda code: (after.word(new_of[code]), spelling.word(code)))
    paths = [
        (code, new_of[code] + NEW if new_of[code] in targets else code, root) for code in ordered
    ]
    names = {code + NEW: code for code in targets}
    return Recoding(Tree(tuple(paths)), frozenset(names), after, names)

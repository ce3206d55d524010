"""The attributes that span a table: their codes, and which codes add up to which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError, InputError, did_you_mean

TOTAL = "Total"
NONE = -1
Places = npt.NDArray[np.int32]


class Sum(NamedTuple):
    """A code and the codes it is the total of, by their places."""

    whole: int
    parts: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Dimension:
    """An attribute that spans a table.

    An attribute may have several hierarchies over the same leaves, nested in each other or not:
    regions by province and regions by labour market. A code that two of them share is one code.

    Args:
        name: the attribute.
        codes: the total first, then the other codes from the top down, branch by branch.
        parents: one array a hierarchy: for each code the place of the code right above it, or -1
            for the total and for codes that this hierarchy does not have.
        labels: what codes mean, where that is known.
        missing: the codes that stand for missing values.

    >>> region = Dimension.from_nested("region", {"Total": {"north": ["a", "b"], "south": ["c"]}})
    >>> region.codes
    ('Total', 'north', 'a', 'b', 'south', 'c')
    >>> [(region.codes[s.whole], [region.codes[p] for p in s.parts]) for s in region.sums]
    [('Total', ['north', 'south']), ('north', ['a', 'b']), ('south', ['c'])]
    """

    name: str
    codes: tuple[str, ...]
    parents: tuple[Places, ...]
    labels: Mapping[str, str] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        more = f" in {len(self.parents)} hierarchies" if len(self.parents) > 1 else ""
        return f"Dimension({self.name!r}: {len(self)} codes{more}, total {self.total!r})"

    @classmethod
    def flat(cls, name: str, leaves: Iterable[str], total: str = TOTAL) -> Dimension:
        """Make a dimension without levels between its leaves and the total."""
        paths = [(str(leaf), total) for leaf in dict.fromkeys(leaves)]
        only = cls(name, (total,), (np.array([NONE], np.int32),))
        return cls.of_trees(name, [paths]) if paths else only

    @classmethod
    def from_nested(cls, name: str, *nested: Mapping[str, object]) -> Dimension:
        """Make a dimension from category trees: `{total: {branch: [leaf, leaf]}}`."""
        return cls.from_trees(name, [Tree.from_nested(one) for one in nested])

    @classmethod
    def from_trees(
        cls,
        name: str,
        trees: Sequence[Tree],
        *,
        leaves: Iterable[str] | None = None,
        missing: Iterable[str] = (),
        labels: Mapping[str, str] | None = None,
    ) -> Dimension:
        """Make a dimension from hierarchies.

        Args:
            name: the attribute.
            trees: its hierarchies, all over the same leaves; the first names the total.
            leaves: the values that the data hold; each must be a leaf of every tree.
            missing: codes that stand for missing values; they come right below the total.
            labels: what codes mean.

        Raises:
            HierarchyError: a tree does not cover the leaves, or a code means two things.
        """
        total = trees[0].root
        held = set(map(str, leaves)) if leaves is not None else set()
        paths = [_told_once(tree, total) for tree in trees]
        for one in paths:
            _refuse_uncovered(name, held - set(missing), {path[0] for path in one})
        extra = [(str(code), total) for code in missing]
        made = cls.of_trees(name, [[*one, *extra] for one in paths])
        return cls(name, made.codes, made.parents, labels or {}, frozenset(map(str, missing)))

    @classmethod
    def of_trees(cls, name: str, hierarchies: Sequence[Sequence[tuple[str, ...]]]) -> Dimension:
        """Make a dimension from paths, one a leaf, each from the leaf up to the total."""
        total = hierarchies[0][0][-1] if hierarchies[0] else TOTAL
        above = [_parents(name, paths) for paths in hierarchies]
        for paths in hierarchies:
            _refuse_total_below(name, paths, total)
        _refuse_two_meanings(name, hierarchies)
        codes = tuple(dict.fromkeys([total, *(c for h in above for c in _top_down(total, h))]))
        place = {code: number for number, code in enumerate(codes)}
        parents = tuple(
            np.array([place[h[code]] if code in h else NONE for code in codes], np.int32)
            for h in above
        )
        return cls(name, codes, parents)

    @property
    def total(self) -> str:
        """The code that stands for every value."""
        return self.codes[0]

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The place of each code."""
        return {code: number for number, code in enumerate(self.codes)}

    @cached_property
    def leaves(self) -> Places:
        """The places of the codes that are the total of no other codes."""
        wholes = {int(p) for parents in self.parents for p in parents if p != NONE}
        return np.array([p for p in range(1, len(self)) if p not in wholes], np.int32)

    @cached_property
    def sums(self) -> tuple[Sum, ...]:
        """Every code with the codes it is the total of, hierarchy by hierarchy."""
        found: dict[Sum, None] = {}
        for parents in self.parents:
            parts: dict[int, list[int]] = {}
            for code, whole in enumerate(parents):
                if whole != NONE:
                    parts.setdefault(int(whole), []).append(code)
            found.update({Sum(whole, tuple(parts[whole])): None for whole in sorted(parts)})
        return tuple(found)

    def place(self, code: object) -> int:
        """Return the place of a code.

        Raises:
            InputError: there is no such code; the nearest is suggested.
        """
        if code not in self.places:
            raise InputError(
                f"`{self.name}` has no code {str(code)!r}.{did_you_mean(str(code), self.codes)}"
            ).about(self.name)
        return self.places[str(code)]

    def depth(self, code: int) -> int:
        """Return how many codes lie above a code, at most, over the hierarchies that have it."""
        return max(sum(1 for _ in _upwards(parents, code)) for parents in self.parents)

    def label(self, code: int) -> str:
        """Return what a code means, or the code itself."""
        return self.labels.get(self.codes[code], self.codes[code])


def _told_once(tree: Tree, total: str) -> list[tuple[str, ...]]:
    """Return the paths of a tree without the repeats of leaves that lie higher than others."""
    return [
        (leaf, *(code for code in dict.fromkeys(between) if code not in (leaf, root)), total)
        for leaf, *between, root in tree.paths
    ]


def _parents(name: str, paths: Iterable[tuple[str, ...]]) -> dict[str, str]:
    parents: dict[str, str] = {}
    for path in paths:
        for code, above in pairwise(path):
            if parents.setdefault(code, above) != above:
                raise HierarchyError(
                    f"In a hierarchy of `{name}` the code {code!r} lies below {parents[code]!r} "
                    f"and below {above!r}; give the two different codes."
                ).about(name)
    return parents


def _refuse_total_below(name: str, paths: Sequence[tuple[str, ...]], total: str) -> None:
    """Refuse values that are the total of others, and a total that lies below something."""
    wholes = {code for path in paths for code in path[1:]}
    twice = next((path[0] for path in paths if path[0] in wholes), None)
    if twice is not None:
        raise HierarchyError(
            f"The code {twice!r} of `{name}` is a value and the total of values; give the two "
            "different codes."
        ).about(name)
    if any(total in path[:-1] for path in paths):
        raise HierarchyError(
            f"The code {total!r} is the total of `{name}` and part of it in one of its "
            "hierarchies; give the two different codes."
        ).about(name)


def _refuse_two_meanings(name: str, hierarchies: Sequence[Sequence[tuple[str, ...]]]) -> None:
    """Refuse a code that stands for different leaves in two hierarchies."""
    covered: dict[str, frozenset[str]] = {}
    for paths in hierarchies:
        below: dict[str, set[str]] = {}
        for path in paths:
            for code in path:
                below.setdefault(code, set()).add(path[0])
        for code, leaves in below.items():
            if covered.setdefault(code, frozenset(leaves)) != leaves:
                odd = sorted(covered[code] ^ leaves)[0]
                raise HierarchyError(
                    f"The code {code!r} of `{name}` stands for different values in two of its "
                    f"hierarchies ({odd!r} is in one of them only); name it apart or mend one."
                ).about(name)


def _refuse_uncovered(name: str, held: set[str], leaves: set[str]) -> None:
    lacking = sorted(held - leaves)
    if lacking:
        from tacita.data.hierarchies import some_of

        raise HierarchyError(
            f"The hierarchy of `{name}` does not cover {some_of(lacking)}. "
            "Add these values to it or recode them first."
        ).about(name)


def _top_down(total: str, parents: Mapping[str, str]) -> Iterator[str]:
    """List the codes of a hierarchy from the total down, those of one branch together."""
    below: dict[str, list[str]] = {}
    for code, above in parents.items():
        below.setdefault(above, []).append(code)
    waiting = [total]
    while waiting:
        code = waiting.pop()
        yield code
        waiting += reversed(below.get(code, []))


def _upwards(parents: Places, code: int) -> Iterator[int]:
    while (code := int(parents[code])) != NONE:
        yield code

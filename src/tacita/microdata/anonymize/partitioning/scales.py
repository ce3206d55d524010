"""Scales: the values of a key in an order in which every generalization is a run of neighbours.

Numbers, dates and ordinal categories lie in their order, categories of a hierarchy by their path
from the root, others by how frequent they are. What a class has of a key is then told by its first
and its last code, and so is what is released of it: the value itself, the lowest node of the
hierarchy above both, the range `[a;b]`, or the list `{a, b, c}`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Attribute, Kind
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.hierarchies import not_covered
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError, ParameterError
from tacita.microdata.comparing.coverage import EXACT
from tacita.microdata.comparing.representation import as_text
from tacita.microdata.models.class_table import Domain

if TYPE_CHECKING:
    from tacita.kernels.box_cuts import Rulers

Released = Literal["ranges", "hierarchy"]
ANYTHING = "*"
MOST_LISTED = 30  # values of a key up to which lists of them are released
MARKS = r"[,;|\[\](){}]|^\s|\s$|^\*+$"  # what would make a list of values hard to read
MEASURED = (Kind.CONTINUOUS, Kind.DATE)


@dataclass(frozen=True, eq=False)
class Scale:
    """The values of a key in order, and how much of the domain a run of them stands for.

    Args:
        attribute: the key.
        codes: the place of every record's value; a blank is the last.
        words: the values as text, in order, without the blank.
        has_blank: whether there are blanks.
        base: the share of the domain that one value stands for.
        places: for ranges and lists, where every value lies from 0 to 1; else empty.
        labels: for trees, the label above every value, level by level from 1.
        shares: for trees, how far from 0 (one value) to 1 (all) each label reaches.
        lists: whether runs are released as lists of values.
    """

    attribute: Attribute
    codes: Ints
    words: pa.Array
    has_blank: bool
    base: float
    places: Floats
    labels: Sequence[Sequence[str]] = ()
    shares: Sequence[Floats] = ()
    lists: bool = False

    @classmethod
    def of(cls, data: Dataset, name: str, released: Released) -> Scale:
        """Put the values of a key in order.

        Raises:
            ParameterError: the key is set-valued.
            HierarchyError: the key's hierarchy does not cover its values.
        """
        attribute = data.attribute(name)
        if attribute.kind is Kind.SET_VALUED:
            raise ParameterError(f"The key `{name}` is set-valued; classes need single values.")
        domain, codes = Domain.of(data, name)
        values = domain.values.drop_null()
        tree = _tree(attribute, values)
        ordered = domain.is_ordered and (tree is None or released == "ranges")
        if ordered and (tree is None or _is_nested(tree, values)):
            if attribute.kind in MEASURED:
                return _on_a_ruler(attribute, codes, values, tree)
            if _can_be_listed(values):
                return _listed(attribute, codes, values, tree)
        if tree is None and released == "ranges" and _can_be_listed(values):
            return _listed(attribute, *_by_frequency(codes, values), tree)
        return _in_a_tree(attribute, codes, values, tree)

    @property
    def blank(self) -> int:
        """The code of blanks, or -1."""
        return len(self.words) if self.has_blank else -1

    def released(self, low: Ints, high: Ints) -> pa.Array:
        """Return what is released of classes that reach from one code to another."""
        pairs, which = np.unique(low * (len(self.words) + 1) + high, return_inverse=True)
        ends = np.divmod(pairs, len(self.words) + 1)
        texts = [self._text(*pair) for pair in zip(*(end.tolist() for end in ends), strict=True)]
        return pa.array(texts, pa.string()).take(pa.array(which))

    def _text(self, low: int, high: int) -> str | None:
        if high == self.blank:
            return None
        if low == high:
            return str(self.words[low])
        if self.labels:
            return next(level[low] for level in self.labels if level[low] == level[high])
        if self.lists:
            return _list(self.words[low : high + 1].to_pylist())
        return f"[{_end(self, low)};{_end(self, high)}]"


def _end(scale: Scale, code: int) -> str:
    """Return the end of a range; a time tells its day only, as ranges of times are read."""
    word = str(scale.words[code])
    return word[:10] if scale.attribute.kind is Kind.DATE else word


def rulers(scales: Sequence[Scale], weights: Floats) -> Rulers:
    """Return the scales as kernels measure with them."""
    from tacita.kernels.box_cuts import Rulers

    sizes = np.array([len(one.words) for one in scales], np.int64)
    places = np.array([len(one.places) for one in scales], np.int64)
    heights = np.array([len(one.labels) for one in scales], np.int64)
    above = [_numbered(level) for one in scales for level in one.labels]
    costs = [level for one in scales for level in one.shares]
    return Rulers(
        sizes,
        heights,
        np.array([one.blank for one in scales], np.int64),
        np.cumsum(places) - places,
        np.concatenate([np.zeros(0), *(one.places for one in scales)]),
        np.cumsum(sizes * heights) - sizes * heights,
        np.concatenate([np.zeros(0, np.int32), *above]),
        np.concatenate([np.zeros(0), *costs]),
        weights,
    )


def _numbered(labels: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.asarray(pc.dictionary_encode(pa.array(labels, pa.string())).indices, np.int32)


def _tree(attribute: Attribute, values: pa.Array) -> Tree | None:
    hierarchy = attribute.hierarchy
    if hierarchy is None or not len(values):
        return None
    try:
        tree = hierarchy if isinstance(hierarchy, Tree) else Tree.over(hierarchy, values)
        known = pc.is_in(as_text(values), pa.array(tree.level(0), pa.string()))
        if not pc.all(known).as_py():
            raise not_covered(as_text(values).filter(pc.invert(known)), "the data have them")
    except HierarchyError as error:
        raise HierarchyError(f"Attribute `{attribute.name}`: {error}").about(
            attribute.name
        ) from error
    return tree


def _above(tree: Tree, values: pa.Array) -> list[list[str]]:
    """Return the label of every value, level by level from the value itself."""
    place = pc.index_in(as_text(values), pa.array(tree.level(0), pa.string()))
    return [
        pa.array(tree.level(level), pa.string()).take(place).to_pylist()
        for level in range(tree.height + 1)
    ]


def _is_nested(tree: Tree, values: pa.Array) -> bool:
    """Tell whether every label of the tree stands for neighbours among the ordered values.

    Elsewhere a range may reach beyond the label that covers the same values.
    """
    for labels in _above(tree, values):
        codes = _numbered(labels)
        runs = 1 + np.count_nonzero(np.diff(codes))
        if runs > len(np.unique(codes)):
            return False
    return True


def _domain_size(attribute: Attribute, values: pa.Array, tree: Tree | None) -> int:
    """Return how many values there could be: the leaves of a tree that was declared as one."""
    is_told = tree is not None and isinstance(attribute.hierarchy, Tree)
    return max(len(tree.paths) if is_told and tree else len(values), 1)


def _can_be_listed(values: pa.Array) -> bool:
    return len(values) <= MOST_LISTED and _list(as_text(values).to_pylist()) is not None


def _by_frequency(codes: Ints, values: pa.Array) -> tuple[Ints, pa.Array]:
    """Put the most frequent value first; of equally frequent ones that of the lower code."""
    counts = np.bincount(codes, minlength=len(values) + 1)
    order = np.argsort(-counts[: len(values)], kind="stable")
    return _moved(codes, order), values.take(pa.array(order))


def _moved(codes: Ints, order: Ints) -> Ints:
    """Return the codes after the values were put into another order; the blank stays the last."""
    place = np.empty(len(order) + 1, np.int64)
    place[order] = np.arange(len(order))
    place[-1] = len(order)
    return place[codes]


def _listed(attribute: Attribute, codes: Ints, values: pa.Array, tree: Tree | None) -> Scale:
    size = _domain_size(attribute, values, tree)
    places = np.arange(len(values)) / max(size - 1, 1)
    return _scale(attribute, codes, values, 1 / size, places, lists=True)


def _on_a_ruler(attribute: Attribute, codes: Ints, values: pa.Array, tree: Tree | None) -> Scale:
    """Place numbers by their value or, beside a tree, by how many of its leaves lie below.

    Whole numbers that doubles would confuse lie at their rank, as `generalization_loss` sees them.
    """
    numbers = _numbers(values)
    if isinstance(attribute.hierarchy, Tree) and tree is not None:
        leaves = np.sort(_numbers(pa.array(tree.level(0), pa.string())))
        below = np.arange(len(numbers))
        if not np.isnan(leaves).any():
            below = np.searchsorted(leaves, numbers)
        size = _domain_size(attribute, values, tree)
        return _scale(attribute, codes, values, 1 / size, below / max(size - 1, 1))
    if pa.types.is_integer(values.type) and np.abs(numbers).max(initial=0) >= EXACT:
        return replace(_listed(attribute, codes, values, tree), lists=False)
    if not np.isfinite(numbers).all():
        numbers = np.arange(len(numbers), dtype=np.float64)
    halves = numbers / 2  # the range of the largest doubles is none
    reach = halves[-1] - halves[0] if len(halves) else 0.0
    places = (halves - halves[0]) / reach if reach > 0 else np.zeros(len(halves))
    return _scale(attribute, codes, values, 0.0 if reach > 0 else 1.0, places)


def _numbers(values: pa.Array) -> Floats:
    """Return numbers as doubles and dates as days or parts of them; NaN where a text is neither."""
    if pa.types.is_string(values.type):
        plain = pc.match_substring_regex(values, r"^[-+]?\d+(\.\d+)?$")
        values = pc.if_else(plain, values, pa.scalar(None, pa.string()))
    elif pa.types.is_temporal(values.type):
        values = values.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def _in_a_tree(attribute: Attribute, codes: Ints, values: pa.Array, tree: Tree | None) -> Scale:
    """Order values by their path from the root; without a tree the root is all they share."""
    size = _domain_size(attribute, values, tree)
    if tree is None:
        levels = [[ANYTHING] * len(values)]
        counts = [np.full(len(values), size)]
        paths = [(word,) for word in as_text(values).to_pylist()]
    else:
        paths = list(zip(*_above(tree, values)[::-1], strict=True))
        below = [_members(tree, level) for level in range(tree.height + 1)]
        levels = [_texts(tree, below, level, paths) for level in range(1, tree.height + 1)]
        counts = [
            np.array([len(below[level][path[-1 - level]]) for path in paths])
            for level in range(1, tree.height + 1)
        ]
    order = np.array(sorted(range(len(values)), key=paths.__getitem__), np.int64)
    labels = [[level[place] for place in order.tolist()] for level in levels]
    shares = [(count[order] - 1) / max(size - 1, 1) for count in counts]
    parts = (_moved(codes, order), values.take(pa.array(order)), 1 / size, np.zeros(0))
    return _scale(attribute, *parts, labels=labels, shares=shares)


def _members(tree: Tree, level: int) -> dict[str, list[str]]:
    """Return the leaves below every label of a level."""
    below: dict[str, list[str]] = {}
    for path in tree.paths:
        below.setdefault(path[level], []).append(path[0])
    return below


def _texts(
    tree: Tree, below: Sequence[dict[str, list[str]]], level: int, paths: Sequence[tuple[str, ...]]
) -> list[str]:
    """Return what is released of every value at a level.

    That is its label, unless the label stands for other leaves on a higher level or is a leaf: then
    nobody could tell which is meant, and the leaves are listed.
    """
    texts = {}
    for label, leaves in below[level].items():
        others = (
            one[label] for at, one in enumerate(below) if at == 0 or at > level if label in one
        )
        is_clear = all(other == leaves for other in others)
        texts[label] = label if is_clear else _list(leaves) or label
    if level == tree.height and texts[tree.root] != tree.root:
        texts[tree.root] = ANYTHING
    return [texts[path[-1 - level]] for path in paths]


def _list(leaves: Sequence[str]) -> str | None:
    """Return a list of values as text; None if nobody could read it."""
    if pc.any(pc.match_substring_regex(pa.array(leaves, pa.string()), MARKS)).as_py():
        return None
    return "{" + ", ".join(leaves) + "}"


def _scale(
    attribute: Attribute,
    codes: Ints,
    values: pa.Array,
    base: float,
    places: Floats,
    **more: object,
) -> Scale:
    has_blank = bool((codes == len(values)).any())
    return Scale(attribute, codes, as_text(values), has_blank, base, places, **more)  # type: ignore[arg-type]

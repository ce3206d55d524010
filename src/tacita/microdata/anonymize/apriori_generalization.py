"""Apriori generalization: items of sets become coarser until no few of them identify anybody."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, partial, reduce
from itertools import product
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError, ParameterError, ProtectionError
from tacita.method import Method, refuse_kind
from tacita.microdata.anonymize.promises import Models
from tacita.microdata.models.item_sets import ItemSets
from tacita.microdata.models.km_anonymity import KmAnonymity
from tacita.validity import Change

EVERYTHING = "*"  # the root of items without a hierarchy
AT_ONCE = 1000  # rare combinations that one pass over the sets lists

Cut = tuple[int, ...]  # for every item, the node that stands for it


class AprioriGeneralization(Method):
    """Reach k^m-anonymity of set-valued attributes by generalizing their items, the same in all.

    Items move up the hierarchy of their attribute; a node that is released stands for all items
    below it (full-subtree recoding), and a set holds it once. Without a hierarchy all items lie
    below `*`. The loss of a cut through the hierarchy is the normalized certainty penalty: of every
    occurrence of an item the share of all items that its node stands for, 0 if it is an item.

    Apriori: combinations of one item, then of two and so on are looked at; of one that too few
    records hold, the items move up as far as they must, in the way that loses the least. Then, as
    long as at most `search` cuts were tried, the best cut is searched for: a rare combination is
    mended only by a move of one of its items, so that cuts are tried in the order of their loss,
    each made from a better one by such a move. The note `optimal` says whether it was found.

    When not to use it: where few rare items are the problem; leave those out instead.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> baskets = pa.table({"basket": [["milk", "beer"], ["milk", "wine"], ["milk"]]})
    >>> tree = {"any": {"food": ["milk"], "alcohol": ["beer", "wine"]}}
    >>> data = ta.read(baskets, hierarchies={"basket": {"tree": tree}})
    >>> safe = data.apply(ta.AprioriGeneralization(ta.KmAnonymity(2, 2, "basket")), seed=0)
    >>> safe.column("basket").to_pylist()
    [['alcohol', 'milk'], ['alcohol', 'milk'], ['milk']]
    """

    applies_to: ClassVar = frozenset({Kind.SET_VALUED})
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = "Terrovitis, Mamoulis & Kalnis, Proc. VLDB Endowment 1(1):115-125, 2008"
    missing: ClassVar = "Missing and suppressed sets stay blank; missing items are left out."
    example: ClassVar = {"to": [{"km_anonymity": {"k": 2, "m": 2, "attribute": "languages"}}]}
    public: ClassVar = frozenset({"to"})

    to: Models
    _: KW_ONLY
    search: Annotated[
        int,
        Field(description="How many generalizations are tried to find the best one.", ge=0),
    ] = 200

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the items generalized."""
        losses, optimal = {}, {}
        masked = data
        for name, models in self._models().items():
            refuse_kind(models[0], data, name)
            items = _Items.of(data, name, models)
            _refuse_too_few(items, name)
            cut, optimal[name] = _best(items, _greedy(items), self.search)
            losses[name] = items.loss(cut) / max(items.worst, 1)
            if cut != items.leaves:
                attribute = data.attribute(name).recoded(Kind.SET_VALUED)
                masked = masked.with_column(attribute, items.released(cut, data.column(name)))
        return masked.noting(loss=losses, optimal=optimal, suppressed_records=0)

    def _models(self) -> dict[str, list[KmAnonymity]]:
        """Return the models of every attribute."""
        found: dict[str, list[KmAnonymity]] = {}
        for model in self.to:
            if not isinstance(model, KmAnonymity):
                raise ParameterError(
                    f"`apriori_generalization` reaches `km_anonymity`; found `{model.name}`, which "
                    "another algorithm reaches."
                )
            for name in model.attribute:
                found.setdefault(name, []).append(model)
        return found


@dataclass(frozen=True, eq=False)
class _Items:
    """The items of an attribute, what may stand for them, and what is promised of them.

    Args:
        sets: which items every record has.
        above: for every item and level, the number of the node that stands for it.
        labels: what every node is called.
        widths: how many items every node stands for; 0 if it is called like its item.
        models: the promises.
    """

    sets: ItemSets
    above: Ints
    labels: list[str]
    widths: Ints
    models: Sequence[KmAnonymity]

    @classmethod
    def of(cls, data: Dataset, name: str, models: Sequence[KmAnonymity]) -> _Items:
        """Lay the hierarchy of an attribute over its items."""
        sets = ItemSets.of(data, name)
        tree = _tree(data, name, sets.words)
        number: dict[tuple[int, str], int] = {}
        paths = [
            [number.setdefault(node, len(number)) for node in enumerate(path)]
            for path in tree.paths
        ]
        widths = np.bincount(np.array(paths).ravel(), minlength=len(number))
        for path, nodes in zip(tree.paths, paths, strict=True):
            widths[[node for node, label in zip(nodes, path, strict=True) if label == path[0]]] = 0
        place = {path[0]: place for place, path in enumerate(tree.paths)}
        held = [paths[place[word]] for word in sets.words.to_pylist()]
        above = np.array(held, np.int64).reshape(len(held), tree.height + 1)
        return cls(sets, above, [label for _, label in number], widths, models)

    @property
    def leaves(self) -> Cut:
        """The cut at which nothing is generalized."""
        return (0,) * len(self.above)

    @cached_property
    def occurrences(self) -> Ints:
        """How many records have every item."""
        return np.bincount(self.sets.code, minlength=len(self.above))

    @cached_property
    def _found(self) -> dict[int, Ints]:
        return {}

    @property
    def worst(self) -> int:
        """The loss if every item became the root."""
        return int(self.occurrences.sum() * self.widths.max(initial=0))

    def nodes(self, cut: Cut) -> Ints:
        """Return the node that stands for every item."""
        return self.above[np.arange(len(cut)), list(cut)]

    def loss(self, cut: Cut) -> int:
        """Add up how many items the node of every occurrence of an item stands for."""
        return int(self.occurrences @ self.widths[self.nodes(cut)]) if cut else 0

    def rare(self, cut: Cut, size: int, most: int) -> list[tuple[Ints, int]]:
        """List combinations of nodes that too few records hold, and how many they should be."""
        from tacita.kernels.itemsets import NO_ITEM, rare_itemsets

        sets = self.sets.recoded(self.nodes(cut), pa.array(self.labels, pa.string()))
        found = []
        for model in self.models:
            rare = rare_itemsets(sets.starts, sets.code, min(size, model.m), model.k, most)
            found += [(row[row != NO_ITEM], model.k) for row in rare.items]
        return found

    def raised(self, cut: Cut, item: int, level: int) -> Cut:
        """Return the cut after an item, with all below the same node, has moved up to a level."""
        beside = self.above[:, level] == self.above[item, level]
        return tuple(np.where(beside, np.maximum(cut, level), cut).tolist())

    def holders(self, node: int) -> Ints:
        """Return the records that have an item below a node; each node is looked up once."""
        if node not in self._found:
            below = (self.above == node).any(axis=1)
            self._found[node] = np.unique(self.sets.record[below[self.sets.code]])
        return self._found[node]

    def support(self, nodes: Sequence[int]) -> int:
        """Return how many records have an item below each of some nodes."""
        held = sorted((self.holders(node) for node in set(nodes)), key=len)
        return len(reduce(partial(np.intersect1d, assume_unique=True), held))

    def released(self, cut: Cut, column: pa.Array) -> pa.Array:
        """Return the sets as they are released: labels in the order of the alphabet."""
        words = sorted(set(self.labels))
        place = {word: place for place, word in enumerate(words)}
        codes = np.array([place[self.labels[node]] for node in self.nodes(cut).tolist()], np.int64)
        sets = self.sets.recoded(codes, pa.array(words, pa.string()))
        items = sets.words.take(pa.array(sets.code))
        offsets = pa.array(sets.starts, pa.int32())
        return pa.ListArray.from_arrays(offsets, items, mask=pc.is_null(column))


def _tree(data: Dataset, name: str, words: pa.Array) -> Tree:
    """Return the hierarchy of the items as a tree; without one, all lie below one root."""
    hierarchy = data.attribute(name).hierarchy
    if not len(words):
        return Tree(((EVERYTHING, EVERYTHING),))
    if hierarchy is None:
        return Tree(tuple((word, EVERYTHING) for word in words.to_pylist()))
    try:
        if isinstance(hierarchy, Tree):
            hierarchy.labels(words, 0)
            return hierarchy
        return Tree.over(hierarchy, words)
    except HierarchyError as error:
        raise HierarchyError(f"Attribute `{name}`: {error}") from error


def _refuse_too_few(items: _Items, name: str) -> None:
    """Raise if even the root of all items would be rare."""
    records, most = len(np.unique(items.sets.record)), max(model.k for model in items.models)
    if 0 < records < most:
        raise ProtectionError(
            f"Only {records:,} records have items of `{name}`, fewer than the {most:,} that must "
            "share them; suppress the attribute, or ask for a lower `k`."
        )


def _greedy(items: _Items) -> Cut:
    """Mend rare combinations, the small ones first, each in the way that loses the least."""
    cut = items.leaves
    for size in range(1, max(model.m for model in items.models) + 1):
        while rare := items.rare(cut, size, AT_ONCE):
            for nodes, k in rare:
                cut = _mended(items, cut, nodes, k)
    return cut


def _mended(items: _Items, cut: Cut, nodes: Ints, k: int) -> Cut:
    """Return the least lossy cut at which what some nodes have become is no longer rare."""
    members = [int(np.flatnonzero((items.above == node).any(axis=1))[0]) for node in nodes]
    if items.support(_standing(items, cut, members)) >= k:
        return cut  # an earlier move has mended it
    top = items.above.shape[1]
    cuts = {
        _moved(items, cut, members, to) for to in product(*(range(cut[i], top) for i in members))
    }
    for found in sorted(cuts, key=lambda one: (items.loss(one), one)):
        if items.support(_standing(items, found, members)) >= k:
            return found
    raise AssertionError("the root of all items is held by enough records")


def _standing(items: _Items, cut: Cut, members: Sequence[int]) -> list[int]:
    return [int(items.above[item, cut[item]]) for item in members]


def _moved(items: _Items, cut: Cut, members: Sequence[int], to: Sequence[int]) -> Cut:
    for item, level in zip(members, to, strict=True):
        cut = items.raised(cut, item, level)
    return cut


def _best(items: _Items, known: Cut, search: int) -> tuple[Cut, bool]:
    """Return the least lossy cut, and whether it was found, given one that keeps the promises."""
    waiting, seen = [(0, items.leaves)], {items.leaves}
    bound = items.loss(known)
    while waiting:
        loss, cut = heapq.heappop(waiting)
        if loss >= bound:
            return known, True
        if search == 0:
            return known, False
        search -= 1
        rare = _one_rare(items, cut)
        if rare is None:
            return cut, True
        for following in set(_moves(items, cut, rare)) - seen:
            seen.add(following)
            heapq.heappush(waiting, (items.loss(following), following))
    return known, True


def _one_rare(items: _Items, cut: Cut) -> Ints | None:
    """Return a rare combination, one of few nodes if there is one."""
    for size in range(1, max(model.m for model in items.models) + 1):
        if rare := items.rare(cut, size, 1):
            return rare[0][0]
    return None


def _moves(items: _Items, cut: Cut, nodes: Ints) -> Iterator[Cut]:
    """Yield the cuts at which one of some nodes has moved up by a level."""
    for node in nodes:
        item = int(np.flatnonzero(items.nodes(cut) == node)[0])
        if cut[item] + 1 < items.above.shape[1]:
            yield items.raised(cut, item, cut[item] + 1)

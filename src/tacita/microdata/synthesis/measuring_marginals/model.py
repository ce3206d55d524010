"""A graphical model of categorical attributes, computed exactly over a junction tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from tacita.arithmetic import exp, log
from tacita.data.classes import Floats, Ints
from tacita.microdata.synthesis.measuring_marginals.drawing import systematic
from tacita.microdata.synthesis.measuring_marginals.junction_tree import Clique, JunctionTree

_Factor = tuple[Floats, Clique]  # cells, and the attributes of their axes


@dataclass(frozen=True, eq=False)
class Model:
    """P(x) proportional to exp(sum over sets r of attributes of theta_r(x_r)).

    The marginals of all cliques come from one pass of messages up the tree and one down (belief
    propagation; Koller and Friedman 2009, chapter 10).

    Args:
        sizes: how many categories each attribute has.
        tree: cliques, of which one holds each set.
        weights: theta_r by set, one axis an attribute.
    """

    sizes: tuple[int, ...]
    tree: JunctionTree
    weights: Mapping[Clique, Floats]

    @classmethod
    def of(cls, sizes: Sequence[int], weights: Mapping[Clique, Floats]) -> Model:
        """Return the model of some weights; without any, everything is equally likely."""
        return cls(tuple(sizes), JunctionTree.of(weights, sizes), weights)

    def reweighted(self, weights: Mapping[Clique, Floats]) -> Model:
        """Return the model of other weights of the same sets."""
        return Model(self.sizes, self.tree, weights)

    def with_sets(self, sets: Iterable[Clique]) -> Model:
        """Return the same distribution as a model in which some more sets have weights."""
        blank = {one: np.zeros([self.sizes[at] for at in one]) for one in sets}
        return Model.of(self.sizes, {**blank, **self.weights})

    def _potentials(self) -> list[Floats]:
        """Add up the weights within every clique."""
        cliques = self.tree.cliques
        found = [np.zeros([self.sizes[one] for one in clique]) for clique in cliques]
        for held, weights in self.weights.items():
            home = self.tree.home(held)
            found[home] += spread(weights, held, cliques[home])
        return found

    @cached_property
    def cliques(self) -> tuple[Floats, ...]:
        """The probabilities of the cells of every clique."""
        tree, beliefs = self.tree, self._potentials()
        messages: list[Floats] = [np.zeros(())] * len(beliefs)
        for place in reversed(range(1, len(beliefs))):
            parent = tree.parents[place]
            shared = tree.separator(place)
            messages[place] = _log_marginal(beliefs[place], tree.cliques[place], shared)
            beliefs[parent] = beliefs[parent] + spread(
                messages[place], shared, tree.cliques[parent]
            )
        beliefs[0] = beliefs[0] - _log_marginal(beliefs[0], tree.cliques[0], ())
        for place in range(1, len(beliefs)):
            parent, shared = tree.parents[place], tree.separator(place)
            above = _log_marginal(beliefs[parent], tree.cliques[parent], shared) - messages[place]
            beliefs[place] = beliefs[place] + spread(above, shared, tree.cliques[place])
        return tuple(exp(belief) for belief in beliefs)

    def marginal(self, attributes: Clique) -> Floats:
        """Return the probabilities of the cells of some attributes, in ascending order of these."""
        if not self.tree.holds(attributes):
            return self._across(attributes)
        home = self.tree.home(attributes)
        return summed(self.cliques[home], self.tree.cliques[home], attributes)

    def _across(self, attributes: Clique) -> Floats:
        """Add up from the leaves to the root of the part of the tree that holds some attributes.

        Every clique passes on, given what it shares with its parent, the wanted attributes.
        """
        places = self.tree.around(attributes)
        passed: dict[int, list[_Factor]] = {place: [] for place in places}
        for place in reversed(places[1:]):
            shared = self.tree.separator(place)
            cells, held = self._reduced(place, places, attributes)
            factors = [(_given(cells, held, shared), held), *passed[place]]
            found = {one for _, clique in factors for one in clique} & set(attributes)
            wanted = tuple(sorted({*shared, *found}))
            passed[self.tree.parents[place]].append((_product(factors, wanted), wanted))
        top = places[0]
        return _product([self._reduced(top, places, attributes), *passed[top]], attributes)

    def _reduced(self, place: int, places: Sequence[int], attributes: Clique) -> _Factor:
        """Return a clique without what neither others of some places nor the wanted hold."""
        clique = self.tree.cliques[place]
        beside = {one for at in places if at != place for one in self.tree.cliques[at]}
        kept = tuple(one for one in clique if one in beside or one in attributes)
        return summed(self.cliques[place], clique, kept), kept

    def drawn(self, records: int, rng: np.random.Generator) -> Ints:
        """Draw records, one column an attribute.

        Within records that agree in what a clique shares with its parent, the new values are drawn
        systematically, so that shares are as near to the model's as whole records allow.
        """
        codes = np.zeros((records, len(self.sizes)), np.int64)
        for place, clique in enumerate(self.tree.cliques):
            shared = self.tree.separator(place)
            new = tuple(one for one in clique if one not in shared)
            table = _turned(self.cliques[place], clique, (*shared, *new))
            sizes = [self.sizes[one] for one in new]
            rows = np.repeat(np.arange(table.size // prod(sizes)), prod(sizes))
            groups = _flat(codes, shared, self.sizes)
            cells = systematic(table.ravel(), rows, groups, rng) % prod(sizes)
            codes[:, new] = np.stack(np.unravel_index(cells, sizes), axis=1)
        return codes


def summed(cells: Floats, held: Clique, wanted: Clique) -> Floats:
    """Add up over the attributes that are not wanted."""
    gone = tuple(axis for axis, one in enumerate(held) if one not in wanted)
    added: Floats = cells.sum(axis=gone)
    return added


def spread(cells: Floats, held: Clique, over: Clique) -> Floats:
    """Return cells with an axis of length 1 for every attribute they lack."""
    sizes = dict(zip(held, cells.shape, strict=True))
    return cells.reshape([sizes.get(one, 1) for one in over])


def _log_marginal(logs: Floats, held: Clique, wanted: Clique) -> Floats:
    gone = tuple(axis for axis, one in enumerate(held) if one not in wanted)
    most = logs.max(axis=gone, keepdims=True)
    added: Floats = log(exp(logs - most).sum(axis=gone)) + most.squeeze(gone)
    return added


def _given(cells: Floats, held: Clique, shared: Clique) -> Floats:
    """Return probabilities given the cell of the shared attributes; 0 where that has none."""
    whole = spread(summed(cells, held, shared), shared, held)
    return np.divide(cells, whole, out=np.zeros_like(cells), where=whole > 0)


def _product(factors: Sequence[_Factor], wanted: Clique) -> Floats:
    """Multiply factors and add up over the attributes that are not wanted."""
    held = {one for _, clique in factors for one in clique}
    axis = {one: at for at, one in enumerate(sorted(held))}  # numpy has numbers below 52 only
    parts: list[Any] = [
        part for cells, clique in factors for part in (cells, [axis[one] for one in clique])
    ]
    joined: Floats = np.einsum(*parts, [axis[one] for one in wanted], optimize="greedy")
    return joined


def _turned(cells: Floats, held: Clique, order: Clique) -> Floats:
    return cells.transpose([held.index(one) for one in order])


def _flat(codes: Ints, attributes: Clique, sizes: Sequence[int]) -> Ints:
    """Return the number of every record's cell of some attributes."""
    cell = np.zeros(len(codes), np.int64)
    for one in attributes:
        cell = cell * sizes[one] + codes[:, one]
    return cell

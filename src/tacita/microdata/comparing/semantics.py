"""Semantics: what can be computed with nominal values once their meaning is known.

Values are compared by the ontology or along the hierarchy of their attribute. From the distances
follow a centroid of some values, an order of them, a mean, a variance and a covariance, so that
what was made for numbers (microaggregation, noise, resampling) works on diagnoses or jobs too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.arithmetic import product
from tacita.data.attribute import Attribute
from tacita.data.classes import Floats, Ints, comparable
from tacita.data.hierarchies import not_covered
from tacita.data.hierarchies.tree import Tree
from tacita.errors import InputError
from tacita.microdata.comparing.lineages import Lineages
from tacita.microdata.comparing.nodes import Ancestry, Metric, Nodes
from tacita.microdata.comparing.representation import as_text

MOST_COMPARED = 4096  # values of which all pairs are held in memory
CELLS = 2**20  # distances computed at a time
STEPS = 2.0**32  # costs are rounded to so many parts of 1


@dataclass(frozen=True, eq=False)
class Semantics:
    """The values of an attribute, how far apart they are in meaning, and what follows from it.

    Nodes are numbered: first the distinct values of the column in ascending order, then the labels
    of the hierarchy, or the concepts of the ontology, above them. With x the values of the records
    and w their weights,

    - the *cost* of a node c is sum w d(x, c)^p: with p = 1 its marginality;
    - the *centroid* or *mean* is the node of least cost (p = 2, as the mean of numbers has), a
      value before a label, the lowest on ties. Without a hierarchy it is the most frequent value;
    - the *variance* is the mean of d(x, mean)^2;
    - the *covariance* is the distance covariance, which is 0 where two attributes are independent;
    - the *order* starts at the value farthest from the centroid and goes by the distance from it.

    Distances are those of `apart` by an ontology; without one of `Ancestry`, `ancestors` (the
    default) or `level`, along a hierarchy; without either 0 or 1. By `level`, a centroid is always
    a value, never a label. Two sets are as far apart as their members are, on average, from the
    nearest member of the other set: sum of min d(a, b) over a in A and of min d(a, b) over b in B,
    divided by |A| + |B|. It is no distance in the strict sense (the triangle inequality fails). A
    centroid of sets is one of them.

    When not to use it: where a step up in the hierarchy is no step in meaning.

    Papers: Martinez, Sanchez & Valls, Journal of Biomedical Informatics 46:294, 2013 (comparison,
    centroid, order); Domingo-Ferrer, Sanchez & Rufian-Torrell, Information Sciences 242:35, 2013
    (marginality); Szekely & Rizzo, Annals of Applied Statistics 3:1236, 2009 (distance covariance).

    >>> jobs = Tree.from_nested({"any": {"care": ["nurse", "doctor", "medic"], "law": ["judge"]}})
    >>> column = pa.array(["nurse", "doctor", "medic", None])
    >>> semantics = Semantics.of(Attribute("job", hierarchy=jobs), column)
    >>> semantics.mean(), round(semantics.variance(), 4)
    ('care', 0.1723)

    Args:
        values: the distinct values of the column, ascending.
        labels: the labels above them, from the lowest level up.
        codes: the number of every record's value; -1 for a blank.
        candidates: for every value, the nodes that may be a centroid where it is among the values.
        between: tells the distance of every node to its partner, with numpy's broadcasting.
    """

    values: pa.Array
    labels: pa.Array
    codes: Ints
    candidates: Ints
    between: Callable[[Ints, Ints], Floats]

    @classmethod
    def of(cls, attribute: Attribute, column: pa.Array, metric: Metric = "ancestors") -> Semantics:
        """Lay the ontology or the hierarchy of an attribute over a column.

        Without either, values are equal or not.

        Raises:
            HierarchyError: the ontology or hierarchy does not cover some values.
            InputError: sets have too many different members to compare them all.
        """
        if pa.types.is_list(column.type):
            return _of_sets(attribute, column, metric)
        codes, values = ranked(column)
        if attribute.ontology is not None and len(values):
            _refuse_levels(attribute.name, metric)
            words = values.cast(pa.string()).to_pylist()
            lineages, labels = Lineages.of(attribute.ontology, words, attribute.name)
            named = pa.array(labels, pa.string())
            return cls(values, named, codes, lineages.above, lineages.between)
        ancestry, labels = _ancestry(attribute, values, metric)
        above, size = ancestry.above[: len(values)], len(values) + len(labels)
        # Without a hierarchy, values share a root that has no name and cannot be a centroid.
        named = np.where(above < size, above, np.arange(len(values))[:, None])
        return cls(values, pa.array(labels, pa.string()), codes, named, ancestry.between)

    def __len__(self) -> int:
        return len(self.values) + len(self.labels)

    def take(self, nodes: Ints) -> pa.Array:
        """Return nodes by name: of the column's type if all are values, else text; -1 is blank."""
        places = pa.array(nodes, pa.int64(), mask=nodes < 0)
        if (nodes < len(self.values)).all():
            return self.values.take(places)
        return pa.concat_arrays([self.values.cast(pa.string()), self.labels]).take(places)

    def distances(self, ones: Ints | None = None, others: Ints | None = None) -> Floats:
        """Return the distance of each of some nodes (all values by default) to each of others."""
        rows, columns = (
            np.arange(len(self.values)) if nodes is None else nodes for nodes in (ones, others)
        )
        return self.between(rows[:, None], columns[None, :])

    def mass(self, weights: Floats | None = None) -> Floats:
        """Return how often each value occurs, or the sum of its records' weights."""
        there = self.codes >= 0
        counted = None if weights is None else weights[there]
        return np.bincount(self.codes[there], counted, len(self.values)).astype(np.float64)

    def costs(self, mass: Floats | None = None, power: int = 2) -> Floats:
        """Return the sum of the distances to a power of each node to all values.

        Args:
            mass: how much each value counts; by default as often as it occurs.
            power: 1 for the marginality of the papers, 2 for squares.
        """
        mass = self.mass() if mass is None else mass
        costs, nodes, counting = np.zeros(len(self)), np.arange(len(self)), np.flatnonzero(mass)
        for part in _parts(np.full(len(counting), len(self))):
            some = counting[part]
            costs += product(mass[some], exact(self.distances(some, nodes), power))
        return costs

    def centroid(self, mass: Floats | None = None, power: int = 2) -> int:
        """Return the node of least cost (see `costs`); the lowest number on ties.

        Raises:
            InputError: there is no value.
        """
        mass = self.mass() if mass is None else mass
        if not mass.sum() > 0:
            raise InputError("Only of values is there a centroid; all of them are blank.")
        return self.cheapest(self.costs(mass, power), mass)

    def cheapest(self, costs: Floats, mass: Floats) -> int:
        """Return the node of least cost of those that are, or lie above, values that count."""
        among = np.zeros(len(self), np.bool_)
        among[self.candidates[mass > 0]] = True
        return int(np.where(among, costs, np.inf).argmin())

    def centroids(self, groups: Ints, weights: Floats | None = None, power: int = 2) -> Ints:
        """Return the centroid of every group of records; -1 where a group has no value.

        Only the values of a group and what lies above them can be its centroid.

        Args:
            groups: the number of every record's group; -1 for none.
            weights: how much each record counts; by default once.
            power: see `costs`.
        """
        counts = tally(groups, self.codes, weights)
        among = np.unique(counts.group[:, None] * len(self) + self.candidates[counts.value])
        group, node = np.divmod(among, max(len(self), 1))
        costs = self._costs_in_groups(counts, group, node, power)
        best = np.full(int(groups.max(initial=-1)) + 1, -1)
        order = np.lexsort((node, costs, group))
        cheapest = order[np.diff(group[order], prepend=-1) > 0]
        best[group[cheapest]] = node[cheapest]
        return best

    def _costs_in_groups(self, counts: Tally, group: Ints, node: Ints, power: int) -> Floats:
        """Return what each of some nodes costs as the centroid of a group."""
        first = np.searchsorted(counts.group, group)
        times = np.searchsorted(counts.group, group, "right") - first
        costs = np.empty(len(node))
        for part in _parts(times):
            which = np.repeat(np.arange(len(times[part])), times[part])
            begin = np.cumsum(times[part]) - times[part]
            place = first[part][which] + np.arange(len(which)) - begin[which]
            apart = exact(self.between(node[part][which], counts.value[place]), power)
            costs[part] = np.bincount(which, counts.amount[place] * apart, len(begin))
        return costs

    def order(self, mass: Floats | None = None) -> Ints:
        """Return the values from the one farthest from the centroid, by the distance from it.

        Values that are equally far stand in ascending order.
        """
        mass = self.mass() if mass is None else mass
        middle = np.array([self.centroid(mass)])
        away = np.where(mass > 0, self.distances(middle)[0], -1.0)
        first = np.array([away.argmax()])
        return np.argsort(self.distances(first)[0], kind="stable")

    def mean(self, mass: Floats | None = None) -> Any:
        """Return the centroid by name."""
        return self.take(np.array([self.centroid(mass)]))[0].as_py()

    def variance(self, mass: Floats | None = None) -> float:
        """Return the mean of the squared distances to the mean."""
        mass = self.mass() if mass is None else mass
        apart = self.distances(np.array([self.centroid(mass)]))[0]
        return float(product(mass, apart**2) / mass.sum())

    def covariance(self, other: Semantics, weights: Floats | None = None) -> float:
        """Return the distance covariance of two attributes of the same records.

        It is the root of the mean of A B over all pairs of records with both values, A and B being
        their distances less the means of row and column, plus the mean of all. It is 0 only where
        the attributes are independent, unless one holds sets.

        Raises:
            InputError: no record has both values, or there are too many values to compare.
        """
        shape = len(self.values), len(other.values)
        _refuse_many(max(shape), "values")
        there = (self.codes >= 0) & (other.codes >= 0)
        cells = self.codes[there] * shape[1] + other.codes[there]
        counted = None if weights is None else weights[there]
        joint = np.bincount(cells, counted, shape[0] * shape[1]).reshape(shape)
        if not joint.sum() > 0:
            raise InputError("A covariance needs records with both values; there are none.")
        joint = joint / joint.sum()
        mine, theirs = self._centred(joint.sum(axis=1)), other._centred(joint.sum(axis=0))
        return float(np.sqrt(max(np.sum(product(joint.T, mine, joint) * theirs), 0.0)))

    def correlation(self, other: Semantics, weights: Floats | None = None) -> float:
        """Return the distance correlation, from 0 (independent) to 1; 0 if one does not vary.

        Only records with both values count.
        """
        shared = self.covariance(other, weights)
        there = (self.codes >= 0) & (other.codes >= 0)
        counted = there.astype(np.float64) if weights is None else weights * there
        spreads = self.covariance(self, counted) * other.covariance(other, counted)
        return shared / float(np.sqrt(spreads)) if spreads > 0 else 0.0

    def _centred(self, shares: Floats) -> Floats:
        """Return the distances less the means of row and column, plus the mean of all."""
        distances = self.distances()
        means = product(distances, shares)
        return np.asarray(distances - means[:, None] - means[None, :] + product(shares, means))


class Tally(NamedTuple):
    """How much of each value each group has, sorted by group, then value."""

    group: Ints
    value: Ints
    amount: Floats


def tally(groups: Ints, codes: Ints, weights: Floats | None = None) -> Tally:
    """Count the values in every group, or add up their weights; what is -1 does not count.

    >>> tally(np.array([0, 0, 1, -1]), np.array([2, 2, 0, 1]))
    Tally(group=array([0, 1]), value=array([2, 0]), amount=array([2., 1.]))
    """
    there = (groups >= 0) & (codes >= 0)
    size = int(codes.max(initial=0)) + 1
    pairs, of_record = np.unique(groups[there] * size + codes[there], return_inverse=True)
    counted = None if weights is None else weights[there]
    amount = np.bincount(of_record, counted, len(pairs)).astype(np.float64)
    return Tally(*np.divmod(pairs, size), amount)


def ranked(column: pa.Array) -> tuple[Ints, pa.Array]:
    """Return the place of every value among the distinct ones (-1 for a blank), and these in order.

    >>> ranked(pa.array(["b", None, "a"]))[0]
    array([ 1, -1,  0])
    """
    from tacita.kernels.grouping import factorize

    codes, first = factorize(*comparable(column))
    values = column.take(pa.array(first))
    order = pc.sort_indices(as_text(values) if pa.types.is_list(values.type) else values)
    place = np.empty(len(order) + 1, np.int64)
    place[np.asarray(order)], place[-1] = np.arange(len(order)), -1
    return place[codes], values.take(order)


def exact(distances: Floats, power: int) -> Floats:
    """Return distances to a power, rounded so that sums of them do not depend on their order.

    Sums over two million records lose no digit then, and costs that should be equal are.
    """
    return np.rint(distances**power * STEPS) / STEPS


def _ancestry(attribute: Attribute, values: pa.Array, metric: Metric) -> tuple[Ancestry, list[str]]:
    hierarchy = attribute.hierarchy
    if hierarchy is None or not len(values):
        return Ancestry.flat(len(values)), []
    tree = hierarchy if isinstance(hierarchy, Tree) else Tree.over(hierarchy, values)
    nodes, words = Nodes.of(tree, values), values.cast(pa.string()).to_pylist()
    unknown = [word for word in words if word not in nodes.paths]
    if unknown:
        raise not_covered(pa.array(unknown), f"`{attribute.name}` has them").about(attribute.name)
    return Ancestry.of(nodes, words, metric)


def _refuse_levels(name: str, metric: Metric) -> None:
    if metric == "level":
        raise InputError(f"An ontology has no levels; compare `{name}` by ancestors.").about(name)


def _of_sets(attribute: Attribute, column: pa.Array, metric: Metric) -> Semantics:
    """Compare sets through their members, all pairs of which are compared beforehand."""
    codes, sets = ranked(column)
    members = Semantics.of(attribute, sets.flatten(), metric)
    count = len(members.values)
    _refuse_many(count, f"members of the sets of `{attribute.name}`")
    rows = np.repeat(np.arange(len(sets)), np.asarray(pc.list_value_length(sets)))
    held = np.unique(rows[members.codes >= 0] * count + members.codes[members.codes >= 0])
    rows, numbers = np.divmod(held, max(count, 1))  # each member of a set once
    starts = np.searchsorted(rows, np.arange(len(sets) + 1))
    between = partial(_between_sets, starts, numbers, members.distances())
    itself = np.arange(len(sets))[:, None]
    return Semantics(sets, pa.array([], pa.string()), codes, itself, between)


def _between_sets(starts: Ints, members: Ints, apart: Floats, ones: Ints, others: Ints) -> Floats:
    """Return the distance of every set to its partner; numpy's broadcasting pairs them."""
    from tacita.kernels.set_distances import set_distances

    ones, others = np.broadcast_arrays(ones, others)
    found = set_distances(starts, members, apart, ones.ravel(), others.ravel())
    return found.reshape(ones.shape)


def _refuse_many(count: int, what: str) -> None:
    if count > MOST_COMPARED:
        raise InputError(
            f"All pairs of at most {MOST_COMPARED:,} different {what} can be compared; there are "
            f"{count:,}. Generalize them first."
        )


def _parts(times: Ints) -> Iterator[slice]:
    """Cut a list into parts of moderate size, given how much work (1 or more) each item is."""
    done, marks = np.cumsum(times), np.arange(0, int(times.sum()) + CELLS, CELLS)
    edges = np.unique(np.searchsorted(done, marks, "right"))
    yield from (slice(start, stop) for start, stop in pairwise(edges.tolist()))

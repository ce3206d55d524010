"""Semantic loss: how far values moved in meaning."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from math import log2
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.attribute import Attribute, Kind
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.data.hierarchies.ontology import Ontology
from tacita.data.hierarchies.tree import Tree
from tacita.errors import InputError
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.coverage import tree_over
from tacita.microdata.comparing.features import shared
from tacita.microdata.comparing.nodes import Nodes
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.comparing.representation import as_text
from tacita.microdata.utility.direct_comparison import Change, summed
from tacita.microdata.utility.distributions import released_in, weights_of
from tacita.results import Measurement, counted

Members = tuple[str | None, ...]
Between = Callable[[str | None, str | None], float]


class SemanticLoss(Method):
    """How far values moved in meaning: their mean distance in the attributes' hierarchies.

    d(v, v') is the level of the lowest common ancestor of the original and the released value over
    the height of the hierarchy: 0 if they are the same, 1 if only the root is above both. A label
    that stands for the value is as far as the level it stands on; a blank is the root, and a value
    that the hierarchy does not know is 1 away. Where an attribute has an ontology, whose concepts
    have no levels, d is the distance of the papers (see below), 1 to a blank and to a value that it
    does not know. Two sets, of however many members, are as far apart as their members are, on
    average, from the nearest member of the other set, 1 where one of them is empty; a blank is a
    set of the root. The value is the mean over the attributes with a hierarchy or an ontology, each
    over the released records by their original sampling weights.

    `sse` is the weighted sum of d^2 over records and attributes; `log_distance` is the value with
    the distance of the papers instead, log2(1 + |T xor T'| / |T or T'|), T and T' being the nodes
    from v and v' up: along a hierarchy it does not reach 1 for a blank, and it depends on how deep
    the hierarchy is.

    When not to use it: to compare hierarchies of different heights, or where a level of the
    hierarchy is no step in meaning; on synthetic data, whose records belong to nobody; on masked
    numbers with hundreds of thousands of distinct values, as every pair is looked up in the tree.

    >>> import tacita as ta
    >>> data = ta.example("toy", 100)
    >>> coarse = data.apply(ta.Generalize("region", level=1), seed=0)
    >>> ta.SemanticLoss(["region", "education"]).measure(data, coarse).parts
    {'region': 0.5, 'education': 0.0}
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = (
        "Martinez, Sanchez & Valls, Journal of Biomedical Informatics 45:141-155, 2012; "
        "Domingo-Ferrer, Sanchez & Rufian-Torrell, Information Sciences 242:35-48, 2013"
    )
    missing: ClassVar = "A blanked value is the root, 1 away; original blanks do not count."
    public: ClassVar = frozenset({"attributes"})

    attributes: Annotated[
        AttributeNames | None,
        Field(
            description="The attributes to compare; by default all that have a hierarchy or an "
            "ontology."
        ),
    ] = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the values."""
        names, known = _with_hierarchy(original, self.attributes), paired(original, protected)
        changes, logs = {}, {}
        for name in names:
            released = released_in(known, protected, name)
            steps, log = _moved(original.attribute(name), known.column(name), released)
            there = np.asarray(known.column(name).is_valid()) & ~np.isnan(steps)
            changes[name], logs[name] = Change(steps, there), Change(log, there)
        found, weights = summed(changes, known), weights_of(known)
        squares = [(gaps**2 * weights)[there].sum() for gaps, there in changes.values()]
        return Measurement(
            self.name,
            self.family,
            found.value,
            f"share of the hierarchies of {counted(len(names), 'attribute')} that lies between the "
            "original and the released value, on average",
            found.parts,
            found.per_record,
            self.parameters(),
            {"sse": float(sum(squares)), "log_distance": summed(logs, known).value},
        )


def _with_hierarchy(original: Dataset, asked: Sequence[str] | None) -> list[str]:
    names = list(asked or shared([original]))
    have = [name for name in names if _tells_meaning(original.attribute(name))]
    if asked and have != names:
        lacking = next(name for name in names if name not in have)
        raise InputError(
            f"Attribute `{lacking}` has no hierarchy or ontology, by which this compares values."
        )
    if not have:
        raise InputError(
            "This compares values by their hierarchies or ontologies, and no attribute has one; "
            "give some."
        )
    return have


def _tells_meaning(attribute: Attribute) -> bool:
    return _by_concepts(attribute) or attribute.hierarchy is not None


def _by_concepts(attribute: Attribute) -> bool:
    """Tell whether values, or members of sets, are compared as concepts of an ontology."""
    return attribute.ontology is not None and attribute.kind in (Kind.NOMINAL, Kind.SET_VALUED)


def _moved(attribute: Attribute, known: pa.Array, released: pa.Array) -> tuple[Floats, Floats]:
    """Return how far each value moved, by levels and by ancestors; NaN without a hierarchy."""
    from tacita.kernels.grouping import group

    if pa.types.is_list(known.type):
        return _sets_moved(attribute, known, released)
    if attribute.ontology is not None and _by_concepts(attribute):
        apart = _by_ontology(attribute.ontology, as_text(known), as_text(released))
        return apart, apart
    words = [as_text(column) for column in (known, released)]
    if words[0].equals(words[1]):  # then the tree, which may be large, is not needed
        return np.zeros(len(known)), np.zeros(len(known))
    tree = _tree(attribute, known, released)
    if tree is None:
        return np.full(len(known), np.nan), np.full(len(known), np.nan)
    codes = [np.asarray(text.dictionary_encode(null_encoding="encode").indices) for text in words]
    groups, nodes = group(codes), Nodes.of(tree, known)
    ours, theirs = (text.take(pa.array(groups.first)).to_pylist() for text in words)
    logs = [_by_ancestors(nodes, *pair) for pair in zip(ours, theirs, strict=True)]
    return nodes.distance(ours, theirs)[groups.ids], np.array(logs, np.float64)[groups.ids]


def _sets_moved(attribute: Attribute, known: pa.Array, released: pa.Array) -> tuple[Floats, Floats]:
    """Return how far each set moved, by levels and by ancestors; NaN without a hierarchy."""
    pairs = [*zip(_members(known), _members(released), strict=True)]
    levels, logs = np.full(len(pairs), np.nan), np.full(len(pairs), np.nan)
    by_levels_and_logs = _between_members(attribute, known, released)
    for found, between in zip((levels, logs), by_levels_and_logs, strict=False):
        apart = {pair: _between_sets(between, *pair) for pair in set(pairs)}
        found[:] = [apart[pair] for pair in pairs]
    return levels, logs


def _members(column: pa.Array) -> list[Members]:
    """Return the members of every set; a blank stands for the root, which has no name."""
    if not pa.types.is_list(column.type):
        return [(word,) for word in as_text(column).to_pylist()]
    words = column.cast(pa.list_(pa.string())).to_pylist()
    return [(None,) if one is None else tuple(sorted({*one} - {None})) for one in words]


def _between_members(attribute: Attribute, known: pa.Array, released: pa.Array) -> list[Between]:
    """Return the distances of members by levels and by ancestors; none without a hierarchy."""
    if attribute.ontology is not None:
        between = cache(partial(_between_concepts, attribute.ontology))
        return [between, between]
    own, others = (
        column.flatten() if pa.types.is_list(column.type) else column.slice(0, 0)
        for column in (known, released)
    )
    tree = _tree(attribute, own, others)
    if tree is None:
        return []
    nodes = Nodes.of(tree, own)
    return [
        cache(lambda one, other: float(nodes.distance([one], [other])[0])),
        cache(partial(_by_ancestors, nodes)),
    ]


def _between_sets(between: Between, ones: Members, others: Members) -> float:
    """Return how far members are, on average, from the nearest of the other set."""
    if not ones or not others:
        return float(bool(ones) != bool(others))
    nearest = [min(between(one, other) for other in others) for one in ones]
    nearest += [min(between(one, other) for one in ones) for other in others]
    return sum(nearest) / len(nearest)


def _by_ontology(ontology: Ontology, known: pa.Array, released: pa.Array) -> Floats:
    """Return how far apart the concepts of values are; each pair is looked up once."""
    pairs = [*zip(known.to_pylist(), released.to_pylist(), strict=True)]
    found = {pair: _between_concepts(ontology, *pair) for pair in set(pairs)}
    return np.array([found[pair] for pair in pairs], np.float64)


def _between_concepts(ontology: Ontology, one: str | None, other: str | None) -> float:
    if one == other:
        return 0.0
    if one is None or other is None:
        return 1.0
    if ontology.concept(one) is None or ontology.concept(other) is None:
        return 1.0
    return ontology.distance(one, other)


def _tree(attribute: Attribute, known: pa.Array, released: pa.Array) -> Tree | None:
    """Return the hierarchy over original and, where they are values too, released values."""
    if released.type == known.type:
        both = tree_over(attribute, pa.concat_arrays([known, released]))
        if both is not None:
            return both
    return tree_over(attribute, known)


def _by_ancestors(nodes: Nodes, one: str | None, other: str | None) -> float:
    """Return the distance by the ancestors that two values do not share."""
    if one == other:
        return 0.0
    ours, theirs = (_ancestors(nodes, word) for word in (one, other))
    return log2(1 + len(ours ^ theirs) / len(ours | theirs))


def _ancestors(nodes: Nodes, word: str | None) -> set[str]:
    """Return a node and what is above it; of a blank the root, of an unknown value nothing."""
    if word is None:
        return {next(iter(nodes.paths.values()))[1][-1]}
    level, path = nodes.paths.get(word, (0, (word,)))
    return set(path[level:])

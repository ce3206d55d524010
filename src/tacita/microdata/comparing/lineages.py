"""Lineages: values and concepts by number, each with all that lies above it in an ontology."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from tacita.data.classes import Floats, Ints
from tacita.data.hierarchies import some_of
from tacita.data.hierarchies.ontology import Ontology, apart
from tacita.errors import HierarchyError


@dataclass(frozen=True, eq=False)
class Lineages:
    """Some nodes by number: distances of many pairs at once; see `apart`.

    First come values, then the concepts above them that are no value, the most specific first.
    Values that are names of one concept are 0 apart.

    >>> from tacita.data.hierarchies.ontology import Concept
    >>> both = Concept(("viral", "respiratory"))
    >>> sick = Ontology({"viral": Concept(), "respiratory": Concept(), "flu": both, "rsv": both})
    >>> lineages, labels = Lineages.of(sick, ["flu", "rsv"], "diagnosis")
    >>> labels, lineages.between(np.array([0, 0]), np.array([1, 2])).round(3).tolist()
    (['respiratory', 'viral'], [0.585, 0.737])

    Args:
        starts: where the lineage of each node begins, and behind them where the last one ends.
        numbers: lineages one after another: the numbers of concepts, ascending.
        above: for every value, itself and the nodes above it; filled up with itself.
    """

    starts: Ints
    numbers: Ints
    above: Ints

    @classmethod
    def of(
        cls, ontology: Ontology, words: Sequence[str], attribute: str
    ) -> tuple[Lineages, list[str]]:
        """Give numbers to some values, and behind them to the concepts above, returned by name.

        Raises:
            HierarchyError: the ontology does not know some of them, or they are names of several
                concepts.
        """
        concepts = _concepts(ontology, words, attribute)
        sets = {concept: ontology.ancestors(concept) for concept in {*concepts}}
        sets.update(
            (concept, ontology.ancestors(concept))
            for concept in set().union(*sets.values()) - sets.keys()
        )
        labels = sorted(sets.keys() - {*concepts}, key=lambda one: (-len(sets[one]), one))
        nodes = [*concepts, *labels]
        node_of = {concept: place for place, concept in reversed([*enumerate(nodes)])}
        number = {concept: place for place, concept in enumerate(node_of)}
        lists = [sorted(number[one] for one in sets[concept]) for concept in nodes]
        starts = np.cumsum([0, *map(len, lists)])
        above = [
            [place, *sorted(node_of[one] for one in sets[concept] - {concept})]
            for place, concept in enumerate(concepts)
        ]
        widest = max(map(len, above), default=0)
        filled = [[*row, *[row[0]] * (widest - len(row))] for row in above]
        lineages = cls(
            starts.astype(np.int64),
            np.fromiter(chain(*lists), np.int64),
            np.array(filled, np.int64).reshape(len(words), widest),
        )
        return lineages, [ontology.name(concept) for concept in labels]

    def between(self, ones: Ints, others: Ints) -> Floats:
        """Return the distance of every node to its partner; numpy's broadcasting pairs them."""
        from tacita.kernels.shared_numbers import count_shared

        ones, others = np.broadcast_arrays(ones, others)
        pair = ones.ravel(), others.ravel()
        sizes = np.diff(self.starts)
        shared = count_shared(self.starts, self.numbers, *pair)
        return apart(sizes[pair[0]], sizes[pair[1]], shared).reshape(ones.shape)


def _concepts(ontology: Ontology, words: Sequence[str], attribute: str) -> list[str]:
    """Return the concept of every word."""
    found = [ontology.concept(word) for word in words]
    unknown = [word for word, concept in zip(words, found, strict=True) if concept is None]
    if unknown:
        raise HierarchyError(
            f"The ontology of `{attribute}` does not hold {some_of(unknown)}; expected "
            "identifiers, labels or synonyms of its concepts. Correct these values, or recode them "
            "first."
        ).about(attribute)
    return [concept for concept in found if concept is not None]

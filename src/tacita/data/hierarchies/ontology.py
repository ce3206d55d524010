"""Ontologies: concepts of which each may lie below several others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tacita.arithmetic import log2
from tacita.data.classes import Floats, Ints
from tacita.data.hierarchies import SHOWN, some_of
from tacita.errors import HierarchyError, did_you_mean, shown

FIELDS = ("parents", "label", "synonyms")


@dataclass(frozen=True)
class Concept:
    """What an ontology says of a concept.

    Args:
        parents: the concepts directly above it.
        label: what people call it; nothing where that is its identifier.
        synonyms: what else it is called.
    """

    parents: tuple[str, ...] = ()
    label: str = ""
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Ontology:
    """Concepts, each below any number of others, by which the meanings of values are compared.

    A hierarchy says how values are generalized, level by level, and has one parent a value; an
    ontology says what values mean. A value is a concept by its identifier, its label or a synonym:
    an identifier goes before a label, a label before a synonym.

    Args:
        concepts: what is said of every concept, by its identifier.

    >>> flu = Concept(("viral", "respiratory"), "flu", ("influenza",))
    >>> below = Concept(("disease",))
    >>> said = {"disease": Concept(), "viral": below, "respiratory": below, "J10": flu}
    >>> diseases = Ontology(said)
    >>> diseases
    Ontology of 4 concepts below `disease`
    >>> sorted(diseases.ancestors(diseases.concept("influenza")))
    ['J10', 'disease', 'respiratory', 'viral']
    >>> round(diseases.distance("flu", "viral"), 4)
    0.585
    """

    concepts: Mapping[str, Concept]

    def __post_init__(self) -> None:
        if not self.concepts:
            raise HierarchyError("An ontology needs at least one concept; found none.")
        _refuse_unknown(self.concepts)
        _refuse_cycle(self.concepts)

    def __repr__(self) -> str:
        roots = ", ".join(f"`{self.name(root)}`" for root in self.roots[:SHOWN])
        more = ", ..." if len(self.roots) > SHOWN else ""
        return f"Ontology of {len(self.concepts):,} concepts below {roots}{more}"

    @classmethod
    def from_plan(cls, said: Mapping[str, Any], folder: Path | None = None) -> Ontology:
        """Make the ontology that a plan says: `{file: terms.obo}` or `{concepts: {...}}`.

        Args:
            said: one entry. A file may be said with options: `{path: ..., language: fr}`. Of a
                concept its parents are listed, or `{parents: [...], label: ..., synonyms: [...]}`.
            folder: where a relative path starts.
        """
        from tacita.data.hierarchies.ontologies import from_plan

        if not isinstance(said, Mapping) or len(said) != 1 or not {*said} <= {"file", "concepts"}:
            raise HierarchyError(
                f"An ontology is said by `file` or by `concepts`; found {shown(said)}."
            )
        if "file" in said:
            return from_plan(said["file"], folder or Path())
        listed = said["concepts"]
        if not isinstance(listed, Mapping):
            raise HierarchyError(f"`concepts` lists concepts by name; found {shown(listed)}.")
        return cls({str(name): _concept(str(name), of) for name, of in listed.items()})

    def specification(self) -> dict[str, Any]:
        """Return the ontology as a plan says it."""
        return {"concepts": {name: _said(concept) for name, concept in self.concepts.items()}}

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The concepts that lie below no other."""
        return tuple(name for name, concept in self.concepts.items() if not concept.parents)

    @cached_property
    def _names(self) -> dict[str, tuple[str, ...]]:
        """The concepts of every name, those only that bear it by the strongest right."""
        names: dict[str, dict[str, None]] = defaultdict(dict)
        for which in ("synonyms", "label"):
            stronger: dict[str, dict[str, None]] = defaultdict(dict)
            for name, concept in self.concepts.items():
                said = getattr(concept, which)
                for word in (said,) if isinstance(said, str) else said:
                    stronger[word][name] = None
            names.update(stronger)
        known = {word: tuple(sorted(bearers)) for word, bearers in names.items() if word}
        return {**known, **{name: (name,) for name in self.concepts}}

    def name(self, concept: str) -> str:
        """Return the label of a concept, or its identifier where the label is not its own."""
        label = self.concepts[concept].label
        return label if label and self._names[label] == (concept,) else concept

    def concept(self, name: str) -> str | None:
        """Return the identifier of the concept of a name; nothing where there is none.

        Raises:
            HierarchyError: it is the name of several.
        """
        found = self._names.get(name, ())
        if len(found) > 1:
            raise HierarchyError(
                f"The ontology calls several concepts {name!r}: {some_of(found)}; use one of these "
                "identifiers in the data."
            )
        return found[0] if found else None

    def ancestors(self, concept: str) -> frozenset[str]:
        """Return a concept, by its identifier, and all that lies above it."""
        above, waiting = {concept}, [concept]
        while waiting:
            for parent in self.concepts[waiting.pop()].parents:
                if parent not in above:
                    above.add(parent)
                    waiting.append(parent)
        return frozenset(above)

    def distance(self, one: str, other: str) -> float:
        """Return how far apart two values are in meaning, from 0 to 1; see `apart`.

        Raises:
            HierarchyError: the ontology does not know one of them.
        """
        sets = []
        for name in (one, other):
            concept = self.concept(name)
            if concept is None:
                hint = did_you_mean(name, self._names)
                raise HierarchyError(f"The ontology holds no concept {name!r}.{hint}")
            sets.append(self.ancestors(concept))
        counts = [len(sets[0]), len(sets[1]), len(sets[0] & sets[1])]
        return float(apart(*(np.array([count]) for count in counts))[0])


def apart(one: Ints, other: Ints, shared: Ints) -> Floats:
    """Return distances, given how many concepts lie above two (themselves included) and above both.

    d(a, b) = log2(1 + (|T(a) or T(b)| - |T(a) and T(b)|) / |T(a) or T(b)|), T being a concept and
    all that lies above it (Sanchez, Batet, Isern & Valls, Expert Systems with Applications 39:7718,
    2012): 0 for the same concept, 1 for two that share nothing.

    >>> apart(np.array([3, 3]), np.array([3, 2]), np.array([3, 0])).tolist()
    [0.0, 1.0]
    """
    either = one + other - shared
    return np.asarray(log2(1 + (either - shared) / either))


def _refuse_unknown(concepts: Mapping[str, Concept]) -> None:
    for name, concept in concepts.items():
        for parent in concept.parents:
            if parent not in concepts:
                raise HierarchyError(
                    f"{name!r} of an ontology lies below {parent!r}, which is no concept of it; "
                    f"list that one too.{did_you_mean(parent, concepts)}"
                )


def _refuse_cycle(concepts: Mapping[str, Concept]) -> None:
    """Take away concepts that nothing is left above of; in the end a cycle is what is left."""
    left = {name: len(set(concept.parents)) for name, concept in concepts.items()}
    children = defaultdict(list)
    for name, concept in concepts.items():
        for parent in set(concept.parents):
            children[parent].append(name)
    waiting = [name for name, count in left.items() if not count]
    while waiting:
        name = waiting.pop()
        del left[name]
        for child in children[name]:
            left[child] -= 1
            if not left[child]:
                waiting.append(child)
    if not left:
        return
    climbed: dict[str, None] = {}
    name = min(left)
    while name not in climbed:
        climbed[name] = None
        name = min(parent for parent in concepts[name].parents if parent in left)
    cycle = [*climbed][[*climbed].index(name) :]
    told = " -> ".join((*cycle, name) if len(cycle) <= SHOWN else (*cycle[:SHOWN], "...", name))
    raise HierarchyError(
        f"{told} is a cycle of parents; an ontology has none. Correct one of them."
    )


def _concept(name: str, said: Any) -> Concept:
    """Read what a plan says of a concept."""
    fields = said if isinstance(said, Mapping) else {"parents": said}
    for word in fields:
        if word not in FIELDS:
            raise HierarchyError(
                f"A concept of an ontology takes {', '.join(FIELDS)}; {name!r} has `{word}`."
                f"{did_you_mean(str(word), FIELDS)}"
            )
    parents, synonyms = (_listed(name, fields.get(word)) for word in ("parents", "synonyms"))
    return Concept(parents, str(fields.get("label") or ""), synonyms)


def _listed(name: str, said: Any) -> tuple[str, ...]:
    if said is None:
        return ()
    if isinstance(said, Mapping):
        raise HierarchyError(
            f"The parents and synonyms of a concept are lists; {name!r} has {shown(said)}."
        )
    return tuple(map(str, said)) if isinstance(said, list | tuple) else (str(said),)


def _said(concept: Concept) -> Any:
    """Return what a plan says of a concept."""
    parents = list(concept.parents)
    if not concept.label and not concept.synonyms:
        return parents
    said = {"parents": parents, "label": concept.label, "synonyms": list(concept.synonyms)}
    return {word: value for word, value in said.items() if value}

"""Graphs of OWL and RDF Schema classes and of SKOS concepts."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tacita.data.hierarchies.ontology import Concept
from tacita.errors import HierarchyError, load_extra

OBO = re.compile(r"http://purl\.obolibrary\.org/obo/([A-Za-z]\w*)_(\w+)")
SYNONYMS = "http://www.geneontology.org/formats/oboInOwl#hasExactSynonym"


def read(path: Path, content: bytes, kind: str, language: str | None) -> dict[str, Concept]:
    """Return the classes and concepts of a graph that are not obsolete.

    A class lies below the classes it is a subclass of, and below those that its definition is an
    intersection of; a SKOS concept below its broader ones, and those that call it narrower. What
    only has a logical expression for a name is left out, and owl:Thing, which is above everything.
    Labels, alternative labels, exact synonyms, notations and the ends of identifiers are names.

    Args:
        path: the file, for messages.
        content: what is in it.
        kind: how it is written: xml, turtle or nt.
        language: of labels; see `read_ontology`.
    """
    rdflib = load_extra("rdflib", "ontologies")
    graph = rdflib.Graph()
    try:
        graph.parse(data=content, format=kind, publicID=path.absolute().as_uri())
    except Exception as error:
        raise HierarchyError(f"{path} cannot be read as {kind}: {_first_line(error)}.") from error
    words = _Words(rdflib)
    parents = _parents(graph, words)
    for gone in {node for node in parents if _is_obsolete(graph, words, node)}:
        del parents[gone]
    return {
        str(node): _concept(graph, words, node, [one for one in above if one in parents], language)
        for node, above in parents.items()
    }


class _Words:
    """The words of the vocabularies."""

    def __init__(self, rdflib: Any) -> None:
        self.named, self.literal = rdflib.URIRef, rdflib.Literal
        self.rdf, self.skos, self.owl = rdflib.RDF, rdflib.SKOS, rdflib.OWL
        self.rdfs = rdflib.RDFS
        self.classes = (rdflib.OWL.Class, rdflib.RDFS.Class, rdflib.SKOS.Concept)
        self.labels = (rdflib.SKOS.prefLabel, rdflib.RDFS.label)
        self.others = (
            rdflib.SKOS.altLabel,
            rdflib.SKOS.hiddenLabel,
            rdflib.SKOS.notation,
            rdflib.URIRef(SYNONYMS),
        )
        self.everything = {rdflib.OWL.Thing, rdflib.RDFS.Resource}


def _parents(graph: Any, words: _Words) -> dict[Any, list[Any]]:
    """Return the named concepts, each with those above it."""
    found: dict[Any, dict[Any, None]] = defaultdict(dict)
    for kind in words.classes:
        for node in graph.subjects(words.rdf.type, kind):
            found[node].update()
    for child, parent in _steps(graph, words):
        found[child][parent] = None
        found[parent].update()
    return {
        node: sorted(set(above) - words.everything - {node})
        for node, above in sorted(found.items())
        if isinstance(node, words.named) and node not in words.everything
    }


def _steps(graph: Any, words: _Words) -> Iterator[tuple[Any, Any]]:
    """List every concept that lies below another, with the other."""
    for child, parent in graph.subject_objects(words.rdfs.subClassOf):
        yield from ((child, one) for one in _named(graph, words, parent))
    for child, same in graph.subject_objects(words.owl.equivalentClass):
        if not isinstance(same, words.named):
            yield from ((child, one) for one in _named(graph, words, same))
    yield from graph.subject_objects(words.skos.broader)
    yield from ((child, parent) for parent, child in graph.subject_objects(words.skos.narrower))


def _named(graph: Any, words: _Words, node: Any) -> Iterator[Any]:
    """Return a named class, or the named ones that a class without a name is an intersection of."""
    if isinstance(node, words.named):
        yield node
        return
    for members in graph.objects(node, words.owl.intersectionOf):
        yield from (one for one in graph.items(members) if isinstance(one, words.named))


def _is_obsolete(graph: Any, words: _Words, node: Any) -> bool:
    told = graph.objects(node, words.owl.deprecated)
    return any(str(value).casefold() in ("true", "1") for value in told)


def _concept(
    graph: Any, words: _Words, node: Any, parents: Iterable[Any], language: str | None
) -> Concept:
    labels = [one for word in words.labels for one in _literals(graph, words, node, word)]
    labels.sort(key=lambda one: _rank(one, language))
    others = [one for word in words.others for one in _literals(graph, words, node, word)]
    names = [*map(str, labels[1:]), *sorted(map(str, others)), *_short(str(node))]
    label = str(labels[0]) if labels else ""
    return Concept(tuple(map(str, parents)), label, tuple(dict.fromkeys(names)))


def _literals(graph: Any, words: _Words, node: Any, word: Any) -> list[Any]:
    return [one for one in graph.objects(node, word) if isinstance(one, words.literal)]


def _rank(label: Any, language: str | None) -> tuple[bool, int, str, str]:
    """Put the label first that is shown."""
    spoken = (label.language or "").casefold()
    asked = language is not None and spoken.partition("-")[0] == language.casefold()
    usual = 0 if not spoken else 1 if spoken.partition("-")[0] == "en" else 2
    return not asked, usual, spoken, str(label)


def _short(identifier: str) -> list[str]:
    """Return what an identifier ends in; of an OBO term, as it is cited: `GO:0008150`.

    >>> _short("http://purl.obolibrary.org/obo/GO_0008150"), _short("http://a.b/jobs#nurse")
    (['GO_0008150', 'GO:0008150'], ['nurse'])
    """
    last = re.split(r"[#/]", identifier.rstrip("#/"))[-1]
    cited = OBO.fullmatch(identifier)
    return [last, f"{cited[1]}:{cited[2]}"] if cited else [last]


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__).rstrip(".")

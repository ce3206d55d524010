"""Ontology files: OBO by fastobo; OWL, RDF Schema and SKOS in RDF/XML, Turtle, N-Triples by rdflib.

Only what says that a concept lies below another is taken over; parts, regulations and other
relations are not. Nothing that a file refers to elsewhere is fetched. Obsolete concepts are left
out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from tacita.data.hierarchies.ontologies import obo, rdf
from tacita.data.hierarchies.ontology import Concept, Ontology
from tacita.errors import HierarchyError, ParameterError, did_you_mean, shown

OPTIONS = ("path", "language")
SUFFIXES: Mapping[str, str] = {
    ".obo": "obo",
    ".owl": "xml",
    ".rdf": "xml",
    ".xml": "xml",
    ".ttl": "turtle",
    ".nt": "nt",
}


def read_ontology(path: str | PathLike[str], *, language: str | None = None) -> Ontology:
    """Read an ontology from an OBO, OWL, RDF Schema or SKOS file.

    Args:
        path: the file; its suffix (.obo, .owl, .rdf, .xml, .ttl or .nt) says how it is written.
        language: the language of labels (`en`, `fr`), where a file has several; when left out,
            labels without one go first, then English ones. Those of other languages are synonyms.

    Raises:
        HierarchyError: there is no such file, it cannot be read, or it holds no concepts.
        MissingExtraError: the package that reads it is not installed.
    """
    path = Path(path)
    kind = SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise HierarchyError(
            f"Cannot tell how {path} is written: expected a name ending in {', '.join(SUFFIXES)}."
        )
    if language is not None and kind == "obo":
        raise ParameterError("`language` is for OWL and SKOS files; an OBO file has one language.")
    content = _read(path)
    concepts: dict[str, Concept]
    concepts = obo.read(path, content) if kind == "obo" else rdf.read(path, content, kind, language)
    return _made(path, lambda: Ontology(concepts))


def from_plan(said: Any, folder: Path) -> Ontology:
    """Read the file that a plan names: its path, or `{path: ..., language: ...}`.

    Args:
        said: what the plan says below `file`.
        folder: where a relative path starts.
    """
    options = dict(said) if isinstance(said, Mapping) else {"path": said}
    for word in options:
        if word not in OPTIONS:
            raise HierarchyError(
                f"`file` of an ontology takes {', '.join(OPTIONS)}; found `{word}`."
                f"{did_you_mean(str(word), OPTIONS)}"
            )
    path, language = options.get("path"), options.get("language")
    if not isinstance(path, str | PathLike):
        raise HierarchyError(f"`file` needs the path of an ontology; found {shown(path)}.")
    if not isinstance(language, str | None):
        raise HierarchyError(f"`language` is a word like `en`; found {shown(language)}.")
    return read_ontology(folder / path, language=language)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise HierarchyError(f"The ontology file {path} cannot be read: {why}.") from error


def _made(path: Path, make: Callable[[], Ontology]) -> Ontology:
    try:
        return make()
    except HierarchyError as error:
        raise HierarchyError(f"{path}: {error}") from error

"""OBO files, as biomedical ontologies are kept."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from tacita.data.hierarchies.ontology import Concept
from tacita.errors import HierarchyError, load_extra

Taken = dict[str, list[str]]


def read(path: Path, content: bytes) -> dict[str, Concept]:
    """Return the terms that are not obsolete, below what `is_a` and definitions by genus say.

    Names, exact synonyms and alternative identifiers are recognized; broader, narrower and related
    synonyms do not mean the same and are not. A parent that has no frame of its own is a concept.
    """
    fastobo = load_extra("fastobo", "ontologies")
    try:
        frames = list(fastobo.load(BytesIO(content), ordered=True))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        where = f"{path}, line {line}" if line else str(path)
        raise HierarchyError(
            f"{where}: no OBO file can be read here: {getattr(error, 'msg', None) or error}."
        ) from error
    concepts: dict[str, Concept] = {}
    for frame in frames:
        taken = _taken(frame) if isinstance(frame, fastobo.term.TermFrame) else None
        if taken is not None:
            parents, names = dict.fromkeys(taken["parents"]), dict.fromkeys(taken["synonyms"])
            concepts[str(frame.id)] = Concept((*parents,), "".join(taken["label"]), (*names,))
    for parent in {name for concept in concepts.values() for name in concept.parents}:
        concepts.setdefault(parent, Concept())
    return concepts


def _taken(frame: Any) -> Taken | None:
    """Return what is taken over of a term; nothing of one that is obsolete."""
    taken: Taken = {"parents": [], "label": [], "synonyms": []}
    for clause in frame:
        tag = clause.raw_tag()
        if tag == "is_obsolete" and clause.obsolete:
            return None
        if tag in CLAUSES:
            word, value = CLAUSES[tag]
            found = value(clause)
            taken[word] += [] if found is None else [found]
    return taken


def _genus(clause: Any) -> str | None:
    return str(clause.term) if clause.typedef is None else None


def _exact(clause: Any) -> str | None:
    return str(clause.synonym.desc) if clause.synonym.scope == "EXACT" else None


CLAUSES: dict[str, tuple[str, Callable[[Any], str | None]]] = {
    "name": ("label", lambda clause: str(clause.name)),
    "is_a": ("parents", lambda clause: str(clause.term)),
    "intersection_of": ("parents", _genus),
    "synonym": ("synonyms", _exact),
    "alt_id": ("synonyms", lambda clause: str(clause.alt_id)),
}

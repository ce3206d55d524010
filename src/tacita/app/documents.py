"""Plan documents as they come in: in types that are written and read again without a change."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from tacita.app.reaching import IN_FILES, KEPT, NAMING
from tacita.data.declaration import WITH_FILES
from tacita.data.formats import is_address

READ = ("source", "population", "holdout", "metadata")
ON = "on"  # a field of waivers, which YAML takes for true


def settled(plan: Any, inside: str = "") -> Any:
    """Return a plan in types that JSON keeps: names are texts, and so are dates.

    >>> settled({"waivers": {"file": "w.csv", True: 5}, "matrix": {1: {2: 0.5}}})
    {'waivers': {'file': 'w.csv', 'on': 5}, 'matrix': {'1': {'2': 0.5}}}
    """
    if isinstance(plan, Mapping):
        return {(word := _name(name, inside)): settled(one, word) for name, one in plan.items()}
    if isinstance(plan, list | tuple):
        return [settled(one, inside) for one in plan]
    return plan if plan is None or isinstance(plan, str | int | float) else str(plan)


def from_here(plan: Mapping[str, Any], inner: PurePath) -> dict[str, Any]:
    """Return a plan whose files are named from another folder than its own.

    Args:
        plan: the plan.
        inner: its folder, as seen from there.

    >>> from_here({"data": {"source": "a.csv"}}, PurePath("inner"))
    {'data': {'source': 'inner/a.csv'}}
    """
    found = {**plan, "data": _moved(plan.get("data") or {}, READ, inner)}
    attributes = found["data"].get("attributes")
    if isinstance(attributes, Mapping):
        found["data"]["attributes"] = {
            name: _attribute(said, inner) for name, said in attributes.items()
        }
    if isinstance(plan.get("queries"), Mapping):
        found["queries"] = _moved(plan["queries"], KEPT, inner)
    if isinstance(plan.get("tables"), list):
        found["tables"] = [_table(said, inner) for said in plan["tables"]]
    return found


def _name(name: Any, inside: str) -> str:
    if name is True and inside == "waivers":
        return ON
    return str(name).lower() if isinstance(name, bool) else str(name)


def _moved(said: Mapping[str, Any], words: tuple[str, ...], inner: PurePath) -> dict[str, Any]:
    return {word: _place(one, inner) if word in words else one for word, one in said.items()}


def _place(said: Any, inner: PurePath) -> Any:
    if not isinstance(said, str):
        return said
    if not is_address(said):
        return str(inner / said)
    scheme, _, rest = said.partition(":///")
    is_file = scheme.lower() in IN_FILES and rest
    return f"{scheme}:///{inner / rest}" if is_file else said


def _attribute(said: Any, inner: PurePath) -> Any:
    """Return what is said of an attribute; its hierarchy or ontology may stand in a file."""
    found = dict(said) if isinstance(said, Mapping) else said
    for word in WITH_FILES if isinstance(found, dict) else ():
        field = found.get(word)
        if isinstance(field, Mapping) and "file" in field:
            file = field["file"]
            is_named = isinstance(file, Mapping)
            moved = _moved(file, ("path",), inner) if is_named else _place(file, inner)
            found[word] = {**field, "file": moved}
    return found


def _table(said: Any, inner: PurePath) -> Any:
    """Return a table, which may be made with files; parameters of methods may name some."""
    if isinstance(said, list):
        return [_table(one, inner) for one in said]
    if not isinstance(said, Mapping):
        return said
    found = {}
    for word, one in said.items():
        if word in ("given", *NAMING):
            found[word] = _place(one, inner)
        elif word == "waivers" and isinstance(one, Mapping):
            found[word] = _moved(one, ("file",), inner)
        else:
            found[word] = _table(one, inner)
    return found

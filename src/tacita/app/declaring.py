"""What a plan says of one attribute: its roles and kind, and which values it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacita.data.attribute import Kind

Said = Mapping[str, Any]
Form = Mapping[str, Sequence[str]]
CODES = ("missing", "suppressed")


def of_one(said: Said, name: str) -> dict[str, Any]:
    """Return what is said of one attribute; a role alone may stand for it.

    >>> of_one({"age": "key"}, "age"), of_one({}, "age")
    ({'role': 'key'}, {})
    """
    one = said.get(name) or {}
    return {"role": one} if isinstance(one, str | list) else dict(one)


def declared(said: Said, roles: Sequence[str], kind: str) -> dict[str, Any]:
    """Return what is said of an attribute with other roles and another kind.

    >>> declared({"kind": "ordinal", "order": ["a", "b"]}, ["key", ""], "nominal")
    {'kind': 'nominal', 'role': 'key'}
    """
    chosen = list(dict.fromkeys(role for role in roles if role))
    changed = {**said, "role": chosen[0] if len(chosen) == 1 else chosen, "kind": kind}
    if kind != Kind.ORDINAL:
        changed.pop("order", None)  # which only ordinal attributes have
    return {word: one for word, one in changed.items() if one}


def values_of(said: Said) -> dict[str, str]:
    """Return what is said of the values of an attribute, as a person fills it in."""
    order = "\n".join(map(str, said.get("order") or ()))
    codes = {word: "\n".join(map(str, said.get(word) or ())) for word in CODES}
    return {"order": order, **codes, "separator": str(said.get("separator", ""))}


def values_in(form: Form) -> dict[str, Any]:
    """Return what a person says of the values of an attribute; who orders it makes it ordinal.

    >>> values_in({"order": ["low"], "missing": ["9"]})["kind"]
    'ordinal'
    """
    order = _lines(form, "order")
    said: dict[str, Any] = {"order": order, **{word: _lines(form, word) for word in CODES}}
    said["separator"] = (form.get("separator") or ("",))[0]
    return {**said, "kind": Kind.ORDINAL.value} if order else said


def _lines(form: Form, name: str) -> list[str]:
    """Return one value a line; the reader brings it into the type of the attribute."""
    said = (form.get(name) or ("",))[0]
    return [line.strip() for line in said.splitlines() if line.strip()]

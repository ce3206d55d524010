"""Every method there is, found by looking through the folders of methods."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from tacita.errors import ParameterError, did_you_mean, shown
from tacita.method import FAMILIES, THAT_MASK, Method, first_line

MEASURED = ("risk", "utility", "attack")
SURVIVING = ("model", "risk", "attack")


@cache
def methods() -> Mapping[str, type[Method]]:
    """Return all methods by name, in the order of families and then of names."""
    found: dict[str, type[Method]] = {}
    for package in FAMILIES:
        for cls in sorted(_in_package(package), key=lambda cls: cls.name):
            if found.setdefault(cls.name, cls) is not cls:
                raise RuntimeError(f"two methods are called `{cls.name}`")
    return found


def _in_package(package: str) -> set[type[Method]]:
    paths = importlib.import_module(package).__path__
    names = [f"{package}.{module.name}" for module in pkgutil.iter_modules(paths)]
    members = [member for name in names for member in vars(importlib.import_module(name)).values()]
    return {
        member
        for member in members
        if inspect.isclass(member)
        and issubclass(member, Method)
        and member.__module__.startswith(package)
        and member is not Method
    }


def family(name: str) -> dict[str, type[Method]]:
    """Return the methods of a family by name."""
    return {word: cls for word, cls in methods().items() if cls.family == name}


def all_measures() -> tuple[Method, ...]:
    """Return every risk, utility and attack with its default parameters."""
    return tuple(cls() for name in MEASURED for cls in family(name).values())


def find(name: str, families: tuple[str, ...] = ()) -> type[Method]:
    """Return a method by its name in a plan file.

    Raises:
        ParameterError: there is none of that name (in these families); the nearest is suggested.
    """
    known = {w: cls for w, cls in methods().items() if not families or cls.family in families}
    if name in known:
        return known[name]
    if name in methods():
        raise ParameterError(
            f"`{name}` is a method of the family {methods()[name].family}; "
            f"expected here: {' or '.join(families)}."
        )
    raise ParameterError(f"There is no method `{name}`.{did_you_mean(name, known)}")


def from_plan(said: Mapping[str, Any] | str, families: tuple[str, ...] = ()) -> Method:
    """Make a method from what a plan file says: `{name: {parameters}}`, `{name: value}` or `name`.

    >>> from_plan({"k_anonymity": 5})
    KAnonymity(k=5, keys=None, semantics='equality')
    """
    if isinstance(said, str):
        said = {said: {}}
    if not isinstance(said, Mapping) or len(said) != 1:
        raise ParameterError(f"Expected one method with its parameters; found {shown(said)}.")
    name, given = next(iter(said.items()))
    method = find(str(name), families)
    if isinstance(given, Mapping):
        return method(**{str(key): value for key, value in given.items()})
    return method() if given is None else method(given)  # type: ignore[call-arg]


def described(method: type[Method]) -> dict[str, Any]:
    """Return what is known of a method, in plain types: the row of `tacita methods --json`."""
    schema = TypeAdapter(method).json_schema()
    needed = schema.get("required", [])
    return {
        "name": method.name,
        "family": method.family,
        "applies_to": [kind for kind in _kinds() if kind in method.applies_to],
        "parameters": {
            name: {**about, "required": name in needed}
            for name, about in schema.get("properties", {}).items()
        },
        "reference": method.reference,
        "summary": first_line(method),
        "missing": method.missing,
        "needs": sorted(method.needs),
        "keeps": [str(promise) for promise in method.keeps],
        **_of_validity(method),
    }


def _of_validity(method: type[Method]) -> dict[str, list[str]]:
    """Return what a method does to values, or after what its number still means something."""
    if method.family in THAT_MASK:
        return {"changes": sorted(method.changes)}
    return {"valid_after": sorted(method.valid_after)} if method.family in SURVIVING else {}


def _kinds() -> list[str]:
    from tacita.data.attribute import Kind
    from tacita.method import TableKind

    return [kind.value for kind in (*Kind, *TableKind)]

"""Every method there is, found by looking through the folders of methods.

Importing all of them takes a second; whoever needs some imports those: `method_named`
by name, `family` by family.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from tacita.errors import ParameterError, did_you_mean, shown
from tacita.method import FAMILIES, THAT_MASK, Method, first_line, snake_case

MEASURED = ("risk", "utility", "attack")
SURVIVING = ("model", "risk", "attack")
CLASS = re.compile(r"^class (\w+)\(", re.MULTILINE)


@cache
def methods() -> Mapping[str, type[Method]]:
    """Return all methods by name, in the order of families and then of names."""
    found: dict[str, type[Method]] = {}
    for package in FAMILIES:
        for cls in sorted(_in_package(package), key=lambda cls: cls.name):
            if found.setdefault(cls.name, cls) is not cls:
                raise RuntimeError(f"two methods are called `{cls.name}`")
    return found


@cache
def _in_package(package: str) -> frozenset[type[Method]]:
    names = [f"{package}.{module.name}" for module in _modules(package)]
    return frozenset(member for name in names for member in _in_module(name, package))


def _modules(package: str) -> list[pkgutil.ModuleInfo]:
    return [*pkgutil.iter_modules(importlib.import_module(package).__path__)]


def _in_module(module: str, package: str) -> Iterator[type[Method]]:
    for member in vars(importlib.import_module(module)).values():
        if (
            inspect.isclass(member)
            and issubclass(member, Method)
            and member.__module__.startswith(package)
            and member is not Method
        ):
            yield member


@cache
def method_named(name: str) -> type[Method] | None:
    """Return the method of a name, if there is one; no module but its own is imported for it."""
    for module in _homes().get(name, ()):
        package = module.rpartition(".")[0]
        for method in _in_module(module, package):
            if method.name == name and method.__module__ == module:
                return method
    # An installation may lack the texts.
    return None if _homes() else methods().get(name)


@cache
def _homes() -> Mapping[str, list[str]]:
    """Return the modules whose text defines a class, by the name it would have as a method."""
    homes: dict[str, list[str]] = {}
    for package in FAMILIES:
        for module in _modules(package):
            path = Path(getattr(module.module_finder, "path", "")) / f"{module.name}.py"
            for word in CLASS.findall(path.read_text("utf-8") if path.is_file() else ""):
                homes.setdefault(snake_case(word), []).append(f"{package}.{module.name}")
    return homes


def family(name: str) -> dict[str, type[Method]]:
    """Return the methods of a family by name."""
    packages = [package for package, its_family in FAMILIES.items() if its_family == name]
    found = {cls.name: cls for package in packages for cls in _in_package(package)}
    return {word: found[word] for word in sorted(found) if found[word].family == name}


def all_measures() -> tuple[Method, ...]:
    """Return every risk, utility and attack with its default parameters."""
    return tuple(cls() for name in MEASURED for cls in family(name).values())


def find(name: str, families: tuple[str, ...] = ()) -> type[Method]:
    """Return a method by its name in a plan file.

    Raises:
        ParameterError: there is none of that name (in these families); the nearest is suggested.
    """
    method = method_named(name)
    if method is None:
        known = [w for w, cls in methods().items() if not families or cls.family in families]
        raise ParameterError(f"There is no method `{name}`.{did_you_mean(name, known)}")
    if families and method.family not in families:
        raise ParameterError(
            f"`{name}` is a method of the family {method.family}; "
            f"expected here: {' or '.join(families)}."
        )
    return method


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

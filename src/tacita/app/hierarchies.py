"""The editor of hierarchies: from what a person fills in to what a plan says, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import yaml

from tacita.errors import ParameterError, shown
from tacita.plain_yaml import read_yaml

ROOT = "*"
BELOW = " > "  # between a group and a group in it
WAYS = {
    "": "none",
    "prefix": "by their first characters",
    "intervals": "intervals of equal width",
    "cuts": "intervals between bounds",
    "groups": "groups",
    "dates": "parts of dates",
    "written": "written as in a plan",
}
Form = Mapping[str, Sequence[str]]


def filled_in(form: Form) -> dict[str, Any] | None:
    """Return the hierarchy that a person filled in, as a plan says it; None for none.

    >>> filled_in({"way": ["intervals"], "intervals": ["5, 10"], "start": ["0"]})
    {'intervals': {'widths': [5, 10], 'start': 0}}
    >>> filled_in({"way": ["groups"], "groups": ["north: a, b"]})
    {'tree': {'*': {'north': ['a', 'b']}}}
    >>> filled_in({"way": ["groups"], "groups": ["west > coast: a, b"]})
    {'tree': {'*': {'west': {'coast': ['a', 'b']}}}}
    """
    way = _text(form, "way")
    if way not in WAYS:
        raise ParameterError(f"Expected one of {', '.join(WAYS.values())}; found {shown(way)}.")
    return READ[way](_text(form, way), form) if way else None


def said_in(hierarchy: Mapping[str, Any] | None) -> tuple[str, dict[str, str]]:
    """Return the way in which a plan says a hierarchy, and what stands in the fields.

    >>> said_in({"prefix": 5})
    ('prefix', {'prefix': '5'})
    """
    if not hierarchy:
        return "", {}
    ((way, said),) = hierarchy.items()
    texts = {"written": yaml.safe_dump(dict(hierarchy), allow_unicode=True).strip()}
    if way == "tree" and _is_plain(said):
        ((root, groups),) = said.items()
        lines = [f"{BELOW.join(path)}: {_listed(values)}" for path, values in _paths(groups)]
        way, texts = "groups", {"groups": "\n".join(lines), "root": root}
    elif way == "intervals":
        texts = {way: _listed(said["widths"]), "start": str(said.get("start", 0))}
    elif way == "cuts":
        texts = {way: "\n".join(map(_listed, said))}
    elif way in ("prefix", "dates"):
        texts = {way: _listed(said) if isinstance(said, list) else str(said)}
    return way if way in texts else "written", texts


def _text(form: Form, name: str) -> str:
    return (form.get(name) or ("",))[0].strip()


def _numbers(said: str) -> list[Any]:
    try:
        found = [read_yaml(one) for one in said.split(",")]
    except yaml.YAMLError:
        found = [None]
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in found):
        raise ParameterError(f"Expected numbers with commas in between; found {shown(said)}.")
    return found


def _grouped(said: str) -> dict[str, Any]:
    """Return groups of values, and groups of groups, as a tree."""
    tree: dict[str, Any] = {}
    for line in _lines(said):
        path, values = _group(line)
        place = tree
        for name in path[:-1]:
            place = place.setdefault(name, {})
            if not isinstance(place, dict):
                raise ParameterError(f"The group {shown(name)} holds values and groups; use one.")
        if path[-1] in place:
            raise ParameterError(f"The group {shown(path[-1])} is said twice; put it in one line.")
        place[path[-1]] = values
    return tree


def _group(line: str) -> tuple[list[str], list[str]]:
    name, colon, members = line.partition(":")
    path = [one.strip() for one in name.split(BELOW.strip())]
    values = [one.strip() for one in members.split(",") if one.strip()]
    if not colon or not all(path) or not values:
        raise ParameterError(
            f"Expected a group and its values, such as `north: a, b`; found {shown(line.strip())}."
        )
    return path, values


def _written(said: str) -> dict[str, Any]:
    try:
        found = read_yaml(said)
    except yaml.YAMLError:
        found = None
    if not isinstance(found, dict):
        raise ParameterError(f"Expected a hierarchy such as `{{prefix: 5}}`; found {shown(said)}.")
    return found


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(map(str, values))


def _is_plain(tree: Mapping[str, Any]) -> bool:
    """Tell whether a tree is groups under its root, whose names and values need no quotes."""
    ((root, groups),) = tree.items() if len(tree) == 1 else [("", None)]
    if not isinstance(groups, Mapping) or not isinstance(root, str) or root.strip() != root:
        return False
    found = list(_paths(groups))
    values = [one for _, members in found for one in members]
    plain = all(isinstance(one, str) and one.strip() == one and "," not in one for one in values)
    names = [name for path, _ in found for name in path]
    return plain and not any(mark in name for name in names for mark in (":", BELOW.strip()))


def _paths(groups: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Sequence[Any]]]:
    """Return the groups of values below a node, each with the groups that it is in."""
    for name, members in groups.items():
        if isinstance(members, Mapping):
            yield from (((str(name), *path), values) for path, values in _paths(members))
        else:
            yield (str(name),), members if isinstance(members, list) else [None]


def _intervals(said: str, form: Form) -> dict[str, Any]:
    start = _numbers(_text(form, "start") or "0")[0]
    return {"intervals": {"widths": _numbers(said), "start": start}}


def _lines(said: str) -> list[str]:
    return [line for line in said.splitlines() if line.strip()]


READ: Mapping[str, Callable[[str, Form], dict[str, Any]]] = {
    "prefix": lambda said, _: {"prefix": _numbers(said)[0]},
    "intervals": _intervals,
    "cuts": lambda said, _: {"cuts": [_numbers(line) for line in _lines(said)]},
    "groups": lambda said, form: {"tree": {_text(form, "root") or ROOT: _grouped(said)}},
    "dates": lambda said, _: {"dates": [one.strip() for one in said.split(",") if one.strip()]},
    "written": lambda said, _: _written(said),
}

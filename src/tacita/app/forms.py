"""Forms of methods, derived from their parameter classes, and what a person filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, Literal

import yaml

from tacita.errors import ParameterError, shown
from tacita.method import Method, naming_parameters
from tacita.plain_yaml import read_yaml
from tacita.registry import described

Kind = Literal["attribute", "attributes", "choice", "yes or no", "whole", "number", "text",
               "value", "other"]  # fmt: skip
Form = Mapping[str, Sequence[str]]
SIMPLE: Mapping[str, Kind] = {
    "boolean": "yes or no",
    "integer": "whole",
    "number": "number",
    "string": "text",
}
NUMBERS = ("whole", "number")
VALUES = ("integer", "number", "string")
FILLED = (*NUMBERS, "choice", "yes or no", "text")
NAMING: Mapping[str, Kind] = {"array": "attributes", "string": "attribute"}
LIMITS = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most",
          "exclusiveMaximum": "below"}  # fmt: skip


@dataclass(frozen=True)
class Field:
    """A parameter as a form asks for it.

    Args:
        name: the parameter.
        kind: what is filled in; a `value` is a number or a text, and `other` is written as a plan
            writes it.
        about: what it is.
        needed: whether it must be filled in.
        value: what holds when nothing is filled in, as a plan says it.
        choices: what can be chosen.
        limits: the range of a number, in words.
    """

    name: str
    kind: Kind
    about: str
    needed: bool
    value: Any = None
    choices: tuple[str, ...] = ()
    limits: str = ""

    @property
    def is_filled(self) -> bool:
        """Whether the form shows what holds otherwise; what is written as in a plan stays short."""
        return self.kind in FILLED and self.value is not None


@dataclass(frozen=True)
class MethodForm:
    """A method as a person chooses it.

    Args:
        name: its name in plans.
        family: its family.
        summary: what it does, in a line.
        text: what it does, its formula, when not to use it.
        reference: where it comes from.
        kinds: what it applies to.
        fields: its parameters.
    """

    name: str
    family: str
    summary: str
    text: str
    reference: str
    kinds: tuple[str, ...]
    fields: tuple[Field, ...]
    keeps: tuple[str, ...] = ()


def form_of_method(method: type[Method]) -> MethodForm:
    """Return the form of a method.

    >>> from tacita.registry import find
    >>> [(field.name, field.kind) for field in form_of_method(find("top_code")).fields[:2]]
    [('attribute', 'attribute'), ('above', 'value')]
    """
    about = described(method)
    naming = naming_parameters(method)  # type: ignore[arg-type]
    return MethodForm(
        method.name,
        method.family,
        about["summary"],
        cleandoc(method.__doc__ or "").partition(">>>")[0].strip(),
        method.reference,
        tuple(about["applies_to"]),
        tuple(
            _field(name, said, is_naming=name in naming)
            for name, said in about["parameters"].items()
        ),
        tuple(about["keeps"]),
    )


def filled(method: type[Method], form: Form) -> dict[str, Any]:
    """Return the parameters that a person filled in, as a plan says them.

    Blanks are left out, and so is what holds anyway.

    Raises:
        ParameterError: something cannot be read, or the method does not take it.
    """
    said = {
        field.name: _read(field, form[field.name])
        for field in form_of_method(method).fields
        if any(one.strip() for one in form.get(field.name, ()))
    }
    method(**said)
    usual = {field.name: field.value for field in form_of_method(method).fields if field.is_filled}
    return {name: one for name, one in said.items() if name not in usual or one != usual[name]}


def as_number(text: str) -> int | float | None:
    """Return a number as people write it, None where it is none.

    >>> as_number("010"), as_number("1e-9"), as_number("few")  # of YAML 8 and two texts
    (10, 1e-09, None)
    """
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return None


def _field(name: str, said: Mapping[str, Any], *, is_naming: bool) -> Field:
    options = [one for one in said.get("anyOf", [said]) if one.get("type") != "null"]
    one = options[0] if len(options) == 1 else {}
    is_value = len(options) > 1 and all(each.get("type") in VALUES for each in options)
    return Field(
        name,
        "value" if is_value else _kind(one, is_naming),
        said.get("description", ""),
        bool(said.get("required")),
        said.get("default"),
        tuple(map(str, one.get("enum", ()))),
        ", ".join(f"{word} {one[limit]:g}" for limit, word in LIMITS.items() if limit in one),
    )


def _kind(said: Mapping[str, Any], is_naming: bool) -> Kind:
    """Tell how a parameter is filled in; `said` is empty where it may be of several types."""
    if is_naming and said.get("type") in NAMING:
        return NAMING[said["type"]]
    if "enum" in said:
        return "choice"
    return SIMPLE.get(said.get("type", ""), "other")


def _read(field: Field, values: Sequence[str]) -> Any:
    if field.kind == "attributes":
        return [one for one in values if one]
    text = values[0].strip()
    if field.kind in ("attribute", "choice", "text"):
        return text
    if field.kind in (*NUMBERS, "value") and (number := as_number(text)) is not None:
        return number
    if field.kind == "value":
        return text
    try:
        return read_yaml(text)
    except yaml.YAMLError as error:
        raise ParameterError(
            f"`{field.name}` should be written as in a plan, such as 5, [1, 2] or {{a: b}}; found "
            f"{shown(text)}."
        ) from error

"""Choosing methods: forms with what is filled in, and what a person chose as a plan says it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from tacita.app.forms import Field, MethodForm, filled, form_of_method
from tacita.errors import InputError, ParameterError, shown
from tacita.method import THAT_MASK, Method
from tacita.registry import family, find
from tacita.release.requirement import BOUNDS, FAMILIES

Form = Mapping[str, Sequence[str]]
Attribute = Mapping[str, Any]
WRITTEN = "written"  # a step as a plan writes it, which may be anything that a plan can say
MODELS = "to"  # the parameter that holds the models of an anonymization
NOT = "When not to use it"
TASKS = {
    "masking": "Masking",
    "anonymization": "Anonymization to privacy models",
    "synthesis": "Synthesis",
}
REQUIRED = {"model": "Privacy models", "risk": "Risks", "utility": "Utility", "attack": "Attacks"}


@dataclass(frozen=True)
class Entry:
    """A field of a form and what is filled in.

    Args:
        field: the field.
        name: its name in the form that the page sends.
        texts: what is filled in.
        names: the attributes that can be chosen.
    """

    field: Field
    name: str
    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def identifier(self) -> str:
        """Its name in the page."""
        return self.name.replace(":", "-")


@dataclass(frozen=True)
class Chosen:
    """A method as a form shows it.

    Args:
        form: what is known of it.
        entries: its fields.
        models: the privacy models that it can reach, where it reaches some.
        taken: the names of those that are chosen.
    """

    form: MethodForm
    entries: tuple[Entry, ...]
    models: tuple[Chosen, ...] = ()
    taken: tuple[str, ...] = ()

    @property
    def paragraphs(self) -> list[str]:
        """What it does and its formula, without the first line."""
        return [one for one in self.form.text.split("\n\n")[1:] if not one.startswith(NOT)]

    @property
    def limits(self) -> list[str]:
        """When not to use it."""
        return [one for one in self.form.text.split("\n\n") if one.startswith(NOT)]


def offered(families: Mapping[str, str]) -> dict[str, dict[str, type[Method]]]:
    """Return methods to choose from, by what their families are called."""
    return {label: family(word) for word, label in families.items()}


def chosen(
    method: type[Method],
    attributes: Iterable[Attribute],
    said: Mapping[str, Any] | None = None,
    prefix: str = "p",
) -> Chosen:
    """Return the form of a method, filled in with parameters as a plan says them.

    Args:
        method: the method.
        attributes: the attributes that there are.
        said: the parameters; what is left out is not filled in.
        prefix: what the names of its fields begin with.
    """
    form, known, given = form_of_method(method), list(attributes), dict(said or {})
    if not (method.family == "anonymization" and any(one.name == MODELS for one in form.fields)):
        return Chosen(form, _entries(form, known, given, prefix))
    models = _models(given.pop(MODELS, []))
    return Chosen(
        form,
        tuple(one for one in _entries(form, known, given, prefix) if one.field.name != MODELS),
        tuple(
            chosen(model, known, models.get(name), f"m:{name}")
            for name, model in family("model").items()
        ),
        tuple(models),
    )


def step_in(form: Form) -> Any:
    """Return the step that a person filled in, as a plan says it.

    Raises:
        ParameterError: something is missing or cannot be read.
    """
    name = one_of(form, "method")
    if name == WRITTEN:
        return _written(one_of(form, "text"))
    method = find(name, THAT_MASK)
    own = _own(form, "p")
    if MODELS in form:
        models = [
            {one: filled(find(one, ("model",)), _own(form, f"m:{one}"))} for one in form["to"]
        ]
        own = {**own, MODELS: [json.dumps(models)]}
    return {name: filled(method, own)}


def requirement_in(form: Form) -> dict[str, Any]:
    """Return the requirement that a person filled in, as a plan says it."""
    name = one_of(form, "method")
    method = find(name, FAMILIES)
    bounds = {word: _number(word, text) for word in BOUNDS if (text := _said(form, word))}
    return {name: {**filled(method, _own(form, "p")), **bounds}}


def one_of(form: Form, name: str) -> str:
    """Return what is filled in.

    Raises:
        InputError: nothing is.
    """
    said = _said(form, name)
    if not said:
        raise InputError(f"Nothing is filled in for `{name}`; choose something.")
    return said


def _said(form: Form, name: str) -> str:
    values = form.get(name) or ("",)
    return values[0].strip()


def _own(form: Form, prefix: str) -> dict[str, Sequence[str]]:
    head = f"{prefix}:"
    return {name.removeprefix(head): one for name, one in form.items() if name.startswith(head)}


def _number(word: str, text: str) -> int | float:
    try:
        number = yaml.safe_load(text)
    except yaml.YAMLError:
        number = None
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ParameterError(f"`{word}` should be a number such as 0.05; found {shown(text)}.")
    return number


def _written(text: str) -> Any:
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ParameterError(
            "The step should be written as in a plan, such as `rank_swap: {attributes: [age], "
            "p: 5}`."
        ) from error


def _models(said: Any) -> dict[str, Mapping[str, Any]]:
    return {name: given for one in said for name, given in one.items()}


def _entries(
    form: MethodForm, attributes: Sequence[Attribute], said: Mapping[str, Any], prefix: str
) -> tuple[Entry, ...]:
    fitting = [str(one["name"]) for one in attributes if one["kind"] in form.kinds]
    return tuple(
        Entry(
            field,
            f"{prefix}:{field.name}",
            texts := _texts(field, said.get(field.name)),
            tuple(dict.fromkeys((*fitting, *texts))) if "attribute" in field.kind else (),
        )
        for field in form.fields
    )


def _texts(field: Field, said: Any) -> tuple[str, ...]:
    """Return a parameter as a person would fill it in."""
    if said is None:
        return ()
    if field.kind == "attributes":
        return (said,) if isinstance(said, str) else tuple(map(str, said))
    if field.kind in ("attribute", "choice", "text"):
        return (str(said),)
    whole = isinstance(said, float) and said.is_integer()
    return (json.dumps(int(said) if whole else said, ensure_ascii=False),)

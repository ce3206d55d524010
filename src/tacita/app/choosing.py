"""Choosing methods: forms with what is filled in, and what a person chose as a plan says it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from tacita.app.forms import Field, MethodForm, as_number, filled, form_of_method
from tacita.app.repeating import repeated
from tacita.errors import InputError, ParameterError, shown
from tacita.method import THAT_MASK, Method
from tacita.plain_yaml import read_yaml
from tacita.registry import family, find
from tacita.release.requirement import BOUNDS, FAMILIES, Requirement

Form = Mapping[str, Sequence[str]]
Attribute = Mapping[str, Any]
WRITTEN = "written"  # a step as a plan writes it, which may be anything that a plan can say
MODELS = "to"  # the parameter that holds the models of an anonymization
MASKED = ("attribute", "attributes", "latitude", "longitude")  # others say by what, not what
TICKED = 300  # attributes at most
LINES = ":lines"  # ends the name of a field in which attributes stand one a line
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
        texts: what is filled in: what was said, or what holds otherwise.
        names: the attributes that can be chosen.
        is_said: whether somebody said it.
        within: what tells it from the same field of another form on the page.
    """

    field: Field
    name: str
    texts: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    is_said: bool = False
    within: str = ""

    @property
    def identifier(self) -> str:
        """Its name in the page."""
        return self.within + self.name.replace(":", "-")

    @property
    def is_listed(self) -> bool:
        """Whether there are too many attributes to tick some: they are written, one a line."""
        return self.field.kind == "attributes" and len(self.names) > TICKED


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
    within: str = "",
) -> Chosen:
    """Return the form of a method, filled in with parameters as a plan says them.

    Args:
        method: the method.
        attributes: the attributes that there are.
        said: the parameters; where one is left out, what holds then is filled in.
        prefix: what the names of its fields begin with.
        within: what tells its fields from those of another form on the page.
    """
    form, known, given = form_of_method(method), list(attributes), dict(said or {})
    if not (method.family == "anonymization" and any(one.name == MODELS for one in form.fields)):
        return Chosen(form, _entries(form, known, given, prefix, within))
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
    return repeated({name: filled(method, own)}, form, method)


def requirement_in(form: Form) -> dict[str, Any]:
    """Return the requirement that a person filled in, as a plan says it."""
    name = one_of(form, "method")
    method = find(name, FAMILIES)
    bounds = {word: _number(word, text) for word in BOUNDS if (text := _said(form, word))}
    return {name: {**filled(method, _own(form, "p")), **bounds}}


def bounds_of(requirement: Requirement) -> dict[str, Any]:
    """Return the bounds of a requirement, as a person fills them in."""
    said = next(iter(requirement.to_plan().values()))
    return {word: said[word] for word in BOUNDS if word in said}


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
    head, found = f"{prefix}:", {}
    for name, values in form.items():
        if name.startswith(head):
            lines = [line.strip() for text in values for line in text.splitlines()]
            found[name.removeprefix(head).removesuffix(LINES)] = (
                [line for line in lines if line] if name.endswith(LINES) else values
            )
    return found


def _number(word: str, text: str) -> int | float:
    number = as_number(text)
    if number is None:
        raise ParameterError(f"`{word}` should be a number such as 0.05; found {shown(text)}.")
    return number


def _written(text: str) -> Any:
    try:
        return read_yaml(text)
    except yaml.YAMLError as error:
        raise ParameterError(
            "The step should be written as in a plan, such as `rank_swap: {attributes: [age], "
            "p: 5}`."
        ) from error


def _models(said: Any) -> dict[str, Mapping[str, Any]]:
    return {name: given for one in said for name, given in one.items()}


def _entries(
    form: MethodForm,
    attributes: Sequence[Attribute],
    said: Mapping[str, Any],
    prefix: str,
    within: str = "",
) -> tuple[Entry, ...]:
    return tuple(
        Entry(
            field,
            f"{prefix}:{field.name}",
            texts := _texts(field, said.get(field.name, field.value if field.is_filled else None)),
            tuple(dict.fromkeys((*texts, *_fitting(form, field, attributes))))
            if "attribute" in field.kind
            else (),
            said.get(field.name) is not None,
            within,
        )
        for field in form.fields
    )


def _fitting(form: MethodForm, field: Field, attributes: Sequence[Attribute]) -> Iterator[str]:
    """Return the attributes that can be chosen: of what is masked, those of kinds that fit."""
    for one in attributes:
        if field.name not in MASKED or one["kind"] in form.kinds:
            yield str(one["name"])


def _texts(field: Field, said: Any) -> tuple[str, ...]:
    """Return a parameter as a person would fill it in."""
    if said is None:
        return ()
    if field.kind == "attributes":
        return (said,) if isinstance(said, str) else tuple(map(str, said))
    if field.kind in ("attribute", "choice", "text") or (
        field.kind == "value" and isinstance(said, str)
    ):
        return (str(said),)
    whole = isinstance(said, float) and said.is_integer()
    return (json.dumps(int(said) if whole else said, ensure_ascii=False),)

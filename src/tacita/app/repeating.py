"""Steps that get stricter until a requirement holds: from a form to what a plan says, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from tacita.app.forms import form_of_method
from tacita.errors import ParameterError, shown
from tacita.method import Method
from tacita.plain_yaml import read_yaml
from tacita.release.plan import Plan, Until
from tacita.release.requirement import Requirement
from tacita.results import brief

Form = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Repetition:
    """How a step is repeated, as a form shows it.

    Args:
        until: what must hold, in JSON; empty for a step that is done once.
        varied: the parameter that differs from round to round.
        rounds: its values, the mildest first.
    """

    until: str = ""
    varied: str = ""
    rounds: str = ""


ONCE = Repetition()


def repetition_of(step: Until) -> tuple[Method, Repetition] | None:
    """Return the method that a step repeats and how, if its rounds differ in one parameter."""
    methods = [one[0] for one in step.rounds if len(one) == 1]
    if not methods or len(methods) < len(step.rounds) or len(set(map(type, methods))) > 1:
        return None
    usual = {field.name: field.value for field in form_of_method(type(methods[0])).fields}
    said = [{**usual, **method.parameters()} for method in methods]
    varied = [name for name in usual if any(one[name] != said[0][name] for one in said)]
    if len(varied) != 1:
        return None
    values = json.dumps([one[varied[0]] for one in said], ensure_ascii=False)[1:-1]
    return methods[0], Repetition(_text(step.requirement), varied[0], values)


def untils(plan: Plan, repetition: Repetition) -> list[tuple[str, str]]:
    """Return what a step can be repeated for: the requirements, each in JSON and in words."""
    own = {_text(one): brief(one.to_plan()) for one in plan.requirements}
    if repetition.until:
        own[repetition.until] = brief(json.loads(repetition.until))
    return list(own.items())


def repeated(step: dict[str, Any], form: Form, method: type[Method]) -> dict[str, Any]:
    """Return a step with its rounds, where a person asks for some.

    Raises:
        ParameterError: it is not said what changes, or a round cannot be carried out.
    """
    until, varied, rounds = (_said(form, word) for word in ("until", "varied", "rounds"))
    if not until:
        return step
    if not varied or not rounds:
        raise ParameterError(
            "A step that is repeated needs what changes from round to round, and its values with "
            "the mildest first, such as 5, 10, 15."
        )
    ((name, given),) = step.items()
    return {
        "until": _requirement(until),
        "rounds": [{name: _checked(method, {**given, varied: one})} for one in _values(rounds)],
    }


def _checked(method: type[Method], given: dict[str, Any]) -> dict[str, Any]:
    method(**given)
    return given


def _values(said: str) -> list[Any]:
    try:
        found = read_yaml(f"[{said}]")
    except yaml.YAMLError:
        found = None
    if not isinstance(found, list) or not found:
        raise ParameterError(
            f"The values of the rounds have commas in between, such as 5, 10, 15; found "
            f"{shown(said)}."
        )
    return found


def _requirement(said: str) -> dict[str, Any]:
    try:
        found = json.loads(said)
    except ValueError as error:
        raise ParameterError("Choose one of the requirements for the rounds.") from error
    return Requirement.from_plan(found).to_plan()


def _text(requirement: Requirement) -> str:
    return json.dumps(requirement.to_plan(), ensure_ascii=False, sort_keys=True)


def _said(form: Form, name: str) -> str:
    return (form.get(name) or ("",))[0].strip()

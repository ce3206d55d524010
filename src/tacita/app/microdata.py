"""The part of a plan that masks records: steps and requirements, changed one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from tacita.app.projects import Document
from tacita.errors import InputError
from tacita.release.plan import Plan, Until
from tacita.results import brief

Move = Literal["up", "down", "remove"]


def listed_in(plan: Document, word: str) -> list[Any]:
    """Return the steps or the requirements of a plan, as it says them."""
    return list((plan.get("microdata") or {}).get(word) or [])


def having(plan: Document, **parts: Any) -> dict[str, Any]:
    """Return a plan with other parts of what it says of microdata; None leaves a part out."""
    said = {**(plan.get("microdata") or {}), **parts}
    return {**plan, "microdata": {word: one for word, one in said.items() if one is not None}}


def put(said: Sequence[Any], one: Any, place: int | None) -> list[Any]:
    """Return a list with something at its end, or instead of what stands at a place."""
    if place is None:
        return [*said, one]
    _refuse_place(said, place)
    return [*said[:place], one, *said[place + 1 :]]


def moved(said: Sequence[Any], place: int, how: Move) -> list[Any]:
    """Return a list in which something stands one place earlier or later, or no more.

    >>> moved(["a", "b", "c"], 1, "up"), moved(["a", "b"], 0, "remove")
    (['b', 'a', 'c'], ['b'])
    """
    _refuse_place(said, place)
    rest = [*said[:place], *said[place + 1 :]]
    if how == "remove":
        return rest
    target = max(place - 1, 0) if how == "up" else place + 1
    return [*rest[:target], said[place], *rest[target:]]


def told(plan: Plan) -> list[str]:
    """Return the steps of a plan as a person names them."""
    return [
        f"until {brief(step.requirement.to_plan())}: {len(step.rounds)} rounds"
        if isinstance(step, Until)
        else brief_step(step.to_plan())
        for step in plan.steps
    ]


def required_in(plan: Plan) -> list[str]:
    """Return the requirements of a plan as a person names them, without those of its profile."""
    own = len(plan.requirements) - (len(plan.profile.requirements) if plan.profile else 0)
    return [brief(one.to_plan()) for one in plan.requirements[:own]]


def brief_step(step: Any) -> str:
    """Return a step as a person names it.

    >>> brief_step({"lattice": {"to": [{"k_anonymity": {"k": 5}}], "suppression_limit": 0.1}})
    'lattice (to k_anonymity (k 5), suppression_limit 0.1)'
    >>> brief_step({"rank_swap": {"attributes": ["age", "zip"], "p": 5.0}})
    'rank_swap (attributes age + zip, p 5)'
    """
    ((name, given),) = step.items()
    return brief({name: {word: _brief_value(word, value) for word, value in given.items()}})


def _brief_value(word: str, value: Any) -> Any:
    if word == "to":
        return " and ".join(brief(one) for one in value)
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return " + ".join(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _refuse_place(said: Sequence[Any], place: int) -> None:
    if not 0 <= place < len(said):
        raise InputError("It is no longer there; load the page again.")

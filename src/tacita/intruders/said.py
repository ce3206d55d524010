"""Who attacks, however somebody says it: as an object, a name, or as plans do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacita.errors import ParameterError, did_you_mean, shown
from tacita.intruders.intruder import Intruder
from tacita.intruders.library import scenario
from tacita.intruders.scenario import Scenario

Said = Intruder | Scenario | Mapping[str, Any] | str


def as_intruder(said: Said) -> Intruder | Scenario:
    """Return the intruder or scenario that somebody said, as a plan file does or as it is.

    A plan says `health/neighbour`, `{scenario: health/neighbour, attributes: {age: years}}` or
    `{attributes: [age, zip], accuracy: {age: {rounded: 5}}}`.
    """
    if isinstance(said, Intruder | Scenario):
        return said
    if isinstance(said, str):
        return scenario(said)
    if not isinstance(said, Mapping):
        raise ParameterError(
            "An intruder is like `{attributes: [age, zip]}` or `{scenario: health/neighbour}`; "
            f"found {shown(said)}."
        )
    given = {str(word): value for word, value in said.items()}
    if "scenario" in given and not isinstance(given.get("attributes", {}), list | tuple):
        return _changed(given.pop("scenario"), given)
    return Intruder(**given)


def _changed(path: Any, others: Mapping[str, Any]) -> Scenario:
    if not isinstance(path, str):
        raise ParameterError(f"`scenario` is like `health/neighbour`; found {shown(path)}.")
    known = ("attributes", "respondents", "in_file")
    for word in others:
        if word not in known:
            raise ParameterError(
                f"Of a scenario {', '.join(known)} can be changed, not `{word}`; say all of an "
                f"intruder without `scenario` instead.{did_you_mean(word, known)}"
            )
    return scenario(path).changed(**others)

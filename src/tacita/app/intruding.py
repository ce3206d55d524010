"""The editor of the intruder: from what a person fills in to what a plan says, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from tacita.app.forms import as_number
from tacita.errors import ParameterError, shown
from tacita.intruders.accuracy import COARSE, ERRORS
from tacita.intruders.intruder import Intruder
from tacita.intruders.library import scenario, scenarios
from tacita.intruders.said import as_intruder
from tacita.intruders.scenario import Scenario
from tacita.plain_yaml import read_yaml

Form = Mapping[str, Sequence[str]]
Who = Intruder | Scenario | None
OWN = "own"
WRITTEN = "written"
WORST = "the worst case, who knows all keys of everybody exactly"
EXACT = "exact"
WAYS = {
    EXACT: "exactly",
    "rounded": "rounded to multiples of",
    "classes": "in classes that begin at",
    "level": "at the level of its hierarchy",
    "prefix": "only its first letters, so many",
    "unit": "by the year, quarter, month or week",
    "relative_error": "with an error, as a share of its size",
    "absolute_error": "with an error of",
}


@dataclass(frozen=True)
class Row:
    """An attribute, and how an intruder holds it.

    Args:
        name: the attribute.
        is_held: whether it is said to be held.
        way: how exactly; a word of `WAYS`.
        size: how coarsely, or with how large an error.
        wrong: the probability that the value is wrong.
        missing: the share of respondents of whom it is missing.
    """

    name: str
    is_held: bool = False
    way: str = EXACT
    size: str = ""
    wrong: str = ""
    missing: str = ""


def words(who: Who) -> str:
    """Say in words who attacks."""
    if who is None:
        return WORST
    return f"{who.who} ({who.path})" if isinstance(who, Scenario) else f"somebody who {who}"


def kind_of(who: Who) -> str:
    """Return which form shows an intruder: its scenario, one's own, or the plan's text."""
    if who is None:
        return ""
    if isinstance(who, Scenario):
        return who.path
    both = any(one.coarse and one.error is not None for one in who.accuracy.values())
    return WRITTEN if both or who.scenario else OWN


def rows(who: Who, names: Sequence[str]) -> list[Row]:
    """Return the attributes, each as it is held."""
    if not isinstance(who, Intruder):
        return [Row(name) for name in names]
    gone = [name for name in (*(who.attributes or ()), *who.accuracy) if name not in names]
    return [_row(who, name) for name in (*names, *dict.fromkeys(gone))]


def filled_in(form: Form, said: Any) -> Any:
    """Return the intruder that a person filled in, as a plan says it; None for the worst case.

    Args:
        form: what was filled in.
        said: what the plan said of the intruder before, of which the rest is kept.

    Raises:
        ParameterError: something cannot be read, or no intruder can be so.
    """
    who = _text(form, "who")
    if not who:
        return None
    found = _written(_text(form, "text")) if who == WRITTEN else _filled(form, who, said)
    as_intruder(found)
    return found


def _filled(form: Form, who: str, said: Any) -> dict[str, Any]:
    return _own(form, said) if who == OWN else _scenario(form, scenario(who))


def _row(who: Intruder, name: str) -> Row:
    accuracy = who.exactness(name)
    given = accuracy.to_plan()
    way = next((word for word in (*COARSE, *ERRORS) if word in given), EXACT)
    size = given.get(way, "")
    return Row(
        name,
        name in (who.attributes or ()),
        way,
        ", ".join(map(str, size)) if isinstance(size, list) else str(size),
        str(given.get("wrong", "")),
        str(given.get("missing", "")),
    )


def _own(form: Form, said: Any) -> dict[str, Any]:
    """Return an intruder of one's own; where nothing is ticked, the keys are held."""
    names = form.get("name", ())
    held = [name for place, name in enumerate(names) if str(place) in form.get("held", ())]
    exactness = {
        name: given for place, name in enumerate(names) if (given := _accuracy(form, place, name))
    }
    seed = said.get("seed") if isinstance(said, Mapping) else None
    found = {
        "attributes": held,
        "accuracy": exactness,
        "respondents": _share(form, "respondents"),
        "in_file": None if (there := _share(form, "in_file")) == 1 else there,
        "seed": seed,
    }
    return {word: given for word, given in found.items() if given not in (None, [], {})}


def _accuracy(form: Form, place: int, name: str) -> dict[str, Any]:
    way, size = _text(form, f"way {place}") or EXACT, _text(form, f"size {place}")
    said = {word: _share(form, f"{word} {place}") for word in ("wrong", "missing")}
    if way not in WAYS:
        raise ParameterError(f"`{name}` is held in one of the ways there are; found {shown(way)}.")
    if way != EXACT:
        if not size:
            raise ParameterError(f"Say of `{name}` how exactly it is held: {WAYS[way]} what?")
        said[way] = _size(way, size)
    return {word: given for word, given in said.items() if given is not None}


def _size(way: str, size: str) -> Any:
    if way == "unit":
        return size
    if way == "classes":
        return [_number(one) for one in size.split(",")]
    return _number(size)


def _scenario(form: Form, found: Scenario) -> dict[str, Any]:
    """Return a scenario with what was changed of it."""
    named = {held.concept: [one for one in form.get(f"c:{held.concept}", ()) if one]
             for held in found.holds}  # fmt: skip
    naming = {concept: names for concept, names in named.items() if names}
    said: dict[str, Any] = {"scenario": found.path, **({"attributes": naming} if naming else {})}
    for word in ("respondents", "in_file"):
        given = _share(form, word)
        if given != getattr(found, word):
            said[word] = given
    return said


def _share(form: Form, name: str) -> int | float | None:
    """Return a number or a share, which may be said in per cent; None where nothing is said."""
    said = _text(form, name)
    if said.endswith("%"):
        return round(_number(said.removesuffix("%").strip()) / 100, 12)
    return _number(said) if said else None


def _number(said: str) -> int | float:
    number = as_number(said.strip())
    if number is None:
        raise ParameterError(f"Expected a number, such as 150, 0.4 or 40 %; found {shown(said)}.")
    return number


def _written(said: str) -> Any:
    try:
        return read_yaml(said)
    except yaml.YAMLError as error:
        raise ParameterError(
            "An intruder is written as in a plan, such as `{attributes: [age], respondents: 0.4}`."
        ) from error


def _text(form: Form, name: str) -> str:
    return (form.get(name) or ("",))[0].strip()


def offered() -> dict[str, list[Scenario]]:
    """Return the scenarios of the library by their domains."""
    found: dict[str, list[Scenario]] = {}
    for one in scenarios():
        found.setdefault(one.domain, []).append(one)
    return found

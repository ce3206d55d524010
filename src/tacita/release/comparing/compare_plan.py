"""What a plan says under `compare`: other ways to mask the data, mapped in the internal report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from tacita.errors import ParameterError, PlanError, shown
from tacita.method import Method
from tacita.registry import from_plan
from tacita.release.comparing.grid import USUAL, count_ways, entries
from tacita.release.comparing.score import LOSSES, RISKS, Score, scoring_of
from tacita.release.comparing.score_card import Scoring
from tacita.release.located import Located, Path_, dotted
from tacita.release.walker import Walker

SAMPLE = 10_000
EVERY = "all"
PLACE: Path_ = ("microdata", "compare")
FIELDS = ("methods", "risk", "loss", "by", "sample")
SCORED = tuple(part.name for part in fields(Score) if part.name != "seed")


@dataclass(frozen=True)
class ComparePlan:
    """Other ways to mask the data, which lie beside the release in a map for the house.

    Args:
        methods: what to try, as grids; None for what is usual.
        ways: how many ways to mask that are.
        by: the score that measures risk and loss.
        sample: how many records they are tried on at most; None for all.
        said: all of it, as a plan says it.
    """

    methods: Any
    ways: int
    by: Scoring
    sample: int | None = SAMPLE
    said: Mapping[str, Any] = field(default_factory=dict, compare=False)


def read_compare(walker: Walker) -> ComparePlan | None:
    """Read what a plan compares its masking with; None if it says nothing of it.

    Raises:
        PlanError: something in it could be tried on no data.
    """
    whole = walker.value(PLACE[:1])
    if not isinstance(whole, Mapping) or "compare" not in whole:
        return None
    return _read(walker)


def _read(walker: Walker) -> ComparePlan:
    said = walker.mapping(PLACE, FIELDS)
    methods = said.get("methods")
    return ComparePlan(
        methods,
        _counted(walker, USUAL if methods is None else methods),
        _scoring(walker, said),
        _sample(walker, said.get("sample", SAMPLE)),
        said,
    )


class _Said(Located):
    """What somebody says in Python, where fields have names and no lines."""

    def place(self, path: Path_) -> str:
        return f"`{dotted(path[1:])}`"


def compare_of(said: Mapping[str, Any]) -> ComparePlan:
    """Return what a release is compared with, as somebody says it in Python.

    The fields are those of a plan; methods and the score may be objects.

    Raises:
        ParameterError: something in it could be tried on no data.

    >>> compare_of({"methods": {"rank_swap": {"p": [5, 10]}}, "sample": 500}).ways
    2
    """
    if not isinstance(said, Mapping):
        raise ParameterError(
            "`compare` is like `{'methods': {'rank_swap': {'p': [5, 10]}}}`; "
            f"found {shown(said)}."
        )
    document = {"microdata": {"compare": _plain(said)}}
    try:
        return _read(Walker(_Said(Path("compare"), document, {}, "")))
    except PlanError as error:
        raise ParameterError(str(error)) from error


def _plain(said: Any) -> Any:
    """Return what stands in Python as a plan says it: methods by name, sequences as lists."""
    if isinstance(said, Method):
        return said.to_plan()
    if isinstance(said, Score):
        usual = asdict(Score())
        return _plain({word: one for word, one in asdict(said).items() if one != usual[word]})
    if isinstance(said, Mapping):
        return {word: _plain(one) for word, one in said.items()}
    return [_plain(one) for one in said] if isinstance(said, list | tuple) else said


def _counted(walker: Walker, methods: Any) -> int:
    """Count the ways to mask, and refuse what could be tried on no data."""
    path = (*PLACE, "methods")
    if not isinstance(methods, str | Mapping | list) or not methods:
        raise walker.located.error(
            path,
            "expected methods with lists of values to try, such as `rank_swap: {p: [5, 10]}`; "
            f"found {shown(methods)}.",
        )
    if isinstance(methods, list):
        return sum(walker.each(path, methods, lambda entry, _: count_ways(entry)))
    return sum(walker.at(path, entry, lambda one, _: count_ways(one)) for entry in entries(methods))


def _scoring(walker: Walker, said: Mapping[str, Any]) -> Scoring:
    """Read what measures: risks and losses, or the score of Domingo-Ferrer and Torra."""
    risk, loss = (
        _measures(walker, word, said[word], families) if word in said else None
        for word, families in (("risk", RISKS), ("loss", LOSSES))
    )
    by = None
    if "by" in said:
        path = (*PLACE, "by")
        by = walker.at(path, walker.mapping(path, SCORED), lambda given, _: Score(**given))
    return walker.at(PLACE, said, lambda *_: scoring_of(risk, loss, by))


def _measures(walker: Walker, word: str, said: Any, families: tuple[str, ...]) -> list[Method]:
    path = (*PLACE, word)
    if isinstance(said, list) and said:
        return list(walker.each(path, said, lambda one, _: from_plan(one, families)))
    return [walker.at(path, said, lambda one, _: from_plan(one, families))]


def _sample(walker: Walker, said: Any) -> int | None:
    if said == EVERY:
        return None
    if isinstance(said, bool) or not isinstance(said, int) or said < 1:
        raise walker.located.error(
            (*PLACE, "sample"),
            f"expected a number of records, 1 or more, or `{EVERY}`; found {shown(said)}.",
        )
    return said

"""Attacks on a guarded copy of the data, before others try them on the database itself."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from secrets import token_bytes
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tacita.app.hands.asked import as_asked, plainly
from tacita.app.hands.guarding import guarded, tried
from tacita.app.hands.work import Work
from tacita.attacks.queries.intruding.intruder import Outcome, Target
from tacita.attacks.queries.intruding.register import Register
from tacita.data.attribute import Kind
from tacita.errors import InputError, TacitaError, did_you_mean
from tacita.queries.answer import Answer
from tacita.queries.guard import Guard
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.public_classes import PublicClasses
from tacita.registry import find
from tacita.release.execute import derived

KEY_BYTES = 32  # of a ledger that nobody reads
CHOOSING = 6  # the place of the victims' seed among those derived from the project's
GIVEN_UP = "It was given up after {:g} seconds, which proves nothing; give it more time."


class OutOfTimeError(Exception):
    """An attack took too long; no attack takes it for something that the database said."""


class Impatient:
    """A guard that answers an intruder for some time only.

    Args:
        guard: what answers.
        seconds: how long.
    """

    def __init__(self, guard: Guard, seconds: float) -> None:
        self._guard, self._until = guard, time.monotonic() + seconds

    def ask(self, sql: str, *, user: str) -> Answer:
        """Answer one query, if there is time."""
        if time.monotonic() > self._until:
            raise OutOfTimeError
        return self._guard.ask(sql, user=user)


def run(work: Work) -> dict[str, Any]:
    """Return what every attack came to, each on a guard without any history."""
    work = as_asked(work)
    asked = work.arguments
    with plainly(work):
        work.tell("guarding a copy")
        data = tried(work).data
        targets = _targets(data, asked["attribute"], asked["victims"], work.seed)
        work.tell(1 + len(targets) * len(asked["attacks"]))
        told = [
            _told(name, [_tried(name, work, data, one) for one in targets])
            for name in asked["attacks"]
        ]
    return {
        "attribute": asked["attribute"],
        "victims": [{name: str(value) for name, value in one.known.items()} for one in targets],
        "records": data.records,
        "masked": guarded(work.plan).input == "masked",
        "attacks": told,
    }


def _tried(name: str, work: Work, data: PublicClasses, target: Target) -> Outcome | str:
    """Try one attack; one that does not fit the data, or takes too long, says so."""
    work.tell(name)
    said, seconds = guarded(work.plan), work.arguments["seconds"]
    method: Any = find(name, ("query attack",))()
    # With a ledger of its own: an answer without an entry would count as one that slipped through.
    with (
        TemporaryDirectory(dir=work.scratch) as place,
        open_ledger(Path(place) / "ledger.db", token_bytes(KEY_BYTES)) as ledger,
    ):
        guard = Guard(data, said.policies, ledger=ledger, published=said.published)
        try:
            outcome: Outcome = method.attack(Impatient(guard, seconds), target)
        except OutOfTimeError:
            return GIVEN_UP.format(seconds)
        except TacitaError as error:
            return str(error)
        return outcome


def _told(name: str, outcomes: Sequence[Outcome | str]) -> dict[str, Any]:
    done = [one for one in outcomes if isinstance(one, Outcome)]
    return {
        "attack": name,
        "tried": len(done),
        "succeeded": sum(one.succeeded for one in done),
        "asked": sum(one.asked for one in done),
        "refused": sum(one.refused for one in done),
        "found": [one.to_dict() for one in done if one.succeeded],
        "unfit": sorted({one for one in outcomes if isinstance(one, str)}),
    }


def _targets(data: PublicClasses, attribute: str, victims: int, seed: int) -> list[Target]:
    """Choose respondents at random who are the only ones of their kind and have a value.

    Raises:
        InputError: there is nobody to be attacked.
    """
    numbers = _numbers(data, attribute)
    register = Register.of(data)
    values = zip(
        *[data.columns[name].of_classes().to_pylist() for name in register.names], strict=True
    )
    first = dict(zip(values, data.starts[:-1].tolist(), strict=True))  # of a class its first record
    alone = [
        (known, truth)
        for known in register.unique()
        if not np.isnan(truth := float(numbers[first[tuple(known.values())]]))
    ]
    if not alone:
        raise InputError(
            "Nobody who has a value is the only one of a kind by public attributes, so that the "
            "attacks have no target."
        )
    rng = np.random.default_rng(derived(seed, CHOOSING))
    chosen = np.sort(rng.choice(len(alone), min(victims, len(alone)), replace=False))
    return [Target(alone[place][0], attribute, register, alone[place][1]) for place in chosen]


def _numbers(data: PublicClasses, attribute: str) -> np.ndarray[Any, Any]:
    """Return the confidential numbers that are attacked, in the order of the classes."""
    known = [name for name in data.hidden if data.attributes[name].kind is Kind.CONTINUOUS]
    if attribute not in known:
        raise InputError(
            f"Expected a confidential number of the view; found `{attribute}`."
            f"{did_you_mean(attribute, known)}"
        )
    return data.numbers(attribute)

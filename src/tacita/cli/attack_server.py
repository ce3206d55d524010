"""`tacita attack` on a server: try the attacks on your own one before others do."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from tacita.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from tacita.api.remote import RemoteDatabase
    from tacita.attacks.queries.intruding.intruder import Outcome, Target
    from tacita.attacks.queries.intruding.register import Register
    from tacita.queries.answer import Answer

TOKEN_FROM = "TACITA_TOKEN"  # noqa: S105 - the variable's name, not a token


def attack_server(
    url: str,
    attribute: str | None,
    victim: Sequence[str],
    truth: float | None,
    only: Sequence[str],
    token_from: Sequence[str],
    rate: float,
    certificate: Path | None,
    *,
    as_json: bool,
) -> None:
    """Try attacks on a server, and tell what each came to."""
    from tacita.api.remote import connect
    from tacita.attacks.queries.intruding.intruder import Target

    if attribute is None:
        raise ParameterError(
            "An attack on a server needs the confidential attribute to find out: `--attribute`."
        )
    tokens = [os.environ.get(name) for name in token_from or [TOKEN_FROM]]
    with ExitStack() as stack:
        databases = [
            stack.enter_context(connect(url, token, certificate=certificate)) for token in tokens
        ]
        accounts, view = Accounts(databases, rate), databases[0].view
        _refuse_attribute(attribute, view)
        register = _register(accounts, view)
        target = Target(_known(register, victim), attribute, register, truth)
        outcomes = [_tried(name, accounts, target) for name in _names(only)]
    _show(outcomes, target, as_json)


class Accounts:
    """The accounts of one intruder on a server, as attacks ask them.

    Args:
        databases: the connections, one for each account.
        rate: the most questions a second over all accounts; 0 does not wait.
    """

    def __init__(self, databases: Sequence[RemoteDatabase], rate: float) -> None:
        self._databases = databases
        self._pause = 1 / rate if rate else 0.0
        self._users: dict[str, RemoteDatabase] = {}
        self._next = 0.0
        self._lock = Lock()

    def ask(self, sql: str, *, user: str) -> Answer:
        """Ask by the account of a user; users share accounts where there are too few."""
        with self._lock:
            place = len(self._users) % len(self._databases)
            database = self._users.setdefault(user, self._databases[place])
            wait = max(0.0, self._next - time.monotonic())
            self._next = time.monotonic() + wait + self._pause
        time.sleep(wait)
        return database.ask(sql)


def _refuse_attribute(name: str, view: dict[str, Any]) -> None:
    """Refuse what is no confidential number: every attack on it would fail and prove nothing."""
    from tacita.data.attribute import Kind

    numbers = [
        one for one, told in view["confidential"].items() if told["kind"] == Kind.CONTINUOUS.value
    ]
    if name not in numbers:
        raise ParameterError(
            f"`--attribute` names a confidential number of the view `{view['view']}`; found "
            f"`{name}`.{did_you_mean(name, numbers)}"
        )


def _register(accounts: Accounts, view: dict[str, Any]) -> Register:
    from tacita.attacks.queries.intruding.intruder import asked_register

    return asked_register(accounts, view["view"], list(view["public"]), "intruder")


def _known(register: Register, said: Iterable[str]) -> dict[str, Any]:
    """Return what is known of the victim, or of the first who is the only one of a kind."""
    known = {}
    for one in said:
        name, sign, value = one.partition("=")
        if not sign:
            raise ParameterError(f"`--victim` is said as name=value; found {one!r}.")
        known[name] = _value(value, register.values(name))
    if known:
        return known
    anybody = next(register.unique(), None)
    if anybody is None:
        raise ParameterError(
            "Nobody is the only one of a kind by public attributes; the attacks have no target."
        )
    return anybody


def _value(text: str, values: Iterable[Any]) -> Any:
    """Return the value that is written so."""
    for value in values:
        if text in (str(value), json.dumps(value)):
            return value
    return text


def _names(only: Sequence[str]) -> list[str]:
    from tacita.registry import family, find

    return [find(name, ("query attack",)).name for name in only or family("query attack")]


def _tried(name: str, accounts: Accounts, target: Target) -> Outcome:
    from tacita.registry import find

    method: Any = find(name)()
    outcome: Outcome = method.attack(accounts, target)
    return outcome


def _show(outcomes: Sequence[Outcome], target: Target, as_json: bool) -> None:
    from tacita.attacks.queries.intruding.intruder import success_rate
    from tacita.cli.printing import print_json, say

    if as_json:
        rate = float(success_rate(outcomes))
        print_json({"success_rate": rate, "outcomes": [one.to_dict() for one in outcomes]})
        return
    told = ", ".join(f"{name} {value}" for name, value in target.known.items())
    say(f"{target.attribute} of the one with {told}")
    for outcome in outcomes:
        say(repr(outcome))
    if any(outcome.is_unchecked for outcome in outcomes):
        say("What is unchecked may be noise: say with `--truth` what the victim's value is.")

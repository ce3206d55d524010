"""The part of a plan that guards a database: settings and policies, changed one at a time."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml

from tacita.app.asking import Question
from tacita.app.bench import Bench
from tacita.app.choosing import one_of
from tacita.app.forms import filled
from tacita.app.jobs import CLOSING, OPENING
from tacita.app.projects import Document, Project, in_yaml
from tacita.data.formats import is_address
from tacita.errors import InputError, ParameterError, shown
from tacita.plain_yaml import read_yaml
from tacita.registry import find
from tacita.release.query_plan import QueryPlan

Form = Mapping[str, Sequence[str]]
Kind = Literal["text", "choice", "number", "lines", "list"]
FAMILY = ("policy",)
NEEDED = ("view", "ledger")
KINDS: Mapping[str, Kind] = {
    "input": "choice", "tick": "number", "rate": "number", "published": "lines", "known": "list",
}  # fmt: skip
SETTINGS = tuple(
    name for name in QueryPlan.model_fields if name not in ("policies", "collect", "collected")
)
REMOTE = 10  # seconds that what was read from a ledger on a server is taken as new


@dataclass(frozen=True)
class Setting:
    """A setting as a form asks for it.

    Args:
        name: its name in plans.
        kind: what is filled in.
        about: what it is.
        text: what is filled in already.
        needed: whether it must be.
    """

    name: str
    kind: Kind
    about: str
    text: str
    needed: bool


def database_in(plan: Document) -> dict[str, Any]:
    """Return what a plan says of its database; nothing where it guards none."""
    return dict(plan.get("queries") or {})


def having_database(plan: Document, said: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a plan that says something else of its database; None where it guards none."""
    rest = {word: one for word, one in plan.items() if word != "queries"}
    return rest if said is None else {**rest, "queries": dict(said)}


def begun(name: str) -> dict[str, Any]:
    """Return what is said of a database to begin with, but for its policies.

    >>> begun("2024 firms.csv")
    {'view': 'firms', 'ledger': 'firms-ledger.db', 'tokens': 'firms-tokens.json'}
    """
    view = re.sub(r"[^A-Za-z0-9_]+", "_", Path(name).stem).strip("_0123456789").lower() or "data"
    return {"view": view, "ledger": f"{view}-ledger.db", "tokens": f"{view}-tokens.json"}


def settings_of(said: Mapping[str, Any]) -> list[Setting]:
    """Return the settings of a database with what is filled in."""
    return [
        Setting(
            name,
            KINDS.get(name, "text"),
            str(QueryPlan.model_fields[name].description),
            _written(name, said.get(name)),
            name in NEEDED,
        )
        for name in SETTINGS
    ]


def settings_in(form: Form) -> dict[str, Any]:
    """Return the settings that a person filled in, as a plan says them; blanks are left out.

    >>> settings_in({"view": ["firms"], "ledger": ["l.db"], "rate": ["5"], "known": ["1, 4"]})
    {'view': 'firms', 'ledger': 'l.db', 'known': [1, 4], 'rate': 5}
    """
    for name in NEEDED:
        one_of(form, name)
    texts = {name: (form.get(name) or [""])[0].strip() for name in SETTINGS}
    return {name: _read(name, text) for name, text in texts.items() if text}


def policy_in(form: Form) -> dict[str, Any]:
    """Return the policy that a person filled in, as a plan says it."""
    name = one_of(form, "method")
    own = {word[2:]: one for word, one in form.items() if word.startswith("p:")}
    return {name: filled(find(name, FAMILY), own)}


def view_of(plan: Document) -> Question:
    """Ask what analysts may name, and what holds of the answers."""
    return Question("guard_view", "Looking at the view", "quick", {"plan": _part(plan)})


def attacks_on(plan: Document, **asked: Any) -> Question:
    """Ask what attacks come to on a copy of the database."""
    return Question("attack_queries", "Attacking a copy", "long", {"plan": _part(plan), **asked})


def stamp_of(bench: Bench, plan: Document) -> Any:
    """Return what changes whenever something is written to the ledger; None before it begins."""
    ledger = str(database_in(plan)["ledger"])
    if is_address(ledger):
        return int(time.time() / REMOTE)
    path = bench.workplace.inside(ledger)
    seen = [Path(f"{path}{ending}") for ending in ("", "-wal")]
    states = [_state(one) for one in seen]
    return states if states[0] is not None else None


def is_open(bench: Bench, project: Project) -> bool:
    """Tell whether the database was opened here and not closed since; one ledger at a time."""
    ledger = database_in(project.variant.plan).get("ledger")
    for job in bench.jobs.all(project.identifier):
        if job.task == CLOSING:
            return False
        if job.task == OPENING and job.arguments["ledger"] == ledger:
            return job.state not in ("failed", "stopped")
    return False


def saved_as(bench: Bench, plan: Document) -> str | None:
    """Return the plan file of the folder that says just this, if there is one.

    Those of inner folders say something else by the same words: their paths start elsewhere.
    """
    text = in_yaml(plan)
    for name in bench.workplace.plans():
        if Path(name).parent != Path():
            continue
        try:
            said = bench.workplace.inside(name).read_text("utf-8", errors="replace")
        except (OSError, InputError):  # it was removed meanwhile, or leads elsewhere
            continue
        if said == text:
            return name
    return None


def _part(plan: Document) -> dict[str, Any]:
    """Return what the view depends on: other steps matter only if a masked copy is guarded."""
    said = database_in(plan)
    words = ("data", "microdata") if said.get("input") == "masked" else ("data",)
    return {**{word: plan[word] for word in words if word in plan}, "queries": said}


def _state(path: Path) -> list[int] | None:
    try:
        seen = path.stat()
    except OSError:
        return None
    return [seen.st_size, seen.st_mtime_ns]


def _written(name: str, said: Any) -> str:
    if said is None:
        return ""
    if KINDS.get(name) == "lines":
        return "\n".join(map(str, said))
    if KINDS.get(name) == "list":
        return yaml.safe_dump(list(said), default_flow_style=True, width=2**20).strip()[1:-1]
    return str(said)


def _read(name: str, text: str) -> Any:
    kind = KINDS.get(name, "text")
    if kind == "lines":
        return [line.strip() for line in text.splitlines() if line.strip()]
    if kind in ("text", "choice"):
        return text
    try:
        return read_yaml(f"[{text}]" if kind == "list" else text)
    except yaml.YAMLError as error:
        wish = "a list such as 1, 4" if kind == "list" else "a number"
        raise ParameterError(f"`{name}` should be {wish}; found {shown(text)}.") from error


def refuse_no_database(plan: Document) -> dict[str, Any]:
    """Return what a plan says of its database.

    Raises:
        InputError: it guards none.
    """
    said = database_in(plan)
    if not said:
        raise InputError("The plan guards no database yet: choose a policy first.")
    return said

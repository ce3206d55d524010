"""Projects: every plan that was tried, as a tree in which nothing is ever lost.

A change in the browser makes a new variant, whose plan is the whole plan after the change. To undo
is to go back to the variant it was made from; to change something there begins a branch. What
happens is written line by line to the end of a file, so that a second tab, a reload or a crash
loses nothing.
"""

from __future__ import annotations

import io
import json
import os
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from tacita.api.seeds import SEED_BITS
from tacita.app.documents import settled
from tacita.app.reaching import refuse_elsewhere
from tacita.app.refusing import why
from tacita.app.workplace import PLAN, Workplace
from tacita.errors import InputError, OutputError, PlanError
from tacita.release.plan import Plan, understood

HISTORY = "history.jsonl"
UNDERSTOOD = 32  # plans that are remembered, as pages ask for the same ones again and again
VARIANT = ("parent", "plan", "change", "made", "beside")  # what is remembered of a variant
ELSEWHERE = (
    "The project was changed in another tab meanwhile; load this page again to see it. "
    "Nothing is lost."
)
Document = Mapping[str, Any]


@dataclass(frozen=True)
class Variant:
    """A plan that was tried.

    Args:
        number: its place among the variants of the project, from 0.
        parent: the variant it was made from; None for the first.
        plan: the whole plan, as its file would say it.
        change: what was changed, in words.
        made: when, in seconds since 1970.
        beside: the variant that another tab had gone on to when this one was made; None mostly.
    """

    number: int
    parent: int | None
    plan: Document
    change: str
    made: float
    beside: int | None = None

    def part(self, *path: str) -> Any:
        """Return a part of the plan; None where it says nothing."""
        found: Any = self.plan
        for word in path:
            found = found.get(word) if isinstance(found, Mapping) else None
        return found


@dataclass(frozen=True)
class Project:
    """What is being worked on: one source of data, and all plans for it so far.

    Args:
        identifier: twelve hexadecimal digits.
        name: what people call it.
        seed: where the randomness of all its variants comes from.
        variants: the variants, in the order in which they were made.
        current: the number of the variant that is worked on.
        undone: variants that were left by undoing, the last one last.
    """

    identifier: str
    name: str
    seed: int
    variants: tuple[Variant, ...]
    current: int = 0
    undone: tuple[int, ...] = ()

    @property
    def variant(self) -> Variant:
        """The variant that is worked on."""
        return self.variants[self.current]

    @property
    def can_undo(self) -> bool:
        """Whether there is a variant to go back to."""
        return self.variant.parent is not None

    def children(self, number: int) -> list[Variant]:
        """Return the variants that were made from one."""
        return [one for one in self.variants if one.parent == number]

    def path(self) -> list[Variant]:
        """Return the variants from the first to the current one."""
        found = [self.variant]
        while found[-1].parent is not None:
            found.append(self.variants[found[-1].parent])
        return found[::-1]

    def following(self, event: Mapping[str, Any]) -> Project:
        """Return the project after something happened."""
        if event["kind"] == "variant":
            said: dict[str, Any] = {word: event.get(word) for word in VARIANT}
            made = Variant(len(self.variants), **said)
            return replace(self, variants=(*self.variants, made), current=made.number, undone=())
        undone = (*self.undone, self.current) if event["kind"] == "undo" else self.undone
        if event["kind"] == "redo":
            undone = undone[:-1]
        elif event["kind"] == "goto":
            undone = ()
        return replace(self, current=event["to"], undone=undone)


@dataclass(eq=False)
class Projects:
    """The projects of a workplace, on disk.

    Args:
        workplace: where they lie.
    """

    workplace: Workplace
    _known: dict[str, Project] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self._understood = lru_cache(UNDERSTOOD)(self._understand)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        for history in sorted(self._folder.glob(f"*/{HISTORY}")):
            project = _read(history)
            if project is not None:
                self._known[project.identifier] = project

    @property
    def _folder(self) -> Path:
        return self.workplace.session / "projects"

    def all(self) -> list[Project]:
        """Return the projects, the one changed last first."""
        return sorted(self._known.values(), key=lambda one: -one.variants[-1].made)

    def get(self, identifier: str) -> Project:
        """Return a project.

        Raises:
            InputError: there is none of that identifier.
        """
        found = self._known.get(identifier)
        if found is None:
            raise InputError("There is no such project; it may have been removed.")
        return found

    def folder_of(self, project: Project) -> Path:
        """Return where results of a project are kept."""
        return self._folder / project.identifier

    def begin(self, name: str, plan: Document, change: str) -> Project:
        """Make a project whose first variant is a plan.

        Raises:
            PlanError: the plan cannot be run.
        """
        plan = settled(plan)
        self.checked(plan)
        identifier = secrets.token_hex(6)
        seed = secrets.randbits(SEED_BITS)
        head = {"kind": "begin", "identifier": identifier, "name": name, "seed": seed}
        first = _variant(None, plan, change)
        folder = self._folder / identifier
        folder.mkdir(mode=0o700)
        with self._lock:
            for event in (head, first):
                _append(folder / HISTORY, event)
            project = Project(identifier, name, seed, ()).following(first)
            self._known[identifier] = project
        return project

    def change(
        self, identifier: str, plan: Document, change: str, *, parent: int | None = None
    ) -> Project:
        """Add a variant with another plan and go to it.

        Args:
            identifier: the project.
            plan: the whole plan after the change.
            change: what was changed, in words.
            parent: the variant that was changed; the current one when left out. Who changes an
                older one, in another tab perhaps, begins a branch.

        Raises:
            PlanError: the plan cannot be run; nothing is changed then.
        """
        plan = settled(plan)
        self.checked(plan)
        with self._lock:
            project = self.get(identifier)
            start = project.current if parent is None else _existing(project, parent)
            beside = None if start == project.current else project.current
            return self._happened(project, {**_variant(start, plan, change), "beside": beside})

    def undo(self, identifier: str, *, seen: int | None = None) -> Project:
        """Go back to the variant that the current one was made from, if there is one.

        Args:
            identifier: the project.
            seen: the variant that the page shows, if it says so.

        Raises:
            InputError: another tab went on meanwhile, so that something else would be undone.
        """
        with self._lock:
            project = _as_seen(self.get(identifier), seen)
            if project.variant.parent is None:
                return project
            return self._happened(project, {"kind": "undo", "to": project.variant.parent})

    def redo(self, identifier: str, *, seen: int | None = None) -> Project:
        """Go to the variant that was left last by undoing, if there is one; see `undo`."""
        with self._lock:
            project = _as_seen(self.get(identifier), seen)
            if not project.undone:
                return project
            return self._happened(project, {"kind": "redo", "to": project.undone[-1]})

    def goto(self, identifier: str, number: int) -> Project:
        """Go to any variant."""
        with self._lock:
            project = self.get(identifier)
            return self._happened(project, {"kind": "goto", "to": _existing(project, number)})

    def checked(self, plan: Document) -> Plan:
        """Return a plan as it is run; relative paths start in the folder.

        Raises:
            PlanError: it cannot be run.
            InputError: it reads files from elsewhere.
        """
        found = self._understood(json.dumps(settled(plan)))
        refuse_elsewhere(found, self.workplace)
        return found

    def _understand(self, said: str) -> Plan:
        """Return a plan; its text is made and read in pure Python, which takes its time."""
        file = self.workplace.folder / PLAN
        try:
            return understood(in_yaml(json.loads(said)), file)
        except PlanError as error:
            raise PlanError(why(str(error), file)) from error

    def _happened(self, project: Project, event: Mapping[str, Any]) -> Project:
        _append(self.folder_of(project) / HISTORY, event)
        changed = project.following(event)
        self._known[project.identifier] = changed
        return changed


def in_yaml(plan: Document) -> str:
    """Return a plan as its file says it."""
    return yaml.safe_dump(dict(plan), sort_keys=False, allow_unicode=True, width=100)


def _variant(parent: int | None, plan: Document, change: str) -> dict[str, Any]:
    return {
        "kind": "variant",
        "parent": parent,
        "plan": dict(plan),
        "change": change,
        "made": time.time(),
    }


def _existing(project: Project, number: int) -> int:
    if not 0 <= number < len(project.variants):
        raise InputError(f"`{project.name}` has no variant {number}.")
    return number


def _as_seen(project: Project, seen: int | None) -> Project:
    """Return a project that still is as a page shows it."""
    if seen not in (None, project.current):
        raise InputError(ELSEWHERE)
    return project


def _append(file: Path, event: Mapping[str, Any]) -> None:
    """Write a line to the end of a file, durably, or not at all."""
    line = json.dumps(event, default=str).encode() + b"\n"
    try:
        with file.open("ab", buffering=0) as history:
            before = history.seek(0, os.SEEK_END)
            try:
                _write(history, line)
            except OSError:
                history.truncate(before)  # what comes next must not become a part of it
                raise
    except OSError as error:
        raise OutputError(
            f"The work cannot be remembered in {file.parent}: {error.strerror}. Free some space, "
            "or choose another session folder."
        ) from error


def _write(history: io.FileIO, line: bytes) -> None:
    while line:  # a disk that is nearly full takes a part of it
        line = line[history.write(line) :]
    os.fsync(history.fileno())


def _read(history: Path) -> Project | None:
    """Read a project again; a last line that was not written to its end does not count.

    It is cut off, so that what comes next does not become a part of it.
    """
    project, whole = None, 0
    with history.open("r+b") as lines:
        for line in lines:
            try:
                event = json.loads(line) if line.endswith(b"\n") else None
            except ValueError:
                event = None
            if event is None:
                break
            if event["kind"] == "begin":
                project = Project(event["identifier"], event["name"], event["seed"], ())
            elif project is not None:
                project = project.following(event)
            whole += len(line)
        lines.truncate(whole)
    return project if project is not None and project.variants else None

"""Questions about plans that tasks answer, whether a plan is a variant already or only tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacita.app.bench import Bench
from tacita.app.jobs import Job, Lane
from tacita.app.projects import Document, Project

MEASURED = ("steps", "measure", "intruder", "copies")  # what measures depend on
JUDGED = ("profile", "steps", "require", "intruder", "copies")


@dataclass(frozen=True)
class Question:
    """What is asked of a plan. The answer belongs to the plan, whichever variant has it.

    Args:
        task: who answers it.
        title: what is being done, in words.
        lane: `quick` where a person waits for it.
        arguments: the plan and whatever else the task needs.
    """

    task: str
    title: str
    lane: Lane
    arguments: Mapping[str, Any]

    def answer(self, bench: Bench, project: Project) -> Any:
        """Return the answer, or None where it is not known yet."""
        return bench.jobs.result(project, project.variants[0], self.task, **self.arguments)

    def job(self, bench: Bench, project: Project) -> Job:
        """Let the answer be found."""
        return bench.jobs.ask(
            project, project.variants[0], self.task, self.title, lane=self.lane, **self.arguments
        )

    def last(self, bench: Bench, project: Project) -> Job | None:
        """Return the last job that was to find the answer, if there was one."""
        return bench.jobs.last(project, project.variants[0], self.task, **self.arguments)


def measures_of(plan: Document, *, exact: bool = False) -> Question:
    """Ask for the measures of what a plan would release: quick ones of a sample, or all."""
    return _asked("measure", "Measuring", _part(plan, MEASURED), exact=exact)


def verdicts_of(plan: Document, *, exact: bool = False) -> Question:
    """Ask whether the requirements of a plan hold, on a sample or on all records."""
    return _asked("judge", "Judging the requirements", _part(plan, JUDGED), exact=exact)


def attributes_of(plan: Document, before: int | None = None) -> Question:
    """Ask for the attributes after the steps of a plan, or before one of them."""
    part = _part(plan, ("steps", "intruder"))
    micro = part["microdata"]
    micro["steps"] = (micro.get("steps") or [])[:before]
    return _asked("attributes", "Looking at the attributes", part, exact=False)


def risky_of(plan: Document, by: str) -> Question:
    """Ask which records are risky."""
    part = _part(plan, MEASURED)
    return Question("risky", "Looking for risky records", "long", {"plan": part, "by": by})


def advice_on(plan: Document, asked: Mapping[str, Any], enough: Path) -> Question:
    """Ask for the masking that meets requirements at the least loss.

    Args:
        plan: the plan, of which the data count, and who attacks them.
        asked: what must hold, what is kept low, and the most seconds.
        enough: the file whose appearance ends the search with the best so far.
    """
    part = _part(plan, ("intruder",))
    arguments = {"plan": part, "asked": dict(asked), "enough": str(enough)}
    return Question("advise", "Searching for advice", "long", arguments)


def _asked(task: str, title: str, part: Document, *, exact: bool) -> Question:
    where = f"{title}, all records" if exact else title
    lane: Lane = "long" if exact else "quick"
    return Question(task, where, lane, {"plan": part, "sample": not exact})


def _part(plan: Document, words: tuple[str, ...]) -> dict[str, Any]:
    """Return what an answer depends on: another table in the plan is no other question."""
    micro = plan.get("microdata") or {}
    part: dict[str, Any] = {
        "data": plan["data"],
        "microdata": {word: micro[word] for word in words if word in micro},
    }
    out = {word: one for word, one in (plan.get("release") or {}).items() if word == "format"}
    return {**part, "release": out} if out else part

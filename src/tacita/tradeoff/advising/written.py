"""Advice as the text of a plan: a new one, or the plan that was given with other steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tacita.errors import OutputError
from tacita.inspection.written import comment, dumped, indented, item, source_lines
from tacita.release.plan import Plan
from tacita.tradeoff.advising.setting import Setting

Steps = Sequence[Mapping[str, Any]]


def plan_text(
    setting: Setting, steps: Steps, reasons: Iterable[str], folder: Path | None = None
) -> str:
    """Return a plan that `tacita run` executes, with the reasons in comments.

    Args:
        setting: what the advice is about.
        steps: all steps, as plans say them.
        reasons: why these, in sentences.
        folder: where the plan will lie; this one, or that of the plan that was given.

    Raises:
        OutputError: it would lie elsewhere than the plan that was given, whose paths it names.
    """
    if setting.plan is None:
        lines = _anew(setting, steps, folder or Path())
    else:
        refuse_elsewhere(setting.plan.folder, folder)
        lines = _changed(setting, setting.plan, steps)
    return "\n".join([*(line for reason in reasons for line in comment(reason)), *lines, ""])


def refuse_elsewhere(given: Path, folder: Path | None) -> None:
    """Refuse to write the advice on a plan into another folder, where its paths lead nowhere."""
    if folder is not None and folder.resolve() != given.resolve():
        raise OutputError(
            f"The advice on a plan names the same files as the plan does; write it into {given}."
        )


def _anew(setting: Setting, steps: Steps, folder: Path) -> Iterator[str]:
    """Write a plan for data that were given alone."""
    yield "data:"
    yield from indented(source_lines(setting.found, folder), 1)
    yield "  attributes:"
    for name, said in setting.said.items():
        yield from indented(dumped({name: dict(said)}), 2)
    yield "  undeclared: refuse"
    yield "microdata:"
    if setting.intruder is not None:
        yield from indented(dumped({"intruder": setting.intruder.to_plan()}), 1)
    yield "  steps:"
    for step in steps:
        yield from indented(item(_short(step)), 1)
    yield "  require:"
    for asked in setting.requirements:
        yield from indented(item(asked.to_plan()), 1)


def _changed(setting: Setting, plan: Plan, steps: Steps) -> Iterator[str]:
    """Write a plan with other steps, and what they are for; the rest stays as it was said."""
    document = {} if plan.located is None else dict(plan.located.document)
    by_profile = plan.profile.requirements if plan.profile else ()
    micro = {
        **(document.get("microdata") or {}),
        **({} if setting.intruder is None else {"intruder": setting.intruder.to_plan()}),
        "steps": [_short(step) for step in steps],
        "require": [one.to_plan() for one in setting.requirements if one not in by_profile],
    }
    micro.pop("copies", None)  # of a generator, which is none of the steps any more
    said = {name: dict(one) for name, one in setting.said.items()}
    for word, part in {
        **document,
        "data": {**document["data"], "attributes": said},
        "microdata": micro,
    }.items():
        yield from dumped({word: part})


def _short(step: Mapping[str, Any]) -> Mapping[str, Any] | str:
    ((name, given),) = step.items()
    return step if given else str(name)

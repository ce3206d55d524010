"""Advice: the release to make, why, and what else was tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, floor, log10
from os import PathLike
from pathlib import Path
from typing import Any

from tacita.inspection.result import Row, aligned
from tacita.method import Method
from tacita.release.comparing.risk_utility_map import RiskUtilityMap
from tacita.results import brief, counted, listed, show
from tacita.tradeoff.advising.judging import Reached, Tried, has_room
from tacita.tradeoff.advising.lines import Line
from tacita.tradeoff.advising.setting import RISKS, Setting
from tacita.tradeoff.advising.written import plan_text

COLUMNS = ("", "steps", "what is reached", "loss")
CHANGES = ("attribute", "steps", "loss")
LISTED = 8  # lines that a table shows
NAMED = 8  # attributes or lines that a sentence names
OUT = "Out of the bound, however strict"
UNSURE = "Within the bound, but with too little to spare for every seed of a run"
BY_CHANCE = ", which has too little to spare for every seed of a run"


@dataclass(frozen=True, eq=False, repr=False)
class Advice:
    """What to do with data so that a bound on the risk is met at the least loss.

    Args:
        setting: the data, their roles and what must hold.
        unmasked: what the data as they are risk.
        met: the best trial of every line that surely meets the requirements, the best first.
        tried: every trial, on samples and on all records.
        seconds: how long it took.
        is_finished: whether everything was tried; more time would change nothing.
    """

    setting: Setting
    unmasked: Tried
    met: tuple[Tried, ...]
    tried: tuple[Tried, ...]
    seconds: float
    is_finished: bool

    @property
    def recommended(self) -> Tried | None:
        """The release with the least loss that meets the requirements; None if none does."""
        return self.met[0] if self.met else None

    @property
    def runner_up(self) -> Tried | None:
        """The next best of another line."""
        return self.met[1] if len(self.met) > 1 else None

    @property
    def holds(self) -> bool:
        """Whether a release was found that meets the requirements."""
        return bool(self.met)

    @property
    def methods(self) -> tuple[Method, ...]:
        """The masking steps that are recommended, without what comes before and after."""
        best = self.recommended
        return best.trial.methods if best and best.trial else ()

    @property
    def on_all(self) -> list[Tried]:
        """The trials on all records that could be carried out."""
        whole = len(self.setting.data)
        return [one for one in self.tried if one.trial and one.records == whole]

    @property
    def failed(self) -> list[Tried]:
        """The strictest trials of the lines that do not surely meet the requirements even there.

        Of one that was tried with several seeds it is the worst. A line whose seeds were not all
        tried before the search was stopped did not fail.
        """
        met = {one.line for one in self.met}
        last: dict[Line, list[Tried]] = {}
        for one in self.on_all:
            if one.line not in met and one.positions == one.line.at(one.line.height) != ():
                last.setdefault(one.line, []).append(one)
        worst = [
            max(tried, key=lambda one: one.strain)
            for tried in last.values()
            if not has_room(tried) or tried[0].high > 1
        ]
        return sorted(worst, key=lambda one: (one.strain, one.loss))

    @property
    def refused(self) -> dict[str, str]:
        """The lines of which no trial on all records could be carried out, and why."""
        possible = {one.line for one in self.on_all}
        whole = len(self.setting.data)
        return {
            one.line.name: one.reason
            for one in self.tried
            if one.reason and one.records == whole and one.line not in possible
        }

    @property
    def nearest(self) -> Tried:
        """The trial that came nearest to the requirements."""
        return min(self.on_all, key=lambda one: (one.strain, one.loss))

    def map(self) -> RiskUtilityMap:
        """Return everything that was tried on all records as a risk-utility map.

        What meets the requirements has its loss for a score, so that the lowest is recommended.
        """
        asked = self.setting.requirements
        alone = len(asked) == 1 and asked[0].at_most is not None
        risk = asked[0].method.name if alone else "share of the bound that is used up"
        if self.setting.intruder and any(one.method.family in RISKS for one in asked):
            risk = f"{risk} {'of' if alone else 'by'} the intruder"
        trials = [
            replace(one.trial, score=one.loss if self._ranks(one) else None)
            for one in self.on_all
            if one.trial and one.turn == 0
        ]
        trials.sort(key=lambda trial: trial.line)
        refused = tuple(self.refused.items())
        return RiskUtilityMap(tuple(trials), (risk, self.setting.loss_name), refused)

    def _ranks(self, one: Tried) -> bool:
        """Tell what meets the requirements; what costs less than the best does so not surely."""
        best = self.recommended
        return best is not None and one.holds and one.loss >= best.loss

    # -- in words --------------------------------------------------------------------------------

    def reasons(self) -> list[str]:
        """Return why this, what the runner-up costs, what was out of the bound, in sentences."""
        return list(self._reasons())

    def _reasons(self) -> Iterator[str]:
        yield from self._bounds()
        best = self.recommended
        if best is None:
            yield from self._impossible()
        elif not self.methods:
            yield f"The data as they are meet it: {_told(best)}. No masking is needed."
        else:
            yield (
                f"Recommended is {best.steps}: {_told(best)}, at a loss of {show(best.loss)} "
                f"({self.setting.loss_name}); unmasked, {_told(self.unmasked)}."
            )
            yield from self._compared(best)
        if refused := self.refused:
            told = [f"{name} ({why.rstrip('.')})" for name, why in refused.items()]
            yield f"Could not be carried out: {listed(told, 2)}."
        if self.holds and not self.is_finished:
            yield "The search was stopped; more time may find a release that costs less."

    def _bounds(self) -> Iterator[str]:
        if self.setting.intruder is not None:
            yield f"Risks are those of an intruder who {self.setting.intruder}."
            yield from self.setting.notes
        said = " and ".join(brief(asked.to_plan()) for asked in self.setting.requirements)
        if self.setting.is_default:
            yield f"Nobody said what must hold; taken was {said}."
        if self.setting.proposed:
            yield (
                f"Roles were proposed for {listed(self.setting.proposed, NAMED)}; a proposal "
                "cannot know what an intruder knows, so check them."
            )

    def _compared(self, best: Tried) -> Iterator[str]:
        other = self.runner_up
        if other is not None:
            more = f" ({other.loss / best.loss - 1:+.0%})" if best.loss > 0 else ""
            yield (
                f"The runner-up is {other.steps}: {_told(other)}, at a loss of "
                f"{show(other.loss)}{more}."
            )
        for what, holds in ((UNSURE, True), (OUT, False)):
            told = [f"{one.steps} ({_worst(one)})" for one in self.failed if one.holds is holds]
            if told:
                yield f"{what}: {listed(told)}."

    def _impossible(self) -> Iterator[str]:
        near = self.nearest
        if not self.is_finished:
            yield "Nothing that was tried so far meets the requirements; give it more time."
        yield (
            f"No release that was tried on all {counted(len(self.setting.data), 'record')} surely "
            f"meets the requirements. The nearest is {near.steps}: {_told(near)}, at a loss of "
            f"{show(near.loss)}{BY_CHANCE if near.holds else ''}."
        )
        if len(self.on_all) == 1:
            return  # what the data meet as they are is no release to aim at
        wishes = [wish for one in near.reached if (wish := _would_do(one))]
        if wishes:
            yield f"What would be met: {', '.join(wishes)}."
        else:
            yield "Leave attributes out of the release, or take fewer of them for keys."

    def changes(self) -> dict[str, tuple[str, float]]:
        """Return what the recommended steps do to which attribute: the steps and the loss."""
        best = self.recommended
        if best is None:
            return {}
        changed = {name: part for name, part in (best.parts or {}).items() if part > 0}
        keys = set(self.setting.data.keys)
        steps: dict[str, list[str]] = {name: [] for name in changed}
        for method in self.methods:
            named = set(method.named_attributes()) or keys
            for name in named & set(changed):
                steps[name].append(method.name)
        return {
            name: (" + ".join(dict.fromkeys(steps[name])) or "records left out", part)
            for name, part in changed.items()
        }

    def tables(self) -> dict[str, tuple[Row, list[Row]]]:
        """Return the advice as tables of text: by title, the columns and the rows."""
        rows = [_row(one, f"{place}.") for place, one in enumerate(self.met[:LISTED], 1)]
        rows += [
            _row(one, "unsure" if one.holds else "out")
            for one in self.failed[: max(LISTED - len(rows), 2)]
        ]
        if not any(one is self.unmasked for one in self.met):
            rows.append(_row(self.unmasked, "out"))
        changed: list[Row] = [
            (name, how, f"{part:.3f}") for name, (how, part) in self.changes().items()
        ]
        return {
            f"What was tried on all records (loss: {self.setting.loss_name})": (COLUMNS, rows),
            "What the recommended steps change": (CHANGES, changed),
        }

    def __repr__(self) -> str:
        parts = ["\n".join(self.reasons())]
        for title, (columns, rows) in self.tables().items():
            if rows:
                parts.append("\n".join([title, *aligned([columns, *rows])]))
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        """Return the advice in plain types."""
        return {
            "holds": self.holds,
            "recommended": self.recommended.to_dict() if self.recommended else None,
            "plan": self.steps(),
            "requirements": [asked.to_plan() for asked in self.setting.requirements],
            "intruder": self.setting.intruder.to_plan() if self.setting.intruder else None,
            "default_requirements": self.setting.is_default,
            "proposed_roles": list(self.setting.proposed),
            "loss": self.setting.loss_name,
            "reasons": self.reasons(),
            "changes": {
                name: {"steps": how, "loss": part} for name, (how, part) in self.changes().items()
            },
            "met": [one.to_dict() for one in self.met],
            "failed": [one.to_dict() for one in self.failed],
            "unmasked": self.unmasked.to_dict(),
            "trials": len(self.tried),
            "records": len(self.setting.data),
            "seconds": self.seconds,
            "finished": self.is_finished,
        }

    # -- as a plan -------------------------------------------------------------------------------

    def steps(self) -> list[dict[str, Any]]:
        """Return all steps of the plan, as plans say them."""
        whole = (*self.setting.first, *self.methods, *self.setting.last)
        return [method.to_plan() for method in whole]

    def plan(self, folder: str | PathLike[str] | None = None) -> str:
        """Return a plan file that `tacita run` executes, with the reasons in comments.

        Args:
            folder: where the plan will lie, so that the path of the source starts there; this
                folder when left out. Advice on a plan lies beside that plan.
        """
        where = None if folder is None else Path(folder)
        return plan_text(self.setting, self.steps(), self.reasons(), where)


def _told(one: Tried) -> str:
    return ", ".join(map(str, one.reached))


def _worst(one: Tried) -> str:
    return str(max(one.reached, key=lambda reached: reached.strain))


def _row(one: Tried, place: str) -> Row:
    return place, one.steps, _told(one), f"{one.loss:.4f}"


def _would_do(one: Reached) -> str | None:
    """Return a weaker requirement that the nearest release would meet."""
    asked = one.requirement
    if one.holds and one.high <= 1:
        return brief(asked.to_plan())
    if asked.at_most is not None and one.upper:  # without a margin nothing can be said
        return f"{asked.method.name} (at_most {_rounded_up(one.upper):g})"
    if asked.method.family == "model" and one.value:
        return f"{asked.method.name} ({show(one.value)})"
    return None


def _rounded_up(number: float) -> float:
    """Return a number with two digits that is not below.

    >>> _rounded_up(0.0712)
    0.072
    """
    if number <= 0:
        return 0.0
    digits = 1 - floor(log10(number))
    scale = 10.0**digits
    return round(ceil(number * scale) / scale, max(digits, 0))

"""Judging trials: how much of what is required a release uses up, and how sure that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from typing import Any

import numpy as np

from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.errors import TacitaError
from tacita.intruders.intruder import Intruder
from tacita.method import Method
from tacita.release.comparing.against import reaching_as_far
from tacita.release.comparing.trial import Trial, masked_by
from tacita.release.execute import derived
from tacita.release.measuring import measuring
from tacita.release.requirement import Requirement
from tacita.results import Measurement, Number, brief, show
from tacita.tradeoff.advising.lines import Line
from tacita.tradeoff.advising.mean_change import Loss, mean_change

MOST = 1e9  # times over the bound; also where nothing could be measured
NO_SHARE = 1e6  # times over a bound that is not above 0, of which there are no shares
SURE = 1.5  # times the upper half of a 95 % interval: three standard deviations
SEEDS = 3  # with which what draws is tried before it is recommended


@dataclass(frozen=True)
class Reached:
    """How a release does on one requirement.

    Args:
        requirement: what is required.
        holds: whether it holds, by exact comparison.
        value: what was measured, or the level that a model reached.
        strain: the share of the bound that is used up: at most 1 where it holds.
        low: the least the strain may be, by the confidence interval of the value.
        high: the most it may be, by three standard deviations.
        upper: the most the value may be, by three standard deviations.
    """

    requirement: Requirement
    holds: bool
    value: Number | None
    strain: float
    low: float
    high: float
    upper: float | None = None

    def __str__(self) -> str:
        name = self.requirement.method.name
        if self.requirement.method.family == "model":
            what = brief(self.requirement.to_plan())
            return what if self.holds else f"{what} fails (reaches {show(self.value)})"
        bounds = {"at most": self.requirement.at_most, "at least": self.requirement.at_least}
        told = " and ".join(f"{word} {show(b)}" for word, b in bounds.items() if b is not None)
        return f"{name} {show(self.value)} ({told})"

    def to_dict(self) -> dict[str, Any]:
        """Return it in plain types."""
        return {
            "requirement": self.requirement.to_plan(),
            "holds": self.holds,
            "value": None if self.value is None else float(self.value),
            "strain": self.strain,
        }


@dataclass(frozen=True)
class Tried:
    """A trial with what it reached, or why it could not be carried out.

    Args:
        line: the line it lies on.
        positions: where on the line's ladders.
        records: the number of records it was tried on.
        turn: which of several trials with different seeds it is, from 0.
        trial: the trial; None if the methods refused.
        reached: what it does on every requirement.
        parts: the loss of every attribute.
        reason: why the methods refused, if they did.
    """

    line: Line
    positions: tuple[float, ...]
    records: int
    turn: int
    trial: Trial | None
    reached: tuple[Reached, ...] = ()
    parts: Mapping[str, float] | None = None
    reason: str = ""

    @property
    def holds(self) -> bool:
        """Whether every requirement holds."""
        return self.trial is not None and all(one.holds for one in self.reached)

    @property
    def strain(self) -> float:
        """The share of its bound that the tightest requirement uses up."""
        return max((one.strain for one in self.reached), default=MOST)

    @property
    def low(self) -> float:
        """The least the strain may be."""
        return max((one.low for one in self.reached), default=MOST)

    @property
    def high(self) -> float:
        """The most the strain may be."""
        return max((one.high for one in self.reached), default=MOST)

    @property
    def loss(self) -> float:
        """What it costs."""
        return self.trial.loss if self.trial else float("inf")

    @property
    def steps(self) -> str:
        """The steps in words, without the attributes."""
        return self.trial.label() if self.trial else self.line.name

    def to_dict(self) -> dict[str, Any]:
        """Return it in plain types."""
        return {
            **(self.trial.to_dict() if self.trial else {"label": self.steps}),
            "holds": self.holds,
            "strain": self.strain,
            "requirements": [one.to_dict() for one in self.reached],
            "parts": dict(self.parts or {}),
        }


def has_room(tried: Sequence[Tried]) -> bool:
    """Tell whether trials of one masking hold, by more than they differ from seed to seed."""
    strains = [one.strain for one in tried]
    return all(one.holds for one in tried) and 2 * max(strains) - min(strains) <= 1


class Judge:
    """Tries methods on the data and on nested samples of them, each only once.

    Args:
        data: the data without identifiers.
        requirements: what must hold.
        loss: the utility measure that is kept low; the mean change when left out.
        seed: where samples and masking draw from.
        spend: called before every trial; it may raise to stop.
        intruder: who attacks; the worst case that each measure assumes when left out.
    """

    def __init__(
        self,
        data: Dataset,
        requirements: Sequence[Requirement],
        loss: Method | None,
        seed: int,
        spend: Callable[[str, int], None],
        intruder: Intruder | None = None,
    ) -> None:
        self.data, self.requirements, self.loss = data, tuple(requirements), loss
        self.seed, self.spend, self.intruder = seed, spend, intruder
        self._order = np.random.default_rng(derived(seed, 0)).permutation(len(data))
        self._samples: dict[int, Dataset] = {len(data): data}
        self._tried: dict[tuple[Any, ...], Tried] = {}

    @property
    def trials(self) -> list[Tried]:
        """All trials in the order in which they were made."""
        return list(self._tried.values())

    def sample(self, records: int) -> Dataset:
        """Return a random sample; a larger one holds all records of a smaller one."""
        if records not in self._samples:
            rows: Ints = np.sort(self._order[:records])
            self._samples[records] = self.data.take(rows)
        return self._samples[records]

    def tried(self, line: Line, positions: tuple[float, ...], records: int, turn: int = 0) -> Tried:
        """Try a line at some positions on a sample (or all) of the records."""
        at = (id(line), positions, records, turn)
        if at not in self._tried:
            self.spend(line.name, records)
            self._tried[at] = self._try(line, positions, records, turn)
        return self._tried[at]

    def is_sure(self, line: Line, positions: tuple[float, ...]) -> bool:
        """Tell whether the requirements hold on all records, whatever seed a run draws.

        What was measured on a sample must hold with three standard deviations to spare, because a
        run shuffles the records and so draws another one; what draws is tried with other seeds.
        """
        records = len(self.data)
        first = self.tried(line, positions, records)
        if first.trial is None or not first.holds:
            return False
        drawn = any(method.draws for method in first.trial.methods)
        if (drawn or self._samples_records()) and first.high > 1:
            return False
        found = [first]
        for turn in range(1, SEEDS if drawn else 1):
            found.append(self.tried(line, positions, records, turn))
            if not found[-1].holds:
                return False
        return has_room(found)

    def _samples_records(self) -> bool:
        """Tell whether some requirement is measured on a sample of the records only."""
        sizes = [getattr(asked.method, "sample", None) for asked in self.requirements]
        return any(size is not None and size < len(self.data) for size in sizes)

    def _try(self, line: Line, positions: tuple[float, ...], records: int, turn: int) -> Tried:
        data, started = self.sample(records), perf_counter()
        seed = derived(self.seed, 1, turn)
        about = (line, positions, records, turn)
        try:
            methods = line.methods(positions)
            protected = masked_by(data, methods, seed)
            reached = self._reached(data, protected)
            loss = self._loss(data, protected)
        except TacitaError as error:
            return Tried(*about, None, reason=str(error))
        trial = Trial(
            methods,
            line.name,
            _risk(reached),
            loss.value,
            None,
            {one.requirement.method.name: float(one.value or 0) for one in reached},
            records,
            seed,
            perf_counter() - started,
            _setting(line, positions),
        )
        return Tried(*about, trial, reached, loss.parts)

    def _reached(self, data: Dataset, protected: Dataset) -> tuple[Reached, ...]:
        """Measure what is required, for the intruder, who reaches as far into a sample."""
        whole = len(data) == len(self.data)
        intruder = self.intruder if whole else reaching_as_far(self.intruder, len(self.data))
        measure = measuring(data, protected, intruder)
        return tuple(
            _promised(asked, data, protected)
            if asked.method.family == "model"
            else _bounded(asked, measure(asked.method))
            for asked in self.requirements
        )

    def _loss(self, data: Dataset, protected: Dataset) -> Loss:
        if self.loss is None:
            return mean_change(data, protected)
        found: Measurement = self.loss.measure(data, protected)  # type: ignore[attr-defined]
        value = float("inf") if found.value is None else float(found.value)
        return Loss(value, {name: part for name, part in found.parts.items() if part is not None})


def _setting(line: Line, positions: Sequence[float]) -> dict[str, Any]:
    """Return the strengths of the steps by their words; of a step that is left out, none."""
    told: dict[str, Any] = {}
    for ladder, at in zip(line.ladders, positions, strict=True):
        strength = ladder.strength(at) if at else "none"
        if strength is not None:
            alone = len(line.ladders) == 1
            told[ladder.word if alone else f"{ladder.name} {ladder.word}"] = strength
    return told


def _risk(reached: Sequence[Reached]) -> float:
    """Return what a map shows: the risk itself if one is bounded, else the share of the bounds."""
    first = reached[0]
    if len(reached) == 1 and first.requirement.at_most is not None and first.value is not None:
        return float(first.value)
    return max(one.strain for one in reached)


def _promised(asked: Requirement, original: Dataset, protected: Dataset) -> Reached:
    """Judge a model, which is a promise about the data, whoever attacks them."""
    verdict = asked.check(original, protected)
    strain = _model_strain(asked.method, verdict.holds, verdict.value)
    return Reached(asked, verdict.holds, verdict.value, strain, strain, strain)


def _bounded(asked: Requirement, found: Measurement) -> Reached:
    """Judge what was measured of a risk or a loss."""
    if found.value is None:
        return Reached(asked, False, None, MOST, MOST, MOST)
    strain = _strain(asked, found.value)
    low, high = strain, strain
    value = upper = float(found.value)
    if found.interval is not None:
        upper = value + SURE * (found.interval.upper - value)
        low, high = sorted(_strain(asked, end) for end in (found.interval.lower, upper))
        if asked.at_least is not None:
            high = _strain(asked, value - SURE * (value - found.interval.lower))
    holds = _holds(asked, Fraction(found.value))
    return Reached(asked, holds, found.value, strain, low, max(high, strain), max(upper, value))


def _holds(asked: Requirement, value: Fraction) -> bool:
    over = asked.at_most is not None and value > asked.at_most
    under = asked.at_least is not None and value < asked.at_least
    return not over and not under


def _strain(asked: Requirement, value: Number) -> float:
    """Return the share of the bound that a value uses up, above 1 if it breaks it."""
    strains = [0.0]
    if asked.at_most is not None:
        strains.append(_ratio(float(value), float(asked.at_most)))
    if asked.at_least is not None:
        strains.append(_ratio(float(asked.at_least), float(value)))
    return max(strains)


def _ratio(part: float, whole: float) -> float:
    if part <= min(whole, 0) or part <= 0 < whole:
        return 0.0
    return min(part / whole if whole > 0 else NO_SHARE * (1 + part - whole), MOST)


def _model_strain(model: Method, holds: bool, value: Number | None) -> float:
    """Return how far a model's level is from what it asks for, whichever way is better."""
    asked = next(iter(vars(model).values()), None)
    if value is None or not isinstance(asked, int | float) or not asked or float(value) <= 0:
        return 1.0 if holds else MOST
    ratio = float(value) / float(asked)
    far = max(ratio, 1 / ratio)
    return 1 / far if holds else min(max(far, 1 + 1e-9), MOST)

"""A trial: one way to mask tried on the data, with what it risks and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.release.comparing.grid import labelled, setting_of
from tacita.release.comparing.score_card import ScoreCard, Scoring
from tacita.release.execute import mask, without_identifiers
from tacita.release.plan import DataPlan, Plan


@dataclass(frozen=True)
class Trial:
    """One release tried: what it risks and what it costs.

    Args:
        methods: the masking steps, as a plan says them.
        line: the line it lies on in a map, usually the method's name.
        risk: the disclosure risk, on the scale of the score that measured it.
        loss: the information loss, on the scale of the score that measured it.
        score: both in one number; the lowest is best.
        measures: every component by name.
        records: the number of records that were masked.
        seed: where the randomness came from; a plan of these steps run with it gives the same data.
        seconds: how long masking and measuring took.
        setting: the parameters that tell it from the others of its line.
    """

    methods: tuple[Method, ...]
    line: str
    risk: float
    loss: float
    score: float | None
    measures: Mapping[str, float]
    records: int
    seed: int
    seconds: float = field(compare=False)
    setting: Mapping[str, Any] = field(default_factory=dict)

    def label(self) -> str:
        """Return the trial's name: its line and its setting."""
        return labelled(self.line, self.setting)

    def to_dict(self) -> dict[str, Any]:
        """Return the trial in plain types."""
        return {
            "label": self.label(),
            "line": self.line,
            "setting": dict(self.setting),
            "steps": [method.to_plan() for method in self.methods],
            "risk": self.risk,
            "loss": self.loss,
            "score": self.score,
            "measures": dict(self.measures),
            "records": self.records,
            "seed": self.seed,
            "seconds": self.seconds,
        }


def try_methods(
    data: Dataset,
    methods: Sequence[Method],
    *,
    by: Scoring,
    seed: int,
    line: str | None = None,
    setting: Mapping[str, Any] | None = None,
) -> Trial:
    """Mask data with some methods, one after the other, and measure the result.

    Args:
        data: the data before masking.
        methods: the masking steps.
        by: the score that measures risk and loss.
        seed: where all randomness comes from.
        line: the line of a map on which the trial lies; the methods' names when left out.
        setting: what tells the trial from the others of its line; when left out, the parameters
            of the methods that differ from their defaults and name no attribute.
    """
    started = perf_counter()
    card = by.of(data, masked_by(data, methods, seed))
    return scored(
        card,
        methods,
        line or " + ".join(method.name for method in methods) or "unmasked",
        records=len(data),
        seed=seed,
        started=started,
        setting=setting_of(methods) if setting is None else setting,
    )


def scored(
    card: ScoreCard,
    methods: Sequence[Method],
    line: str,
    *,
    records: int,
    seed: int,
    started: float,
    setting: Mapping[str, Any],
) -> Trial:
    """Return the trial that a card tells of.

    Args:
        card: what was measured.
        methods: the masking steps.
        line: the line of a map on which the trial lies.
        records: the number of records that were masked.
        seed: where all randomness came from.
        started: when it began, by the clock of `perf_counter`.
        setting: what tells the trial from the others of its line.
    """
    return Trial(
        tuple(methods),
        line,
        card.risk,
        card.loss,
        card.score,
        card.measures,
        records,
        seed,
        perf_counter() - started,
        setting,
    )


def masked_by(data: Dataset, methods: Sequence[Method], seed: int) -> Dataset:
    """Return the data as a plan of these steps would release them, run with this seed."""
    masked, _ = mask(data, Plan(DataPlan(), tuple(methods)), seed)
    return without_identifiers(masked)

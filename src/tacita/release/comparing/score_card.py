"""The card of a score: every component beside the one number they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, Protocol

import pyarrow as pa

from tacita.data.dataset import Dataset
from tacita.errors import InputError, load_extra
from tacita.method import Method
from tacita.results import Measurement, Number, show

Side = Literal["risk", "loss"]
COLUMNS = {
    "component": pa.string(),
    "side": pa.string(),
    "value": pa.float64(),
    "weight": pa.float64(),
    "sentence": pa.string(),
}


class Scoring(Protocol):
    """What judges a release: the score of Domingo-Ferrer and Torra, or one of your own."""

    @property
    def axes(self) -> tuple[str, str]:
        """What risk and loss are, in words."""

    def of(self, original: Dataset, protected: Dataset) -> ScoreCard:
        """Measure protected data."""


@dataclass(frozen=True)
class Component:
    """One part of a score.

    Args:
        name: the part, as the card names it.
        side: whether it is a risk or a loss.
        value: the mean of its measurements, on the score's scale.
        weight: how much it counts in the score.
        measurements: what it was found from.
        sentence: what it says, in words.
    """

    name: str
    side: Side
    value: Number
    weight: float
    measurements: tuple[Measurement, ...] = field(repr=False)
    sentence: str

    @classmethod
    def measured(
        cls,
        name: str,
        side: Side,
        weight: float,
        methods: Sequence[Method],
        both: tuple[Dataset, Dataset],
    ) -> Component:
        """Measure original and protected data with some methods, and take the mean."""
        found = [method.measure(*both) for method in methods]  # type: ignore[attr-defined]
        return cls.of(name, side, weight, found)

    @classmethod
    def of(cls, name: str, side: Side, weight: float, found: Sequence[Measurement]) -> Component:
        """Take the mean of what was measured."""
        total: Number = Fraction(0)
        for one in found:
            if one.value is None:
                raise InputError(f"`{one.name}` is not defined for these data: {one.sentence}.")
            total += one.value
        return cls(name, side, total / len(found), weight, tuple(found), found[0].sentence)

    def to_dict(self) -> dict[str, Any]:
        """Return the component in plain types."""
        return {
            "component": self.name,
            "side": self.side,
            "value": float(self.value),
            "weight": self.weight,
            "sentence": self.sentence,
        }


@dataclass(frozen=True, repr=False)
class ScoreCard:
    """A score with every component, because no weighting does justice to all methods.

    Args:
        components: the risks and losses the score is made of.
        unit: what the numbers are in: percent, or as the measures give them.
    """

    components: tuple[Component, ...]
    unit: str = ""

    @property
    def score(self) -> float:
        """The weighted mean of all components; the lowest is best."""
        return _mean(self.components)

    @property
    def risk(self) -> float:
        """The weighted mean of the risks."""
        return _mean([one for one in self.components if one.side == "risk"])

    @property
    def loss(self) -> float:
        """The weighted mean of the losses."""
        return _mean([one for one in self.components if one.side == "loss"])

    @property
    def measures(self) -> dict[str, float]:
        """Every component by its name."""
        return {one.name: float(one.value) for one in self.components}

    def __getitem__(self, name: str) -> Component:
        for one in self.components:
            if one.name == name:
                return one
        raise KeyError(f"The score has no component {name} (it has {', '.join(self.measures)}).")

    def __repr__(self) -> str:
        rows = [(one.name, one.value, one.sentence) for one in self.components]
        rows += [("risk", self.risk, "the weighted mean of the risks")]
        rows += [("loss", self.loss, "the weighted mean of the losses")]
        rows += [("score", self.score, f"lowest is best{self.unit and f', in {self.unit}'}")]
        width = max(len(name) for name, _, _ in rows)
        return "\n".join(f"{name:<{width}}  {show(value):>8}  {told}" for name, value, told in rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the card in plain types."""
        return {
            "score": self.score,
            "risk": self.risk,
            "loss": self.loss,
            "unit": self.unit,
            "components": [one.to_dict() for one in self.components],
        }

    def to_arrow(self) -> pa.Table:
        """Return the components in Arrow."""
        return pa.Table.from_pylist([one.to_dict() for one in self.components], pa.schema(COLUMNS))

    def to_polars(self) -> Any:
        """Return the components as a Polars frame."""
        return load_extra("polars", "frames").from_arrow(self.to_arrow())

    def to_pandas(self) -> Any:
        """Return the components as a pandas frame."""
        load_extra("pandas", "frames")
        return self.to_arrow().to_pandas()


def _mean(components: Sequence[Component]) -> float:
    total = sum(one.weight for one in components)
    return float(sum(one.weight * float(one.value) for one in components) / total)

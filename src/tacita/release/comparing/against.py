"""Scores for an intruder: what a map shows as risk is what the plan's intruder achieves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tacita.data.dataset import Dataset
from tacita.release.comparing.score import CustomScore
from tacita.release.comparing.score_card import ScoreCard, Scoring
from tacita.release.measuring import measuring

if TYPE_CHECKING:
    from tacita.intruders.intruder import Intruder


@dataclass(frozen=True)
class Against:
    """A score of one's own, of which the risks are an intruder's.

    Args:
        by: the risks and losses.
        intruder: who attacks.
    """

    by: CustomScore
    intruder: Intruder

    @property
    def axes(self) -> tuple[str, str]:
        """What risk and loss are, in words."""
        risk, loss = self.by.axes
        return f"{risk} of the intruder", loss

    def of(self, original: Dataset, protected: Dataset) -> ScoreCard:
        """Measure protected data."""
        from tacita.intruders.measuring import within

        return self.by.measured(measuring(original, protected, within(self.intruder, original)))


def scoring_against(by: Scoring, intruder: Intruder | None) -> Scoring:
    """Return a score for an intruder.

    The score of Domingo-Ferrer and Torra stays as it is: its `known` says what is known.
    """
    if intruder is None or not isinstance(by, CustomScore):
        return by
    return Against(by, intruder)


def reaching_as_far(intruder: Intruder | None, records: int) -> Intruder | None:
    """Return an intruder who holds the same share of a sample as of all so many records."""
    if intruder is None or not isinstance(intruder.respondents, int):
        return intruder
    return replace(intruder, respondents=min(intruder.respondents / max(records, 1), 1.0))

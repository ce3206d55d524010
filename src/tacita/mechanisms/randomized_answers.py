"""Randomized answers: what a respondent's own device does before anything is sent."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from math import log

from tacita.errors import ParameterError

FEWEST = 2  # answers


@dataclass(frozen=True)
class RandomizedAnswers:
    """A question whose answers are the truth with a known probability, and else any other answer.

    Whoever collects the answers never sees a truth: each answer is epsilon-differentially private
    by itself, with epsilon = ln(p (k - 1) / (1 - p)) for k answers and the probability p of the
    truth (Warner 1965; Kasiviswanathan et al. 2011). A respondent must answer once only: answers
    that are drawn again can be averaged.

    Args:
        question: the question.
        answers: all possible answers, two or more.
        truth: the probability of the truth, above that of each other answer and below 1.

    >>> smoking = RandomizedAnswers("Do you smoke?", ("yes", "no"), 0.75)
    >>> round(smoking.epsilon, 6), smoking.randomized("yes") in smoking.answers
    (1.098612, True)
    """

    question: str
    answers: tuple[str, ...]
    truth: float

    def __post_init__(self) -> None:
        number = len(self.answers)
        if number < FEWEST or len(set(self.answers)) < number:
            raise ParameterError(
                f"`{self.question}` needs two or more answers that differ; found "
                f"{', '.join(self.answers) or 'none'}."
            )
        if not 1 / number < self.truth < 1:
            raise ParameterError(
                f"With {number} answers the probability of the truth must be above "
                f"{1 / number:.3g} and below 1; got {self.truth:g}."
            )

    @property
    def epsilon(self) -> float:
        """The privacy loss of an answer."""
        return log(self.truth * (len(self.answers) - 1) / (1 - self.truth))

    def randomized(self, truth: str) -> str:
        """Return what is sent in place of the truth, by chance from a secure source.

        Raises:
            ParameterError: the truth is none of the answers.
        """
        if truth not in self.answers:
            raise ParameterError(
                f"The answer must be one of {', '.join(self.answers)}; found {truth!r}."
            )
        chance = secrets.SystemRandom()
        if chance.random() < self.truth:
            return truth
        return chance.choice([one for one in self.answers if one != truth])

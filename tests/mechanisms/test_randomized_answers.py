from __future__ import annotations

import math
from collections import Counter

import pytest

from tacita.errors import ParameterError
from tacita.mechanisms.randomized_answers import RandomizedAnswers


def test_epsilon_is_the_largest_ratio_of_chances():
    asked = RandomizedAnswers("How often?", ("never", "once", "often"), 0.6)
    assert asked.epsilon == pytest.approx(math.log(0.6 / 0.2))


def test_answers_are_drawn_as_the_design_says(chance):
    asked = RandomizedAnswers("How often?", ("never", "once", "often"), 0.6)
    drawn = Counter(asked.randomized("once") for _ in range(5000))
    assert chance.allows_counts([drawn[one] for one in asked.answers], [0.2, 0.6, 0.2])


@pytest.mark.parametrize(
    ("answers", "truth", "message"),
    [
        (("yes",), 0.7, "two or more answers"),
        (("yes", "yes"), 0.7, "two or more answers"),
        (("yes", "no"), 0.5, "above 0.5 and below 1"),
        (("yes", "no"), 1.0, "above 0.5 and below 1"),
    ],
)
def test_designs_that_tell_nothing_or_all_are_refused(answers, truth, message):
    with pytest.raises(ParameterError, match=message):
        RandomizedAnswers("Do you?", answers, truth)


def test_other_answers_are_refused():
    with pytest.raises(ParameterError, match="one of yes, no; found 'maybe'"):
        RandomizedAnswers("Do you?", ("yes", "no"), 0.7).randomized("maybe")

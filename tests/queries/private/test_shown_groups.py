"""Groups that nobody declared: shown by the number of respondents, and never for one of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.mechanisms.private.mechanisms import Laplace
from tacita.queries.expanding import outlined
from tacita.queries.guard import Guard
from tacita.queries.language.naming import Permitted
from tacita.queries.language.parse import parse
from tacita.queries.private.contributions import Contributions
from tacita.queries.private.measuring import Measuring
from tacita.queries.private.parts import Neighbours
from tacita.queries.public_classes import PublicClasses

ROLES = {"person": "identifier", "job": "confidential", "ward": "key"}
BY_JOB = "SELECT job, count(DISTINCT person) FROM people GROUP BY job"
WIDE = 3000


def people(persons, jobs) -> PublicClasses:
    table = pa.table({"person": persons, "job": jobs, "ward": ["w"] * len(jobs)})
    return PublicClasses.of(ta.read(table, roles=ROLES), "people")


def chosen_threshold(most: int, epsilon: Fraction, delta: Fraction) -> int:
    """Return the threshold that a count of respondents by groups gets."""
    person = Contributions("person", most, b"k")
    measuring = Measuring({}, Laplace(), Neighbours.ADD_REMOVE, person, 10, "private_answers")
    data = people(["a", "b"], ["x", "y"])
    permitted = Permitted(frozenset({"job"}), frozenset({"person"}))
    cells = outlined(parse(BY_JOB, data, permitted=permitted), data)
    found = measuring.threshold(cells, epsilon, delta)
    assert found is not None
    return found


def law(count: int, scale: float) -> np.ndarray:
    """Return the probabilities of a noisy count, number by number."""
    mass = np.exp(-np.abs(np.arange(-WIDE, WIDE + 1) - count) / scale)
    return mass / mass.sum()


def seen(count: int, scale: float, least: int) -> np.ndarray:
    """Return the law of what is seen of a group: nothing first, or a number from the least on."""
    mass = law(count, scale)
    return np.append(mass[: WIDE + least].sum(), mass[WIDE + least :])


@pytest.mark.parametrize("most", [1, 2, 5])
@pytest.mark.parametrize(("epsilon", "delta"), [(Fraction(1), 1e-3), (Fraction(1, 4), 1e-6)])
def test_the_loss_of_a_respondent_is_epsilon_and_delta_exactly(most, epsilon, delta):
    """A respondent more has groups of its own and one with others: delta(epsilon), summed up."""
    least = chosen_threshold(most, epsilon, Fraction(delta))
    scale = float(most / epsilon)

    def excess(threshold: int, own: int, joined: int) -> float:
        hidden = seen(1, scale, threshold)[0] ** own  # all own groups are hidden
        here, there = (seen(7 + more, scale, threshold) for more in (0, joined))
        growth = np.exp(float(epsilon))
        one_way = 1 - hidden + np.maximum(hidden * there - growth * here, 0).sum()
        other_way = np.maximum(here - growth * hidden * there, 0).sum()
        return float(max(one_way, other_way))

    for own in range(most + 1):
        assert excess(least, own, min(1, most - own)) <= delta * (1 + 1e-6)
    assert excess(least - 1, most, 0) > delta


def test_the_records_of_one_respondent_pass_no_threshold():
    """Fifty visits of one patient are one patient."""
    data = people(
        ["busy"] * 50 + [f"p{at}" for at in range(3000)], ["rare"] * 50 + ["common"] * 3000
    )
    policy = ta.PrivateAnswers(
        200.0, delta=1e-9, noise="laplace", share_each=0.5, respondent="person", records_each=50,
        private_categories=["job"],
    )  # fmt: skip
    guard = Guard(data, [policy])
    by_records = "SELECT job, count(*) FROM people GROUP BY job"
    told = guard.explain(BY_JOB, user="ana")["private_answers"]
    assert told["threshold"] < 50  # which records could pass, and respondents not
    for sql in (BY_JOB, by_records):
        assert [row[0] for row in guard.ask(sql, user="ana").rows] == ["common"]

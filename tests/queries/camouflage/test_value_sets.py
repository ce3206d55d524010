"""Conditions as intervals: a value is in them just if the condition holds for it."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.queries.camouflage.value_sets import is_simple, value_sets
from tacita.queries.language.parse import parse


def condition_of(text: str, salaries):
    return parse(f"SELECT count(*) FROM salaries WHERE {text}", salaries).where  # noqa: S608


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("salary > 5", [5, np.inf], [-np.inf, 5]),
        ("5 > salary", [-np.inf, 5], [5, np.inf]),
        ("NOT (salary > 5 AND salary <= 8)", [-np.inf, 5, 8, np.inf], [5, 8]),
        ("salary BETWEEN 5 AND 8 OR salary < -2", [-np.inf, -2, 5, 8], [-2, 5, 8, np.inf]),
        ("salary <= 5 OR salary >= 5", [-np.inf, np.inf], []),
        ("salary < 5 OR salary > 5", [-np.inf, 5, 5, np.inf], []),
        ("salary <> 5", [-np.inf, 5, 5, np.inf], []),
        ("salary IN (5, 8)", [], [-np.inf, 5, 5, 8, 8, np.inf]),
        ("salary > 5 AND salary < 8 AND salary <> 6.5", [5, 6.5, 6.5, 8], [-np.inf, 5, 8, np.inf]),
    ],
)
def test_edges_by_hand(text, inside, outside, salaries) -> None:
    condition = condition_of(text, salaries)
    assert is_simple(condition, "salary")
    found = value_sets(condition, "salary")
    assert [one.edges.tolist() for one in found] == [inside, outside]


@pytest.mark.parametrize(
    "text",
    [
        "salary * 2 > 5",
        "salary > 5 OR sector = 'IT'",
        "salary IS NULL",
        "salary > salary",
        "abs(salary) < 3",
        "salary % 2 = 0",
    ],
)
def test_other_conditions_are_not_simple(text, salaries) -> None:
    assert not is_simple(condition_of(text, salaries), "salary")

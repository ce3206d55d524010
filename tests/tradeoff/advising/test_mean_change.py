"""The mean change: one scale for values moved, coarsened, blanked and left out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.tradeoff.advising.mean_change import mean_change

FOUR = ta.read(
    pd.DataFrame({"pay": [0.0, 10.0, 20.0, 30.0], "job": ["a", "b", "c", "d"]}),
    roles={"pay": "key", "job": "key"},
)
APART = np.sqrt(2) * np.std([0, 10, 20, 30])


def released(**columns):
    frame = pd.DataFrame({**FOUR.to_pandas().to_dict("list"), **columns})
    return ta.pair(FOUR, frame, "position")[1]


def test_numbers_that_moved():
    found = mean_change(FOUR, released(pay=[0.0, 14.0, 20.0, 30.0]))
    assert found.parts == {"pay": pytest.approx(4 / APART / 4), "job": 0}
    assert found.value == pytest.approx(4 / APART / 8)


def test_a_range_costs_what_a_number_in_it_costs_on_average():
    coarse = FOUR.apply(ta.Recode("pay", breaks=[0, 20, 40]), seed=0)
    # Whole numbers from 0 to 19, and from 20 to 30, the largest there is.
    off = 19 / 2 + (10**2 + 9**2) / (2 * 19) + 10 / 2 + 10 / 2
    assert mean_change(FOUR, coarse).parts["pay"] == pytest.approx(off / 4 / APART)


def test_categories():
    swapped = released(job=["b", "a", "c", "d"])
    assert mean_change(FOUR, swapped).parts["job"] == 0.5
    coarse = FOUR.apply(ta.Recode("job", groups={"ab": ["a", "b"]}), seed=0)
    assert mean_change(FOUR, coarse).parts["job"] == pytest.approx((1 / 3) * 2 / 4)


def test_what_is_gone_is_lost():
    blank = released(job=["a", None, "c", "d"])
    assert mean_change(FOUR, blank).parts["job"] == 0.25
    assert mean_change(FOUR, FOUR.take(np.array([0, 1, 2]))).value == 0.25
    assert mean_change(FOUR, FOUR.without(["pay"])).parts == {"pay": 1, "job": 0}


@settings(max_examples=30, deadline=None)
@given(st.floats(0.01, 20), st.integers(0, 100))
def test_it_lies_between_0_and_1_and_nothing_costs_nothing(alpha, seed):
    data = ta.example("toy", 40)
    masked = data.apply(ta.AddNoise(["age", "income"], alpha=alpha), seed=seed)
    found = mean_change(data, masked)
    assert all(0 <= part <= 1 for part in found.parts.values())
    assert mean_change(data, data).value == 0
    assert {name for name, part in found.parts.items() if part} <= {"age", "income"}

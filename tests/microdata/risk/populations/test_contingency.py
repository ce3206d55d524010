"""Log-linear fits: two ways to one solution, margins kept, closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError
from tacita.microdata.risk.populations.contingency import (
    CountedCells,
    fitted,
    poisson_fit,
    proportional_fit,
)

PAIRS = [(0, 1), (0, 2), (1, 2)]
COUNTS = st.lists(st.integers(1, 40), min_size=12, max_size=12)


def table_of(counts: list[int]) -> np.ndarray:
    return np.array(counts, np.float64).reshape(2, 3, 2)


@given(COUNTS, st.sampled_from([PAIRS, [(0, 1), (2,)], [(0,), (1,), (2,)], [(0, 1), (1, 2)]]))
@settings(deadline=None)
def test_both_ways_come_to_one_solution(counts, terms):
    table = table_of(counts)
    scaled, done = proportional_fit(table, terms, np.ones_like(table))
    regressed, converged = poisson_fit(table, terms, np.ones_like(table))
    assert done
    assert converged
    assert scaled == pytest.approx(regressed, rel=1e-6)


@given(COUNTS, st.lists(st.floats(0.05, 1), min_size=12, max_size=12))
@settings(deadline=None)
def test_both_ways_start_from_the_offset(counts, offset):
    table, start = table_of(counts), np.array(offset).reshape(2, 3, 2)
    scaled, _ = proportional_fit(table, PAIRS[:2], start)
    regressed, _ = poisson_fit(table, PAIRS[:2], start)
    assert scaled == pytest.approx(regressed, rel=1e-5)


def test_empty_margins_stay_empty():
    table = table_of([5, 0, 2, 7, 0, 0, 4, 0, 1, 1, 0, 0])
    for fit in (proportional_fit, poisson_fit):
        made, converged = fit(table, [(0, 1), (2,)], np.ones_like(table))
        assert converged
        assert made.sum(axis=2) == pytest.approx(table.sum(axis=2), abs=1e-7)


def test_a_model_with_all_terms_is_the_table():
    table = table_of(list(range(1, 13)))
    assert proportional_fit(table, [(0, 1, 2)], np.ones_like(table))[0] == pytest.approx(table)


def test_attributes_that_do_not_interact_are_factors():
    """The fit in blocks is that of the whole table."""
    data = ta.example("toy", 400)
    classes = data.classes(["zip", "education", "region", "stratum"])
    cells = CountedCells.of(classes)
    counts = classes.counts.astype(float)
    terms = [(0, 2), (1,), (3,)]
    made = fitted(cells, counts, terms, fit="ipf", start=None)
    assert made.blocks == ((0, 2), (1,), (3,))
    whole, _ = proportional_fit(cells.spread(counts, 0.0), terms, np.ones(cells.shape))
    assert made.everywhere() == pytest.approx(whole, abs=1e-9)
    assert made.at(cells) == pytest.approx(whole[tuple(cells.codes)])


def test_a_table_too_large_is_refused():
    cells = CountedCells(np.zeros((3, 1), np.int64), (1000, 1000, 1000))
    with pytest.raises(ParameterError, match="1,000,000,000 cells"):
        fitted(cells, np.ones(1), [(0, 1), (1, 2)], fit="ipf", start=None)
    with pytest.raises(ParameterError, match="cells"):
        fitted(cells, np.ones(1), [(0,), (1,), (2,)], fit="glm", start=None)
    assert fitted(cells, np.ones(1), [(0,), (1,), (2,)], fit="ipf", start=None).at(cells) == 1


def test_a_regression_too_large_is_refused():
    cells = CountedCells(np.zeros((2, 1), np.int64), (1000, 1000))
    with pytest.raises(ParameterError, match="use `fit: ipf`"):
        fitted(cells, np.ones(1), [(0,), (1,)], fit="glm", start=None)

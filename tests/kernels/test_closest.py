from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.closest import GRAIN, closest

pytestmark = pytest.mark.numeric

NUMBER = st.one_of(st.just(float("nan")), st.integers(-3, 3).map(float))


def rows(draw, size, numbers, codes):
    made = [[draw(NUMBER) for _ in range(numbers)] for _ in range(size)]
    coded = [[draw(st.integers(0, 2)) for _ in range(codes)] for _ in range(size)]
    return (
        np.array(made, np.float64).reshape(size, numbers),
        np.array(coded, np.int64).reshape(size, codes),
    )


@st.composite
def pairs(draw):
    numbers, codes = draw(st.integers(0, 2)), draw(st.integers(0, 2))
    sizes = draw(st.integers(0, 4)), draw(st.integers(0, 6))
    return [rows(draw, size, numbers, codes) for size in sizes]


def squared(a, b, scales):
    gone = np.isnan(a) + 0.0 + np.isnan(b)
    apart = np.where(gone == 0, (np.nan_to_num(a - b) / scales) ** 2, np.where(gone == 2, 0.0, 1.0))
    return float(apart.sum())


@given(pairs())
def test_it_finds_the_first_of_the_closest_rows(given_rows):
    (numbers, codes), (other_numbers, other_codes) = given_rows
    scales = np.array([2.0, 0.5])[: numbers.shape[1]]
    distances, places = closest(*given_rows, scales)
    for i in range(len(numbers)):
        every = [
            squared(numbers[i], b, scales) + int((codes[i] != c).sum())
            for b, c in zip(other_numbers, other_codes, strict=True)
        ]
        assert distances[i] == min(every, default=np.inf)
        assert places[i] == (every.index(min(every)) if every else -1)


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_do_not_show(threads):
    rng = np.random.default_rng(0)
    ours, theirs = (
        (rng.integers(0, 9, (size, 2)).astype(float), rng.integers(0, 3, (size, 2)))
        for size in (20 * GRAIN, 300)
    )
    one, many = (closest(ours, theirs, np.ones(2), threads=count) for count in (1, threads))
    assert (one[0] == many[0]).all()
    assert (one[1] == many[1]).all()

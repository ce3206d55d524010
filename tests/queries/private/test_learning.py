from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacita.queries.private.learning import learned_bounds

PLENTY = Fraction(10**6)


def data(made, pays):
    return made([("IT", "BCN", one, 1.0) for one in pays])


def test_bounds_are_the_next_powers_of_two(made):
    rng = np.random.default_rng(0)
    assert learned_bounds(data(made, rng.uniform(1, 100, 400)), "pay", PLENTY) == (0, 128)
    assert learned_bounds(data(made, rng.uniform(-100, -70, 400)), "pay", PLENTY) == (
        -128,
        2.0**-10,
    )


def test_one_in_twenty_may_lie_beyond(made):
    assert learned_bounds(data(made, [3.0] * 95 + [1e9] * 5), "pay", PLENTY) == (0, 4)
    assert learned_bounds(data(made, [3.0] * 94 + [1e9] * 6), "pay", PLENTY) == (0, 2.0**30)


def test_blanks_keep_all_bounds(made):
    assert learned_bounds(data(made, [None] * 96 + [1e9] * 4), "pay", PLENTY)[1] == 2.0**-10


def test_what_is_paid_little_for_is_noisy(made):
    rows = data(made, [3.0] * 20)
    assert len({learned_bounds(rows, "pay", Fraction(1, 100)) for _ in range(50)}) > 1

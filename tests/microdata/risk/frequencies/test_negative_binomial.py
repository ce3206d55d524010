from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.risk.frequencies.negative_binomial import expected_reciprocal

COUNTS = [1, 2, 3, 5, 8, 11, 12, 13, 20, 50, 200]
RATIOS = [1, 1 + 1e-9, 1.001, 1.1, 1.5, 1.99, 2.01, 3, 11, 100.5, 1e4, 1e8]


def risk(f: float, population: float, formula: str = "exact") -> float:
    return float(
        expected_reciprocal(np.array([float(f)]), np.array([float(population)]), formula)[0]
    )


def by_definition(f: int, population: Fraction, terms: int) -> Fraction:
    """Sum (1/h) Pr(F = h | f), term by term and exactly."""
    p = f / population
    return sum(
        Fraction(1, h) * comb(h - 1, f - 1) * p**f * (1 - p) ** (h - f) for h in range(f, f + terms)
    )


def by_recurrence(f: int, population: float) -> Decimal:
    """Climb from log(1 + z) / z with so many digits that cancelling leaves enough of them."""
    with localcontext() as context:
        context.prec = 60 + 12 * f  # 1 - 1.000000001 takes nine of them for each count
        z = Decimal(population) / f - 1
        found = (1 + z).ln() / z if z else Decimal(1)
        for count in range(1, f):
            found = (Decimal(1) / count - found) / z if z else Decimal(1) / (count + 1)
        return found


def by_series(f: float, population: float) -> Decimal:
    with localcontext() as context:
        context.prec = 40
        count, size = Decimal(f), Decimal(population)
        q, term, total, n = 1 - count / size, Decimal(1), Decimal(1), 0
        while term > total * Decimal("1e-25"):
            n += 1
            term *= n * q / (count + n)
            total += term
        return total / size


@pytest.mark.parametrize(("f", "population"), [(1, 3), (2, 5), (5, 12), (20, 22), (7, 30)])
def test_it_is_the_mean_of_the_negative_binomial(f, population):
    """At f = 20 and F = 22 sdcMicro's exact formula returns -1.4e8."""
    exact = by_definition(f, Fraction(population), terms=400)
    assert risk(f, population) == pytest.approx(float(exact), rel=1e-13)


@pytest.mark.parametrize("f", COUNTS)
@pytest.mark.parametrize("ratio", RATIOS)
def test_whole_counts_keep_all_digits(f, ratio):
    assert risk(f, f * ratio) == pytest.approx(float(by_recurrence(f, f * ratio)), rel=1e-14)


@pytest.mark.parametrize("f", [1 + 1e-9, 1.5, 1.999999, 2.5, 7.7, 11.9, 12.3, 40.5])
@pytest.mark.parametrize("ratio", [1, 1 + 1e-9, 1.5, 1.99, 2.01, 11, 300])
def test_fractional_counts_keep_all_digits(f, ratio):
    assert risk(f, f * ratio) == pytest.approx(float(by_series(f, f * ratio)), rel=1e-14)


@pytest.mark.parametrize("z", [1e3, 1e6, 1e12])
def test_one_and_a_half_has_a_closed_form(z):
    root = np.sqrt(z)
    assert risk(1.5, 1.5 * (1 + z)) == pytest.approx(
        2 / z * (1 - np.arctan(root) / root), rel=1e-13
    )


@given(
    f=st.floats(1, 300),
    more=st.floats(0, 3),
    ratio=st.floats(1, 1e6),
    larger=st.floats(1, 10),
)
def test_more_records_never_raise_the_risk(f, more, ratio, larger):
    population = (f + more) * ratio
    found = risk(f, population)
    assert 1 / population * (1 - 1e-13) <= found <= 1 / f * (1 + 1e-13)
    assert risk(f + more, population) <= found * (1 + 1e-13)
    assert risk(f, population * larger) <= found * (1 + 1e-13)


@given(st.floats(2.0000001, 300), st.floats(1, 1e6))
def test_the_approximation_is_near(f, ratio):
    assert risk(f, f * ratio, "approximate") == pytest.approx(risk(f, f * ratio), rel=0.25)


def test_the_approximation_is_exact_up_to_two():
    for f in (1, 1.5, 2):
        assert risk(f, 9 * f, "approximate") == risk(f, 9 * f)
    assert risk(3, 30, "approximate") == pytest.approx(0.1 / (3 - 0.9))


def test_equal_pairs_have_equal_risks_in_their_order():
    f, population = np.array([2.0, 1, 2, 3]), np.array([9.0, 4, 9, 3])
    found = expected_reciprocal(f, population)
    assert found[0] == found[2]
    assert found[3] == pytest.approx(1 / 3)
    assert len(expected_reciprocal(np.array([]), np.array([]))) == 0

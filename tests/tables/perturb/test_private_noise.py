"""Private tables: they add up, their noise has the scale that was paid for, and nothing less."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.mechanisms.private.accounting import epsilon_of
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.perturb.private_noise import PrivateNoise
from tacita.tables.perturb.summing.inner import inner_cells
from tacita.tables.ready import grid_table
from tacita.tables.table import Table
from tacita.tables.tabulate import tabulate

RNG = np.random.default_rng(0)


def flat(values, **known):
    """Return the system of a table of one attribute: the total, then the values."""
    span = Dimension.flat("a", [f"c{number:05d}" for number in range(len(values))])
    cells = Cells.of([sum(values), *values], **known)
    return Table("t", (span,), np.arange(len(values) + 1)[:, None], cells).system()


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 2**32),
    st.integers(1, 4),
    st.sampled_from([0.0, 1e-6]),
    st.sampled_from(["all", "inner"]),
)
def test_tables_add_up_in_whole_numbers_that_are_not_negative(
    random_table, seed, dimensions, delta, measured
):
    system = random_table(seed, dimensions=dimensions).system()
    told = PrivateNoise(0.5, delta=delta, measured=measured).perturb(system, RNG)
    assert told.is_additive
    assert not (system.relations @ told.value).any()
    assert (told.value >= 0).all()
    assert (told.value % 1 == 0).all()
    assert not told.is_reproducible


@pytest.mark.parametrize("measured", ["all", "inner"])
def test_with_a_large_loss_the_table_is_nearly_true(random_table, measured):
    system = random_table(3, dimensions=3).system()
    told = PrivateNoise(1000.0, measured=measured).perturb(system, RNG)
    assert np.array_equal(told.value, system.cells.value)


def test_two_runs_of_one_seed_differ():
    system = flat([500] * 60)
    one, other = (
        PrivateNoise(0.1).perturb(system, np.random.default_rng(7)).value for _ in range(2)
    )
    assert not np.array_equal(one, other)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3), st.sampled_from(["all", "inner"]))
def test_the_sensitivity_is_what_one_more_respondent_changes(
    random_table, seed, dimensions, measured
):
    """Against adding a respondent to every inner cell and tabulating anew by the relations."""
    system = random_table(seed, dimensions=dimensions).system()
    inner = inner_cells(system)
    found = PrivateNoise(1.0, measured=measured)._sensitivity(inner)
    rows = np.arange(len(system)) if measured == "all" else inner.cells
    moved = [(inner.sums @ one)[rows] for one in np.eye(len(inner.cells))]
    assert found.sum == max(np.abs(change).sum() for change in moved)
    assert found.root == pytest.approx(max(np.sqrt((c**2).sum()) for c in moved))
    twice = PrivateNoise(1.0, measured=measured, neighbours="substitute")._sensitivity(inner)
    apart = [one - other for one in moved for other in moved]
    assert twice.sum >= max(np.abs(change).sum() for change in apart)
    assert twice.root >= max(np.sqrt((c**2).sum()) for c in apart) - 1e-9


@pytest.mark.parametrize(
    ("options", "scale"),
    [
        ({"measured": "inner"}, 20.0),
        ({"measured": "inner", "neighbours": "substitute"}, 40.0),
        ({"measured": "inner", "cells_of_one": 3}, 60.0),
        ({"measured": "all"}, 40.0),  # an inner cell counts in two
    ],
)
def test_inner_cells_have_noise_of_the_scale_that_is_paid_for(chance, options, scale):
    n = 8000
    system = flat([10_000] * n)
    change = PrivateNoise(0.05, **options).perturb(system, RNG).change[1:]
    # So large that it does not matter that it is whole.
    assert chance.allows(stats.gamma(n, scale=scale), np.abs(change).sum())
    assert chance.allows_counts([(change < 0).sum(), (change > 0).sum()], [0.5, 0.5])


def test_gaussian_noise_keeps_within_epsilon_and_delta(chance):
    method = PrivateNoise(1.0, delta=1e-6, measured="inner")
    mechanism, cost = method._mechanism()
    assert epsilon_of(float(cost), 1e-6) <= 1.0
    system = flat([10_000] * 8000)
    scale = mechanism.scale(method._sensitivity(inner_cells(system)), cost)
    change = method.perturb(system, RNG).change[1:]
    assert chance.allows(stats.chi2(8000, scale=scale**2), (change**2).sum())


def test_totals_that_are_measured_are_closer_to_the_truth_than_sums_of_noise():
    system = flat([10_000] * 400)
    both = {
        measured: np.mean(
            [
                PrivateNoise(1.0, measured=measured).perturb(system, RNG).change[0] ** 2
                for _ in range(40)
            ]
        )
        for measured in ("all", "inner")
    }
    assert both["all"] < both["inner"] / 5


def test_amounts_have_noise_in_units_of_what_one_may_contribute(chance):
    values, n = [1200.25, 300.5, 0.25] * 1500, 4500
    system = flat(values, largest=np.full((n + 1, 1), 50.0), lower_bound=np.full(n + 1, -np.inf))
    method = PrivateNoise(
        2.0, largest_contribution=50.0, decimals=2, measured="inner", negative=True
    )
    told = method.perturb(system, RNG)
    assert told.is_additive
    assert np.array_equal(np.round(told.value, 2), told.value)
    assert chance.allows(stats.gamma(n, scale=25), np.abs(told.change[1:]).sum())
    assert (told.value < 0).any()
    assert (PrivateNoise(2.0, largest_contribution=50.0).perturb(system, RNG).value >= 0).all()


def test_the_guarantee_is_told():
    told = PrivateNoise(1.5, delta=1e-9, neighbours="substitute").perturb(flat([5, 6]), RNG)
    assert "(1.5, 1e-09)-differentially private" in told.remarks[0]
    assert "which values a respondent has" in told.remarks[0]
    assert "counts as known to everybody" in told.remarks[1]
    assert PrivateNoise.repeatable is False


def test_promises_that_do_not_hold_are_refused():
    with pytest.raises(ParameterError, match="needs its `largest_contribution`"):
        PrivateNoise(1.0).perturb(flat([1.5, 2]), RNG)
    held = flat([90.0, 2.0], largest=[[80.0], [80.0], [2.0]])
    with pytest.raises(ParameterError, match="above the `largest_contribution` of 50"):
        PrivateNoise(1.0, largest_contribution=50.0).perturb(held, RNG)
    with pytest.raises(InputError, match="fewer than 16 digits"):
        PrivateNoise(1.0, largest_contribution=5.0, decimals=9).perturb(flat([1e8, 1]), RNG)
    with pytest.raises(ParameterError, match="`epsilon`"):
        PrivateNoise(0.0)


def test_amounts_and_weighted_counts_are_no_counts_although_they_are_whole():
    people = pa.table({"town": ["a", "a", "b"], "pay": [900, 800, 700], "w": [50.0, 70.0, 20.0]})
    weighted = ta.read(people, roles={"w": "weight"})
    pay = ta.read_table(pa.table({"town": ["a", "Total"], "pay": [7, 7]}), by=["town"], value="pay")
    for system in (
        tabulate(people, ["town"], value="pay").system(),
        tabulate(weighted, ["town"]).system(),
        grid_table("t", {"x": [1, 2]}, ["u", "v"]).system(),
        pay.system(),
    ):
        with pytest.raises(ParameterError, match="needs its `largest_contribution`"):
            PrivateNoise(1.0).perturb(system, RNG)
        told = PrivateNoise(1.0, largest_contribution=1000.0).perturb(system, RNG)
        assert told.is_additive
    assert PrivateNoise(1.0).perturb(tabulate(people, ["town"]).system(), RNG).is_additive


def test_what_a_respondent_adds_to_inner_cells_is_what_is_promised():
    owned = pa.table({"town": ["a", "a", "b", "c"], "owner": ["x", "x", "x", "y"]})
    system = tabulate(owned, ["town"], contributor="owner").system()
    with pytest.raises(ParameterError, match="above the `largest_contribution` of 1;"):
        PrivateNoise(1.0, cells_of_one=9).perturb(system, RNG)
    with pytest.raises(ParameterError, match="more inner cells than the 1 that"):
        PrivateNoise(1.0, largest_contribution=2.0).perturb(system, RNG)
    # Of a total, a respondent may have as much as in all inner cells together.
    told = PrivateNoise(1.0, largest_contribution=2.0, cells_of_one=2).perturb(system, RNG)
    assert told.is_additive

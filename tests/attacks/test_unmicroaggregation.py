from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.attacks.inverting.aggregates import bounds_of
from tacita.attacks.unmicroaggregation import Unmicroaggregation
from tacita.errors import InputError

CENSUS = Path(__file__).parents[3] / "shared" / "data" / "casc" / "Census.csv"


def keyed(matrix):
    names = [f"x{j}" for j in range(matrix.shape[1])]
    return ta.read(
        pa.table(dict(zip(names, matrix.T, strict=True))), roles=dict.fromkeys(names, "key")
    )


def drawn(records, width, seed=0):
    """Skewed numbers that depend on each other."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=(records, 1))
    return keyed(np.exp(common + rng.normal(size=(records, width))))


@pytest.mark.parametrize(
    ("k", "together", "times"), [(5, 2, 1.01), (10, 2, 1.05), (10, 3, 1.15), (20, 3, 1.3)]
)
def test_it_beats_naive_linkage_of_blocks(k, together, times):
    data = drawn(600, 6)
    safe = data.apply(ta.Microaggregate(data.names, k=k, together=together), seed=0)
    found = Unmicroaggregation().measure(data, safe)
    assert found.figures["k"] == k
    assert found.figures["blocks"] == 6 / together
    assert found.value > times * found.figures["naive_linkage"]


@pytest.mark.parametrize("algorithm", ["optimal", "individual_ranking"])
def test_it_beats_naive_linkage_of_attributes_alone(algorithm):
    data = drawn(600, 3)
    safe = data.apply(ta.Microaggregate(data.names, k=30, algorithm=algorithm), seed=0)
    found = Unmicroaggregation().measure(data, safe)
    assert found.figures["blocks"] == 3
    assert found.value > 1.2 * found.figures["naive_linkage"]
    inside = [bounds_of(safe.numbers(name)) for name in data.names]
    for name, (low, high) in zip(data.names, inside, strict=True):
        assert (low <= data.numbers(name)).all()
        assert (data.numbers(name) <= high).all()


@pytest.mark.parametrize("k", [3, 10])
def test_of_a_single_block_no_more_than_one_of_k_is_linked(k):
    data = drawn(600, 3)
    safe = data.apply(ta.Microaggregate(data.names, k=k), seed=0)
    found = Unmicroaggregation().measure(data, safe)
    assert found.figures["naive_linkage"] < found.value <= 1 / k
    assert found.figures["bounded"] is None


@pytest.mark.skipif(not CENSUS.exists(), reason="the reference data are not here")
@pytest.mark.parametrize(("k", "naive", "attacked"), [(3, 0.74, 0.98), (10, 0.32, 0.8)])
def test_four_attributes_of_census_three_at_a_time(k, naive, attacked):
    names = ta.read(CENSUS).names[:4]
    data = ta.read(CENSUS, kinds=dict.fromkeys(names, "continuous"))
    safe = data.apply(ta.Microaggregate(names, k=k, together=3), seed=0)
    found = Unmicroaggregation(names).measure(data, safe)
    assert found.figures["naive_linkage"] < naive
    assert found.value > attacked


def test_an_attribute_of_a_block_known_alone_is_not_taken_for_runs():
    data = drawn(400, 3)
    safe = data.apply(ta.Microaggregate(data.names, k=5), seed=0)
    found = Unmicroaggregation(["x0"]).measure(data, safe)
    assert found.figures["bounded"] is None
    assert found.figures["k"] == 5


def test_narrow_bounds_are_counted():
    # Runs 0 2, 4 6, 8 10 with averages 1, 5, 9: bounds are -3 to 5, 1 to 9 and 5 to 13.
    data = keyed(np.arange(0.0, 12.0, 2.0)[:, None])
    safe = data.apply(ta.Microaggregate(data.names, k=2, algorithm="optimal"), seed=0)
    spread = float(np.std(data.numbers("x0"), ddof=1))
    wide, narrow = (
        Unmicroaggregation(width=(4 + slack) / spread).measure(data, safe)
        for slack in (0.01, -0.01)
    )
    assert wide.figures["bounded"] == 1
    assert narrow.figures["bounded"] == 0


def test_values_that_were_not_averaged_have_no_bounds():
    data = drawn(50, 2)
    assert Unmicroaggregation().measure(data, data).figures["bounded"] is None


@pytest.mark.parametrize("size", [1e300, 1e-300])
def test_numbers_of_any_size(size):
    matrix = np.random.default_rng(0).normal(size=(60, 3)) * size
    for together, algorithm in ((None, "optimal"), (2, "mdav")):
        data = keyed(matrix / 2)
        masking = ta.Microaggregate(data.names, k=3, together=together, algorithm=algorithm)
        assert Unmicroaggregation().measure(data, data.apply(masking, seed=0)).value > 0.5


def test_by_hand_two_attributes_alone():
    # The groups of x are {a, b} and {c, d}, those of y {a, c} and {b, d}: all four are told apart.
    data = keyed(np.array([[0.0, 0.0], [1.0, 10.0], [10.0, 1.0], [11.0, 11.0]]))
    safe = keyed(np.array([[0.5, 0.5], [0.5, 10.5], [10.5, 0.5], [10.5, 10.5]]))
    found = Unmicroaggregation().measure(*ta.pair(data, safe, "position"))
    assert found.value == 1
    assert found.figures["certain_links"] == 4


def test_k_tells_what_was_grouped_together():
    # Equal by chance: pairs of (x, y) occur twice, but groups are of three at least.
    x = np.repeat([0.0, 1.0], 6)
    y = np.tile([0.0, 0.0, 1.0, 1.0, 2.0, 2.0], 2)
    data = keyed(np.column_stack([x, y]))
    assert Unmicroaggregation(k=2).measure(data, data).figures["blocks"] == 1
    assert Unmicroaggregation(k=3).measure(data, data).figures["blocks"] == 2


def test_a_sample_is_drawn_and_said():
    data = drawn(400, 4)
    safe = data.apply(ta.Microaggregate(data.names, k=3, together=2), seed=0)
    found = Unmicroaggregation(sample=50).measure(data, safe)
    assert found.figures["linked"] == 50
    assert "random sample of 50 of 400" in found.sentence
    assert found.interval.lower <= found.value <= found.interval.upper


def test_blanks_tell_nothing():
    matrix = np.random.default_rng(0).normal(size=(200, 4))
    matrix[::9, 1] = np.nan
    data = keyed(matrix)
    safe = data.apply(ta.Microaggregate(data.names, k=3, together=2), seed=0)
    found = Unmicroaggregation().measure(data, safe)
    assert found.value > 0.8


def test_ranges_are_no_averages():
    data = ta.example("toy", 100)
    coarse = data.apply(ta.Recode("age", width=20), seed=0)
    with pytest.raises(InputError, match="numbers"):
        Unmicroaggregation(["age"]).measure(data, coarse)

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.attacks.deducing.rounding_grids import (
    Bounds,
    found_identities,
    grid_of,
    leaning,
    narrowed,
    read_identity,
)
from tacita.attacks.rounding_reconstruction import RoundingReconstruction
from tacita.errors import InputError, ParameterError

SHARED = Path(__file__).parents[3] / "shared"
BASES = st.sampled_from([1, 2, 5, 10, 25])
SUM = {"t": -1, "a": 1, "b": 1}


def books(records=600, seed=0, scale=6.0) -> ta.Microdata:
    rng = np.random.default_rng(seed)
    parts = {name: rng.lognormal(scale, 1, records).round() for name in "abc"}
    return ta.read(pa.table({**parts, "total": sum(parts.values())}))


def rounded_up(values, base):
    return np.floor(np.asarray(values) / base + 0.5) * base


def test_by_hand():
    data = ta.read(pa.table({"a": [14, 26], "b": [4, 13], "t": [18, 39]}))
    safe = data.apply(ta.RoundValues(["a", "b"], base=10))
    attack = RoundingReconstruction(bases={"a": 10, "b": 10}, identities=["t = a + b"], width=0)
    bounds = narrowed(
        {
            "a": Bounds.of(np.array([10.0, 30.0]), 10, 1),
            "b": Bounds.of(np.array([0.0, 10.0]), 10, 1),
            "t": Bounds.of(np.array([18.0, 39.0]), 1, 1),
        },
        [SUM],
    )
    # 18 = a + b with a in 5..14 and b in 0..4 leaves only 14 + 4.
    assert (bounds["a"].low[0], bounds["a"].high[0]) == (14, 14)
    assert (bounds["b"].low[0], bounds["b"].high[0]) == (4, 4)
    # 39 = a + b with a in 25..34 and b in 5..14.
    assert (bounds["a"].low[1], bounds["a"].high[1]) == (25, 34)
    found = attack.measure(data, safe)
    assert found.figures["determined"] == Fraction(1, 2)
    assert found.figures["naive_guess"] == 0
    assert found.value >= Fraction(1, 2)


@given(st.lists(st.integers(-60, 60), min_size=1, max_size=8), BASES)
@settings(max_examples=50)
def test_the_truth_lies_between_its_bounds(values, base):
    data = ta.read(pa.table({"x": np.array(values, float)}))
    released = data.apply(ta.RoundValues("x", base=base)).numbers("x")
    signed = np.array(values) if released.min() < 0 else np.maximum(values, 0)
    bounds = Bounds.of(released, base, 1.0)
    assert (bounds.low <= signed).all()
    assert (signed <= bounds.high).all()
    assert bounds.width.max() <= base - 1


@given(st.integers(0, 40), st.integers(0, 40), BASES, BASES, BASES)
@settings(max_examples=50)
def test_bounds_are_those_of_all_solutions(a, b, base_a, base_b, base_t):
    truth, bases = {"a": a, "b": b, "t": a + b}, {"a": base_a, "b": base_b, "t": base_t}
    first = {
        name: Bounds.of(rounded_up([truth[name]], bases[name]), bases[name], 1.0) for name in truth
    }
    found = narrowed(first, [SUM])
    spans = {name: range(int(one.low[0]), int(one.high[0]) + 1) for name, one in first.items()}
    solutions = [
        {"a": x, "b": y, "t": x + y}
        for x, y in product(spans["a"], spans["b"])
        if x + y in spans["t"]
    ]
    for name in truth:
        fitting = [solution[name] for solution in solutions]
        assert (found[name].low[0], found[name].high[0]) == (min(fitting), max(fitting))


def test_grids_are_decimal():
    assert grid_of(np.array([0.3, 0.6, np.nan, 1.2])) == 0.3
    assert grid_of(np.array([1 / 3])) is None
    assert grid_of(np.zeros(3)) is None
    assert grid_of(np.zeros(0)) is None


def test_the_mean_leans_to_the_fuller_side():
    released = np.repeat([0.0, 10.0, 20.0], [2, 4, 8])
    lean = leaning(released, 10)
    # 10 x (8 - 2) / (24 x 4) for the middle one.
    assert lean[2] == pytest.approx(0.625)
    assert lean[0] > 0 > lean[-1]
    heap = leaning(np.repeat([0.0, 10.0], [9, 4]), 10)
    assert heap[0] == 0


def test_identities_are_found_in_the_release_and_no_others():
    data = books()
    safe = data.apply(ta.RoundValues(["a", "b", "c", "total"], base=50))
    released = {name: safe.numbers(name) for name in safe.names}
    found = found_identities(released, dict.fromkeys(safe.names, 50.0))
    assert found == [{"total": -1, "a": 1, "b": 1, "c": 1}]


def test_small_numbers_make_no_identity():
    rng = np.random.default_rng(0)
    released = {name: rng.integers(0, 2, 100) * 10.0 for name in "abt"}
    assert found_identities(released, dict.fromkeys("abt", 10.0)) == []


@pytest.mark.parametrize("total_base", [None, 100])
def test_it_beats_the_released_values(total_base):
    data = books()
    names = ["a", "b", "c"] if total_base is None else ["a", "b", "c", "total"]
    safe = data.apply(ta.RoundValues(names, base=100))
    found = RoundingReconstruction().measure(data, safe)
    assert found.figures["identities"] == 1
    assert found.figures["ratio_to_naive_guess"] > (1.3 if total_base is None else 1.1)
    assert set(found.parts) == set(names)
    alone = RoundingReconstruction(identities=[]).measure(data, safe)
    assert alone.figures["mean_width"] > found.figures["mean_width"]
    assert alone.value < found.value


def test_census():
    if not SHARED.exists():
        pytest.skip("the reference data are not here")
    data = ta.read(SHARED / "data/casc/Census.csv")
    names = ["PEARNVAL", "POTHVAL"]
    safe = data.apply(ta.RoundValues(names, base=1000))
    attack = RoundingReconstruction([*names, "PTOTVAL"])
    found = attack.measure(data, safe)
    # PTOTVAL = PEARNVAL + POTHVAL holds in the file, and the attack finds it there.
    assert found.figures["identities"] == 1
    assert found.value > found.figures["naive_guess"]
    assert found.figures["mean_width"] < 0.75


def test_blanks_are_no_targets():
    data = ta.read(pa.table({"a": [14.0, None, 3.0]}))
    safe = ta.read(pa.table({"a": [10.0, 20.0, None]}))
    found = RoundingReconstruction(units={"a": 1}).measure(*ta.pair(data, safe, "position"))
    assert "of 1 values" in found.sentence


def test_very_large_numbers_are_survived():
    data = ta.read(pa.table({"a": [1e308, 5.0], "b": [-1e308, 1e-308], "c": [1e308, 0.0]}))
    assert RoundingReconstruction().measure(data, data).value is not None


def test_what_is_released_exactly_is_determined(toy):
    found = RoundingReconstruction().measure(toy, toy)
    assert found.value == found.figures["determined"] == 1


@pytest.mark.parametrize("said", ["t", "t = ", "t = a + a", "= a + b", "t = a ++ "])
def test_an_identity_that_cannot_be_read_is_told(said):
    with pytest.raises(ParameterError, match="An identity reads"):
        read_identity(said, ["a", "b", "t"])


def test_what_is_wrong_is_told(toy):
    with pytest.raises(ParameterError, match="Did you mean `income`"):
        RoundingReconstruction(identities=["incomes = age + weight"]).measure(toy, toy)
    names = ta.read(pa.table({"a": ["x"]}))
    with pytest.raises(InputError, match="numbers that are released as numbers"):
        RoundingReconstruction().measure(names, names)

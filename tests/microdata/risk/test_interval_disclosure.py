from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta

SHARED = Path(__file__).parents[4] / "shared"
FIGURES = SHARED / "reference" / "sdcmicro" / "figures.csv"
NOISY = SHARED / "reference" / "sdcmicro" / "Tarragona_addNoise_additive10_seed123.csv"
GRADES = ["low", "mid", "high", "top"]


def read(columns: dict, **said) -> ta.Microdata:
    return ta.read(pa.table(columns), roles=dict.fromkeys(columns, "confidential"), **said)


def casc(name: str) -> ta.Microdata:
    path = SHARED / "data" / "casc" / f"{name}.csv"
    if not path.exists():
        pytest.skip("the reference data are not here")
    return ta.read(path)


def expected(dataset: str, params: str) -> float:
    with FIGURES.open() as file:
        for row in csv.DictReader(file):
            if (row["dataset"], row["metric"]) == (dataset, "dRisk_k0.05") and row[
                "params"
            ].startswith(params):
                return float(row["value"])
    raise KeyError(params)


def one_by_one(data: ta.Microdata, k: int = 3) -> ta.Microdata:
    """Replace every attribute, sorted by itself, by the means of groups of k values."""
    masked = data
    for name in data.names:
        values = data.numbers(name).copy()
        order = np.argsort(values, kind="stable")
        group = np.minimum(np.arange(len(order)) // k, len(order) // k - 1)
        means = np.bincount(group, values[order]) / np.bincount(group)
        values[order] = means[group]
        masked = masked.with_column(data.attribute(name), pa.array(values))
    return masked


def test_hospital_days_with_noise_of_the_printed_example():
    noise = ta.example("hospital_days_with_noise")
    before, after = (read({"DH": noise.numbers(name)}) for name in ("Original", "Released"))
    # The variance is 328.36: 0.2 deviations are 3.62 days, and six errors are smaller.
    found = ta.IntervalDisclosure(width=0.2).measure(*ta.pair(before, after, "position"))
    assert found.value == Fraction(6, 11)
    assert found.per_record.tolist() == [1, 1, 0, 1, 0, 0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("dataset", ["Tarragona", "Census"])
def test_all_attributes_is_the_risk_of_sdcmicro(dataset):
    data = casc(dataset)
    found = ta.IntervalDisclosure(deviation="protected").measure(data, one_by_one(data))
    wanted = expected(dataset, "method=onedims;aggr=3")
    assert float(found.figures["all_attributes"]) == pytest.approx(wanted, abs=1e-12)
    assert found.value > wanted


def test_all_attributes_of_noisy_records_is_the_risk_of_sdcmicro():
    data = casc("Tarragona")
    noisy = ta.read(NOISY)
    found = ta.IntervalDisclosure(deviation="protected").measure(*ta.pair(data, noisy, "position"))
    wanted = expected("Tarragona", "set.seed(123);noise=10;method=additive")
    assert found.figures["all_attributes"] == wanted == 0
    assert float(found.value) == pytest.approx(0.3895960154952961)


def test_the_deviation_is_weighted():
    def made(x):
        table = pa.table({"x": x, "w": [1.0, 1.0, 8.0]})
        return ta.read(table, roles={"x": "confidential", "w": "weight"})

    before, after = made([0.0, 10.0, 10.0]), made([0.0, 10.0, 13.0])
    # Weights count as if they summed to the number of records.
    weights = np.array([1, 1, 8]) * 0.3
    mean = (weights * [0, 10, 10]).sum() / 3
    spread = np.sqrt((weights * (np.array([0, 10, 10]) - mean) ** 2).sum() / 2)
    for factor, disclosed in ((1.001, 3), (0.999, 2)):
        found = ta.IntervalDisclosure(width=factor * 3 / spread).measure(
            *ta.pair(before, after, "position")
        )
        assert found.value == Fraction(disclosed, 3)


@given(
    st.lists(
        st.tuples(*[st.one_of(st.none(), st.sampled_from(GRADES))] * 2), min_size=1, max_size=12
    ),
    st.sampled_from([0, 10, 25, 50.5, 100]),
)
def test_ranks_are_those_among_released_values(pairs, percent):
    kinds, orders = {"x": "ordinal"}, {"x": GRADES}
    before, after = (
        read({"x": pa.array(list(column), pa.string())}, kinds=kinds, orders=orders)
        for column in zip(*pairs, strict=True)
    )
    released = [GRADES.index(b) for _, b in pairs if b is not None]

    def rank(value):
        place = GRADES.index(value)
        below = sum(one < place for one in released)
        return Fraction(below + sum(one <= place for one in released) + 1, 2)

    inside = [
        b is not None
        and (a == b or abs(rank(a) - rank(b)) < Fraction(str(percent)) * len(pairs) / 100)
        for a, b in pairs
        if a is not None
    ]
    found = ta.IntervalDisclosure(rank_width=percent).measure(*ta.pair(before, after, "position"))
    varies = len({a for a, _ in pairs if a is not None}) > 1
    assert found.value == (Fraction(sum(inside), len(inside)) if varies else None)


def test_nominal_values_are_disclosed_as_they_are():
    before, after = read({"x": ["a", "b", None, "d"]}), read({"x": ["a", "c", "a", None]})
    found = ta.IntervalDisclosure().measure(*ta.pair(before, after, "position"))
    assert found.value == Fraction(1, 3)
    assert found.figures["all_attributes"] == Fraction(1, 3)


def test_dates_count_in_days():
    days = np.array(["2020-01-01", "2020-01-11", "2020-01-21"], "datetime64[D]")
    before, after = read({"d": days}), read({"d": days + np.array([0, 4, 6])})
    found = ta.IntervalDisclosure(width=0.5).measure(
        *ta.pair(before, after, "position")
    )  # the deviation is 10 days
    assert found.value == Fraction(2, 3)


def test_unmasked_data_are_disclosed_and_what_is_gone_is_told(toy):
    assert ta.IntervalDisclosure(width=0, rank_width=0).measure(toy, toy).value == 1
    masked = toy.apply(ta.Drop(["income"]), seed=0).apply(ta.Recode("age", width=10), seed=0)
    found = ta.IntervalDisclosure().measure(toy, masked)
    assert "income" not in found.parts
    assert "left out or recoded: age, income" in found.sentence
    assert ta.IntervalDisclosure(["income"]).measure(toy, masked).value is None


def test_a_sample_is_compared_with_its_own_records(toy):
    sample = toy.apply(ta.Sample(size=20), seed=1)
    assert ta.IntervalDisclosure().measure(toy, sample).value == 1


@given(st.floats(0, 2), st.floats(0, 2))
def test_wider_intervals_disclose_no_less(one, other):
    before, after = read({"x": [1.0, 2, 4, 8]}), read({"x": [1.5, 0.5, 5, 2]})
    low, high = (
        ta.IntervalDisclosure(width=width).measure(*ta.pair(before, after, "position")).value
        for width in sorted((one, other))
    )
    assert low <= high


@pytest.mark.parametrize(
    "method", [ta.IntervalDisclosure, ta.RmdDisclosure, ta.InferentialDisclosure]
)
def test_very_large_numbers_are_survived(method):
    table = pa.table({"k": [1.0, 2.0, 3.0, -1e300, 1e300], "x": [1e300, 1.0, 2.0, 3.0, -1e300]})
    data = ta.read(table, roles={"k": "key", "x": "confidential"})
    assert 0 <= method().measure(data, data).value <= 1


def test_numbers_too_far_apart_for_a_double_are_far():
    data, released = (
        ta.read(pa.table({"x": [sign * 1.7e308, 1.0]}), kinds={"x": "continuous"})
        for sign in (1, -1)
    )
    assert ta.IntervalDisclosure().measure(*ta.pair(data, released, "position")).value == Fraction(
        1, 2
    )


def test_constants_tell_nothing_and_are_left_out():
    rng = np.random.default_rng(5)
    x = rng.normal(0, 1, 200)
    moved = x + rng.choice([-1, 1], 200)
    before, after = (
        read({"x": values, "c": np.full(200, 7.0), "n": ["a"] * 199 + [None]})
        for values in (x, moved)
    )
    inside = np.abs(x - moved) <= 0.05 * x.std(ddof=1)
    assert not inside.any()  # with the constants, two values of three would seem disclosed
    found = ta.IntervalDisclosure().measure(*ta.pair(before, after, "position"))
    assert found.value == 0
    assert found.figures["all_attributes"] == 0
    assert list(found.parts) == ["x"]
    assert "constant and left out: c, n" in found.sentence
    alone = ta.IntervalDisclosure(["c"]).measure(*ta.pair(before, after, "position"))
    assert alone.value is None


def test_a_constant_with_noise_is_left_out_and_a_released_constant_is_not():
    x = np.arange(21.0)
    flat = read({"x": np.full(21, 10.0)})
    noisy = read({"x": x})
    assert ta.IntervalDisclosure().measure(*ta.pair(flat, noisy, "position")).value is None
    found = ta.IntervalDisclosure(width=0.2).measure(*ta.pair(noisy, flat, "position"))
    assert found.value == Fraction(int((np.abs(x - 10) <= 0.2 * x.std(ddof=1)).sum()), 21)

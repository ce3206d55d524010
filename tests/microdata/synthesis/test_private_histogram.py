from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import tacita as ta
from tacita.errors import ParameterError, ProtectionError
from tacita.mechanisms.private.mechanisms import Laplace
from tacita.microdata.synthesis.private_histogram import without_negatives

SAID = {"categories": {"sex": ("f", "m"), "town": ("a", "b", "c")}}


def people(women, men, town="a"):
    sexes = ["f"] * women + ["m"] * men
    return ta.read(pa.table({"sex": pa.array(sexes, pa.string()), "town": [town] * len(sexes)}))


def synthesize(data, seed=1, **said):
    options = {"epsilon": 1.0, **SAID, **said}
    return ta.PrivateHistogram(**options).mask(data, np.random.default_rng(seed))


@pytest.fixture
def heard(monkeypatch):
    """Take the noise away, and keep what it heard."""
    numbers_of = []

    def noised(_, numbers, scale):
        numbers_of.append((list(numbers), scale))
        return list(numbers)

    monkeypatch.setattr(Laplace, "noised", noised)
    return numbers_of


def test_every_cell_gets_noise_of_the_scale_that_is_paid_for(heard):
    synthesize(people(3, 5), epsilon=0.5)
    ((numbers, scale),) = heard
    assert numbers == [3, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0]  # both with a cell for blanks
    assert 2 <= scale < 2 + 1e-8


def test_what_cannot_be_blank_has_no_cell_for_blanks(heard):
    made = synthesize(people(3, 5, town=None), blanks="town")
    assert heard[0][0] == [0, 0, 0, 3, 0, 0, 0, 5]
    assert made.column("town").null_count == len(made) == 8
    assert len(synthesize(people(3, 5, town=None), blanks=[])) == 0
    assert heard[1][0] == [0] * 6


def test_without_noise_the_records_are_those_of_the_data(heard):
    made = synthesize(people(3, 5)).column("sex").to_pylist()
    assert sorted(made) == ["f"] * 3 + ["m"] * 5
    assert len(synthesize(people(3, 5), records=80)) == 80


def test_records_are_looked_at_through_the_noise_only(monkeypatch):
    monkeypatch.setattr(Laplace, "noised", lambda _, numbers, scale: list(range(len(numbers))))
    made = {synthesize(data).fingerprint() for data in (people(3, 5), people(0, 1), people(0, 0))}
    assert len(made) == 1


def test_rare_combinations_are_left_out_under_a_delta(heard):
    data = people(400, 14)
    safe = synthesize(data, delta=1e-6)
    ((numbers, _),) = heard
    assert numbers == [400, 14]  # nothing is drawn for what does not occur
    assert safe.notes["privacy"]["threshold"] == 15
    assert set(safe.column("sex").to_pylist()) == {"f"}
    assert len(safe) == 400
    assert set(synthesize(people(400, 15), delta=1e-6).column("sex").to_pylist()) == {"f", "m"}


def test_a_combination_of_one_respondent_hardly_ever_shows(chance):
    shown = sum(
        len(synthesize(people(0, 1), delta=0.05, epsilon=3.0, seed=seed)) > 0 for seed in range(300)
    )
    assert chance.allows_up_to(stats.binom(300, 0.05), shown)


def test_what_is_promised_is_verified():
    pure, approximate = synthesize(people(30, 9)), synthesize(people(90, 9), delta=1e-6)
    assert ta.DifferentialPrivacy(1.0).check(pure).holds
    assert not ta.DifferentialPrivacy(0.9).check(pure).holds
    assert not ta.DifferentialPrivacy(1.0).check(approximate).holds
    assert ta.DifferentialPrivacy(1.0, delta=1e-6).check(approximate).holds
    assert pure.notes["privacy"]["neighbours"] == "add-remove"


def test_shares_come_near_those_of_the_data():
    made = synthesize(people(6_000, 2_000), records=4_000).column("sex").to_pylist()
    # Off by 30 only if the noise of eight cells of scale 1 adds up to 80.
    assert made.count("f") == pytest.approx(3_000, abs=30)


def test_refuses_more_cells_than_noise_is_drawn_for():
    data = ta.read(pa.table({"x": [1.0], "y": [1.0]}))
    bounds = {"x": (0, 1), "y": (0, 1)}
    with pytest.raises(ParameterError, match="set a `delta` above 0"):
        ta.PrivateHistogram(epsilon=1, bounds=bounds, bins=2000).mask(
            data, np.random.default_rng(0)
        )
    made = ta.PrivateHistogram(epsilon=1, bounds=bounds, bins=2000, delta=1e-12).mask(
        data, np.random.default_rng(0)
    )
    assert len(made) == 0


def test_refuses_records_where_nothing_is_frequent():
    with pytest.raises(ProtectionError, match="frequent enough"):
        synthesize(people(1, 1), delta=1e-12, records=10)


def test_an_empty_table_gives_everything_alike(monkeypatch):
    monkeypatch.setattr(Laplace, "noised", lambda _, numbers, scale: [-1] * len(numbers))
    made = synthesize(people(0, 0), records=1200)
    assert np.unique(made.table.column("town").to_numpy().astype(str)).tolist() == [
        "None",
        "a",
        "b",
        "c",
    ]
    assert len(synthesize(people(0, 0))) == 0


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=12))
def test_negatives_go_and_the_sum_stays(counts):
    before = np.array(counts, np.float64)
    after = without_negatives(before)
    assert (after >= 0).all()
    assert after.sum() == pytest.approx(max(before.sum(), 0), abs=1e-9)
    if before.sum() > 0:
        # The nearest: all that is left was lowered alike, and what is gone by no more than that.
        lowered = (before - after)[after > 0]
        assert np.ptp(lowered) < 1e-9
        assert (before[after == 0] <= lowered[0] + 1e-9).all()

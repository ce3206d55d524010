"""Association rules, by hand and by counting everything."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError
from tacita.microdata.utility.association_rules import frequent, rules

SIX = pd.DataFrame({"a": list("xxxyyy"), "b": list("112222")})


def found(original, protected, **parameters):
    return ta.AssociationRules(**parameters).measure(original, protected)


def told(table: pa.Table) -> list[str]:
    return [f"{row['antecedent']} => {row['consequent']}" for row in table.to_pylist()]


def test_six_records_by_hand():
    """Before: x => 1 (2/3), 1 => x (1), y => 2 (1), 2 => y (3/4).

    After the second record got a 2: x => 2 (2/3), y => 2 (1), 2 => y (3/5, just enough).
    """
    after = SIX.assign(b=list("122222"))
    measured = found(ta.read(SIX), ta.read(after), support=0.3)
    assert told(measured.details) == [
        "a = x => b = 1",
        "a = x => b = 2",
        "a = y => b = 2",
        "b = 1 => a = x",
        "b = 2 => a = y",
    ]
    assert measured.value == Fraction(3, 5)
    assert measured.figures == {
        "rules_original": 4,
        "rules_protected": 3,
        "lost": 2,
        "ghost": 1,
        "misses_cost": Fraction(1, 2),
        "artifactual_patterns": Fraction(1, 3),
    }
    first, second = measured.details.to_pylist()[:2]
    assert first["support_original"] == pytest.approx(1 / 3)
    assert first["confidence_original"] == pytest.approx(2 / 3)
    assert first["support_protected"] is first["confidence_protected"] is None
    assert second["support_original"] is None
    assert second["support_protected"] == pytest.approx(1 / 3)


codes = st.lists(st.lists(st.integers(-1, 2), min_size=4, max_size=4), min_size=1, max_size=12)


def all_frequent(rows, times, support, length):
    """Count every combination of values of up to `length` attributes."""
    total, many = sum(times), {}
    for size in range(1, length + 1):
        for places in combinations(range(4), size):
            for values in product(range(3), repeat=size):
                items = tuple(zip(places, values, strict=True))
                count = sum(
                    t
                    for row, t in zip(rows, times, strict=True)
                    if all(row[p] == v for p, v in items)
                )
                if Fraction(count, total) >= support:
                    many[items] = Fraction(count, total)
    return many


@given(
    rows=codes,
    percent=st.sampled_from([10, 25, 30, 50, 60]),
    confidence=st.sampled_from([30, 60, 75, 100]),
    length=st.integers(2, 4),
    seed=st.integers(0, 9),
)
def test_as_counting_everything(rows, percent, confidence, length, seed):
    times = np.random.default_rng(seed).integers(1, 4, len(rows))
    supports = frequent(list(np.array(rows).T), times.astype(float), percent / 100, length)
    expected = all_frequent(rows, times.tolist(), Fraction(percent, 100), length)
    assert supports == pytest.approx({items: float(share) for items, share in expected.items()})
    sure = Fraction(confidence, 100)
    by_hand = {
        (one, tuple(i for i in items if i not in one))
        for items, share in expected.items()
        for size in range(1, len(items))
        for one in combinations(items, size)
        if share / expected[one] >= sure
    }
    made = list(rules(supports, confidence / 100))
    assert set(made) == by_hand
    assert len(made) == len(by_hand)


def test_weights_count_as_repeated_records():
    times = np.array([1, 3, 1, 2, 1, 4])
    repeated = ta.read(SIX.loc[np.repeat(np.arange(6), times)].reset_index(drop=True))
    weighted = ta.read(SIX.assign(w=times), roles={"w": "weight"})
    one, other = (found(data, data, support=0.2).details for data in (repeated, weighted))
    assert told(one) == told(other)
    for name in ("support_original", "confidence_original"):
        assert one[name].to_pylist() == pytest.approx(other[name].to_pylist())


def test_numbers_and_dates_are_cut_at_quantiles_of_the_original():
    days = pd.date_range("2020-01-01", periods=8)
    data = ta.read(pd.DataFrame({"n": np.arange(8.0), "d": days}))
    measured = found(data, data, classes=2)
    assert told(measured.details) == [
        "n <= 3 => d <= 2020-01-04",
        "n > 3 => d > 2020-01-04",
        "d <= 2020-01-04 => n <= 3",
        "d > 2020-01-04 => n > 3",
    ]
    moved = ta.read(pd.DataFrame({"n": np.arange(8.0) + 4, "d": days}))
    assert found(data, moved, classes=2).figures["rules_protected"] == 2  # all n > 3


def test_recoded_values_make_ghosts():
    data = ta.read(pd.DataFrame({"n": np.arange(8.0), "b": list("ppppqqqq")}))
    banded = ta.read(pd.DataFrame({"n": ["low"] * 4 + ["high"] * 4, "b": list("ppppqqqq")}))
    measured = found(data, banded, classes=2)
    assert measured.value == 1
    assert measured.figures["lost"] == measured.figures["ghost"] == 4
    assert "n = low => b = p" in told(measured.details)


def test_a_left_out_attribute_loses_its_rules():
    data = ta.read(SIX.assign(c=SIX["a"]))
    measured = found(data, data.without(["c"]), support=0.3)
    assert measured.figures["ghost"] == 0
    assert measured.figures["rules_protected"] == 4
    assert measured.parts["c"] == 1


def test_without_rules_nothing_is_lost(toy):
    measured = found(toy, toy, attributes=["zip", "stratum"])
    assert measured.value == 0
    assert measured.sentence.startswith("no association rule")
    assert measured.parts == {"zip": None, "stratum": None}


def test_data_of_other_sizes_and_spellings_are_compared():
    other = pd.concat([SIX, SIX], ignore_index=True).assign(a=list("XXXYYY") * 2)
    assert found(ta.read(SIX), ta.read(other), support=0.3).value == 0


def test_blanks_are_in_no_rule_but_their_records_count():
    data = ta.read(pd.DataFrame({"a": ["x", "x", None, None], "b": list("pppp")}))
    measured = found(data, data, support=0.5)
    assert told(measured.details) == ["a = x => b = p"]
    assert measured.details["support_original"].to_pylist() == [0.5]


def test_sets_are_refused(toy):
    with pytest.raises(ParameterError, match="languages"):
        found(toy, toy, attributes=["languages"])


def test_classes_of_moments_within_a_day_are_told_apart():
    moments = pd.to_datetime(["1969-12-31 06:00", "1969-12-31 12:00", "1969-12-31 18:00"] * 10)
    data = ta.read(pd.DataFrame({"at": moments, "b": ["x"] * 30}))
    details = ta.AssociationRules(classes=3).measure(data, data).details
    told = {word for word in details["antecedent"].to_pylist() if word.startswith("at")}
    assert "at <= 1969-12-31T06:00:00" in told
    assert len(told) == 3

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.risk import unicity
from tacita.microdata.risk.unicity import Unicity
from tacita.microdata.risk.uniqueness import Uniqueness


def stays(who: list, ward: list) -> ta.Microdata:
    table = pa.table({"who": pa.array(who, pa.string()), "ward": pa.array(ward, pa.int64())})
    return ta.read(table, roles={"who": "identifier", "ward": "key"})


def brute_force(who: list, ward: list, points: int) -> list[set[bool]]:
    """Return for each respondent whether each draw of points singles her out."""
    held = {person: [w for p, w in zip(who, ward, strict=True) if p == person] for person in who}
    told = []
    for mine in held.values():
        draws = combinations(mine, min(points, len(mine)))
        told.append(
            {sum(set(draw) <= set(others) for others in held.values()) == 1 for draw in draws}
        )
    return told


RECORDS = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 4)), min_size=1, max_size=14)


@settings(deadline=None)
@given(RECORDS, st.integers(1, 4), st.integers(0, 3))
def test_it_agrees_with_looking_at_every_respondent(records, points, seed):
    who, ward = (list(part) for part in zip(*records, strict=True))
    data = stays(who, ward)
    found = Unicity(points=points, seed=seed).measure(data, data)
    possible = brute_force(who, ward, points)
    alone = {person: bool(value) for person, value in zip(who, found.per_record, strict=True)}
    for value, either in zip(alone.values(), possible, strict=True):
        assert value in either
    assert found.value == Fraction(sum(alone.values()), len(alone))


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1), st.integers(1, 3))
def test_with_one_record_each_it_is_uniqueness(wards, points):
    data = stays([str(place) for place in range(len(wards))], wards)
    found = Unicity(points=points).measure(data, data)
    assert found.value == Uniqueness().measure(data, data).value
    assert found.interval is None


def test_who_has_fewer_records_is_known_by_all_of_them():
    data = stays(["a", "a", "b", "b", "b"], [1, 2, 1, 2, 3])
    found = Unicity(points=3).measure(data, data)
    assert found.per_record.tolist() == [False, False, True, True, True]
    assert found.value == Fraction(1, 2)


def test_more_points_single_out_more_on_average():
    rng = np.random.default_rng(1)
    data = stays([str(n) for n in rng.integers(0, 60, 900)], rng.integers(0, 40, 900).tolist())
    shares = [float(Unicity(points=p).measure(data, data).value) for p in (1, 2, 3, 4)]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] > 0.3


def test_a_sample_estimates_the_share_of_all():
    rng = np.random.default_rng(2)
    data = stays([str(n) for n in rng.integers(0, 400, 2000)], rng.integers(0, 60, 2000).tolist())
    whole = Unicity(points=2).measure(data, data)
    part = Unicity(points=2, sample=150).measure(data, data)
    assert part.interval.lower <= float(whole.value) <= part.interval.upper
    assert part.per_record is None
    assert "150 respondents (of " in part.sentence


def test_looking_in_portions_changes_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    data = stays([str(n) for n in rng.integers(0, 80, 500)], rng.integers(0, 9, 500).tolist())
    whole = Unicity().measure(data, data)
    monkeypatch.setattr(unicity, "AT_ONCE", 50)
    assert Unicity().measure(data, data).per_record.tolist() == whole.per_record.tolist()


def test_respondents_are_those_of_the_original_data():
    data = stays(["a", "a", "b", "b"], [1, 2, 1, 3])
    released = data.without(["who"])
    assert Unicity().measure(data, released).value == 1
    assert Unicity().measure(data, released.take(np.array([0, 2]))).value == 0


def test_a_record_of_nobody_is_a_respondent_of_its_own():
    data = stays(["a", None, None], [1, 1, 2])
    assert Unicity().measure(data, data).per_record.tolist() == [False, False, True]


def test_who_the_respondents_are_must_be_said():
    data = ta.read(pa.table({"ward": [1, 2]}), roles={"ward": "key"})
    with pytest.raises(InputError, match="Expected one identifier"):
        Unicity().measure(data, data)

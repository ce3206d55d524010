"""Risks as an intruder achieves them: examples by hand, and laws."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.intruders.measuring import Knowing, within
from tacita.intruders.mixing import PATTERNS, mixed, patterns_of
from tacita.method import Method

STAFF = ta.read(
    pa.table({"job": ["nurse", "nurse", "judge", "judge"], "sex": ["f", "f", "f", "m"]}),
    roles={"job": "key", "sex": "key"},
)
AGES = ta.read(pa.table({"age": [10, 20, 30, 31]}), roles={"age": "key"})


def risk(method: Method, data: Dataset, *, protected: Dataset | None = None, **said: Any) -> Any:
    return Knowing(ta.Intruder(**said), data, protected or data).measure(method)


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ({}, Fraction(1, 2)),
        ({"attributes": ["job"]}, Fraction(0)),
        ({"attributes": ["sex"]}, Fraction(1, 4)),
        ({"respondents": 0.5}, Fraction(1, 4)),
        ({"respondents": 1}, Fraction(1, 8)),
        ({"respondents": 2, "in_file": 0.5}, Fraction(1, 8)),
        # Somebody drawn has one's own sex with (9 + 1) / 16.
        ({"accuracy": {"sex": {"wrong": 0.5}}}, Fraction(1, 2) * Fraction(13, 16)),
        ({"accuracy": {"sex": {"missing": 0.5}}}, Fraction(1, 4)),
        ({"accuracy": {"sex": {"missing": 1.0}}}, Fraction(0)),
        # Both, one (1/2 and 0 with the other) or none of them.
        (
            {"accuracy": {"sex": {"missing": 0.5}, "job": {"missing": 0.5}}},
            Fraction(1, 4) * (Fraction(1, 2) + Fraction(1, 4)),
        ),
        ({"accuracy": {"job": {"prefix": 0}}}, Fraction(1, 4)),
    ],
)
def test_uniqueness_by_hand(said: dict[str, Any], value: Fraction) -> None:
    assert risk(ta.Uniqueness(), STAFF, **said).value == value


@pytest.mark.parametrize("method", [ta.DistanceLinkage(), ta.ExactLinkage(), ta.MarketerRisk()])
@pytest.mark.parametrize(
    ("accuracy", "value"),
    [
        ({}, Fraction(1)),
        ({"rounded": 10}, Fraction(3, 4)),
        ({"classes": [20, 25]}, Fraction(3, 4)),
        ({"rounded": 1000}, Fraction(1, 4)),
    ],
)
def test_linkage_of_coarse_numbers_by_hand(
    method: Method, accuracy: dict[str, Any], value: Fraction
) -> None:
    assert risk(method, AGES, accuracy={"age": accuracy}).value == value


def test_the_household_of_somebody_who_is_seldom_known() -> None:
    """Members are known by 1/2: of risks 1/2 | 1/2, 1 come 1/4 | 1 - 3/4 x 1/2."""
    table = pa.table({"job": ["nurse", "nurse", "judge"], "home": [1, 2, 2]})
    data = ta.read(table, roles={"job": "key", "home": "household"})
    found = risk(ta.HouseholdRisk(), data, respondents=0.5)
    assert found.per_record.tolist() == pytest.approx([0.25, 0.625, 0.625])
    assert found.value == pytest.approx(0.5)


def test_values_not_held_are_not_found_near() -> None:
    data = ta.read(pa.table({"a": [1.0, 2.0, 5.0], "b": [3.0, 9.0, 4.0]}))
    assert risk(ta.IntervalDisclosure(), data, attributes=["a"]).value == Fraction(1, 2)
    assert risk(ta.IntervalDisclosure(), data, attributes=["a", "b"]).value == 1
    coarse = {"a": {"rounded": 4}}  # 0, 4 and 4 for 1, 2 and 5, none of them near
    assert risk(ta.IntervalDisclosure(), data, attributes=["a"], accuracy=coarse).value == 0


def test_numbers_of_records_and_intervals_are_those_of_the_intruder() -> None:
    whole = risk(ta.DistanceLinkage(), AGES)
    half = risk(ta.DistanceLinkage(), AGES, respondents=0.5)
    assert half.per_record.tolist() == [0.5] * 4
    assert half.interval.upper == pytest.approx(whole.interval.upper / 2)
    assert half.figures["given_known"] == 1
    assert half.figures["chance"] == Fraction(1, 2)
    assert "times 0.5" in half.sentence
    counts = risk(ta.MinimumUnsafeCombination(), STAFF, respondents=0.5)
    assert counts.per_record.tolist() == [0, 0, 2, 1]


def test_explicit_parameters_win_and_are_told() -> None:
    by_sex = ta.Uniqueness(keys=["sex"])
    found = risk(by_sex, STAFF, attributes=["job"])
    assert found.value == Fraction(1, 4)
    assert found.sentence.endswith("with sex that the intruder does not hold")
    assert found.parameters == by_sex.parameters()
    within = risk(by_sex, STAFF, attributes=["job", "sex"])
    assert within.sentence.endswith("not by all that the intruder holds")
    assert risk(by_sex, STAFF).sentence == by_sex.measure(STAFF, STAFF).sentence


def test_what_is_to_be_learnt_stays_true() -> None:
    """The intruder's idea of an income may be wrong; the income that is guessed is not."""
    data = ta.example("toy", 200)
    data = data.with_external(holdout=ta.example("toy", 200, seed=1))
    said = {"attributes": ["age", "zip", "disease"]}
    wrong = {"disease": {"wrong": 1.0}}
    guess = ta.AttributeInference(["disease"])
    exact = risk(guess, data, **said)
    assert risk(guess, data, **said, accuracy=wrong).value == exact.value


def test_confidential_values_that_are_held_count_as_keys() -> None:
    """By their first letter both jobs are held as one: only the sex is left."""
    table = {"job": ["nurse", "nun", "nanny", "novice"], "sex": ["f", "f", "f", "m"]}
    data = ta.read(pa.table(table), roles={"job": "confidential", "sex": "key"})
    said = {"attributes": ["job", "sex"], "accuracy": {"job": {"prefix": 1}}}
    assert risk(ta.Uniqueness(), data, **said).value == Fraction(1, 4)
    with pytest.raises(InputError, match="hold no confidential attribute"):
        risk(ta.Diversity(), data, **said)


def test_an_intruder_whose_attributes_are_not_released_can_do_nothing() -> None:
    without = STAFF.without(["sex"])
    with pytest.raises(InputError, match=r"None of the attributes that the intruder holds \(sex\)"):
        risk(ta.Uniqueness(), STAFF, protected=without, attributes=["sex"])
    found = risk(ta.Uniqueness(), STAFF, protected=without, attributes=["job", "sex"])
    assert found.value == 0


def test_kinds_that_a_measure_cannot_use_are_told() -> None:
    with pytest.raises(InputError, match="`rank_linkage` needs continuous, ordinal, date attrib"):
        risk(ta.RankLinkage(), STAFF, attributes=["job"])


def test_what_cannot_be_used_is_told() -> None:
    data = ta.example("toy", 100)
    released = data.apply(ta.Recode("age", width=10), seed=0).without(["zip"])
    intruder = ta.Intruder(["age", "zip"], {"age": {"rounded": 5}}, respondents=50)
    chance, lost, terms = Knowing(intruder, data, released).notes()
    assert chance.startswith("Risks are multiplied by 0.5, the chance that the intruder holds")
    assert lost == "The intruder holds zip, which is not released."
    assert terms.startswith("`age` is released in other terms than the intruder holds it in;")
    assert list(Knowing(ta.Intruder(), data, data).notes()) == []


def test_losses_have_no_intruder() -> None:
    found = risk(ta.Means(), AGES, respondents=0.5)
    assert found.to_dict() == ta.Means().measure(AGES, AGES).to_dict()


def test_of_many_gaps_patterns_are_drawn() -> None:
    names = tuple("abcdef")
    intruder = ta.Intruder(names, {name: {"missing": 0.5} for name in names})
    patterns = patterns_of(intruder, names)
    assert patterns[0][1] == names
    assert sum(weight for weight, _ in patterns) == 1
    assert len(patterns) <= PATTERNS + 1
    assert patterns == patterns_of(intruder, names)


def test_what_is_not_defined_for_some_is_not_defined_for_all() -> None:
    whole = ta.Uniqueness().measure(STAFF, STAFF)
    undefined = replace(whole, value=None)
    half = Fraction(1, 2)
    assert mixed([(half, whole), (half, undefined)]).value is None
    assert mixed([(half, whole), (half, None)]).value == whole.value / 2


def test_missing_values_are_counted_in_for_single_records() -> None:
    found = risk(ta.IndividualRisk(), STAFF, accuracy={"sex": {"missing": 0.5}})
    assert found.per_record.tolist() == [0.5, 0.5, 0.75, 0.75]
    assert found.value == pytest.approx(0.625)
    assert found.figures["nothing_missing"] == pytest.approx(0.75)


codes = st.lists(st.sampled_from("abc"), min_size=8, max_size=8)
tables = st.fixed_dictionaries(dict.fromkeys("pqr", codes))
SHARE = st.floats(0.01, 1)


@settings(max_examples=50, deadline=None)
@given(tables, st.permutations("pqr"), st.integers(1, 3))
def test_whoever_knows_fewer_attributes_finds_fewer_uniques(
    table: dict[str, list[str]], order: list[str], many: int
) -> None:
    data = ta.read(pa.table(table))
    values = [
        risk(ta.Uniqueness(), data, attributes=names).value for names in (order, order[:many])
    ]
    assert values[0] >= values[1]


@settings(max_examples=50, deadline=None)
@given(tables, SHARE, SHARE, st.sampled_from(["wrong", "missing", "respondents", "in_file"]))
def test_whoever_holds_less_finds_fewer_uniques(
    table: dict[str, list[str]], one: float, two: float, word: str
) -> None:
    data = ta.read(pa.table(table), roles=dict.fromkeys("pqr", "key"))

    def found(share: float) -> Any:
        said = {word: share}
        if word in ("wrong", "missing"):
            said = {"accuracy": {"p": said}}
        return risk(ta.Uniqueness(), data, **said).value

    less, more = sorted((one, two))
    weaker, stronger = (more, less) if word in ("wrong", "missing") else (less, more)
    assert found(weaker) <= found(stronger)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(10**4, 10**4 + 300), min_size=3, max_size=20), st.integers(0, 5))
def test_shorter_codes_tell_fewer_records_apart(numbers: list[int], letters: int) -> None:
    data = ta.read(pa.table({"zip": [str(n) for n in numbers]}), roles={"zip": "key"})
    values = [
        risk(ta.ProsecutorRisk(), data, accuracy={"zip": {"prefix": many}}).figures["average"]
        for many in (letters, letters + 1)
    ]
    assert values[0] <= values[1]


def test_draws_depend_on_the_seed_alone() -> None:
    data = ta.example("toy", 200)
    said: dict[str, Any] = {"attributes": ["age", "zip"], "accuracy": {"age": {"wrong": 0.5}}}
    values = [risk(ta.DistanceLinkage(), data, **said, seed=seed).value for seed in (1, 1, 2)]
    assert values[0] == values[1] != values[2]


def test_nothing_is_changed_in_place() -> None:
    data = ta.example("toy", 50)
    before = data.fingerprint()
    accuracy = {"age": {"rounded": 10, "wrong": 0.5}, "zip": {"prefix": 2}}
    risk(ta.DistanceLinkage(), data, attributes=["age", "zip"], accuracy=accuracy)
    assert data.fingerprint() == before
    assert np.array_equal(data.keys, ta.example("toy", 50).keys)


def test_an_intruder_within_data_holds_no_more_than_they_have():
    data = ta.example("toy", 60)
    less = data.without(["id", "zip"])
    said = {"accuracy": {"zip": {"prefix": 3}, "age": {"rounded": 5}}}
    who = ta.Intruder(["zip", "age", "id"], **said, respondents=0.5)
    assert within(who, less) == ta.Intruder(
        ["age"], accuracy={"age": {"rounded": 5}}, respondents=0.5
    )
    assert within(ta.Intruder(**said), less) == ta.Intruder(accuracy={"age": {"rounded": 5}})
    assert within(who, data) == who
    with pytest.raises(InputError, match="holds id only, which is not released"):
        within(ta.Intruder(["id"]), less)

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError

CITIES = ["a", "b", "c", "d"]
GROUPS = {"*": "abcd", "{a, c}": "ac", "{b, d}": "bd", "{a, b, d}": "abd"} | {c: c for c in CITIES}


def ages_and_cities(ages, cities):
    return ta.read(
        pa.table({"age": ages, "city": cities}),
        roles={"age": "key", "city": "key"},
        kinds={"city": "nominal"},
    )


def released(original, ages, cities):
    return ages_and_cities(pa.array(ages, pa.string()), pa.array(cities, pa.string()))


def by_brute_force(boxes):
    """Look at every combination behind every record for another record that fits it."""
    unique = []
    for number, box in enumerate(boxes):
        others = boxes[:number] + boxes[number + 1 :]
        fits = [
            any(all(map(lambda v, r: v in r, point, o)) for o in others) for point in product(*box)
        ]
        unique.append(not all(fits))
    return unique


@st.composite
def records(draw):
    """Draw ages with an interval around each, and cities with a set that holds each."""
    drawn = []
    for _ in range(draw(st.integers(1, 9))):
        age, city = draw(st.integers(0, 6)), draw(st.sampled_from(CITIES))
        low, high = draw(st.integers(0, age)), draw(st.integers(age, 6))
        group = draw(st.sampled_from([g for g, members in GROUPS.items() if city in members]))
        drawn.append((age, city, low, high, group))
    return drawn


@given(records())
def test_agrees_with_a_look_at_every_combination(drawn):
    # Two anchors make the domain 0 to 6 and a to d, whatever was drawn.
    drawn = [
        (0, "a", 0, 0, "a"),
        (6, "d", 6, 6, "d"),
        (3, "b", 3, 3, "b"),
        (3, "c", 3, 3, "c"),
        *drawn,
    ]
    ages, cities, lows, highs, groups = zip(*drawn, strict=True)
    original = ages_and_cities(pa.array(ages), pa.array(cities))
    texts = [str(a) if a == b else f"[{a}-{b}]" for a, b in zip(lows, highs, strict=True)]
    masked = released(original, texts, list(groups))
    boxes = [(range(a, b + 1), set(GROUPS[g])) for a, b, g in zip(lows, highs, groups, strict=True)]
    found = ta.FittingUniqueness().measure(*ta.pair(original, masked, "position"))
    assert found.per_record.tolist() == by_brute_force(boxes)
    assert found.value == Fraction(sum(by_brute_force(boxes)), len(drawn))
    assert found.interval is None


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("ab")), min_size=1))
def test_is_uniqueness_where_nothing_was_generalized(pairs):
    ages, cities = zip(*pairs, strict=True)
    data = ages_and_cities(pa.array(ages), pa.array(cities))
    found, expected = (m.measure(data, data) for m in (ta.FittingUniqueness(), ta.Uniqueness()))
    assert found.value == expected.value
    assert found.per_record.tolist() == expected.per_record.tolist()


def measured(original, protected, kind="continuous"):
    kinds = {"x": kind}
    data = ta.read(pa.table({"x": original}), roles={"x": "key"}, kinds=kinds)
    masked = ta.read(pa.table({"x": protected}), roles={"x": "key"}, kinds={"x": "nominal"})
    return ta.FittingUniqueness().measure(*ta.pair(data, masked, "position"))


def test_an_exact_age_fits_into_the_range_of_another():
    """The seed's first example: 26 beside [24-28]."""
    assert measured([26, 27], ["26", "[24-28]"]).per_record.tolist() == [False, True]


def test_a_range_is_unique_if_one_of_its_values_fits_nobody():
    """The seed's second example: 24, 25, 26, 27 and 28 are looked up for [24-28]."""
    others = ["24", "25", "26", "27", "28"]
    whole = measured([24, 25, 26, 27, 28, 26], [*others, "[24-28]"])
    assert not whole.per_record.any()
    lacking = measured([24, 25, 26, 27, 28, 26], ["24", "25", "26", "27", "27", "[24-28]"])
    assert lacking.per_record.tolist() == [False] * 5 + [True]


def test_a_masked_code_covers_every_code_below_it():
    """The seed's third example: 937** is [93700-93799]."""
    codes = [f"{code}" for code in range(93700, 93800)]
    assert not measured([*codes, "93722"], [*codes, "937**"], "nominal").per_record.any()
    found = measured([*codes[:-1], "93722"], [*codes[:-1], "937**"], "nominal")
    assert found.per_record.tolist() == [False] * 99 + [True]


def test_a_wildcard_covers_the_whole_domain():
    found = measured([0, 1, 2, 3, 1], ["0", "1", "2", "3", "*"])
    assert not found.per_record.any()
    assert measured([0, 1, 3, 1], ["0", "1", "3", None]).per_record.tolist() == [False] * 3 + [True]


def test_the_three_anonymous_table_has_no_unique_record():
    original, safe = ta.example("discharges"), ta.example("discharges_3_anonymous")
    assert ta.FittingUniqueness().measure(*ta.pair(original, safe, "position")).value == 0


def test_a_sample_tells_its_interval(patients):
    whole = ta.FittingUniqueness(sample=None).measure(patients, patients)
    part = ta.FittingUniqueness(sample=100).measure(patients, patients)
    assert part.interval.lower <= float(whole.value) <= part.interval.upper
    assert part.per_record is None
    assert whole.interval is None
    assert "random sample of 100" in part.sentence


def test_what_takes_too_long_is_told_and_counted():
    rng = np.random.default_rng(1)
    low = rng.integers(0, 40, (60, 2))
    high = low + rng.integers(1, 20, (60, 2))
    names = ["x", "y"]
    data = ta.read(
        pa.table({n: low[:, j] for j, n in enumerate(names)}), roles=dict.fromkeys(names, "key")
    )
    texts = {
        n: [f"[{a}-{b}]" for a, b in zip(low[:, j], high[:, j], strict=True)]
        for j, n in enumerate(names)
    }
    masked = ta.read(pa.table(texts), roles=dict.fromkeys(names, "key"))
    exact = ta.FittingUniqueness().measure(*ta.pair(data, masked, "position"))
    hasty = ta.FittingUniqueness(effort=2).measure(*ta.pair(data, masked, "position"))
    assert exact.figures["undecided"] == 0
    assert hasty.figures["undecided"] > 0
    assert hasty.interval.lower <= exact.value <= hasty.interval.upper
    assert hasty.interval.confidence == 1
    assert hasty.value == hasty.figures["surely_unique"] + hasty.figures["undecided"]


@pytest.mark.parametrize("level", [1, 2, 3])
def test_generalizing_more_leaves_no_more_records_unshared(patients, level):
    coarse, coarser = (patients.apply(ta.Generalize("patzip", lev)) for lev in (level, level + 1))
    found = [ta.FittingUniqueness().measure(patients, data) for data in (coarse, coarser)]
    assert found[1].figures["unshared"] <= found[0].figures["unshared"]
    assert found[0].value <= ta.Uniqueness().measure(patients, coarse).value


def test_an_effort_beyond_all_numbers_is_refused():
    with pytest.raises(ParameterError, match="less than or equal to"):
        ta.FittingUniqueness(effort=10**30)

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.attacks.deducing import worlds
from tacita.attacks.deducing.lower_levels import below
from tacita.attacks.deducing.worlds import Rule, fine_worlds
from tacita.attacks.minimality import Minimality
from tacita.errors import InputError, ParameterError

CLASS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=6)


def read(zips, values, **said) -> ta.Microdata:
    return ta.read(
        pa.table({"zip": zips, "disease": values}),
        roles={"zip": "key", "disease": "confidential"},
        **said,
    )


def original(zips, values) -> ta.Microdata:
    return read(zips, values, hierarchies={"zip": {"prefix": len(zips[0])}})


def is_fine(values, sensitive, l, k) -> bool:  # noqa: E741
    return len(values) >= k and all(l * values.count(one) <= len(values) for one in sensitive)


def generalized_where_needed(zips, values, sensitive, l) -> list[str]:  # noqa: E741
    """Leave out the last digit of postal codes of a town only if one of them breaks the model."""
    towns = {}
    for place, value in zip(zips, values, strict=True):
        towns.setdefault(place[:-1], {}).setdefault(place, []).append(value)
    coarse = {
        town
        for town, parts in towns.items()
        if not all(is_fine(part, sensitive, l, 1) for part in parts.values())
    }
    return [f"{place[:-1]}*" if place[:-1] in coarse else place for place in zips]


def towns(number, l, seed):  # noqa: E741
    """Towns of one small and two larger postal codes, in none of which one in l has HIV."""
    rng = np.random.default_rng(seed)
    zips, values = [], []
    for town in range(number):
        sizes = rng.integers(1, 3), *rng.integers(4, 8, 2)
        drawn = rng.choice(["HIV", "flu"], sum(sizes), p=[0.12, 0.88]).tolist()
        if is_fine(drawn, ["HIV"], l, 1):
            zips += [f"{town:03d}{part}" for part, size in enumerate(sizes) for _ in range(size)]
            values += drawn
    return zips, values


def test_the_small_part_must_have_been_in_need():
    zips, values = ["11"] * 2 + ["12"] * 5, ["HIV"] * 2 + ["flu"] * 5
    safe = read(["1*"] * 7, values)
    found = Minimality(2, sensitive=["HIV"]).measure(
        *ta.pair(original(zips, values), safe, "position")
    )
    # Two in five are not too many, two in two are: both are in the small part.
    assert found.per_record.tolist() == [1, 1, 0, 0, 0, 0, 0]
    assert found.value == Fraction(2, 7)
    assert found.figures["naive_breach"] == 0
    assert found.figures["guessed"] == 1
    assert found.figures["naive_guess"] == Fraction(5, 7)


def test_another_class_may_have_been_in_need():
    zips = ["11", "12", "12", "21", "22", "22"]
    values = ["HIV", "flu", "flu", "HIV", "flu", "flu"]
    safe = read(["1*"] * 3 + ["2*"] * 3, values)
    found = Minimality(2, sensitive=["HIV"], recoding="global").measure(
        *ta.pair(original(zips, values), safe, "position")
    )
    # In a town, one record in three is alone. Of nine worlds the four are ruled out in which both
    # HIV are in the larger parts; in three of the other five a given one is in the small part.
    assert found.per_record[0] == pytest.approx(3 / 5)
    assert found.per_record[1] == pytest.approx(1 / 5)
    assert found.value == Fraction(1, 3)


def test_a_k_that_is_broken_explains_everything():
    zips, values = ["11"] * 2 + ["12"] * 5, ["HIV"] * 2 + ["flu"] * 5
    safe = read(["1*"] * 7, values)
    found = Minimality(2, k=3, sensitive=["HIV"]).measure(
        *ta.pair(original(zips, values), safe, "position")
    )
    assert found.per_record == pytest.approx(np.full(7, 2 / 7))
    assert found.value == 0


@given(CLASS, st.integers(2, 3), st.integers(1, 2), st.integers(1, 3))
@settings(max_examples=50)
def test_credibility_is_that_of_all_worlds(records, l, k, many):  # noqa: E741
    parts, values = map(list, zip(*records, strict=True))
    sensitive = list(range(many))
    zips, words = [f"1{part}" for part in parts], [f"v{value}" for value in values]
    named = [f"v{value}" for value in sensitive if f"v{value}" in words]
    if not named:
        return
    found = Minimality(l, k=k, sensitive=named).measure(
        *ta.pair(original(zips, words), read(["1*"] * len(zips), words), "position")
    )
    worlds = [
        world
        for world in permutations(words)
        if not all(
            is_fine([v for v, p in zip(world, parts, strict=True) if p == part], named, l, k)
            for part in set(parts)
        )
    ] or list(permutations(words))
    chances = [
        max(Fraction(sum(world[r] == one for world in worlds), len(worlds)) for one in named)
        for r in range(len(words))
    ]
    if len(set(parts)) == 1:
        chances = [max(Fraction(words.count(one), len(words)) for one in named)] * len(words)
    assert found.per_record == pytest.approx([float(chance) for chance in chances])
    assert found.value == Fraction(sum(l * chance > 1 for chance in chances), len(words))


@given(CLASS, CLASS, st.integers(2, 3))
@settings(max_examples=30)
def test_the_share_of_fine_worlds_is_counted(one, other, l):  # noqa: E741
    records = (one + other)[:6]
    parts, values = map(list, zip(*records, strict=True))
    counts = tuple(values.count(value) for value in sorted(set(values)))
    sizes = tuple(sorted(parts.count(part) for part in set(parts)))
    found = fine_worlds(counts, sizes, Rule(l, 1, len(counts)))
    every = list(permutations(values))
    fine = sum(
        all(
            is_fine([v for v, p in zip(w, parts, strict=True) if p == part], set(values), l, 1)
            for part in set(parts)
        )
        for w in every
    )
    assert found.share == Fraction(fine, len(every))


@pytest.mark.parametrize("l", [2, 3])
def test_it_beats_the_frequencies_of_classes_and_is_right_as_often_as_it_says(l):  # noqa: E741
    zips, values = towns(300, l, seed=l)
    safe = read(generalized_where_needed(zips, values, ["HIV"], l), values)
    found = Minimality(l, sensitive=["HIV"]).measure(
        *ta.pair(original(zips, values), safe, "position")
    )
    assert found.figures["naive_breach"] == 0
    assert found.value > Fraction(1, 200)
    assert found.figures["guessed"] >= found.figures["naive_guess"]
    has_it = np.array(values) == "HIV"
    for low, high in ((0.1, 0.3), (0.3, 0.6), (0.6, 1.1)):
        here = (found.per_record >= low) & (found.per_record < high)
        if here.sum() >= 20:
            error = 4 * np.sqrt(0.25 / here.sum())
            assert abs(has_it[here].mean() - found.per_record[here].mean()) < error
    certain = found.per_record == 1
    assert certain.any()
    assert has_it[certain].all()


def test_what_takes_too_long_is_not_said(monkeypatch):
    monkeypatch.setattr(worlds, "MOST_STEPS", 0)
    zips = ["31"] * 3 + ["32"] * 5
    values = ["HIV"] * 2 + ["flu"] * 6
    safe = read(["3*"] * 8, values)
    for recoding in ("local", "global"):
        attack = Minimality(2, sensitive=["HIV"], recoding=recoding)
        found = attack.measure(*ta.pair(original(zips, values), safe, "position"))
        assert found.figures["uncounted"] == 1
        assert found.per_record == pytest.approx(np.full(8, 1 / 4))


def test_levels_are_read_off_the_release():
    data = original(["111", "112", "121", "122"], ["a"] * 4)
    safe = read(["111", "11*", "1**", None], ["a"] * 4)
    lower = below(data, safe, "zip")
    assert lower[0] == lower[3] == -1
    # 11* was 112 and 1** was 12*.
    assert lower[1] == 1
    assert lower[2] >= 0
    assert below(data, data, "zip") is None


def test_a_key_without_a_hierarchy_was_suppressed():
    data = read(["11"] * 2 + ["12"] * 5, ["HIV"] * 2 + ["flu"] * 5)
    safe = read(["*"] * 7, ["HIV"] * 2 + ["flu"] * 5)
    assert Minimality(2, sensitive=["HIV"]).measure(
        *ta.pair(data, safe, "position")
    ).value == Fraction(2, 7)


def test_a_release_that_nobody_generalized_tells_what_it_shows(toy):
    found = Minimality().measure(toy, toy)
    assert found.value == found.figures["naive_breach"]
    assert found.figures["generalized"] == 0
    assert found.sentence.startswith("not applicable: no key was generalized along its hierarchy")
    coarse = toy.apply(ta.Generalize("zip", level=1))
    other = Minimality().measure(toy, coarse)
    assert other.figures["generalized"] == 1
    assert "not applicable" not in other.sentence


def test_what_is_wrong_is_told(toy):
    with pytest.raises(ParameterError, match="Did you mean `HIV`"):
        Minimality(sensitive=["HIVV"]).measure(toy, toy)
    data = ta.read(pa.table({"a": ["x"]}), roles={"a": "key"})
    with pytest.raises(InputError, match="no confidential attribute"):
        Minimality().measure(data, data)

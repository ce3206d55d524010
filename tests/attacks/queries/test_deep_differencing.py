from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.attacks.queries.deep_differencing import PLANES, determined


def rank(rows):
    """Count independent rows, with fractions."""
    rows = [[Fraction(int(value)) for value in row] for row in rows]
    found = 0
    for column in range(len(rows[0]) if rows else 0):
        pivot = next((row for row in rows[found:] if row[column]), None)
        if pivot is None:
            continue
        rows.remove(pivot)
        rows.insert(found, pivot)
        for place in range(found + 1, len(rows)):
            factor = rows[place][column] / pivot[column]
            rows[place] = [a - factor * b for a, b in zip(rows[place], pivot, strict=True)]
        found += 1
    return found


@st.composite
def systems(draw):
    width = draw(st.integers(1, 5))
    row = st.lists(st.booleans(), min_size=width, max_size=width)
    cents = st.integers(-(10**14), 10**14).map(lambda value: Fraction(value, 100))
    return (
        draw(st.lists(row, max_size=7)),
        draw(st.lists(cents, min_size=width, max_size=width)),
    )


@given(systems())
def test_it_finds_just_what_follows_and_its_value(system):
    rows, values = system
    totals = [
        sum((v for v, yes in zip(values, row, strict=True) if yes), Fraction(0)) for row in rows
    ]
    found = determined([np.array(row) for row in rows], totals)
    for place, value in enumerate(values):
        unit = [other == place for other in range(len(values))]
        follows = bool(rows) and rank(rows) == rank([*rows, unit])
        assert (place in found) == follows
        if follows:
            assert found[place] == value


def test_sums_of_any_depth_are_combined():
    """x2 = (s1 + s3 - s4) / 2 - ..., which no pair of answers tells: an odd cycle of pairs."""
    rows = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]], bool)
    assert determined(rows, [Fraction(3), Fraction(5), Fraction(4)]) == {0: 1, 1: 2, 2: 3}


def test_two_lines_of_a_plane_share_one_point():
    for number, line in PLANES:
        lines = [{(place + shift) % number for place in line} for shift in range(number)]
        assert all(len(one & other) == 1 for one, other in combinations(lines, 2))


def test_seven_sets_that_hardly_overlap_tell_the_value(arena):
    """The plane of seven points: its incidence matrix has an inverse."""
    data = arena["firms"]()
    (target,) = arena["targets"](data, 1)
    with arena["guarded"](ta.QuerySetOverlap(3, 1), data, recorded=False) as database:
        outcome = ta.DeepDifferencing().attack(database, target)
    assert outcome.right
    assert (outcome.asked, outcome.refused) == (7, 0)


def test_others_are_found_on_the_way(arena):
    data = arena["firms"]()
    (target,) = arena["targets"](data, 1)
    with arena["guarded"](ta.QuerySetSize(3), data, recorded=False) as database:
        outcome = ta.DeepDifferencing(seed=2).attack(database, target)
    assert outcome.right
    assert "other single records" in outcome.findings[0]


def test_the_page_tells_what_comes_out(agrees):
    agrees(ta.DeepDifferencing())


def test_values_may_have_more_digits_than_all_their_sums():
    rows = [np.array(row, bool) for row in ([1, 1, 0], [0, 1, 1], [1, 0, 1])]
    half = Fraction(1, 2)
    assert determined(rows, [Fraction(1)] * 3) == {0: half, 1: half, 2: half}

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.itemsets import NO_ITEM, rare_itemsets, rarest_itemset

sets_of_items = st.lists(st.sets(st.integers(0, 6)), max_size=9)


def flat(sets):
    starts = np.cumsum([0, *map(len, sets)])
    return starts, np.array([item for one in sets for item in sorted(one)], np.int64)


def supports(sets, largest):
    """Count every combination of up to `largest` items that a set holds."""
    held = {
        part
        for one in sets
        for size in range(1, largest + 1)
        for part in combinations(sorted(one), size)
    }
    return {part: sum(set(part) <= one for one in sets) for part in held}


def told(found):
    rows = [tuple(item for item in row if item != NO_ITEM) for row in found.items.tolist()]
    return dict(zip(rows, found.support.tolist(), strict=True))


@given(sets_of_items, st.integers(1, 4))
def test_the_rarest_is_held_by_as_few_as_counting_finds(sets, largest):
    found = told(rarest_itemset(*flat(sets), largest))
    expected = supports(sets, largest)
    assert len(found) == (1 if expected else 0)
    for part, support in found.items():
        assert support == expected[part] == min(expected.values())


@given(sets_of_items, st.integers(1, 4), st.integers(1, 5))
def test_rare_ones_are_those_that_do_not_begin_with_a_rare_one(sets, largest, below):
    expected = supports(sets, largest)
    rare = {part: support for part, support in expected.items() if support < below}
    shortest = {
        part: support
        for part, support in rare.items()
        if not any(part[:size] in rare for size in range(1, len(part)))
    }
    assert told(rare_itemsets(*flat(sets), largest, below, 1000)) == shortest


@given(sets_of_items, st.integers(1, 3))
def test_no_more_are_listed_than_asked_for(sets, most):
    every = rare_itemsets(*flat(sets), 2, 3, 1000)
    some = rare_itemsets(*flat(sets), 2, 3, most)
    assert some.items.tolist() == every.items[:most].tolist()


def test_no_sets_and_empty_sets():
    assert len(rarest_itemset(np.array([0]), np.zeros(0, np.int64), 2).support) == 0
    assert len(rarest_itemset(np.array([0, 0, 0]), np.zeros(0, np.int64), 2).support) == 0

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.kernels.agreement import pattern_values
from tacita.microdata.risk.linking.agreement import Agreement
from tacita.microdata.risk.linking.blocking import Blocks
from tacita.microdata.risk.linking.comparison import Comparison

NEAR = {1: (2, 4), 3: (0, 2)}  # the stretch of codes near to a code, the same for every attribute
CODES = st.tuples(*[st.integers(-1, 3)] * 2)
BLOCKS = st.tuples(*[st.integers(-1, 1)] * 2)
FILE = st.lists(st.tuples(CODES, BLOCKS), min_size=1, max_size=8)


def comparison(known, released) -> Comparison:
    starts = np.cumsum([0, *(code in NEAR for code in range(4))])
    lows, highs = np.array(list(NEAR.values())).T
    agreements = [
        Agreement(
            np.array([codes[place] for codes, _ in known]),
            np.array([codes[place] for codes, _ in released]),
            4,
            starts,
            lows,
            highs,
        )
        for place in range(2)
    ]
    passes = [
        Blocks(*(np.array([blocks[place] for _, blocks in side]) for side in (known, released)))
        for place in range(2)
    ]
    return Comparison(agreements, passes)


def level(known: int, released: int) -> int:
    if known < 0 or released < 0:
        return 0
    if known == released:
        return 3
    low, high = NEAR.get(released, (0, 0))
    return 2 if low <= known < high else 1


def meet(one, other) -> bool:
    return any(a == b >= 0 for a, b in zip(one, other, strict=True))


@settings(deadline=None, max_examples=80)
@given(FILE, FILE)
def test_patterns_agree_with_looking_at_every_pair(known, released):
    compared = comparison(known, released)
    found = compared.patterns()
    every = Counter()
    for place, (mine, my_blocks) in enumerate(released):
        wanted = Counter(
            tuple(level(a, b) for a, b in zip(theirs, mine, strict=True))
            for theirs, blocks in known
            if meet(my_blocks, blocks)
        )
        every += wanted
        counted = Counter()
        for row, pattern, count in zip(found.row, found.pattern, found.known, strict=True):
            if row == compared.released.of_record[place]:
                counted[tuple(found.levels[pattern].tolist())] += int(count)
        assert counted == wanted
    pairs = dict(zip(map(tuple, found.levels.tolist()), found.pairs.tolist(), strict=True))
    assert pairs == every


@settings(deadline=None, max_examples=60)
@given(FILE, FILE, st.data())
def test_single_pairs_weigh_the_same(known, released, data):
    compared = comparison(known, released)
    own = np.array([data.draw(st.integers(0, len(known) - 1)) for _ in released])
    sums, met = compared.weights_of_pairs(own, pattern_values(2))
    for place, (mine, blocks) in enumerate(released):
        theirs, others = known[own[place]]
        assert met[place] == meet(blocks, others)
        assert sums[place] == level(theirs[0], mine[0]) + 4 * level(theirs[1], mine[1])


@settings(deadline=None, max_examples=40)
@given(FILE, FILE, st.integers(0, 15))
def test_pairs_are_listed_once(known, released, least):
    compared = comparison(known, released)
    row, other, total = compared.pairs_from(pattern_values(2), least)
    assert len(set(zip(row.tolist(), other.tolist(), strict=True))) == len(row)
    assert (total >= least).all()
    pairs = (compared.released.counts[row] * compared.known.counts[other]).sum()
    found = compared.patterns()
    weights = found.levels @ np.array([1, 4])
    assert pairs == found.pairs[weights >= least].sum()

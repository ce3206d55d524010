from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita.microdata.risk.linking.decision as deciding
from tacita.errors import InputError
from tacita.microdata.risk.linking.agreement import Agreement
from tacita.microdata.risk.linking.blocking import Blocks
from tacita.microdata.risk.linking.comparison import Comparison
from tacita.microdata.risk.linking.decision import (
    Thresholds,
    Weighed,
    best_links,
    one_to_one,
    optimal_thresholds,
)

VALUES = np.array([[0, -3, 1, 5], [0, -2, 1, 4]])
RATES = st.floats(0, 1)


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.floats(0, 100), st.floats(0, 100)), min_size=1),
    RATES,
    RATES,
)
def test_thresholds_keep_to_the_errors_allowed(patterns, linked, parted):
    weights, matches, others = (np.array(part) for part in zip(*patterns, strict=True))
    false_links, false_non_links = linked * others.sum(), parted * matches.sum()
    found = optimal_thresholds(weights, matches, others, false_links, false_non_links)
    decided = found.sorted_out(weights)
    close = 1 + 1e-9
    assert others[decided == 2].sum() <= false_links * close
    assert matches[decided == 0].sum() <= false_non_links * close
    # No weight more could be decided.
    clerical = np.unique(weights[decided == 1])
    for more in clerical[-1:]:
        assert others[weights >= more].sum() * close > false_links
    for more in clerical[:1]:
        assert matches[weights <= more].sum() * close > false_non_links


def test_between_the_thresholds_a_clerk_decides():
    weights = np.array([-5, -1, 0, 1, 5])
    assert Thresholds(-1, 1).sorted_out(weights).tolist() == [0, 0, 1, 2, 2]
    assert Thresholds(None, None).sorted_out(weights).tolist() == [1] * 5
    assert Thresholds(1, 1).sorted_out(weights).tolist() == [0, 0, 0, 2, 2]


def weighed(known, released, own) -> Weighed:
    none = np.empty(0, np.int64)
    agreements = [
        Agreement(np.array(known)[:, c], np.array(released)[:, c], 3, np.zeros(4, int), none, none)
        for c in range(2)
    ]
    blocks = Blocks(np.zeros(len(known), int), np.zeros(len(released), int))
    compared = Comparison(agreements, [blocks])
    return Weighed(compared, compared.patterns(), VALUES, np.array(own))


def weight(known, released) -> int:
    return sum(
        int(VALUES[c, 0 if a < 0 or b < 0 else 3 if a == b else 1])
        for c, (a, b) in enumerate(zip(known, released, strict=True))
    )


RECORD = st.tuples(*[st.integers(-1, 2)] * 2)


@settings(deadline=None, max_examples=60)
@given(st.lists(RECORD, min_size=1, max_size=7), st.data())
def test_best_links_agree_with_looking_at_every_pair(known, data):
    released = data.draw(st.lists(RECORD, min_size=1, max_size=len(known)))
    own = data.draw(st.permutations(range(len(known))))[: len(released)]
    found = best_links(weighed(known, released, own), len(released)).probability
    for place, mine in enumerate(released):
        weights = [weight(theirs, mine) for theirs in known]
        best = [k for k, w in enumerate(weights) if w == max(weights)]
        assert found[place] == (1 / len(best) if own[place] in best else 0)


@settings(deadline=None, max_examples=40)
@given(st.lists(RECORD, min_size=3, max_size=5), st.lists(RECORD, min_size=2, max_size=3))
def test_optimal_links_have_the_highest_sum_of_weights(known, released):
    held = weighed(known, released, range(len(released)))
    row, other, total = held.compared.pairs_from(VALUES, 1)
    left, right = held.compared.released.counts, held.compared.known.counts
    given_ = deciding._optimally(row, other, total, left, right, np.random.default_rng(0))
    assert (np.bincount(row, given_, len(left)) <= left).all()
    assert (np.bincount(other, given_, len(right)) <= right).all()
    best = max(
        sum(max(weight(known[k], mine), 0) for k, mine in zip(chosen, released, strict=True))
        for chosen in permutations(range(len(known)), len(released))
    )
    assert (given_ * total).sum() == best


def test_greedy_serves_the_highest_weight_first():
    # The second released record would do with any known one; the first only with the first.
    known, released = [(0, 0), (0, 1)], [(0, 0), (0, 2)]
    held = weighed(known, released, [0, 1])
    found = one_to_one(held, 2, None, "greedy", np.random.default_rng(0))
    assert found.probability.tolist() == [1, 1]
    assert best_links(held, 2).probability.tolist() == [1, 0.5]


@pytest.mark.parametrize("how", ["greedy", "optimal"])
def test_records_that_look_the_same_share_their_links(how):
    known, released = [(0, 0)] * 3, [(0, 0)] * 2
    found = one_to_one(weighed(known, released, [0, 1]), 2, None, how, np.random.default_rng(0))
    assert found.probability.tolist() == [1 / 3, 1 / 3]


@pytest.mark.parametrize("how", ["greedy", "optimal"])
def test_non_links_are_never_linked(how):
    held = weighed([(0, 0), (1, 1)], [(0, 0), (2, 2)], [0, 1])
    found = one_to_one(held, 2, -4, how, np.random.default_rng(0))
    assert found.probability.tolist() == [1, 0]
    found = one_to_one(held, 2, 99, how, np.random.default_rng(0))
    assert found.probability.tolist() == [0, 0]


def test_too_many_pairs_are_refused_in_a_sentence(monkeypatch):
    monkeypatch.setattr(deciding, "MOST_PAIRS", 3)
    held = weighed([(0, 0)] * 2, [(0, 0)] * 2, [0, 1])
    with pytest.raises(InputError, match="at most 3 pairs that are not non-links; found 4"):
        one_to_one(held, 2, None, "greedy", np.random.default_rng(0))


@pytest.mark.parametrize("how", ["greedy", "optimal"])
def test_the_order_of_the_files_is_no_help(how):
    # The released records say nothing of what the known ones differ in: one link in three is right.
    held = weighed([(0, 0), (1, 0), (2, 0)], [(-1, 0)] * 3, [0, 1, 2])
    found = one_to_one(held, 3, None, how, np.random.default_rng(0))
    assert found.probability.tolist() == [1 / 3] * 3
    # Three combinations on each side that are all alike to one another.
    held = weighed([(0, -1), (1, -1), (2, -1)], [(-1, 0), (-1, 1), (-1, 2)], [0, 1, 2])
    seeds = range(200)
    right = [one_to_one(held, 3, None, how, np.random.default_rng(s)).expected for s in seeds]
    assert 0.7 < float(sum(right)) / 200 < 1.3

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.microdata.risk.linking.blocking import Blocks
from tacita.microdata.risk.linking.distances import Ranges
from tacita.microdata.risk.linking.graded import graded
from tacita.microdata.risk.linking.learning import learned

NAMES = list("abcdef")


def line(name: str, known: np.ndarray, released: np.ndarray) -> Ranges:
    blank = np.isnan(released)
    low, high = np.where(blank, -np.inf, released), np.where(blank, np.inf, released)
    return Ranges(name, known, low, high)


def test_ranks_are_graded_by_their_difference():
    rng = np.random.default_rng(0)
    known = np.round(rng.exponential(size=40), 1)
    released = rng.permutation(known)
    each = graded(line("x", known, released), np.arange(40))
    scale = next(scale for scale in each.scales if scale.name == "ranks")
    ranks = (known[:, None] > known).sum(1) + ((known[:, None] == known).sum(1)) / 2
    of_released = (released[:, None] > known).sum(1) + ((released[:, None] == known).sum(1)) / 2
    codes, first = np.unique(each.released, return_index=True)
    for code, row in zip(codes, first, strict=True):
        ends = scale.runs.ends[scale.runs.starts[code] : scale.runs.starts[code + 1]]
        levels = scale.runs.levels[scale.runs.starts[code] : scale.runs.starts[code + 1]]
        assert ends[-1] == len(np.unique(known))
        got = levels[np.searchsorted(ends, each.known, "right")]
        apart = np.abs(ranks - of_released[row]) / 40
        wanted = np.searchsorted(scale.limits, apart - 1e-12, "left")
        assert got.tolist() == wanted.tolist()


def test_the_room_of_a_level_is_the_share_of_released_values_there():
    rng = np.random.default_rng(1)
    known = rng.integers(0, 6, 30).astype(float)
    released = rng.permutation(known)
    each = graded(line("x", known, released), np.arange(30))
    scale = next(scale for scale in each.scales if scale.name == "ranks")
    for code, value in enumerate(np.unique(known)):
        share = (released == value).mean()
        assert np.exp(scale.log_measure[0, code]) == pytest.approx(share)
    assert scale.frequency.sum() == pytest.approx(1)


def test_the_likeliest_candidates_are_those_of_highest_weight():
    rng = np.random.default_rng(2)
    known = rng.normal(size=(3, 120))
    masked = known + 0.2 * rng.normal(size=known.shape)
    masked[0, :10] = np.nan
    rows = np.arange(120)
    attributes = [
        graded(line(name, *pair), rows)
        for name, pair in zip("abc", zip(known, masked, strict=True), strict=True)
    ]
    one = np.zeros(120, np.int64)
    fit = learned(attributes, [Blocks(one, one)])
    for row in range(0, 120, 7):
        every = np.sort(fit.weights(np.full(120, row), rows))[::-1]
        mine = fit.found.weight[fit.found.row == row]
        assert mine == pytest.approx(every[: len(mine)], abs=1e-9)


def test_nobody_is_linked_more_often_than_once():
    rng = np.random.default_rng(3)
    known = rng.normal(size=(4, 200))
    masked = known + 0.3 * rng.normal(size=known.shape)
    rows, one = np.arange(200), np.zeros(200, np.int64)
    attributes = [
        graded(line(name, *pair), rows)
        for name, pair in zip("abcd", zip(known, masked, strict=True), strict=True)
    ]
    found = learned(attributes, [Blocks(one, one)]).found
    assert np.bincount(found.other, found.linked).max() < 1.1
    assert np.bincount(found.row, found.linked).max() <= 1 + 1e-9


@pytest.mark.parametrize(
    "masking",
    [ta.RankSwap(NAMES, p=15), ta.AddNoise(NAMES, alpha=0.1)],
    ids=lambda masking: masking.name,
)
def test_probabilities_do_not_promise_too_much_where_errors_are_independent(masking):
    rng = np.random.default_rng(4)
    table = pa.table({name: np.exp(rng.normal(size=800)) for name in NAMES})
    data = ta.read(table, roles=dict.fromkeys(NAMES, "key"))
    masked = data.apply(masking, seed=1)
    rows, one = np.arange(800), np.zeros(800, np.int64)
    attributes = [
        graded(line(name, data.numbers(name), masked.numbers(name)), rows) for name in NAMES
    ]
    links, claimed = learned(attributes, [Blocks(one, one)]).likeliest(rows, 800)
    groups = np.digitize(claimed, [0.5, 0.8, 0.95])
    for group in np.unique(groups):
        mine = groups == group
        if mine.sum() >= 60:
            right = links.probability[mine].mean()
            assert right > claimed[mine].mean() - 0.1

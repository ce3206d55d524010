from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.attacks.deducing import channels
from tacita.attacks.deducing.channels import (
    Channel,
    estimated_joint,
    likeliest,
    likeliest_categories,
)
from tacita.attacks.pram_inversion import PramInversion
from tacita.errors import InputError, ParameterError

MOSTLY = {"x": {"x": 0.9, "y": 0.1}, "y": {"x": 0.1, "y": 0.9}}
HARDLY = {"x": {"x": 0.6, "y": 0.4}, "y": {"x": 0.4, "y": 0.6}}
CODES = st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 1)), min_size=1, max_size=7)


def read(**columns) -> ta.Microdata:
    return ta.read(pa.table(columns), roles=dict.fromkeys(columns, "key"))


def test_what_is_mostly_kept_counts_more():
    data = read(a=["x", "y"], b=["x", "y"])
    released = read(a=["x", "y"], b=["y", "y"])
    found = PramInversion(matrices={"a": MOSTLY, "b": HARDLY}).measure(
        *ta.pair(data, released, "position")
    )
    # The first record comes from the first respondent with 0.9 x 0.4, from the second with
    # 0.1 x 0.6; by distance it lies between them.
    assert found.value == 1
    assert found.figures["naive_linkage"] == Fraction(3, 4)
    assert found.figures["ratio_to_naive_linkage"] == Fraction(4, 3)


def test_an_impossible_change_rules_a_respondent_out():
    stays = {"x": {"x": 1.0}, "y": {"x": 0.5, "y": 0.5}}
    data, released = read(a=["x", "y", "y"]), read(a=["x", "y", "x"])
    found = PramInversion(matrices={"a": stays}).measure(*ta.pair(data, released, "position"))
    # x is likeliest from x itself; y can only be one of the two that were y.
    assert found.value == Fraction(1 + Fraction(1, 2) + 0, 3)


def test_more_blanks_than_there_were_are_suppressed_values():
    data, released = read(a=["x", "x", None]), read(a=["x", None, None])
    found = PramInversion(matrices={"a": {"x": {"x": 1.0}}}).measure(
        *ta.pair(data, released, "position")
    )
    # Half of the values are left: a blank comes from x with 1/2 and from a blank with 1. So one x
    # is linked to one of two, the other one to the third respondent, and the third rightly.
    assert found.value == Fraction(Fraction(1, 2) + 0 + 1, 3)


def channel(known, released, seed) -> Channel:
    size = max(*known, *released, 1) + 1
    chances = np.random.default_rng(seed).dirichlet(np.ones(size), size)
    return Channel("x", np.array(known), np.array(released), chances)


def columns(rows) -> list[tuple[int, ...]]:
    return list(zip(*rows, strict=True))


def slow_score(parts, respondent, record) -> float:
    score = 1.0
    for part in parts:
        truth, seen = part.known[respondent], part.released[record]
        there, shown = (np.count_nonzero(codes >= 0) for codes in (part.known, part.released))
        stays = min(shown / there, 1) if there else 0
        if truth < 0:
            score *= seen < 0
        else:
            score *= 1 - stays if seen < 0 else stays * part.chances[truth, seen]
    return score


@given(CODES, st.integers(0, 9), st.randoms())
@settings(max_examples=50)
def test_links_are_those_of_a_slow_search(codes, seed, random):
    released = random.sample(codes, len(codes))
    parts = [
        channel(known, seen, seed + place)
        for place, (known, seen) in enumerate(zip(columns(codes), columns(released), strict=True))
    ]
    rows = np.arange(len(codes))
    right, guesses = likeliest(parts, rows, rows)
    for row in rows:
        scores = np.array([slow_score(parts, respondent, row) for respondent in rows])
        near = scores >= scores.max() * (1 - 1e-7)
        assert guesses[row] == np.count_nonzero(near)
        assert right[row] == near[row]


@given(CODES, st.integers(0, 9))
@settings(max_examples=50)
def test_guesses_are_those_of_a_slow_bayes_rule(codes, seed):
    parts = [channel(seen, seen, seed + place) for place, seen in enumerate(columns(codes))]
    truth = estimated_joint(parts)
    assert truth.sum() == pytest.approx(1)
    guesses = likeliest_categories(parts, np.arange(len(codes)))
    for row in range(len(codes)):
        joint = truth.copy()
        for axis, part in enumerate(parts):
            seen = part.released[row]
            chance = np.ones(len(part.chances)) if seen < 0 else part.chances[:, seen]
            joint *= chance.reshape([-1 if a == axis else 1 for a in range(2)])
        for axis, guess in enumerate(guesses):
            margin = joint.sum(axis=1 - axis)
            assert margin[guess[row]] >= margin.max() * (1 - 1e-9)


def test_the_estimate_is_that_of_the_inverse_matrix(monkeypatch):
    monkeypatch.setattr(channels, "STEPS", 1000)
    data = ta.example("toy", 4000).without(["weight"])
    safe = data.apply(ta.Pram("education", minimum_diagonal=0.6), seed=0)
    matrix = safe.notes["matrices"]["education"][0]["matrix"]
    part = Channel.of(data, safe, np.arange(4000), "education", matrix, None)
    unbiased = ta.estimated_frequencies(safe, "education", matrix).estimates
    assert estimated_joint([part]) == pytest.approx(unbiased / unbiased.sum(), abs=1e-6)


KNOWN = ["education", "zip", "region", "disease"]


def complete(records) -> ta.Microdata:
    data = ta.example("toy", records)
    blank = np.any([np.asarray(data.column(name).is_null()) for name in KNOWN], axis=0)
    return data.take(np.flatnonzero(~blank))


def masked(data):
    matrices = {}
    safe = data
    for seed, (name, kept) in enumerate({"education": 0.3, "zip": 0.9, "region": 0.5}.items()):
        safe = safe.apply(ta.Pram(name, minimum_diagonal=kept), seed=seed)
        matrices[name] = safe.notes["matrices"][name][0]["matrix"]
    return safe, matrices


@pytest.mark.parametrize("is_published", [True, False])
@pytest.mark.parametrize("records", [1000, 10_000])
def test_it_beats_naive_linkage_and_the_released_categories(records, is_published):
    data = complete(records)
    safe, matrices = masked(data)
    attack = PramInversion(KNOWN, matrices=matrices if is_published else None, sample=None)
    found = attack.measure(data, safe)
    assert found.figures["ratio_to_naive_linkage"] > 1.2
    assert found.figures["guessed"] > found.figures["naive_guess"] + Fraction(1, 20)
    # The region follows from the postal code, which is mostly kept.
    assert found.parts["region"] > 0.1


def test_blanks_that_stay_link_more_records():
    data = ta.example("toy", 5000)
    safe, matrices = masked(data)
    found = PramInversion(KNOWN, matrices=matrices, sample=None).measure(data, safe)
    assert found.figures["ratio_to_naive_linkage"] > 2


def test_unmasked_data_are_guessed_by_no_one(toy):
    found = PramInversion().measure(toy, toy)
    assert found.figures["guessed"] is None
    assert not found.parts


def test_a_sample_is_told():
    data = ta.example("toy", 300)
    found = PramInversion(["education"], sample=50).measure(data, data)
    assert "50 of 300" in found.sentence
    assert found.figures["linked"] == 50


def test_what_is_wrong_is_told():
    data = read(a=["x", "z"])
    with pytest.raises(ParameterError, match="no row for z"):
        PramInversion(matrices={"a": MOSTLY}).measure(data, data)
    with pytest.raises(ParameterError, match="must sum to 1"):
        PramInversion(matrices={"a": {"x": {"x": 0.5}}})
    many = read(a=[str(number) for number in range(1001)])
    with pytest.raises(InputError, match="1,001 categories"):
        PramInversion().measure(many, many)
    with pytest.raises(InputError, match="only by attributes that are released"):
        PramInversion().measure(*[ta.read(pa.table({"n": [1.5]}), roles={"n": "key"})] * 2)

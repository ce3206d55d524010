"""Copies: how they are made, combined and released."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError, RequirementError


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    age = rng.integers(20, 60, 200)
    table = pa.table(
        {"age": age, "pay": 100.0 * age + 300 * rng.normal(size=200), "sex": ["f", "m"] * 100}
    )
    return ta.read(table, roles={"age": "key", "pay": "confidential"})


@pytest.fixture(scope="module")
def partial(people):
    return ta.synthesize(people, ta.PartialImputation("pay"), copies=4, seed=1)


def test_copies_differ_and_the_seed_repeats_them(people, partial):
    again = ta.synthesize(people, ta.PartialImputation("pay"), copies=4, seed=1)
    prints = [one.fingerprint() for one in partial]
    assert prints == [one.fingerprint() for one in again]
    assert len(set(prints)) == len(partial) == 4


def test_the_rule_follows_from_how_they_were_made(people, partial):
    full = ta.synthesize(people, ta.MultipleImputation(), copies=2, seed=1)
    trees = ta.synthesize(people, ta.SequentialTrees(), copies=2, seed=1)
    proper = ta.synthesize(people, ta.SequentialTrees(proper=True), copies=2, seed=1)
    rules = [one.rule for one in (partial, full, trees, proper)]
    assert rules == ["partial", "full", "plug_in", "full"]
    for resamples, rule in ((1, "full"), (50, "plug_in")):
        method = ta.Bootstrap(["age", "pay"], resamples=resamples)
        assert ta.synthesize(people, method, copies=2, seed=1).rule == rule


def test_as_many_copies_are_made_as_the_rule_needs(people):
    for resamples, copies in ((1, 20), (50, 5)):
        method = ta.Bootstrap(["age", "pay"], resamples=resamples)
        assert len(ta.synthesize(people, method, seed=1)) == copies


def test_inference(people, partial):
    slope = partial.regression("pay", "age")
    assert slope.interval("age").lower < 100 < slope.interval("age").upper
    assert partial.share("sex", "f")["sex = f"] == 0.5
    by_hand = partial.combine(
        lambda one: (one.numbers("pay").mean(), one.numbers("pay").var(ddof=1) / len(one))
    )
    assert by_hand["estimate"] == pytest.approx(partial.mean("pay")["pay"])
    assert by_hand.variances == pytest.approx(partial.mean("pay").variances)


def test_names_must_agree(partial):
    names = iter("abcd")
    analysis = lambda _: ta.Estimates((next(names),), np.ones(1), np.ones(1))  # noqa: E731
    with pytest.raises(InputError, match="names other quantities"):
        partial.combine(analysis)


def test_all_records_in_one_table(partial):
    table = partial.to_arrow()
    assert len(table) == 800
    assert table["copy"].value_counts().to_pylist()[3] == {"values": 4, "counts": 200}
    with pytest.raises(ParameterError, match="an attribute `age`"):
        partial.to_arrow(copy="age")


def test_releases_all_copies_or_none(partial, tmp_path):
    some = ta.Copies(partial.method, partial.original, partial.copies[:2])
    with pytest.raises(RequirementError):
        some.release(tmp_path / "refused", require={"k_anonymity": 100})
    assert not list(tmp_path.iterdir())
    one = ta.Copies(partial.method, partial.original, partial.copies[:1])
    one.release(tmp_path / "out", waive="a test")
    assert (tmp_path / "out" / "copy-1" / "public" / "statement.json").is_file()


def test_all_copies_lie_among_the_same_other_ways(partial, tmp_path):
    some = ta.Copies(partial.method, partial.original, partial.copies[:2])
    ways = {"methods": {"add_noise": {"attributes": ["pay"], "alpha": [0.1, 0.5]}}}
    measured = {"risk": "interval_disclosure", "loss": "il1s"}
    maps = [
        one.compared
        for one in some.release(tmp_path / "out", compare={**ways, **measured}, waive="a test")
    ]
    assert maps[0].trials[:2] == maps[1].trials[:2]
    assert maps[0].trials[2] != maps[1].trials[2]


def test_refuses_what_makes_no_copies(people):
    with pytest.raises(ParameterError, match="come from a method that draws synthetic data"):
        ta.synthesize(people, ta.TopCode("age", 50))
    with pytest.raises(ParameterError, match="`copies` is a whole number"):
        ta.synthesize(people, ta.PartialImputation("pay"), copies=0)

"""Trials: a plan of the same steps and seed gives what was measured."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import tacita as ta
from tacita.release.comparing.trial import masked_by, try_methods
from tacita.release.execute import execute

NUMBERS = ["age", "income"]
BY = ta.CustomScore(["interval_disclosure"], ["il1s"])


def test_a_plan_run_with_its_seed_gives_the_same_data(tmp_path):
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "data: {example: {toy: 60}}\n"
        "microdata:\n"
        "  steps:\n"
        "    - rank_swap: {attributes: [age, income], p: 10}\n"
        "    - add_noise: {attributes: [income], alpha: 0.1}\n"
        "  measure: [il1s]\n",
        encoding="utf-8",
    )
    outcome = execute(ta.read_plan(plan), 3)
    released = outcome.protected
    toy = ta.example("toy", 60)
    methods = [ta.RankSwap(NUMBERS, p=10), ta.AddNoise(["income"], alpha=0.1)]
    tried = masked_by(toy, methods, seed=3)
    for name in NUMBERS:
        assert tried.column(name).take(pa.array(released.source_rows)).equals(released.column(name))
    assert tried.names == released.names  # identifiers stay behind
    trial = try_methods(toy, methods, by=BY, seed=3)
    own = float(ta.IL1s().measure(outcome.original, released).value)
    assert trial.measures["il1s"] == pytest.approx(own, rel=1e-12)


def test_what_a_trial_tells():
    toy = ta.example("toy", 60)
    trial = try_methods(toy, [ta.RankSwap(NUMBERS, p=10)], by=BY, seed=3)
    assert trial.label() == "rank_swap (p 10)"
    assert trial.records == 60
    assert trial.score == (trial.risk + trial.loss) / 2
    told = json.loads(json.dumps(trial.to_dict()))
    assert told["steps"] == [{"rank_swap": {"attributes": NUMBERS, "p": 10.0}}]
    assert trial == try_methods(toy, [ta.RankSwap(NUMBERS, p=10)], by=BY, seed=3)


def test_nothing_may_be_tried_too():
    trial = try_methods(ta.example("toy", 60), [], by=BY, seed=0)
    assert (trial.label(), trial.risk, trial.loss) == ("unmasked", 1, 0)


def test_attributes_are_left_out_of_labels():
    toy = ta.example("toy", 60)
    methods = [ta.TopCode("age", 70), ta.Microaggregate(NUMBERS, k=4)]
    label = try_methods(toy, methods, by=BY, seed=0).label()
    assert label == "top_code + microaggregate (above 70, k 4)"

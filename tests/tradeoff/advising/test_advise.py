"""Advice: a plan that runs and holds, reasons in words, and what is impossible explained."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
import yaml

import tacita as ta
from tacita.release.comparing.trial import masked_by
from tacita.release.execute import execute
from tacita.tradeoff.advising import advise, advising
from tacita.tradeoff.advising.advice import OUT, UNSURE

LINKED = {"distance_linkage": {"at_most": 0.1}}


@pytest.fixture(scope="module")
def census(tmp_path_factory):
    file = tmp_path_factory.mktemp("data") / "census.csv"
    ta.example("census", 120).without(["interest", "dividends"]).write(file)
    return file


@pytest.fixture(scope="module")
def advice(census):
    roles = dict.fromkeys(("wage", "earnings", "total_income"), "key")
    others = {name: "confidential" for name in ta.read(census).names if name not in roles}
    return advise(census, roles={**others, **roles}, require=LINKED, trials=40)


def run(advice, folder, seed):
    plan = folder / "plan.yaml"
    plan.write_text(advice.plan(folder), encoding="utf-8")
    read = replace(ta.read_plan(plan), measures=())
    return execute(read, seed)


def test_the_plan_runs_and_its_requirement_holds(advice, tmp_path):
    assert advice.holds
    for seed in range(3):
        assert run(advice, tmp_path, seed).holds


def test_a_plan_for_a_model(tmp_path):
    file = tmp_path / "survey.csv"
    ta.example("survey", 200).write(file)
    found = advise(file, require=ta.KAnonymity(3), trials=20)
    outcome = run(found, tmp_path, 1)
    assert outcome.holds
    assert ta.KAnonymity(3).check(outcome.protected).holds
    assert (
        "person_id" in yaml.safe_load(found.plan())["microdata"]["steps"][0]["drop"]["attributes"]
    )


def test_several_requirements_hold_together(census, tmp_path):
    required = [LINKED, {"k_anonymity": 3}, {"interval_disclosure": {"at_most": 0.6}}]
    found = advise(census, roles={"wage": "key", "benefits": "key"}, require=required, trials=60)
    assert found.holds
    ran = run(found, tmp_path, 5)
    assert len(ran.verdicts) >= 3
    assert ran.holds


def test_reasons_name_the_winner_the_runner_up_and_what_it_does(advice):
    told = " ".join(advice.reasons())
    assert f"Recommended is {advice.recommended.steps}" in told
    assert f"runner-up is {advice.runner_up.steps}" in told
    assert advice.runner_up.loss >= advice.recommended.loss
    assert set(advice.changes()) <= {"wage", "earnings", "total_income"}
    assert all(part > 0 for _, part in advice.changes().values())
    assert advice.recommended.steps in repr(advice)
    json.dumps(advice.to_dict(), allow_nan=False)


def test_the_map_ranks_what_meets_the_bound(advice):
    drawn = advice.map()
    assert drawn.ranking[0].loss == advice.recommended.loss
    assert drawn.axes == ("distance_linkage", "mean change")
    assert {trial.records for trial in drawn.trials} == {120}
    assert drawn.to_html()


def test_the_same_trials_and_seed_give_the_same_advice(census):
    roles = {"wage": "key", "earnings": "key"}
    one, two = (advise(census, roles=roles, require=LINKED, trials=25) for _ in range(2))
    assert one.steps() == two.steps()
    assert len(one.tried) == len(two.tried) == 25
    assert not one.is_finished


def test_advice_improves(census):
    roles = {"wage": "key", "earnings": "key"}
    losses = [
        one.recommended.loss
        for one in advising(census, roles=roles, require=LINKED, trials=40)
        if one.holds
    ]
    assert len(losses) > 1
    assert losses == sorted(losses, reverse=True)


def test_an_impossible_bound_says_what_would_work(census):
    required = [{"distance_linkage": {"at_most": 0.2}}, {"il1s": {"at_most": 0}}]
    found = advise(census, roles={"wage": "key"}, require=required, trials=30)
    assert not found.holds
    told = " ".join(found.reasons())
    assert "The nearest is" in told
    assert "What would be met" in told
    assert found.methods == ()


def test_what_the_data_meet_as_they_are_is_no_advice(census):
    told = " ".join(advise(census, require=LINKED, roles={"wage": "key"}, trials=1).reasons())
    assert "give it more time" in told
    assert "What would be met" not in told


def test_a_bound_of_nothing_is_not_said_to_be_met(census):
    required = [{"distance_linkage": {"at_most": 0}}, {"il1s": {"at_most": 0}}]
    found = advise(census, roles={"wage": "key"}, require=required, trials=4)
    assert not found.holds
    assert "distance_linkage (at_most 0)" not in " ".join(found.reasons())


@pytest.mark.parametrize(
    "wrong", [{"require": {"k_anonymity": 5}}, {"require": LINKED, "loss": "precision_loss"}]
)
def test_what_cannot_be_measured_is_told(wrong):
    data = ta.read(pa.table({"pay": [1.5, 2.5, 3.5, 4.5]}), roles={"pay": "confidential"})
    with pytest.raises(ta.TacitaError):
        advise(data, **wrong)


def test_numbers_whose_squares_are_none_can_be_masked():
    pay = np.random.default_rng(1).normal(0, 1e300, 40)
    data = ta.read(pa.table({"pay": pay}), roles={"pay": "key"})
    assert advise(data, require={"distance_linkage": {"at_most": 0.5}}, trials=40).holds


def test_data_that_meet_the_bound_are_left_alone(census):
    found = advise(census, roles={"wage": "key"}, require={"uniqueness": {"at_most": 1}})
    assert found.holds
    assert found.methods == ()
    assert "No masking is needed" in " ".join(found.reasons())
    (_, rows), *_ = found.tables().values()
    assert [row[:2] for row in rows] == [("1.", "unmasked")]
    assert found.is_finished


def test_roles_are_proposed_where_none_is_given():
    data = ta.read(ta.example("toy", 150).to_pandas(), roles={"zip": "key"})
    found = next(iter(advising(data, require={"k_anonymity": 2}, trials=1)))
    assert "zip" not in found.setting.proposed
    assert "disease" in found.setting.proposed
    assert "zip" in found.setting.data.keys
    assert "id" not in found.setting.data.names
    assert "Roles were proposed" in " ".join(found.reasons())


def test_the_default_bound_is_told():
    numbers = advise(ta.example("census", 60), trials=1)
    assert "Nobody said what must hold; taken was distance_linkage" in numbers.reasons()[0]
    categories = ta.read(ta.example("survey", 60).to_pandas()[["sex", "region"]])
    assert "k_anonymity (k 5)" in advise(categories, trials=1, roles={"sex": "key"}).reasons()[0]


def test_another_loss_is_kept_low():
    data = ta.example("census", 60)
    found = data.advise(require=LINKED, loss="il1s", trials=12)
    best = found.recommended
    masked = masked_by(found.setting.data, found.methods, best.trial.seed)
    assert found.setting.loss_name == "il1s"
    assert best.loss == float(ta.IL1s().measure(found.setting.data, masked).value)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"time_limit": 0}, "time_limit"),
        ({"time_limit": "x"}, "in seconds"),
        ({"trials": 0}, "trials"),
        ({"trials": 1.5}, "whole number"),
        ({"trials": "x"}, "whole number"),
        ({"seed": -1}, "`seed` is a whole number"),
        ({"seed": "x"}, "`seed` is a whole number"),
        ({"require": []}, "at least one requirement"),
        ({"loss": "uniqueness"}, "utility"),
        ({"roles": {"wages": "key"}}, "wages"),
        ({"require": {"distance_linkage": {}}}, "at_most"),
        ({"require": {"distance_linkage": {"at_most": -0.1}}}, "between 0 and 1"),
        ({"require": {"distance_linkage": {"at_most": 5}}}, "For 5 % say 0.05"),
        ({"require": {"il1s": {"at_most": -1}}}, "0 or more"),
        ({"require": {"distance_linkage": {"at_most": float("nan")}}}, "must be a number"),
    ],
)
def test_mistakes_are_told(wrong, told):
    with pytest.raises(ta.TacitaError, match=told):
        advise(ta.example("census", 30), **wrong)


def test_without_keys_nothing_can_be_advised():
    data = ta.read(
        ta.example("census", 30).to_pandas()[["benefits"]], roles={"benefits": "confidential"}
    )
    with pytest.raises(ta.TacitaError, match="role `key`"):
        advise(data)


def test_an_interrupt_gives_the_best_so_far(monkeypatch):
    import tacita.tradeoff.advising as place

    made = []

    def interrupted(*args, **kwargs):
        for one in advising(*args, **kwargs):
            made.append(one)
            yield one
            raise KeyboardInterrupt

    monkeypatch.setattr(place, "advising", interrupted)
    found = place.advise(ta.example("census", 60), require=LINKED)
    assert found is made[0]


@pytest.mark.parametrize("bound", [0, "1e-300", 1e-7, 0.0004])
def test_what_came_nearest_does_not_depend_on_how_low_the_bound_is(census, bound):
    required = {"distance_linkage": {"at_most": bound}}
    found = advise(census, roles={"wage": "key"}, require=required, trials=8)
    assert not found.holds
    values = {one.steps: float(one.reached[0].value) for one in found.on_all}
    assert values[found.nearest.steps] == min(values.values()) < values["unmasked"] == 1
    would = re.search(r"What would be met: distance_linkage \(at_most ([\d.]+)\)", repr(found))
    assert would
    assert min(values.values()) < float(would[1]) < 1


def test_a_line_is_said_to_be_out_of_the_bound_once_and_only_if_it_is():
    data = ta.example("census", 60)
    roles = dict.fromkeys(("wage", "total_income"), "key")
    found = advise(data, roles=roles, require={"distance_linkage": {"at_most": 0.1}}, trials=80)
    told = {line.split(": ")[0]: line for line in found.reasons()}
    unsure, out = ([one for one in found.failed if one.holds is holds] for holds in (True, False))
    assert unsure
    assert out
    assert len({one.line for one in found.failed}) == len(found.failed)
    assert all(one.reached[0].value > Fraction(1, 10) for one in out)
    assert unsure[0].steps in told[UNSURE]
    assert unsure[0].steps not in told[OUT]
    (_, rows), *_ = found.tables().values()
    assert {row[0] for row in rows} >= {"unsure", "out"}


def test_a_line_that_was_stopped_between_its_seeds_did_not_fail():
    """One good trial of three is no failure, and nothing that is said to have little to spare."""
    data = ta.example("census", 80)
    asked = {"require": {"distance_linkage": {"at_most": 0.5}}, "roles": {"wage": "key"}}
    whole = advise(data, **asked, trials=12)
    first = next(
        place
        for place, one in enumerate(whole.tried)
        if one.trial and one.turn == 1 and one.positions == one.line.at(one.line.height)
    )
    stopped = advise(data, **asked, trials=first)
    last = stopped.tried[-1]
    assert last.holds
    assert last.turn == 0
    assert last.line not in {one.line for one in (*stopped.met, *stopped.failed)}
    assert UNSURE not in " ".join(stopped.reasons())

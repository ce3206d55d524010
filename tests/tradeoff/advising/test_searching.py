"""The search: the mildest rung is found, lines are narrowed down, and it is deterministic."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.release.requirement import Requirement
from tacita.tradeoff.advising import searching
from tacita.tradeoff.advising.judging import Judge
from tacita.tradeoff.advising.lines import Ladder, Line, lines_of
from tacita.tradeoff.advising.searching import Search, _next, samples

BOUND = Requirement.from_plan({"distance_linkage": {"at_most": 0.2}})


def judge_of(data, *requirements, spent=None):
    spend = (lambda *about: spent.append(about)) if spent is not None else (lambda *_: None)
    return Judge(data, requirements or (BOUND,), None, 0, spend)


@given(st.integers(1, 15), st.data())
def test_climbing_finds_the_mildest_rung_that_meets(height, data):
    needed = data.draw(st.integers(1, height + 1))
    start = data.draw(st.integers(1, height))
    low, high, step, rung, tries = 0, height + 1, 1, start, 0
    while high - low > 1:
        low, high = (low, rung) if rung >= needed else (rung, high)
        rung, step, tries = _next(low, high, height, step), 2 * step, tries + 1
    assert high == needed
    assert tries <= 9


def test_samples_are_nested():
    data = ta.example("census", 50)
    judge = judge_of(data)
    small, large = (set(judge.sample(size).source_rows.tolist()) for size in (10, 30))
    assert small < large
    assert len(small) == 10
    assert samples(1_999) == [1_999]
    assert samples(250_000) == [1_000, 10_000, 100_000, 250_000]


def test_each_trial_is_made_once():
    spent = []
    judge = judge_of(ta.example("census", 50), spent=spent)
    line = Line((Ladder("x", (1,), lambda _: ()),))
    judge.tried(line, (1.0,), 50)
    judge.tried(line, (1.0,), 50)
    assert spent == [("x", 50)]


def test_the_release_found_is_the_best_of_all_rungs():
    data = ta.example("census", 90)
    wanted = ("microaggregate", "rank_swap", "round_values")
    lines = [line for line in lines_of(data, data.keys, ()) if line.name in wanted]
    search = Search(judge_of(data), lines)
    found = list(search.run())
    assert [one.loss for one in found] == sorted((one.loss for one in found), reverse=True)
    slow = judge_of(data)
    on_rungs = [
        slow.tried(line, line.at(rung), 90).loss
        for line in lines
        for rung in range(1, line.height + 1)
        if slow.is_sure(line, line.at(rung))
    ]
    assert search.best.loss <= min(on_rungs)  # strengths between the rungs may be better still
    assert search.judge.is_sure(search.best.line, search.best.positions)


def test_what_draws_is_recommended_with_room_to_spare():
    data = ta.example("census", 150)
    judge = judge_of(data)
    (line,) = (one for one in lines_of(data, data.keys, ()) if one.name == "add_noise")
    sure = next(rung for rung in range(1, 11) if judge.is_sure(line, line.at(rung)))
    for turn in range(10, 14):
        assert judge.tried(line, line.at(sure), 150, turn).holds


def test_a_step_that_is_not_needed_is_relaxed_away():
    data = ta.example("census", 100)
    groups = Ladder("microaggregate", (2, 15), lambda k: (ta.Microaggregate(data.keys, k=k),))
    idle = Ladder("add_noise", (0.5, 1.0), lambda a: (ta.AddNoise(["benefits"], alpha=a),))
    search = Search(judge_of(data), [Line((groups, idle))])
    list(search.run())
    assert search.best.positions[1] == 0


@pytest.mark.parametrize(
    ("required", "strain"),
    [
        (Requirement(ta.KAnonymity(5)), 5),
        (Requirement(ta.Uniqueness(), at_most=Fraction(1, 2)), 2),
        (Requirement(ta.Uniqueness(), at_least=Fraction(2)), 2),
    ],
)
def test_strain_is_the_share_of_the_bound(required, strain):
    data = ta.example("census", 20)
    judge = judge_of(data, required)
    one = judge.tried(Line(()), (), 20)
    assert one.strain == pytest.approx(strain)
    assert not one.holds


def test_lines_are_narrowed_down_on_samples_and_all_have_their_turn(monkeypatch):
    monkeypatch.setattr(searching, "SAMPLES", (40,))
    monkeypatch.setattr(searching, "FEWEST", 1)
    data = ta.example("census", 120)
    wanted = ("microaggregate", "rank_swap", "add_noise", "round_values")
    lines = [line for line in lines_of(data, data.keys, ()) if line.name in wanted]
    search = Search(judge_of(data), lines)
    assert search.sizes == [40, 120]
    found = list(search.run())
    order = [(one.line.name, one.records) for one in search.judge.trials]
    on_all = [name for name, records in order if records == 120]
    assert {name for name, records in order if records == 40} == set(wanted)
    assert set(on_all) == {*wanted, "unmasked"}
    assert search.best is found[-1]
    assert search.best.records == 120
    assert search.judge.is_sure(search.best.line, search.best.positions)


def test_a_line_that_costs_too_much_and_still_fails_is_left():
    data = ta.example("census", 60)
    good = Line((Ladder("good", (20,), lambda k: (ta.Microaggregate(data.keys, k=k),)),))
    noise = (0.001, 0.002, 0.003, 0.004)

    def weak(alpha):
        return ta.AddNoise(["benefits", "interest", "dividends"], alpha=1e4 * alpha), ta.AddNoise(
            data.keys, alpha=alpha
        )

    costly = Line((Ladder("costly", noise, weak),))
    search = Search(judge_of(data), [good, costly])
    list(search.run())
    assert search.best.line is good
    assert sum(one.line is costly for one in search.judge.trials) == 1

"""Lines: they fit the kinds of the data, go from mild to strict, and make steps that run."""

from __future__ import annotations

import contextlib

import pytest

import tacita as ta
from tacita.release.comparing.trial import masked_by
from tacita.release.plan import DataPlan, Plan
from tacita.tradeoff.advising.lines import Ladder, Line, lines_of


def test_a_strength_between_two_rungs_is_their_geometric_mean():
    ladder = Ladder("add_noise", (0.1, 0.4), lambda alpha: (), "alpha")
    assert [ladder.strength(at) for at in (1, 1.5, 2)] == [0.1, 0.2, 0.4]
    whole = Ladder("microaggregate", (2, 3, 20), lambda k: (), "k", whole=True)
    assert [whole.strength(at) for at in (1.5, 2.5)] == [3, 8]


def test_ladders_are_climbed_together():
    short, long = (Ladder("x", tuple(range(n)), lambda _: ()) for n in (3, 6))
    line = Line((short, long))
    assert [line.at(rung) for rung in (1, 2, 6)] == [(1, 1), (1, 2), (3, 6)]
    assert line.methods((0, 0)) == ()


@pytest.mark.parametrize("name", ["toy", "census", "survey"])
def test_every_line_masks_or_says_why_not(name):
    data = ta.example(name, 60)
    lines = lines_of(data, data.keys, ())
    assert len({line.name for line in lines}) == len(lines) > 5
    for line in lines:
        if line.is_slow:
            continue
        methods = line.methods(line.at(1))
        assert methods
        with contextlib.suppress(ta.errors.ProtectionError, ta.errors.InputError):
            masked = masked_by(data, methods, 0)
            assert set(masked.names) <= set(data.names)


def test_only_what_fits_the_kinds_is_tried():
    numbers = {line.name for line in lines_of(ta.example("census", 50), ["wage"], ())}
    assert {"rank_swap", "add_noise", "microaggregate"} <= numbers
    assert not {"pram", "local_suppression"} & numbers
    data = ta.example("survey", 50)
    categories = {line.name for line in lines_of(data, ["sex", "region"], ())}
    assert {"pram", "local_suppression", "generalize", "lattice"} <= categories
    assert not {"rank_swap", "add_noise"} & categories


def test_required_models_are_what_algorithms_aim_at():
    data = ta.example("toy", 50)
    models = (ta.KAnonymity(4), ta.LDiversity(2, "disease"))
    (lattice,) = (one for one in lines_of(data, data.keys, models) if one.name == "lattice")
    assert lattice.ladders[0].rungs[0] == 4
    (step,) = lattice.methods(lattice.at(2))
    assert step.to == (ta.KAnonymity(5), ta.LDiversity(2, "disease"))
    Plan(DataPlan(), lattice.methods(lattice.at(1)))

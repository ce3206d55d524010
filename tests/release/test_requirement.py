"""Requirements: bounds lie where their measures do, and what makes no sense is told."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError, PlanError
from tacita.registry import family
from tacita.release.plan import read_plan
from tacita.release.requirement import Requirement

MEASURES = {
    name: cls
    for word in ("risk", "attack", "utility", "table risk", "table attack", "table utility")
    for name, cls in family(word).items()
}
ANY = ("model", "risk", "attack", "utility", "table risk", "table attack", "table utility")
NEEDED = {name: cls.example for name, cls in MEASURES.items()}


def said(name: str, **bounds: object) -> dict[str, object]:
    return {name: {**NEEDED[name], **bounds}}


@pytest.mark.parametrize("word", ["at_most", "at_least"])
@given(name=st.sampled_from(sorted(MEASURES)), bound=st.fractions(-3, 3))
def test_a_bound_is_taken_where_the_measure_can_lie_and_nowhere_else(word, name, bound):
    least, most = MEASURES[name].lies_between
    asked = said(name, **{word: str(bound)})
    if least <= bound <= most:
        assert getattr(Requirement.from_plan(asked, ANY), word) == bound
    else:
        with pytest.raises(ParameterError, match=f"`{word}` of `{name}` should be ") as told:
            Requirement.from_plan(asked, ANY)
        assert "\n" not in str(told.value)


@pytest.mark.parametrize("name", sorted(MEASURES))
def test_the_ends_themselves_may_be_required(name):
    least, most = MEASURES[name].lies_between
    assert Requirement.from_plan(said(name, at_most=least, at_least=least), ANY)
    assert most == inf or Requirement.from_plan(said(name, at_most=most), ANY)


def test_risks_and_attacks_are_shares():
    """What is an intruder's to achieve is a probability, which an intruder model only lowers."""
    for word in ("risk", "attack", "table risk", "table attack"):
        assert {cls.lies_between for cls in family(word).values()} == {(0, 1)}


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"uniqueness": {"at_most": 5}}, r"between 0 and 1, .*; found 5\. For 5 % say 0\.05\."),
        ({"uniqueness": {"at_most": 2.5}}, r"found 2\.5\. For 2\.5 % say 0\.025\."),
        ({"uniqueness": {"at_most": 500}}, r"found 500\.$"),
        ({"uniqueness": {"at_most": -0.05}}, r"between 0 and 1, as the measure is; found -0\.05\."),
        ({"means": {"at_most": -1}}, r"`at_most` of `means` should be 0 or more, .* found -1\."),
        ({"correlations": {"at_least": 2.5}}, r"between 0 and 2, as the measure is; found 2\.5\."),
        ({"uniqueness": {"at_most": float("nan")}}, "must be a number; found nan"),
        ({"means": {"at_most": float("inf")}}, "must be a number; found inf"),
        ({"means": {"at_most": "1e400"}}, "must be a number; found '1e400'"),
        (
            {"uniqueness": {"at_least": 0.5, "at_most": 0.2}},
            r"cannot be at least 0\.5 and at most 0\.2; swap the two",
        ),
    ],
)
def test_what_makes_no_sense_is_told_wherever_it_stands(tmp_path: Path, asked, told):
    """In Python, in the requirements of a plan, in `until`, and by `apply_until`."""
    data = ta.example("toy", 20)
    with pytest.raises(ParameterError, match=told):
        Requirement.of(asked)
    with pytest.raises(ParameterError, match=told):
        data.apply_until(asked, [[ta.Drop(["region"])]])
    with pytest.raises(ParameterError, match=told):
        data.release(tmp_path / "out", require=asked)
    ((name, bounds),) = asked.items()
    text = ", ".join(f"{word}: {_yaml(bound)}" for word, bound in bounds.items())
    plan = tmp_path / "plan.yaml"
    for micro in (
        f"  require: [{name}: {{{text}}}]\n",
        f"  steps:\n    - until: {{{name}: {{{text}}}}}\n      rounds: [{{drop: region}}]\n",
    ):
        plan.write_text("data: {example: {toy: 20}}\nmicrodata:\n" + micro)
        with pytest.raises(PlanError, match=told):
            read_plan(plan)


def _yaml(bound: object) -> str:
    return f".{bound}" if str(bound) in ("nan", "inf") else str(bound)


def test_rounds_in_python_stop_by_the_intruder():
    data = ta.example("toy", 60)
    rounds = [[ta.Drop(["region"])], [ta.Drop(["age"])]]
    bound = {"uniqueness": {"at_most": 0.5}}
    who = {"attributes": ["age", "income"], "respondents": 0.5}
    found = data.apply_until(bound, rounds, intruder=who, seed=0)
    assert [done.method for done in found.steps] == [ta.Drop(["region"])]
    risk = found.risk(intruder=who)["uniqueness"].value
    assert 0 < risk <= Fraction(1, 2)
    alone = {"attributes": ["age", "income"]}
    with pytest.raises(ta.TacitaError, match="None of the 2 rounds is strict enough"):
        data.apply_until(bound, rounds, intruder=alone, seed=0)

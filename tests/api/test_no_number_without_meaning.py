"""A risk that means nothing after keys were perturbed is a number by no way to risks."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import tacita as ta
from tacita.app.hands.tasks import judge, measure, risky
from tacita.app.hands.work import Memory, Work
from tacita.errors import NotApplicableError, ProtectionError, RequirementError
from tacita.method import Method
from tacita.release.requirement import Requirement
from tacita.tradeoff.advising.judging import Judge
from tacita.tradeoff.advising.lines import Ladder, Line

RISK = "prosecutor_risk"
KEYS = ["age", "education", "region"]
STEPS = {
    "pram": ta.Pram(["education", "region"], minimum_diagonal=0.5),
    "rank_swap": ta.RankSwap(["age"], p=10),
    "add_noise": ta.AddNoise(["age"], alpha=0.5),
    "microaggregate": ta.Microaggregate(["age"], k=5),
    "shuffle": ta.Shuffle(["age"], given=["income"]),
    "resample": ta.Resample(["age"]),
    "blank_and_impute": ta.BlankAndImpute(["education"], share=0.4, by=["region"]),
    "partial_imputation": ta.PartialImputation(["education"], given=["region"]),
}
HOLDS = {"attributes": KEYS}
OWN = ta.CustomScore([RISK], ["il1s"])
BOUND = {RISK: {"at_most": 1}}


@dataclass(frozen=True)
class Masked:
    """A file masked in one step that perturbs keys."""

    original: ta.Microdata
    step: Method
    folder: Path

    @property
    def data(self) -> ta.Microdata:
        return self.original.apply(self.step, seed=1)

    def reason(self, found: ta.Measures) -> str:
        assert RISK not in [one.name for one in found]
        return dict(found.skipped)[RISK]


def refused(call: Callable[[], object], error: type[Exception] = NotApplicableError) -> str:
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


def by_risk(masked: Masked) -> str:
    found = masked.data.risk()
    assert RISK in refused(lambda: found[RISK], KeyError)
    return masked.reason(found.table())


def by_first_lines(masked: Masked) -> str:
    return str(masked.data.risk()).splitlines()[0]


def by_disclosure_risk(masked: Masked) -> str:
    return masked.reason(ta.disclosure_risk(masked.original, masked.data, measures=[RISK]))


def by_disclosure_risk_of_a_foreign_file(masked: Masked) -> str:
    foreign = masked.data.to_pandas()
    return masked.reason(
        ta.disclosure_risk(masked.original, foreign, measures=[RISK], pair_by="position")
    )


def by_disclosure_risk_for_an_intruder(masked: Masked) -> str:
    return masked.reason(
        ta.disclosure_risk(masked.original, masked.data, measures=[RISK], intruder=HOLDS)
    )


def by_an_intruder(masked: Masked) -> str:
    intruder, risk = ta.Intruder(KEYS), ta.ProsecutorRisk()
    return refused(lambda: intruder.measure(risk, masked.original, masked.data))


def by_score(masked: Masked) -> str:
    return refused(lambda: ta.score(masked.original, masked.data, by=OWN))


def by_custom_score(masked: Masked) -> str:
    return refused(lambda: OWN.of(masked.original, masked.data))


def by_map(masked: Masked, **more: Any) -> str:
    grid = [masked.step]
    return refused(
        lambda: ta.risk_utility_map(masked.original, grid, risk=RISK, loss="il1s", **more),
        ProtectionError,
    )


def by_map_for_an_intruder(masked: Masked) -> str:
    return by_map(masked, intruder=HOLDS)


def by_advice(masked: Masked) -> str:
    line = Line((Ladder("a step", (1.0,), lambda _: (masked.step,)),))
    asked = [Requirement.of(BOUND)]
    tried = Judge(masked.original, asked, None, 0, lambda *_: None).tried(
        line, (1.0,), len(masked.original)
    )
    assert tried.trial is None
    assert not tried.holds
    return tried.reason


def by_masking_until(masked: Masked) -> str:
    return refused(
        lambda: masked.original.apply_until(BOUND, [masked.step], seed=1), ProtectionError
    )


def by_requirement(masked: Masked) -> str:
    verdict = Requirement.of(BOUND).check(masked.original, masked.data)
    assert not verdict.holds
    assert verdict.value is None
    return verdict.sentence


def by_required_release(masked: Masked) -> str:
    return refused(
        lambda: masked.data.release(masked.folder / "out", require=BOUND), RequirementError
    )


def by_evidence(masked: Masked) -> str:
    compare = {"methods": {"round_values": {"base": [5]}}, "risk": RISK, "loss": "il1s"}
    outcome = masked.data.release(masked.folder / "out", compare=compare, waive="a test", seed=1)
    assert "not applicable after" in dict(outcome.compared.skipped)["this release"]
    found = json.loads((masked.folder / "out" / "internal" / "evidence.json").read_text())
    assert RISK not in [one["name"] for one in found["measures"]]
    return {one["name"]: one["reason"] for one in found["not_measured"]}[RISK]


def by_post_masking(masked: Masked) -> str:
    coarse = ta.PostMasking(["income"], by=OWN)
    return refused(lambda: coarse.improve(masked.original, masked.data))


def by_workbench(masked: Masked) -> str:
    said = {"steps": [masked.step.to_plan()], "measure": [RISK], "require": [BOUND]}
    plan = {"data": {"example": {"toy": 200}}, "microdata": said}
    arguments = {"plan": plan, "sample": False, "by": RISK}
    work = Work("", masked.folder / "plan.yaml", 1, arguments, lambda _: None, Memory())
    assert "not applicable after" in refused(lambda: risky.run(work))
    (verdict,) = [one for one in judge.run(work)["verdicts"] if RISK in one["requirement"]]
    assert (verdict["holds"], verdict["value"]) == (False, None)
    found = measure.run(work)
    assert RISK not in [one["name"] for one in found["after"]]
    return dict(found["skipped"])[RISK]


WAYS = [way for name, way in sorted(globals().items()) if name.startswith("by_")]


@pytest.fixture(scope="module")
def toy() -> ta.Microdata:
    return ta.example("toy", 200)


@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_no_way_to_risks_gives_the_number(
    toy: ta.Microdata, way: Callable[[Masked], str], name: str, tmp_path: Path
) -> None:
    told = way(Masked(toy, STEPS[name], tmp_path))
    assert "not applicable after" in told


def test_what_does_not_change_keys_is_measured_by_every_score(toy: ta.Microdata) -> None:
    """The same ways give the number where released keys are true."""
    coarse = toy.apply(ta.Generalize("education", level=1))
    alone = ta.disclosure_risk(toy, coarse, measures=[RISK])[RISK].value
    assert ta.score(toy, coarse, by=OWN).risk == float(alone)
    assert ta.Intruder().measure(ta.ProsecutorRisk(), toy, coarse).value == alone


@pytest.mark.parametrize("weights", [None, {"IL": 1, "DLD": 1, "PLD": 0, "ID": 0}])
def test_the_score_of_the_field_survives_perturbation(toy: ta.Microdata, weights: Any) -> None:
    own = ta.Score(["age", "income"]) if weights is None else ta.Score(["age"], weights=weights)
    assert ta.score(toy, toy.apply(STEPS["rank_swap"], seed=1), by=own).risk >= 0

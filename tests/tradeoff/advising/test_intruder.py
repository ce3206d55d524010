"""Advice for an intruder: bound, risks, map and words are the intruder's, and so is the plan."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, OutputError, ParameterError, PlanError
from tacita.release.execute import Outcome, execute
from tacita.release.requirement import Requirement
from tacita.tradeoff.advising import Advice, advise
from tacita.tradeoff.advising.judging import Judge
from tacita.tradeoff.advising.searching import NOTHING

LINKED = {"distance_linkage": {"at_most": 0.1}}
NUMBERS = ["wage", "earnings", "total_income", "benefits"]
RISKS = ["distance_linkage", "rank_linkage", "exact_linkage", "interval_disclosure", "uniqueness"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("advice")
    ta.example("census", 90).without(["interest", "dividends"]).write(place / "census.csv")
    ta.example("survey", 90).write(place / "survey.csv")
    return place


def run(advice: Advice, folder: Path) -> Outcome:
    """Run the recommended plan as the trial was made that is recommended."""
    file = folder / "advised.yaml"
    file.write_text(advice.plan(folder), encoding="utf-8")
    assert advice.recommended is not None
    assert advice.recommended.trial is not None
    return execute(replace(ta.read_plan(file), measures=()), advice.recommended.trial.seed)


def kept_promise(advice: Advice, folder: Path) -> None:
    """Running the plan measures, for the intruder it carries, what was promised."""
    outcome = run(advice, folder)
    best = advice.recommended
    assert best is not None
    assert outcome.intruder is not None
    assert outcome.intruder.to_plan() == advice.setting.intruder.to_plan()
    verdicts = [one for one in outcome.verdicts if "without" not in one.requirement]
    assert [one.value for one in verdicts] == [one.value for one in best.reached]
    assert all(one.holds for one in verdicts)
    for one, asked in zip(best.reached, advice.setting.requirements, strict=True):
        if asked.method.family != "model":
            measures = [asked.method]
            found = ta.disclosure_risk(
                outcome.original,
                outcome.protected,
                measures=measures,
                intruder=advice.to_dict()["intruder"],
            )
            assert found[0].value == one.value


accuracies = st.sampled_from(
    [{"rounded": 5000}, {"relative_error": 0.2}, {"wrong": 0.3}, {"missing": 0.25}, {}]
)
intruders = st.fixed_dictionaries(
    {"attributes": st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=3, unique=True)},
    optional={
        "respondents": st.sampled_from([0.5, 40, 1.0]),
        "in_file": st.sampled_from([0.0, 0.7]),
        "seed": st.integers(0, 3),
    },
)


@given(intruders, accuracies, st.sampled_from(RISKS))
@settings(max_examples=8, deadline=None)
def test_running_the_plan_measures_what_was_promised(folder, said, accuracy, risk):
    who = {**said, **({"accuracy": {said["attributes"][0]: accuracy}} if accuracy else {})}
    found = advise(
        folder / "census.csv",
        roles=dict.fromkeys(NUMBERS[:2], "key"),
        require={risk: {"at_most": 0.6}},
        intruder=who,
        trials=12,
    )
    if found.holds:
        kept_promise(found, folder)


def test_a_scenario_is_carried_with_what_it_came_to(folder):
    path = "household_survey/population_register"
    found = advise(folder / "survey.csv", intruder=path, trials=25)
    assert found.holds
    kept_promise(found, folder)
    carried = yaml.safe_load(found.plan())["microdata"]["intruder"]
    assert carried["scenario"] == path
    assert "birth_date" in carried["attributes"]
    told = found.reasons()
    assert told[0].startswith("Risks are those of an intruder who holds ")
    assert any("98 % of the respondents" in line for line in told)
    assert any(line.startswith("Risks are multiplied by ") for line in told)


def test_the_bound_nobody_says_is_the_intruders(folder):
    """5-anonymity is a promise whoever attacks; an intruder may link 5 % instead."""
    file = folder / "survey.csv"
    roles = {"sex": "key", "region": "key"}
    plain = advise(file, roles=roles, trials=1)
    assert plain.setting.requirements == (Requirement(ta.KAnonymity(5)),)
    held = advise(file, roles=roles, intruder={"attributes": ["sex", "region"]}, trials=1)
    (bound,) = held.setting.requirements
    assert bound == Requirement(ta.ExactLinkage(), at_most=Fraction(1, 20))
    numbers = advise(folder / "census.csv", intruder={"attributes": ["wage"]}, trials=1)
    assert [one.method.name for one in numbers.setting.requirements] == [
        "distance_linkage",
        "rank_linkage",
    ]


def test_what_the_intruder_does_not_hold_is_left_alone(folder):
    roles = dict.fromkeys(NUMBERS, "key")
    worst = advise(folder / "census.csv", roles=roles, require=LINKED, trials=40)
    found = advise(
        folder / "census.csv",
        roles=roles,
        require=LINKED,
        intruder={"attributes": ["wage"]},
        trials=40,
    )
    assert set(found.changes()) == {"wage"} < set(worst.changes())
    assert found.recommended.loss < worst.recommended.loss


def test_models_ask_for_the_keys_whoever_attacks(folder):
    found = advise(
        folder / "census.csv",
        roles={"wage": "key", "earnings": "key"},
        require=[{"k_anonymity": 3}, {"uniqueness": {"at_most": 0.2}}],
        intruder={"attributes": ["benefits"]},
        trials=10,
    )
    assert set(found.setting.masked()) == {"benefits", "wage", "earnings"}
    assert found.holds
    kept_promise(found, folder)


def test_whom_the_source_lacks_need_no_masking(folder):
    who = ta.Intruder(["wage"], respondents=0.05)
    found = ta.read(folder / "census.csv").advise(require=LINKED, intruder=who)
    assert found.holds
    assert found.methods == ()
    assert found.recommended.reached[0].value == Fraction(1, 20)
    assert "Risks are multiplied by 0.05" in " ".join(found.reasons())


def test_map_words_and_json_are_for_the_intruder(folder):
    ask = {"require": LINKED, "intruder": {"attributes": ["wage", "benefits"]}, "trials": 15}
    found = advise(folder / "census.csv", **ask)
    assert found.map().axes == ("distance_linkage of the intruder", "mean change")
    assert found.reasons()[0] == (
        "Risks are those of an intruder who holds wage, benefits of all respondents."
    )
    assert json.loads(json.dumps(found.to_dict()))["intruder"] == {
        "attributes": ["wage", "benefits"]
    }
    plain = advise(folder / "census.csv", roles={"wage": "key"}, require=LINKED, trials=1)
    assert plain.to_dict()["intruder"] is None
    assert plain.map().axes[0] == "distance_linkage"
    both = [LINKED, {"uniqueness": {"at_most": 0.5}}]
    drawn = advise(folder / "census.csv", **{**ask, "require": both, "trials": 2}).map()
    assert drawn.axes[0] == "share of the bound that is used up by the intruder"


def test_an_intruder_reaches_as_far_into_a_sample():
    data = ta.example("census", 200)
    bound = Requirement.from_plan({"uniqueness": {"at_most": 0.5}})
    counted, shared = (
        Judge(data, [bound], None, 0, lambda *_: None, ta.Intruder(["wage"], respondents=known))
        for known in (50, 0.25)
    )
    for records in (40, 200):
        values = [judge.tried(NOTHING, (), records).reached[0].value for judge in (counted, shared)]
        assert values[0] == values[1] <= Fraction(1, 4)


@pytest.mark.parametrize(
    ("said", "require", "told"),
    [
        ({"attributes": ["person_id"]}, LINKED, "holds person_id only, which is not released"),
        ({"attributes": ["person_id", "weight"]}, None, "tells nothing of a respondent"),
        ({"attributes": ["sex"]}, {"rank_linkage": {"at_most": 0.1}}, "`rank_linkage` needs"),
        ({"attributes": ["nothing"]}, LINKED, "nothing"),
        ({"respondents": 2.5}, LINKED, "`respondents` of `intruder`"),
        (3, LINKED, "An intruder is like"),
        ("health/nobody", LINKED, "nobody"),
    ],
)
def test_who_knows_nothing_that_is_bounded_is_told(folder, said, require, told):
    with pytest.raises((InputError, ParameterError), match=told):
        advise(folder / "survey.csv", require=require, intruder=said, trials=1)


def test_bounds_that_have_nothing_to_do_with_the_intruder_are_told(folder):
    ask = {"roles": {"sex": "key"}, "intruder": {"attributes": ["sex"]}, "trials": 1}
    file = folder / "survey.csv"
    model = advise(file, require={"k_anonymity": 2}, **ask)
    assert model.setting.notes == ("No risk is bounded, and the rest is the same whoever attacks.",)
    others = advise(file, require={"uniqueness": {"keys": ["region"], "at_most": 0.5}}, **ask)
    (note,) = others.setting.notes
    assert note == (
        "`uniqueness` is bounded by region, of which the intruder holds nothing; it is measured by "
        "that all the same."
    )
    assert note in others.reasons()


PLAN = """
data:
  source: census.csv
  attributes: {wage: key, earnings: key, benefits: confidential}
microdata:
  intruder: {attributes: [wage, earnings], respondents: 0.8}
  copies: 1
  require:
    - distance_linkage: {at_most: 0.2}
  measure: [uniqueness]
release: {format: parquet}
"""


class TestPlans:
    @pytest.fixture
    def plan(self, folder: Path) -> Path:
        file = folder / "given.yaml"
        file.write_text(PLAN, encoding="utf-8")
        return file

    def test_a_plan_says_what_is_asked_and_who_attacks(self, plan, folder):
        found = advise(plan, trials=20)
        assert found.setting.requirements[0].to_plan() == {"distance_linkage": {"at_most": 0.2}}
        assert not found.setting.is_default
        assert set(found.setting.data.keys) == {"wage", "earnings"}
        kept_promise(found, folder)
        advised, given = (yaml.safe_load(text) for text in (found.plan(), PLAN))
        assert advised["release"] == given["release"]
        assert advised["microdata"]["measure"] == given["microdata"]["measure"]
        assert advised["microdata"]["intruder"] == given["microdata"]["intruder"]
        assert advised["microdata"]["steps"][-1] == "shuffle_records"
        assert "copies" not in advised["microdata"]

    def test_what_is_said_beside_a_plan(self, plan):
        more = {"uniqueness": {"at_most": 0.9}}
        found = advise(plan, require=more, intruder={"attributes": ["wage"]}, trials=1)
        assert [one.method.name for one in found.setting.requirements] == [
            "distance_linkage",
            "uniqueness",
        ]
        assert found.setting.intruder.attributes == ("wage",)
        with pytest.raises(ParameterError, match="leave out `delimiter`"):
            advise(plan, delimiter=";")

    def test_advice_on_a_plan_lies_beside_it(self, plan, tmp_path):
        found = advise(plan, trials=1)
        with pytest.raises(OutputError, match="write it into"):
            found.plan(tmp_path)

    def test_the_requirements_of_a_profile_stay_its_own(self, folder):
        file = folder / "profiled.yaml"
        file.write_text(
            "data: {example: {survey: 80}}\nmicrodata: {profile: scientific_use_file}\n"
        )
        found = advise(file, trials=1)
        assert [one.method.name for one in found.setting.requirements] == [
            "k_anonymity",
            "exact_linkage",
        ]
        advised = yaml.safe_load(found.plan())
        assert advised["microdata"]["profile"] == "scientific_use_file"
        assert advised["microdata"]["require"] == []
        assert advised["data"]["example"] == {"survey": 80}

    def test_a_plans_mistakes_say_where(self, folder):
        file = folder / "wrong.yaml"
        file.write_text(PLAN.replace("[wage, earnings]", "[wages]"), encoding="utf-8")
        with pytest.raises(InputError, match=r"microdata\.intruder"):
            advise(file)
        file.write_text(PLAN.replace("0.2", "20"), encoding="utf-8")
        with pytest.raises(PlanError, match=r"For 20 % say 0\.2"):
            advise(file)

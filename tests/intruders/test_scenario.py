"""The library of scenarios: words for all, concepts that fit anybody's names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.inspection.vocabulary import CONCEPTS
from tacita.intruders.said import as_intruder
from tacita.intruders.scenario import Held, Scenario

EXAMPLES = {"health": "patients", "business": "firms", "household_survey": "survey"}
PUPILS = ta.read(
    pa.table({"schule": [1, 2], "Geschlecht": ["w", "m"], "note": [1.5, 2.0], "alter": [9, 10]}),
    roles={"schule": "key", "Geschlecht": "key", "alter": "key", "note": "confidential"},
    kinds={"schule": "nominal"},
)


@pytest.mark.parametrize("one", ta.scenarios(), ids=lambda one: one.path)
class TestEveryScenario:
    def test_is_told_in_words_with_its_papers(self, one: Scenario) -> None:
        for words in (one.who, one.source, one.why, one.reference):
            assert len(words) > 15
        assert any(year in one.reference for year in map(str, range(1990, 2027))) or (
            "CFR" in one.reference
        )
        assert one.path in str(one)

    def test_holds_concepts_of_the_vocabulary_or_says_its_own_words(self, one: Scenario) -> None:
        known = {concept.name for concept in CONCEPTS}
        assert [held for held in one.holds if not held.words and held.concept not in known] == []
        concepts = [held.concept for held in one.holds]
        assert len(set(concepts)) == len(concepts)

    def test_fits_data_of_its_domain(self, one: Scenario) -> None:
        data = ta.example(EXAMPLES[one.domain], 50) if one.domain in EXAMPLES else PUPILS
        intruder = one.of(data)
        assert intruder.scenario == one.path
        assert intruder.of(data) == intruder
        assert set(intruder.attributes or ()) <= set(data.names)
        assert ta.Intruder.from_plan(intruder.to_plan()).to_plan() == intruder.to_plan()

    def test_is_the_same_after_it_was_written_to_a_plan(self, one: Scenario) -> None:
        assert as_intruder(one.to_plan()) == one
        assert one.to_dict()["holds"]


def test_names_in_other_languages_are_found_and_what_is_not_there_is_told() -> None:
    found = ta.scenario("education", "classmate").of(PUPILS)
    assert found.attributes == ("schule", "Geschlecht", "note", "alter")
    assert str(found.accuracy["note"]) == "wrong for 30 %, missing for 50 %"
    assert len(found.notes) == 1
    assert "a postcode" in found.notes[0]


def test_accuracy_that_does_not_fit_a_kind_is_left_out_and_told() -> None:
    data = ta.read(pa.table({"birth_year": [1950, 1960], "sex": ["f", "m"]}))
    found = ta.scenario("health/neighbour").of(data)
    assert str(found.accuracy["birth_year"]) == "wrong for 20 %"
    assert "`birth_year` cannot be held by the year, wrong for 20 %" in " ".join(found.notes)


def test_attributes_can_be_named_for_concepts() -> None:
    data = ta.read(pa.table({"v1": [30, 40], "v2": ["f", "m"]}))
    one = ta.scenario("health", "voter_list")
    with pytest.raises(InputError, match="None of what the scenario health/voter_list holds"):
        one.of(data)
    named = one.changed({"age": "v1", "sex": ["v2"]}, respondents=10)
    assert named.of(data).attributes == ("v1", "v2")
    assert named.of(data).respondents == 10
    assert as_intruder(named.to_plan()) == named
    with pytest.raises(ParameterError, match=r"holds no `aeg`.*Did you mean `age`"):
        one.changed({"aeg": "v1"})
    with pytest.raises(InputError, match="There is no attribute `v3`"):
        one.changed({"age": "v3"}).of(data)


def test_acquaintances_are_in_the_sample_by_its_fraction() -> None:
    table = {"sex": ["f", "m"], "w": [30.0, 10.0]}
    sample = ta.read(pa.table(table), roles={"sex": "key", "w": "weight"})
    one = ta.scenario("household_survey", "nosy_neighbour")
    assert one.of(sample).in_file == 0.05
    assert one.of(sample.without(["w"])).in_file == 1
    assert one.changed(respondents=None).of(sample).in_file == 1


def test_identifiers_and_weights_are_not_held() -> None:
    data = ta.example("firms", 20)
    for one in ta.scenarios("business"):
        assert not {"firm_id", "weight"} & set(one.of(data).attributes or ())


def test_own_words_mean_whole_words() -> None:
    firms = ta.read(pa.table({"turnover_2020": [1.0], "salespeople": [2]}))
    held = Held("turnover", words="turnover, sales")
    assert [held.is_meant_by(firms.attribute(name)) for name in firms.names] == [True, False]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("heath/neighbour", "There are scenarios of health, .*Did you mean `health`"),
        ("health/neighbor", "Did you mean `neighbour`"),
        ({"scenario": 5}, "`scenario` is like `health/neighbour`; found 5"),
        ({"scenario": "health/neighbour", "accuracy": {}}, "can be changed, not `accuracy`"),
        ({"scenario": "health/neighbour", "in_file": 3}, "`in_file` of `intruder` should be"),
        (5, "An intruder is like"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(said: Any, sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        as_intruder(said)


def test_whoever_measures_may_say_it_in_any_way() -> None:
    data = ta.example("survey", 100)
    one = ta.scenario("household_survey/population_register")
    ways: list[Any] = [one, one.path, {"scenario": one.path}, one.of(data), one.of(data).to_plan()]
    values = {
        ta.disclosure_risk(data, data, measures=["uniqueness"], intruder=way)[0].value
        for way in ways
    }
    assert len(values) == 1


def test_the_page_of_the_documentation_lists_all_of_them() -> None:
    page = (Path(__file__).parents[2] / "docs" / "scenarios.md").read_text(encoding="utf-8")
    for one in ta.scenarios():
        many = one.respondents
        share = f"{100 * many:g} %" if isinstance(many, float) else str(many)
        assert re.search(rf"(?m)^\| `{one.path}` \|.*\| {share} \|$", page), one.path

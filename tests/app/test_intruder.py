from __future__ import annotations

import pytest

from tacita.app.intruding import filled_in, kind_of, rows, words
from tacita.data.examples import generate
from tacita.errors import TacitaError
from tacita.intruders.library import scenarios
from tacita.intruders.said import as_intruder
from tacita.registry import find

pytestmark = pytest.mark.usefixtures("kept_hands")


@pytest.fixture
def place(person) -> str:
    return person.fill("/projects", example="survey", records="300")["go"].removesuffix("/data")


def said(person, place):
    project = person.bench.projects.get(place.split("/")[2])
    return project.variant.part("microdata", "intruder")


def sent_back(given, names=("age", "zip")) -> dict[str, list[str]]:
    """What the page would send of an intruder of one's own, as it is filled in."""
    who = as_intruder(given)
    form = {"who": [kind_of(who)], "name": [], "held": []}
    for place, row in enumerate(rows(who, names)):
        form["name"].append(row.name)
        form["held"] += [str(place)] if row.is_held else []
        for word in ("way", "size", "wrong", "missing"):
            form[f"{word} {place}"] = [getattr(row, word)]
    for word in ("respondents", "in_file"):
        one = getattr(who, word)
        form[word] = ["" if one is None else str(one)]
    return form


OWN = [
    {"attributes": ["age", "zip"]},
    {"attributes": ["zip"], "accuracy": {"zip": {"prefix": 3, "wrong": 0.1}}, "respondents": 150},
    {"accuracy": {"age": {"rounded": 5.0, "missing": 0.25}}, "respondents": 0.4, "in_file": 0.07},
    {"attributes": ["age", "gone"], "accuracy": {"age": {"classes": [18, 65]}}, "seed": 7},
    {"attributes": ["born"], "accuracy": {"born": {"unit": "year"}}},
    {"accuracy": {"age": {"absolute_error": 2}, "zip": {"level": 2}}},
    {"accuracy": {"age": {"relative_error": 0.1}}},
]


@pytest.mark.parametrize("given", OWN, ids=str)
def test_an_intruder_that_is_shown_and_not_changed_stays_who_it_was(given):
    assert as_intruder(filled_in(sent_back(given), given)) == as_intruder(given)


@pytest.mark.parametrize("one", scenarios(), ids=lambda one: one.path)
def test_a_scenario_that_is_shown_and_not_changed_stays_what_it_was(one):
    form = {
        "who": [one.path],
        "respondents": ["" if one.respondents is None else str(one.respondents)],
        "in_file": ["" if one.in_file is None else str(one.in_file)],
    }
    assert filled_in(form, None) == {"scenario": one.path}
    named = {**form, f"c:{one.holds[0].concept}": ["years"], "respondents": ["12.5 %"]}
    assert filled_in(named, None) == {
        "scenario": one.path,
        "attributes": {one.holds[0].concept: ["years"]},
        "respondents": 0.125,
    }


def test_what_no_form_can_show_is_written_as_in_a_plan():
    both = {"accuracy": {"age": {"rounded": 5, "absolute_error": 2}}}
    assert kind_of(as_intruder(both)) == "written"
    assert filled_in({"who": ["written"], "text": [str(both)]}, None) == both
    assert words(None).startswith("the worst case")


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"who": ["health/nobody"]}, "has the scenarios"),
        ({"who": ["own"], "respondents": ["few"]}, "Expected a number"),
        ({"who": ["own"], "respondents": ["-3"]}, "`respondents` of `intruder`"),
        ({"who": ["own"], "name": ["a"], "way 0": ["rounded"]}, "rounded to multiples of what"),
        ({"who": ["own"], "name": ["a"], "way 0": ["strange"]}, "ways there are"),
        ({"who": ["written"], "text": ["{a: ["]}, "written as in a plan"),
        ({"who": ["written"], "text": ["[1]"]}, "An intruder is like"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(form, sentence):
    with pytest.raises(TacitaError, match=sentence):
        filled_in(form, None)


def test_an_intruder_is_tried_kept_and_what_risks_are_measured_for(person, place):
    assert "the worst case" in person.get(f"{place}/intruder").text
    assert "Change who attacks" in person.get(f"{place}/protect").text
    form = person.shown(f"{place}/intruder/form?variant=0&who=own")
    assert 'aria-label="How exactly sex is held"' in form
    own = {"who": "own", "name": ["sex", "region"], "held": ["0", "1"], "wrong 1": "10 %"}
    tried = person.fill(f"{place}/intruder/try", variant="0", respondents="0.5", **own)
    held = person.shown(tried["load"])
    assert "Held of 50 % of the respondents" in held
    assert "wrong for 10 %" in held
    assert said(person, place) is None  # nothing is kept yet
    person.fill(f"{place}/intruder", variant="0", respondents="0.5", **own)
    given = said(person, place)
    assert given == {
        "attributes": ["sex", "region"],
        "accuracy": {"region": {"wrong": 0.1}},
        "respondents": 0.5,
    }
    assert "holds sex, region (wrong for 10 %)" in person.get(f"{place}/protect").text
    data = generate("survey", 300)
    value = as_intruder(given).of(data).measure(find("exact_linkage")(), data, data).value
    shown = person.shown(f"{place}/protect/measures/1")
    row = shown.split("exact linkage")[1].split("</tr>")[0]
    assert f">{float(value):.4g}<" in row
    person.fill(f"{place}/intruder", variant="1", who="")
    assert said(person, place) is None


def test_a_scenario_tells_what_of_the_data_it_finds_and_misses(person, place):
    who = "household_survey/population_register"
    form = person.shown(f"{place}/intruder/form?variant=0&who={who}")
    assert "Why to expect so" in form
    tried = person.fill(f"{place}/intruder/try", variant="0", who=who, respondents="0.98")
    assert "birth_date" in person.shown(tried["load"])
    person.fill(f"{place}/intruder", variant="0", who=who, respondents="0.98", in_file="1.0")
    assert said(person, place) == {"scenario": who}
    assert f'value="{who}" selected' in person.get(f"{place}/intruder").text
    wrong = person.fill(
        f"{place}/intruder/try", variant="1", who=who, **{"c:sex": ["no such attribute"]}
    )
    assert "no such attribute" in person.shown(wrong["load"])


def test_names_of_attributes_are_hostile_in_the_form_and_in_what_is_held(person):
    attack = '"><img src=x onerror=alert(1)>'
    quoted = attack.replace('"', '""')
    (person.bench.workplace.folder / "a.csv").write_text(f'"{quoted}",b\n1,2\n3,4\n')
    place = person.fill("/projects", file="a.csv")["go"].removesuffix("/data")
    form = person.shown(f"{place}/intruder/form?variant=0&who=own")
    own = {"who": "own", "name": [attack, "b"], "held": ["0"]}
    held = person.shown(person.fill(f"{place}/intruder/try", variant="0", **own)["load"])
    person.fill(f"{place}/intruder", variant="0", **own)
    pages = [person.get(f"{place}/{room}").text for room in ("protect", "intruder")]
    for shown in (form, held, *pages):
        assert "<img src=x" not in shown
        assert "&lt;img src=x" in shown

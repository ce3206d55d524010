from __future__ import annotations

import pytest

pytestmark = pytest.mark.usefixtures("kept_hands")


@pytest.fixture
def place(person) -> str:
    return person.fill("/projects", example="toy", records="200")["go"].removesuffix("/data")


def said(person, place, *words):
    return person.bench.projects.get(place.split("/")[2]).variant.part("microdata", *words)


def test_lights_tell_what_holds_and_what_fails(person, place):
    form = person.shown(f"{place}/requirements/form?variant=0&method=uniqueness")
    assert 'name="at_most"' in form
    person.fill(f"{place}/requirements", variant="0", method="uniqueness", at_most="1")
    person.fill(f"{place}/requirements", variant="1", method="k_anonymity", **{"p:k": "5"})
    assert said(person, place, "require") == [
        {"uniqueness": {"at_most": 1}},
        {"k_anonymity": {"k": 5}},
    ]
    lights = person.shown(f"{place}/requirements/2")
    assert lights.count('class="light holds"') == 1
    assert lights.count('class="light fails"') == 1
    assert lights.index("light holds") < lights.index("light fails")
    assert "k_anonymity (k 5)" in person.get(f"{place}/protect").text
    person.fill(f"{place}/requirements/remove", variant="2", at="1")
    assert 'class="light fails"' not in person.shown(f"{place}/requirements/3")


def test_a_requirement_is_edited_in_its_place(person, place):
    person.fill(f"{place}/requirements", variant="0", method="uniqueness", at_most="1e-3")
    person.fill(f"{place}/requirements", variant="1", method="k_anonymity", **{"p:k": "5"})
    form = person.shown(f"{place}/requirements/form?variant=2&place=0")
    assert 'name="at_most" inputmode="decimal" autocomplete="off" value="0.001"' in form
    assert "Keep the change" in form
    person.fill(f"{place}/requirements", variant="2", at="0", method="uniqueness", at_most="0.5")
    form = person.shown(f"{place}/requirements/form?variant=3&place=1")
    assert 'id="required-p-k"' in form  # told from the same field of a step on the page
    person.fill(f"{place}/requirements", variant="3", at="1", method="k_anonymity", **{"p:k": "3"})
    assert said(person, place, "require") == [
        {"uniqueness": {"at_most": 0.5}},
        {"k_anonymity": {"k": 3}},
    ]
    assert "There is no such requirement" in person.shown(
        f"{place}/requirements/form?variant=0&place=0"
    )


def test_a_profile_adds_its_requirements_and_what_it_needs(person, place):
    person.fill(f"{place}/requirements/profile", variant="0", profile="public_use_file")
    assert said(person, place, "profile") == "public_use_file"
    lights = person.shown(f"{place}/requirements/1")
    assert "needs `shuffle_records`" in lights
    person.fill(f"{place}/requirements/profile", variant="1", profile="")
    assert said(person, place) == {}


@pytest.mark.parametrize(
    ("room", "form", "sentence"),
    [
        ("", {"method": "uniqueness"}, "say `at_most` or `at_least`"),
        ("", {"method": "k_anonymity", "at_most": "1", "p:k": "2"}, "takes no bound"),
        ("", {"method": "sample"}, "of the family masking"),
        ("/remove", {"at": "0"}, "no longer there"),
        ("/profile", {"profile": "nobody"}, "There is no profile"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(person, place, room, form, sentence):
    reply = person.fill(f"{place}/requirements{room}", variant="0", **form)
    assert reply["status"] == 400
    assert sentence in reply["detail"]
    assert said(person, place) is None

from __future__ import annotations

import re

import pytest
import yaml

from tacita.app.hierarchies import filled_in, said_in
from tacita.errors import ParameterError

pytestmark = pytest.mark.usefixtures("kept_hands")


@pytest.fixture
def place(person) -> str:
    (person.bench.workplace.folder / "people.csv").write_text(
        "name,zip,age,income\n"
        + "".join(f"P{i},941{i:02},{20 + i},{1000 * i}\n" for i in range(40))
    )
    place = person.fill("/projects", file="people.csv")["go"].removesuffix("/data") + "/roles"
    assert "Take all proposals" in person.shown(f"{place}/attributes")
    return place


def plan_of(person, place: str) -> dict:
    return yaml.safe_load(person.get(place.removesuffix("/roles") + "/plan.yaml").text)


def test_proposals_are_taken_and_roles_edited(person, place):
    assert person.fill(f"{place}/proposed")["status"] == 200
    said = plan_of(person, place)["data"]["attributes"]
    assert said["name"]["role"] == "identifier"
    assert said["zip"]["role"] == "key"
    names = ["name", "zip", "age", "income"]
    roles = {"role 0": "identifier", "role 1": "key", "role 2": "key", "role 3": "confidential"}
    kinds = {"kind 2": "continuous"}
    sent = person.fill(place, variant="1", name=names, **roles, **kinds)
    assert sent["status"] == 200
    said = plan_of(person, place)["data"]["attributes"]
    assert said["income"] == {"role": "confidential"}
    assert said["age"]["kind"] == "continuous"
    assert "selected>key" in person.shown(f"{place}/attributes")


def test_an_attribute_keeps_all_its_roles_when_nothing_is_changed(person, place):
    both = {"zip": {"role": ["key", "stratum"]}}
    projects = person.bench.projects
    name = place.split("/")[2]
    plan = projects.get(name).variant.plan
    projects.change(name, {**plan, "data": {**plan["data"], "attributes": both}}, "two roles")
    shown = person.shown(f"{place}/attributes")
    row = shown.split('value="zip"')[1].split("</tr>")[0]
    chosen = re.findall(r'<option value="(\w+)" selected>', row)
    assert chosen == ["key", "stratum"]
    assert "Another role of zip" in row
    person.fill(place, variant="1", name=["zip"], **{"role 0": [*chosen, ""]})
    assert plan_of(person, place)["data"]["attributes"] == both


def test_what_only_ordinal_attributes_have_goes_with_their_kind(person, place):
    values = {"order": "20\n30", "missing": "999\n998", "separator": ""}
    assert person.fill(f"{place}/values/2", variant="0", **values)["go"].endswith("/roles")
    age = plan_of(person, place)["data"]["attributes"]["age"]
    assert age == {"order": ["20", "30"], "missing": ["999", "998"], "kind": "ordinal"}
    page = person.get(f"{place}/hierarchy/2").text
    assert ">20\n30</textarea>" in page
    person.fill(place, variant="1", name=["age"], **{"role 0": "key", "kind 0": "continuous"})
    age = plan_of(person, place)["data"]["attributes"]["age"]
    assert age == {"missing": ["999", "998"], "kind": "continuous", "role": "key"}
    assert "distinct value" in person.shown(f"{place}/hierarchy/2/values")


def test_a_proposed_hierarchy_is_filled_in_and_the_values_are_shown(person, place):
    page = person.get(f"{place}/hierarchy/1").text
    assert "Proposed, and not kept yet" in page
    assert '<option value="prefix" selected>' in page
    values = person.shown(f"{place}/hierarchy/1/values")
    assert "40 distinct values" in values
    assert '<td>94100</td><td class="number">1</td>' in values
    person.fill(f"{place}/hierarchy/1", variant="0", way="prefix", prefix="5")
    assert "Proposed, and not kept yet" not in person.get(f"{place}/hierarchy/1").text
    assert "left at each level: 40, 4," in person.shown(f"{place}/hierarchy/1/values")


def test_a_change_from_a_page_that_was_left_open_begins_a_branch(person, place):
    person.fill(f"{place}/hierarchy/1", variant="0", way="prefix", prefix="5")
    person.fill(f"{place}/hierarchy/2", variant="0", way="intervals", intervals="5, 10")
    project = person.bench.projects.get(place.split("/")[2])
    assert [one.parent for one in project.variants] == [None, 0, 0]
    assert list(project.variant.part("data", "attributes")) == ["age"]


def test_a_role_that_cannot_be_is_refused_in_a_sentence(person, place):
    reply = person.fill(place, variant="0", name=["age"], **{"kind 0": "strange"})
    assert reply["status"] == 400
    assert "strange" in reply["detail"]


def test_a_hierarchy_is_tried_and_kept(person, place):
    tried = person.fill(f"{place}/hierarchy/1/try", way="prefix", prefix="5")
    shown = person.shown(tried["load"])
    assert "9410*" in shown
    assert person.fill(f"{place}/hierarchy/1", way="prefix", prefix="5")["go"].endswith("/roles")
    assert plan_of(person, place)["data"]["attributes"]["zip"] == {"hierarchy": {"prefix": 5}}
    assert 'value="5"' in person.get(f"{place}/hierarchy/1").text
    assert person.fill(f"{place}/hierarchy/1", way="")["status"] == 200
    assert "zip" not in (plan_of(person, place)["data"]["attributes"] or {}) or (
        "hierarchy" not in plan_of(person, place)["data"]["attributes"]["zip"]
    )


def test_a_hierarchy_of_another_folder_is_not_read(person, place):
    reply = person.fill(f"{place}/hierarchy/1/try", way="written", written="file: /etc/passwd")
    assert reply["status"] == 400
    assert "is not in the folder" in reply["detail"]


SAID = [
    {"prefix": 5},
    {"intervals": {"widths": [5, 10], "start": 1}},
    {"cuts": [[20, 30, 65], [30]]},
    {"tree": {"*": {"north": ["a", "b"], "south": ["c"]}}},
    {"dates": ["month", "year"]},
    {"quantiles": 3},
    {"tree": {"all": {"north": ["a"], "south": {"deep": ["b"]}}}},
    {"tree": {"*": {"north": ["a, b"], "south: far": ["c"]}}},
    {"tree": {"*": {"west": {"coast": ["a"], "hills": ["b", "c"]}, "east": {"plain": ["d"]}}}},
    {"tree": {"*": {"west > far": ["a"]}}},
    {"tree": {"Country": {"Coast": ["Harbour"], "Inland": ["Hills"]}}},
    {"tree": {"*": ["a", "b"]}},
    {"file": "regions.hrc"},
]


@pytest.mark.parametrize("said", SAID, ids=str)
def test_what_is_shown_and_sent_back_is_the_same_hierarchy(said):
    way, texts = said_in(said)
    assert filled_in({"way": [way], **{name: [text] for name, text in texts.items()}}) == said


def test_groups_that_contradict_each_other_are_refused():
    for text in ("north: a\nnorth: b", "north: a\nnorth > far: b"):
        with pytest.raises(ParameterError, match=r"The group .*north"):
            filled_in({"way": ["groups"], "groups": [text]})


def test_no_hierarchy_is_none():
    assert said_in(None) == ("", {})
    assert filled_in({"way": [""]}) is None


@pytest.mark.parametrize(
    "form",
    [
        {"way": ["strange"]},
        {"way": ["prefix"], "prefix": ["five"]},
        {"way": ["groups"], "groups": ["north"]},
        {"way": ["groups"], "groups": ["> north: a"]},
        {"way": ["written"], "written": ["[1"]},
        {"way": ["intervals"], "intervals": ["true"]},
    ],
)
def test_what_cannot_be_read_is_said(form):
    with pytest.raises(ParameterError, match="Expected"):
        filled_in(form)

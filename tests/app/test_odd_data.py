"""Data that nobody wishes for: every room of microdata shows them, or says in a sentence why not."""

from __future__ import annotations

import pytest
import yaml

pytestmark = pytest.mark.usefixtures("kept_hands")

ODD = {
    "no records": "a,b\n",
    "one record": "a,b\n1,2\n",
    "one attribute": "a\n1\n2\n2\n",
    "all missing": "a,b\n,\n,\n,\n",
    "huge numbers": "n,m\n" + "".join(f"{2**63 - 1 - i},{10**17 + i}\n" for i in range(20)),
    "far numbers": "n\n1.7e308\n-1.7e308\n0\n",
    "dates": "born,seen\n" + "".join(f"19{50 + i}-01-02,2020-05-01 10:00\n" for i in range(20)),
    "odd separators": "a;b\n" + "".join(f"{i},5;x\n" for i in range(20)),
    "odd names": '"a b",_,"ä:{{7*7}}"\n1,2,3\n2,3,4\n',
}
ROOMS = ("data/overview", "data/records", "roles/attributes", "roles/hierarchy/0/values",
         "protect/measures/1", "protect/form?variant=1&method=lattice", "requirements/1",
         "protect/risky/1?by=prosecutor_risk", "intruder/form?variant=1&who=own",
         "map/drawn", "compare/0/1")  # fmt: skip


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_every_room_shows_odd_data_or_says_why_not(person, text):
    (person.bench.workplace.folder / "odd.csv").write_text(text, encoding="utf-8")
    place = person.fill("/projects", file="odd.csv")["go"].removesuffix("/data")
    said = {"data": {"source": "odd.csv", "attributes": {_first(text): "key"}}}
    person.bench.projects.change(place.split("/")[2], said, "a key")
    for room in ROOMS:
        shown = person.shown(f"{place}/{room}")
        assert shown.strip(), room
        assert "went wrong in Tacita itself" not in shown, room
        assert "Traceback" not in shown, room


def _first(text: str) -> str:
    return text.split("\n", 1)[0].replace(";", ",").split(",")[0].strip('"')


def test_very_many_attributes_are_shown_some_at_a_time(person):
    many = 450
    names = [f"c{i}" for i in range(many)]
    rows = [",".join(str((i * j) % 7) for j in range(many)) for i in range(30)]
    (person.bench.workplace.folder / "wide.csv").write_text("\n".join([",".join(names), *rows]))
    place = person.fill("/projects", file="wide.csv")["go"].removesuffix("/data")
    roles = person.shown(f"{place}/roles/attributes")
    assert roles.count('scope="row"') == 200
    assert "Attributes 1 to 200 of 450" in roles
    last = person.shown(f"{place}/roles/attributes?first=400")
    assert last.count("Role of c") == 50
    assert "/roles/hierarchy/449" in last
    person.fill(f"{place}/roles", variant="0", name=["c449"], **{"role 0": "key"})
    plan = yaml.safe_load(person.get(f"{place}/plan.yaml").text)
    assert plan["data"]["attributes"] == {"c449": {"role": "key"}}
    overview = person.shown(f"{place}/data/overview?first=200")
    assert "Attributes 201 to 400 of 450" in overview
    assert overview.count('class="spark"') == 200
    records = person.shown(f"{place}/data/records")
    assert "the first 200 of 450 attributes" in records
    form = person.shown(f"{place}/protect/form?variant=1&method=add_noise")
    assert 'name="p:attributes:lines"' in form
    own = person.shown(f"{place}/intruder/form?variant=1&who=own")
    assert own.count('name="held"') == 200
    assert own.index("c449") < own.index("c0")  # keys stand first


def test_the_map_says_why_a_variant_has_no_point(person):
    (person.bench.workplace.folder / "a.csv").write_text("a,b\n1,2\n3,4\n")
    place = person.fill("/projects", file="a.csv")["go"].removesuffix("/data")
    shown = person.shown(f"{place}/map/drawn")
    assert "Variant 0 (opened) is not on the map: No attribute has the role `key`" in shown
    page = person.get(f"{place}/map?risk=uniqueness&loss=suppression").text
    assert '<option value="uniqueness" selected>' in page
    assert '<option value="suppression" selected>' in page
    assert "drawn?risk=uniqueness&amp;loss=suppression" in page
    assert person.get(f"{place}/map?risk=none").status_code == 404

from __future__ import annotations

import csv
import html
import io
import itertools
import json
import re
import threading
import zipfile
from collections.abc import Iterator

import pyarrow as pa
import pytest
import yaml
from tests.app.conftest import Person

import tacita as ta
from tacita.app.exports import EXPORTS
from tacita.app.running import ready
from tacita.app.tables import added, asked_of, defined, has_way, table_at, with_table, with_way
from tacita.app.workplace import Workplace
from tacita.errors import InputError, ParameterError
from tacita.method import TableKind
from tacita.registry import family
from tacita.release.table_comparison import compare_ways

REGIONS, SECTORS = ("east", "north", "south", "west"), ("farming", "mining", "trade")
HEADS = ("firm", "holding", "region", "sector", "pay")
LARGE = {5: 40_000, 18: 52_000}  # what these firms pay tells their cells
RECORDS = [
    (f"F{n}", f"H{n * 7 % 19}", REGIONS[n % 4], SECTORS[n % 3], LARGE.get(n, 400 + 37 * n % 211))
    for n in range(96)
]
CELL = re.compile(
    r'data-row="(\d+)" data-tip="([^"]*)">(?:<span class="mark"[^>]*>([^<]*)</span>)?([^<]*)'
)


@pytest.fixture(scope="module")
def person(tmp_path_factory) -> Iterator[Person]:
    """One workbench for all tests here: its processes are warm after the first."""
    made = ready(Workplace.at(tmp_path_factory.mktemp("tables")))
    thread = threading.Thread(target=made.run)
    thread.start()
    with Person(made) as opened:
        opened.get(f"/?token={made.bench.keys.issue()}")
        yield opened
    made.stop()
    thread.join()


def begun(person, records=RECORDS, heads=HEADS) -> str:
    """Open a file with these records, and return the address of its tables."""
    name = f"firms{len(person.bench.workplace.files())}.csv"
    with (person.bench.workplace.folder / name).open("w", newline="") as file:
        csv.writer(file).writerows([heads, *records])
    return person.fill("/projects", file=name)["go"].removesuffix("/data") + "/tables"


@pytest.fixture
def place(person) -> str:
    """A table of pay by region and sector with a rule, in variant 2."""
    place = begun(person)
    assert person.fill(
        place, variant="0", name="pay", by=["region", "sector"], value="pay", contributor="holding"
    )["go"].endswith("/tables/0")
    assert person.fill(
        f"{place}/0/rules", variant="1", method="p_percent", **{"p:p": "15"}
    )["status"] == 200  # fmt: skip
    return f"{place}/0"


def plan_of(person, place: str) -> dict:
    return yaml.safe_load(person.get(place.partition("/tables")[0] + "/plan.yaml").text)


def cells_in(shown: str) -> dict[str, tuple[int, str, str]]:
    """Return the cells of a grid by their names: row, mark, text."""
    found = {}
    for row, tip, mark, text in CELL.findall(shown):
        name = html.unescape(tip).split("\n")[0].rpartition(": ")[0]
        found[name] = (int(row), mark, text)
    return found


def refused(person, place: str) -> str:
    """Return why a part of a page cannot be shown, once its job is over."""
    job = person.get(place).text.split('data-job="')[1][:12]
    while (told := person.get(f"/jobs/{job}?wait=true").json())["state"] in ("waiting", "running"):
        pass
    assert told["state"] == "failed"
    return told["error"]


def named(region: str, sector: str) -> str:
    told = [f"{word} {code}" for word, code in (("region", region), ("sector", sector)) if code]
    return f"({', '.join(told)})" if told else "(the grand total)"


def test_the_grid_shows_every_sum_and_total(person, place):
    found = cells_in(person.shown(f"{place}/at/2/grid"))
    for region, sector in itertools.product(("", *REGIONS), ("", *SECTORS)):
        behind = [one for one in RECORDS if region in ("", one[2]) and sector in ("", one[3])]
        if behind:
            assert found[named(region, sector)][2] == f"{sum(one[4] for one in behind):,}"
        else:
            assert named(region, sector) not in found


def test_what_the_forms_say_is_a_plan_that_runs(person, place):
    said = plan_of(person, place)
    assert said["tables"] == [
        {
            "name": "pay",
            "value": "pay",
            "contributor": "holding",
            "by": ["region", "sector"],
            "rules": [{"p_percent": {"p": 15}}],
        }
    ]
    data = pa.table(dict(zip(HEADS, zip(*RECORDS, strict=True), strict=True)))
    table = ta.tabulate(data, ["region", "sector"], value="pay", contributor="holding")
    sensitive = table.judge(ta.PPercent(15)).cells.sensitive
    found = cells_in(person.shown(f"{place}/at/2/grid"))
    assert sensitive.any()
    assert {row: bool(mark) for row, mark, _ in found.values()} == dict(
        enumerate(sensitive.tolist())
    )


def test_sensitive_cells_are_marked_in_words_too(person, place):
    shown = person.shown(f"{place}/at/2/grid")
    assert '<span class="hidden"> sensitive</span>' in shown
    assert "by p_percent" in shown


def test_a_reader_sees_nothing_of_suppressed_cells(person, place):
    person.fill(f"{place}/way", variant="2", method="fast_suppression")
    house = person.shown(f"{place}/at/3/grid")
    hidden = [text for _, mark, text in cells_in(house).values() if mark]
    reader = person.shown(f"{place}/at/3/grid?view=reader")
    assert len(hidden) > 1
    assert reader.count(">x<span") == len(hidden)
    assert "data-tip" not in reader
    shown = [text for _, mark, text in cells_in(house).values() if not mark]
    assert all(f">{text}<" in reader for text in shown)
    assert all(f">{text}<" not in reader for text in set(hidden) - set(shown))


def test_a_cell_tells_its_contributions_by_its_row(person, place):
    found = cells_in(person.shown(f"{place}/at/2/grid"))
    row = found[named("north", "")][0]
    told = person.shown(f"{place}/at/2/cell/{row}")
    holdings: dict[str, int] = {}
    for _, holding, region, _, pay in RECORDS:
        if region == "north":
            holdings[holding] = holdings.get(holding, 0) + pay
    largest = sorted(holdings.values(), reverse=True)
    shown = re.findall(r'<tr><td>\d</td><td class="number">([\d,]+)</td>', told)
    assert shown == [f"{one:,}" for one in largest[:3]]
    assert f"<dd>{len(holdings)}</dd>" in told
    who = person.shown(f"{place}/at/2/contributors/{row}")
    rows = re.findall(r'<tr><td>([^<]+)</td><td class="number">([\d,]+)</td>', who)
    assert {name: int(size.replace(",", "")) for name, size in rows} == holdings
    assert [int(size.replace(",", "")) for _, size in rows] == largest


def test_without_holdings_records_contribute(person):
    place = begun(person)
    person.fill(place, variant="0", name="heads", by=["region"])
    person.fill(place, variant="1", name="pays", by=["region"], value="pay")
    who = person.shown(f"{place}/1/at/2/contributors/2")
    north = [(number + 1, one[4]) for number, one in enumerate(RECORDS) if one[2] == "north"]
    rows = re.findall(r'<tr><td>(\d+)</td><td class="number">([\d,]+)</td>', who)
    assert [(int(a), int(b.replace(",", ""))) for a, b in rows] == sorted(
        north, key=lambda one: -one[1]
    )
    assert person.shown(f"{place}/0/at/2/contributors/2").count('class="number">1<') == len(north)


def test_the_audit_says_what_the_audit_of_the_table_says(person, place):
    before = person.shown(f"{place}/at/2/audit")
    data = pa.table(dict(zip(HEADS, zip(*RECORDS, strict=True), strict=True)))
    judged = ta.tabulate(
        data, ["region", "sector"], value="pay", contributor="holding", name="pay"
    ).judge(ta.PPercent(15))
    assert before.count('verdict fails">disclosed') == judged.audit().exact_disclosed.size > 0
    person.fill(f"{place}/way", variant="2", method="fast_suppression")
    after = person.shown(f"{place}/at/3/audit")
    protected = judged.protect("fast_suppression")
    assert "all" in after
    assert "fails" not in after.split("<div")[0]
    for one in protected.audit().to_dict()["cells"]:
        row = after.split(f">{html.escape(one['name'])}<")[1].split("</tr>")[0]
        assert f'<td class="number">{one["lower"]:,.0f}</td>' in row
        assert f'<td class="number">{one["upper"]:,.0f}</td>' in row


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("fast_suppression", {}),
        ("optimal_suppression", {"p:time_limit": "20"}),
        ("random_rounding", {"p:base": "10"}),
        ("interval_publication", {}),
    ],
)
def test_what_is_exported_is_what_a_release_writes(person, place, method, parameters):
    assert person.fill(f"{place}/way", variant="2", method=method, **parameters)["status"] == 200
    taken = exported(person, place, 3, "csv")
    project = place.partition("/tables")[0]
    load = person.fill(f"{project}/release", variant="3", name=method, force="yes")["load"]
    assert "Released" in person.shown(load)
    written = person.bench.workplace.folder / f"releases/{method}/public/tables/pay.csv"
    assert taken == written.read_bytes()


def exported(person, place: str, number: int, word: str) -> bytes:
    sent = person.fill(f"{place}/at/{number}/export", export=word)
    assert "is ready" in person.shown(sent["load"])
    taken = person.get(f"{sent['load']}?take=true")
    assert "attachment" in taken.headers["content-disposition"]
    return taken.content


def test_every_file_can_be_taken_and_only_those_of_the_house_tell_all(person, place):
    person.fill(f"{place}/way", variant="2", method="fast_suppression")
    found = cells_in(person.shown(f"{place}/at/3/grid"))
    shown = {text for _, mark, text in found.values() if not mark}
    hidden = {text for _, mark, text in found.values() if mark and len(text) > 2} - shown
    assert hidden
    for word, export in EXPORTS.items():
        content = exported(person, place, 3, word)
        if content.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(content)) as packed:
                content = b"\n".join(packed.read(name) for name in packed.namelist())
        numbers = set(re.findall(r"[\d,]+", content.decode()))
        numbers |= {f"{int(one):,}" for one in re.findall(r"\d+", content.decode())}
        assert hidden.isdisjoint(numbers) if export.is_public else hidden <= numbers


def test_all_tables_are_protected_in_one_run(person, place):
    room = place.removesuffix("/0")
    person.fill(room, variant="2", name="heads", by=["region"])
    sent = person.fill(f"{room}/1/way", variant="3", method="hypercube_suppression")
    assert sent["status"] == 200
    ways = [one["protect"] for one in plan_of(person, place)["tables"]]
    assert ways == [{"hypercube_suppression": {}}] * 2
    person.fill(room, variant="4", name="third", by=["sector"], value="pay")
    assert plan_of(person, place)["tables"][2]["protect"] == {"hypercube_suppression": {}}
    sent = person.fill(
        f"{room}/0/way", variant="5", method="controlled_rounding", **{"p:base": "5"}
    )
    assert all(
        "protect" not in one and one["perturb"] == {"controlled_rounding": {"base": 5}}
        for one in plan_of(person, place)["tables"]
    )
    person.fill(f"{room}/0/way", variant="6", method="")
    assert not has_way(plan_of(person, place))


def test_ways_are_compared_shown_and_used(person, place):
    person.fill(f"{place}/compare", variant="2", method="fast_suppression")
    person.fill(f"{place}/compare", variant="3", method="hypercube_suppression")
    person.fill(f"{place}/compare", variant="4", method="controlled_rounding", **{"p:base": "100"})
    shown = person.shown(f"{place}/at/5/compared")
    assert shown.count("Show the pattern") == 3
    data = pa.table(dict(zip(HEADS, zip(*RECORDS, strict=True), strict=True)))
    judged = ta.tabulate(data, ["region", "sector"], value="pay", contributor="holding").judge(
        ta.PPercent(15)
    )
    for way in ("fast_suppression", "hypercube_suppression"):
        made = judged.protect(way)
        row = shown.split(f". {way}")[1].split("</tr>")[0]
        numbers = re.findall(r'<td class="number">([\d,]+)', row)
        assert numbers[:2] == [
            str(int(made.cells.suppressed.sum())), str(made.suppression.secondary.size)
        ]  # fmt: skip
        assert numbers[2] == f"{made.suppression.cost:,.0f}"
    tried = cells_in(person.shown(f"{place}/at/5/grid?tried=1"))
    pattern = judged.protect("hypercube_suppression").cells.suppressed
    assert {row: bool(mark) for row, mark, _ in tried.values()} == dict(enumerate(pattern.tolist()))
    assert "The pattern of way 2" in person.shown(f"{place}/at/5/grid?tried=1")
    person.fill(f"{place}/compared/1/use", variant="5")
    assert plan_of(person, place)["tables"][0]["protect"] == {"hypercube_suppression": {}}


def test_a_way_that_does_not_fit_says_so_in_the_comparison(person):
    place = begun(person)
    person.fill(place, variant="0", name="heads", by=["region"])
    person.fill(f"{place}/0/rules", variant="1", method="minimum_frequency", **{"p:n": "3"})
    person.fill(f"{place}/0/compare", variant="2", method="cell_key_counts")
    assert "record keys" in person.shown(f"{place}/0/at/3/compared")


def test_a_cell_is_suppressed_by_hand_and_shown_again(person, place):
    found = cells_in(person.shown(f"{place}/at/2/grid"))
    row = next(row for name, (row, mark, _) in found.items() if not mark and "south" in name)
    refused = person.fill(f"{place}/suppress", variant="2", row=str(row))
    assert refused["status"] == 400
    person.shown(f"{place}/at/2/cell/{row}?stage=judged")
    assert person.fill(f"{place}/suppress", variant="2", row=str(row))["status"] == 200
    assert plan_of(person, place)["tables"][0]["suppress"][0]["region"] == "south"
    again = cells_in(person.shown(f"{place}/at/3/grid"))
    assert next(mark for one, mark, _ in again.values() if one == row)
    assert person.fill(f"{place}/suppress/remove", variant="3", number="0")["status"] == 200
    assert "suppress" not in plan_of(person, place)["tables"][0]


def test_requirements_are_judged_with_the_audit(person, place):
    sent = person.fill(f"{place}/require", variant="2", method="suppressed_cells", at_most="0.01")
    assert sent["status"] == 200
    assert plan_of(person, place)["tables"][0]["require"] == [
        {"suppressed_cells": {"at_most": 0.01}}
    ]
    person.fill(f"{place}/way", variant="3", method="fast_suppression")
    lights = person.shown(f"{place}/at/4/audit").split("</ul>")[0]
    assert lights.count("<li>") == 2
    wrong = person.fill(f"{place}/require", variant="4", method="suppressed_cells", at_most="few")
    assert "should be a number" in wrong["detail"]


def test_more_attributes_are_chosen_by_their_places(person):
    records = [(*one, f"y{number // 48}") for number, one in enumerate(RECORDS)]
    place = begun(person, records, ("firm", "holding", "region", "sector", "pay", "year"))
    person.fill(place, variant="0", name="pay", by=["region", "sector", "year"], value="pay")
    shown = person.shown(f"{place}/0/at/1/grid?down=2&across=1&outer=3.0.0")
    south = [one for one in records if one[2] == "south"]
    found = cells_in(shown)
    assert found["(region south)"][2] == f"{sum(one[4] for one in south):,}"
    assert found["(region south, year y1)"][2] == (
        f"{sum(one[4] for one in south if one[5] == 'y1'):,}"
    )
    assert "selected>\u2007\u2007south" in shown
    same = refused(person, f"{place}/0/at/1/grid?down=1&across=1")
    assert "two different attributes" in same
    assert person.get(f"{place}/0/at/1/grid?outer=north").status_code == 404


def test_large_tables_are_shown_in_parts(person):
    records = [(f"F{n}", "H", f"r{n % 250:03}", f"s{n % 30:02}", n + 1) for n in range(2000)]
    place = begun(person, records)
    person.fill(place, variant="0", name="pay", by=["region", "sector"], value="pay")
    first = person.shown(f"{place}/0/at/1/grid")
    assert first.count('<th scope="row"') == 100
    assert first.count('<th scope="col"') == 20
    last = person.shown(f"{place}/0/at/1/grid?first=200&start=20")
    assert last.count('<th scope="row"') == 51
    assert last.count('<th scope="col"') == 11
    rows = {row for row, _, _ in cells_in(first).values()}
    assert rows.isdisjoint(row for row, _, _ in cells_in(last).values())


def test_hostile_names_and_values_are_text(person):
    evil = "<script>alert(1)</script>"
    records = [(one[0], one[1], f"{evil}{one[2]}", one[3], one[4]) for one in RECORDS]
    place = begun(person, records, ("firm", "holding", f"region{evil}", "sector", "pay"))
    person.fill(place, variant="0", name="pay", by=[f"region{evil}", "sector"], value="pay")
    person.fill(f"{place}/0/rules", variant="1", method="p_percent", **{"p:p": "15"})
    for part in ("at/2/grid", "at/2/cell/3", "at/2/audit", "form", "at/2/contributors/3"):
        shown = person.shown(f"{place}/0/{part}")
        assert evil not in shown
    assert evil not in person.get(f"{place}/0").text
    assert "&lt;script&gt;" in person.shown(f"{place}/0/at/2/grid")


def test_what_cannot_be_is_refused_in_a_sentence(person, place):
    room = place.removesuffix("/0")
    assert "spans the table" in person.fill(room, variant="2", name="t", by=[])["detail"]
    assert "`name`" in person.fill(room, variant="2", name="", by=["region"])["detail"]
    assert "two tables" in person.fill(room, variant="2", name="pay", by=["region"])["detail"]
    assert "whole number" in person.fill(
        room, variant="2", name="t", by=["region"], largest="two"
    )["detail"]  # fmt: skip
    assert "p_percent" in person.fill(f"{place}/rules", variant="2", method="p_percent")["detail"]
    assert person.fill(f"{place}/rules", variant="2", method="rank_swap")["status"] == 400
    assert person.fill(f"{place}/at/2/export", export="pdf")["status"] == 400
    assert person.fill(f"{place}/strange/remove", variant="2", number="0")["status"] == 400
    assert person.fill(f"{place}/rules/remove", variant="2", number="7")["status"] == 400
    assert person.get(f"{place}/at/2/compared").status_code == 404
    outside = person.fill(room, variant="2", name="t", by=["region"], given="/etc/passwd")
    assert "is not in the folder" in outside["detail"]
    assert len(plan_of(person, place)["tables"]) == 1


def test_an_undone_table_leads_back_to_the_others(person, place):
    project = place.partition("/tables")[0]
    person.post(f"{project}/goto/0", json={})
    assert person.get(place).url.path == place.removesuffix("/0")
    assert person.fill(f"{place}/remove", variant="2")["go"].endswith("/tables")
    assert "tables" not in plan_of(person, place)


def test_the_forms_offer_what_fits(person, place):
    shown = person.get(place).text
    assert 'value="p_percent"' in shown
    assert 'value="group_disclosure"' not in shown  # it is for counts
    assert 'value="cell_key_counts"' not in shown
    assert 'value="controlled_rounding"' in shown
    form = person.shown(f"{place}/form")
    assert 'value="region" checked' in form
    edited = person.fill(
        place, variant="2", name="pay", by=["region"], value="pay", empty="possible",
        formats=["csv", "html"],
    )  # fmt: skip
    assert edited["status"] == 200
    said = plan_of(person, place)["tables"][0]
    assert said["by"] == ["region"]
    assert said["formats"] == ["csv", "html"]
    assert said["rules"] == [{"p_percent": {"p": 15}}]
    assert "contributor" not in said
    rule = person.get(f"{place}/rules/form?method=minimum_frequency").text
    assert "When not to use it" in rule or "What it does" in rule


def current(person, place: str) -> int:
    return person.bench.projects.get(place.split("/")[2]).current


def test_what_stands_in_a_list_is_edited_in_place(person, place):
    person.fill(f"{place}/rules", variant="2", method="minimum_frequency", **{"p:n": "3"})
    form = person.get(f"{place}/rules/form?number=0").text
    assert 'name="number" value="0"' in form
    assert 'value="15"' in form
    kept = person.fill(
        f"{place}/rules", variant="3", number="0", method="p_percent", **{"p:p": "20"}
    )
    assert kept["status"] == 200
    assert plan_of(person, place)["tables"][0]["rules"] == [
        {"p_percent": {"p": 20}}, {"minimum_frequency": {"n": 3}},
    ]  # fmt: skip
    person.fill(f"{place}/require", variant="4", method="suppressed_cells", at_most="0.1")
    assert 'value="0.1"' in person.get(f"{place}/require/form?number=0").text
    person.fill(f"{place}/require", variant="5", number="0", method="suppressed_cells", at_most="1")
    person.fill(f"{place}/compare", variant="6", method="controlled_rounding", **{"p:base": "5"})
    assert 'value="5"' in person.get(f"{place}/compare/form?number=0").text
    person.fill(
        f"{place}/compare", variant="7", number="0", method="controlled_rounding", **{"p:base": "9"}
    )
    said = plan_of(person, place)["tables"][0]
    assert said["require"] == [{"suppressed_cells": {"at_most": 1.0}}]
    assert said["compare"] == [{"controlled_rounding": {"base": 9}}]
    person.fill(f"{place}/way", variant="8", method="random_rounding", **{"p:base": "10"})
    assert 'value="10"' in person.get(f"{place}/way/form?number=0").text
    lost = person.fill(
        f"{place}/rules", variant="9", number="5", method="p_percent", **{"p:p": "1"}
    )
    assert lost["status"] == 400
    assert person.get(f"{place}/rules/form?number=7").status_code == 404


@pytest.mark.parametrize("value", ["pay", ""])
def test_every_way_is_chosen_with_its_example_audited_exported_and_compared(person, value):
    records = [(*one, n * 0.618 % 1) for n, one in enumerate(RECORDS) if n % 24 != 9]
    place = begun(person, records, (*HEADS, "key"))
    person.fill(place, variant="0", name="t", by=["region", "sector"], value=value, keys="key")
    rule = {"method": "minimum_frequency", "p:n": "5"}
    assert person.fill(f"{place}/0/rules", variant="1", **rule)["status"] == 200
    kind = TableKind.MAGNITUDE if value else TableKind.FREQUENCY
    ways = {
        name: way
        for name, way in (family("protection") | family("perturbation")).items()
        if kind in way.applies_to
    }
    compared = 2
    for name, way in ways.items():
        said = {f"p:{word}": str(one) for word, one in way.example.items()}
        if name == "private_noise" and value:
            said |= {"p:largest_contribution": "60000"}
        assert person.fill(f"{place}/0/way", variant="2", method=name, **said)["status"] == 200
        number = current(person, place)
        assert "<table" in person.shown(f"{place}/0/at/{number}/grid")
        assert "<table" in person.shown(f"{place}/0/at/{number}/grid?view=reader")
        assert 'class="lights"' in person.shown(f"{place}/0/at/{number}/audit")
        assert b"region" in exported(person, f"{place}/0", number, "csv")
        person.post(f"{place.removesuffix('/tables')}/undo", json={})
        assert current(person, place) == 2
        assert not has_way(plan_of(person, place))
        person.fill(f"{place}/0/compare", variant=str(compared), method=name, **said)
        compared = current(person, place)
        person.post(f"{place.removesuffix('/tables')}/goto/2", json={})
    shown = person.shown(f"{place}/0/at/{compared}/compared")
    assert shown.count("Show the pattern") == len(ways)


def test_requests_for_protection_are_said_in_codes_of_their_own(person):
    records = [(*one, "yes" if n == 5 else "no") for n, one in enumerate(RECORDS)]
    place = begun(person, records, (*HEADS, "asked"))
    said = {"name": "pay", "by": ["region"], "value": "pay", "request": "asked"}
    person.fill(place, variant="0", **said)
    person.fill(f"{place}/0/rules", variant="1", method="request_rule", **{"p:first": "10"})
    assert "Say the codes as `request_codes`" in refused(person, f"{place}/0/at/2/grid")
    kept = person.fill(f"{place}/0", variant="2", **said, request_codes="yes")
    assert kept["status"] == 200, kept
    assert plan_of(person, place)["tables"][0]["request_codes"] == ["yes"]
    found = cells_in(person.shown(f"{place}/0/at/3/grid"))
    assert {name for name, (_, mark, _) in found.items() if mark} == {
        "(the grand total)", f"(region {RECORDS[5][2]})",
    }  # fmt: skip
    assert 'value="yes"' in person.shown(f"{place}/0/form")


def test_compared_ways_are_drawn_each_with_its_place(person, place):
    ways: dict[str, dict[str, str]] = {
        "cell_key_magnitudes": {"p:share": "0.1"},
        "fast_suppression": {},
        "random_rounding": {"p:base": "50"},
    }
    for number, (way, said) in enumerate(ways.items()):
        person.fill(f"{place}/compare", variant=str(2 + number), method=way, **said)
    shown = person.shown(f"{place}/at/5/compared")
    assert "record keys" in shown  # the first way cannot be tried, and is not drawn
    drawn = json.loads(shown.split('<script type="application/json">')[1].split("</script>")[0])
    points = {one["place"]: one for one in drawn["data"]["values"]}
    assert set(points) == {1, 2}
    data = pa.table(dict(zip(HEADS, zip(*RECORDS, strict=True), strict=True)))
    judged = ta.tabulate(data, ["region", "sector"], value="pay", contributor="holding").judge(
        ta.PPercent(15)
    )
    (alone,) = compare_ways(judged, ["fast_suppression"])
    assert (points[1]["risk"], points[1]["loss"]) == pytest.approx((alone.risk, alone.loss))
    assert points[1]["risk"] == 0
    assert points[2]["loss"] < points[1]["loss"]
    assert shown.count('aria-label="on the front"') == sum(one["front"] for one in points.values())


def test_a_protected_table_does_not_wait_behind_long_work(person, place):
    """After a restart every page of it is made anew, whatever else runs for minutes."""
    person.fill(f"{place}/way", variant="2", method="fast_suppression")
    jobs, projects = person.bench.jobs, person.bench.projects
    long = []
    for more in range(8):
        plan = {"data": {"example": {"patients": 3_000_000 + more}}}
        large = projects.begin("large", plan, "made")
        long.append(jobs.ask(large, large.variant, "overview", "Reading", lane="long"))
    assert "td class=" in person.shown(f"{place}/at/3/grid")
    assert not jobs.get(long[-1].identifier).is_over
    for job in long:
        jobs.stop(job.identifier)


def test_waivers_and_rolling_up_are_said_in_the_form(person):
    place = begun(person)
    folder = person.bench.workplace.folder
    (folder / "waivers.csv").write_text("contributor,signed,document\nH5,2020-01-01,letter 7\n")
    said = {"name": "pay", "by": ["region", "sector"], "value": "pay", "contributor": "holding"}
    person.fill(place, variant="0", **said)
    rule = {"method": "p_percent", "p:p": "15"}
    person.fill(f"{place}/0/rules", variant="1", **rule)
    waived = {"waivers-file": "waivers.csv", "waivers-on": "2026-01-31"}
    rolled = {"rolled": "value", "rolled:sector": "kept", "rolled:gone": "level"}
    kept = person.fill(f"{place}/0", variant="2", **said, **waived, **rolled)
    assert kept["status"] == 200, kept
    told = plan_of(person, place)["tables"][0]
    assert told["waivers"] == {"file": "waivers.csv", "on": "2026-01-31"}
    assert told["roll_up"] == {"loss": "value", "allowed": {"sector": "kept"}}
    assert told["rules"] == [{"p_percent": {"p": 15}}]
    assert "<table" in person.shown(f"{place}/0/at/3/grid")
    (folder / "waivers.csv").write_text("contributor,signed,document\n")
    assert 'data-job="' in person.get(f"{place}/0/at/3/grid").text  # it is made anew
    form = person.shown(f"{place}/0/form")
    assert 'value="waivers.csv"' in form
    assert 'value="2026-01-31"' in form
    assert '<option value="value" selected>' in form
    assert '<option value="kept" selected>' in form
    without = person.fill(f"{place}/0", variant="3", **said)
    assert without["status"] == 200
    assert not {"waivers", "roll_up"} & set(plan_of(person, place)["tables"][0])
    wrong = person.fill(f"{place}/0", variant="4", **said, **{"waivers-on": "2026-01-31"})
    assert "in a file of the folder" in wrong["detail"]


# -- the part of a plan ----------------------------------------------------------------------------

PLAN = {"data": {"source": "a.csv"}, "tables": [{"name": "a", "by": ["x"], "protect": "b"}]}


def test_a_new_table_is_protected_like_the_others():
    assert added(PLAN, {"name": "c", "by": ["y"]})["tables"][1]["protect"] == "b"
    assert added({"data": {}}, {"name": "c", "by": ["y"]})["tables"] == [{"name": "c", "by": ["y"]}]


def test_what_a_plan_says_is_not_changed_in_place():
    before = repr(PLAN)
    with_way(PLAN, {"controlled_rounding": {"base": 5}})
    with_table(PLAN, 0, {"name": "z", "by": ["x"], "value": None})
    assert repr(PLAN) == before


def test_what_was_said_of_rules_stays():
    said = defined({"name": ["b"], "by": ["x", "y"]}, {"rules": ["r"], "value": "v"})
    assert said == {"name": "b", "by": ["x", "y"], "rules": ["r"]}


def test_other_tables_are_no_other_question_before_protection():
    more = added(PLAN, {"name": "c", "by": ["y"]})
    asked = [asked_of(plan, 0, "judged", "table_grid", "") for plan in (PLAN, more)]
    assert asked[0] == asked[1]
    asked = [asked_of(plan, 0, "protected", "table_grid", "") for plan in (PLAN, more)]
    assert asked[0] != asked[1]


def test_a_place_without_a_table_is_refused():
    with pytest.raises(InputError, match="no such table"):
        table_at(PLAN, 1)
    with pytest.raises(InputError, match="no longer compared"):
        asked_of(PLAN, 0, "protected", "table_grid", "", tried=0)


def test_a_way_is_one_of_the_ways():
    with pytest.raises(ParameterError):
        with_way(PLAN, {"rank_swap": {}})

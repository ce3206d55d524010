"""Waivers in plans: cells shown by consent, recorded for the house, and told to nobody else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import tacita as ta
from tacita.errors import TacitaError
from tacita.release.plan import read_plan
from tacita.release.verify import Status

# The one firm of (north, fish) is sensitive; Acme & Co., the largest of (south, coal), too.
FIRMS = """\
region,trade,turnover,firm
north,fish,60013,Zenobia
north,coal,30017,b
north,coal,30029,c
north,coal,30047,d
south,fish,50021,h
south,fish,50033,i
south,fish,50047,j
south,coal,940009,Acme & Co.
south,coal,1013,l
south,coal,1037,m
south,coal,1049,n
"""
WAIVERS = """\
contributor,signed,document,expires,cell
Zenobia,2025-03-31,letter 1717,,
Acme & Co.,2025-04-01,letter 1718,,
Zenobia,2024-01-01,letter 1719,2024-12-31,
h,2025-01-01,letter 1720,,region=south; trade=corn
"""
PLAN = """\
data:
  source: firms.csv
  attributes: {firm: identifier, region: key, turnover: confidential}
tables:
  - name: turnover
    by: [region, trade]
    value: turnover
    rules: [{p_percent: 10}]
"""
ASKED = "    waivers: {file: waivers.csv, on: 2026-01-31, identity: firm}\n"
SECRET = ("Zenobia", "Acme", "letter 17", "1717", "1718", "waivers.csv", "2026-01-31")


def written(folder: Path, text: str, waivers: str = WAIVERS) -> Path:
    (folder / "firms.csv").write_text(FIRMS)
    (folder / "waivers.csv").write_text(waivers)
    (folder / "plan.yaml").write_text(text)
    return folder / "plan.yaml"


def held(out: Path) -> dict[str, Any]:
    return json.loads((out / "internal/evidence.json").read_text())["tables"]["tables"][0]


def stated(out: Path) -> dict[str, Any]:
    return json.loads((out / "public/statement.json").read_text())["tables"]["tables"][0]


def lines(out: Path) -> dict[str, Status]:
    return {
        line.what: line.status for line in ta.verify(out, source=out.parent / "firms.csv").lines
    }


def texts(file: Path) -> list[str]:
    """Return what stands in a file; of a workbook, in all its parts."""
    if file.suffix == ".xlsx":
        with ZipFile(file) as book:
            return [book.read(name).decode() for name in book.namelist()]
    return [file.read_text()] if file.is_file() and file.suffix != ".pdf" else []


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release whose sensitive cells are shown by consent; its file of waivers is gone."""
    folder = tmp_path_factory.mktemp("waived")
    formats = "    formats: [csv, html, xlsx]\n"
    ta.run(written(folder, PLAN + ASKED + formats), folder / "out", seed=1)
    (folder / "waivers.csv").unlink()
    return folder / "out"


def test_without_waivers_nothing_is_released(tmp_path: Path):
    with pytest.raises(TacitaError, match="not protected"):
        ta.run(written(tmp_path, PLAN), tmp_path / "out")


def test_cells_are_shown_by_consent(release: Path):
    rows = pc.read_csv(release / "public/tables/turnover.csv").to_pylist()
    assert {row["status"] for row in rows} == {"shown"}
    house = pq.read_table(release / "internal/tables/turnover.parquet").to_pylist()
    reasons = {(row["region"], row["trade"]): row["reason"] for row in house if row["reason"]}
    assert set(reasons.values()) == {"waiver"}
    assert set(reasons) == {("north", "fish"), ("south", "coal"), ("Total", "coal")}


def test_every_use_is_recorded_for_the_house(release: Path):
    uses = {tuple(use["cell"]): use for use in held(release)["waivers"]["uses"]}
    assert uses[("north", "fish")] == {
        "cell": ["north", "fish"],
        "name": "(region north, trade fish)",
        "rules": ["p_percent"],
        "contributors": ["Zenobia"],
        "documents": ["letter 1717"],
        "before": "sensitive",
        "after": "safe",
    }
    assert uses[("south", "coal")]["contributors"] == ["Acme & Co."]
    assert (release / "internal/tables/turnover.waivers.csv").read_text() == WAIVERS


def test_what_does_not_count_is_a_warning_of_the_run(release: Path):
    evidence = json.loads((release / "internal/evidence.json").read_text())
    expired, nowhere = evidence["warnings"]
    assert expired == (
        "Table `turnover`: The waiver of Zenobia (letter 1719) does not count: it expired on "
        "2024-12-31."
    )
    assert "(letter 1720) does not count: its cell is unknown" in nowhere


def test_the_public_is_told_that_waivers_count_and_nothing_of_them(release: Path):
    assert stated(release)["waivers"] is True
    for file in (release / "public").rglob("*"):
        for text in texts(file):
            assert not [word for word in SECRET if word in text], file.name
            assert file.parent.name == "public" or "waiver" not in text, file.name
    report = (release / "public/report.html").read_text()
    assert "who consented is not protected, where that uncovers nobody else" in report
    assert "lowered" not in report


def test_the_statement_is_the_same_whether_any_cell_was_lowered(release: Path, tmp_path: Path):
    """Nobody learns from it whether a cell that is shown needed a consent."""
    plan = written(tmp_path, PLAN + ASKED, WAIVERS.replace("2025-", "2027-"))
    outcome = ta.run(plan, tmp_path / "out", seed=1, force=True)
    assert not outcome.tables.tables[0].made.waived.uses
    assert stated(tmp_path / "out")["waivers"] == stated(release)["waivers"]


def test_the_house_reads_who_consented(release: Path):
    report = (release / "internal/report.html").read_text()
    assert "Waivers that hold on 2026-01-31 lowered 3 cells" in report
    assert "Acme &amp; Co." in report
    assert "letter 1718" in report
    assert "sensitive, now safe" in report


def test_verifying_lowers_the_same_cells_from_the_file_that_is_kept(release: Path):
    found = lines(release)
    assert set(found.values()) == {Status.REDERIVED}
    assert "internal/tables/turnover.waivers.csv" in found


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("Zenobia,2025-03-31", "Zenobia,2026-03-31"),
        lambda text: text.replace("letter 1718", "letter 1799"),
    ],
)
def test_waivers_that_were_changed_afterwards_are_found(release: Path, tmp_path: Path, change):
    shutil.copytree(release, tmp_path / "out")
    shutil.copy(release.parent / "firms.csv", tmp_path)
    file = tmp_path / "out/internal/tables/turnover.waivers.csv"
    file.write_text(change(file.read_text()))
    found = lines(tmp_path / "out")
    assert found["internal/tables/turnover.waivers.csv"] is Status.NOT_PROVEN
    assert found["seal"] is Status.WRONG


def test_consent_and_what_is_given_may_not_contradict(tmp_path: Path):
    (tmp_path / "said.hst").write_text("north;fish;u\n")
    plan = written(tmp_path, PLAN + ASKED + "    given: said.hst\n")
    with pytest.raises(TacitaError, match=r"is given as unsafe, and is to be published \(waiver\)"):
        ta.run(plan, tmp_path / "out", seed=1)


def test_consent_in_one_table_does_not_count_in_another(tmp_path: Path):
    again = "  - {name: again, by: [trade, region], value: turnover, rules: [{p_percent: 10}]}\n"
    with pytest.raises(TacitaError, match="table again: 3 of 3 sensitive cells are not protected"):
        ta.run(written(tmp_path, PLAN + ASKED + again), tmp_path / "out")


def test_the_contributor_of_the_table_is_who_consents(tmp_path: Path):
    text = PLAN + "    contributor: firm\n" + ASKED.replace(", identity: firm", ", period: 2025")
    yaml = "- {contributor: Zenobia, signed: 2025-03-31, document: l, period: 2025}\n"
    yaml += "- {contributor: Acme & Co., signed: 2025-03-31, document: m}\n"
    plan = written(tmp_path, text.replace("waivers.csv", "said.YAML"))
    (tmp_path / "said.YAML").write_text(yaml)
    assert ta.run(plan, tmp_path / "out", seed=1).holds
    assert (tmp_path / "out/internal/tables/turnover.waivers.yaml").read_text() == yaml
    assert set(lines(tmp_path / "out").values()) == {Status.REDERIVED}
    other = text.replace("waivers.csv", "said.YAML").replace("2025", "2024")
    (tmp_path / "plan.yaml").write_text(other)
    with pytest.raises(TacitaError, match="not protected"):
        ta.run(plan, tmp_path / "other", seed=1)


@pytest.mark.parametrize("day", ["2026-01-31", "'2026-01-31'", '"2026-01-31"'])
@pytest.mark.parametrize("key", ["on", "'on'"])
def test_a_table_is_said_again_as_it_was(tmp_path: Path, day: str, key: str):
    said = f"    waivers: {{file: waivers.csv, {key}: {day}, identity: firm}}\n"
    (table,) = read_plan(written(tmp_path, PLAN + said)).tables
    again = json.loads(json.dumps(table.to_plan()))
    assert again["waivers"] == {"file": "waivers.csv", "on": "2026-01-31", "identity": "firm"}
    assert type(table)(**again) == table


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "waivers.csv",
            r"waivers`: expected a file and a day such as \{file: .*found 'waivers.csv",
        ),
        ("{file: waivers.csv, identity: firm}", r"waivers\.on`: it is missing"),
        ("{on: 2026-01-31, identity: firm}", r"waivers\.file`: it is missing"),
        (
            "{file: w.csv, on: 31.1.2026}",
            r"line 9, .*waivers\.on`: expected a day such as 2026-01-",
        ),
        ("{file: w.csv, on: 2026}", r"waivers\.on`: expected a day such as .*; found 2026"),
        ("{file: w.csv, on: 2026-01-31 10:00:00}", r"waivers\.on`: expected a day"),
        ("{fil: w.csv, on: 2026-01-31}", r"waivers\.file`: it is missing"),
        (
            "{file: w.csv, on: 2026-01-31, identiti: firm}",
            r"waivers\.identiti`: unknown; expected file, on, .* Did you mean `identity`",
        ),
        ("{file: w.csv, on: 2026-01-31}", r"waivers\.identity`: waivers are given by those who"),
        ("{file: w.csv, on: 2026-01-31, identity: firm}", r"waivers`: There is no file .*w\.csv"),
        ("{file: waivers.csv, on: 2026-01-31, identity: fir}", r"waivers`: .*`fir`"),
        ("{file: bad.csv, on: 2026-01-31, identity: firm}", r"waivers`: .*bad\.csv, line 2: expec"),
    ],
)
def test_bad_waivers_are_refused_in_a_sentence(tmp_path: Path, said: str, told: str):
    (tmp_path / "bad.csv").write_text("contributor,signed,document\nZenobia,today,letter\n")
    plan = written(tmp_path, f"{PLAN}    waivers: {said}\n")
    with pytest.raises(TacitaError, match=told):
        ta.run(plan, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_waivers_need_rules_and_the_attribute_of_contributors(tmp_path: Path):
    plan = written(tmp_path, PLAN.replace("    rules: [{p_percent: 10}]\n", ASKED))
    with pytest.raises(TacitaError, match=r"tables\[0\]\.waivers`: waivers lower what `rules`"):
        ta.run(plan, tmp_path / "out")
    plan = written(tmp_path, PLAN + "    contributor: trade\n" + ASKED)
    with pytest.raises(TacitaError, match=r"waivers`: The contributors of `turnover` are told"):
        ta.run(plan, tmp_path / "out")

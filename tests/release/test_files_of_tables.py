"""Every file of a published table is written again from its cells: nothing lies beside them."""

from __future__ import annotations

import shutil
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest

import tacita as ta
from tacita.release import made_with
from tacita.release.verify import Status

FIRMS = """\
region,trade,turnover,weight
north,fish,600.13,1.5
north,coal,300.17,2
north,coal,300.29,1
north,coal,300.47,2.5
north,corn,200.11,1
north,corn,200.21,1
north,corn,200.23,3
south,fish,500.21,1
south,fish,500.33,1
south,fish,500.47,2
south,corn,100.07,1
south,corn,100.09,1
south,corn,100.37,4
"""
FILES = "\n    formats: [csv, xlsx, html]\n"
RULES = "\n    rules: [{minimum_frequency: 2}]"
TABLES = {
    "suppressed": f"by: [region, trade]\n    value: turnover{RULES}\n    protect: fast_suppression",
    "counts": "by: [trade]",
    "median": "by: [region]\n    value: turnover\n    statistic: median",
    "rounded": "by: [region, trade]\n    perturb: {controlled_rounding: 5}",
    "random": "by: [region]\n    perturb: {random_rounding: 3}",
    "intervals": f"by: [region, trade]\n    value: turnover{RULES}"
    "\n    perturb: interval_publication",
}


def released(folder: Path, said: str, attributes: str = "{turnover: confidential}") -> Path:
    (folder / "firms.csv").write_text(FIRMS)
    plan = f"data: {{source: firms.csv, attributes: {attributes}}}\ntables:\n  - name: firms\n    "
    (folder / "plan.yaml").write_text(plan + said + FILES)
    ta.run(folder / "plan.yaml", folder / "out", seed=4, force=True)
    return folder / "out"


@pytest.mark.parametrize("kind", TABLES)
def test_every_file_of_an_untouched_table_is_written_again(tmp_path, kind):
    out = released(tmp_path, TABLES[kind])
    lines = {one.what: one.status for one in ta.verify(out).lines}
    again = {f"table firms in firms.{suffix}" for suffix in ("csv", "xlsx", "html")}
    assert {lines[what] for what in again} == {Status.REDERIVED}
    assert Status.WRONG not in lines.values()


def test_tables_of_weighted_records_are_written_again(tmp_path):
    said = f"by: [trade]\n    value: turnover{RULES}\n    protect: fast_suppression"
    out = released(tmp_path, said, "{turnover: confidential, weight: weight}")
    lines = {one.what: one.status for one in ta.verify(out).lines}
    assert lines["table firms in firms.xlsx"] is Status.REDERIVED
    assert lines["table firms in firms.html"] is Status.REDERIVED


@pytest.fixture(scope="module")
def untouched(tmp_path_factory) -> Path:
    return released(tmp_path_factory.mktemp("tables"), TABLES["suppressed"])


def rewritten(file: Path, name: str, before: bytes, after: bytes) -> None:
    """Change one part of a workbook."""
    with ZipFile(file) as book:
        parts = [(one, book.read(one)) for one in book.namelist()]
    assert before in dict(parts)[name]
    with ZipFile(file, "w", ZIP_DEFLATED) as book:
        for one, text in parts:
            book.writestr(one, text.replace(before, after) if one == name else text)


def hidden_sheet(file: Path) -> None:
    sheet = b'<sheet name="truth" sheetId="2" state="veryHidden" r:id="rId1"/></sheets>'
    rewritten(file, "xl/workbook.xml", b"</sheets>", sheet)


def comment(file: Path) -> None:
    rewritten(file, "xl/worksheets/sheet1.xml", b"<sheetData>", b"<!-- 600.13 --><sheetData>")


def title(file: Path) -> None:
    rewritten(file, "docProps/core.xml", b"<dc:title>", b"<dc:title>600.13 ")


def member(file: Path) -> None:
    with ZipFile(file, "a") as book:
        book.writestr("xl/comments1.xml", "fish 600.13")


def behind(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"\n<!-- 600.13 -->")


def column(file: Path) -> None:
    head, *rows = file.read_text().splitlines()
    file.write_text("\n".join([f"{head},contributors", *(f"{row},1" for row in rows), ""]))


def spelling(file: Path) -> None:
    file.write_text(file.read_text().replace(",suppressed", ", suppressed"))


def decimals(file: Path) -> None:
    text = file.read_text().splitlines()
    at = next(row for row, one in enumerate(text) if ".7" in one or ".9" in one)
    number = text[at].split(",")[2]
    text[at] = text[at].replace(number, f"{number}00")
    file.write_text("\n".join([*text, ""]))


@pytest.mark.parametrize(
    ("suffix", "tamper"),
    [
        *(("xlsx", one) for one in (hidden_sheet, comment, title, member, behind)),
        *(("html", one) for one in (behind, lambda file: file.write_text("<p>600.13</p>"))),
        *(("csv", one) for one in (column, decimals, spelling)),
    ],
)
def test_what_lies_beside_the_cells_is_wrong_in_every_format(untouched, tmp_path, suffix, tamper):
    shutil.copytree(untouched / "public", tmp_path / "public")
    file = tmp_path / "public" / "tables" / f"firms.{suffix}"
    before = file.read_bytes()
    tamper(file)
    assert file.read_bytes() != before
    lines = {one.what: one.status for one in ta.verify(tmp_path / "public").lines}
    found = lines.get(f"table firms in firms.{suffix}", lines.get("tables"))
    assert found is Status.WRONG


def test_a_file_that_no_table_has_is_wrong_and_written_nowhere(untouched, tmp_path):
    shutil.copytree(untouched, tmp_path / "out")
    statement = tmp_path / "out/public/statement.json"
    text = statement.read_text()
    statement.write_text(text.replace('"firms.xlsx"', '"../../beside.xlsx"'))
    lines = {one.what: one for one in ta.verify(tmp_path / "out/public").lines}
    assert lines["table firms in ../../beside.xlsx"].status is Status.WRONG
    assert not list(tmp_path.rglob("beside.xlsx"))


def test_under_other_versions_other_bytes_of_a_workbook_are_not_proven(
    untouched, tmp_path, monkeypatch
):
    shutil.copytree(untouched / "public", tmp_path / "public")
    member(tmp_path / "public" / "tables" / "firms.xlsx")
    here = made_with.version_of
    monkeypatch.setattr(
        made_with, "version_of", lambda name: "9.9" if name == "XlsxWriter" else here(name)
    )
    lines = {one.what: one for one in ta.verify(tmp_path / "public").lines}
    assert lines["table firms in firms.xlsx"].status is Status.NOT_PROVEN
    assert "XlsxWriter" in lines["table firms in firms.xlsx"].sentence
    assert lines["table firms in firms.csv"].status is Status.REDERIVED

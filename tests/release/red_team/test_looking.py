"""Canaries in every place of every format are reported; clean releases give none."""

from __future__ import annotations

import base64
import csv
import json
import re
import zipfile
import zlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

import tacita as ta
from tacita.data.formats import write_table

FORMATS = ("csv", "parquet", "feather", "xlsx", "sav", "dta")
IDENTIFIER, NAME, TOWN = "X1047290", "Annemarie van Oosterhout", "Schiermonnikoog"
SECRET = "it holds a secret"  # noqa: S105 - a finding


def what(findings):
    return {each[2] for each in findings}


@pytest.mark.parametrize("format_", FORMATS)
def test_a_clean_release_gives_none(format_, public_of, look):
    assert look(public_of(format_)) == set()


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("canary", [IDENTIFIER, NAME, TOWN])
def test_a_cell_is_found_in_every_format(format_, canary, public_of, look):
    public = public_of(format_)
    file = public / f"data.{format_}"
    table = ta.read(file).table
    at = table.column_names.index("town")
    values = [canary, *table.column("town").to_pylist()[1:]]
    write_table(table.set_column(at, "town", pa.array(values, pa.string())), file)
    assert SECRET in what(look(public))


@pytest.mark.parametrize("format_", FORMATS)
def test_an_extra_column_and_another_order_are_found(format_, public_of, look):
    public = public_of(format_)
    file = public / f"data.{format_}"
    table = ta.read(file).table
    write_table(table.append_column("more", pa.array(range(len(table)))), file)
    assert "the statement names no such column" in what(look(public))
    write_table(table.take(list(range(len(table)))[::-1]), file)
    assert "they stand in another order than their contents demand" in what(look(public))


def test_looking_leaves_the_limits_of_the_process_as_they_were(public_of, look):
    before = csv.field_size_limit()
    look(public_of("csv"))
    assert csv.field_size_limit() == before


# -- text ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "page",
    [
        f"<p>{NAME}</p>",
        "<p>Annemarie <b>van</b> Ooster<i>hout</i></p>",
        "<p>Annemarie van&nbsp;Oosterhout</p>",
        "<p>&#65;nnemarie van Oosterhout</p>",
        f"<!-- {IDENTIFIER} -->",
        f'<p title="{IDENTIFIER}">x</p>',
        '<script>{"d": "\\u0041nnemarie\\nvan\\tOosterhout"}</script>',
        f"<style>/* {IDENTIFIER} */</style>",
        "<img src='data:text/plain;base64,"
        + base64.b64encode(f"see {IDENTIFIER} there".encode()).decode()
        + "'>",
    ],
)
def test_html(page, public_of, look):
    public = public_of("csv")
    with (public / "report.html").open("a", encoding="utf-8") as file:
        file.write(page)
    assert what(look(public)) == {SECRET}


@pytest.mark.parametrize("field", ["attributes", "measures", "more"])
def test_json(field, public_of, look):
    public = public_of("csv")
    file = public / "statement.json"
    statement = json.loads(file.read_text())
    statement[field] = [*statement.get(field, []), {"name": "annemarie-van Oosterhout"}]
    file.write_text(json.dumps(statement))
    assert SECRET in what(look(public))


def test_base64_in_manifests_and_fine_times(public_of, look):
    public = public_of("csv")
    packed = base64.b64encode(f'{{"a": "{IDENTIFIER}"}}'.encode()).decode()
    (public / "manifest.json").write_text(json.dumps({"payload": packed}))
    statement = json.loads((public / "statement.json").read_text())
    statement["run"]["written"] = "2031-01-02T03:04:05.678901+00:00"
    (public / "statement.json").write_text(json.dumps(statement))
    assert what(look(public)) == {SECRET, "it tells a time finer than seconds"}


def test_an_order_that_names_what_no_cell_holds(public_of, look):
    public = public_of("csv")
    file = public / "statement.json"
    statement = json.loads(file.read_text())
    row = next(row for row in statement["attributes"] if row["name"] == "stage")
    row["order"] = [*row["order"], "dead"]
    file.write_text(json.dumps(statement))
    assert "it lists a category that no cell uses" in what(look(public))


def test_files_that_the_statement_does_not_name(public_of, look, release_of):
    public = public_of("csv")
    (public / "versions").mkdir()
    (public / "versions" / "data.csv").write_text("a\n1\n")
    earlier = release_of("parquet") / "public"
    (public / "old.parquet").write_bytes((earlier / "data.parquet").read_bytes())
    (public / f"{IDENTIFIER}.txt").write_text("")
    (public / "link").symlink_to(public / "data.csv")
    findings = look(public, earlier=[earlier])
    assert what(findings) >= {
        "the statement names no such file",
        "it is a file of an earlier release",
        "it is no plain file",
        SECRET,
    }
    assert not any(IDENTIFIER in part for finding in findings for part in finding)


def test_places_and_names(public_of, look):
    hidden = {"path": {"/home/anna/study": "the place"}, "name": {"cohort.sav": "the name"}}
    public = public_of("csv")
    with (public / "report.html").open("a", encoding="utf-8") as file:
        file.write("<p>/home/anna/study/cohort.sav</p>")
    assert what(look(public, hidden)) == {"it holds the place", "it holds the name"}


# -- PDF -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"/Author(Tacita)", f"/Author({NAME})".encode(), {SECRET, "it tells who, where or when"}),
        (b"/Author(Tacita)", b"/Author(Tacita)/CreationDate(D:20310102030405Z)", {"it tells who, where or when"}),
        (b"/Author(Tacita)", b"/Author(Tacita)/Keywords<FEFF" + IDENTIFIER.encode("utf-16-be").hex().encode() + b">", {SECRET}),
        (b"/Author(Tacita)", b"/Author(Tacita)/Subject(\\130\\061047290)", {SECRET}),
        (b"/Author(Tacita)", b"/Author(Tacita)/Names<</EmbeddedFiles 1 0 R>>", {"it holds an attachment, a script or a note"}),
        (b"<rdf:li>Tacita", f"<rdf:li>{IDENTIFIER}".encode(), {SECRET}),
        (b"%PDF-1.7", f"%PDF-1.7\n% {IDENTIFIER}".encode(), {SECRET}),
    ],
)  # fmt: skip
def test_pdf(old, new, expected, public_of, look):
    public = public_of("csv")
    content = (public / "report.pdf").read_bytes()
    assert old in content
    (public / "report.pdf").write_bytes(content.replace(old, new))
    assert what(look(public)) == expected


def test_packed_parts_of_a_pdf_and_its_glyphs(public_of, look):
    public = public_of("csv")
    file = public / "report.pdf"
    packed = zlib.compress(f"BT ({NAME}) Tj ET".encode())
    extra = b"900 0 obj\n<</Filter/FlateDecode>>\nstream\n" + packed + b"\nendstream\nendobj\n"
    clean = file.read_bytes()
    file.write_bytes(clean + extra)
    assert what(look(public)) == {SECRET}
    file.write_bytes(clean)  # the report's own words, as glyphs of its fonts
    shown = {
        "words": {
            "disclosure control report": "a title",
            "replace every value of an attribute": "a sentence",
        }
    }
    kinds = {
        each[2] for each in look(public, shown) if each[0] == "report.pdf" and each[1] == "the text"
    }
    assert kinds == {"it holds a title", "it holds a sentence"}


# -- workbooks -------------------------------------------------------------------------------------


def repacked(file, change, extra=None, comment=b""):
    with zipfile.ZipFile(file) as package:
        parts = {name: package.read(name).decode() for name in package.namelist()}
    parts = {name: change(name, text) for name, text in parts.items()} | (extra or {})
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        for name, text in parts.items():
            package.writestr(
                zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text, zipfile.ZIP_DEFLATED
            )
        package.comment = comment


WORKBOOKS = [
    ("docProps/core.xml", "<dc:creator></dc:creator>", "<dc:creator>R. Dijkstra</dc:creator>", "who or what made it"),
    ("docProps/core.xml", "2000-01-01T00:00:00Z", "2031-01-01T00:00:00Z", "it tells when it was made"),
    ("docProps/app.xml", "<Company></Company>", "<Company>Registry</Company>", "who or what made it"),
    ("xl/workbook.xml", "<sheet ", '<sheet state="hidden" ', "it hides"),
    ("xl/workbook.xml", "</sheets>", '<sheet name="b" sheetId="2" r:id="rId9"/></sheets>', "more than the one sheet"),
    ("xl/workbook.xml", "</sheets>", "</sheets><definedNames/>", "it defines names"),
    ("xl/worksheets/sheet1.xml", '<row r="3"', '<row hidden="1" r="3"', "it hides"),
    ("xl/worksheets/sheet1.xml", "<sheetData>", f"<!-- {IDENTIFIER} --><sheetData>", "a comment of XML"),
    ("xl/worksheets/sheet1.xml", "<sheetData>", f"<!-- {IDENTIFIER} --><sheetData>", SECRET),
]  # fmt: skip


@pytest.mark.parametrize(("part", "old", "new", "expected"), WORKBOOKS)
def test_workbook(part, old, new, expected, public_of, look):
    public = public_of("xlsx")

    def change(name, text):
        assert name != part or old in text
        return text.replace(old, new) if name == part else text

    repacked(public / "data.xlsx", change)
    assert any(expected in each for each in what(look(public)))


def test_parts_shared_strings_and_notes_of_a_workbook(public_of, look):
    public = public_of("xlsx")
    extra = {
        "xl/sharedStrings.xml": f"<sst><si><t>{IDENTIFIER}</t></si></sst>",
        "xl/comments1.xml": f"<comment>{NAME}</comment>",
        "docProps/custom.xml": f"<property>{IDENTIFIER}</property>",
    }
    repacked(public / "data.xlsx", lambda _, text: text, extra, NAME.encode())
    findings = look(public)
    assert what(findings) == {
        SECRET,
        "it carries a comment",
        "it holds a part that records do not need",
        "they hold a text that no cell uses",
    }
    assert len([each for each in findings if each[2] == SECRET]) == 3


# -- columns ---------------------------------------------------------------------------------------


def spoiled(public, change):
    file = public / "data.parquet"
    table = change(pq.read_table(file))
    pq.write_table(table, file)


def as_categories(table, categories):
    at = table.column_names.index("town")
    town = table.column("town").combine_chunks()
    codes = pa.array(
        [None if v is None else categories.index(v) for v in town.to_pylist()], pa.int32()
    )
    return table.set_column(at, "town", pa.DictionaryArray.from_arrays(codes, categories))


CATEGORIES = ["Assen", "Groningen", "Leeuwarden", "Schiermonnikoog"]


def test_unused_dictionary_entries_of_parquet(public_of, look):
    public = public_of("parquet")
    spoiled(public, lambda table: as_categories(table, CATEGORIES))
    assert what(look(public)) >= {SECRET, "it holds a value that no cell uses"}


def test_metadata_of_parquet(public_of, look):
    public = public_of("parquet")
    spoiled(
        public,
        lambda table: table.replace_schema_metadata({"pandas": f'{{"path": "{IDENTIFIER}"}}'}),
    )
    assert what(look(public)) >= {SECRET, "they hold more than the types of columns"}


def test_metadata_of_fields(public_of, look):
    public = public_of("parquet")
    field = pa.field("town", pa.string(), metadata={"note": NAME})

    def change(table):
        at = table.column_names.index("town")
        return table.set_column(at, field, table.column("town"))

    spoiled(public, change)
    assert what(look(public)) >= {SECRET, "it carries metadata besides names and types"}


def test_statistics_that_tell_of_other_values(public_of, look):
    public = public_of("parquet")
    file = public / "data.parquet"
    content = file.read_bytes()
    towns = [v for v in pq.read_table(file).column("town").to_pylist() if v]
    highest = max(towns).encode()
    at = content.rindex(highest)  # the statistics lie behind the pages
    file.write_bytes(content[:at] + b"Z" * len(highest) + content[at + len(highest) :])
    assert "they tell a value that no cell has" in what(look(public))


def rewritten(public, change):
    file = public / "data.feather"
    with ipc.open_file(str(file)) as opened:
        table = change(opened.read_all())
    with ipc.new_file(str(file), table.schema) as writer:
        writer.write_table(table)


def test_arrow_files(public_of, look):
    public = public_of("feather")
    rewritten(
        public,
        lambda table: as_categories(table, CATEGORIES).replace_schema_metadata({"a": IDENTIFIER}),
    )
    assert what(look(public)) == {
        SECRET,
        "it holds a value that no cell uses",
        "they hold more than the types of columns",
        "it carries metadata besides names and types",
    }


@pytest.mark.parametrize("column", ["town", "income"])
def test_values_beneath_blanks_of_arrow_files(column, public_of, look):
    public = public_of("feather")

    def change(table):
        at = table.column_names.index(column)
        values = table.column(column).combine_chunks()
        bits = pa.py_buffer(bytes([0b11111110] + [255] * 20))
        return table.set_column(
            at,
            column,
            pa.Array.from_buffers(values.type, len(values), [bits, *values.buffers()[1:]]),
        )

    rewritten(public, change)
    assert "a value lies beneath" in what(look(public))


# -- labels ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("format_", ["sav", "dta"])
def test_labels_notes_and_times_of_coded_files(format_, public_of, look):
    import polars as pl
    import pyreadstat

    public = public_of(format_)
    file = public / f"data.{format_}"
    read, write = {
        "sav": (pyreadstat.read_sav, pyreadstat.write_sav),
        "dta": (pyreadstat.read_dta, pyreadstat.write_dta),
    }[format_]
    values, _ = read(file, output_format="dict", disable_datetime_conversion=True)
    values["income"] = [float(round(v)) for v in values["income"]]
    labels = {7777777: "Anne", 8888888: TOWN, 9999999: IDENTIFIER}
    labels = {"income": labels if format_ == "sav" else {int(k): v for k, v in labels.items()}}
    frame = pl.DataFrame(values).with_columns(pl.col("income").cast(pl.Int32))
    write(
        frame,
        file,
        file_label=NAME,
        variable_value_labels=labels,
        column_labels={"town": f"as {IDENTIFIER} put it"},
    )
    findings = look(public)
    assert what(findings) >= {
        SECRET,
        "they say more than the cells",
        "they name a code that no cell uses",
        "it tells when the file was made",
    }
    assert {each[1] for each in findings if each[2] == SECRET} >= {
        "its label or notes", "the labels of column `income`", "the label of column `town`",
    }  # fmt: skip


def test_damaged_files_are_reported(public_of, look):
    public = public_of("parquet")
    file = public / "data.parquet"
    file.write_bytes(file.read_bytes()[:-40])
    assert any("cannot be read" in each for each in what(look(public)))


def test_findings_quote_no_values(public_of, look):
    public = public_of("csv")
    (public / "data.csv").write_text(f"{NAME}\n{IDENTIFIER}\n")
    findings = look(public)
    assert SECRET in what(findings)
    shown = " ".join(part for finding in findings for part in finding).lower()
    assert not re.search(r"annemarie|oosterhout|1047290", shown)

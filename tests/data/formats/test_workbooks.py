"""Workbooks that are made to fill the memory are refused with a sentence, and large ones read."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
import xlsxwriter

from tacita.data.formats import read_table, unpacking
from tacita.data.formats.workbooks import refuse_traps
from tacita.errors import InputError

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
RELATIONS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
BEGIN = '<?xml version="1.0"?>'
WORKBOOK = (
    f'{BEGIN}<workbook {MAIN} xmlns:r="{OFFICE}"><sheets><sheet name="data" sheetId="1" '
    'r:id="rId1"/></sheets></workbook>'
)
LINKS = (
    f'{BEGIN}<Relationships {RELATIONS}><Relationship Id="rId1" Type="{OFFICE}/worksheet" '
    f'Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="{OFFICE}/sharedStrings" '
    'Target="sharedStrings.xml"/></Relationships>'
)
ROOT = (
    f'{BEGIN}<Relationships {RELATIONS}><Relationship Id="rId1" Type="{OFFICE}/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>'
)
SHEET = "xl/worksheets/sheet1.xml"
NAME = '<row r="1"><c r="A1" t="inlineStr"><is><t>x</t></is></c></row>'
VALUE = '<row r="2"><c r="A2"><v>5</v></c></row>'


def sheet(*rows: str, before: str = "") -> str:
    return f"{BEGIN}<worksheet {MAIN}>{before}<sheetData>{''.join(rows)}</sheetData></worksheet>"


def texts(*some: str, said: str = "") -> str:
    inside = "".join(f"<si><t>{one}</t></si>" for one in some)
    return f"{BEGIN}<sst {MAIN} {said}>{inside}</sst>"


@pytest.fixture
def made(tmp_path):
    """Write a workbook by hand."""

    def make(cells: str, shared: str | None = None) -> Path:
        path = tmp_path / "a.xlsx"
        parts = {"_rels/.rels": ROOT, "xl/workbook.xml": WORKBOOK}
        parts |= {"xl/_rels/workbook.xml.rels": LINKS, SHEET: cells}
        parts |= {} if shared is None else {"xl/sharedStrings.xml": shared}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in parts.items():
                archive.writestr(name, text)
        return path

    return make


def test_the_workbook_that_all_others_differ_from_is_read(made):
    table = read_table(made(sheet(NAME, VALUE), texts("a", said='count="1" uniqueCount="1"')))
    assert table.to_pydict() == {"x": [5]}


@pytest.mark.parametrize(
    "far",
    [
        '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        '<row r="3"><c r="XFD1048576"><v>1</v></c></row>',
        '<row r="3"><c s="0" r = \'xfd1048576\'><v>1</v></c></row>',
        '<row r="3"><c r="ZZZZZZ4294967295"><v>1</v></c></row>',
        '<row r="3"><c r="AAAA3"><v>1</v></c></row>',
        '<row r="3"><c r="A99999999"><v>1</v></c></row>',
    ],
)
def test_a_cell_far_from_the_others_makes_no_room_for_all_between(made, far):
    """As a rectangle they would be seventeen thousand million cells."""
    with pytest.raises(InputError, match="few cells and room for so many"):
        read_table(made(sheet(NAME, VALUE, far)))


FAR = '<row r="3"><c r="XFD1048576"><v>1</v></c></row>'


def damage(path: Path, text: str) -> None:
    """Change a text that is kept unpacked in an archive, whose sum then is wrong."""
    path.write_bytes(path.read_bytes().replace(text.encode(), text.upper().encode()))


def test_a_broken_part_does_not_hide_what_follows(made):
    path = made(sheet(NAME, VALUE, FAR))
    whole = path.read_bytes()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("first.txt", "nothing to see")
        with zipfile.ZipFile(io.BytesIO(whole)) as parts:
            for name in parts.namelist():
                archive.writestr(name, parts.read(name))
    damage(path, "nothing to see")
    with pytest.raises(InputError, match="few cells and room for so many"):
        refuse_traps(path)


def test_what_stands_before_the_broken_place_counts(made):
    path = made(sheet(NAME, VALUE, FAR))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(SHEET, sheet(NAME, VALUE, FAR) + "<!-- the end -->")
    damage(path, "<!-- the end -->")
    with pytest.raises(InputError, match="few cells and room for so many"):
        refuse_traps(path)


def test_a_sheet_that_says_it_is_large_and_is_not_is_read(made):
    whole = '<dimension ref="A1:XFD1048576"/>'
    assert read_table(made(sheet(NAME, VALUE, before=whole))).to_pydict() == {"x": [5]}


@pytest.mark.parametrize("count", ["4294967295", "9" * 5000])
def test_texts_that_are_only_said_to_be_there_get_no_room(made, count):
    with pytest.raises(InputError, match="few cells and room for so many"):
        read_table(made(sheet(NAME, VALUE), texts("a", said=f'count="1" uniqueCount="{count}"')))


def test_a_long_text_is_not_copied_into_every_cell_that_quotes_it(made):
    quoting = [f'<row r="{i}"><c r="A{i}" t="s"><v>0</v></c></row>' for i in range(1, 100)]
    with pytest.raises(InputError, match="few cells and room for so many"):
        read_table(made(sheet(*quoting), texts("b" * 2**19)))


def test_texts_that_look_like_names_of_cells_are_texts(made):
    said = 'r="color12345" r="XFD1048576" r="A123456789"'
    quoting = '<row r="2"><c r="A2" t="s"><v>0</v></c></row>'
    assert read_table(made(sheet(NAME, quoting), texts(said))).to_pydict() == {"x": [said]}


def test_what_unpacks_to_far_too_much_is_refused(made, monkeypatch):
    monkeypatch.setattr(unpacking, "ALWAYS", 2**20)
    path = made(sheet(NAME, " " * 2**21))
    with pytest.raises(
        InputError, match=r"unpacks to more than 1 MiB, over 200 times its own size"
    ):
        read_table(path)
    monkeypatch.setattr(unpacking, "TIMES", 10_000)
    assert read_table(path).num_rows == 0


def test_a_size_that_lies_does_not_help(made, monkeypatch):
    """The directory says ten bytes, with the checksum of those; other readers go on."""
    monkeypatch.setattr(unpacking, "ALWAYS", 2**20)
    path = made(sheet(NAME, " " * 2**21))
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo(SHEET).file_size.to_bytes(4, "little")
    raw = path.read_bytes()
    assert raw.count(size) == 2  # before the part, and in the directory
    path.write_bytes(raw.replace(size, (10).to_bytes(4, "little")))
    with pytest.raises(InputError, match="unpacks to more than"):
        read_table(path)


def test_entities_are_not_written_out(made):
    nested = "".join(f'<!ENTITY a{i + 1} "{f"&a{i};" * 10}">' for i in range(9))
    laughs = f'<!DOCTYPE worksheet [<!ENTITY a0 "lol">{nested}]>'
    row = '<row r="1"><c r="A1" t="inlineStr"><is><t>&a9;</t></is></c></row>'
    with pytest.raises(InputError, match="is not a workbook of the kind its name says"):
        read_table(made(sheet(row).replace(BEGIN, BEGIN + laughs)))


def test_a_sheet_with_a_few_cells_far_away_but_not_too_far_is_read(tmp_path):
    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(path) as book:
        page = book.add_worksheet()
        page.write(0, 0, "x")
        page.write(0, 60, "y")
        page.write(1, 0, 5)
        page.write(20_000, 60, 7)
    table = read_table(path)
    assert table.num_rows == 20_000
    assert (table["x"][0].as_py(), table["y"][-1].as_py()) == (5, 7)


ODS = (
    f"{BEGIN}<office:document-content "
    'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
    'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
    'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body>'
    '<office:spreadsheet><table:table table:name="a">{}</table:table></office:spreadsheet>'
    "</office:body></office:document-content>"
)
MANIFEST = (
    f'{BEGIN}<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><m:file-entry '
    'm:full-path="/" m:media-type="application/vnd.oasis.opendocument.spreadsheet"/></m:manifest>'
)


def opendocument(tmp_path, rows: str) -> Path:
    path = tmp_path / "a.ods"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", MANIFEST)
        archive.writestr("content.xml", ODS.format(rows), zipfile.ZIP_DEFLATED)
    return path


def repeated(rows: int, columns: int, cell: str) -> str:
    return (
        f'<table:table-row table:number-rows-repeated="{rows}">'
        f'<table:table-cell table:number-columns-repeated="{columns}" {cell}</table:table-row>'
    )


TEXT = 'office:value-type="string"><text:p>x</text:p></table:table-cell>'


def test_cells_that_come_again_are_counted(tmp_path):
    path = opendocument(tmp_path, repeated(1, 1, TEXT) + repeated(2**20, 2**14, TEXT))
    with pytest.raises(InputError, match="few cells and room for so many"):
        read_table(path)


def test_blank_cells_up_to_the_end_of_a_sheet_are_none(tmp_path):
    """So every OpenDocument sheet ends."""
    rows = repeated(1, 1, TEXT) + repeated(3, 1, TEXT) + repeated(2**20, 2**14, "/>")
    assert read_table(opendocument(tmp_path, rows)).to_pydict() == {"x": ["x"] * 3}

"""Workbooks: types from cells, what mixes or fails is named, and what is written reads back."""

from __future__ import annotations

import datetime as dt
import errno
import gc
import zipfile

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import xlsxwriter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacita.data.formats import layout_of, read_contents, read_table, write_table
from tacita.errors import InputError, OutputError

QUICK = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
DAY = {"num_format": "yyyy-mm-dd"}


@pytest.fixture
def book(tmp_path):
    """Make a workbook of sheets, each a list of rows; text that begins with # is an error cell."""

    def make(name="a.xlsx", row=0, column=0, **sheets):
        path = tmp_path / name
        with xlsxwriter.Workbook(path) as workbook:
            day = workbook.add_format(DAY)
            for title, rows in sheets.items():
                sheet = workbook.add_worksheet(title)
                for r, cells in enumerate(rows, start=row):
                    for c, cell in enumerate(cells, start=column):
                        put(sheet, r, c, cell, day)
        return path

    return make


def put(sheet, row, column, cell, day):
    if isinstance(cell, str) and cell.startswith("#"):
        sheet.write_formula(row, column, "=X", None, cell)
    elif isinstance(cell, str):
        sheet.write_string(row, column, cell)
    elif isinstance(cell, dt.date | dt.time | dt.timedelta):
        sheet.write_datetime(row, column, cell, day)
    else:
        sheet.write(row, column, cell)


def test_types_come_from_the_cells(book):
    midnight, noon = dt.datetime(2020, 1, 2), dt.datetime(2020, 1, 2, 12)
    path = book(data=[
        ["n", "x", "s", "b", "d", "t", "none"],
        [1, 1.5, "01", True, midnight, midnight, None],
        [2**53, 2, "", False, dt.date(1999, 12, 31), noon, None],
    ])  # fmt: skip
    table = read_table(path)
    assert table.schema.types == [
        pa.int64(), pa.float64(), pa.string(), pa.bool_(), pa.date32(), pa.timestamp("ms"), pa.string(),
    ]  # fmt: skip
    assert table.to_pylist()[1] == {
        "n": 2**53, "x": 2.0, "s": "", "b": False, "d": dt.date(1999, 12, 31), "t": noon, "none": None,
    }  # fmt: skip


def test_times_of_day_are_text(book):
    path = book(data=[["t"], [dt.time(5, 6)], [None], [dt.time(17, 0, 1)]])
    assert read_table(path)["t"].to_pylist() == ["05:06:00.000", None, "17:00:01.000"]


def test_a_formula_is_its_last_value(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_formula(1, 0, "=1+1", None, 2)
        sheet.write_formula(1, 1, "=REPT(1)", None, "x")
    assert read_table(tmp_path / "a.xlsx").to_pylist() == [{"a": 2, "b": "x"}]


def test_blank_rows_are_records_but_not_at_the_end(book):
    path = book(data=[[], ["a", "b"], [1, "x"], [], [2, "y"], [], ["", " "]])
    assert read_table(path)["a"].to_pylist() == [1, None, 2]


def test_blank_columns_and_merged_cells(tmp_path):
    with xlsxwriter.Workbook(tmp_path / "a.xlsx") as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["a", None, "b", ""])
        sheet.merge_range("A2:A3", 5)
        sheet.write_column(1, 2, ["x", "y"])
    assert read_table(tmp_path / "a.xlsx").to_pylist() == [
        {"a": 5, "b": "x"},
        {"a": None, "b": "y"},
    ]


@pytest.mark.parametrize(
    ("cells", "usual", "odd"),
    [
        ([1, 2.5, None, "x"], "numbers", "text"),
        (["x", "#N/A", None, 1], "text", "numbers"),
        ([dt.date(2020, 1, 1), None, None, 4], "dates", "numbers"),
        ([3, 4, 5, dt.date(2020, 1, 1)], "numbers", "dates"),
        ([True, None, False, 1], "true or false", "numbers"),
    ],
)
def test_mixed_columns_are_refused_with_their_cell(book, cells, usual, odd):
    path = book(row=2, column=1, data=[["a", "b"], *[[i, cell] for i, cell in enumerate(cells)]])
    with pytest.raises(
        InputError, match=rf"sheet `data`: column `b` holds {usual}, but cell C7 holds {odd}"
    ):
        read_table(path)
    assert read_table(path, text=frozenset({"b", "z"}))["b"].null_count == sum(
        cell in {None, "#N/A"} for cell in cells
    )


def test_numbers_read_as_text_look_as_in_excel(book):
    path = book(data=[["a"], [5], ["x"], [0.1], [True]])
    assert read_table(path, text=frozenset({"a"}))["a"].to_pylist() == ["5", "x", "0.1", "true"]


def test_failed_formulas_are_refused_and_not_available_is_missing(book):
    path = book(data=[["a", "b"], [1, "x"], ["#N/A", "#N/A"], [2, "#REF!"]])
    with pytest.raises(InputError, match=r"sheet `data`: cell B4 holds #REF!"):
        read_table(path)
    with pytest.raises(InputError, match=r"cell B4 holds #REF!"):
        read_table(path, text=frozenset({"b"}))
    path = book(data=[["a"], [1], ["#N/A"], [2]])
    assert read_table(path)["a"].to_pylist() == [1, None, 2]


def test_names(book):
    with pytest.raises(InputError, match="the name `a` is given to columns 1 and 2"):
        read_table(book(data=[["a", "a"], [1, 2]]))
    with pytest.raises(InputError, match="column 2 of 3 has no name"):
        read_table(book(data=[["a", None, "b"], [1, 2, 3]]))
    assert read_table(book(data=[["a", "a_1", 2019], [1, 2, 3]])).column_names == [
        "a",
        "a_1",
        "2019",
    ]


def test_sheets(book):
    path = book(first=[["a"], [1]], second=[["b"], [2]], third=[])
    contents = read_contents(path)
    assert contents.table.column_names == ["a"]
    assert contents.found == {"sheet": "first"}
    assert "sheet `first` was read; other sheets hold data too: `second`." in contents.warnings[0]
    for said in ("second", 2):
        contents = read_contents(path, layout_of({"sheet": said}))
        assert contents.table.column_names == ["b"]
        assert contents.warnings == ()
    assert read_contents(book(only=[["a"], [1]], blank=[])).warnings == ()


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("secnd", "has no sheet `secnd`; it has `first`, `second`. Did you mean `second`?"),
        (3, r"has the sheets 1 to 2 \(`first`, `second`\); found 3"),
        (0, "found 0"),
    ],
)
def test_a_sheet_that_is_not_there(book, said, message):
    with pytest.raises(InputError, match=message.replace("?", r"\?")):
        read_table(book(first=[["a"]], second=[["b"]]), sheet=said)


def test_sheets_without_records(book):
    assert read_table(book(data=[["a", "b"]])).schema == pa.schema(
        {"a": pa.string(), "b": pa.string()}
    )
    with pytest.raises(InputError, match="sheet `data` is empty"):
        read_table(book(data=[]))


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "hole"])
@pytest.mark.parametrize("suffix", [".xlsx", ".xls", ".xlsb", ".ods"])
def test_damaged_workbooks(book, damage, suffix):
    path = book(name=f"a{suffix}", data=[["a"], [1]])
    whole = path.read_bytes()
    hole = whole[:600] + bytes(900) + whole[1500:]
    path.write_bytes({"empty": b"", "text": b"a,b", "cut": whole[:-99], "hole": hole}[damage])
    with pytest.raises(InputError, match="or it is damaged or cut off"):
        read_table(path)


def test_encrypted_workbooks(tmp_path):
    (tmp_path / "a.xlsx").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600))
    with pytest.raises(InputError, match="protected by a password"):
        read_table(tmp_path / "a.xlsx")


def test_an_open_document(tmp_path):
    cell = '<table:table-cell office:value-type="{}" {}><text:p>{}</text:p></table:table-cell>'
    rows = [
        cell.format("string", "", "n") + cell.format("string", "", "d"),
        cell.format("float", 'office:value="7"', 7)
        + cell.format("date", 'office:date-value="2020-01-02"', "2020-01-02"),
    ]
    body = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    name = "urn:oasis:names:tc:opendocument:xmlns"
    with zipfile.ZipFile(tmp_path / "a.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
        archive.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{name}:office:1.0" '
            f'xmlns:table="{name}:table:1.0" xmlns:text="{name}:text:1.0"><office:body>'
            f'<office:spreadsheet><table:table table:name="s">{body}</table:table>'
            "</office:spreadsheet></office:body></office:document-content>",
        )
    assert read_table(tmp_path / "a.ods").to_pylist() == [{"n": 7, "d": dt.date(2020, 1, 2)}]


# --- writing


def test_what_is_written_reads_back(tmp_path):
    table = pa.table({
        "n": pa.array([1, None, -(2**53)], pa.int64()),
        "x": [0.1 + 0.2, None, 1e300],
        "s": ["=1+1", None, "http://example.org"],
        "z": ["", "0123", " a\tb\n"],
        "b": [True, None, False],
        "d": [dt.date(1900, 3, 1), None, dt.date(9999, 12, 31)],
        "t": pa.array([dt.datetime(2020, 1, 1, 23, 59, 59, 999000), None, None], pa.timestamp("ms")),
    })  # fmt: skip
    write_table(table, tmp_path / "a.xlsx")
    assert read_table(tmp_path / "a.xlsx").equals(table)
    assert list(tmp_path.iterdir()) == [tmp_path / "a.xlsx"]


EARLIEST, LATEST = dt.datetime(1900, 3, 1), dt.datetime(9999, 12, 31, 23)
CHARACTERS = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff")
ROWS = st.lists(
    st.tuples(
        st.integers(-(2**53), 2**53),
        st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
        st.one_of(st.none(), st.text(CHARACTERS, max_size=5), st.sampled_from(["\n", "a\tb", "_x41_", "&lt;"])),
        st.one_of(st.none(), st.booleans()),
        st.one_of(st.none(), st.dates(EARLIEST.date(), LATEST.date())),
        st.one_of(st.none(), st.datetimes(EARLIEST, LATEST)),
    ),
    max_size=6,
)  # fmt: skip


@given(rows=ROWS)
@QUICK
def test_any_values_read_back(tmp_path, rows):
    types = [pa.int64(), pa.float64(), pa.string(), pa.bool_(), pa.date32(), pa.timestamp("ms")]
    columns = list(zip(*rows, strict=True)) or [()] * len(types)
    table = pa.table({
        kind: pa.array(values, pa.timestamp("us")).cast(to, safe=False) if kind == "t" else pa.array(values, to)
        for kind, values, to in zip("nxsbdt", columns, types, strict=True)
    })  # fmt: skip
    write_table(table, tmp_path / "a.xlsx")
    read = read_table(tmp_path / "a.xlsx")
    for name in table.column_names:
        assert pc.cast(read[name], table[name].type).to_pylist() == table[name].to_pylist()


def test_equal_tables_give_equal_bytes(tmp_path):
    table = pa.table({"a": [1.5, 2.0] * 5000, "s": ["x", "y"] * 5000})
    pieces = pa.concat_tables([table.slice(0, 7), table.slice(7)])
    write_table(table, tmp_path / "a.xlsx")
    write_table(pieces.replace_schema_metadata({"made": "ana"}), tmp_path / "b.xlsx")
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
        assert b"2000-01-01T00:00:00Z" in archive.read("docProps/core.xml")


def test_categories_decimals_and_nothing(tmp_path):
    table = pa.table({
        "c": pa.array(["u", "v", None]).dictionary_encode(),
        "m": pa.array(["1.25", None, "3.50"]).cast(pa.decimal128(5, 2)),
        "v": pa.nulls(3),
        "x": [float("nan"), 1.5, 2.5],
    })  # fmt: skip
    write_table(table, tmp_path / "a.xlsx")
    assert read_table(tmp_path / "a.xlsx").to_pydict() == {
        "c": ["u", "v", None], "m": [1.25, None, 3.5], "v": [None] * 3, "x": [None, 1.5, 2.5],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([2**53 + 1], "Column `a` holds 9007199254740993, which Excel's numbers"),
        ([float("inf")], "infinite number"),
        ([dt.date(1900, 2, 28)], "a date before 1900-03-01"),
        ([dt.datetime(2020, 1, 1, 0, 0, 0, 1)], "finer than a millisecond"),
        (["a\x00"], "holds the text"),
        (["a\r\n"], "holds the text"),
        (["_x0041_"], "holds the text '_x0041_'"),
        (["<r>a</r>"], "holds the text"),
        (["x" * 32_768], "more than 32,767 characters"),
        (["\U0001f600" * 16_384], "more than 32,767 characters"),
        ([["a"]], "holds list<"),
        ([1, None], "The last record is blank"),
        ([dt.timedelta(1)], "holds duration"),
    ],
)
def test_what_a_workbook_cannot_hold(tmp_path, values, message):
    with pytest.raises(OutputError, match=message):
        write_table(pa.table({"a": values}), tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_decimals_that_doubles_do_not_hold(tmp_path):
    long = pa.array(["12345678901234567890.12"]).cast(pa.decimal128(30, 2))
    with pytest.raises(OutputError, match=r"Column `m` holds 12345678901234567890\.12"):
        write_table(pa.table({"m": long}), tmp_path / "a.xlsx")


def test_the_longest_text(tmp_path):
    table = pa.table({"a": ["\U0001f600" * 16_383 + "x"]})
    write_table(table, tmp_path / "a.xlsx")
    assert read_table(tmp_path / "a.xlsx").equals(table)


def test_sheets_that_are_too_large(tmp_path):
    with pytest.raises(OutputError, match=r"found 1 and 1,048,576\. Use Parquet"):
        write_table(pa.table({"a": pa.nulls(2**20, pa.int8())}), tmp_path / "a.xlsx")
    wide = pa.table({f"a{n}": [1] for n in range(2**14 + 1)})
    with pytest.raises(OutputError, match="found 16,385 and 1"):
        write_table(wide, tmp_path / "a.xlsx")


@pytest.mark.parametrize("said", ["", " ", "a:b", "a/b", "'a", "x" * 32, "History", 2])
def test_names_of_sheets_that_excel_refuses(tmp_path, said):
    with pytest.raises(OutputError, match="`sheet`: expected a name of at most 31 characters"):
        write_table(pa.table({"a": [1]}), tmp_path / "a.xlsx", sheet=said)


def test_the_sheet_is_named(tmp_path):
    write_table(pa.table({"a": [1]}), tmp_path / "a.xlsx", sheet="Größen 2020")
    assert read_contents(tmp_path / "a.xlsx").found == {"sheet": "Größen 2020"}


def test_a_column_without_a_name(tmp_path):
    with pytest.raises(OutputError, match="A column without a name"):
        write_table(pa.table({" ": [1]}), tmp_path / "a.xlsx")


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(OutputError, match="Create the folder"):
        write_table(pa.table({"a": [1]}), tmp_path / "none" / "a.xlsx")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # xlsxwriter's files
@pytest.mark.parametrize("at", ["ZipFile", "ZipFile.write"])
def test_nothing_is_left_when_the_disk_is_full(tmp_path, monkeypatch, at):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(f"xlsxwriter.workbook.{at}", full)
    with pytest.raises(OutputError, match="Free some space"):
        write_table(pa.table({"a": [1]}), tmp_path / "a.xlsx")
    gc.collect()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".xls", ".xlsb", ".ods"])
def test_other_workbooks_are_only_read(tmp_path, suffix):
    with pytest.raises(OutputError, match="does not write one"):
        write_table(pa.table({"a": [1]}), tmp_path / f"a{suffix}")

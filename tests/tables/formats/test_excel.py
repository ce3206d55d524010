"""A table as a workbook: what is printed, and what must not be in any part of the file."""

from __future__ import annotations

import zipfile
from pathlib import Path

import fastexcel
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import OutputError, ParameterError
from tacita.tables.dimension import Dimension
from tacita.tables.formats import excel
from tacita.tables.ready import ready_table
from tacita.tables.status import Status

LONG = 10**12  # so that nothing else in a file is one of the values


def parts_of(path: Path) -> str:
    with zipfile.ZipFile(path) as book:
        return "\n".join(book.read(name).decode() for name in book.namelist())


def sheet_of(path: Path, name: str = "Table") -> list[list[str | None]]:
    sheet = fastexcel.read_excel(path).load_sheet(name, header_row=None, dtypes="string")
    columns = [column.to_pylist() for column in sheet.to_arrow().columns]
    return [list(row) for row in zip(*columns, strict=True)]


def test_the_sheet_is_a_grid_with_marks_and_a_footnote(salary, tmp_path):
    excel.write(salary, tmp_path / "salary.xlsx")
    assert [row for row in sheet_of(tmp_path / "salary.xlsx") if any(row)] == [
        ["salary", None, None, None],
        ["sum of Salary by Sector, Region", None, None, None],
        ["Sector / Region", "Total", "BCN", "TGN"],
        ["Total", "1916000", "1566000", "350000"],
        ["IT", "949000", "x", "97000"],
        ["Fin", "485000", "x", "x"],
        ["HC", "482000", "379000", "103000"],
        ["x: suppressed to protect respondents.", None, None, None],
    ]


def test_primary_and_secondary_look_alike_unless_said(salary, tmp_path):
    status = salary.cells.status.copy()
    status[salary.row(Sector="IT", Region="BCN")] = Status.SECONDARY
    mixed = salary.with_cells(status=status)
    excel.write(salary, tmp_path / "a.xlsx")
    excel.write(mixed, tmp_path / "b.xlsx")
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    excel.write(mixed, tmp_path / "c.xlsx", markers={"sensitive": "c"})
    rows = sheet_of(tmp_path / "c.xlsx")
    assert [row[2] for row in rows[4:8]] == ["1566000", "x", "c", "379000"]
    assert "c: suppressed because it would disclose" in rows[9][0]
    assert "x: suppressed to protect other cells" in rows[10][0]


@given(st.integers(0, 2**32), st.integers(1, 3))
def test_no_part_of_the_file_holds_a_suppressed_value(
    random_table, given_away, tmp_path_factory, seed, dimensions
):
    table = random_table(seed, dimensions=dimensions, most=LONG)
    path = tmp_path_factory.mktemp("excel") / "table.xlsx"
    excel.write(table, path)
    text = parts_of(path)
    for value in table.cells.value[~table.cells.suppressed]:
        assert f"<v>{value:.0f}</v>" in text
    assert not given_away(table, text)


def test_the_bytes_do_not_depend_on_what_is_suppressed(random_table, tmp_path):
    for seed in range(5):
        table = random_table(seed, dimensions=3)
        hidden = table.cells.suppressed
        other = table.with_cells(
            value=np.where(hidden, 0.25, table.cells.value),
            shown=np.where(hidden, 0.25, table.cells.shown),
            status=np.where(hidden, Status.SENSITIVE, table.cells.status),
            reason=np.where(hidden, "dominance", ""),
        )
        excel.write(table, tmp_path / "a.xlsx")
        excel.write(other, tmp_path / "b.xlsx")
        assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()


def test_further_attributes_have_a_sheet_for_each_code(random_table, tmp_path):
    table = random_table(3, dimensions=3)
    excel.write(table, tmp_path / "cube.xlsx")
    names = fastexcel.read_excel(tmp_path / "cube.xlsx").sheet_names
    middle = table.dimensions[1]
    assert names == [f"Table {number}" for number in range(1, len(middle) + 1)]
    for name, code in zip(names, middle.codes, strict=True):
        rows = sheet_of(tmp_path / "cube.xlsx", name)
        assert rows[1][0] == f"count by a, b, c; b: {code}"


def test_decimals_and_depths_are_shown(tmp_path):
    span = Dimension.from_nested("nace", {"Total": {"A": ["A1", "A2"], "B": ["B1"]}})
    codes = ["Total", "A", "A1", "A2"]
    table = ready_table("t", [span], {"nace": codes}, {"value": [3.25, 3.25, 1.25, 2]})
    excel.write(table, tmp_path / "t.xlsx")
    text = parts_of(tmp_path / "t.xlsx")
    assert 'formatCode="#,##0.00"' in text
    assert 'indent="1"' in text
    assert 'indent="2"' in text
    assert sheet_of(tmp_path / "t.xlsx")[8:] == [
        ["B", "-"],
        ["B1", "-"],
        [None, None],
        ["-: nobody contributes.", None],
    ]


def test_text_is_never_a_formula(tmp_path):
    span = Dimension.flat("=1+1", ["=2+2"])
    table = ready_table("=3+3", [span], {"=1+1": span.codes}, {"value": [1, 1]})
    excel.write(table, tmp_path / "t.xlsx")
    assert "<f>" not in parts_of(tmp_path / "t.xlsx")


def test_what_does_not_fit_is_refused(salary, tmp_path):
    with pytest.raises(ParameterError, match="sensitive and secondary"):
        excel.write(salary, tmp_path / "a.xlsx", markers={"safe": "s"})
    with pytest.raises(OutputError, match="folder"):
        excel.write(salary, tmp_path / "nowhere" / "a.xlsx")
    wide = Dimension.flat("b", map(str, range(16_384)))
    flat = Dimension.flat("a", ["1"])
    codes = {"a": ["Total"] * len(wide), "b": wide.codes}
    table = ready_table("wide", [flat, wide], codes, {"value": np.ones(len(wide))})
    with pytest.raises(OutputError, match=r"16,384 columns; `wide` needs .* 16,386"):
        excel.write(table, tmp_path / "a.xlsx")
    many = Dimension.flat("b", map(str, range(300)))
    codes = {"a": ["Total"] * len(many), "b": many.codes, "c": ["Total"] * len(many)}
    spans = [flat, many, Dimension.flat("c", ["1"])]
    table = ready_table("deep", spans, codes, {"value": np.ones(len(many))})
    with pytest.raises(OutputError, match="more than 200 sheets"):
        excel.write(table, tmp_path / "a.xlsx")
    assert not list(tmp_path.iterdir())

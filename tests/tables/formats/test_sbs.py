from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import InputError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.formats import sbs
from tacita.tables.status import Status
from tacita.tables.table import Table

SMALL = """"Total",30,9,V
"A",10,1,B,100
"b",8,2,A
"c",7,3,C,85.71
"d",5,3,D
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("sbs")


def said(folder: Path, text: str) -> Path:
    path = folder / "t.sbs"
    path.write_text(text)
    return path


def by_hand() -> Table:
    span = Dimension.flat("a", ["A", "b", "c", "d"])
    cells = Cells.of(
        [30, 10, 8, 7, 5],
        frequency=[9, 1, 2, 3, 3],
        largest=[[10, 5], [10, 0], [5, 3], [3.5, 2.5], [2, 2]],
        status=[0, Status.SENSITIVE, Status.SENSITIVE, Status.SENSITIVE, Status.SECONDARY],
        reason=np.array(["", "p_percent", "minimum_frequency", "dominance", ""], object),
    )
    return Table("t", (span,), np.arange(5)[:, None], cells, "v", "sum")


def test_a_file_written_by_hand(tmp_path):
    table = sbs.read(said(tmp_path, SMALL))
    assert table.cells.value.tolist() == [30, 10, 8, 7, 5]
    assert table.cells.frequency.tolist() == [9, 1, 2, 3, 3]
    words = [Status(status).word for status in table.cells.status]
    assert words == ["safe", "sensitive", "sensitive", "sensitive", "secondary"]
    assert table.cells.reason[2] == "minimum_frequency"
    assert table.system().decimals == 0


def test_cells_that_the_p_percent_rule_calls_sensitive_have_two_shares(tmp_path):
    newer = SMALL.replace('"c",7,3,C,85.71', '"c",7,3,F,50.0,35.7')
    table = sbs.read(said(tmp_path, newer))
    assert (table.cells.value[3], table.cells.reason[3]) == (7, "p_percent")
    np.testing.assert_array_equal(table.cells.status, by_hand().cells.status)


def test_flags_and_shares(tmp_path):
    sbs.write(by_hand(), tmp_path / "t.sbs")
    assert (tmp_path / "t.sbs").read_text() == SMALL


def test_half_of_a_cell_is_not_more_than_half(tmp_path):
    """3.5 of 7: two contributors dominate; with 3.6 it is one."""
    table = by_hand()
    largest = table.cells.largest.copy()
    largest[3, 0] = 3.6
    sbs.write(table.with_cells(largest=largest), tmp_path / "t.sbs")
    assert '"c",7,3,B,51.43' in (tmp_path / "t.sbs").read_text()


def test_nothing_is_told_of_suppressed_cells_that_are_blank(tmp_path):
    sbs.write(by_hand(), tmp_path / "t.sbs", suppressed="blank")
    assert (tmp_path / "t.sbs").read_text().splitlines()[1:] == [
        '"A",,,B',
        '"b",,,A',
        '"c",,,C',
        '"d",,,D',
    ]
    assert np.isnan(sbs.read(tmp_path / "t.sbs").cells.value[1:]).all()


@given(st.integers(0, 10**6), st.integers(1, 3))
def test_everything_comes_back(random_table, folder, seed, dimensions):
    table = random_table(seed, dimensions=dimensions)
    sbs.write(table, folder / "r.sbs")
    back = sbs.read(folder / "r.sbs", by=table.dimensions)
    for name in ("value", "contributors", "status"):
        assert np.array_equal(getattr(back.cells, name), getattr(table.cells, name)), name


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        ("7,3,C,", "7,3,Q,", "line 4: expected a status .*found `Q`"),
        ("8,2,A", "8,2,Q", "line 3: expected codes, a value, a frequency and a flag"),
        ("8,2,A", "8,two,A", "line 3: expected a number for the frequency; found `two`"),
        ('"b",', '"A",', r"line 3: the cell \(A\) is listed a second time; it stands in line 2"),
        ("8,2,A", "A", "line 3: expected codes, a value, a frequency and a flag"),
        ('"b",8', '"b","z",8', "line 3: expected 5 fields"),
    ],
)
def test_damage_is_told_with_its_line(tmp_path, wrong, right, message):
    assert wrong in SMALL
    with pytest.raises(InputError, match=message):
        sbs.read(said(tmp_path, SMALL.replace(wrong, right)))

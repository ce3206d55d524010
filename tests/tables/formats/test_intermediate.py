from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.hierarchies.files import hrc
from tacita.errors import InputError
from tacita.tables.dimension import Dimension
from tacita.tables.formats import intermediate
from tacita.tables.status import Status

PP = Path(__file__).parents[4] / "shared" / "data" / "tables" / "tauargus" / "tableinput"
SMALL = """"Total";12,5;5;12,5;3;9;2,5;S;0;0
"a";5;1;5;1;5;0;U;0,75;1,5
"b";7,5;4;7,5;2;4;2,5;M;0;0
"c";0;0;0;0;0;0;E;0;0
"""
COLUMNS = (
    *("value", "frequency", "contributors", "total", "cost", "largest", "status"),
    *("lower_level", "upper_level"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("intermediate")


def said(folder: Path, text: str) -> Path:
    path = folder / "t.csv"
    path.write_text(text)
    return path


def test_a_file_written_by_hand(tmp_path):
    table = intermediate.read(said(tmp_path, SMALL))
    assert table.cells.value.tolist() == [12.5, 5, 7.5]
    assert table.cells.frequency.tolist() == [5, 1, 4]
    assert table.cells.cost.tolist() == [3, 1, 2]
    assert table.cells.largest.tolist() == [[9, 2.5], [5, 0], [4, 2.5]]
    assert table.cells.status.tolist() == [Status.SAFE, Status.SENSITIVE, Status.SECONDARY]
    assert table.cells.upper_level.tolist() == [0, 1.5, 0]
    assert table.dimensions[0].codes == ("Total", "a", "b", "c")


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(0, 3))
def test_everything_comes_back(random_table, folder, seed, dimensions, kept):
    table = random_table(seed, dimensions=dimensions)
    rng = np.random.default_rng(seed)
    n = len(table)
    table = table.with_cells(
        cost=rng.lognormal(0, 10, n),
        total=rng.random(n),
        largest=rng.random((n, kept)),
        lower_level=rng.random(n),
        upper_level=rng.lognormal(0, 30, n),
        status=rng.integers(0, 4, n).astype(np.int8),
    )
    intermediate.write(table, folder / "r.csv")
    back = intermediate.read(folder / "r.csv", by=table.dimensions)
    assert np.array_equal(back.places, table.places)
    for name in COLUMNS:
        assert np.array_equal(getattr(back.cells, name), getattr(table.cells, name)), name


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        (";5;0;U", ";five;0;U", "line 2: expected a number for the largest; found `five`"),
        (";0;U;", ";0;Q;", "line 2: expected a status .*found `Q`"),
        ('"b";', '"a";', r"line 3: the cell \(a\) is listed a second time; it stands in line 2"),
        ("2,5;M;0;0", "2,5;M;0", "line 3: expected 10 fields"),
    ],
)
def test_damage_is_told_with_its_line(tmp_path, wrong, right, message):
    assert wrong in SMALL
    with pytest.raises(InputError, match=message):
        intermediate.read(said(tmp_path, SMALL.replace(wrong, right)))


def test_codes_without_quotes_need_their_dimensions(tmp_path):
    path = said(tmp_path, SMALL.replace('"', ""))
    with pytest.raises(InputError, match="line 1: the codes are not in quotes"):
        intermediate.read(path)
    assert len(intermediate.read(path, by=[Dimension.flat("a", "abc")])) == 3


@pytest.mark.skipif(not PP.is_dir(), reason="the reference data are not here")
def test_a_table_that_tau_argus_wrote():
    tree = hrc.read(PP / "region2.hrc", leading="@")
    region = Dimension.from_trees("Region", [tree], missing=["99"])
    size = Dimension.flat("Size", [*"23456789", "99"])
    table = intermediate.read(PP / "pp.tab", by=[size, region])
    row = table.row(Size="9", Region="4")
    assert table.cells.value[row] == 11968
    assert table.cells.frequency[row] == 29
    assert table.cells.largest[row].tolist() == [11401, 145]
    assert table.cells.upper_level[row] == 1288.15
    assert (len(table), int(table.cells.sensitive.sum())) == (119, 9)

from __future__ import annotations

import contextlib
import csv
import gzip
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import InputError, OutputError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.formats import jj
from tacita.tables.formats.jj import LETTERS
from tacita.tables.status import Status
from tacita.tables.table import Table

DERIVED = Path(__file__).parents[4] / "shared" / "data" / "tables" / "derived_jj"
COUNTS = {  # cells, relations, sensitive, published whatever happens
    "simple2d_p15": (153, 62, 9, 34),
    "tauW_SR_nk2_75": (153, 62, 9, 34),
    "tauW_IS_p10": (3285, 968, 229, 1549),
    "tauW_ISR_p10": (55845, 32881, 4684, 38597),
    "ent_act_product_p10h": (1485, 324, 269, 563),
    "ent_region_product_p10h": (225, 60, 17, 13),
}
SMALL = """0
3
0 7 7 s 0 20 0 0 0
1 3 3 u 0 20 1 2 0
2 4 4 m -1e20 1e20 0 0 0.5
1
0.00 3 : 0 (-1) 1 (1) 2 (1)
"""
COLUMNS = ("value", "cost", "lower_bound", "upper_bound", *jj.LEVELS, "status")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("jj")


def said(folder: Path, text: str) -> Path:
    path = folder / "t.jj"
    path.write_text(text, encoding="utf-8")
    return path


def same(one, other) -> bool:
    relations = (one.relations != other.relations).nnz == 0
    cells = all(
        np.array_equal(getattr(one.cells, name), getattr(other.cells, name)) for name in COLUMNS
    )
    return relations and cells and np.array_equal(one.rhs, other.rhs)


class TestReading:
    def test_a_file_written_by_hand(self, tmp_path):
        system = jj.read(said(tmp_path, SMALL))
        assert system.cells.value.tolist() == [7, 3, 4]
        assert system.cells.status.tolist() == [Status.SAFE, Status.SENSITIVE, Status.SECONDARY]
        assert system.cells.lower_bound.tolist() == [0, 0, -np.inf]
        assert system.cells.upper_bound.tolist() == [20, 20, np.inf]
        assert system.cells.lower_level[1] == 1
        assert system.cells.upper_level[1] == 2
        assert system.cells.sliding_level[2] == 0.5
        assert system.relations.toarray().tolist() == [[-1, 1, 1]]
        assert np.isnan(system.cells.frequency).all()

    def test_other_spellings(self, tmp_path):
        """Windows line ends, no blanks before parentheses, statuses of other programs."""
        text = SMALL.replace(" (", "(").replace(" m ", " x ").replace("\n", "\r\n")
        assert same(jj.read(said(tmp_path, text)), jj.read(said(tmp_path, SMALL)))
        dummy = jj.read(said(tmp_path, SMALL.replace(" m ", " w ")))
        assert dummy.cells.suppressed.tolist() == [False, True, True]

    def test_cells_in_aligned_columns_and_blank_lines(self, tmp_path):
        """What cannot be read at once is read line by line, and comes to the same."""
        text = SMALL.replace("0 20", "0 \t  20").replace("1 3 3", "\n\n  1  +3 3.0")
        assert same(jj.read(said(tmp_path, text)), jj.read(said(tmp_path, SMALL)))
        with pytest.raises(InputError, match="line 6: expected a number; found `three`"):
            jj.read(said(tmp_path, text.replace("+3", "three")))

    def test_frequencies_in_aligned_columns(self, tmp_path):
        path = said(tmp_path, SMALL)
        (tmp_path / "t.jj.frq").write_text("9  4\n5 \t0\n4 3\n")
        assert jj.read(path).cells.contributors.tolist() == [4, 5, 3]
        (tmp_path / "t.jj.frq").write_text("9 4\n5\n4 3\n")
        with pytest.raises(InputError, match="line 2: expected records and contributors"):
            jj.read(path)

    @pytest.mark.parametrize("sign", ["\N{NO-BREAK SPACE}", "\N{ARABIC-INDIC DIGIT ONE}"])
    def test_relations_are_plain_text(self, tmp_path, sign):
        with pytest.raises(InputError, match="line 7: expected a relation such as"):
            jj.read(said(tmp_path, SMALL.replace("1 (1) 2", f"1 ({sign}1) 2")))

    def test_frequencies_lie_beside(self, tmp_path):
        path = said(tmp_path, SMALL)
        (tmp_path / "t.jj.frq").write_text("9 4\n5 0\n4 3\n")
        cells = jj.read(path).cells
        assert cells.frequency.tolist() == [9, 5, 4]
        assert cells.contributors.tolist() == [4, 5, 3]

    @pytest.mark.parametrize(
        ("wrong", "right", "message"),
        [
            ("0\n3\n", "1\n3\n", "line 1: expected 0"),
            ("0\n3\n", "0\nthree\n", "line 2: expected the number of cells; found `three`"),
            ("0\n3\n", "0\n30\n", "line 2: 30 cells are announced, but the file ends after 5"),
            ("0\n3\n", "0\n2\n", "line 5: expected the number of relations"),
            ("1 3 3 u", "1 3 u", "line 4: expected number, value, cost, status"),
            ("1 3 3 u", "1 three 3 u", "line 4: expected a number; found `three`"),
            ("1 3 3 u", "1 nan 3 u", "line 4: expected a number; found `nan`"),
            ("1 3 3 u", "1 3_0 3 u", "line 4: expected a number; found `3_0`"),
            ("1 3 3 u", "0 3 3 u", "line 4: expected cell 1; found `0`"),
            ("1 3 3 u", "1 3 3 q", "line 4: expected a status .*found `q`"),
            ("20 1 2 0", "20 -1 2 0", "line 4: expected a lower level of 0 or more"),
            (
                "\n1\n0.00",
                "\n2\n0.00",
                "line 6: 2 relations are announced, but the file ends after 1",
            ),
            ("2 (1)\n", "3 (1)\n", "line 7: the relation names cell 3; .* 0 to 2"),
            ("2 (1)\n", "1 (1)\n", "line 7: cell 1 stands twice"),
            ("0.00 3 :", "0.00 2 :", "line 7: 2 terms are announced; found 3"),
            ("0.00 3 :", "nil 3 :", "line 7: expected a number; found `nil`"),
            ("1 (1) 2", "1 (one) 2", "line 7: expected a relation such as"),
            ("2 (1)\n", "2 (1)\n4\n", "line 8: expected the end of the file"),
            ("1 3 3 u", "1 2 3 u", r"t.jj: 1 relation of the table does not add up"),
            ("0 7 7 s 0 20", "0 7 7 s 0 6", r"t.jj: Cell 0 is 7, outside"),
        ],
    )
    def test_damage_is_told_with_its_line(self, tmp_path, wrong, right, message):
        assert wrong in SMALL
        with pytest.raises(InputError, match=message) as caught:
            jj.read(said(tmp_path, SMALL.replace(wrong, right)))
        assert "t.jj" in str(caught.value)

    @given(st.integers(0, len(SMALL) - 2))
    def test_a_file_cut_off_is_refused(self, folder, end):
        with pytest.raises(InputError, match=r"t\.jj"):
            jj.read(said(folder, SMALL[:end]))

    @given(st.integers(0, len(SMALL) - 1), st.sampled_from("0 9x-.():\n\x00\xff"))
    def test_a_changed_character_is_never_a_traceback(self, folder, place, sign):
        with contextlib.suppress(InputError):
            jj.read(said(folder, SMALL[:place] + sign + SMALL[place + 1 :]))

    def test_frequencies_of_another_table_are_refused(self, tmp_path):
        path = said(tmp_path, SMALL)
        (tmp_path / "t.jj.frq").write_text("9 4\n5 0\n")
        with pytest.raises(InputError, match=r"has 2 lines, but .* has 3 cells"):
            jj.read(path)

    def test_a_file_that_is_not_there_or_not_packed(self, tmp_path):
        said(tmp_path, SMALL)
        with pytest.raises(InputError, match=r"There is no file .*Did you mean `t.jj`"):
            jj.read(tmp_path / "tt.jj")
        (tmp_path / "p.jj.gz").write_text(SMALL)
        with pytest.raises(InputError, match="no gzip file"):
            jj.read(tmp_path / "p.jj.gz")

    def test_no_cells(self, tmp_path):
        with pytest.raises(InputError, match="is empty"):
            jj.read(said(tmp_path, "0\n0\n0\n"))


class TestWriting:
    @given(st.integers(0, 10**6), st.integers(1, 3), st.data())
    def test_everything_comes_back(self, random_table, folder, seed, dimensions, data):
        table = random_table(seed, dimensions=dimensions)
        rng = np.random.default_rng(seed)
        n = len(table)
        unbounded = rng.random(n) < 0.5
        table = table.with_cells(
            cost=rng.lognormal(0, 10, n),
            lower_level=rng.random(n),
            upper_level=rng.lognormal(0, 30, n),
            sliding_level=np.round(rng.random(n), 2),
            lower_bound=np.where(unbounded, -np.inf, -1 / 3),
            upper_bound=np.where(unbounded, np.inf, table.cells.value + 0.1),
            contributors=np.maximum(table.cells.frequency - 1, 0),
        )
        path = folder / data.draw(st.sampled_from(["r.jj", "r.jj.gz"]))
        jj.write(table, path)
        system, back = table.system(), jj.read(path)
        assert same(system, back)
        assert np.array_equal(back.cells.frequency, table.cells.frequency)
        few = np.where(
            table.cells.contributors == 0, table.cells.frequency, table.cells.contributors
        )
        assert np.array_equal(back.cells.contributors, few)
        before = path.read_bytes()
        jj.write(back, path)
        assert path.read_bytes() == before

    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_every_double_comes_back(self, folder, value):
        cells = Cells.of([value, value])
        table = Table("t", (Dimension.flat("a", ["x"]),), np.arange(2)[:, None], cells, "v", "sum")
        jj.write(table, folder / "d.jj")
        assert np.array_equal(jj.read(folder / "d.jj").cells.value, cells.value)

    def test_the_text(self, tmp_path, salary):
        jj.write(salary, tmp_path / "s.jj")
        lines = (tmp_path / "s.jj").read_text().splitlines()
        assert lines[:3] == ["0", "12", "0 1916000 1916000 s 0 1e+20 0 0 0"]
        assert lines[14] == "7"
        assert lines[15] == "0 4 : 0 (-1) 3 (1) 6 (1) 9 (1)"
        assert not (tmp_path / "s.jj.frq").exists()

    def test_scaled_costs_are_whole_numbers_from_1_on(self, tmp_path, salary):
        costs = salary.cells.cost.copy()
        costs[5] = 0
        jj.write(salary.with_cells(cost=costs), tmp_path / "s.jj", costs="scaled")
        scaled = jj.read(tmp_path / "s.jj").cells.cost
        assert scaled[0] == 20_000
        assert scaled[5] == 1
        assert scaled[1] == round(1566000 * 20000 / 1916000)

    def test_values_that_are_not_known_are_refused(self, tmp_path, salary):
        with pytest.raises(OutputError, match=r"that of \(Sector IT, Region BCN\) is not known"):
            jj.write(salary.published(), tmp_path / "s.jj")
        assert not list(tmp_path.iterdir())

    def test_old_frequencies_beside_are_not_taken_for_new_ones(self, tmp_path, salary):
        (tmp_path / "s.jj.frq").write_text("1 1\n")
        with pytest.raises(OutputError, match="would be read as the frequencies"):
            jj.write(salary, tmp_path / "s.jj")

    def test_relations_that_come_to_something_else(self, tmp_path):
        system = jj.read(
            said(tmp_path, SMALL.replace("0.00 3 :", "2.5 3 :").replace("0 7 7", "0 4.5 7"))
        )
        jj.write(replace(system), tmp_path / "u.jj")
        assert jj.read(tmp_path / "u.jj").rhs.tolist() == [2.5]


@pytest.mark.skipif(not DERIVED.is_dir(), reason="the reference data are not here")
@pytest.mark.parametrize("name", COUNTS)
def test_stored_instances(name, tmp_path):
    system = jj.read(DERIVED / f"{name}.jj.gz")
    cells = system.cells
    published = int((cells.status == Status.PUBLISHED).sum())
    counts = (len(system), system.relations.shape[0], int(cells.sensitive.sum()), published)
    assert counts == COUNTS[name]
    with gzip.open(DERIVED / f"{name}.cells.csv.gz", "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    assert np.abs(cells.value - [float(row["value"]) for row in rows]).max() < 1e-2
    assert [LETTERS[Status(status)] for status in cells.status] == [row["status"] for row in rows]
    for level, column in (("lower_level", "lpl"), ("upper_level", "upl")):
        assert np.allclose(getattr(cells, level), [float(row[column]) for row in rows], atol=1e-5)
    jj.write(system, tmp_path / "again.jj")
    assert same(system, jj.read(tmp_path / "again.jj"))


def test_messages_have_one_line_even_for_long_relations(tmp_path):
    text = SMALL.replace("0.00 3 :", "0.00 3 ; " + "1 (1) " * 100)
    with pytest.raises(InputError) as caught:
        jj.read(said(tmp_path, text))
    assert len(str(caught.value)) < 400
    assert re.search("line 7", str(caught.value))

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import HierarchyError, InputError, OutputError, ParameterError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.formats import tab
from tacita.tables.status import Status
from tacita.tables.table import Table

TABLES = Path(__file__).parents[4] / "shared" / "data" / "tables"
RDA = """<SEPARATOR> ","
<SAFE> "ok"
<UNSAFE> "bad"
<PROTECT> "keep"
// a comment
Branch "99"
  <RECODEABLE>
  <TOTCODE> "All"
  <HIERARCHICAL> <HIERLEVELS> 1 1 0 0 0
Var
  <NUMERIC> <DECIMALS> 1
Other
  <NUMERIC>
Freq
  <FREQUENCY>
State
  <STATUS>
Up
  <NUMERIC> <UPPERPL>
"""
TAB = """  All,10.5,1,9,ok,0
    1, 7.5,2,6,ok,0
   11, 4.5,3,1,bad,2.5
   12, 3.0,4,5,M,0
    2, 2.0,5,2,keep,0
   99, 1.0,6,1,ok,0
"""
COLUMNS = (
    *("value", "frequency", "contributors", "total", "cost", "largest", "status"),
    *("lower_level", "upper_level"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("tab")


def said(folder: Path, text: str = TAB, description: str = RDA) -> Path:
    (folder / "T.RDA").write_text(description)
    (folder / "t.tab").write_text(text)
    return folder / "t.tab"


class TestReading:
    def test_a_file_written_by_hand(self, tmp_path):
        table = tab.read(said(tmp_path))
        (branch,) = table.dimensions
        assert branch.codes == ("All", "1", "11", "12", "2", "99")
        assert [branch.depth(place) for place in range(6)] == [0, 1, 2, 2, 1, 1]
        assert branch.missing == {"99"}
        assert table.cells.value.tolist() == [10.5, 7.5, 4.5, 3, 2, 1]
        assert table.cells.frequency.tolist() == [9, 6, 1, 5, 2, 1]
        assert table.cells.status.tolist() == [
            *(Status.SAFE, Status.SAFE, Status.SENSITIVE),
            *(Status.SECONDARY, Status.PUBLISHED, Status.SAFE),
        ]
        assert table.cells.upper_level[2] == 2.5
        assert (table.variable, table.statistic) == ("Var", "sum")
        assert table.system().decimals == 1

    def test_another_value_or_the_counts(self, tmp_path):
        assert tab.read(said(tmp_path), value="Other").cells.value.tolist() == [1, 2, 3, 4, 5, 6]
        with pytest.raises(ParameterError, match=r"no variable `Vat`.* Did you mean `Var`"):
            tab.read(said(tmp_path), value="Vat")
        counts = tab.read(said(tmp_path), value="Freq")
        assert (counts.variable, counts.statistic) == (None, "count")
        assert counts.cells.frequency.tolist() == counts.cells.value.tolist() == [9, 6, 1, 5, 2, 1]

    @pytest.mark.parametrize(
        ("wrong", "right", "message"),
        [
            ("3.0,4", "three,4", "t.tab, line 4: expected a number for the value; found `three`"),
            (",bad,", ",mad,", "t.tab, line 3: expected a status .*found `mad`"),
            ("   12,", "   11,", r"t.tab, line 4: the cell \(11\) is listed a second time"),
            ("5,M,0", "5,M", "t.tab, line 4: expected 6 fields .*found 5"),
        ],
    )
    def test_damage_is_told_with_its_line(self, tmp_path, wrong, right, message):
        assert wrong in TAB
        with pytest.raises(InputError, match=message):
            tab.read(said(tmp_path, TAB.replace(wrong, right)))

    @pytest.mark.parametrize(
        ("wrong", "right", "message"),
        [
            ('","', '",,"', "one character after <SEPARATOR>"),
            ("<SAFE>", "<SAFE> x", "line 2: expected one word after <SAFE>; found 2"),
            ('"bad"', '"ok"', "must be different words"),
            ("  <RECODEABLE>", "  < RECODEABLE", "line 7: expected a tag such as"),
            ("1 1 0 0 0", "one", "line 6: expected how many characters each level .*found `one`"),
            (
                "<HIERLEVELS> 1 1 0 0 0",
                '<HIERCODELIST> "x.hrc"',
                "line 6: the hierarchy file 'x.hrc'",
            ),
        ],
    )
    def test_a_damaged_description_is_told_with_its_line(self, tmp_path, wrong, right, message):
        assert wrong in RDA
        with pytest.raises(InputError, match=message):
            tab.read(said(tmp_path, TAB, RDA.replace(wrong, right)))

    def test_descriptions_that_lack_something(self, tmp_path):
        with pytest.raises(InputError, match="names no variables"):
            tab.read(said(tmp_path, TAB, '<SEPARATOR> ","\n'))
        with pytest.raises(InputError, match="of no variable that it is <RECODEABLE>"):
            tab.read(said(tmp_path, "5\n", "v\n <NUMERIC>\n"))
        with pytest.raises(InputError, match="of no variable that it is <NUMERIC>"):
            tab.read(said(tmp_path, "Total\n", "v\n <RECODEABLE>\n"))
        (tmp_path / "alone.tab").write_text(TAB)
        with pytest.raises(InputError, match=r"no description alone.rda beside"):
            tab.read(tmp_path / "alone.tab")

    def test_a_code_that_the_hierarchy_does_not_have(self, tmp_path):
        (tmp_path / "h.hrc").write_text("1\n@11\n2\n")
        description = RDA.replace("<HIERLEVELS> 1 1 0 0 0", '<HIERCODELIST> "C:\\data\\H.HRC"')
        with pytest.raises(InputError, match=r"t.tab, line 4: `Branch` has no code '12'"):
            tab.read(said(tmp_path, TAB, description))


def described(table: Table) -> Table:
    """Give codes labels and say which stand for missing values."""
    spans = [
        replace(
            span,
            labels={code: f"the {code}, or so" for code in span.codes[:2]},
            missing=frozenset(span.codes[-1:]) if span.depth(len(span) - 1) == 1 else frozenset(),
        )
        for span in table.dimensions
    ]
    return replace(table, dimensions=tuple(spans))


class TestWriting:
    @given(st.integers(0, 10**6), st.integers(1, 3), st.sampled_from(["point", "comma"]))
    def test_everything_comes_back(self, random_table, folder, seed, dimensions, decimal):
        table = described(random_table(seed, dimensions=dimensions))
        rng = np.random.default_rng(seed)
        n = len(table)
        table = table.with_cells(
            cost=rng.lognormal(0, 10, n),
            total=rng.random(n),
            largest=rng.random((n, seed % 3)),
            contributors=table.cells.frequency - seed % 2,
            lower_level=rng.random(n),
            upper_level=rng.lognormal(0, 30, n),
            status=rng.integers(0, 4, n).astype(np.int8),
        )
        if any(len(span.parents) > 1 for span in table.dimensions):
            with pytest.raises(OutputError, match="one hierarchy for each attribute"):
                tab.write(table, folder / "r.tab")
            return
        tab.write(table, folder / "r.tab", decimal=decimal)
        back = tab.read(folder / "r.tab")
        for one, other in zip(back.dimensions, table.dimensions, strict=True):
            assert (one.name, one.codes, one.missing) == (other.name, other.codes, other.missing)
            assert np.array_equal(one.parents, other.parents)
            assert one.labels == other.labels
        assert np.array_equal(back.places, table.places)
        assert (back.variable, back.statistic) == (table.variable, table.statistic)
        for name in COLUMNS:
            assert np.array_equal(getattr(back.cells, name), getattr(table.cells, name)), name

    def test_sums_and_odd_codes(self, tmp_path):
        span = Dimension.from_nested("the region", {"<all>": {'a "b"': ["x; y", "z"], "-5": ["5"]}})
        cells = Cells.of([-1.5, 0.5, 0.25, 0.25, -2, -2])
        table = Table("t", (span,), np.arange(6)[:, None], cells, "net income", "sum")
        tab.write(table, tmp_path / "o.tab")
        back = tab.read(tmp_path / "o.tab")
        assert back.dimensions[0].codes == span.codes
        assert back.dimensions[0].name == "the region"
        assert (back.variable, back.statistic) == ("net income", "sum")
        assert back.cells.value.tolist() == cells.value.tolist()
        assert np.isnan(back.cells.frequency).all()

    def test_what_the_files_cannot_hold(self, tmp_path, salary):
        for name in ('say "a"', "a\nb"):
            with pytest.raises(OutputError, match="holds a quote or a line end"):
                tab.write(replace(salary, variable=name), tmp_path / "s.tab")
        span = Dimension.flat("a", ["@x"])
        at = Table("t", (span,), np.arange(2)[:, None], Cells.of([1, 1]))
        with pytest.raises(OutputError, match="it begins with the leading string"):
            tab.write(at, tmp_path / "s.tab")
        assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not TABLES.is_dir(), reason="the reference data are not here")
class TestTauArgus:
    def test_ex1(self):
        ex1 = TABLES / "checkTauArgus" / "ex1"
        table = tab.read(ex1 / "tabdata_ex1.tab", metadata=ex1 / "metadata_ex1.rda")
        assert len(table) == 15
        assert table.system().decimals == 0
        assert table.codes_of(int(np.flatnonzero(table.cells.sensitive)[0])) == ("A", "female")
        assert table.cells.value[table.row()] == 5146

    def test_pp(self, tmp_path):
        table = tab.read(TABLES / "tauargus" / "tableinput" / "pp.tab")
        assert (len(table), int(table.cells.sensitive.sum())) == (119, 9)
        assert table.dimensions[1].labels["1"] == "Groningen"
        assert table.cells.cost[table.row()] == 16847646.84
        with pytest.raises(InputError, match="3 relations of the table do not add up"):
            table.system()  # three cells of the stored file are 1 less than in the data
        shadow = table.with_cells(value=table.cells.total)
        assert shadow.system().decimals == 2
        tab.write(table, tmp_path / "pp.tab", decimal="comma")
        back = tab.read(tmp_path / "pp.tab")
        for name in COLUMNS:
            assert np.array_equal(getattr(back.cells, name), getattr(table.cells, name)), name


def test_a_hierarchy_that_is_no_tree(tmp_path):
    (tmp_path / "h.hrc").write_text("1\n@11\n2\n@11\n")
    description = RDA.replace("<HIERLEVELS> 1 1 0 0 0", '<HIERCODELIST> "h.hrc"')
    with pytest.raises(HierarchyError, match=r"h.hrc, lines 2 and 4: the code '11' stands twice"):
        tab.read(said(tmp_path, TAB, description))

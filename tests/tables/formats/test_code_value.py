from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.hierarchies.files import hrc
from tacita.data.hierarchies.tree import Tree
from tacita.errors import InputError, OutputError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.formats import code_value
from tacita.tables.ready import ready_table
from tacita.tables.status import Status
from tacita.tables.table import Table

TAU = Path(__file__).parents[4] / "shared" / "data" / "tables" / "checkTauArgus"
SMALL = """"Total","Total",12.50,1
"Total","N",5.00,11
"Total","S",7.50,1
"a","Total",12.50,10
"a","N",5.00,3
"a","S",7.50,12
"b","Total",-,14
"b","S",-,14
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("code_value")


def said(folder: Path, text: str) -> Path:
    path = folder / "t.txt"
    path.write_text(text)
    return path


class TestReading:
    def test_a_file_written_by_hand(self, tmp_path):
        table = code_value.read(said(tmp_path, SMALL))
        assert [d.codes for d in table.dimensions] == [("Total", "a", "b"), ("Total", "N", "S")]
        assert table.cells.value.tolist() == [12.5, 5, 7.5, 12.5, 5, 7.5]
        row = table.row(attribute_1="a", attribute_2="N")
        assert table.cells.status[row] == Status.SENSITIVE
        assert table.cells.reason[row] == "rule"
        assert table.cells.status[table.row(attribute_1="a")] == Status.PUBLISHED
        assert table.system().decimals == 1

    def test_a_header_names_the_attributes(self, tmp_path):
        table = code_value.read(said(tmp_path, f'"Size","Region","Var2","Status"\n{SMALL}'))
        assert [d.name for d in table.dimensions] == ["Size", "Region"]

    def test_every_status_has_its_meaning(self, tmp_path):
        text = "".join(f'"c{number}",1,{number}\n' for number in range(1, 14))
        table = code_value.read(said(tmp_path, f'"Total",13,1\n{text}"c14",-,14\n'))
        of_code = dict(zip(table.dimensions[0].codes, range(20), strict=False))
        status = {number: int(table.cells.status[of_code[f"c{number}"]]) for number in range(1, 14)}
        assert [n for n, s in status.items() if s == Status.SENSITIVE] == [3, 4, 5, 6, 7, 8, 9]
        assert [n for n, s in status.items() if s == Status.SECONDARY] == [11, 12]
        assert [n for n, s in status.items() if s == Status.SAFE] == [1, 2, 13]
        assert len(table) == 14

    def test_the_total_may_be_called_anything_and_an_empty_code_is_the_total(self, tmp_path):
        text = SMALL.replace('"Total"', '"T"')
        totals = {"attribute_1": "T", "attribute_2": "T"}
        assert code_value.read(said(tmp_path, text), totals="T").dimensions[0].total == "T"
        assert code_value.read(said(tmp_path, text), totals=totals).dimensions[1].total == "T"
        dimensions = code_value.read(said(tmp_path, SMALL)).dimensions
        blank = SMALL.replace('"Total"', '""')
        assert len(code_value.read(said(tmp_path, blank), by=dimensions)) == 6

    @pytest.mark.parametrize(
        ("wrong", "right", "message"),
        [
            (
                '"a","N",5.00,3',
                '"a","N",five,3',
                "line 5: expected a number for the value; found `five`",
            ),
            ('"a","N",5.00,3', '"a","N",5.00,15', "line 5: expected a status .*found `15`"),
            ('"a","N",5.00,3', '"a","N",5.00', "line 5: expected 4 fields .*found 3"),
            ('"a","N",5.00,3', '"a,"N",5.00,3', "line 5: a quote is not closed"),
            ('"a","S"', '"a","N"', r"line 6: the cell \(a, N\) is listed a second time; .* line 5"),
            ('"b","S",-', '"b","S",3', "line 8: the cell is said to be empty, but its value is 3"),
            ("12.50,10", "-,14", "line 4: the cell is said to be empty, but cells .* are not"),
        ],
    )
    def test_damage_is_told_with_its_line(self, tmp_path, wrong, right, message):
        assert wrong in SMALL
        with pytest.raises(InputError, match=message) as caught:
            code_value.read(said(tmp_path, SMALL.replace(wrong, right)))
        assert "t.txt" in str(caught.value)

    def test_codes_that_the_attribute_does_not_have(self, tmp_path):
        dimensions = [Dimension.flat("size", ["a", "b"]), Dimension.flat("region", ["N", "Sud"])]
        with pytest.raises(InputError, match=r"line 3: `region` has no code 'S'"):
            code_value.read(said(tmp_path, SMALL), by=dimensions)
        with pytest.raises(InputError, match="has 2 codes a line; `by` names 1 attribute"):
            code_value.read(said(tmp_path, SMALL), by=dimensions[:1])
        with pytest.raises(InputError, match=r"Two attributes .* are called `size`"):
            code_value.read(said(tmp_path, SMALL), by=[dimensions[0]] * 2)

    def test_no_total(self, tmp_path):
        with pytest.raises(InputError, match=r"t.txt: .* has no code 'All' for its total"):
            code_value.read(said(tmp_path, SMALL), totals="All")

    def test_nothing_in_it(self, tmp_path):
        with pytest.raises(InputError, match="is empty"):
            code_value.read(said(tmp_path, "\n \n"))
        with pytest.raises(InputError, match="line 1: expected codes, a value and a status"):
            code_value.read(said(tmp_path, "5\n"))
        with pytest.raises(InputError, match="lists empty cells only"):
            code_value.read(said(tmp_path, '"Total",-,14\n'))


class TestWriting:
    @given(st.integers(0, 10**6), st.integers(1, 3))
    def test_everything_comes_back(self, random_table, folder, seed, dimensions):
        table = random_table(seed, dimensions=dimensions)
        third = table.with_cells(value=table.cells.value / 3)
        code_value.write(third, folder / "r.txt", suppressed="shown")
        back = code_value.read(folder / "r.txt", by=table.dimensions)
        assert np.array_equal(back.places, table.places)
        assert np.array_equal(back.cells.value, third.cells.value)
        assert np.array_equal(back.cells.status, table.cells.status)

    @given(st.integers(0, 10**6))
    def test_suppressed_values_do_not_get_out(self, random_table, folder, seed):
        table = random_table(seed)
        secret = table.with_cells(value=np.where(table.cells.suppressed, 987654321.25, 1.0))
        code_value.write(secret, folder / "p.txt")
        assert "987654321" not in (folder / "p.txt").read_text()
        back = code_value.read(folder / "p.txt", by=table.dimensions)
        assert np.array_equal(np.isnan(back.cells.value), table.cells.suppressed)

    def test_reasons_do_not_get_out_either(self, tmp_path):
        table = ready_table(
            "t",
            [Dimension.flat("a", ["x", "y"])],
            {"a": ["Total", "x", "y"]},
            {"value": [0, 0, 0], "status": [0, 1, 1], "reason": ["", "zero_rule", "p_percent"]},
        )
        code_value.write(table, tmp_path / "t.txt")
        assert (tmp_path / "t.txt").read_text().splitlines()[1:] == ['"x",x,3', '"y",x,3']

    def test_codes_and_reasons(self, tmp_path):
        span = Dimension.flat("a", ['say "x"', "p, q", "r"])
        status = [Status.SAFE, Status.SENSITIVE, Status.SENSITIVE, Status.PUBLISHED]
        reason = ["", "minimum_frequency", "p_percent", ""]
        cells = Cells.of([6, 1, 2, 3], status=status, reason=np.array(reason, object))
        table = Table("t", (span,), np.arange(4)[:, None], cells)
        code_value.write(table, tmp_path / "t.txt", suppressed="shown")
        assert (tmp_path / "t.txt").read_text().splitlines() == [
            '"Total",6,1',
            '"say ""x""",1,5',
            '"p, q",2,3',
            '"r",3,10',
        ]
        assert code_value.read(tmp_path / "t.txt").dimensions[0].codes == span.codes

    @pytest.mark.parametrize("code", [" a", "a\nb", "", "a\0"])
    def test_codes_that_no_line_holds(self, tmp_path, code):
        table = Table("t", (Dimension.flat("a", [code]),), np.arange(2)[:, None], Cells.of([1, 1]))
        with pytest.raises(OutputError, match="cannot be written"):
            code_value.write(table, tmp_path / "t.txt")
        assert not list(tmp_path.iterdir())

    def test_medians_are_not_listed(self, tmp_path, salary):
        median = Table("m", salary.dimensions, salary.places, salary.cells, "Salary", "median")
        with pytest.raises(OutputError, match="median"):
            code_value.write(median, tmp_path / "t.txt")


@pytest.mark.skipif(not TAU.is_dir(), reason="the reference data are not here")
class TestTauArgus:
    def test_simple2d(self):
        tree = hrc.read(TAU / "simple2d" / "region2.hrc", leading="@")
        region = Dimension.from_trees("Region", [tree], missing=["99"])
        size = Dimension.flat("Size", [*"23456789", "99"])
        table = code_value.read(TAU / "simple2d" / "Simple2D.txt", by=[size, region])
        assert (len(table), int(table.cells.sensitive.sum())) == (119, 9)
        assert table.cells.value[table.cells.sensitive].sum() == 12013
        assert int((table.cells.status == Status.SECONDARY).sum()) == 12
        assert table.system().decimals == 2

    @pytest.mark.parametrize(
        ("test", "attributes", "counts"),
        [
            ("1", ("nace_divisions", None), (555, 133, 283)),
            ("2a", ("nace_divisions", None), (614, 74, 283)),
            ("2b", ("nace_divisions", "KohStatReg"), (727, 127, 339)),
            ("3a", ("KohStatReg", "NUTS"), (642, 9, 36)),
        ],
    )
    def test_enterprise(self, tmp_path, test, attributes, counts):
        text = (TAU / "enterprise" / f"test_{test}.txt").read_text()
        path = said(tmp_path, second_apart(text, '(".*"),"11"', r'\1,"11b"'))
        with path.open(newline="") as file:
            rows = list(csv.reader(file))
        dimensions = []
        for axis, name in enumerate(attributes):
            codes = dict.fromkeys(row[axis].strip() for row in rows if row[axis] != "Total")
            if name is None:
                dimensions.append(Dimension.flat(f"a{axis}", codes))
                continue
            tree = hierarchy(name, tmp_path)
            known = {code for leaf in tree.paths for code in leaf}
            missing = [code for code in codes if code not in known]
            dimensions.append(Dimension.from_trees(f"a{axis}", [tree], missing=missing))
        table = code_value.read(path, by=dimensions)
        status = table.cells.status
        found = [
            int((status == s).sum()) for s in (Status.SAFE, Status.SECONDARY, Status.SENSITIVE)
        ]
        assert found == list(counts)
        assert table.system().decimals == 2


def hierarchy(name: str, folder: Path) -> Tree:
    """Read a stored hierarchy; one of them has the code 11 in two branches."""
    path = folder / f"{name}.hrc"
    path.write_text(second_apart((TAU / "enterprise" / path.name).read_text(), "@(11)", "@11b"))
    return hrc.read(path, leading="@")


def second_apart(text: str, pattern: str, other: str) -> str:
    """Give lines that stand a second time another code."""
    seen, lines = set(), []
    for line in text.splitlines():
        found = re.match(f"{pattern}(,|$)", line)
        again = found is not None and found[0] in seen
        if found is not None:
            seen.add(found[0])
        lines.append(re.sub(pattern, other, line, count=1) if again else line)
    return "\n".join(lines) + "\n"

"""Tables that are read as they are."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.release.tauargus.running import run_job

TAB = """Total;Total;100;30;40;20;S;0;0
Total;a;60;18;40;5;S;0;0
Total;b;40;12;20;9;S;0;0
x;Total;70;20;40;20;S;0;0
x;a;50;15;40;5;U;4;6
x;b;20;5;20;0;P;0;0
y;Total;30;10;9;5;S;0;0
y;a;10;3;5;4;U;0;0
y;b;20;7;9;8;S;0;0
"""
RDA = """<SEPARATOR> ";"
row
  <RECODEABLE>
  <TOTCODE> "Total"
column "m"
  <RECODEABLE>
  <TOTCODE> "Total"
amount
  <NUMERIC> <DECIMALS> 1
n
  <FREQUENCY>
Top1
  <MAXSCORE>
Top2
  <MAXSCORE>
status
  <STATUS>
low
  <NUMERIC> <LOWERPL>
up
  <NUMERIC> <UPPERPL>
"""
SPECIFY = '<SPECIFYTABLE> "column""row"|"amount"||\n'


@pytest.fixture
def read(tmp_path):
    def reading(more, tab=TAB, specify=SPECIFY):
        (tmp_path / "t.tab").write_text(tab)
        (tmp_path / "t.rda").write_text(RDA)
        job = tmp_path / "job.arb"
        job.write_text(f'<OPENTABLEDATA> "T.TAB"\n<OPENMETADATA> "t.rda"\n{specify}{more}\n')
        return run_job(job)

    return reading


def cell(one, **codes):
    row = one.table.row(**codes)
    cells = one.table.cells
    return (
        int(one.status_numbers()[row]),
        float(cells.lower_level[row]),
        float(cells.upper_level[row]),
    )


def test_statuses_of_the_file_and_levels_where_it_has_none(read):
    (one,) = read("<SAFETYRULE> MAN(30)\n<READTABLE>").tables
    assert one.codes() == [["Total", "a", "b", "m"], ["Total", "x", "y"]]
    assert cell(one, row="x", column="a") == (9, 4, 6)
    assert cell(one, row="y", column="a") == (9, 3, 3)
    assert cell(one, row="x", column="b")[0] == 10
    assert cell(one, row="x")[0] == 2
    assert one.decimals == 1


def test_without_rules_and_with_them(read):
    (bare,) = read("<READTABLE>").tables
    assert cell(bare, row="y", column="a") == (9, 2, 2)
    (ruled,) = read("<SAFETYRULE> NK(1,79)|FREQ(4,10)\n<READTABLE>").tables
    # of (x, a) the largest has 40 of 50, of (x, b) all; (y, a) has three contributors
    dominated = {("x", "a"), ("x", "b")}
    for row in "xy":
        for column in "ab":
            wanted = 3 if (row, column) in dominated else 5 if (row, column) == ("y", "a") else 1
            assert cell(ruled, row=row, column=column)[0] == wanted
    tab = TAB.replace(";P;", ";S;")
    (both,) = read("<SAFETYRULE> NK(1,79)\n<READTABLE> 0T", tab).tables
    assert cell(both, row="y", column="a")[0] == 9
    assert cell(both, row="x", column="b")[0] == 3


def test_totals_are_checked_computed_or_left_alone(read):
    wrong = TAB.replace("Total;a;60", "Total;a;61")
    with pytest.raises(Exception, match=r"line 4: .* do not add up"):
        read("<READTABLE>", wrong)
    (computed,) = read("<READTABLE> 1", wrong).tables
    np.testing.assert_array_equal(computed.table.cells.value, [100, 70, 30, 60, 50, 10, 40, 20, 20])
    (free,) = read("<READTABLE> 2", wrong).tables
    assert free.table.cells.value[free.table.row(column="a")] == 61


def test_absent_totals_are_computed_with_their_contributions(read):
    inner = "".join(
        f"{line}\n"
        for line in TAB.splitlines()
        if not line.startswith("Total;") and ";Total;" not in line
    )
    (one,) = read("<SAFETYRULE> NK(2,50)\n<READTABLE> 1", inner).tables
    cells = one.table.cells
    total = one.table.row()
    assert (cells.value[total], cells.frequency[total]) == (100, 30)
    assert cells.largest[total].tolist() == [40, 20]
    assert cell(one)[0] == 3  # 60 of 100


def test_several_files_are_read_at_once_each_by_its_own_description(read, tmp_path):
    (tmp_path / "u.tab").write_text(TAB.replace(";a;", ";c;"))
    (tmp_path / "u.rda").write_text(RDA)
    more = f'<OPENTABLEDATA> "u.tab"\n<OPENMETADATA> "u.rda"\n{SPECIFY}<READTABLE>'
    first, second = read(more).tables
    assert (first.codes()[0], second.codes()[0]) == (
        ["Total", "a", "b", "m"],
        ["Total", "c", "b", "m"],
    )


def test_counts_of_the_file(read):
    (one,) = read("<READTABLE>", specify='<SPECIFYTABLE> "row""column"|<FREQ>||\n').tables
    assert one.table.cells.value[one.table.row()] == 30
    assert one.codes()[0] == ["Total", "x", "y"]


@pytest.mark.parametrize(
    ("specify", "more", "sentence"),
    [
        ('<SPECIFYTABLE> "row"|"amount"||\n', "<READTABLE>", "spanned by row, column in its file"),
        ('<SPECIFYTABLE> "row""col"|"amount"||\n', "<READTABLE>", "no variable `col`"),
        ('<SPECIFYTABLE> "row""column"|"amount"||"low"\n', "<READTABLE>", "should say <COST>"),
        (SPECIFY, "<READMICRODATA>", "microdata and a table must be said before they are read"),
        (SPECIFY, "<READTABLE>\n<RECODE> 1, row, 1", "read as they are cannot be recoded"),
        (SPECIFY, "<SAFETYRULE> NK(3,50)\n<READTABLE>", "largest"),
    ],
)
def test_what_does_not_fit_the_file(read, specify, more, sentence):
    with pytest.raises(Exception, match=sentence):
        read(more, specify=specify)

"""Protecting tables: every method of tau-ARGUS, alone and for linked tables."""

from __future__ import annotations

import csv
from dataclasses import replace

import numpy as np
import pytest

from tacita.release.tauargus.suppressing import with_bounds
from tacita.tables.audit.audit import audit
from tacita.tables.linked import LinkedTables
from tacita.tables.ready import grid_table
from tacita.tables.status import Status

OPEN = '<OPENMICRODATA> "firms.asc"\n<OPENMETADATA> "firms.rda"\n'
RULE = "<SAFETYRULE> P(15)|FREQ(3,20)\n"
ONE = f'{OPEN}<SPECIFYTABLE> "region""size"|"turnover"||\n{RULE}<READMICRODATA>\n'
TWO = (
    f'{OPEN}<SPECIFYTABLE> "region""size"|"turnover"||\n{RULE}'
    f'<SPECIFYTABLE> "size""sector"|"turnover"||\n{RULE}<READMICRODATA>\n'
)


def spent(one):
    return one.table.cells.cost[one.table.cells.status == Status.SECONDARY].sum()


@pytest.mark.parametrize(
    "way", ["GH(1,100,0,0)", "GH(1,100,1,1)", "MOD(1,1,0,0,0)", "MOD(1,1,1,1,1,2000)", "NET(1)"]
)
def test_every_pattern_is_safe_and_none_is_cheaper_than_the_best(run, way):
    (best,) = run(f"{ONE}<SUPPRESS> OPT(1,1)\n").tables
    (one,) = run(f"{ONE}<SUPPRESS> {way}\n").tables
    assert audit(one.table).is_safe
    np.testing.assert_array_equal(one.table.cells.sensitive, best.table.cells.sensitive)
    assert spent(one) >= spent(best) > 0


def test_costs_decide_what_goes(run):
    unity = ONE.replace('"turnover"||', '"turnover"||-2')
    (few,) = run(f"{unity}<SUPPRESS> OPT(1,1)\n").tables
    (cheap,) = run(f"{ONE}<SUPPRESS> OPT(1,1)\n").tables
    number = [int((one.table.cells.status == Status.SECONDARY).sum()) for one in (few, cheap)]
    assert number[0] <= number[1]
    assert spent(few) == number[0]


@pytest.mark.parametrize("way", ["GH(0)", "MOD(0,1,0,0,0)", "OPT(0)"])
def test_linked_tables_agree_where_they_meet_and_are_safe_together(run, way):
    one, other = run(f"{TWO}<SUPPRESS> {way}\n").tables
    for size in ("Total", "2", "3", "10", "99"):
        rows = one.table.row(size=size), other.table.row(size=size)
        assert one.table.cells.status[rows[0]] == other.table.cells.status[rows[1]]
    named = (replace(t.table, name=str(n)) for n, t in enumerate((one, other)))
    assert audit(LinkedTables(tuple(named))).is_safe


def test_protecting_again_begins_anew(run):
    (one,) = run(f"{ONE}<SUPPRESS> GH(1)\n<SUPPRESS> OPT(1)\n").tables
    (other,) = run(f"{ONE}<SUPPRESS> OPT(1)\n").tables
    np.testing.assert_array_equal(one.table.cells.status, other.table.cells.status)


def test_what_is_known_beforehand_costs_more_suppressions():
    inside = {"x": [100, 40, 5], "y": [30, 60, 50], "z": [20, 10, 80]}
    table = grid_table("t", inside, ["u", "v", "w"], sensitive=[("x", "u")], level=20.0)
    known = with_bounds(table, 30)
    cells = known.cells
    assert (cells.upper_bound >= cells.value + cells.upper_level).all()
    assert (cells.lower_bound <= cells.value - cells.lower_level).all()
    safe = ~cells.sensitive
    np.testing.assert_allclose(cells.upper_bound[safe], 1.3 * cells.value[safe])
    assert with_bounds(table, 100) is table


def test_bounds_of_the_job_reach_the_audit(run):
    (one,) = run(f"{ONE}<SUPPRESS> GH(1,80,0,0)\n").tables
    safe = ~one.table.cells.sensitive
    room = one.table.cells.upper_bound[safe] - one.table.cells.value[safe]
    np.testing.assert_allclose(room, 0.8 * one.table.cells.value[safe], atol=1e-9)
    assert audit(one.table).is_safe


def test_remarks_say_what_means_nothing_here(run):
    told = "\n".join(run(f"{ONE}<SUPPRESS> GH(1,100,1)\n<SUPPRESS> MOD(1,1,0,0,1,99)\n").log)
    assert "line 6: the size of the model (1) means nothing here" in told
    assert "line 7: rows of few contributors in all" in told
    assert "line 7: costs are not scaled (to 99)" in told


# -- rounding and adjustment -----------------------------------------------------------------------


def lines(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_rounding(run, folder):
    counts = ONE.replace('"turnover"', "<FREQ>").replace("P(15)|", "")
    text = f'{counts}<SUPPRESS> RND(1,5,1,1,1,1,1)\n<WRITETABLE> (1, 3, AS+FL+, "r.txt")\n'
    done = run(text)
    (one,) = done.tables
    head, *rows = lines(folder / "r.txt")
    assert head == ["region", "size", "Freq", "Freq_Orig"]
    told = [(int(row[2]), int(row[3])) for row in rows if row[2] != "-"]
    assert all(rounded % 5 == 0 and abs(rounded - true) < 5 for rounded, true in told)
    assert one.table.system().relations @ one.published == pytest.approx(0)
    assert [true for _, true in told] == one.table.cells.value.tolist()
    assert "line 6: the table is rounded as a whole, not part by part" in done.log


def test_a_base_below_what_rules_ask_for_is_refused(refused):
    counts = ONE.replace('"turnover"', "<FREQ>").replace("P(15)|", "")
    told = refused(f"{counts}<SUPPRESS> RND(1,2)\n")
    assert "line 6: the base 2 is too small for region x size | <FREQ>" in told
    assert "ask for 3 at least" in told
    assert "is too small" in refused(f"{ONE}<SUPPRESS> RND(1,2)\n")


def test_adjustment(run, folder):
    text = f'{ONE}<SUPPRESS> CTA(1)\n<WRITETABLE> (1, 3, AS+FL+, "c.txt")\n'
    (one,) = run(text).tables
    head, *rows = lines(folder / "c.txt")
    assert head == ["region", "size", "turnover_CTA", "turnover_Orig", "Status"]
    assert rows[0][:1] == ["Total"]
    assert all(row[2:] == ["-", "-", "14"] for row in rows if row[2] == "-")
    cells, moved = one.judged.cells, np.abs(one.published - one.judged.cells.value)
    reached = (one.published >= cells.value + cells.upper_level - 1e-9) | (
        one.published <= cells.value - cells.lower_level + 1e-9
    )
    assert reached[cells.sensitive].all()
    numbers = one.status_numbers()
    assert ((numbers == 11) == ((moved > 0) & ~cells.sensitive)).all()


@pytest.mark.parametrize(("way", "form"), [("CTA(1)", 4), ("CTA(1)", 5), ("RND(1,50000)", 6)])
def test_forms_that_cannot_hold_what_was_changed(refused, folder, way, form):
    told = refused(f"{ONE}<SUPPRESS> {way}\n<WRITETABLE> (1, {form}, , out.txt)\n")
    assert f"cannot be written in form {form}; choose 1, 2 or 3" in told
    assert not (folder / "out.txt").exists()

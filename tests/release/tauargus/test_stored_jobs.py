"""Jobs of tau-ARGUS that are stored with what it wrote: the same statuses and the same files.

Secondary suppressions may be others: no pattern is unique. Ours must be safe and lose no more.
"""

from __future__ import annotations

import csv
import gzip
import shutil
from pathlib import Path

import pytest

from tacita.release.tauargus.running import run_job
from tacita.tables.audit.audit import audit
from tacita.tables.status import Status

SHARED = Path(__file__).parents[4] / "shared" / "data" / "tables"
pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the reference data are not here")
TAU = SHARED / "checkTauArgus"
SECONDARY = {"11", "12"}
VECTOR = "s s s s x u s s s s x x s s s"
LETTERS = dict.fromkeys(("1", "2"), "s") | dict.fromkeys(("3", "5", "9"), "u")
HOLDINGS = "P(0,0)|P(0,0)|P(10,1)|P(0,0)|MIS(1)"


def copied(folder, source):
    for file in source.iterdir():
        if file.is_file():
            shutil.copyfile(file, folder / file.name)
    return folder


def lines(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def without_secondaries(rows):
    """Let secondary suppressions be safe, which they are without the others."""
    return [(*row[:-1], "1" if row[-1] in SECONDARY else row[-1]) for row in rows]


def lost(rows):
    return sum(float(row[-2]) for row in rows if row[-1] in SECONDARY)


# -- as they are -----------------------------------------------------------------------------------


@pytest.mark.parametrize("example", ["ex1", "ex2"])
def test_fifteen_cells(tmp_path, example):
    run_job(copied(tmp_path, TAU / example) / f"batch_{example}.arb")
    head, *rows = lines(tmp_path / f"tabout_{example}.txt")
    assert head[:2] == ["region", "gender"]
    assert [row[0] for row in rows] == [c for c in ("Total", *"ABCD") for _ in range(3)]
    assert " ".join(LETTERS.get(row[-1], "x") for row in rows) == VECTOR
    assert (tmp_path / f"arguslog_{example}.log").is_file()


@pytest.fixture
def tau_test(tmp_path):
    """Lay the test file of tau-ARGUS beside its jobs."""
    source = SHARED / "tauargus"
    copied(tmp_path, source)
    (tmp_path / "tau_testW.asc").write_bytes(
        gzip.decompress((source / "tau_testW.asc.gz").read_bytes())
    )
    return tmp_path


def test_recodes(tau_test):
    done = run_job(tau_test / "TestRecode.arb")
    one, other = done.tables
    assert one.codes()[0] == ["Total", " 1", " 6", " 7", " 8", " 9", "99"]
    assert len(one.codes()[1]) == len(other.codes()[0]) == 18
    cut = set(other.codes()[1])
    assert {"142", "1500", "1512"} <= cut
    assert not any(code.startswith("142") and code != "142" for code in cut)
    assert "<GOINTERACTIVE> is not possible" in done.log[-1]
    for table in done.tables:
        table.table.system()


def test_a_table_whose_totals_are_computed(tmp_path):
    (one,) = run_job(copied(tmp_path, SHARED / "tauargus" / "tableinput") / "TestTable.arb").tables
    assert one.counts() == {2: 110, 9: 9, 14: 43}
    one.table.system()


# -- jobs that only their outcome is stored of -----------------------------------------------------


def test_simple_2d(tau_test):
    (tau_test / "job.arb").write_text(
        '<OPENMICRODATA> "tau_testW.asc"\n<OPENMETADATA> "tau_testW.rda"\n'
        '<SPECIFYTABLE> "Size""Region"|"Var2"||\n<SAFETYRULE> P(15,1)|MIS(0)|MAN(20)\n'
        "<READMICRODATA>\n<SUPPRESS> MOD(1,1,1,1,1)\n"
        '<WRITETABLE> (1, 3, AS+, "Simple2D.txt")\n<WRITETABLE> (1, 5, , "pp.tab")\n'
    )
    (one,) = run_job(tau_test / "job.arb").tables
    theirs, ours = lines(TAU / "simple2d" / "Simple2D.txt"), lines(tau_test / "Simple2D.txt")
    assert without_secondaries(ours) == without_secondaries(theirs)
    assert audit(one.table).is_safe
    assert lost(ours) <= lost(theirs)


def test_the_intermediate_form(tau_test):
    """Line by line what tau-ARGUS wrote, but for four cells that were altered by hand later."""
    (tau_test / "job.arb").write_text(
        '<OPENMICRODATA> "tau_testW.asc"\n<OPENMETADATA> "tau_testW.rda"\n'
        '<SPECIFYTABLE> "Size""Region"|"Var2"||\n<SAFETYRULE> P(15,1)\n<READMICRODATA>\n'
        '<WRITETABLE> (1, 5, , "out.tab")\n'
    )
    run_job(tau_test / "job.arb")
    stored = (SHARED / "tauargus" / "tableinput" / "pp.tab").read_text()
    theirs = stored.replace(",", ".").splitlines()
    ours = (tau_test / "out.tab").read_text().splitlines()
    altered = [line for line in theirs if line.split(";")[2] != line.split(";")[4]]
    assert len(altered) == 4
    assert [(t, o) for t, o in zip(theirs, ours, strict=True) if t != o and t not in altered] == []


ENTERPRISE = '<OPENMICRODATA> "example_enterprise.asc"\n<OPENMETADATA> "example_enterprise.rda"\n'


def enterprise_job(folder, tables, more):
    copied(folder, TAU / "enterprise")
    specified = "".join(
        f'<SPECIFYTABLE> "{a}""{b}"|"turnover"||\n<SAFETYRULE> {HOLDINGS}\n' for a, b in tables
    )
    (folder / "job.arb").write_text(f"{ENTERPRISE}{specified}<READMICRODATA>\n{more}")
    return run_job(folder / "job.arb").tables


def compared(folder, file):
    theirs, ours = lines(TAU / "enterprise" / file), lines(folder / f"our_{file}")
    assert without_secondaries(ours) == without_secondaries(theirs)
    assert lost(ours) <= lost(theirs)


def test_holdings_by_hypercubes(tmp_path):
    more = '<SUPPRESS> GH(1,100,0,0)\n<WRITETABLE> (1, 3, AS+, "our_test_1.txt")\n'
    (one,) = enterprise_job(tmp_path, [("act", "product")], more)
    assert audit(one.table).is_safe
    compared(tmp_path, "test_1.txt")


def test_linked_tables_of_holdings(tmp_path):
    more = (
        "<SUPPRESS> MOD(0,1,0,0,0)\n"
        '<WRITETABLE> (1, 3, AS+, "our_test_2a.txt")\n<WRITETABLE> (2, 3, AS+, "our_test_2b.txt")\n'
    )
    enterprise_job(tmp_path, [("act", "product"), ("act", "region")], more)
    compared(tmp_path, "test_2a.txt")
    compared(tmp_path, "test_2b.txt")


def test_codes_that_stand_twice_and_statuses_given(tmp_path):
    more = (
        '<APRIORI> "test_3a.hst", 2, ",", 0, 0\n<SUPPRESS> MOD(1,1,1,1,1)\n'
        '<SUPPRESS> MOD(2,1,1,1,1)\n<WRITETABLE> (1, 3, AS+, "our_test_3a.txt")\n'
    )
    one, other = enterprise_job(tmp_path, [("region", "mun"), ("region", "product")], more)
    compared(tmp_path, "test_3a.txt")
    assert audit(one.table).is_safe
    assert other.counts()[10] == int((other.table.cells.status == Status.PUBLISHED).sum()) == 15
    assert (other.counts()[3], other.counts()[11]) == (17, 8)

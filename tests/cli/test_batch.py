"""`tacita tables run`."""

from __future__ import annotations

import pytest

ASC = "".join(
    f"{region}{size}{value:>5}\n"
    for region, size, value in [
        ("a", "x", 90),
        ("a", "x", 3),
        ("a", "y", 40),
        ("a", "y", 41),
        ("a", "y", 39),
        ("b", "x", 30),
        ("b", "x", 31),
        ("b", "x", 29),
        ("b", "y", 50),
        ("b", "y", 52),
        ("b", "y", 55),
        ("c", "x", 20),
        ("c", "x", 21),
        ("c", "x", 22),
        ("c", "y", 60),
        ("c", "y", 61),
        ("c", "y", 59),
    ]
)
RDA = "region 1 1\n  <RECODEABLE>\nsize 2 1\n  <RECODEABLE>\npay 3 5\n  <NUMERIC>\n"
JOB = """<LOGBOOK> "job.log"
<OPENMICRODATA> "pay.asc"
<OPENMETADATA> "pay.rda"
<SPECIFYTABLE> "region""size"|"pay"||
<SAFETYRULE> P(15)
<READMICRODATA>
<SUPPRESS> OPT(1,1)
<WRITETABLE> (1, 3, AS+, "pay.txt")
"""


@pytest.fixture
def job(tmp_path):
    (tmp_path / "pay.asc").write_text(ASC)
    (tmp_path / "pay.rda").write_text(RDA)
    path = tmp_path / "job.arb"
    path.write_text(JOB)
    return path


def test_a_job_is_run_and_told(run_cli, job):
    ran = run_cli("tables", "run", job)
    assert ran.code == 0
    assert "line 6: table 1 (region x size | pay): 12 cells" in ran.out
    assert f"written: {job.with_name('pay.txt')}" in ran.out
    assert '"a","x",93,3\n' in job.with_name("pay.txt").read_text()


def test_json(run_cli, job, tmp_path):
    out = tmp_path / "out"
    ran = run_cli("tables", "run", job, "--out", out, "--json")
    assert ran.code == 0
    (table,) = ran.json["tables"]
    assert table["statuses"] == {"safe": 8, "unsafe": 1, "secondary": 3}
    assert ran.json["files"] == [str(out / "pay.txt"), str(out / "job.log")]
    assert sorted(path.name for path in out.iterdir()) == ["job.log", "pay.txt"]
    assert not job.with_name("pay.txt").exists()


def test_a_wrong_line_is_one_sentence(run_cli, job):
    job.write_text(JOB.replace("<SUPPRESS>", "<SUPRESS>"))
    ran = run_cli("tables", "run", job)
    assert ran.code == 1
    said = f"tacita: {job}, line 7: the command <SUPRESS> is unknown. Did you mean `SUPPRESS`?\n"
    assert ran.err == said
    assert not job.with_name("pay.txt").exists()

"""What the report tells of a table that was protected: its pattern, its loss and the audit."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita as ta
from tacita.results import show
from tacita.tables.status import Status

PLAN = """\
data: {example: {firms: 400}}
tables:
  - name: turnover
    by: [region, size_class]
    value: turnover
    contributor: holding
    rules: [{p_percent: 15}, {minimum_frequency: 3}]
    protect: fast_suppression
"""
MARKS = {"●": Status.SENSITIVE, "○": Status.SECONDARY}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("report")
    (folder / "plan.yaml").write_text(PLAN)
    outcome = ta.run(folder / "plan.yaml", folder / "out", seed=1)
    pages = {who: (folder / f"out/{who}/report.html").read_text() for who in ("internal", "public")}
    return outcome, pages


def section(page: str, name: str) -> str:
    """Return the text of a section of a page as a reader sees it."""
    found = re.search(rf'<section[^>]*id="{name}".*?</section>', page, re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", found[0])).split())


def table_of(outcome):
    return outcome.tables.tables[0].table


def test_the_table_has_both_kinds_of_suppressions(run):
    status = table_of(run[0]).cells.status
    assert (status == Status.SENSITIVE).any()
    assert (status == Status.SECONDARY).any()


def test_the_pattern_shows_every_suppression_with_its_value_interval_and_verdict(run):
    outcome, pages = run
    told, table = section(pages["internal"], "table-1"), table_of(outcome)
    for mark, status in MARKS.items():
        rows = np.flatnonzero(table.cells.status == status)
        assert len(re.findall(rf"{mark} ; ", told)) == len(rows)
        for row in rows:
            said = re.search(rf"{re.escape(table.name_of(int(row)))}: ([\d,.]+); ", told)
            shown = float(said[1].replace(",", ""))
            assert shown == pytest.approx(table.cells.value[row], abs=0.01)
    assert told.count("must be possible") == int(table.cells.sensitive.sum())
    assert told.count("verdict: protected") == int(table.cells.suppressed.sum())


def test_the_loss_is_told_in_cells_and_in_value(run):
    outcome, pages = run
    told, cells = section(pages["internal"], "table-1"), table_of(outcome).cells
    secondary = cells.status == Status.SECONDARY
    assert f"secondary suppressions {secondary.sum()} " in told
    assert f"Secondary suppressions take away {secondary.sum()} of {len(cells)} cells" in told
    lost, whole = np.abs(cells.value[secondary]).sum(), np.abs(cells.value).sum()
    assert f"Secondary suppressions take away {lost:,.0f} of {whole:,.0f} in size" in told


def test_the_verdict_of_the_audit_stands_first(run):
    outcome, pages = run
    count = int(table_of(outcome).cells.sensitive.sum())
    told = section(pages["internal"], "table-1")
    assert told.startswith(
        f"Table turnover Audit safe Table turnover: all {count} sensitive cells are protected."
    )
    assert "can be computed from all that is published" in section(pages["internal"], "tables")


def test_the_public_sees_the_pattern_but_not_why_nor_how_much(run):
    outcome, pages = run
    told, cells = section(pages["public"], "table-1"), table_of(outcome).cells
    assert "Every sensitive cell is protected" in told
    assert f"suppressed cells {cells.suppressed.sum()} " in told
    assert not set(MARKS) & set(told)
    lost = np.abs(cells.value[cells.status == Status.SECONDARY]).sum()
    assert f"{lost:,.0f}" not in pages["public"]


def test_how_the_pattern_was_found_and_how_near_the_least_loss_it_is(run):
    outcome, pages = run
    told, found = section(pages["internal"], "tables"), outcome.tables.suppression
    assert f"{found.secondary.size} secondary suppressions; " in told
    assert "way fast suppression" in told
    assert f"cost {show(found.cost)}" in told
    assert "same data, same pattern yes" in told
    if found.is_optimal:
        assert "no pattern that protects every sensitive cell costs less" in told
    else:
        assert f"least possible cost at least {show(found.bound)}" in told
    assert "least possible cost" not in pages["public"]


def test_a_clock_that_stopped_the_search_is_told(tmp_path: Path):
    hasty = PLAN.replace("fast_suppression", "{fast_suppression: {time_limit: 0.000001}}")
    (tmp_path / "plan.yaml").write_text(hasty)
    ta.run(tmp_path / "plan.yaml", tmp_path / "out", seed=1)
    told = section((tmp_path / "out/internal/report.html").read_text(), "tables")
    assert "same data, same pattern no: it ran out of time" in told
    evidence = json.loads((tmp_path / "out/internal/evidence.json").read_text())
    assert evidence["tables"]["suppression"]["reproducible"] is False
    found = ta.verify(tmp_path / "out")  # the stored pattern is applied and audited again
    assert [line.what for line in found.lines if line.status != "re-derived"] == [
        "search for suppressions"
    ]
    file = tmp_path / "out/internal/tables/turnover.parquet"
    rows = pq.read_table(file)
    shown = pa.array(["safe"] * len(rows))
    pq.write_table(rows.set_column(rows.column_names.index("status"), "status", shown), file)
    assert ta.verify(tmp_path / "out").verdict == "wrong"

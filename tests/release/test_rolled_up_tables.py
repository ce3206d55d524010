"""Roll-up in plans: the least recoding, audited with what was left out, verified, reported."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ProtectionError, RequirementError, TacitaError
from tacita.mechanisms.sensitivity.p_percent import PPercent
from tacita.release.execute import read_source
from tacita.release.plan import read_plan
from tacita.release.table_making import MadeTable, make_table
from tacita.release.verify import Status
from tacita.tables.judging import judge
from tacita.tables.risk.exposure import exposed
from tacita.tables.rolling_up.roll_up import roll_up
from tacita.tables.status import Status as CellStatus
from tacita.tables.tabulate import tabulate

PLAN = """\
data: {{example: {{firms: 400}}}}
tables:
  - name: turnover
    by: [region, size_class]
    value: turnover
    contributor: holding
    rules: [{{p_percent: 15}}]
{more}
"""
ROLLED = "    roll_up: {loss: value, allowed: {region: level}}\n"
# By trades alone the firm of (north, fish) is one of four; its total is hardly more than itself.
NEAR = """\
region,trade,turnover
north,fish,60013
north,coal,30017
north,coal,30029
north,coal,30047
south,fish,11
south,fish,13
south,fish,17
south,coal,40009
south,coal,40013
south,coal,40037
"""


def planned(folder: Path, more: str) -> Path:
    (folder / "plan.yaml").write_text(PLAN.format(more=more))
    return folder / "plan.yaml"


def table_in(out: Path, file: str) -> dict[str, Any]:
    return json.loads((out / file).read_text())["tables"]["tables"][0]


def lines(out: Path) -> dict[str, Status]:
    return {line.what: line.status for line in ta.verify(out).lines}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rolled")
    ta.run(planned(folder, ROLLED), folder / "out", seed=1)
    return folder / "out"


@pytest.fixture(scope="module")
def by_hand() -> ta.Table:
    """The same table, rolled up in Python."""
    by, how = ["region", "size_class"], {"value": "turnover", "contributor": "holding"}
    table = ta.tabulate(ta.example("firms", 400), by, **how)
    return table.roll_up(ta.PPercent(15), loss="value", allowed={"region": "level"})


def test_only_codes_that_are_kept_are_public(release: Path, by_hand):
    kept = [set(dimension.codes) for dimension in by_hand.table.dimensions]
    assert by_hand.recoding
    rows = pc.read_csv(release / "public/tables/turnover.csv").to_pylist()
    assert len(rows) == len(by_hand.table)
    assert {row["status"] for row in rows} == {"shown"}
    assert [{row[name] for row in rows} for name in ("region", "size_class")] == kept
    stated = table_in(release, "public/statement.json")
    assert [set(one["codes"]) for one in stated["dimensions"]] == kept
    assert stated["rolled_up"] == list(by_hand.recoding)
    gone = [code for codes in by_hand.recoding.values() for code in codes]
    text = (release / "public/statement.json").read_text()
    assert not [code for code in gone if f'"{code}"' in text]


def test_the_house_keeps_the_recoding_and_its_bound(release: Path, by_hand):
    kept = table_in(release, "internal/evidence.json")["roll_up"]
    assert kept == json.loads(json.dumps(by_hand.to_dict()))
    assert kept["optimal"]


def test_what_was_left_out_is_audited(release: Path):
    evidence = json.loads((release / "internal/evidence.json").read_text())
    (verdict,) = evidence["requirements"]
    plan = read_plan(release.parent / "plan.yaml")
    made = make_table(plan, 0, read_source(plan))
    count = int(made.judged.cells.sensitive.sum())
    assert count > 1
    assert verdict["sentence"] == f"table turnover: all {count} sensitive cells are protected"


def test_what_was_left_out_is_put_back_as_suppressed(release: Path):
    plan = read_plan(release.parent / "plan.yaml")
    made = make_table(plan, 0, read_source(plan))
    whole = made.whole(made.table)
    assert np.array_equal(whole.numbers, made.judged.numbers)
    assert np.array_equal(whole.cells.sensitive, made.judged.cells.sensitive)
    shown = ~whole.cells.suppressed
    named = {whole.name_of(int(row)) for row in np.flatnonzero(shown)}
    assert named == {made.table.name_of(row) for row in range(len(made.table))}
    assert set(whole.cells.status[~shown]) == {CellStatus.SENSITIVE, CellStatus.SECONDARY}


def test_reports_tell_each_audience_what_it_may_know(release: Path, by_hand):
    public = (release / "public/report.html").read_text()
    internal = (release / "internal/report.html").read_text()
    assert "rolled up" in public
    told = "no other recoding that leaves no sensitive cell loses less"
    assert told in internal
    assert f"{len(by_hand.table)} of " in internal
    assert told not in public
    assert "a loss of" not in public


def test_a_release_verifies(release: Path):
    found = lines(release)
    assert set(found.values()) == {Status.REDERIVED}
    assert "internal/tables/turnover.parquet" in found


def test_another_recoding_in_the_evidence_is_found(release: Path, tmp_path: Path):
    shutil.copytree(release, tmp_path / "out")
    file = tmp_path / "out/internal/evidence.json"
    said = json.loads(file.read_text())
    said["tables"]["tables"][0]["roll_up"]["loss"] -= 1
    file.write_text(json.dumps(said))
    wrong = {what for what, status in lines(tmp_path / "out").items() if status is Status.WRONG}
    assert {"internal/evidence.json", "seal"} <= wrong


def test_another_table_may_not_show_what_was_left_out(tmp_path: Path):
    again = "  - {name: again, by: [size_class, region], value: turnover, contributor: holding}"
    with pytest.raises(RequirementError, match=r"table turnover: \d+ of \d+ sensitive cells are"):
        ta.run(planned(tmp_path, ROLLED + again), tmp_path / "out")
    coarse = "  - {name: again, by: [region], value: turnover, contributor: holding}"
    assert ta.run(planned(tmp_path, "    roll_up: yes\n" + coarse), tmp_path / "coarse").holds


records = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from("xyz"), st.integers(1, 60)),
    min_size=4,
    max_size=24,
)


@settings(max_examples=60, deadline=None)
@given(records, st.sampled_from([5, 15, 40]))
def test_safe_totals_protect_what_went_into_them(rows: list[tuple[str, str, int]], p: int):
    """T - x1 - x2 >= p% of x1 holds for the largest of T, and so for those of every part of it."""
    town, trade, pay = zip(*rows, strict=True)
    who = [f"f{place}" for place in range(len(rows))]
    frame = pa.table({"town": town, "trade": trade, "pay": pay, "who": who})
    areas = {"town": {"tree": {"Total": {"ab": ["a", "b"], "cd": ["c", "d"]}}}}
    table = tabulate(frame, ["town", "trade"], value="pay", hierarchies=areas)
    table = judge(table, PPercent(p))
    try:
        rolled_up = roll_up(table)
    except ProtectionError:
        assume(False)
    whole = MadeTable(rolled_up.table, table, None, rolled_up).whole(rolled_up.table)
    assert not exposed(whole, whole.published()).exposed.any()


def test_a_total_that_is_hardly_more_than_what_was_left_out_is_refused(tmp_path: Path):
    (tmp_path / "firms.csv").write_text(NEAR)
    text = "data: {source: firms.csv}\ntables:\n  - {name: t, by: [region, trade], value: turnover"
    rules = ", rules: [{minimum_frequency: {n: 3, margin: 10}}]"
    plan = tmp_path / "plan.yaml"
    plan.write_text(f"{text}{rules}, roll_up: {{allowed: {{trade: kept}}}}}}\n")
    with pytest.raises(RequirementError, match=r"not protected: \(region north, trade fish\)"):
        ta.run(plan, tmp_path / "out")


@pytest.mark.parametrize("noise", ["random_rounding: 1000", "controlled_rounding: 1000"])
def test_values_are_perturbed_after_the_roll_up(tmp_path: Path, noise: str):
    ta.run(planned(tmp_path, f"{ROLLED}    perturb: {{{noise}}}"), tmp_path / "out", seed=2**70)
    rows = pc.read_csv(tmp_path / "out/public/tables/turnover.csv").to_pylist()
    assert all(row["value"] % 1000 == 0 for row in rows)
    assert Status.WRONG not in lines(tmp_path / "out").values()


def test_cells_are_suppressed_after_the_roll_up(tmp_path: Path):
    way, whole = "    protect: fast_suppression\n", "[region, size_class], value: costs"
    other = f"  - {{name: costs, by: {whole}, contributor: holding, rules: [{{p_percent: 15}}],"
    text = planned(tmp_path, f"{ROLLED}{way}{other} protect: fast_suppression}}")
    data = ta.example("firms", 400).to_arrow()
    data = data.append_column("costs", data["turnover"])
    pq.write_table(data, tmp_path / "firms.parquet")
    source = "data: {source: firms.parquet, attributes: {weight: weight}}"
    text.write_text(text.read_text().replace("data: {example: {firms: 400}}", source))
    outcome = ta.run(text, tmp_path / "out", seed=1)
    rolled_up, costs = outcome.tables.tables
    assert not rolled_up.table.cells.suppressed.any()
    assert (costs.table.cells.status == CellStatus.SECONDARY).any()
    found = ta.verify(tmp_path / "out", source=tmp_path / "firms.parquet")
    assert found.holds, str(found)


def test_no_is_not_at_all_and_yes_is_as_usual(tmp_path: Path):
    plain, no, yes = (
        read_plan(planned(tmp_path, said)).tables[0]
        for said in ("", "    roll_up: no\n", "    roll_up: yes\n")
    )
    assert plain == no
    assert yes.to_plan()["roll_up"] == {}
    assert type(yes)(**yes.to_plan()) == yes


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("level", r"line 8, field `tables\[0\]\.roll_up`: expected true, or how, such as"),
        ("{los: value}", r"roll_up\.los`: unknown; expected loss, allowed. Did you mean `loss`"),
        ("{loss: price}", r"roll_up\.loss`: expected one of 'count', 'value'"),
        ("{allowed: {region: levle}}", r"roll_up\.allowed\.region`: .* Did you mean `level`"),
        ("{allowed: {regio: level}, loss: count}", r"roll_up`: .*`regio`.* Did you mean `region`"),
        ("{allowed: {region: kept, size_class: kept}}", r"roll_up\.allowed`: .*sensitive"),
    ],
)
def test_bad_roll_ups_are_refused_in_a_sentence(tmp_path: Path, said: str, told: str):
    with pytest.raises(TacitaError, match=told):
        ta.run(planned(tmp_path, f"    roll_up: {said}\n"), tmp_path / "out")
    assert not (tmp_path / "out").exists()

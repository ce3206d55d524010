"""Tables in plans: made from the original data, released only if their audit says so."""

from __future__ import annotations

import json
import re
import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import tacita as ta
from tacita.errors import InputError, PlanError, RequirementError
from tacita.release.execute import read_source
from tacita.release.plan import read_plan
from tacita.release.tables import release_tables
from tacita.release.verify import Status

# Two regions by three trades. The one firm of (north, fish) is sensitive; a rectangle hides it.
FIRMS = """\
region,trade,turnover,firm
north,fish,60013,a
north,coal,30017,b
north,coal,30029,c
north,coal,30047,d
north,corn,20011,e
north,corn,20021,f
north,corn,20023,g
south,fish,50021,h
south,fish,50033,i
south,fish,50047,j
south,coal,40009,k
south,coal,40013,l
south,coal,40037,m
south,corn,10007,n
south,corn,10009,o
south,corn,10037,p
"""
PLAN = """\
data:
  source: firms.csv
  attributes: {firm: identifier, region: key, turnover: confidential}
tables:
  - name: turnover
    by: [region, trade]
    value: turnover
    rules: [{p_percent: 15}, {minimum_frequency: {n: 3, margin: 10}}]
"""
RECTANGLE = """\
    suppress:
      - {region: north, trade: coal}
      - {region: south, trade: fish}
      - {region: south, trade: coal}
"""
HIDDEN = {60013.0, 90093.0, 150101.0, 120059.0}


def written(folder: Path, text: str) -> Path:
    (folder / "firms.csv").write_text(FIRMS)
    plan = folder / "plan.yaml"
    plan.write_text(text)
    return plan


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of one table in every format, beside its plan and source."""
    folder = tmp_path_factory.mktemp("tables")
    formats = "    formats: [csv, xlsx, html]\n"
    ta.run(written(folder, PLAN + RECTANGLE + formats), folder / "out", seed=1)
    return folder / "out"


def lines(folder: Path, **how: Any) -> dict[str, Status]:
    return {line.what: line.status for line in ta.verify(folder, **how).lines}


def test_a_safe_table_is_released_without_any_record(release: Path):
    public = sorted(str(p.relative_to(release)) for p in release.rglob("*") if p.is_file())
    assert public == [
        *("internal/evidence.json", "internal/manifest.json", "internal/plan.yaml"),
        *("internal/report.html", "internal/report.pdf", "internal/tables/turnover.parquet"),
        *(
            "public/manifest.json",
            "public/report.html",
            "public/report.pdf",
            "public/statement.json",
        ),
        *("public/tables/turnover.csv", "public/tables/turnover.html"),
        "public/tables/turnover.xlsx",
    ]
    rows = pc.read_csv(release / "public/tables/turnover.csv")
    assert rows.column_names == ["region", "trade", "value", "status"]
    assert rows.column("value").null_count == rows.column("status").to_pylist().count("suppressed")
    assert rows.column("value").null_count == 4


def numbers_in(text: str) -> set[float]:
    found = re.findall(r"\d[\d,]*(?:\.\d+)?", text)
    return {float(number.replace(",", "")) for number in found}


def test_no_suppressed_value_is_in_any_public_file(release: Path):
    for file in (release / "public").rglob("*"):
        if file.suffix == ".xlsx":
            with ZipFile(file) as book:
                texts = [book.read(name).decode() for name in book.namelist()]
        elif file.is_file() and file.suffix != ".pdf":
            texts = [file.read_text()]
        else:
            continue
        for text in texts:
            assert not HIDDEN & numbers_in(text), file.name


def test_levels_and_parameters_of_rules_stay_in_the_house(release: Path):
    statement = json.loads((release / "public/statement.json").read_text())
    (table,) = statement["tables"]["tables"]
    assert table["rules"] == ["p_percent", "minimum_frequency"]
    assert "15" not in json.dumps({**table, "files": {}})
    assert (table["cells"], table["suppressed"], table["protected"]) == (12, 4, True)
    assert statement["file"] is None
    evidence = json.loads((release / "internal/evidence.json").read_text())
    assert evidence["tables"]["tables"][0]["plan"]["rules"][0] == {"p_percent": 15}
    assert evidence["tables"]["tables"][0]["sensitive"] == 1


def test_the_house_keeps_everything_of_every_cell(release: Path):
    rows = pq.read_table(release / "internal/tables/turnover.parquet").to_pylist()
    (cell,) = [row for row in rows if (row["region"], row["trade"]) == ("north", "fish")]
    assert (cell["value"], cell["status"], cell["reason"]) == (60013, "sensitive", "p_percent")
    assert cell["upper_level"] == pytest.approx(0.15 * 60013)
    # the others of its row and column can be 0 at least, and so can the cell
    assert (cell["lower"], cell["upper"]) == (0, 60013 + 90093)
    assert (cell["is_protected"], cell["disclosed"]) == (True, False)


def test_an_unsafe_table_is_refused_by_naming_its_cells(tmp_path: Path):
    plan = written(tmp_path, PLAN)
    with pytest.raises(RequirementError, match=r"1 of 1 sensitive cell is not protected: \(region"):
        ta.run(plan, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    outcome = ta.run(plan, tmp_path / "out", force=True)
    assert not outcome.holds
    statement = json.loads((tmp_path / "out/public/statement.json").read_text())
    assert statement["requirements_hold"] is False
    assert statement["tables"]["tables"][0]["protected"] is False
    assert statement["tables"]["together"]["computable"] == 1
    report = (tmp_path / "out/public/report.html").read_text()
    assert "Not every sensitive cell is protected" in report
    assert ta.verify(tmp_path / "out", source=tmp_path / "firms.csv").holds


def test_tables_that_share_cells_are_audited_together(tmp_path: Path):
    """Another table shows the totals that the first one hides, so they are of no use."""
    margins = (
        "    suppress: [{region: north, trade: coal}, {trade: fish}, {trade: coal}]\n"
        "  - {name: trades, by: trade, value: turnover, rules: [{p_percent: 15}]}\n"
    )
    with pytest.raises(RequirementError, match="table turnover: 1 of 1 sensitive cell"):
        ta.run(written(tmp_path, PLAN + margins), tmp_path / "out")
    alone = margins.partition("  - {name")[0]
    assert ta.run(written(tmp_path, PLAN + alone), tmp_path / "alone").holds


def test_a_cell_that_another_table_publishes_is_not_protected(tmp_path: Path):
    again = RECTANGLE + "  - {name: again, by: [trade, region], value: turnover}\n"
    with pytest.raises(RequirementError, match="table turnover: 1 of 1 sensitive cell"):
        ta.run(written(tmp_path, PLAN + again), tmp_path / "out")


def test_statuses_may_be_given_in_a_file(tmp_path: Path):
    (tmp_path / "waiver.hst").write_text("north;fish;s\n")
    plan = written(tmp_path, PLAN + "    given: waiver.hst\n")
    outcome = ta.run(plan, tmp_path / "out", seed=1)
    assert not outcome.tables.tables[0].table.cells.suppressed.any()
    (tmp_path / "waiver.hst").unlink()  # the release keeps it
    assert ta.verify(tmp_path / "out", source=tmp_path / "firms.csv").holds


def test_further_requirements_are_judged_beside_the_audit(tmp_path: Path):
    asked = "    require: [{suppressed_cells: {at_most: 0.2}}, {exact_disclosure: {at_most: 0}}]\n"
    with pytest.raises(RequirementError, match=r"table turnover: suppressed_cells is 0\.25"):
        ta.run(written(tmp_path, PLAN + RECTANGLE + asked), tmp_path / "out")
    outcome = ta.run(tmp_path / "plan.yaml", tmp_path / "out", force=True)
    assert [verdict.holds for verdict in outcome.verdicts] == [True, False, True]
    verification = ta.verify(tmp_path / "out", source=tmp_path / "firms.csv")
    assert verification.holds, str(verification)


def test_the_table_of_the_demonstration_is_protected():
    with as_file(files("tacita.cli") / "demo.yaml") as file:
        plan = read_plan(file)
    released = release_tables(plan, read_source(plan), 0)
    (verdict,) = released.verdicts
    assert verdict.holds
    assert (released.suppressed, released.computable) == (4, 0)


def test_whom_rules_judge_is_stated_where_there_are_weights(tmp_path: Path):
    """A plan that says nothing judges respondents; who says otherwise is named."""
    rows = [line + (",20" if number else ",w") for number, line in enumerate(FIRMS.splitlines())]
    (tmp_path / "firms.csv").write_text("\n".join(rows) + "\n")
    said = PLAN.replace("confidential}", "confidential, w: weight}")
    for weighting in ("respondents", "represented"):
        plan, out = tmp_path / "plan.yaml", tmp_path / weighting
        more = "" if weighting == "respondents" else "    weighting: represented\n"
        plan.write_text(said + RECTANGLE + more)
        ta.run(plan, out, seed=1)
        statement = json.loads((out / "public/statement.json").read_text())
        assert statement["tables"]["tables"][0]["weighting"] == weighting
        evidence = json.loads((out / "internal/evidence.json").read_text())
        (table,) = evidence["tables"]["tables"]
        assert table["weighting"] == weighting
        assert table["plan"].get("weighting", "respondents") == weighting
        assert table["sensitive"] == (1 if weighting == "respondents" else 0)
        told = {"respondents": "one a record", "represented": "as many as their weights"}
        for folder in ("public", "internal"):
            assert told[weighting] in (out / folder / "report.html").read_text()
        verification = ta.verify(out, source=tmp_path / "firms.csv")
        assert verification.holds, str(verification)


def test_weighted_counts_are_not_taken_for_whole_numbers_of_records(tmp_path: Path):
    """Weights of a half and a third: readers of the public files know counts are weighted."""
    rows = [
        line + (f",{0.5 + n / 3:.3f}" if n else ",w") for n, line in enumerate(FIRMS.splitlines())
    ]
    (tmp_path / "firms.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "plan.yaml").write_text(
        PLAN.replace("confidential}", "confidential, w: weight}")
        .replace("    value: turnover\n", "")
        .replace(
            "{p_percent: 15}, {minimum_frequency: {n: 3, margin: 10}}", "{minimum_frequency: 2}"
        )
        + RECTANGLE
    )
    ta.run(tmp_path / "plan.yaml", tmp_path / "out", seed=1)
    statement = json.loads((tmp_path / "out/public/statement.json").read_text())
    (table,) = statement["tables"]["tables"]
    assert (table["statistic"], table["weighting"]) == ("count", "respondents")
    for source in (None, tmp_path / "firms.csv"):
        verification = ta.verify(tmp_path / "out", source=source)
        wrong = [line for line in verification.lines if line.status is Status.WRONG]
        assert not wrong, str(verification)


def test_weighted_sums_of_no_decimals_are_verified(tmp_path: Path):
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "data: {example: {firms: 400}}\n"
        "tables:\n"
        "  - name: firms\n"
        "    by: [size_class, region]\n"
        "    value: turnover\n"
        "    contributor: holding\n"
        "    rules: [{p_percent: 15}]\n"
        "    suppress: [{size_class: 1-9, region: NL11}, {size_class: 1-9, region: NL12},\n"
        "               {size_class: 10-49, region: NL11}, {size_class: 10-49, region: NL12}]\n"
    )
    ta.run(plan, tmp_path / "out", seed=1, force=True)
    verification = ta.verify(tmp_path / "out")
    assert verification.holds, str(verification)


def test_records_and_tables_in_one_release(tmp_path: Path):
    masked = "microdata: {steps: [{drop: turnover}], require: [{uniqueness: {at_most: 1}}]}\n"
    ta.run(written(tmp_path, PLAN + RECTANGLE + masked), tmp_path / "out", seed=1)
    header = (tmp_path / "out/public/data.csv").read_text().splitlines()[0]
    assert "turnover" not in header
    rows = pc.read_csv(tmp_path / "out/public/tables/turnover.csv").to_pylist()
    assert rows[0]["value"] == sum(int(line.split(",")[2]) for line in FIRMS.splitlines()[1:])
    verification = ta.verify(tmp_path / "out", source=tmp_path / "firms.csv")
    assert verification.holds, str(verification)
    report = (tmp_path / "out/internal/report.html").read_text()
    assert "Table turnover" in report
    assert "What it cost" in report


# -- verifying -------------------------------------------------------------------------------------


def test_the_public_files_alone_show_blanks_and_intervals(release: Path, tmp_path: Path):
    shutil.copytree(release / "public", tmp_path / "alone")
    found = lines(tmp_path / "alone")
    assert found["table turnover suppressed"] is Status.REDERIVED
    assert found["tables audited together"] is Status.REDERIVED
    assert found["required protected (turnover)"] is Status.NOT_PROVEN


def test_with_the_source_the_whole_table_is_made_again(release: Path):
    verification = ta.verify(release, source=release.parent / "firms.csv")
    assert verification.holds, str(verification)
    assert {line.status for line in verification.lines} == {Status.REDERIVED}


def test_a_value_put_back_is_found(release: Path, tmp_path: Path):
    shutil.copytree(release, tmp_path / "out")
    file = tmp_path / "out/public/tables/turnover.csv"
    text = re.sub(r"north,fish,,suppressed", "north,fish,60013,shown", file.read_text())
    assert "60013" in text
    file.write_text(text)
    found = lines(tmp_path / "out")
    assert found["table turnover suppressed"] is Status.WRONG
    assert found["tables audited together"] is Status.WRONG


def test_a_statement_about_intervals_is_checked(release: Path, tmp_path: Path):
    shutil.copytree(release, tmp_path / "out")
    file = tmp_path / "out/public/statement.json"
    statement = json.loads(file.read_text())
    assert statement["tables"]["together"]["narrowest"] == pytest.approx(60013 + 90093)
    statement["tables"]["together"]["narrowest"] += 5
    file.write_text(json.dumps(statement))
    assert lines(tmp_path / "out")["tables audited together"] is Status.WRONG


def test_a_table_that_is_gone_or_cut_is_found(release: Path, tmp_path: Path):
    for place, spoil in enumerate((Path.unlink, lambda f: f.write_text(f.read_text()[:120]))):
        folder = tmp_path / str(place)
        shutil.copytree(release, folder)
        spoil(folder / "public/tables/turnover.csv")
        assert lines(folder)["tables"] is Status.WRONG


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_what_readers_cannot_add_up_is_attested(tmp_path: Path, statistic: str):
    """The means of cells do not add up, and their counts are not published."""
    text = PLAN.replace("    rules", f"    statistic: {statistic}\n    rules") + RECTANGLE
    ta.run(written(tmp_path, text), tmp_path / "out", seed=1, force=True)
    verification = ta.verify(tmp_path / "out", source=tmp_path / "firms.csv")
    assert verification.holds, str(verification)
    assert lines(tmp_path / "out")["tables audited together"] is Status.NOT_PROVEN


def test_values_below_zero_are_not_taken_for_bounded(tmp_path: Path):
    text = PLAN + RECTANGLE
    plan = written(tmp_path, text)
    (tmp_path / "firms.csv").write_text(FIRMS.replace("10037", "-10037"))
    ta.run(plan, tmp_path / "out", seed=1)
    statement = json.loads((tmp_path / "out/public/statement.json").read_text())
    assert statement["tables"]["tables"][0]["nonnegative"] is False
    assert statement["tables"]["together"]["narrowest"] is None
    assert ta.verify(tmp_path / "out", source=tmp_path / "firms.csv").holds


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("public/statement.json", lambda s: s["tables"]["tables"].clear(), "tables.tables"),
        (
            "public/statement.json",
            lambda s: s["tables"]["tables"][0].update(name="../x"),
            "tables.tables.0.name",
        ),
        (
            "internal/evidence.json",
            lambda s: s["tables"]["tables"][0]["plan"].update(by=7),
            None,
        ),
        (
            "internal/evidence.json",
            lambda s: s["tables"]["tables"][0]["plan"].update(name="other"),
            None,
        ),
    ],
)
def test_changed_statements_and_evidence_are_told(release, tmp_path, file, change, message):
    shutil.copytree(release, tmp_path / "out")
    said = json.loads((tmp_path / "out" / file).read_text())
    change(said)
    (tmp_path / "out" / file).write_text(json.dumps(said))
    source = release.parent / "firms.csv"
    if message is None:
        wrong = ta.verify(tmp_path / "out", source=source)
        assert Status.WRONG in {line.status for line in wrong.lines if "evidence" in line.what}
        return
    with pytest.raises(InputError, match=message):
        ta.verify(tmp_path / "out", source=source)


def test_parents_that_do_not_fit_are_wrong(release: Path, tmp_path: Path):
    shutil.copytree(release, tmp_path / "out")
    file = tmp_path / "out/public/statement.json"
    said = json.loads(file.read_text())
    said["tables"]["tables"][0]["dimensions"][0]["parents"][0][1] = 99
    file.write_text(json.dumps(said))
    assert lines(tmp_path / "out")["tables"] is Status.WRONG


# -- determinism and bad plans ---------------------------------------------------------------------


def test_two_runs_are_equal(release: Path, tmp_path: Path):
    ta.run(release.parent / "plan.yaml", tmp_path / "again", seed=2)
    for name in ("csv", "xlsx", "html"):
        one, two = (
            folder / f"public/tables/turnover.{name}" for folder in (release, tmp_path / "again")
        )
        assert one.read_bytes() == two.read_bytes(), name
    house = [f / "internal/tables/turnover.parquet" for f in (release, tmp_path / "again")]
    assert house[0].read_bytes() == house[1].read_bytes()


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        (
            "name: turnover",
            "name: ../turnover",
            r"line 5, field `tables\[0\].name`: expected a word",
        ),
        ("    by: [region, trade]\n", "", r"field `tables\[0\].by`: it is missing"),
        ("    value:", "    valeu:", r"tables\[0\].valeu`: unknown; .* Did you mean `value`"),
        ("by: [region, trade]", "by: [region, region]", "`region` is named twice"),
        ("{p_percent: 15}", "{p_procent: 15}", r"line 8, .*rules\[0\].*Did you mean `p_percent`"),
        ("{p_percent: 15}", "{k_anonymity: 3}", "is a method of the family model"),
        ("{p_percent: 15}", "{p_percent: -1}", "greater than 0"),
        (
            "    value:",
            "    statistic: avrage\n    value:",
            r"tables\[0\].statistic`: expected one",
        ),
        ("    value:", "    formats: [pdf]\n    value:", r"tables\[0\].formats`: expected one of"),
        ("    value:", "    suppress: north\n    value:", r"suppress`: expected a list of cells"),
        ("    value:", "    largest: no\n    value:", r"tables\[0\].largest`: expected"),
        ("    value:", "    require: [{uniqueness: {at_most: 0}}]\n    value:", "family risk"),
    ],
)
def test_a_plan_that_cannot_be_read_says_where(tmp_path: Path, wrong, right, message):
    plan = written(tmp_path, PLAN.replace(wrong, right))
    with pytest.raises(PlanError, match=message):
        ta.run(plan, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("added", "message"),
    [
        ("    suppress: [{region: west}]\n", r"line 9, .*suppress`: `region` has no code 'west'"),
        ("    suppress: [{town: x}]\n", "not spanned by `town`"),
        ("    given: none.hst\n", "none.hst"),
        ("    shadow: profit\n", "`profit`"),
    ],
)
def test_what_cannot_be_done_says_where(tmp_path: Path, added, message):
    with pytest.raises(InputError, match=message):
        ta.run(written(tmp_path, PLAN + added), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_two_tables_of_one_name_and_tables_by_identifiers_are_refused(tmp_path: Path):
    again = "  - {name: turnover, by: region}\n"
    with pytest.raises(PlanError, match="two tables are called `turnover`"):
        ta.run(written(tmp_path, PLAN + again), tmp_path / "out")
    named = PLAN.replace("by: [region, trade]", "by: [region, firm]")
    with pytest.raises(InputError, match="`firm` is an identifier"):
        ta.run(written(tmp_path, named), tmp_path / "out")


def test_a_plan_with_an_empty_list_of_tables_releases_its_records(tmp_path: Path):
    plan = written(tmp_path, PLAN.partition("tables:")[0] + "tables: []\n")
    assert ta.run(plan, tmp_path / "out", waive="a test").tables is None
    assert (tmp_path / "out/public/data.csv").is_file()


def test_a_table_without_rules_is_warned_of(tmp_path: Path):
    plan = written(tmp_path, PLAN.partition("    rules")[0])
    outcome = ta.run(plan, tmp_path / "out")
    assert any("No rule says what is sensitive" in warning for warning in outcome.warnings)
    assert np.all(outcome.tables.tables[0].table.cells.status == 0)

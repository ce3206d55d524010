"""Ways to protect a table compared."""

from __future__ import annotations

import pytest

import tacita as ta
from tacita.api.table import Table
from tacita.errors import ParameterError, ProtectionError
from tacita.release.report.compared import specification
from tacita.tables.ready import grid_table

WAYS = ["fast_suppression", ta.ControlledRounding(5), ta.ControlledAdjustment()]


@pytest.fixture(scope="module")
def table() -> Table:
    inside = {"x": [11, 22, 7], "y": [13, 4, 21], "z": [9, 38, 16]}
    return Table.of(grid_table("t", inside, ["u", "v", "w"], sensitive=[("x", "u")], level=3.0))


def test_each_way_is_measured_as_if_it_were_done_alone(table):
    found = table.compare([*WAYS, ta.ConventionalRounding(5)], seed=3)
    assert [one.way.name for one in found] == [
        "fast_suppression",
        "controlled_rounding",
        "controlled_adjustment",
        "conventional_rounding",
    ]
    for one in found:
        alone = (
            table.protect(one.way)
            if one.way.family == "protection"
            else table.perturb(one.way, seed=3)
        )
        risks = alone.risk("protection_shortfall", "unmoved_sensitive")
        assert one.risk == max(float(measured.value) for measured in risks)
        (loss,) = alone.utility("relative_loss")
        assert one.loss == pytest.approx(float(loss.value))


def test_the_front_is_what_nothing_beats(table):
    found = table.compare(WAYS)
    for one in found:
        beaten = any(
            other.risk <= one.risk
            and other.loss <= one.loss
            and (other.risk, other.loss) != (one.risk, one.loss)
            for other in found
        )
        assert found.is_on_front(one) != beaten


def test_it_prints_and_goes_out(table):
    found = table.compare([*WAYS, ta.CellKeyCounts()])
    assert "controlled_rounding (base 5.0)" in repr(found)
    assert "cell_key_counts: `cell_key_counts` applies to frequency tables" in repr(found)
    assert found.to_pandas()["way"].tolist() == [one.label() for one in found]
    assert found.to_dict()["skipped"][0]["way"] == "cell_key_counts"
    drawn = found.to_svg()
    assert drawn.startswith("<svg")
    assert all(f">{one.label()}</text>" in drawn for one in found)


def test_labels_of_points_that_are_as_high_do_not_cover_each_other(table):
    many = [ta.RandomRounding(5), ta.ConventionalRounding(5), "interval_publication"]
    found = table.compare([*WAYS, *many])
    drawn = specification(found)
    rows = drawn["data"]["values"]
    lifts = [(row["risk"], row["lift"]) for row in rows]
    assert len(set(lifts)) == len(rows)
    assert {row["lift"] for row in rows if row["loss"] == min(r["loss"] for r in rows)} == {0}
    shifts = {layer["mark"]["dy"] for layer in drawn["layer"] if layer["mark"]["type"] == "text"}
    assert len(shifts) == len({row["lift"] for row in rows}) > 1
    assert all(len(line) <= 34 for line in drawn["encoding"]["y"]["axis"]["title"])


def test_other_measures_may_be_asked_for(table):
    found = table.compare(WAYS, risks=["exact_disclosure"], loss="rank_changes")
    assert found.axes == ("exact_disclosure", "rank_changes")
    assert set(found.tried[0].measures) >= {"exact_disclosure", "rank_changes", "additivity"}


def test_the_table_stays_as_it_is(table):
    before = table.to_arrow()
    table.compare(WAYS)
    assert table.to_arrow().equals(before)


def test_bad_questions_are_refused(table):
    with pytest.raises(ProtectionError, match="name at least one"):
        table.compare([])
    with pytest.raises(ProtectionError, match=r"None of the ways .* applies to frequency tables"):
        table.compare([ta.CellKeyCounts()])
    with pytest.raises(ParameterError, match="of the family rule"):
        table.compare([ta.PPercent(5)])
    with pytest.raises(ParameterError, match="Did you mean"):
        table.compare(["fast_supression"])

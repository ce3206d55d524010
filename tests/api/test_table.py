from __future__ import annotations

import inspect

import pandas as pd
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.tables.apriori import with_given
from tacita.tables.system import System


@pytest.fixture(scope="module")
def firms():
    return ta.example("firms", 400)


@pytest.fixture(scope="module")
def judged(firms):
    table = ta.tabulate(firms, ["region", "size_class"], value="turnover", contributor="holding")
    return table.judge(ta.PPercent(15), ta.MinimumFrequency(3))


def test_tabulate_says_its_options():
    assert {"by", "value", "contributor", "largest"} <= set(
        inspect.signature(ta.tabulate).parameters
    )
    assert "holding" in ta.tabulate.__doc__


def test_verbs_give_tables_with_verbs(judged):
    more = judged.suppress({"region": "NL1"}).given([ta.Given(("NL11", ""), status="unsafe")])
    for table in (judged, more, more.published()):
        assert isinstance(table, ta.Table)
    assert more.cells.suppressed.sum() > judged.cells.suppressed.sum()


def test_what_is_given_means_the_same_here_as_in_a_plan(judged):
    said = [ta.Given(("NL11", ""), status="unsafe")]
    here, in_plan = judged.given(said), with_given(judged, said)
    assert here.cells.upper_level.tolist() == in_plan.cells.upper_level.tolist()
    row = here.row(region="NL11")
    assert here.cells.upper_level[row] >= 0.2 * here.cells.value[row]


def test_a_table_is_attacked_and_measured(judged):
    risk, loss = judged.risk(), judged.utility()
    assert risk["subtraction_attack"].family == "table attack"
    assert risk["protection_shortfall"].value is not None
    assert loss["suppressed_cells"].value == 0
    only = judged.risk("external_attack", ta.DominanceAttack(k=50))
    assert [one.name for one in only] == ["external_attack", "dominance_attack"]
    with pytest.raises(ParameterError, match="family table utility"):
        judged.risk("suppressed_cells")


def test_what_does_not_fit_is_skipped_with_its_reason(judged):
    assert dict(judged.risk().skipped)["membership_attack"].startswith("`membership_attack` looks")


def test_linked_tables_are_judged_and_audited_together(firms, judged):
    other = ta.tabulate(firms, ["nace", "region"], value="turnover", contributor="holding")
    both = ta.link(judged, other).judge(ta.PPercent(15), ta.MinimumFrequency(3))
    found = both.audit()
    assert len(found.system) < sum(map(len, both))
    assert len(found.below_level) >= len(both[1].audit().below_level)
    assert isinstance(both.published(), ta.LinkedTables)
    assert both.risk("exact_disclosure")[0].value > 0


def test_whole_intervals_of_counts(firms):
    counts = ta.tabulate(firms.without(["weight"]), ["region", "size_class"])
    counts = counts.judge(ta.MinimumFrequency(5))
    whole, found = counts.whole_intervals(seconds=900), counts.audit()
    hidden = counts.cells.suppressed
    assert (whole.lower[hidden] >= found.lower[hidden] - 1e-6).all()
    assert (whole.upper[hidden] <= found.upper[hidden] + 1e-6).all()
    assert whole.is_reached[hidden].all()
    magnitudes = ta.tabulate(firms, ["region"], value="turnover").judge(ta.PPercent(15))
    with pytest.raises(InputError, match="for counts"):
        magnitudes.with_cells(value=magnitudes.cells.value / 8).whole_intervals()


def test_a_data_frame_becomes_a_table():
    frame = pd.DataFrame({"sex": ["Total", "f", "m"], "n": [7, None, None]})
    table = ta.read_table(frame, by=["sex"], value="n")
    assert isinstance(table, ta.Table)
    assert table.audit().upper.tolist() == [7, 7, 7]


def test_files_go_out_and_come_back(judged, tmp_path):
    judged.write(tmp_path / "t.csv", view="internal")
    by = ["region", "size_class"]
    hierarchies = {d.name: d for d in judged.dimensions}
    back = ta.read_table(tmp_path / "t.csv", by=by, hierarchies=hierarchies, variable="turnover")
    assert back.cells.status.tolist() == judged.cells.status.tolist()
    judged.write(tmp_path / "t.jj")
    system = ta.read_table(tmp_path / "t.jj")
    assert isinstance(system, System)
    one, other = ta.audit(system), judged.audit()
    assert one.lower.tolist() == other.lower.tolist()
    assert one.is_protected.tolist() == other.is_protected.tolist()


class TestProtecting:
    def test_a_table(self, judged):
        safe = judged.protect()
        assert isinstance(safe, ta.Table)
        assert safe.audit().is_safe
        assert safe.suppression.cost >= safe.suppression.bound
        assert judged.protect("optimal_suppression").suppression.cost <= safe.suppression.cost
        with pytest.raises(ParameterError, match="family rule"):
            judged.protect("p_percent")
        with pytest.raises(ParameterError, match="expected here: a way to protect a table"):
            judged.protect(ta.PPercent(15))

    def test_linked_tables_in_one_run(self, firms, judged):
        other = ta.tabulate(firms, ["region"], value="turnover", contributor="holding", name="r")
        both = ta.link(judged, other.judge(ta.MinimumFrequency(3))).protect()
        assert both.audit().is_safe
        places = both.places
        for place in set(places[0]) & set(places[1]):
            one, two = (
                t.cells.suppressed[list(p).index(place)] for t, p in zip(both, places, strict=True)
            )
            assert one == two

    def test_the_last_period_is_preferred(self, judged):
        first = judged.protect("optimal_suppression")
        dearer = judged.protect(ta.OptimalSuppression(cost="count"))
        like_before = judged.protect("optimal_suppression", previous=dearer)
        shared = (like_before.cells.suppressed & dearer.cells.suppressed).sum()
        assert shared >= (first.cells.suppressed & dearer.cells.suppressed).sum()
        assert not like_before.suppression.is_optimal


def test_rolls_up_until_nothing_is_sensitive():
    made = ta.tabulate(ta.example("patients", 300), ["race", "ethncty"])
    judged = made.judge(ta.MinimumFrequency(5))
    rolled = judged.roll_up()
    assert not rolled.table.cells.sensitive.any()
    both = judged.roll_up_and_suppress()
    assert both.loss <= rolled.loss
    assert both.table.audit().is_safe

"""What can be asked of every way of protecting: each option changes the pattern as it should."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.tables.audit.audit import audit
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.status import Status
from tacita.tables.table import Table

WAYS = [
    ta.OptimalSuppression,
    ta.FastSuppression,
    ta.ModularSuppression,
    ta.HypercubeSuppression,
    ta.NetworkSuppression,
]
every_way = pytest.mark.parametrize("way", WAYS)


def grid(inner, sensitive, *, level=0.0, published=(), **known):
    """Make a table of rows by columns with totals; the cells inside are named by row and column."""
    inner = np.array(inner, float)
    full = np.vstack([inner.sum(0), inner])
    full = np.column_stack([full.sum(1), full])
    status = np.zeros(full.shape, np.int8)
    for row, column in published:
        status[row, column] = Status.PUBLISHED
    for row, column in sensitive:
        status[row, column] = Status.SENSITIVE
    spans = tuple(
        Dimension.flat(name, [f"{name}{at}" for at in range(1, size + 1)])
        for name, size in zip("ab", inner.shape, strict=True)
    )
    levels = np.where(status == Status.SENSITIVE, level, 0.0).ravel()
    cells = Cells.of(
        full.ravel(), status=status.ravel(), upper_level=levels, lower_level=levels, **known
    )
    places = np.array(list(np.ndindex(full.shape)), np.int32)
    return ta.Table.of(Table("t", spans, places, cells))


def secondary(table):
    """Return the codes of the secondary suppressions."""
    rows = np.flatnonzero(table.cells.status == Status.SECONDARY)
    return {"".join(table.codes_of(int(row))) for row in rows}


INNER = [[20, 50, 10], [8, 19, 30], [11, 32, 12]]
CORNER = [(1, 1)]


@every_way
class TestMustBePublished:
    def test_the_pattern_goes_round_a_cell_that_must_be_published(self, way):
        free = grid(INNER, CORNER, level=5).protect(way())
        assert secondary(free) == {"a1b3", "a3b1", "a3b3"}
        kept = grid(INNER, CORNER, level=5, published=[(3, 3)]).protect(way())
        assert kept.audit().is_safe
        assert "a3b3" not in secondary(kept)
        assert secondary(kept) == {"a1b3", "a2b1", "a2b3"}

    def test_a_file_says_which(self, way, tmp_path):
        file = tmp_path / "kept.hst"
        file.write_text("a3;b3;p\na3;b1;p\n")
        made = grid(INNER, CORNER, level=5).given(file).protect(way())
        assert secondary(made) == {"a1b3", "a2b1", "a2b3"}

    def test_too_many_of_them_are_told(self, way):
        everywhere = [(row, column) for row in range(4) for column in range(4)]
        table = grid(INNER, CORNER, level=5, published=everywhere)
        with pytest.raises(ProtectionError) as told:
            table.protect(way())
        said = str(told.value)
        assert "(a a1, b b1) cannot be protected" in said
        assert "even with every cell suppressed that may be" in said
        assert "cannot be 5 above its value" in said or "cannot be 5 below its value" in said
        assert "Allow more cells to be suppressed" in said


@every_way
def test_a_level_that_nothing_reaches_is_told(way):
    with pytest.raises(
        ProtectionError, match=r"a1, b b1\) cannot be .* 21 below .* lower its level"
    ):
        grid(INNER, CORNER, level=21).protect(way())


@every_way
def test_values_that_are_not_known_are_told(way):
    with pytest.raises(InputError, match=r"value of every cell; .* has none\. Start from"):
        grid(INNER, CORNER, level=5).published().protect(way())


@every_way
class TestCosts:
    def test_by_value_by_count_by_contributors_and_as_given(self, way):
        contributors = np.full(16, 9.0)
        contributors[[1 * 4 + 2, 2 * 4 + 1, 2 * 4 + 2]] = 2.0  # the dear 50, the 8 and the 19
        table = grid(INNER, CORNER, level=5, contributors=contributors)
        found = table.protect(way(cost="contributors"))
        assert secondary(found) == {"a1b2", "a2b1", "a2b2"}
        assert found.suppression.cost == 6
        assert table.protect(way(cost="count")).suppression.cost == 3
        assert table.protect(way(cost="value")).suppression.cost == 10 + 11 + 12
        dear = np.where(np.isin(np.arange(16), [4 + 3, 8 + 1, 8 + 3]), 1.0, 1000.0)
        given = table.with_cells(cost=dear).protect(way(cost="cost"))
        assert secondary(given) == {"a1b3", "a2b1", "a2b3"}
        assert given.suppression.cost == 3

    @pytest.mark.parametrize("power", [-1.0, 0.0, 0.5])
    def test_by_a_function(self, way, power):
        """As tau-ARGUS has it: the value to a power, its logarithm for 0."""
        table = grid(INNER, CORNER, level=5)
        value = table.cells.value
        cost = np.log1p(value) if power == 0 else value**power
        found = table.with_cells(cost=cost).protect(way(cost="cost"))
        assert found.audit().is_safe
        hidden = found.suppression.secondary
        assert found.suppression.cost == pytest.approx(cost[hidden].sum())
        if way is ta.OptimalSuppression:
            plain = table.protect(way()).suppression.secondary
            assert cost[hidden].sum() <= cost[plain].sum() + 1e-9

    def test_one_that_is_not_known(self, way):
        with pytest.raises(ParameterError, match="contributors of some cells is not known"):
            grid(INNER, CORNER, level=5).protect(way(cost="contributors"))

    def test_a_word_that_is_none(self, way):
        with pytest.raises(ParameterError, match="cost"):
            way(cost="price")


@every_way
class TestSafetyRange:
    def test_secondaries_get_room_of_their_own(self, way):
        # By 1 the pattern moves; the 32 is a secondary suppression that must be possible by 16.
        table = grid([[20, 90, 10], [80, 19, 22], [17, 32, 90]], CORNER, level=1)
        for percent in (0, 50):
            made = table.protect(way(safety_range=percent))
            found = made.audit()
            assert found.is_safe
            hidden = np.flatnonzero(made.cells.status == Status.SECONDARY)
            value = made.cells.value[hidden]
            assert (found.upper[hidden] >= value * (1 + percent / 100) - 1e-6).all()
            assert (found.lower[hidden] <= value * (1 - percent / 100) + 1e-6).all()

    def test_without_it_a_secondary_may_have_none(self, way):
        # The corner has room for 1 only, so that what is suppressed with it has no more.
        table = grid([[1, 60, 90], [80, 70, 95], [85, 99, 90]], CORNER, level=1)
        plain, wide = (table.protect(way(safety_range=percent)) for percent in (0, 30))
        hidden = np.flatnonzero(plain.cells.status == Status.SECONDARY)
        room = plain.cells.value[hidden] - plain.audit().lower[hidden]
        assert (room < 0.3 * plain.cells.value[hidden]).any()
        assert len(wide.suppression.secondary) > len(hidden)
        assert wide.suppression.cost > plain.suppression.cost
        assert not wide.suppression.is_optimal

    def test_below_zero_is_refused(self, way):
        with pytest.raises(ParameterError, match="safety_range"):
            way(safety_range=-1)


class TestWhatContributorsKnow:
    """Two sensitive cells hide each other from everybody but the only contributor of one."""

    RECORDS = {
        "a": [*["a1"] * 5, *["a2"] * 5, *["a1"] * 6, *["a2"] * 6, *["a3"] * 9],
        "b": [*["b1", "b1", "b2", "b2", "b2"] * 2, *["b3"] * 12, *["b1", "b2", "b3"] * 3],
        "amount": [90, 9, 97, 5, 6, 80, 10, 81, 7, 5, *[30] * 12, *[40] * 9],
        # One holding owns both firms of a1 x b1.
        "holding": ["h0", "h0", *[f"h{at}" for at in range(2, 31)]],
    }

    def table(self, contributor):
        data = ta.read(pa.table(self.RECORDS))
        made = ta.tabulate(data, ["a", "b"], value="amount", contributor=contributor)
        return made.judge(ta.PPercent(15))

    def known(self, table):
        return np.arange(len(table)) == table.row(a="a1", b="b1")

    def learns(self, made):
        """Tell what a respondent learns who is alone in the cell of the first codes."""
        found = audit(replace(made.system(), known=self.known(made)))
        return {"".join(made.codes_of(int(row))) for row in found.exact_disclosed} - {"a1b1"}

    def test_the_example(self):
        table = self.table("holding")
        alone = table.cells.contributors[table.row(a="a1", b="b1")]
        assert (alone, self.table(None).cells.contributors[table.row(a="a1", b="b1")]) == (1, 2)
        assert {
            "".join(table.codes_of(int(row))) for row in np.flatnonzero(table.cells.sensitive)
        } == {
            "a1b1",
            "a1b2",
            "a2b1",
            "a2b2",
        }

    @every_way
    def test_a_holding_with_two_firms_is_one_contributor(self, way):
        plain = self.table("holding").protect(way())
        assert not plain.suppression.secondary.size
        assert self.learns(plain) == {"a1b2", "a2b1", "a2b2"}
        safe = self.table("holding").protect(way(singletons="protected"))
        assert safe.suppression.secondary.size
        assert not self.learns(safe)

    @every_way
    def test_two_firms_of_their_own_know_less(self, way):
        table = self.table(None)
        made = table.protect(way(singletons="protected"))
        assert made.audit().is_safe
        assert not made.suppression.secondary.size

    @every_way
    def test_nothing_sensitive_needs_nothing(self, way):
        table = self.table("holding")
        nothing = np.zeros(len(table), np.int8)
        plain = table.with_cells(status=nothing)
        made = way(singletons="protected").protect(plain.system())
        assert not made.secondary.size

    @every_way
    def test_a_word_that_is_none(self, way):
        with pytest.raises(ParameterError, match="singletons"):
            way(singletons="maybe")


class TestLimits:
    @pytest.mark.parametrize(
        "way", [ta.OptimalSuppression, ta.FastSuppression, ta.ModularSuppression]
    )
    def test_no_time_at_all_is_refused(self, way):
        with pytest.raises(ParameterError, match="time_limit"):
            way(time_limit=0)

    @pytest.mark.parametrize("way", [ta.OptimalSuppression, ta.ModularSuppression])
    def test_no_nodes_at_all_are_refused(self, way):
        with pytest.raises(ParameterError, match="node_limit"):
            way(node_limit=0)

    @pytest.mark.parametrize("way", [ta.HypercubeSuppression, ta.NetworkSuppression])
    @pytest.mark.parametrize("limit", ["time_limit", "node_limit"])
    def test_what_is_never_stopped_has_no_limits(self, way, limit):
        with pytest.raises(ParameterError, match=limit):
            way(**{limit: 1})


class TestStops:
    @pytest.mark.parametrize("way", [ta.OptimalSuppression, ta.FastSuppression])
    def test_by_the_clock_leaves_the_best_so_far_audited_with_its_gap_and_says_so(
        self, judged_table, way
    ):
        system = judged_table(3, dimensions=3, share=0.1).system()
        found = way(time_limit=1e-6).protect(system)
        told = found.to_dict()
        assert (told["exact_disclosed"], told["below_level"]) == (0, 0)
        assert told["reproducible"] is False
        assert told["optimal"] is False
        assert told["bound"] <= told["cost"]
        assert told["gap"] == pytest.approx(1 - told["bound"] / told["cost"])
        assert "gap" in repr(found)

    @pytest.mark.parametrize("way", [ta.OptimalSuppression, ta.ModularSuppression])
    def test_by_nodes_gives_the_same_pattern_every_time(self, judged_table, way):
        system = judged_table(3, dimensions=3, share=0.1).system()
        first, second = (way(node_limit=1).protect(system) for _ in range(2))
        assert first.is_reproducible
        assert first.audit.is_safe
        assert np.array_equal(first.secondary, second.secondary)

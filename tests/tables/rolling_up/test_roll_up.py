"""Rolling up: against all ways, one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.mechanisms.sensitivity.minimum_frequency import MinimumFrequency
from tacita.mechanisms.sensitivity.p_percent import PPercent
from tacita.solvers.integer import Effort
from tacita.tables.audit.audit import audit
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.judging import judge
from tacita.tables.protect.optimal_suppression import OptimalSuppression
from tacita.tables.ready import grid_table
from tacita.tables.rolling_up.cuts import Cuts
from tacita.tables.rolling_up.opening import coarsest, opened
from tacita.tables.rolling_up.program import solution
from tacita.tables.rolling_up.roll_up import roll_up, roll_up_and_suppress
from tacita.tables.rolling_up.task import Task
from tacita.tables.rolling_up.twins import with_sensitive_twins
from tacita.tables.status import Status
from tacita.tables.table import Table

Random = Callable[..., Table]
SEEDS = st.integers(0, 10_000)


def leaves_below(dimension: Dimension) -> list[frozenset[int]]:
    """Find the leaves of each code by walking up from every leaf."""
    below: list[set[int]] = [set() for _ in dimension.codes]
    for leaf, parents in product(map(int, dimension.leaves), dimension.parents):
        code = leaf
        while code != -1:
            below[code].add(leaf)
            code = int(parents[code])
    return [frozenset(leaves) for leaves in below]


def partitions(parents: list[int], code: int) -> Iterator[list[int]]:
    """List the ways to publish a code: as a whole, or each of its parts in one of its ways."""
    parts = [part for part, whole in enumerate(parents) if whole == code]
    yield [code]
    if parts:
        for several in product(*(list(partitions(parents, part)) for part in parts)):
            yield [one for way in several for one in way]


def kept_codes(dimension: Dimension) -> set[frozenset[int]]:
    """List the sets of codes that a dimension may keep: those that finest codes add up to."""
    below = leaves_below(dimension)
    found = set()
    for parents in dimension.parents:
        for finest in partitions(list(map(int, parents)), 0):
            blocks = [below[code] for code in finest]
            found.add(
                frozenset(
                    code
                    for code, leaves in enumerate(below)
                    if all(block <= leaves or not block & leaves for block in blocks)
                )
            )
    return found


def least_loss(table: Table, weights: np.ndarray, remaining: int = 0) -> float | None:
    """Try every way to roll a table up."""
    losses = []
    exposed = table.cells.sensitive.copy()
    for rows in same_leaves(table):
        exposed[rows] = exposed[rows].any()
    for ways in product(*(kept_codes(dimension) for dimension in table.dimensions)):
        left = np.array(
            [
                all(code in way for code, way in zip(place, ways, strict=True))
                for place in table.places
            ]
        )
        sensitive = exposed & left
        stays = left[table.cells.status == Status.PUBLISHED].all()
        if sensitive.sum() <= remaining and stays:
            losses.append(weights[~left | sensitive].sum())
    return min(losses, default=None)


def marked(table: Table, seed: int, share: float, published: float = 0.0) -> Table:
    """Mark some cells as sensitive, and some as to be published."""
    rng = np.random.default_rng(seed)
    status = rng.choice(
        [Status.SAFE, Status.SENSITIVE, Status.PUBLISHED],
        len(table),
        p=[1 - share - published, share, published],
    ).astype(np.int8)
    for rows in same_leaves(table):  # what is said of cells that say the same must agree
        if (status[rows] == Status.SENSITIVE).any():
            status[rows[status[rows] == Status.PUBLISHED]] = Status.SAFE
    return table.with_cells(status=status)


def same_leaves(table: Table) -> list[np.ndarray]:
    """Put cells together that add up the same leaves."""
    below = [leaves_below(dimension) for dimension in table.dimensions]
    found: dict[tuple[frozenset[int], ...], list[int]] = {}
    for row, place in enumerate(table.places):
        leaves = tuple(of[code] for of, code in zip(below, place, strict=True))
        found.setdefault(leaves, []).append(row)
    return [np.array(rows) for rows in found.values()]


def is_possible(table: Table) -> bool:
    """Tell whether the coarsest table has no sensitive cell."""
    task = Task.of(with_sensitive_twins(table), "count", {})
    return task.is_met(task.rows([cuts.coarsest for cuts in task.cuts]))


class TestLeastRecoding:
    """The loss is that of the best of all ways."""

    @given(seed=SEEDS, dimensions=st.integers(1, 3), loss=st.sampled_from(["count", "value"]))
    @settings(max_examples=60, deadline=None)
    def test_no_way_loses_less(
        self, random_table: Random, seed: int, dimensions: int, loss: str
    ) -> None:
        table = marked(random_table(seed, dimensions=dimensions), seed, 0.1, published=0.03)
        weights = np.ones(len(table)) if loss == "count" else np.abs(table.cells.value)
        least = least_loss(table, weights)
        if least is None:
            with pytest.raises(ProtectionError, match="too many sensitive cells are left"):
                roll_up(table, loss=loss)
            return
        found = roll_up(table, loss=loss)
        assert found.loss == least
        assert found.is_optimal
        assert found.bound <= found.loss
        assert not found.table.cells.sensitive.any()
        assert (table.cells.status == 3).sum() == (found.table.cells.status == 3).sum()

    @given(seed=SEEDS)
    @settings(max_examples=30, deadline=None)
    def test_levels(self, random_table: Random, seed: int) -> None:
        table = marked(random_table(seed), seed, 0.08)
        spans = table.dimensions
        only_parts = any(len(one.parts) == 1 for span in spans for one in span.sums)
        if only_parts or any(len(span.parents) > 1 for span in spans) or not is_possible(table):
            return
        losses = []
        for depths in product(*(range(max(map(span.depth, span.leaves)) + 1) for span in spans)):
            left = np.ones(len(table), bool)
            for axis, (span, depth) in enumerate(zip(spans, depths, strict=True)):
                shallow = np.array([span.depth(code) <= depth for code in range(len(span))])
                left &= shallow[table.places[:, axis]]
            if not (left & table.cells.sensitive).any():
                losses.append((~left).sum())
        found = roll_up(table, allowed={span.name: "level" for span in spans})
        assert found.loss == min(losses)
        assert found.loss >= roll_up(table).loss

    @given(seed=SEEDS)
    @settings(max_examples=30, deadline=None)
    def test_opening_forks_is_allowed_but_not_better(self, random_table: Random, seed: int) -> None:
        table = with_sensitive_twins(marked(random_table(seed), seed, 0.1))
        if not is_possible(table):
            return
        task = Task.of(table, "count", {})
        cuts = opened(task, coarsest(task))
        left = task.rows(cuts)
        assert task.is_met(left)
        assert task.loss(left) >= roll_up(table).loss
        for axis, (ways, cut) in enumerate(zip(task.cuts, cuts, strict=True)):
            for fork in ways.next(cut):
                more = [*cuts]
                more[axis] = cut._replace(opened=cut.opened | {fork})
                assert not task.is_met(task.rows(more))

    def test_a_search_that_is_stopped_tells_its_bound(self, random_table: Random) -> None:
        table = marked(random_table(7, dimensions=3), 7, 0.05)
        table = table.with_cells(status=np.where(np.arange(len(table)) == 0, 0, table.cells.status))
        full, stopped = roll_up(table), roll_up(table, effort=Effort(seconds=0.0))
        assert stopped.bound <= full.loss <= stopped.loss
        assert not stopped.table.cells.sensitive.any()
        if not stopped.is_optimal:
            assert "stopped" in repr(stopped)

    def test_of_decimal_weights_one_unit_more_is_not_the_least(self) -> None:
        inside = {"x": [10**9, 2 * 10**9], "y": [3 * 10**9, 4 * 10**9]}
        table = grid_table("t", inside, ["u", "v"], sensitive=[("x", "u")])
        task = Task.of(table, "value", {})
        assert task.is_least(5e9, 5e9)
        assert not task.is_least(5e9 + 1, 5e9)


class TestWhatIsLeft:
    """The rolled-up table is a table like any other."""

    @given(seed=SEEDS)
    @settings(max_examples=40, deadline=None)
    def test_it_adds_up_and_tells_nothing_that_was_left_out(
        self, random_table: Random, seed: int
    ) -> None:
        table = random_table(seed, most=9)
        table = judge(table.with_cells(status=np.zeros(len(table), np.int8)), MinimumFrequency(3))
        if not is_possible(table):
            return
        small = roll_up(table).table
        small.system()
        rows = [table.row(**_codes(small, row)) for row in range(len(small))]
        assert np.array_equal(table.cells.value[rows], small.cells.value)
        assert len(set(rows)) == len(rows)
        hidden = np.ones(len(table), bool)
        hidden[rows] = False
        status = np.where(hidden, np.int8(Status.SECONDARY), np.int8(Status.SAFE))
        status[table.cells.sensitive] = Status.SENSITIVE
        told = audit(table.with_cells(status=status, lower_level=np.zeros(len(table))))
        sensitive = np.flatnonzero(table.cells.sensitive)
        assert not np.isin(told.exact_disclosed, sensitive).any()

    @pytest.mark.parametrize("rules", [[PPercent(15)], [MinimumFrequency(4), PPercent(40)]])
    def test_rules_say_the_same_of_it(self, rules: list[ta.Method]) -> None:
        firms = ta.example("firms", 400)
        table = ta.tabulate(firms, ["nace", "region"], value="turnover", contributor="holding")
        found = roll_up(table, rules)
        blank = np.zeros(len(found.table), np.int8)
        again = judge(found.table.with_cells(status=blank), rules)
        assert not again.cells.sensitive.any()
        assert 1 < len(found.table) < len(table)
        assert found.table.audit().is_safe  # it is in a person's hands as before

    def test_hierarchies_that_cross(self) -> None:
        """Of two partitions only one may be the finest: their differences would tell."""
        paths = [
            [("a", "ab", "Total"), ("b", "ab", "Total"), ("c", "Total")],
            [("a", "Total"), ("b", "bc", "Total"), ("c", "bc", "Total")],
        ]
        span = Dimension.of_trees("x", paths)
        value = np.array(
            [{"Total": 9, "ab": 5, "a": 3, "b": 2, "c": 4, "bc": 6}[c] for c in span.codes]
        )
        status = np.where(np.array(span.codes) == "b", np.int8(Status.SENSITIVE), np.int8(0))
        places = np.arange(len(span), dtype=np.int32)[:, None]
        table = Table("t", (span,), places, Cells.of(value.astype(float), status=status))
        found = roll_up(table)
        left = set(found.table.dimensions[0].codes)
        assert left in ({"Total", "ab", "c"}, {"Total", "a", "bc"})
        assert found.loss == 3

    def test_a_total_that_says_the_same_as_its_only_part(self) -> None:
        nested = {"Total": {"north": ["a", "b"], "south": {"s": ["c"]}, "west": ["d", "e"]}}
        span = Dimension.from_nested("x", nested)
        value = {"Total": 15, "north": 3, "a": 1, "b": 2, "south": 3, "s": 3, "c": 3}
        cells = Cells.of(
            [value.get(code, {"west": 9, "d": 4, "e": 5}.get(code, 0)) for code in span.codes]
        )
        table = Table("t", (span,), np.arange(len(span), dtype=np.int32)[:, None], cells)
        for code in ("south", "s", "c"):
            status = np.where(np.array(span.codes) == code, np.int8(Status.SENSITIVE), np.int8(0))
            assert roll_up(table.with_cells(status=status)).table.dimensions[0].codes == ("Total",)
        status[table.row(x="s")] = Status.PUBLISHED
        with pytest.raises(InputError, match=r"\(x s\) must be published and says the same"):
            roll_up(table.with_cells(status=status))

    def test_a_recoding_is_told(self) -> None:
        span = Dimension.from_nested(
            "region", {"Total": {"north": ["a", "b"], "south": ["c", "d"]}}
        )
        status = np.where(np.array(span.codes) == "b", np.int8(Status.SENSITIVE), np.int8(0))
        values = [10.0, 4, 3, 1, 6, 2, 4]
        places = np.arange(7, dtype=np.int32)[:, None]
        found = roll_up(Table("t", (span,), places, Cells.of(values, status=status)))
        assert found.recoding == {"region": {"a": "north", "b": "north"}}
        assert found.to_dict()["cells"] == 5
        assert "2 codes into north" in repr(found)
        assert found.candidates == 5
        level = roll_up(
            Table("t", (span,), places, Cells.of(values, status=status)),
            allowed={"region": "level"},
        )
        assert level.table.dimensions[0].codes == ("Total", "north", "south")

    def test_nothing_sensitive_nothing_lost(self, salary: Table) -> None:
        safe = salary.with_cells(status=np.zeros(len(salary), np.int8))
        found = roll_up(safe)
        assert (found.loss, found.is_optimal, dict(found.recoding)) == (0, True, {})
        assert len(found.table) == len(salary)


class TestWithSuppression:
    """The combination loses no more than either of both."""

    @given(seed=SEEDS)
    @settings(max_examples=15, deadline=None)
    def test_no_worse_than_either(self, random_table: Random, seed: int) -> None:
        table = with_sensitive_twins(marked(random_table(seed, most=9), seed, 0.08))
        if not is_possible(table):
            return
        both = roll_up_and_suppress(table)
        assert both.loss <= roll_up(table).loss
        assert both.loss >= both.bound == table.cells.sensitive.sum()
        if both.suppression is not None:
            assert both.suppression.audit.is_safe
        seen = (~both.table.cells.suppressed).sum()
        assert both.loss == len(table) - seen

    def test_better_than_both(self, random_table: Random) -> None:
        table = with_sensitive_twins(marked(random_table(262, most=9), 262, 0.12))
        mixed = roll_up_and_suppress(table, remaining=[0, 0.25, 0.5, 0.75, 0.9, 1])
        assert mixed.loss < roll_up_and_suppress(table, remaining=[1]).loss
        assert mixed.loss < roll_up(table).loss
        assert mixed.recoding
        assert mixed.suppression is not None
        assert "the roll-up alone would lose 42" in repr(mixed)

    def test_remaining_cells_are_counted(self, random_table: Random) -> None:
        table = marked(random_table(3, dimensions=2), 5, 0.15)
        table = table.with_cells(status=np.where(np.arange(len(table)) == 0, 0, table.cells.status))
        table = with_sensitive_twins(table)
        for remaining in range(5):
            task = replace(Task.of(table, "count", {}), remaining=remaining)
            cuts, bound = solution(task, Effort())
            left = task.rows(cuts or [])
            assert task.is_met(left)
            lost = task.loss(left & ~table.cells.sensitive)
            assert lost == bound == least_loss(table, np.ones(len(table)), remaining)

    def test_a_way_of_ones_own(self) -> None:
        inside = {"x": [10, 20, 5], "y": [30, 40, 6], "z": [9, 8, 7]}
        table = grid_table("t", inside, ["u", "v", "w"], sensitive=[("x", "u")], level=1)
        found = roll_up_and_suppress(table, by=OptimalSuppression(cost="count"))
        assert found.loss == 4


class TestRefusals:
    """What cannot be done is said."""

    def test_a_sensitive_grand_total(self, salary: Table) -> None:
        status = salary.cells.status.copy()
        status[0] = Status.SENSITIVE
        with pytest.raises(ProtectionError, match=r"\(the grand total\) is sensitive and stays"):
            roll_up(salary.with_cells(status=status))

    def test_what_must_be_published_beside_what_is_sensitive(self, salary: Table) -> None:
        status = salary.cells.status.copy()
        status[salary.row(Sector="HC", Region="BCN")] = Status.PUBLISHED
        with pytest.raises(ProtectionError, match="lie beside cells that must be published"):
            roll_up(salary.with_cells(status=status))

    def test_kept_attributes(self, salary: Table) -> None:
        with pytest.raises(ProtectionError, match="stays in every way"):
            roll_up(salary, allowed={"Sector": "kept", "Region": "kept"})
        found = roll_up(salary, allowed={"Sector": "kept"})
        assert len(found.table.dimensions[1]) == 1
        assert len(found.table) == 4

    def test_a_protected_table(self, salary: Table) -> None:
        with pytest.raises(InputError, match="before it is protected"):
            roll_up(salary.suppress({"Sector": "HC", "Region": "BCN"}))

    @pytest.mark.parametrize(
        ("said", "problem"),
        [
            ({"allowed": {"Sectr": "cut"}}, r"does not span `salary`. Did you mean .Sector"),
            ({"allowed": {"Sector": "all"}}, "is cut, level or kept; found 'all'"),
            ({"loss": "price"}, "`loss` is value, count, contributors, cost; found 'price'"),
            ({"loss": "contributors"}, "contributors of some cells is not known"),
        ],
    )
    def test_options(self, salary: Table, said: dict[str, object], problem: str) -> None:
        with pytest.raises(ParameterError, match=problem):
            roll_up(salary, **said)

    def test_shares(self, salary: Table) -> None:
        with pytest.raises(ParameterError, match="shares from 0 to 1; found 2"):
            roll_up_and_suppress(salary, remaining=[2])
        with pytest.raises(ParameterError, match="at least one share"):
            roll_up_and_suppress(salary, remaining=[])


def test_cuts_are_counted() -> None:
    nested = {"Total": {"n": {"n1": ["a", "b"], "n2": ["c", "d"]}, "s": ["e", "f"]}}
    span = Dimension.from_nested("x", nested)
    every = list(partitions(list(map(int, span.parents[0])), 0))
    assert Cuts(span).number == len(every) == 11
    assert (Cuts(span, "level").number, Cuts(span, "kept").number) == (4, 1)


def _codes(table: Table, row: int) -> dict[str, str]:
    names = (dimension.name for dimension in table.dimensions)
    return dict(zip(names, table.codes_of(row), strict=True))

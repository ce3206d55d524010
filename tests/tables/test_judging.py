"""Sensitive cells of whole tables: the examples of the literature, statuses, reasons, levels."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.read import declare
from tacita.errors import InputError, ParameterError
from tacita.mechanisms.sensitivity.contributions import Contributions, Judgement
from tacita.mechanisms.sensitivity.dominance import Dominance
from tacita.mechanisms.sensitivity.group_disclosure import GroupDisclosure
from tacita.mechanisms.sensitivity.minimum_frequency import MinimumFrequency
from tacita.mechanisms.sensitivity.p_percent import PPercent
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.judging import contributions_of, judge
from tacita.tables.ready import ready_table
from tacita.tables.status import Status
from tacita.tables.table import Table
from tacita.tables.tabulate import tabulate

# the salaries of the literature, with the salary of record 14 as its totals have it
SALARIES = [
    ("IT", "BCN", 500000),
    ("IT", "BCN", 320000),
    ("IT", "BCN", 32000),
    ("IT", "TGN", 35000),
    ("IT", "TGN", 34000),
    ("IT", "TGN", 28000),
    ("HC", "BCN", 300000),
    ("HC", "BCN", 45000),
    ("HC", "BCN", 34000),
    ("HC", "TGN", 45000),
    ("HC", "TGN", 34000),
    ("HC", "TGN", 24000),
    ("Fin", "BCN", 300000),
    ("Fin", "BCN", 35000),
    ("Fin", "TGN", 150000),
]
RED = {("IT", "BCN"), ("Fin", "BCN"), ("Fin", "TGN")}
# days in hospital by sex and disease
DAYS = [
    ("M", "Hypertension", 2),
    ("F", "Hypertension", 3),
    ("M", "Obesity", 10),
    ("M", "Obesity", 7),
    ("F", "Obesity", 60),
    ("F", "Obesity", 1),
    ("M", "Chest pain", 40),
    ("M", "Chest pain", 7),
    ("M", "Short breath", 3),
    ("F", "Short breath", 5),
    ("F", "Short breath", 5),
]


def tabulated(records: list[tuple[str, str, int]], names: tuple[str, str]) -> Table:
    """Add up records with one total an attribute; every combination of codes is a cell."""
    cells: dict[tuple[str, str], list[int]] = defaultdict(list)
    codes = [sorted({record[axis] for record in records}) for axis in (0, 1)]
    for cell in product(["Total", *codes[0]], ["Total", *codes[1]]):
        cells[cell] = sorted(
            (
                amount
                for *at, amount in records
                if all(c in (a, "Total") for c, a in zip(cell, at, strict=True))
            ),
            reverse=True,
        )
    return ready_table(
        "table",
        [Dimension.flat(name, leaves) for name, leaves in zip(names, codes, strict=True)],
        {name: [cell[axis] for cell in cells] for axis, name in enumerate(names)},
        {
            "value": [float(sum(one)) for one in cells.values()],
            "frequency": [len(one) for one in cells.values()],
            "largest": [([*one, 0, 0, 0])[:3] for one in cells.values()],
        },
        variable="amount",
    )


@pytest.fixture
def salaries() -> Table:
    return tabulated(SALARIES, ("sector", "region"))


@pytest.fixture
def days() -> Table:
    return tabulated(DAYS, ("sex", "disease"))


def sensitive(table: Table, *rules: Any, **options: Any) -> set[tuple[str, ...]]:
    judged = judge(table, rules, **options)
    return {judged.codes_of(int(row)) for row in np.flatnonzero(judged.cells.sensitive)}


def inner(cells: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    return {cell for cell in cells if "Total" not in cell}


def with_status(table: Table, status: Status, reason: str = "", **codes: str) -> Table:
    row = table.row(**codes)
    statuses, reasons = table.cells.status.copy(), table.cells.reason.copy()
    statuses[row], reasons[row] = status, reason
    return table.with_cells(status=statuses, reason=reasons)


class TestLiterature:
    """Worked examples, as their microdata have them."""

    @pytest.mark.parametrize(
        "rule", [PPercent(10), PPercent(6.5), PPercent(11.3), Dominance(2, 95)]
    )
    def test_red_cells_of_the_salaries(self, salaries: Table, rule: Any) -> None:
        assert sensitive(salaries, rule) == RED

    def test_bounds_of_p_and_k(self, salaries: Table) -> None:
        # IT/BCN has a rest of 32000 = 6.4 % of 500000, HC/BCN of 34000 = 11.33 % of 300000
        assert sensitive(salaries, PPercent(6.4)) == RED - {("IT", "BCN")}
        assert sensitive(salaries, PPercent(11.34)) == RED | {("HC", "BCN")}
        assert inner(sensitive(salaries, Dominance(2, 91))) == RED | {("HC", "BCN")}
        assert sensitive(salaries, Dominance(2, 96.3)) == RED - {("IT", "BCN")}

    def test_one_dominates(self, salaries: Table) -> None:
        found = sensitive(salaries, Dominance(1, 50))
        assert inner(found) == RED | {("HC", "BCN")}
        assert found - inner(found) == {("IT", "Total"), ("Fin", "Total"), ("HC", "Total")}

    def test_minimum_frequency_of_the_salaries(self, salaries: Table) -> None:
        assert sensitive(salaries, MinimumFrequency(3)) == {("Fin", "BCN"), ("Fin", "TGN")}

    def test_days_in_hospital(self, days: Table) -> None:
        assert inner(sensitive(days, Dominance(1, 50))) == {
            ("M", "Hypertension"),
            ("M", "Short breath"),
            ("F", "Hypertension"),
            ("M", "Obesity"),
            ("M", "Chest pain"),
            ("F", "Obesity"),
        }

    def test_threshold_of_two(self, days: Table) -> None:
        assert sensitive(days, MinimumFrequency(2, zeros="sensitive")) == {
            ("M", "Hypertension"),
            ("M", "Short breath"),
            ("F", "Hypertension"),
            ("F", "Chest pain"),
        }

    def test_levels_of_the_salaries(self, salaries: Table) -> None:
        cells = judge(salaries, PPercent(10)).cells
        level = {c: cells.upper_level[salaries.row(sector=c[0], region=c[1])] for c in RED}
        assert level == {("IT", "BCN"): 18000, ("Fin", "BCN"): 30000, ("Fin", "TGN"): 15000}


class TestSeveralRules:
    """Reasons and levels of cells that several rules call sensitive."""

    def test_the_first_gives_the_reason_and_the_largest_the_level(self, salaries: Table) -> None:
        rules = [MinimumFrequency(3, margin=50), PPercent(10), Dominance(2, 50)]
        cells = judge(salaries, rules).cells
        row = salaries.row(sector="Fin", region="TGN")
        assert cells.reason[row] == "minimum_frequency"
        assert cells.upper_level[row] == 150000  # 100/50 * 150000 - 150000, beside 75000 and 15000
        assert cells.reason[salaries.row(sector="IT", region="BCN")] == "p_percent"

    def test_order_changes_reasons_only(self, salaries: Table) -> None:
        rules = [MinimumFrequency(3), PPercent(10), Dominance(1, 50)]
        one, other = judge(salaries, rules).cells, judge(salaries, rules[::-1]).cells
        for name in ("status", "lower_level", "upper_level", "sliding_level"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))

    def test_judging_again_adds(self, salaries: Table) -> None:
        once = judge(salaries, [PPercent(10), MinimumFrequency(3)])
        twice = judge(judge(salaries, PPercent(10)), MinimumFrequency(3))
        np.testing.assert_array_equal(once.cells.upper_level, twice.cells.upper_level)
        assert once.cells.reason.tolist() == twice.cells.reason.tolist()

    def test_the_table_stays_as_it_was(self, salaries: Table) -> None:
        judge(salaries, PPercent(10))
        assert not salaries.cells.sensitive.any()
        assert not salaries.cells.upper_level.any()


class TestLowerLevels:
    """A cell cannot be possible below what everybody knows."""

    def test_values_that_cannot_be_negative(self) -> None:
        table = ready_table(
            "t",
            [Dimension.flat("a", ["x"])],
            {"a": ["Total", "x"]},
            {
                "value": [10.0, 10.0],
                "largest": [[10.0], [10.0]],
                "frequency": [1, 1],
                "lower_bound": [0, 8],
            },
            variable="v",
        )
        cells = judge(table, Dominance(1, 40)).cells
        assert cells.upper_level.tolist() == [15, 15]
        assert cells.lower_level.tolist() == [10, 2]

    def test_values_that_can(self) -> None:
        table = ready_table(
            "t",
            [Dimension.flat("a", ["x", "y"])],
            {"a": ["Total", "x", "y"]},
            {"value": [-2.0, 10.0, -12.0], "frequency": [2, 1, 1]},
            variable="v",
        )
        assert judge(table, MinimumFrequency(2, margin=150)).cells.lower_level.tolist() == [
            0,
            15,
            18,
        ]


class TestUserFunctions:
    """Any function of the contributions is a rule."""

    def test_a_mask(self, salaries: Table) -> None:
        def tops_half_a_million(cells: Contributions) -> Any:
            return cells.value > 900_000

        cells = judge(salaries, tops_half_a_million).cells
        assert set(cells.reason[cells.sensitive]) == {"tops_half_a_million"}
        assert cells.sensitive.sum() == 3

    def test_a_judgement(self, salaries: Table) -> None:
        def everything(cells: Contributions) -> Judgement:
            return Judgement.of(np.ones(len(cells), bool), 7.0)

        assert (judge(salaries, [everything]).cells.upper_level == 7).all()

    def test_something_else_is_refused(self, salaries: Table) -> None:
        with pytest.raises(InputError, match="`<lambda>` should give a mask"):
            judge(salaries, lambda cells: cells.value)
        with pytest.raises(InputError, match=r"should say of 12 cells.*of 1"):
            judge(salaries, lambda _: np.array([True]))


class TestStatusesBefore:
    """What was decided before is kept, and contradictions are refused."""

    def test_published_and_sensitive(self, salaries: Table) -> None:
        table = with_status(salaries, Status.PUBLISHED, "given", sector="IT", region="BCN")
        with pytest.raises(InputError, match=r"\(sector IT, region BCN\) is said to be published"):
            judge(table, PPercent(10))

    @pytest.mark.parametrize("status", [Status.PUBLISHED, Status.SAFE])
    def test_a_waiver(self, salaries: Table, status: Status) -> None:
        table = with_status(salaries, status, "waiver", sector="IT", region="BCN")
        assert sensitive(table, PPercent(10)) == RED - {("IT", "BCN")}

    def test_given_sensitive_cells_stay_and_keep_their_reason(self, salaries: Table) -> None:
        table = with_status(salaries, Status.SENSITIVE, "given", sector="IT", region="BCN")
        cells = judge(table, PPercent(10)).cells
        row = salaries.row(sector="IT", region="BCN")
        assert (cells.reason[row], cells.upper_level[row]) == ("given", 18000)

    def test_a_secondary_suppression_that_is_sensitive_becomes_a_primary(
        self, salaries: Table
    ) -> None:
        table = with_status(salaries, Status.SECONDARY, sector="IT", region="BCN")
        table = with_status(table, Status.SECONDARY, sector="HC", region="TGN")
        cells = judge(table, PPercent(10)).cells
        assert cells.status[salaries.row(sector="IT", region="BCN")] == Status.SENSITIVE
        assert cells.status[salaries.row(sector="HC", region="TGN")] == Status.SECONDARY


class TestMissingCodes:
    """Cells on a code for missing values."""

    def test_they_can_be_safe(self, salaries: Table) -> None:
        sector, region = salaries.dimensions
        unknown = Dimension(sector.name, sector.codes, sector.parents, missing=frozenset({"Fin"}))
        table = Table("t", (unknown, region), salaries.places, salaries.cells, "amount", "sum")
        assert sensitive(table, PPercent(10)) == RED
        assert sensitive(table, PPercent(10), missing="safe") == {("IT", "BCN")}


class TestGroups:
    """The group that a cell is part of, along every hierarchy."""

    @staticmethod
    def table(dimension: Dimension, counts: dict[str, int]) -> Table:
        values = np.array(list(counts.values()), float)
        places = np.array([[dimension.place(code)] for code in counts])
        order = np.argsort(places[:, 0])
        return Table(
            "t", (dimension,), places[order], Cells.of(values[order], frequency=values[order])
        )

    def test_absent_categories_count(self) -> None:
        health = Dimension.flat("health", ["good", "bad"])
        table = self.table(health, {"Total": 9, "bad": 9})
        assert sensitive(table, GroupDisclosure()) == {("bad",)}

    def test_only_children_are_looked_through(self) -> None:
        place = Dimension.from_nested(
            "place", {"Total": {"island": {"port": ["quay"]}, "land": ["l"]}}
        )
        table = self.table(place, {"Total": 9, "island": 9, "port": 9, "quay": 9})
        assert sensitive(table, GroupDisclosure()) == {("island",), ("port",), ("quay",)}
        one = self.table(
            Dimension.from_nested("place", {"Total": {"island": ["port"]}}),
            {"Total": 9, "island": 9, "port": 9},
        )
        assert not sensitive(one, GroupDisclosure())

    def test_the_smallest_of_several_hierarchies(self) -> None:
        nested = {"Total": {"n": ["a", "b"], "s": ["c"]}}
        labour = {"Total": {"x": ["b", "c"], "y": ["a"]}}
        place = Dimension.from_nested("place", nested, labour)
        table = self.table(
            place, {"Total": 9, "n": 6, "s": 3, "a": 1, "b": 5, "c": 3, "x": 8, "y": 1}
        )
        found = contributions_of(table)
        codes = [table.codes_of(row)[0] for row in range(len(table))]
        group = dict(zip(codes, found.group["place"], strict=True))
        assert (group["a"], group["b"], group["c"]) == (6, 6, 8)
        assert np.isnan(group["Total"])


@given(
    people=st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1, max_size=12
    ),
    others=st.integers(0, 2),
)
def test_group_disclosure_against_the_people_themselves(
    people: list[tuple[str, str]], others: int
) -> None:
    data = declare(pa.table({"r": [r for r, _ in people], "s": [s for _, s in people]}), {})
    table = tabulate(data, ["r", "s"])
    several = [len({person[axis] for person in people}) > 1 for axis in (0, 1)]
    expected = set()
    for cell in (table.codes_of(row) for row in range(len(table))):
        for axis in (0, 1):
            group = [p for p in people if cell[1 - axis] in (p[1 - axis], "Total")]
            elsewhere = sum(person[axis] != cell[axis] for person in group)
            if cell[axis] != "Total" and several[axis] and elsewhere <= others:
                expected.add(cell)
    assert sensitive(table, GroupDisclosure(others=others)) == expected


class TestBadInput:
    """Mistakes, in words."""

    def test_no_rule(self, salaries: Table) -> None:
        with pytest.raises(ParameterError, match="at least one rule"):
            judge(salaries, [])

    @pytest.mark.parametrize("rule", ["p_percent", PPercent, [PPercent(10)], None])
    def test_what_is_no_rule(self, salaries: Table, rule: Any) -> None:
        with pytest.raises(ParameterError, match="A rule is a method with its parameters"):
            judge(salaries, [rule])

    def test_another_word_for_missing(self, salaries: Table) -> None:
        with pytest.raises(ParameterError, match="`missing` is judged or safe; found 'sfae'"):
            judge(salaries, [PPercent(10)], missing="sfae")  # type: ignore[arg-type]

    @pytest.mark.parametrize("level", [-1.0, np.nan, np.inf])
    def test_levels_that_no_rule_can_set(self, salaries: Table, level: float) -> None:
        def mine(cells: Contributions) -> Judgement:
            return Judgement.of(cells.value > 0, level)

        with pytest.raises(InputError, match="`mine` should set levels of 0 or more"):
            judge(salaries, [mine])

    def test_levels_of_other_cells(self, salaries: Table) -> None:
        def mine(cells: Contributions) -> Judgement:
            return Judgement(cells.value > 0, *(np.zeros(1) for _ in range(3)))

        with pytest.raises(InputError, match="said so of 1"):
            judge(salaries, [mine])

    def test_a_rule_of_magnitudes_on_counts(self) -> None:
        table = ready_table(
            "people", [Dimension.flat("a", ["x"])], {"a": ["Total", "x"]}, {"value": [1, 1]}
        )
        with pytest.raises(ParameterError, match="applies to magnitude tables; `people` is a freq"):
            judge(table, PPercent(10))

    def test_another_kind_of_method(self, salaries: Table) -> None:
        from tacita.microdata.models.k_anonymity import KAnonymity

        with pytest.raises(ParameterError, match="`k_anonymity` is a method of the family model"):
            judge(salaries, KAnonymity(3))

    def test_a_ready_made_table_without_contributions(self, salaries: Table) -> None:
        blank = salaries.with_cells(largest=np.full((len(salaries), 0), np.nan))
        with pytest.raises(InputError, match=r"2 largest contributions.*holds 0"):
            judge(blank, PPercent(10))

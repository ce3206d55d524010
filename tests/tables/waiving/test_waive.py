"""Statuses lowered by waivers, against rules worked out contributor by contributor."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.mechanisms.sensitivity.dominance import Dominance
from tacita.mechanisms.sensitivity.group_disclosure import GroupDisclosure
from tacita.mechanisms.sensitivity.minimum_frequency import MinimumFrequency
from tacita.mechanisms.sensitivity.p_percent import PPercent
from tacita.mechanisms.sensitivity.pq import Pq
from tacita.mechanisms.sensitivity.request_rule import RequestRule
from tacita.mechanisms.sensitivity.zero_rule import ZeroRule
from tacita.tables.apriori import Given, with_given
from tacita.tables.judging import judge
from tacita.tables.ready import grid_table
from tacita.tables.status import Status
from tacita.tables.table import Table
from tacita.tables.tabulate import tabulate
from tacita.tables.waivers import Waiver
from tacita.tables.waiving.waive import waived, waived_cells
from tacita.tables.waiving.waived import Waived

TODAY = date(2025, 6, 1)
SIGNED = date(2025, 1, 1)


def consent(who: str, **said: Any) -> Waiver:
    return Waiver(who, said.pop("signed", SIGNED), f"letter of {who}", **said)


def firms(rows: list[tuple[str, str, int]]) -> pa.Table:
    who, town, pay = zip(*rows, strict=True)
    return pa.table({"firm": list(who), "town": list(town), "pay": list(pay)})


def waive(data: Any, rules: Any, waivers: list[Waiver], **said: Any) -> Waived:
    table = said.pop("table", None) or tabulate(data, ["town"], value="pay", contributor="firm")
    options = {"identity": "firm", "on": TODAY, "tabulated": {"contributor": "firm"}, **said}
    return waived(data, table, rules, waivers, **options)


ONE_LARGE = firms([("a", "x", 90), ("b", "x", 4), ("c", "x", 3), ("d", "x", 3), ("e", "y", 50)])


class TestRules:
    """What each rule needs to be content."""

    def test_the_largest_consents(self) -> None:
        found = waive(ONE_LARGE, PPercent(15), [consent("a")])
        (use,) = found.uses
        assert use.to_dict() == {
            "cell": ["x"],
            "name": "(town x)",
            "rules": ["p_percent"],
            "contributors": ["a"],
            "documents": ["letter of a"],
            "after": "safe",
            "before": "sensitive",
        }
        row = found.table.row(town="x")
        assert (found.table.cells.status[row], found.table.cells.reason[row]) == (0, "waiver")
        assert found.table.cells.upper_level[row] == 0
        assert found.table.cells.sensitive[found.table.row(town="y")]

    def test_the_second_would_be_uncovered(self) -> None:
        """Who knows the largest subtracts it: of two others, each would learn the other's."""
        data = firms([("a", "x", 90), ("b", "x", 5), ("c", "x", 5), ("e", "y", 500)])
        assert not waive(data, PPercent(15), [consent("a")]).uses
        assert waive(data, PPercent(15), [consent("a"), consent("b"), consent("c")]).uses

    def test_another_consents(self) -> None:
        assert not waive(ONE_LARGE, PPercent(15), [consent("b")]).uses

    def test_dominance(self) -> None:
        assert waive(ONE_LARGE, Dominance(1, 80), [consent("a")]).uses
        assert not waive(ONE_LARGE, Dominance(2, 60), [consent("a")]).uses

    def test_pq(self) -> None:
        """Of the others 4, 3 and 3, the last is known to within half: the first to within 1.5."""
        assert waive(ONE_LARGE, Pq(15, 50), [consent("a")]).uses[0].rules == ("pq",)
        assert not waive(ONE_LARGE, Pq(40, 50), [consent("a")]).uses
        assert not waive(ONE_LARGE, Pq(15, 50), [consent("b")]).uses

    def test_others_who_asked_for_protection(self) -> None:
        """With a known, b has 4 of 10: too much where he asked and 30 percent are enough."""

        def tried(share: float, asked: list[str]) -> set[tuple[str, ...]]:
            data = ONE_LARGE.append_column("asked", [asked])
            options = {"contributor": "firm", "request": "asked"}
            table = tabulate(data, ["town"], value="pay", **options)
            rule = RequestRule(share)
            assert judge(table, rule).cells.sensitive[table.row(town="x")]
            found = waive(data, rule, [consent("a")], table=table, tabulated=options)
            return {one.cell for one in found.uses}

        assert ("x",) in tried(30, ["1", "no", "no", "no", "no"])
        assert ("x",) in tried(60, ["1", "1", "no", "no", "no"])
        assert ("x",) not in tried(30, ["1", "1", "no", "no", "no"])

    def test_others_who_come_to_nothing(self) -> None:
        data = firms([("a", "x", 0), ("b", "x", 0), *((f"c{i}", "y", 9) for i in range(5))])
        assert not waive(data, ZeroRule(1), [consent("a")]).uses
        (use,) = waive(data, ZeroRule(1), [consent("a"), consent("b")]).uses
        assert (use.cell, use.rules) == (("x",), ("zero_rule",))
        some = firms([("a", "x", 5), ("b", "x", 0), *((f"c{i}", "y", 9) for i in range(5))])
        both = [ZeroRule(1), PPercent(15)]
        assert not waive(some, both, [consent("a")]).uses  # it would tell that b has nothing

    def test_every_rule_must_be_content(self) -> None:
        """Three others are too few for a rule that did not call the cell sensitive before."""
        assert waive(ONE_LARGE, [PPercent(15), MinimumFrequency(3)], [consent("a")]).uses
        assert not waive(ONE_LARGE, [PPercent(15), MinimumFrequency(4)], [consent("a")]).uses

    def test_few_must_all_consent(self) -> None:
        data = firms([("a", "x", 5), ("b", "x", 5), *((f"c{i}", "y", 9) for i in range(5))])
        assert not waive(data, MinimumFrequency(3), [consent("a")]).uses
        (use,) = waive(data, MinimumFrequency(3), [consent("a"), consent("b")]).uses
        assert use.contributors == ("a", "b")

    def test_a_function_is_content_with_nobody_only(self) -> None:
        def odd(cells: Any) -> Any:
            return cells.contributors % 4 == 0

        assert not waive(ONE_LARGE, odd, [consent("a")]).uses
        everybody = [consent(who) for who in "abcd"]
        assert waive(ONE_LARGE, odd, everybody).uses[0].rules == ("odd",)

    def test_a_group_that_becomes_small_is_still_disclosed(self) -> None:
        town, ill = ["x"] * 5 + ["y"] * 9, ["yes"] * 5 + ["yes", "no", "no"] * 3
        data = pa.table({"who": [f"r{i}" for i in range(14)], "town": town, "ill": ill})
        table, rule = tabulate(data, ["town", "ill"]), GroupDisclosure("ill", smallest=5)
        one, options = consent("r0"), {"identity": "who", "on": TODAY}
        assert not waived(data, table, rule, [one], **options).uses
        five = [consent(f"r{i}") for i in range(5)]
        (use,) = waived(data, table, rule, five, **options).uses
        assert use.cell == ("x", "yes")

    def test_nobody_is_left_at_all(self) -> None:
        everybody = [consent(who) for who in "abcde"]
        found = waive(ONE_LARGE, PPercent(15), everybody)
        assert not found.table.cells.sensitive.any()


def contributions(data: list[tuple[str, str, str, int]]) -> dict[tuple[str, str], dict[str, int]]:
    """Add up what each firm contributes to every cell and total."""
    cells: dict[tuple[str, str], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for who, r, s, pay in data:
        for cell in product((r, "Total"), (s, "Total")):
            cells[cell][who] += pay
    return cells


def is_exposed(parts: Mapping[str, int], p: int, least: int) -> bool:
    """Judge one cell by the p%-rule and the minimum frequency, for every target and attacker."""
    if not parts or len(parts) >= least:
        total = sum(parts.values())
        targets = sorted(parts)
        return any(
            total - parts[t] - (parts[a] if a else 0) < Fraction(p, 100) * parts[t]
            for t in targets
            for a in [None, *(one for one in targets if one != t)]
        )
    return True


records = st.lists(
    st.tuples(
        st.sampled_from("abcdef"),
        st.sampled_from("xy"),
        st.sampled_from("uv"),
        st.integers(1, 60),
    ),
    min_size=1,
    max_size=14,
)
scopes = st.lists(
    st.tuples(
        st.sampled_from("abcdef"),
        st.none() | st.tuples(st.sampled_from(["x", "y", "Total"]), st.sampled_from(["u", "v"])),
    ),
    max_size=5,
)


@given(rows=records, said=scopes)
@settings(max_examples=60, deadline=None)
def test_against_every_target_and_attacker(
    rows: list[tuple[str, str, str, int]], said: list[tuple[str, tuple[str, str] | None]]
) -> None:
    who, r, s, pay = zip(*rows, strict=True)
    data = pa.table({"firm": list(who), "r": list(r), "s": list(s), "pay": list(pay)})
    table = tabulate(data, ["r", "s"], value="pay", contributor="firm")
    waivers = [
        consent(name, cell=None if cell is None else {"r": cell[0], "s": cell[1]})
        for name, cell in said
    ]
    found = waived(
        data,
        table,
        [PPercent(20), MinimumFrequency(2)],
        waivers,
        identity="firm",
        on=TODAY,
        tabulated={"contributor": "firm"},
    )
    cells = contributions(rows)
    uses = {use.cell: set(use.contributors) for use in found.uses}
    for row in range(len(table)):
        codes = table.codes_of(row)
        agreed = {name for name, cell in said if cell in (None, codes)} & set(cells[codes])
        others = {name: part for name, part in cells[codes].items() if name not in agreed}
        before = is_exposed(cells[codes], 20, 2)
        is_lifted = before and bool(agreed) and not (others and is_exposed(others, 20, 2))
        assert uses.get(codes, set()) == (agreed if is_lifted else set())
        assert found.table.cells.sensitive[row] == (before and not is_lifted)


class TestWhichCount:
    """Waivers that do not hold are told, and do nothing."""

    @pytest.mark.parametrize(
        ("said", "why"),
        [
            ({"expires": date(2025, 5, 31)}, "it expired on 2025-05-31"),
            ({"signed": date(2025, 6, 2)}, "it holds from 2025-06-02 on"),
            ({"variable": "profit"}, "it is about profit, the table about pay"),
            ({"period": "2024"}, "it is about the period 2024, the table about one not said"),
            ({"cell": {"town": "z"}}, "its cell is unknown. `town` has no code 'z'"),
            ({"cell": {"twon": "x"}}, "its cell is unknown. .*not spanned by `twon`"),
        ],
    )
    def test_out_of_scope(self, said: dict[str, Any], why: str) -> None:
        found = waive(ONE_LARGE, PPercent(15), [consent("a", **said)])
        assert not found.uses
        (remark,) = found.remarks
        assert remark.startswith("The waiver of a (letter of a) does not count: ")
        assert re.search(why, remark)

    def test_in_scope(self) -> None:
        one = consent("a", expires=TODAY, signed=TODAY, variable="pay", period="2025")
        found = waive(ONE_LARGE, PPercent(15), [one], period="2025")
        assert (len(found.uses), found.remarks) == (1, ())

    def test_one_cell_only(self) -> None:
        data = firms([*((w, t, 90 if w == "a" else 3) for w in "abcd" for t in "xy")])
        (use,) = waive(data, PPercent(15), [consent("a", cell={"town": "x"})]).uses
        assert use.cell == ("x",)

    def test_a_cell_that_stays_sensitive_is_told(self) -> None:
        found = waive(ONE_LARGE, PPercent(15), [consent("b", cell={"town": "x"})])
        told = "The cell (town x) stays sensitive because of those who did not consent."
        assert found.remarks == (told,)

    def test_nobody_is_called_so(self) -> None:
        found = waive(ONE_LARGE, PPercent(15), [consent("zzz")])
        assert "nobody in the data is called so" in found.remarks[0]

    @pytest.mark.parametrize("weighting", ["respondents", "represented"])
    def test_a_record_that_stands_for_others(self, weighting: str) -> None:
        """Of a record that is judged as three, two were not asked."""
        data = ta.read(
            ONE_LARGE.append_column("w", pa.array([3.0, 1, 1, 1, 1])), roles={"w": "weight"}
        )
        table = tabulate(data, ["town"], weighting=weighting)
        rule, said = MinimumFrequency(9), [consent("a")]
        found = waived(
            data, table, rule, said, identity="firm", on=TODAY, tabulated={"weighting": weighting}
        )
        told = ["stand for others too" in remark for remark in found.remarks]
        assert any(told) == (weighting == "represented")


class TestOnATable:
    """Statuses that were there before, and data that do not fit."""

    def test_what_is_given_as_unsafe_stays_so(self) -> None:
        table = tabulate(ONE_LARGE, ["town"], value="pay", contributor="firm")
        table = with_given(table, [Given(("x",), "unsafe")])
        found = waive(ONE_LARGE, PPercent(15), [consent("a")], table=table)
        assert not found.uses
        assert found.table.cells.reason[table.row(town="x")] == "given"

    def test_what_must_be_published_may_be(self) -> None:
        table = tabulate(ONE_LARGE, ["town"], value="pay", contributor="firm")
        table = with_given(table, [Given(("x",), "protected")])
        others = [consent("e")]
        with pytest.raises(InputError, match="give a waiver for it"):
            waive(ONE_LARGE, PPercent(15), others, table=table)
        found = waive(ONE_LARGE, PPercent(15), [*others, consent("a")], table=table)
        assert found.table.cells.status[table.row(town="x")] == Status.PUBLISHED
        after = {use.cell: use.after for use in found.uses}
        assert after == {("Total",): "safe", ("x",): "published", ("y",): "safe"}

    def test_judging_again_keeps_it(self) -> None:
        found = waive(ONE_LARGE, PPercent(15), [consent("a")])
        again = judge(found.table, PPercent(15))
        assert np.array_equal(again.cells.status, found.table.cells.status)

    def test_other_data(self) -> None:
        table = tabulate(ONE_LARGE, ["town"], value="pay", contributor="firm")
        with pytest.raises(InputError, match="The data do not give the table"):
            waive(ONE_LARGE.slice(1), PPercent(15), [], table=table)
        with pytest.raises(InputError, match="say all options"):
            waive(ONE_LARGE, PPercent(15), [], tabulated={"shadow": "pay", "largest": 1})

    def test_another_identity(self) -> None:
        with pytest.raises(ParameterError, match="told apart by `firm`; found `town`"):
            waive(ONE_LARGE, PPercent(15), [], identity="town")

    def test_the_record_is_plain(self) -> None:
        found = waive(ONE_LARGE, PPercent(15), [consent("a"), consent("zzz")])
        assert json.loads(json.dumps(found.to_dict())) == found.to_dict()
        assert "1 cell made safe by waivers" in repr(found)


class TestCellsAlone:
    """Without the records, all contributors of a cell must be named."""

    @pytest.fixture
    def table(self) -> Table:
        table = grid_table("t", {"x": [2, 5], "y": [6, 7]}, ["u", "v"])
        return table.with_cells(contributors=table.cells.value)

    @pytest.mark.parametrize(("names", "is_safe"), [("a", False), ("ab", True), ("abc", False)])
    def test_as_many_as_there_are(self, table: Table, names: str, is_safe: bool) -> None:
        said = [consent(name, cell={"row": "x", "column": "u"}) for name in names]
        found = waived_cells(table, MinimumFrequency(3), said, on=TODAY)
        assert found.table.cells.sensitive.any() != is_safe
        assert len(found.uses) == is_safe
        assert bool(found.remarks) != is_safe

    def test_the_same_twice_is_one(self, table: Table) -> None:
        said = [replace(consent("a", cell={"row": "x", "column": "u"}), document=d) for d in "pq"]
        found = waived_cells(table, MinimumFrequency(3), said, on=TODAY)
        assert found.remarks == (
            "The cell (row x, column u) stays sensitive: waivers name 1 contributor, and it has 2.",
        )

    def test_everywhere_needs_the_records(self, table: Table) -> None:
        found = waived_cells(table, MinimumFrequency(3), [consent("a")], on=TODAY)
        assert "names no cell, and the records are not at hand" in found.remarks[0]

    def test_an_unknown_number(self, table: Table) -> None:
        blind = table.with_cells(
            contributors=np.full(len(table), np.nan), frequency=table.cells.value
        )
        said = [consent("a", cell={"row": "x", "column": "u"})]
        found = waived_cells(blind, MinimumFrequency(3, counts="records"), said, on=TODAY)
        assert "it has an unknown number" in found.remarks[0]

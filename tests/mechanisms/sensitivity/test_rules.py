"""Laws that every sensitivity rule keeps, and what single rules say at their bounds."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import InputError, ParameterError
from tacita.mechanisms.sensitivity.contributions import Contributions, decimal
from tacita.mechanisms.sensitivity.dominance import Dominance
from tacita.mechanisms.sensitivity.group_disclosure import GroupDisclosure
from tacita.mechanisms.sensitivity.minimum_frequency import MinimumFrequency
from tacita.mechanisms.sensitivity.p_percent import PPercent
from tacita.mechanisms.sensitivity.pq import Pq
from tacita.mechanisms.sensitivity.request_rule import RequestRule
from tacita.mechanisms.sensitivity.zero_rule import ZeroRule

KEPT = 4
amounts = st.lists(st.integers(0, 10_000), max_size=8)
percents = st.integers(1, 99)


def cells_of(*contents: list[float], kept: int = KEPT, **more: Any) -> Contributions:
    """Make cells from the contributions to each."""
    sizes = [sorted(map(abs, content), reverse=True) for content in contents]
    count = np.array([float(len(content)) for content in contents])
    top = [(one + [0.0] * kept)[:kept] for one in sizes]
    known = {
        "value": np.array([float(sum(content)) for content in contents]),
        "total": np.array([float(sum(one)) for one in sizes]),
        "frequency": count,
        "contributors": count,
        "largest": np.array(top, float).reshape(len(contents), kept),
        "asked": np.zeros((len(contents), 2)),
    }
    return Contributions(**{**known, **more})


def is_sensitive(rule: Any, content: list[float]) -> bool:
    return bool(rule.judge(cells_of(content)).sensitive[0])


MAGNITUDE = [PPercent(10), PPercent(10, 2), Dominance(1, 50), Dominance(2, 85), Pq(10, 40)]


@pytest.mark.parametrize("rule", MAGNITUDE, ids=repr)
class TestEveryRuleOfMagnitudes:
    """What holds for all rules that compare the largest with the rest."""

    @given(content=amounts, factor=st.integers(1, 1000))
    def test_units_make_no_difference(self, rule: Any, content: list[int], factor: int) -> None:
        scaled = [factor * amount for amount in content]
        one, other = (rule.judge(cells_of(c)) for c in (content, scaled))
        assert one.sensitive[0] == other.sensitive[0]
        assert other.upper_level[0] == pytest.approx(factor * one.upper_level[0], abs=1e-6)

    @given(content=amounts, places=st.integers(0, 9))
    def test_decimals_make_no_difference(self, rule: Any, content: list[int], places: int) -> None:
        scaled = [amount / 10**places for amount in content]
        assert is_sensitive(rule, content) == is_sensitive(rule, scaled)

    @given(one=amounts, other=amounts)
    def test_two_cells_that_are_safe_are_safe_together(
        self, rule: Any, one: list[int], other: list[int]
    ) -> None:
        if not is_sensitive(rule, one) and not is_sensitive(rule, other):
            assert not is_sensitive(rule, one + other)

    @given(content=amounts)
    def test_a_sensitive_cell_has_a_level(self, rule: Any, content: list[int]) -> None:
        judged = rule.judge(cells_of(content))
        assert bool(judged.sensitive[0]) == bool(judged.upper_level[0] > 0)
        assert judged.lower_level[0] == judged.upper_level[0]

    def test_signs_make_no_difference(self, rule: Any) -> None:
        assert is_sensitive(rule, [-60, 3, 2]) == is_sensitive(rule, [60, 3, 2])

    def test_contributions_of_nobody_need_not_be_told(self, rule: Any) -> None:
        blank = np.array([[70.0, np.nan, np.nan, np.nan], [40.0, 30.0, 30.0, np.nan]])
        cells = cells_of([70.0], [40.0, 30.0, 30.0])
        told, untold = rule.judge(cells), rule.judge(replace(cells, largest=blank))
        assert untold.sensitive.tolist() == told.sensitive.tolist()
        assert untold.sensitive[0]
        assert untold.upper_level.tolist() == told.upper_level.tolist()

    def test_cells_that_are_not_known_are_not_judged(self, rule: Any) -> None:
        cells = cells_of([90.0, 5.0], [90.0, 5.0])
        cells.total[1] = cells.largest[1] = np.nan
        assert rule.judge(cells).sensitive.tolist() == [True, False]

    def test_tables_that_are_not_known_are_refused(self, rule: Any) -> None:
        cells = cells_of([90.0, 5.0])
        cells.largest[:] = np.nan
        with pytest.raises(InputError, match="largest contributions of the cells"):
            rule.judge(cells)

    def test_a_cell_without_contributors_is_safe(self, rule: Any) -> None:
        assert not is_sensitive(rule, [])
        assert not is_sensitive(rule, [0, 0])


class TestExactness:
    """Decisions at a bound are those of the written decimals."""

    @given(content=amounts, k=percents, n=st.integers(1, 3))
    def test_dominance(self, content: list[int], k: int, n: int) -> None:
        joint = sum(sorted(content, reverse=True)[:n])
        assert is_sensitive(Dominance(n, k), content) == (100 * joint > k * sum(content))

    @given(content=amounts, p=percents, n=st.integers(1, 3))
    def test_p_percent(self, content: list[int], p: int, n: int) -> None:
        ordered = sorted(content, reverse=True)
        rest = sum(ordered[n + 1 :])
        assert is_sensitive(PPercent(p, n), content) == (100 * rest < p * max(content, default=0))

    def test_exactly_half_is_not_dominant(self) -> None:
        assert not is_sensitive(Dominance(1, 50), [0.3, 0.1, 0.2])
        assert is_sensitive(Dominance(1, 50), [0.31, 0.1, 0.2])

    def test_exactly_p_percent_is_not_sensitive(self) -> None:
        assert not is_sensitive(PPercent(10), [0.7, 0.1, 0.07])
        assert is_sensitive(PPercent(10), [0.7, 0.1, 0.069])

    def test_sums_of_decimals_are_decimals(self) -> None:
        assert decimal(0.1 + 0.7) == Fraction(8, 10)
        assert decimal(2.0**60) == 2**60
        assert decimal(0.1234567890123456) == Fraction("0.1234567890123456")


class TestMonotone:
    """A stricter parameter never makes a sensitive cell safe."""

    @given(content=amounts, a=percents, b=percents)
    def test_in_p(self, content: list[int], a: int, b: int) -> None:
        low, high = sorted((a, b))
        assert is_sensitive(PPercent(low), content) <= is_sensitive(PPercent(high), content)

    @given(content=amounts, a=percents, b=percents)
    def test_in_k(self, content: list[int], a: int, b: int) -> None:
        low, high = sorted((a, b))
        assert is_sensitive(Dominance(2, high), content) <= is_sensitive(Dominance(2, low), content)

    @given(content=amounts, p=percents)
    def test_in_the_coalition(self, content: list[int], p: int) -> None:
        assert is_sensitive(PPercent(p, 1), content) <= is_sensitive(PPercent(p, 3), content)

    @given(content=amounts, a=st.integers(1, 9), b=st.integers(1, 9))
    def test_in_the_minimum(self, content: list[int], a: int, b: int) -> None:
        low, high = sorted((a, b))
        few, many = MinimumFrequency(low), MinimumFrequency(high)
        assert is_sensitive(few, content) <= is_sensitive(many, content)


class TestPq:
    """The rule with prior knowledge."""

    @given(content=amounts, p=percents)
    def test_without_knowledge_it_is_p_percent(self, content: list[int], p: int) -> None:
        one, other = (rule.judge(cells_of(content)) for rule in (Pq(p, 100), PPercent(p)))
        assert one.sensitive.tolist() == other.sensitive.tolist()
        assert one.upper_level.tolist() == other.upper_level.tolist()

    @given(content=amounts, p=st.integers(1, 39))
    def test_it_is_p_percent_with_the_ratio(self, content: list[int], p: int) -> None:
        assert is_sensitive(Pq(p, 40), content) == is_sensitive(PPercent(2.5 * p), content)

    def test_what_is_known_cannot_be_made_vaguer(self) -> None:
        with pytest.raises(ParameterError, match="should be below `q`; found 50 and 40"):
            Pq(50, 40)


class TestMinimumFrequency:
    """Counting contributors or records."""

    def test_holdings_or_records(self) -> None:
        cells = cells_of([5.0, 5.0], frequency=np.array([6.0]))
        assert MinimumFrequency(3).judge(cells).sensitive[0]
        assert not MinimumFrequency(3, counts="records").judge(cells).sensitive[0]

    def test_zeros(self) -> None:
        assert not is_sensitive(MinimumFrequency(2), [])
        assert is_sensitive(MinimumFrequency(2, zeros="sensitive"), [])

    def test_its_level_is_a_margin_of_the_value(self) -> None:
        judged = MinimumFrequency(3, margin=20).judge(cells_of([-30.0, -20.0]))
        assert judged.upper_level.tolist() == [10]
        assert judged.lower_level.tolist() == [10]

    def test_weights_are_compared_as_decimals(self) -> None:
        cells = cells_of([1.0], frequency=np.array([0.1 + 0.2 + 2.7]))
        assert not MinimumFrequency(3, counts="records").judge(cells).sensitive[0]

    def test_frequencies_are_needed(self) -> None:
        cells = cells_of([1.0], contributors=np.array([np.nan]))
        with pytest.raises(InputError, match="numbers of contributors of the cells"):
            MinimumFrequency(3).judge(cells)


class TestRequestRule:
    """Those who ask are protected."""

    def test_each_level_has_its_bound(self) -> None:
        cells = cells_of(*[[70.0, 30.0]] * 3, asked=np.array([[70.0, 0], [0, 70], [0, 0]]))
        assert RequestRule(60, second=80).judge(cells).sensitive.tolist() == [True, False, False]
        assert RequestRule(80, second=60).judge(cells).sensitive.tolist() == [False, True, False]
        assert RequestRule(60).judge(cells).sensitive.tolist() == [True, True, False]

    def test_exactly_the_bound_is_safe(self) -> None:
        cells = cells_of([0.7, 0.3], asked=np.array([[0.7, 0.0]]))
        assert not RequestRule(70).judge(cells).sensitive[0]
        assert RequestRule(69.9, margin=10).judge(cells).upper_level[0] == pytest.approx(0.1)

    def test_who_asked_must_be_known(self) -> None:
        cells = cells_of([70.0, 30.0], asked=np.full((1, 2), np.nan))
        with pytest.raises(InputError, match=r"those who ask for protection \(`request`\)"):
            RequestRule(60).judge(cells)


class TestZeroRule:
    """Totals of nothing."""

    def test_all_contributions_are_zero(self) -> None:
        judged = ZeroRule(5).judge(cells_of([0.0, 0.0], [], [1.0, -1.0], [3.0]))
        assert judged.sensitive.tolist() == [True, False, False, False]
        assert judged.upper_level.tolist() == [5, 0, 0, 0]


class TestGroupDisclosure:
    """All of a group in one category."""

    @staticmethod
    def counts(*cells: tuple[float, float, float]) -> Contributions:
        frequency, group, siblings = (np.array(column) for column in zip(*cells, strict=True))
        return cells_of(
            *[[] for _ in cells],
            frequency=frequency,
            group={"health": group},
            siblings={"health": siblings},
        )

    def test_all_of_a_group(self) -> None:
        cells = self.counts((9, 9, 2), (8, 9, 2), (9, 9, 1), (9, np.nan, np.nan), (0, 9, 2))
        judged = GroupDisclosure("health").judge(cells)
        assert judged.sensitive.tolist() == [True, False, False, False, False]
        assert judged.lower_level.tolist() == [1, 0, 0, 0, 0]

    def test_all_but_one_tells_that_one(self) -> None:
        judged = GroupDisclosure("health", others=1).judge(
            self.counts((9, 9, 2), (8, 9, 2), (7, 9, 2))
        )
        assert judged.lower_level.tolist() == [2, 1, 0]

    def test_small_groups_can_be_left_aside(self) -> None:
        judged = GroupDisclosure(smallest=5).judge(self.counts((4, 4, 2), (5, 5, 2)))
        assert judged.sensitive.tolist() == [False, True]

    def test_zeros(self) -> None:
        judged = GroupDisclosure(zeros="sensitive").judge(self.counts((0, 9, 2), (0, 0, 2)))
        assert judged.sensitive.tolist() == [True, False]
        assert judged.upper_level.tolist() == [1, 0]

    def test_weighted_counts(self) -> None:
        cells = self.counts((1.1 + 2.2, 3.3, 2))
        assert GroupDisclosure().judge(cells).sensitive[0]

    def test_an_attribute_that_does_not_span_the_table(self) -> None:
        with pytest.raises(ParameterError, match=r"`helth`, which does not.*`health`"):
            GroupDisclosure("helth").judge(self.counts((9, 9, 2)))


def test_a_rule_says_how_many_contributions_it_needs() -> None:
    with pytest.raises(InputError, match=r"the 4 largest.*holds 2"):
        PPercent(10, 3).judge(cells_of([5.0, 4, 3, 2, 1], kept=2))
    assert PPercent(10, 3).judge(cells_of([5.0, 4.0], kept=2)).sensitive[0]

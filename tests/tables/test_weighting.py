"""Rules and sampling weights: respondents are judged unless those they represent are asked for."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError

ALONE = pa.table(
    {
        "town": ["a", "b", "b", "b", "b", "c", "c"],
        "pay": [9.0, 3.0, 4.0, 5.0, 6.0, 8.0, 7.0],
        "w": [20.0, 1.0, 1.5, 2.0, 2.5, 20.0, 20.0],
    }
)
WEIGHTED = {"roles": {"w": "weight"}}
RULES = [ta.MinimumFrequency(3), ta.PPercent(15), ta.Dominance(1, 80), ta.Dominance(2, 90)]


def sensitive_towns(rule: ta.Method, **options: str) -> set[str]:
    table = ta.tabulate(ta.read(ALONE, **WEIGHTED), ["town"], value="pay", **options).judge(rule)
    return {table.codes_of(row)[0] for row in np.flatnonzero(table.cells.sensitive)}


@pytest.mark.parametrize("rule", RULES)
def test_a_cell_of_one_respondent_is_sensitive_whatever_the_weight(rule):
    assert "a" in sensitive_towns(rule)
    assert sensitive_towns(rule, weighting="represented") == set()


def test_two_respondents_of_equal_weight_can_tell_each_other():
    assert sensitive_towns(ta.PPercent(15)) == {"a", "c"}


# -- what an insider who knows the weights can work out --------------------------------------------

CONTRIBUTIONS = st.lists(
    st.tuples(
        st.sampled_from([0, 1, 2, 5, 10, 25, 100, 400]),
        st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(6, 5), Fraction(5), Fraction(40)]),
    ),
    min_size=1,
    max_size=6,
)
PERCENT = st.sampled_from([5, 20, 50, 100])


def cell_of(said: list[tuple[int, Fraction]], rule: ta.Method) -> bool:
    """Tell whether the only cell of some records is sensitive."""
    columns = {
        "town": ["a"] * len(said),
        "pay": pa.array([float(x) for x, _ in said]),
        "w": [float(w) for _, w in said],
    }
    table = ta.tabulate(ta.read(pa.table(columns), **WEIGHTED), ["town"], value="pay")
    return bool(table.judge(rule).cells.sensitive[table.row(town="a")])


@given(CONTRIBUTIONS, PERCENT)
@example([(10, Fraction(40)), (100, Fraction(1))], 5)
@example([(5, Fraction(40)), (400, Fraction(1, 2)), (1, Fraction(40))], 20)
def test_p_percent_is_whether_a_respondent_can_estimate_another(said, p):
    """Who knows all weights subtracts what is his and divides by the other's weight.

    The other's value is at most that; the rule fires if that is within p percent of it for some
    pair, or for a reader without a record where there is only one.
    """
    total = sum(w * x for x, w in said)
    pairs = list(permutations(said, 2)) or [(said[0], (0, Fraction(1)))]
    found = False
    for (x, w), (own, own_weight) in pairs:
        most = (total - own_weight * own) / w
        found |= x > 0 and most - x < Fraction(p, 100) * x
    assert cell_of(said, ta.PPercent(p)) == found


@given(CONTRIBUTIONS, st.integers(1, 3), st.sampled_from([50, 75, 90]))
def test_dominance_is_whether_few_respondents_are_nearly_all(said, n, k):
    shares = sorted((w * x for x, w in said), reverse=True)
    expected = sum(shares[:n]) > Fraction(k, 100) * sum(shares)
    assert cell_of(said, ta.Dominance(n, k)) == expected


ASKING = st.lists(st.sampled_from(["0", "1", "2"]), min_size=6, max_size=6)


@given(CONTRIBUTIONS, ASKING, st.sampled_from([10, 50, 70]))
def test_requests_are_judged_by_what_who_asks_adds_to_the_cell(said, asks, percent):
    columns = {
        "town": ["a"] * len(said),
        "pay": pa.array([float(x) for x, _ in said]),
        "w": [float(w) for _, w in said],
        "asks": asks[: len(said)],
    }
    data = ta.read(pa.table(columns), **WEIGHTED)
    table = ta.tabulate(data, ["town"], value="pay", request="asks", request_codes=["1", "2"])
    judged = table.judge(ta.RequestRule(percent))
    total = sum(w * x for x, w in said)
    shares = [w * x for (x, w), asked in zip(said, asks, strict=False) if asked != "0"]
    expected = any(share > Fraction(percent, 100) * total for share in shares)
    assert bool(judged.cells.sensitive[table.row(town="a")]) == expected


@given(CONTRIBUTIONS, st.sampled_from([(10, 50), (20, 100)]))
def test_pq_is_whether_a_respondent_narrows_another_down(said, pq):
    """Who knows all others within q percent misses another by q percent of the rest at most."""
    p, q = pq
    shares = sorted((w * x for x, w in said), reverse=True)
    rest = sum(shares[2:])
    expected = shares[0] > 0 and Fraction(q, 100) * rest < Fraction(p, 100) * shares[0]
    assert cell_of(said, ta.Pq(p, q)) == expected


@given(CONTRIBUTIONS, st.integers(1, 7))
def test_minimum_frequency_counts_respondents(said, n):
    assert cell_of(said, ta.MinimumFrequency(n)) == (len(said) < n)


@given(CONTRIBUTIONS)
def test_a_weight_that_all_share_changes_no_verdict(said):
    """The same relative contributions are the same to every rule."""
    same, plain = ([(x, w) for x, _ in said] for w in (Fraction(40), Fraction(1)))
    for rule in RULES:
        assert cell_of(same, rule) == cell_of(plain, rule)


# -- what cannot be asked for ----------------------------------------------------------------------


def test_representation_without_weights_is_refused():
    with pytest.raises(InputError, match="no attribute has the role `weight`"):
        ta.tabulate(ta.read(ALONE), ["town"], weighting="represented")


def test_holdings_represent_nobody():
    data = ta.read(ALONE, **WEIGHTED)
    with pytest.raises(ParameterError, match="counts once, whatever the weights"):
        ta.tabulate(data, ["pay"], contributor="town", weighting="represented")


def test_unknown_weightings_are_refused():
    with pytest.raises(ParameterError, match="respondents or represented; found 'all'"):
        ta.tabulate(ta.read(ALONE, **WEIGHTED), ["town"], weighting="all")


# -- that it is named ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weighting", "told"), [("respondents", "one a record"), ("represented", "whom the records")]
)
def test_the_page_of_a_table_names_it(weighting, told, tmp_path):
    table = ta.tabulate(ta.read(ALONE, **WEIGHTED), ["town"], weighting=weighting)
    for view in ("public", "internal"):
        table.write(tmp_path / "t.html", view=view)
        assert told in (tmp_path / "t.html").read_text()
    assert ("as often as their weights" in repr(table)) == (weighting == "represented")
    plain = ta.tabulate(ta.read(ALONE), ["town"])
    plain.write(tmp_path / "t.html")
    assert "weighted" not in (tmp_path / "t.html").read_text()


# -- attacks and rules that count respondents ------------------------------------------------------

PEOPLE = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from([0.4, 1.0, 20.0])),
    min_size=1,
    max_size=12,
)


def counted_people(said: list[tuple[str, str, float]], **options: str) -> ta.Table:
    town, health, weight = (list(part) for part in zip(*said, strict=True))
    records = pa.table({"town": town, "health": health, "w": weight})
    data = ta.read(records, kinds={"town": "nominal", "health": "nominal"}, **WEIGHTED)
    return ta.tabulate(data, ["town", "health"], **options)


@given(PEOPLE, st.integers(0, 2))
@example([("a", "x", 1.0), ("a", "x", 1.0), ("a", "y", 20.0)], 1)
def test_group_disclosure_counts_respondents(said, others):
    """Of those of a town or all towns, whether all but a few respondents have the same health."""
    table = counted_people(said).judge(ta.GroupDisclosure("health", others=others))
    for row in range(len(table)):
        town, health = table.codes_of(row)
        group = [h for t, h, _ in said if town in ("Total", t)]
        there = {h for _, h, _ in said}
        expected = (
            health != "Total"
            and len(there) > 1  # a category that is the only one tells nothing more
            and group.count(health) > 0
            and len(group) - group.count(health) <= others
        )
        assert table.cells.sensitive[row] == expected, (town, health)


def test_a_level_of_a_group_is_told_in_the_units_of_the_table():
    """Two of three respondents, of weight 20 each: one more elsewhere takes 20 away."""
    said = [("a", "x", 20.0), ("a", "x", 20.0), ("a", "y", 1.0)]
    table = counted_people(said).judge(ta.GroupDisclosure("health", others=1))
    assert table.cells.lower_level[table.row(town="a", health="x")] == 20
    plain = counted_people([(t, h, 1.0) for t, h, _ in said])
    plain = plain.judge(ta.GroupDisclosure("health", others=1))
    assert plain.cells.lower_level[plain.row(town="a", health="x")] == 1


@given(PEOPLE)
def test_attacks_see_the_only_respondent_of_a_cell_whatever_the_weight(said):
    table = counted_people(said)
    alone = sum(
        sum(town in ("Total", t) and health in ("Total", h) for t, h, _ in said) == 1
        for town, health in map(table.codes_of, range(len(table)))
    )
    found = ta.ExternalAttack().measure(table, table.published())
    assert found.figures["respondents_identified"] == alone
    represented = counted_people([(t, h, 20.0) for t, h, _ in said], weighting="represented")
    seen = ta.ExternalAttack().measure(represented, represented.published())
    assert seen.figures["respondents_identified"] == 0


def test_differences_of_one_respondent_are_found_whatever_the_weight():
    """The region less the town leaves one respondent of weight 20."""
    records = pa.table({"town": ["a", "a", "a", "b"], "pay": [1.0, 2, 3, 50], "w": [1.0, 1, 1, 20]})
    data = ta.read(records, **WEIGHTED)
    table = ta.tabulate(data, ["town"], value="pay")
    shown = table.judge(ta.MinimumFrequency(2))
    found = ta.DifferencingAttack().measure(shown, shown.published()).details.to_pylist()
    assert [(one["respondents"], one["value"]) for one in found] == [(1.0, 1000.0)]

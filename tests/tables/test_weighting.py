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

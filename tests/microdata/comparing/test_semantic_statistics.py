"""The public mean, variance and covariance of words, against sums over all records."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.microdata.plain_semantics import PARENTS, WORDS, apart, data_of, nodes_above

import tacita as ta
from tacita.errors import InputError, ParameterError


@st.composite
def records(draw):
    """Draw records of two attributes, with blanks, and whole weights."""
    kind = draw(st.sampled_from([*PARENTS]))
    words = st.sampled_from(WORDS[kind])
    rows = draw(st.lists(st.tuples(words, words, st.integers(1, 3)), min_size=1, max_size=9))
    return kind, rows


@given(records(), st.sampled_from([1, 2]))
def test_the_mean_costs_least_of_all_nodes(drawn, power):
    kind, rows = drawn
    parents, ones = PARENTS[kind], [one for one, _, times in rows for _ in range(times)]
    data = data_of(kind, {"a": [one for one, _, _ in rows]}, [times for *_, times in rows])
    by = {1: "marginality", 2: "squares"}[power]

    def cost(node):
        return sum(apart(parents, one, node) ** power for one in ones)

    found = ta.semantic_mean(data, "a", by=by)
    assert cost(found) == pytest.approx(min(map(cost, nodes_above(parents, ones))), abs=1e-8)
    alike = data_of(kind, {"a": ones})
    assert ta.semantic_mean(alike, "a", by=by) == found
    assert ta.semantic_mean(data, "a", by=by, weighted=False) == ta.semantic_mean(
        data_of(kind, {"a": [one for one, _, _ in rows]}), "a", by=by
    )


@given(records())
def test_the_variance_of_both_definitions(drawn):
    kind, rows = drawn
    parents, ones = PARENTS[kind], [one for one, _, times in rows for _ in range(times)]
    data = data_of(kind, {"a": [one for one, _, _ in rows]}, [times for *_, times in rows])
    squares = min(
        np.mean([apart(parents, one, node) ** 2 for one in ones])
        for node in nodes_above(parents, ones)
    )
    assert ta.semantic_variance(data, "a") == pytest.approx(squares, abs=1e-8)
    pairs = np.mean([[apart(parents, one, other) for other in ones] for one in ones])
    by_marginality = ta.semantic_variance(data, "a", by="marginality")
    assert by_marginality == pytest.approx(pairs, abs=1e-8)


@given(records())
def test_the_covariance_of_both_definitions(drawn):
    kind, rows = drawn
    parents = PARENTS[kind]
    pairs = [(one, other) for one, other, times in rows for _ in range(times)]
    data = data_of(
        kind,
        {name: [row[place] for row in rows] for place, name in enumerate("ab")},
        [times for *_, times in rows],
    )
    tables = [
        np.array([[apart(parents, one[side], other[side]) for other in pairs] for one in pairs])
        for side in (0, 1)
    ]
    centred = [
        table - table.mean(axis=0) - table.mean(axis=1)[:, None] + table.mean() for table in tables
    ]
    expected = sqrt(max((centred[0] * centred[1]).mean(), 0.0))
    # A root turns a rounding of 1e-16 into 1e-8.
    assert ta.semantic_covariance(data, "a", "b") == pytest.approx(expected, abs=1e-7)
    margins = [table.mean(axis=0) for table in tables]
    expected = np.sqrt(margins[0] * margins[1]).mean()
    found = ta.semantic_covariance(data, "a", "b", by="marginality")
    assert found == pytest.approx(expected, abs=1e-4)  # the root of a rounding of 1e-9
    assert ta.semantic_covariance(data, "a", "a", by="marginality") == pytest.approx(
        ta.semantic_variance(data, "a", by="marginality")
    )


def test_without_meaning_the_mean_is_the_mode_and_the_variance_gini():
    flat = ta.read(pa.table({"a": ["x", "y", "y", "z", None]}))
    assert ta.semantic_mean(flat, "a") == "y"
    assert ta.semantic_variance(flat, "a", by="marginality") == pytest.approx(1 - (1 + 4 + 1) / 16)


def test_blanks_count_in_neither_attribute():
    data = data_of("tree", {"a": ["nurse", None, "judge"], "b": ["nurse", "smith", "clerk"]})
    known = data_of("tree", {"a": ["nurse", "judge"], "b": ["nurse", "clerk"]})
    for by in ("squares", "marginality"):
        assert ta.semantic_covariance(data, "a", "b", by=by) == ta.semantic_covariance(
            known, "a", "b", by=by
        )
        assert ta.semantic_mean(data, "a", by=by) == ta.semantic_mean(known, "a", by=by)


def test_plain_frames_and_sets_will_do():
    frame = pa.table({"a": [["x"], ["x", "y"], ["x", "z"]]})
    assert ta.semantic_mean(frame, "a") == ["x"]
    # {x} is 1 / 3 away from either of the others, which are 1 / 2 apart.
    assert ta.semantic_variance(frame, "a") == pytest.approx(2 / 27)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda d: ta.semantic_mean(d, "n"), InputError, "`n` is continuous"),
        (lambda d: ta.semantic_mean(d, "aa"), InputError, "Did you mean `a`"),
        (lambda d: ta.semantic_variance(d, "a", by="sum"), ParameterError, "squares or marg"),
        (lambda d: ta.semantic_mean(d, "a", metric="x"), ParameterError, "ancestors or level"),
        (lambda d: ta.semantic_covariance(d, "a", "b"), InputError, "no record has both"),
        (lambda d: ta.semantic_mean(d, "e"), InputError, "all of them are blank"),
    ],
)
def test_what_has_no_answer_is_refused_in_a_sentence(call, error, message):
    table = {"a": ["x", None], "b": [None, "y"], "n": [1.5, 2.5], "e": pa.nulls(2, pa.string())}
    with pytest.raises(error, match=message):
        call(ta.read(pa.table(table)))

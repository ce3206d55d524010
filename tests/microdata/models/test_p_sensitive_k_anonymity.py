from __future__ import annotations

from collections import defaultdict

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError


def read(rows) -> ta.Microdata:
    a, x, y = (list(part) for part in zip(*rows, strict=True))
    return ta.read(
        pa.table({"a": a, "x": pa.array(x, pa.string()), "y": y}),
        roles={"a": "key", "x": "confidential", "y": "confidential"},
    )


ROW = st.tuples(st.integers(0, 2), st.sampled_from(["p", "q", "r", None]), st.integers(0, 2))


@given(st.lists(ROW, min_size=1), st.integers(1, 4), st.integers(2, 5))
def test_classes_are_large_enough_and_have_enough_values(rows, p, k):
    classes = defaultdict(list)
    for a, *values in rows:
        classes[a].append(values)
    holds = all(
        len(found) >= k and all(len(set(values)) >= p for values in zip(*found, strict=True))
        for found in classes.values()
    )
    assert ta.PSensitiveKAnonymity(p, k).check(read(rows)).holds == holds


def test_what_fails_is_said():
    """Truta and Vinay's attack: two records alike, of one illness."""
    data = read([(0, "p", 1), (0, "p", 2), (1, "p", 1), (1, "q", 2), (1, "r", 1)])
    verdict = ta.PSensitiveKAnonymity(2, 2, "x").check(data)
    assert str(verdict) == (
        "FAILS: 2 of 5 records are in classes of a that have fewer than 2 records or fewer than 2 "
        "values of x"
    )
    assert verdict.worst == {"a": 0, "count": 2, "attribute": "x", "level": 1.0}
    assert ta.PSensitiveKAnonymity(2, 2, "y").check(data)


def test_a_class_that_is_too_small_is_the_worst_whatever_its_values():
    data = read([(0, "p", 1), (0, "q", 2), (1, "p", 1), (1, "p", 2), (1, "p", 1)])
    assert ta.PSensitiveKAnonymity(1, 3, "x").check(data).worst["a"] == 0


def test_the_parameters_have_bounds():
    with pytest.raises(ParameterError, match="`p` of `p_sensitive_k_anonymity`"):
        ta.PSensitiveKAnonymity(0, 2)
    with pytest.raises(ParameterError, match="`k` of `p_sensitive_k_anonymity`"):
        ta.PSensitiveKAnonymity(1, 1)

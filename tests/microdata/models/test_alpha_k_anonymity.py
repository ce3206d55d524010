from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError

ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["p", "q", "r", None])), min_size=1, max_size=30
)


def read(rows) -> ta.Microdata:
    a, x = (list(part) for part in zip(*rows, strict=True))
    return ta.read(
        pa.table({"a": a, "x": pa.array(x, pa.string())}), roles={"a": "key", "x": "confidential"}
    )


def by_class(rows) -> dict[int, list]:
    classes = defaultdict(list)
    for a, x in rows:
        classes[a].append(x)
    return classes


@given(
    ROWS,
    st.sampled_from([0.1, 0.25, 0.3, 0.5, 0.6, 1.0]),
    st.integers(2, 4),
    st.sampled_from([None, ("p",), ("q", "r"), ("", "p"), ("elsewhere",)]),
)
def test_no_sensitive_value_has_a_larger_share(rows, alpha, k, values):
    sensitive = {v or None for v in values} if values else {"p", "q", "r", None}
    holds = all(
        len(found) >= k
        and all(
            n <= Fraction(str(alpha)) * len(found)
            for value, n in Counter(found).items()
            if value in sensitive
        )
        for found in by_class(rows).values()
    )
    verdict = ta.AlphaKAnonymity(alpha, k, "x", values=values).check(read(rows))
    assert verdict.holds == holds


def test_the_share_is_exact_and_a_tie_is_allowed():
    """Three of ten is a share of 0.3; 0.3 times 10 is a little less in binary."""
    rows = [(0, "p")] * 3 + [(0, f"v{i}") for i in range(7)]
    verdict = ta.AlphaKAnonymity(0.3, 2).check(read(rows))
    assert verdict.holds
    assert verdict.value == Fraction(3, 10)
    assert not ta.AlphaKAnonymity(0.2999999999999999, 2).check(read(rows))


def test_only_the_named_values_count():
    rows = [(0, "flu")] * 3 + [(0, "HIV")]
    assert not ta.AlphaKAnonymity(0.5, 2).check(read(rows))
    verdict = ta.AlphaKAnonymity(0.5, 2, values=["HIV"]).check(read(rows))
    assert str(verdict) == (
        "holds: every class of a has at least 2 records and at most a share 0.5 of any sensitive "
        "value of x"
    )
    assert verdict.value == Fraction(1, 4)


def test_named_values_are_of_the_attributes_type():
    data = ta.read(pa.table({"a": [0, 0], "n": [7, 8]}), roles={"a": "key", "n": "confidential"})
    assert ta.AlphaKAnonymity(0.5, 2, values=[7]).check(data).value == Fraction(1, 2)
    with pytest.raises(InputError, match="Values of `n` are of type int64; found 'seven'"):
        ta.AlphaKAnonymity(0.5, 2, values=["seven"]).check(data)


def test_alpha_is_a_share():
    with pytest.raises(ParameterError, match="`alpha` of `alpha_k_anonymity`"):
        ta.AlphaKAnonymity(0, 2)
    with pytest.raises(ParameterError, match="`alpha` of `alpha_k_anonymity`"):
        ta.AlphaKAnonymity(1.1, 2)

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from math import log

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError
from tacita.microdata.models.class_table import ClassTable

ROWS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(["p", "q", None])), min_size=1, max_size=40
)
# e to 45 digits, for an independent decision.
E = Fraction("2.718281828459045235360287471352662497757247093")


def read(rows) -> ta.Microdata:
    a, x = (list(part) for part in zip(*rows, strict=True))
    return ta.read(
        pa.table({"a": a, "x": pa.array(x, pa.string())}), roles={"a": "key", "x": "confidential"}
    )


def ratios(rows) -> list[Fraction]:
    """Return p / q of every class and value."""
    whole, classes = Counter(x for _, x in rows), defaultdict(list)
    for a, x in rows:
        classes[a].append(x)
    return [
        Fraction(found.count(value), len(found)) / Fraction(count, len(rows))
        for found in classes.values()
        for value, count in whole.items()
    ]


@given(ROWS, st.sampled_from([1, 2, 3]))
def test_every_value_has_nearly_its_share(rows, delta):
    holds = all(1 / E**delta < ratio < E**delta for ratio in ratios(rows))
    verdict = ta.DeltaDisclosure(delta).check(read(rows))
    assert verdict.holds == holds
    if all(ratios(rows)):
        furthest = max(abs(log(ratio)) for ratio in ratios(rows))
        assert verdict.value == pytest.approx(furthest, abs=1e-12)
    else:
        assert verdict.value is None


def test_a_class_without_some_value_never_keeps_it():
    rows = [(0, "p"), (0, "q"), (1, "p"), (1, "p")]
    verdict = ta.DeltaDisclosure(100).check(read(rows))
    assert not verdict
    assert verdict.worst["a"] == 1
    assert verdict.sentence == (
        "2 of 4 records are in classes of a that are not within a factor e^100 of the whole file's "
        "shares of x"
    )


@pytest.mark.parametrize("ratio", [Fraction(271801, 99990), Fraction(1084483, 398959)])
def test_near_ties_are_decided_with_more_digits(ratio):
    """Convergents of e, below and above: doubles tell the second only just from e."""
    assert abs(ratio / E - 1) < 1e-9
    data = read([(0, "p"), (0, "q")])
    one = ClassTable.of(data.classes(), ["x"]).values["x"]
    size = 10 * ratio.denominator  # and a tenth of the whole has p
    often = replace(one, counts=np.array([ratio.numerator, size - ratio.numerator]))
    model = ta.DeltaDisclosure(1, distribution={"p": 1, "q": 9})
    assert model.judged(np.array([size]), often).broken.tolist() == [ratio > E]


def test_delta_is_above_0():
    with pytest.raises(ParameterError, match="`delta` of `delta_disclosure`"):
        ta.DeltaDisclosure(0)

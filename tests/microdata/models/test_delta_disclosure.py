from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from math import log, log2

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


def test_a_binary_logarithm_is_decided_exactly_at_powers_of_two():
    """Half of the records of class 0 have p, a quarter of all: the ratio is 2, and log2 is 1."""
    rows = [(0, "p"), (0, "p"), (0, "q"), (0, "q"), *[(1, "q")] * 4]
    binary = {"logarithm": "binary", "absent": "ignored"}
    verdict = ta.DeltaDisclosure(1, **binary).check(read(rows))
    assert not verdict  # the logarithm must be below delta
    assert verdict.value == 1
    assert verdict.worst["a"] == 0
    assert "a factor 2^1 of" in verdict.sentence
    assert ta.DeltaDisclosure(1.0000001, **binary).check(read(rows))
    assert not ta.DeltaDisclosure(0.6931, absent="ignored").check(read(rows))
    assert ta.DeltaDisclosure(0.6932, absent="ignored").check(read(rows))  # ln 2


@given(ROWS, st.sampled_from([0.5, 1, 1.25, 2]), st.sampled_from(["refused", "ignored"]))
def test_binary_logarithms_and_absent_values_by_hand(rows, delta, absent):
    there = [ratio for ratio in ratios(rows) if ratio or absent == "refused"]
    most = Fraction(2) ** int(4 * delta)  # a ratio's fourth power is compared
    verdict = ta.DeltaDisclosure(delta, logarithm="binary", absent=absent).check(read(rows))
    assert verdict.holds == all(1 / most < ratio**4 < most for ratio in there)
    if all(there):
        furthest = max(abs(log2(ratio)) for ratio in there)
        assert verdict.value == pytest.approx(furthest, abs=1e-12)


def test_merging_may_break_what_ignores_absent_values():
    """1 of 4 in class 0 and none in class 1 is 1 of 8 in both together; it is 3 of 8 of all."""
    rows = [(0, "p"), *[(0, "q")] * 3, *[(1, "q")] * 4, *[(2, "p")] * 5, *[(2, "q")] * 3]
    model = ta.DeltaDisclosure(0.9, absent="ignored")
    table = ClassTable.of(read(rows).classes(), ["x"])
    assert not model.breaks(table).any()
    assert model.breaks(table.merged(np.array([0, 0, 1]), 2)).tolist() == [True, False]
    assert not model.merging_keeps
    assert ta.DeltaDisclosure(0.9).merging_keeps

from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction
from math import exp, log, prod
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError

SHARED = Path(__file__).parents[4] / "shared"
KEYS = ("urbrur", "roof", "walls", "water", "electcon", "relat", "sex")
ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["p", "q", "r", "s", None])), min_size=1
)


def read(rows) -> ta.Microdata:
    a, x = (list(part) for part in zip(*rows, strict=True))
    return ta.read(
        pa.table({"a": a, "x": pa.array(x, pa.string())}), roles={"a": "key", "x": "confidential"}
    )


def in_one_class(*counts: int) -> ta.Microdata:
    return read([(0, f"v{place}") for place, count in enumerate(counts) for _ in range(count)])


def frequencies(rows) -> list[list[int]]:
    classes: dict[int, Counter] = {}
    for a, x in rows:
        classes.setdefault(a, Counter())[x] += 1
    return [sorted(found.values(), reverse=True) for found in classes.values()]


@given(ROWS, st.integers(2, 5))
def test_distinct_diversity_is_the_number_of_values(rows, least):
    verdict = ta.LDiversity(least).check(read(rows))
    fewest = min(len(r) for r in frequencies(rows))
    assert verdict.holds == (fewest >= least)
    assert verdict.value == fewest


@given(ROWS, st.integers(2, 4))
def test_entropy_is_compared_in_whole_numbers(rows, least):
    verdict = ta.LDiversity(least, kind="entropy").check(read(rows))
    assert verdict.holds == all(
        prod(c**c for c in r) * least ** sum(r) <= sum(r) ** sum(r) for r in frequencies(rows)
    )
    lowest = min(exp(-sum(c / sum(r) * log(c / sum(r)) for c in r)) for r in frequencies(rows))
    assert verdict.value == pytest.approx(lowest, rel=1e-12)


@given(ROWS, st.decimals("1.01", 5, places=2))
def test_a_fractional_l_is_compared_in_whole_numbers(rows, least):
    """prod c^c l^n <= n^n with l = p / q, in fractions, whatever the entropy is computed by."""
    verdict = ta.LDiversity(float(least), kind="entropy").check(read(rows))
    bound = Fraction(least)
    assert verdict.holds == all(
        prod(c**c for c in r) * bound ** sum(r) <= sum(r) ** sum(r) for r in frequencies(rows)
    )


@given(ROWS, st.floats(1.0, 4.0, exclude_min=True), st.floats(1.0, 4.0, exclude_min=True))
def test_a_lower_l_asks_for_less(rows, one, other):
    low, high = (
        ta.LDiversity(least, kind="entropy").check(read(rows)).holds
        for least in sorted((one, other))
    )
    assert low >= high


@given(ROWS, st.integers(2, 4), st.sampled_from([0.5, 1.0, 1.1, 2.0, 3.5]))
def test_the_recursion_is_the_printed_one(rows, least, c):
    verdict = ta.LDiversity(least, kind="recursive", c=c).check(read(rows))
    assert verdict.holds == all(
        r[0] < Fraction(str(c)) * sum(r[least - 1 :]) for r in frequencies(rows)
    )


def test_the_printed_table_has_a_class_of_one_condition():
    data = ta.example("conditions_4_anonymous")
    verdict = ta.LDiversity(2).check(data)
    assert not verdict
    assert verdict.worst == {
        "Age": "[30-40)",
        "Zip code": "331**",
        "Nationality": "European",
        "count": 4,
        "attribute": "Condition",
        "level": 1.0,
    }


@pytest.mark.parametrize(
    ("counts", "least", "holds"),
    [
        ((3, 3, 3), 3, True),  # three equally frequent values: the entropy is ln 3
        ((4, 1, 1, 1, 1), 4, True),  # half, and four times an eighth: 2 ln 2
        ((400_000, 100_000, 100_000, 100_000, 100_000), 4, True),
        ((400_001, 100_000, 100_000, 100_000, 100_000), 4, False),
        ((200_000, 200_001), 2, False),  # below ln 2 by a few times 10^-12
        ((8, 2, 1, 1, 1), 3.25, True),  # 13 / 2^(26/13) is 13/4
        ((80_000, 20_000, 10_000, 10_000, 10_000), 3.25, True),
        ((80_001, 20_000, 10_000, 10_000, 10_000), 3.25, False),
        ((8, 2, 1, 1, 1), 3.2500000000000004, False),  # the next double
        ((3, 1), 1.7547653506033232, True),  # 4 / 3^(3/4), rounded down
        ((3, 1), 1.7547653506033234, False),
    ],
)
def test_near_ties_of_the_entropy_are_exact(counts, least, holds):
    data = ta.read(
        pa.table(
            {
                "a": np.zeros(sum(counts), np.int64),
                "x": np.repeat([f"v{place}" for place in range(len(counts))], counts),
            }
        ),
        roles={"a": "key", "x": "confidential"},
    )
    assert ta.LDiversity(least, kind="entropy").check(data).holds == holds


def test_the_boundary_of_the_recursion_is_exact():
    """1.1 times 50 is 55; of doubles it is a little more."""
    assert not ta.LDiversity(2, kind="recursive", c=1.1).check(in_one_class(55, 50))
    assert ta.LDiversity(2, kind="recursive", c=1.1).check(in_one_class(55, 51))


def test_c_goes_with_the_recursion():
    with pytest.raises(ParameterError, match="found none with recursive"):
        ta.LDiversity(2, kind="recursive")
    with pytest.raises(ParameterError, match="found 2 with entropy"):
        ta.LDiversity(2, kind="entropy", c=2)


@pytest.mark.parametrize("least", [1, 1.0, 0.5, float("inf")])
def test_l_is_above_1(least):
    with pytest.raises(ParameterError, match="`l` of `l_diversity`"):
        ta.LDiversity(least, kind="entropy")


@pytest.mark.parametrize("more", [{}, {"kind": "recursive", "c": 2}])
def test_values_are_counted_in_whole_numbers(more):
    with pytest.raises(ParameterError, match=r"whole number, 2 or more; found 1\.8 with"):
        ta.LDiversity(1.8, **more)


def test_a_whole_l_is_told_as_one():
    assert ta.LDiversity(2.0).to_plan() == {"l_diversity": {"l": 2}}
    fraction = ta.LDiversity(1.8, kind="entropy")
    assert fraction.to_plan() == {"l_diversity": {"l": 1.8, "kind": "entropy"}}
    assert "have an entropy below ln 1.8 of x" in fraction.check(in_one_class(9, 1)).sentence


def test_the_sentences_name_the_promise():
    data = in_one_class(2, 1)
    assert "that have fewer than 3 values of x" in ta.LDiversity(3).check(data).sentence
    assert "has an entropy of ln 2 or more of x" not in str(
        ta.LDiversity(2, kind="entropy").check(data)
    )
    recursive = ta.LDiversity(2, kind="recursive", c=4).check(data)
    assert str(recursive) == "holds: every class of a has recursively (4, 2)-diverse values of x"


@pytest.mark.skipif(not SHARED.exists(), reason="the reference data are not here")
def test_testdata_reach_the_levels_of_sdcmicro():
    """The lowest levels in `sdcMicro`, whose recursion also has c = 2."""
    with (SHARED / "reference/sdcmicro/figures.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["method"] == "ldiversity"]
    found = {row["metric"]: float(row["value"]) for row in rows if row["dataset"] == "testdata"}
    data = ta.read(SHARED / "data/casc/testdata.csv", roles=dict.fromkeys(KEYS, "key"))
    for name in ("savings", "income"):
        distinct = ta.LDiversity(2, name).check(data)
        entropy = ta.LDiversity(2, name, kind="entropy").check(data)
        recursive = ta.LDiversity(2, name, kind="recursive", c=2).check(data)
        assert distinct.value == found[f"{name}_Distinct_Ldiversity_min"]
        assert entropy.value == pytest.approx(found[f"{name}_Entropy_Ldiversity_min"])
        assert recursive.value == found[f"{name}_Recursive_Ldiversity_min"]

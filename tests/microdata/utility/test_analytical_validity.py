from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta


def people(pay: list[float] | np.ndarray, sex: list[str], **more: object) -> ta.Microdata:
    return ta.read(pa.table({"pay": np.array(pay, float), "sex": sex, **more}))


BEFORE = people([1, 2, 3, 10, 20, 30], ["f", "f", "f", "m", "m", "m"])


def rows(found) -> dict[tuple[str, str, str], tuple[float, float, bool]]:
    return {
        (row["check"], row["subdomain"], row["attribute"]): (
            row["original"],
            row["protected"],
            row["passed"],
        )
        for row in found.details.to_pylist()
    }


def test_every_check_of_six_records_by_hand():
    after = people([1, 2, 3.3, 10, 20, 60], ["f", "f", "m", "m", "m", "m"])
    found = ta.AnalyticalValidity(least=3).measure(BEFORE, after)
    checks = rows(found)
    assert checks["mean", "all records", "pay"] == (11, pytest.approx(96.3 / 6), False)
    assert checks["mean", "sex = f", "pay"] == (2, 1.5, False)
    assert checks["covariance", "sex = f", "pay"] == (pytest.approx(1), pytest.approx(0.5), False)
    assert checks["mean", "sex = m", "pay"] == (20, pytest.approx(93.3 / 4), False)
    assert checks["share", "sex = f", "sex"] == (0.5, pytest.approx(1 / 3), False)
    assert checks["quantile 0.5", "all records", "pay"] == (3, pytest.approx(3.3), True)
    assert checks["quantile 0.9", "all records", "pay"] == (30, 60, False)
    kept = {"quantile 0.1", "quantile 0.25", "quantile 0.5", "quantile 0.75"}
    assert {key[0] for key, row in checks.items() if row[2]} == kept
    assert found.value == Fraction(9, 13)
    assert found.figures == {"checks": 13, "failed": 9, "analysable": 0}
    assert found.parts == pytest.approx({"pay": 7 / 11, "sex": 1.0})


def test_the_boundary_of_the_tolerance_passes():
    after = people([1, 2, 3, 10, 20, 36], ["f", "f", "f", "m", "m", "m"])
    strict = ta.AnalyticalValidity(["pay"], tolerance=0.0).measure(BEFORE, after)
    loose = ta.AnalyticalValidity(["pay"], tolerance=5.0).measure(BEFORE, after)
    assert strict.figures["failed"] == 3, "the mean, the variance and the upper quantile"
    assert loose.value == 0
    assert loose.figures["analysable"] == 1


def test_weights_act_like_repeated_records():
    times = np.array([1, 2, 1, 3, 1, 2])
    pay, sex = np.array([1.0, 2, 3, 10, 20, 30]), np.array(["f", "f", "f", "m", "m", "m"])
    weighted = ta.read(pa.table({"pay": pay, "sex": sex, "w": times}), roles={"w": "weight"})
    repeated = people(np.repeat(pay, times), np.repeat(sex, times))
    ours, theirs = (
        rows(ta.AnalyticalValidity(least=3).measure(d, d)) for d in (weighted, repeated)
    )
    for key, (value, _, _) in ours.items():
        if key[0] != "covariance":
            assert value == pytest.approx(theirs[key][0]), key


def test_a_recoded_attribute_is_no_longer_a_subdomain():
    original = ta.example("toy", 400)
    recoded = original.apply(ta.Generalize("region", level=1), seed=0)
    found = ta.AnalyticalValidity(["income", "region"]).measure(original, recoded)
    lost = [row for row in found.details.to_pylist() if "region = " in row["subdomain"]]
    assert lost
    assert not any(row["passed"] for row in lost)
    assert found.parts["region"] == 1
    gone = ta.AnalyticalValidity(["income", "region"]).measure(
        original, original.apply(ta.Drop("region"))
    )
    assert gone.value == found.value


def test_two_way_tables_count_shares():
    table = {"a": ["x", "x", "y", "y"], "b": ["u", "u", "u", "v"]}
    before = ta.read(pa.table(table))
    after = ta.read(pa.table({**table, "b": ["u", "v", "u", "v"]}))
    found = rows(ta.AnalyticalValidity(least=1).measure(before, after))
    assert found["share", "a = x, b = u", "a x b"] == (0.5, 0.25, False)
    assert found["share", "a = y, b = u", "a x b"] == (0.25, 0.25, True)
    assert found["share", "b = u", "b"] == (0.75, 0.5, False)


def test_the_order_of_records_does_not_matter():
    original = ta.example("toy", 300)
    masked = original.apply(ta.TopCode("age", 50), seed=0)
    mixed = np.random.default_rng(0).permutation(300)
    ours = ta.AnalyticalValidity().measure(original, masked)
    theirs = ta.AnalyticalValidity().measure(
        *(replace(d.take(mixed), rows=None) for d in (original, masked))
    )
    assert 0 < ours.value == theirs.value < 1
    assert ours.parts == theirs.parts

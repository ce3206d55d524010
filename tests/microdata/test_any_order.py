"""No loss or risk depends on the order of records: a common reordering changes no bit of it."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.arranging import arranged
from tacita.method import Method
from tacita.registry import all_measures
from tacita.results import Measurement
from tacita.threads import use_threads

LOSSES = [method for method in all_measures() if method.family == "utility"]
RISKS = [method for method in all_measures() if method.family == "risk"]
SAMPLED = [
    replace(method, sample=20)  # type: ignore[type-var]
    for method in RISKS
    if any(field.name == "sample" for field in fields(method))  # type: ignore[arg-type]
]
OTHERWISE = [
    ta.DistanceLinkage(assignment="one_to_one"),
    ta.DistanceLinkage(assignment="one_to_one", distance="mahalanobis", sample=20),
    ta.NoiseFiltering(["pay", "debt", "tax"], alpha=0.3),
    ta.NoiseFiltering(["pay", "debt"], kind="correlated", estimate="spectral"),
    ta.NoiseFiltering(["pay", "tax"], kind="multiplicative", sample=20),
]
ROLES = {
    **dict.fromkeys(["age", "town", "school"], "key"),
    "pay": "confidential",
    "counts": "weight",
    "person": "identifier",
    "home": "household",
}
TOWNS = {"all": {"north": ["a", "b"], "south": ["c", "d"]}}


@cache
def files(seed: int, records: int) -> tuple[ta.Microdata, ta.Microdata]:
    """Records of all kinds with heavy tails, blanks, ties and weights, before and after masking."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, records),
            "town": rng.choice(list("abcd"), records),
            "school": rng.choice(["1", "2", "3"], records),
            "born": pd.Timestamp("1950-01-01")
            + pd.to_timedelta(rng.integers(0, 9999, records), "D"),
            "pay": np.round(rng.pareto(0.7, records) * 1000, 2),
            "debt": rng.lognormal(0, 4, records) * rng.choice([-1, 1], records),
            "tax": np.round(rng.normal(size=records), 1),
            "counts": rng.lognormal(2, 2, records) + 0.01,
            "person": [f"p{number}" for number in rng.integers(0, records // 2, records)],
            "home": rng.integers(0, records // 2, records),
        }
    )
    frame.loc[rng.random(records) < 0.1, "debt"] = np.nan
    data = ta.read(frame, roles=ROLES, hierarchies={"town": {"tree": TOWNS}})
    masked = data
    for step in (
        ta.AddNoise(["pay", "debt", "tax"], alpha=0.3),
        ta.Pram(["school"]),
        ta.Recode("age", width=10),
        ta.Generalize("town", level=1) if seed % 2 else ta.Pram(["town"]),
        ta.LocalSuppression(2),
    ):
        masked = masked.apply(step, seed=seed)
    return data, masked


def measured(method: Method, original: Any, protected: Any) -> tuple[dict[str, Any], Measurement]:
    found: Measurement = method.measure(original, protected)  # type: ignore[attr-defined]
    return found.to_dict(), found


@pytest.mark.parametrize("method", LOSSES, ids=lambda method: method.name)
@settings(deadline=None, max_examples=3)
@given(seed=st.integers(0, 7), records=st.integers(30, 60), mixed=st.randoms(use_true_random=False))
def test_a_common_reordering_changes_no_bit(
    method: Method, seed: int, records: int, mixed: Any
) -> None:
    data, masked = files(seed, records)
    order = np.array(mixed.sample(range(records), records))
    told, found = measured(method, data, masked)
    use_threads(2)
    again, other = measured(method, data.take(order), masked.take(order))
    use_threads(None)
    assert again == told
    if found.per_record is not None:
        assert np.array_equal(other.per_record, found.per_record[order], equal_nan=True)
    if found.details is not None:
        # As text, in which a number that is none is the same as itself.
        assert str(found.details.to_pylist()) == str(other.details.to_pylist())


@pytest.mark.parametrize("method", [*RISKS, *SAMPLED], ids=str)
@settings(deadline=None, max_examples=2)
@given(seed=st.integers(0, 7), mixed=st.randoms(use_true_random=False))
def test_nor_does_it_change_a_risk(method: Method, seed: int, mixed: Any) -> None:
    data, masked = files(seed, 60)
    data = data.with_external(population=files(100, 90)[0], holdout=files(101, 40)[0])
    order = np.array(mixed.sample(range(60), 60))
    told, found = measured(method, data, masked)
    again, other = measured(method, data.take(order), masked.take(order))
    assert again == told
    if found.per_record is not None:
        assert np.array_equal(other.per_record, found.per_record[order], equal_nan=True)


@pytest.mark.parametrize("method", OTHERWISE, ids=str)
@settings(deadline=None, max_examples=5)
@given(seed=st.integers(0, 7), mixed=st.randoms(use_true_random=False))
def test_nor_does_it_change_who_is_linked(method: Method, seed: int, mixed: Any) -> None:
    """What is told of single records tells of the same ones, wherever they stand."""
    data, masked = files(seed, 60)
    order = np.array(mixed.sample(range(60), 60))
    told, found = measured(method, data, masked)
    again, other = measured(method, data.take(order), masked.take(order))
    assert again == told
    place = dict(enumerate(order.tolist()))
    for row in other.details.to_pylist():
        row["record"], row["own"] = place[row["record"]], place[row["own"]]
        (before,) = [one for one in found.details.to_pylist() if one["record"] == row["record"]]
        assert before["own"] == row["own"] == before["record"]
        assert before["distance"] == row["distance"]
        assert before["probability"] == row["probability"]
    records = other.details.column("record").to_pylist()
    assert records == sorted(records)


def test_each_loss_of_the_law_is_measured() -> None:
    found = ta.information_loss(*files(1, 60), measures=LOSSES)
    assert {one.name for one in found} | {name for name, _ in found.skipped} == {
        method.name for method in LOSSES
    }
    assert len(found.skipped) <= 1, found.skipped


@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 7), mixed=st.randoms(use_true_random=False))
def test_files_of_which_nobody_knows_the_pairs_are_in_any_order_too(seed: int, mixed: Any) -> None:
    data, masked = files(seed, 50)
    loose = ta.read(masked.table)
    ours, theirs = (np.array(mixed.sample(range(50), 50)) for _ in range(2))
    for method in (ta.Means(), ta.Hellinger(), ta.TotalVariation()):
        straight = method.measure(data, loose).to_dict()
        assert method.measure(data.take(ours), loose.take(theirs)).to_dict() == straight


@pytest.mark.parametrize("name", ["pay", "debt", "tax"])
def test_what_was_not_masked_is_equal_to_the_last_digit_without_pairs(name: str) -> None:
    data, _ = files(2, 60)
    masked = data.apply(ta.AddNoise(name, alpha=0.3), seed=1)
    mixed = np.random.default_rng(5).permutation(60)
    loose = ta.read(masked.take(mixed).table, roles=ROLES)
    for method in (ta.Correlations(), ta.Covariances(), ta.Means(), ta.Variances()):
        parts = method.measure(data, loose).parts
        changed = {label for label, gap in parts.items() if gap}
        assert changed
        assert all(name in label.split(" x ") for label in changed), method.name


def test_records_stay_paired_and_samples_are_in_order_too() -> None:
    data, masked = files(3, 60)
    part = masked.take(np.random.default_rng(0).permutation(60)[:40])
    first = arranged(data, part)
    again = arranged(data.take(np.arange(60)[::-1]), part.take(np.arange(40)[::-1]))
    assert first.protected.table.equals(again.protected.table)
    assert first.original.table.equals(again.original.table)
    assert np.array_equal(part.rows[first.order], first.protected.rows)
    assert ta.Values().measure(data, part).value == ta.Values().measure(first.original, part).value


def test_suppressed_and_missing_values_are_told_apart() -> None:
    data = ta.read(pd.DataFrame({"x": [None, None, 1.0]}), suppressed={})
    hidden = data.with_column(data.attribute("x"), data.column("x"), np.array([True, False, False]))
    turned = arranged(hidden, hidden).protected.suppressed_in("x")
    mixed = hidden.take(np.array([1, 2, 0]))
    assert np.array_equal(turned, arranged(mixed, mixed).protected.suppressed_in("x"))


def test_records_without_attributes_are_still_records() -> None:
    data = ta.read(pd.DataFrame({"x": [3.0, 1.0, 2.0]}))
    nothing = data.apply(ta.Drop(["x"]))
    assert len(nothing.take(np.array([2, 0]))) == 2
    assert len(arranged(data, nothing).protected) == 3

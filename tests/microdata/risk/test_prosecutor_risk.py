from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.data.dataset import Dataset

SHARED = Path(__file__).parents[4] / "shared"
FOUR = ["age", "native-country", "race", "sex"]
EIGHT = [*FOUR, "education", "marital-status", "salary-class", "workclass"]
KEYS = {"4QI": FOUR, "8QI": EIGHT}


@cache
def adult() -> Dataset:
    if not SHARED.is_dir():
        pytest.skip("the reference data are not here")
    return ta.read(SHARED / "data/adult/adult.csv", roles=dict.fromkeys(EIGHT, "key"))


def arx(keys: str) -> dict[str, str]:
    """Return what ARX measures on adult, by its names."""
    rows = pyarrow.csv.read_csv(SHARED / "reference/arx_risk_adult.csv").to_pylist()
    return {row["measure"]: row["value"] for row in rows if row["qis"] == keys}


NAMES = {
    "avg_risk": "average",
    "highest_risk": "highest",
    "lowest_risk": "lowest",
    "frac_records_highest": "share_highest",
    "frac_records_lowest": "share_lowest",
}


@pytest.mark.parametrize("name", list(KEYS))
@pytest.mark.parametrize("method", [ta.ProsecutorRisk, ta.JournalistRisk, ta.MarketerRisk])
def test_adult_has_arxs_risks(method, name):
    data = adult()
    reference = arx(name)
    found = method(keys=KEYS[name]).measure(data, data)
    for theirs, ours in NAMES.items():
        assert float(found.figures[ours]) == pytest.approx(float(reference[theirs]), abs=1e-12)
    who = method.name.partition("_")[0]
    assert float(found.value) == pytest.approx(float(reference[f"est_{who}"]), abs=1e-12)


@pytest.mark.parametrize("name", list(KEYS))
@pytest.mark.parametrize("threshold", [0.05, 0.2])
@pytest.mark.parametrize("who", ["prosecutor", "journalist"])
def test_adult_has_arxs_records_at_risk(who, threshold, name):
    data = adult()
    method = {"prosecutor": ta.ProsecutorRisk, "journalist": ta.JournalistRisk}[who]
    found = method(keys=KEYS[name], threshold=threshold).measure(data, data)
    said = float(arx(name)[f"thr{threshold}_{who}_records_at_risk"])
    assert float(found.figures["share_at_risk"]) == pytest.approx(said, abs=1e-12)


@pytest.mark.parametrize("name", list(KEYS))
def test_adult_has_arxs_classes(name):
    data = adult()
    reference = arx(name)
    figures = ta.ProsecutorRisk(keys=KEYS[name]).measure(data, data).figures
    assert figures["classes"] == float(reference["num_classes"])
    assert float(figures["average_class_size"]) == pytest.approx(float(reference["avg_class_size"]))
    # The histogram names as many sizes as fit, each with the number of its classes.
    listed = reference["histogram(size:count)"].partition("[")[2].rstrip("]").split("|")
    sizes = Counter(data.classes(KEYS[name]).counts.tolist())
    assert {int(s): int(n) for s, n in zip(listed[::2], listed[1::2], strict=True)} == {
        size: sizes[size] for size in range(1, 21)
    }


@given(st.lists(st.integers(0, 4), min_size=1), st.sampled_from([0, 0.2, 0.25, 0.3, 0.5, 1]))
def test_the_figures_are_exact(values, threshold):
    data = ta.read(pa.table({"a": values}), roles={"a": "key"})
    risks = sorted(Fraction(1, Counter(values)[value]) for value in values)
    found = ta.ProsecutorRisk(threshold=threshold).measure(data, data)
    bound = Fraction(str(threshold))
    assert found.value == risks[-1]
    assert found.figures["average"] == sum(risks) / len(risks)
    assert found.figures["lowest"] == risks[0]
    assert found.figures["records_at_risk"] == sum(risk > bound for risk in risks)
    assert found.figures["share_highest"] == Fraction(risks.count(risks[-1]), len(risks))
    assert found.per_record.sum() == pytest.approx(len(set(values)))


def test_a_risk_at_the_threshold_is_not_above_it():
    data = ta.read(pa.table({"a": [1] * 20}), roles={"a": "key"})
    for threshold, at_risk in ((0.05, 0), (0.049, 20)):
        found = ta.ProsecutorRisk(threshold=threshold).measure(data, data)
        assert found.figures["records_at_risk"] == at_risk

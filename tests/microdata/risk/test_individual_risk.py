from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.risk.individual_risk import threshold

SHARED = Path(__file__).parents[4] / "shared"
with_references = pytest.mark.skipif(not SHARED.is_dir(), reason="the reference data are not here")
KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
APPROXIMATE = ta.IndividualRisk(formula="approximate", global_limit=0.001)
# Weights, keys and sdcMicro's risks of the individual-risk teaching file.
TAUGHT = {
    "key": ["a", "b", "b", "c", "d", "e", "f", "a"],
    "w": [18, 45.5, 39, 17, 541, 8, 5, 92],
}
TAUGHT_RISKS = [
    0.017144261596285161,
    0.022042326183256165,
    0.022042326183256165,
    0.17707583400351351,
    0.011654480146012003,
    0.29706307738283366,
    0.40235947810852507,
    0.017144261596285161,
]


def taught() -> ta.Microdata:
    return ta.read(pa.table(TAUGHT), roles={"key": "key", "w": "weight"})


def census(weight_role: str) -> ta.Microdata:
    roles = {**dict.fromkeys(KEYS, "key"), "sampling_weight": weight_role}
    return ta.read(SHARED / "data/casc/testdata.csv", roles=roles)


@pytest.mark.parametrize("formula", ["exact", "approximate"])
def test_the_teaching_file_has_sdcmicros_risks(formula):
    found = ta.IndividualRisk(formula=formula).measure(taught(), taught())
    assert found.per_record == pytest.approx(TAUGHT_RISKS, abs=1e-12)
    assert found.value == pytest.approx(0.96652604519996688 / 8)
    assert found.figures["largest"] == pytest.approx(0.40235947810852507)
    assert found.figures["records_above"] == 3


@with_references
def test_testdata_has_sdcmicros_risks():
    data = census("weight")
    reference = pyarrow.csv.read_csv(SHARED / "reference/sdcmicro/testdata_fk_Fk_risk.csv")
    found = APPROXIMATE.measure(data, data)
    assert np.allclose(found.per_record, reference["rk"].to_numpy(), rtol=0, atol=1e-12)
    assert found.value == pytest.approx(0.0023533403752696146, abs=1e-12)
    assert found.figures["expected_reidentifications"] == pytest.approx(10.778298918734835)
    assert found.figures["largest"] == pytest.approx(0.046516870565536286)
    assert found.figures["threshold"] == pytest.approx(0.0049751243781094535, abs=1e-12)
    assert found.figures["records_above"] == found.figures["records_outlying"] == 0
    exact = ta.IndividualRisk().measure(data, data)
    assert exact.value == pytest.approx(found.value, rel=1e-3)


@with_references
def test_without_weights_every_class_loses_one_respondent():
    data = census("non_confidential")
    found = ta.IndividualRisk().measure(data, data)
    assert found.figures["expected_reidentifications"] == pytest.approx(412)
    assert "whole population" in found.sentence


risks = st.lists(st.floats(1e-6, 1), min_size=1).map(np.array)


@given(risks, st.floats(0.001, 0.999))
def test_lowering_higher_risks_to_the_threshold_keeps_the_limit(risk, limit):
    level = threshold(risk, limit)
    assert np.minimum(risk, level).mean() <= limit * (1 + 1e-12)
    higher = np.unique(risk[risk > level])
    if len(higher):
        assert np.minimum(risk, higher[0]).mean() > limit * (1 - 1e-12)
    else:
        assert level in (risk.max(), limit)


def test_risks_that_stand_out_are_counted():
    table = pa.table({"k": [0] * 90 + list(range(1, 11)), "w": [10.0] * 90 + [1.5] * 10})
    data = ta.read(table, roles={"k": "key", "w": "weight"})
    assert ta.IndividualRisk().measure(data, data).figures["records_outlying"] == 10
    assert ta.IndividualRisk(above=0.9).measure(data, data).figures["records_outlying"] == 0


def test_no_keys_no_risk():
    data = ta.read(pa.table({"a": [1]}))
    with pytest.raises(InputError, match="role `key`"):
        ta.IndividualRisk().measure(data, data)


def test_no_records_no_number(toy):
    nobody = toy.take(np.arange(0))
    found = ta.IndividualRisk(alpha=1).measure(nobody, nobody)
    assert found.value is None
    assert found.figures["threshold"] is None

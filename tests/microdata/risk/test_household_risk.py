from __future__ import annotations

from math import prod
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.risk.household_risk import at_least_one

SHARED = Path(__file__).parents[4] / "shared"
KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the reference data are not here")
def test_testdata_has_sdcmicros_risks():
    roles = {**dict.fromkeys(KEYS, "key"), "sampling_weight": "weight", "ori_hid": "household"}
    data = ta.read(SHARED / "data/casc/testdata.csv", roles=roles)
    reference = pyarrow.csv.read_csv(SHARED / "reference/sdcmicro/testdata_fk_Fk_risk.csv")
    found = ta.HouseholdRisk(formula="approximate").measure(data, data)
    assert np.allclose(found.per_record, reference["hier"].to_numpy(), rtol=0, atol=1e-12)
    assert found.value == pytest.approx(0.011312866252393163, abs=1e-12)
    assert found.figures["expected_reidentifications"] == pytest.approx(51.812927435960688)
    assert found.figures["largest"] == pytest.approx(0.22703644677777268)
    assert found.figures["households"] == 1000


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), min_size=1))
def test_at_least_one_is_not_none(members):
    groups, risks = (np.array(part) for part in zip(*members, strict=True))
    found = at_least_one(groups, risks, 4)
    for group in range(4):
        expected = 1 - prod(1 - risk for place, risk in members if place == group)
        assert found[group] == pytest.approx(expected, abs=1e-12)


def test_tiny_risks_add_up():
    """1 - (1 - 1e-18)^3 is 0 when it is computed as it is written."""
    assert at_least_one(np.zeros(3, np.int64), np.full(3, 1e-18), 1)[0] == pytest.approx(3e-18)


def test_unknown_households_are_not_one_household():
    table = pa.table({"k": [1, 1, 2, 2], "home": pa.array([7, 7, None, None], pa.int64())})
    data = ta.read(table, roles={"k": "key", "home": "household"})
    found = ta.HouseholdRisk().measure(data, data)
    assert found.per_record.tolist() == [0.75, 0.75, 0.5, 0.5]
    assert found.figures["households"] == 3
    assert found.figures["expected_households"] == 1.75


def test_no_households_no_risk(patients):
    with pytest.raises(InputError, match="role `household`"):
        ta.HouseholdRisk().measure(patients, patients)

from __future__ import annotations

import numpy as np
import pyarrow as pa

import tacita as ta
from tacita.microdata.masking.suppressing.households import household_of, made_alike


def test_a_blank_household_is_one_of_its_own():
    data = ta.read(pa.table({"home": ["x", None, "x", None]}), roles={"home": "household"})
    of_record = household_of(data)
    assert of_record[0] == of_record[2]
    assert len(set(of_record.tolist())) == 3


def test_what_one_member_loses_all_lose():
    patterns, homes = np.array([0b001, 0b110, 0b000, 0b111]), np.array([5, 5, 5, 9])
    assert made_alike(patterns, homes, 0b011).tolist() == [0b011, 0b111, 0b011, 0b111]
    assert made_alike(patterns, homes, 0).tolist() == patterns.tolist()

from __future__ import annotations

import numpy as np
import pyarrow as pa

import tacita as ta
from tacita.microdata.masking.suppressing.households import household_of, made_alike

HOMES = [1, 1, 2, 2, 3, 3, 4, 4]


def test_a_blank_household_is_one_of_its_own():
    data = ta.read(pa.table({"home": ["x", None, "x", None]}), roles={"home": "household"})
    of_record = household_of(data)
    assert of_record[0] == of_record[2]
    assert len(set(of_record.tolist())) == 3


def test_what_one_member_loses_all_lose():
    patterns, homes = np.array([0b001, 0b110, 0b000, 0b111]), np.array([5, 5, 5, 9])
    assert made_alike(patterns, homes, 0b011).tolist() == [0b011, 0b111, 0b011, 0b111]
    assert made_alike(patterns, homes, 0).tolist() == patterns.tolist()


def test_a_blank_is_no_reason_to_tell_members_apart():
    """What is blank of one member is shared all the same: the other one tells it."""
    data = ta.read(
        pa.table({"region": [2, 2, 2, 2, None, 2, 2, 2], "sex": list("mmfmmffm"), "home": HOMES}),
        roles={"region": "key", "sex": "key", "home": "household"},
        kinds={"region": "nominal"},
    )
    safe = data.apply(ta.LocalSuppression(k=2, importance={"sex": 3}, households="alike"))
    region = safe.column("region").to_pylist()
    assert region[::2] == region[1::2]
    assert ta.KAnonymity(2).check(safe).holds

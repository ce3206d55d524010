from __future__ import annotations

import pyarrow as pa

import tacita as ta
from tacita.microdata.anonymize.generalizing.judging import Judge
from tacita.microdata.anonymize.generalizing.tables import Tables
from tacita.microdata.anonymize.promises import keys_of, promises_of


def test_what_one_promise_leaves_out_says_nothing_of_another_below():
    """At `1*` all five records have too much flu, so that too few men are left; at `12` they stay."""
    table = pa.table(
        {
            "zip": ["11", "11", "11", "12", "12", "21", "21", "21", "21", "21"],
            "sex": ["m", "m", "m", "m", "m", "m", "f", "f", "f", "f"],
            "ill": ["flu", "flu", "flu", "flu", "cold", "none", "cold", "flu", "cold", "flu"],
        }
    )
    roles = {"zip": "key", "sex": "key", "ill": "confidential"}
    data = ta.read(table, roles=roles, hierarchies={"zip": {"prefix": 2}})
    models = (ta.AlphaKAnonymity(0.5, 2, keys=["zip"]), ta.KAnonymity(3, keys=["sex"]))
    promises = promises_of(models, data)
    tables = Tables.of(data, keys_of(promises), ["ill"])
    judge = Judge(tables, promises, allowed=6)
    fine, coarse = (judge.judged(tables.at(levels)) for levels in ((0, 0), (1, 0)))
    assert (fine.left_out, coarse.left_out) == (3, 6)
    assert coarse.below <= fine.left_out

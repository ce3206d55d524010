"""Masked copies that are answered from: what belongs to a record stays with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

import tacita as ta
from tacita.release import masked_input
from tacita.release.plan import read_plan

PLAN = """
data:
  source: people.csv
  attributes:
    id: {role: identifier}
    town: {role: key}
    pay: {role: confidential, kind: continuous}
microdata:
  steps:
    - rank_swap: {p: 50, attributes: [pay]}
queries:
  view: people
  record: id
  policies: [unprotected]
  ledger: ledger.db
  input: masked
"""


def test_records_are_put_in_order_with_all_that_is_known_of_them(tmp_path, monkeypatch):
    (tmp_path / "plan.yaml").write_text(PLAN)
    table = pa.table({"id": [3, 1, 2], "town": [None, "x", "y"], "pay": [30, 10, None]})
    roles = {"id": "identifier", "town": "key", "pay": "confidential"}
    read = replace(
        ta.read(table, roles=roles),
        suppressed_cells={"town": np.array([True, False, False])},
        missing_reasons={"pay": np.array([0, 0, 1], np.int32)},
    )
    given = []

    def kept(data, plan, seed):
        given.append(data)
        return data, []

    monkeypatch.setattr(masked_input, "read_source", lambda plan: read)
    monkeypatch.setattr(masked_input, "mask", kept)
    masked_input.masked_copy(read_plan(tmp_path / "plan.yaml"), 1)
    (ordered,) = given
    assert ordered.column("id").to_pylist() == [1, 2, 3]
    assert ordered.suppressed_in("town").tolist() == [False, False, True]
    assert ordered.missing_reasons["pay"].tolist() == [0, 1, 0]
    assert ordered.rows is None

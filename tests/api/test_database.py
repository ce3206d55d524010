"""Guarded databases as plans say them: what is wrong is said once, and leaves nothing behind."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tacita as ta
from tacita.api.database import serve_plan
from tacita.errors import TacitaError

FIRMS = "id,sector,salary\n" + "\n".join(
    f"{i},{'IT' if i % 2 else 'HC'},{i}000" for i in range(1, 9)
)
PLAN = """data:
  source: firms.csv
  attributes:
    id: {role: identifier}
    sector: {role: key}
    salary: {role: confidential}
queries:
  view: firms
  policies: [audit]
  ledger: ledger.db
  anchor: anchor.json
  key_file: keys/ledger.key
"""
TOTAL = "SELECT sum(salary) FROM firms"
ROLES = {"sector": "key", "pay": "confidential"}

# What is written in place of what, and the place and the words of the only sentence.
BAD = [
    ("view: firms", "view: 2nd", "line 8, field `queries.view`: expected a name of letters"),
    ("[audit]", "[]", "line 9, field `queries.policies`: expected one or more; found"),
    ("[audit]", "[{audit: {k: 1}}]", "line 9, field `queries.policies.0..audit`: `k` of"),
    ("ledger.db", "no/ledger.db", "line 7, field `queries`: There is no folder for .*ledger.db"),
    ("anchor.json", "no/a.json", "line 7, field `queries`: There is no folder for .*a.json"),
    ("  anchor", "  published: SELECT\n  anchor", "`queries.published`: expected a list; found"),
    ("  anchor", "  published: [SELECT 1]\n  anchor", "line 7, field `queries`: The query needs"),
    ("  anchor", "  known: [3]\n  anchor", "line 7, field `queries`: Records that an insider"),
    ("  anchor", "  record: name\n  anchor", "line 7, field `queries`: There is no attribute"),
    ("  anchor", "  record: sector\n  anchor", "line 7, field `queries`: `sector` must name"),
    ("salary:", "pay:", "line 6, field `data.attributes.pay.role`: Attribute `pay` is declared"),
    ("firms.csv", "none.csv", "line 2, field `data.source`: There is no file"),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "firms.csv").write_text(FIRMS)
    (tmp_path / "keys").mkdir()
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


@pytest.mark.parametrize(("right", "wrong", "sentence"), BAD)
def test_a_plan_that_cannot_work_says_where_and_leaves_nothing(folder, right, wrong, sentence):
    plan = folder / "plan.yaml"
    plan.write_text(PLAN.replace(right, wrong, 1))
    before = sorted(folder.rglob("*"))
    with pytest.raises(TacitaError, match=sentence) as caught:
        serve_plan(plan)
    assert str(caught.value).count("plan.yaml") == 1
    assert sorted(folder.rglob("*")) == before


def test_a_plan_is_taken_up_with_its_history(folder):
    for _ in range(2):
        guard = serve_plan(folder / "plan.yaml").guard
        assert guard.ask(TOTAL, user="ana").value == 36000
        guard.close()
    assert serve_plan(folder / "plan.yaml").guard.session()["queries"] == 2


def test_a_guard_without_ledger_goes_on_with_other_data():
    """Frames are read again at every refresh."""
    frame = pa.table({"sector": ["IT"] * 4, "pay": [1, 2, 3, 4]})
    with ta.guard(frame, policy=ta.Audit(), ledger=None, view="t", roles=ROLES) as database:
        assert database.ask("SELECT sum(pay) FROM t").value == 10
        assert not database.refresh()

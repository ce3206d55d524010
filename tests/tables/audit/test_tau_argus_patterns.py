"""The audit of patterns that tau-ARGUS made, with the levels of the rule it was given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tacita as ta
from tacita.tables.audit.audit import audit
from tacita.tables.formats import read_table
from tacita.tables.judging import judge
from tacita.tables.linked import LinkedTables
from tacita.tables.status import Status
from tacita.tables.table import Table

SHARED = Path(__file__).parents[4] / "shared" / "data" / "tables"
pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="the reference data are not here")
TAU = SHARED / "checkTauArgus"
ENTERPRISE = TAU / "enterprise"
HIERARCHIES = {
    "act": ENTERPRISE / "nace_divisions.hrc",
    "region": ENTERPRISE / "KohStatReg.hrc",
    "Region": TAU / "simple2d" / "region2.hrc",
}


def pattern(file: Path, *by: str) -> Table:
    missing = {name: code for name, code in MISSING.items() if name in by}
    hierarchies = {name: path for name, path in HIERARCHIES.items() if name in by}
    return read_table(file, form="code_value", by=by, hierarchies=hierarchies, missing=missing)


MISSING = {"act": "00", "Region": "99", "Size": "99"}


def with_levels(found: Table, judged: Table) -> Table:
    """Put the levels of a judged table on the same cells of a pattern."""
    lower, upper = np.zeros(len(found)), np.zeros(len(found))
    names = [dimension.name for dimension in found.dimensions]
    for row in np.flatnonzero(judged.cells.sensitive):
        place = found.row(**dict(zip(names, judged.codes_of(int(row)), strict=True)))
        assert found.cells.status[place] == Status.SENSITIVE
        lower[place] = judged.cells.lower_level[row]
        upper[place] = judged.cells.upper_level[row]
    return found.with_cells(lower_level=lower, upper_level=upper)


@pytest.fixture(scope="module")
def enterprise():
    columns = {"holding": (0, 9), "act": (9, 11), "product": (11, 13), "region": (13, 15)}
    rows = (ENTERPRISE / "example_enterprise.asc").read_text().splitlines()
    rows = [row for row in rows if row.strip()]
    frame = {name: [row[slice(*at)] for row in rows] for name, at in columns.items()}
    frame["act"] = [None if code == "00" else code for code in frame["act"]]
    import pandas as pd

    turnover = [float(row[18:26]) for row in rows]
    hierarchies = {name: HIERARCHIES[name] for name in ("act", "region")}
    return ta.read(
        pd.DataFrame({**frame, "turnover": turnover}),
        kinds=dict.fromkeys(columns, "nominal"),
        hierarchies=hierarchies,
    )


def judged(data, by: list[str]) -> Table:
    table = ta.tabulate(data, by, value="turnover", contributor="holding")
    return judge(table, [ta.PPercent(10)], missing="safe")


@pytest.mark.parametrize(
    ("file", "by", "primaries"),
    [
        ("test_1.txt", ["act", "product"], 283),
        ("test_2a.txt", ["act", "product"], 283),
        ("test_2b.txt", ["act", "region"], 339),
    ],
)
def test_patterns_at_holding_level_are_safe(enterprise, file, by, primaries):
    found = audit(with_levels(pattern(ENTERPRISE / file, *by), judged(enterprise, by)))
    assert int(found.system.cells.sensitive.sum()) == primaries
    assert (len(found.exact_disclosed), len(found.below_level)) == (0, 0)


def test_linked_patterns_are_safe_together(enterprise):
    tables = [
        with_levels(pattern(ENTERPRISE / file, *by), judged(enterprise, list(by)))
        for file, by in (("test_2a.txt", ("act", "product")), ("test_2b.txt", ("act", "region")))
    ]
    found = audit(LinkedTables(tuple(tables)))
    assert (len(found.exact_disclosed), len(found.below_level)) == (0, 0)


def test_the_modular_pattern_of_the_first_example_is_safe():
    reference = read_table(SHARED / "derived_jj" / "simple2d_p15.jj.gz")
    found = audit(pattern(TAU / "simple2d" / "Simple2D.txt", "Size", "Region"))
    assert found.is_safe
    value, needed = reference.cells.value, reference.cells.sensitive
    by_value = {
        float(v): float(u)
        for v, u in zip(value[needed], reference.cells.upper_level[needed], strict=True)
    }
    for row in np.flatnonzero(found.system.cells.sensitive):
        level = by_value[float(found.system.cells.value[row])]
        assert found.upper[row] >= found.system.cells.value[row] + level


@pytest.mark.parametrize(
    ("instance", "exact", "below"),
    [
        ("simple2d_p15", 9, 9),
        ("tauW_SR_nk2_75", 9, 9),
        ("ent_region_product_p10h", 5, 5),
        ("ent_act_product_p10h", 71, 85),
        ("tauW_IS_p10", 176, 177),
    ],
)
def test_primary_suppressions_alone_do_not_protect(instance, exact, below):
    found = audit(read_table(SHARED / "derived_jj" / f"{instance}.jj.gz"))
    assert (len(found.exact_disclosed), len(found.below_level)) == (exact, below)

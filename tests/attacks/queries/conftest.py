"""What the tests of query attacks start from."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.attacks.queries.intruding.intruder import Formula, Target
from tacita.attacks.queries.intruding.register import Register
from tacita.method import Method
from tacita.queries.guard import Guard
from tacita.queries.public_classes import PublicClasses

DOCS = Path(__file__).parents[3] / "docs"
SECTORS = ["IT"] * 6 + ["HC"] * 6 + ["Fin"] * 3
REGIONS = ["BCN"] * 3 + ["TGN"] * 3 + ["BCN"] * 3 + ["TGN"] * 3 + ["BCN", "BCN", "TGN"]
SALARIES = [500000, 320000, 32000, 35000, 34000, 28000, 300000, 45000, 34000, 45000, 34000, 24000,
            300000, 35000, 150000]  # fmt: skip
ROLES = {"sector": "key", "region": "key", "salary": "confidential"}


@pytest.fixture(scope="session")
def salaries() -> PublicClasses:
    """Fifteen salaries; the one of finance in TGN is the only one of its kind."""
    table = pa.table({"sector": SECTORS, "region": REGIONS, "salary": SALARIES})
    return PublicClasses.of(ta.read(table, roles=ROLES), "firms")


@pytest.fixture(scope="session")
def victim(salaries: PublicClasses) -> Target:
    known = {"sector": "Fin", "region": "TGN"}
    return Target(known, "salary", Register.of(salaries), 150000)


@pytest.fixture
def guard(salaries: PublicClasses) -> Callable[..., Guard]:
    """Make a guard of the salaries without any history."""
    return lambda *policies: Guard(salaries, policies)


@pytest.fixture(scope="session")
def arena() -> dict[str, Any]:
    """The script that writes the table of the docs."""
    return runpy.run_path(str(DOCS / "query_attacks.py"))


@pytest.fixture(scope="session")
def agrees(arena: dict[str, Any]) -> Callable[[Method], None]:
    """Run an attack on the first victim, and compare with what the page says of all of them."""
    page = (DOCS / "query-attacks.md").read_text(encoding="utf-8")
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| `")]
    told = {line[0].strip("`"): line[1:] for line in lines if line[-1].endswith("%")}

    def check(attack: Method) -> None:
        rates = arena["rates"](attack, 1)
        for page_says, rate in zip(told[attack.name], rates, strict=True):
            if page_says in ("0 %", "100 %"):
                assert rate == page_says
        assert rates[0] == "100 %", "it must succeed where nothing protects"

    return check


@pytest.fixture(scope="session")
def holds(salaries: PublicClasses, victim: Target) -> Callable[[Iterable[Formula]], int]:
    """Check that formulas give the victim's value, with sums that are added up here."""
    names = [salaries.columns[name].of_classes().to_pylist() for name in victim.register.names]
    totals = salaries.totals("salary").sums
    of_class = dict(zip(zip(*names, strict=True), totals.tolist(), strict=True))
    sums = np.array([of_class[one] for one in victim.register.classes])

    def check(formulas: Iterable[Formula]) -> int:
        values = [sum(c * int(sums[one.holds].sum()) for c, one in formula) for formula in formulas]
        assert set(values) == {150000}
        return len(values)

    return check

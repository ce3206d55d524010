"""A file of a million records, from opening it to a release that the command line verifies."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

RECORDS = 1_000_000
PATIENCE = 900_000  # milliseconds, for half a minute's work on a machine that does much else
ROLES = {"age": "key", "sex": "key", "region": "key", "income": "confidential"}


@pytest.fixture
def million(running) -> None:
    rng = np.random.default_rng(1)
    regions = np.array([f"region {number}" for number in range(30)])
    table = pa.table(
        {
            "age": rng.integers(0, 100, RECORDS),
            "sex": np.array(["f", "m"])[rng.integers(0, 2, RECORDS)],
            "region": regions[rng.integers(0, 30, RECORDS)],
            "income": np.round(rng.lognormal(10, 1, RECORDS), 2),
        }
    )
    pq.write_table(table, running.bench.workplace.folder / "million.parquet")


def test_a_million_records_are_opened_protected_released_and_verified(million, page, running):
    page.reload()
    page.select_option("select[name=file]", "million.parquet")
    page.click("form:has(select[name=file]) button")
    page.wait_for_url("**/data")
    page.wait_for_selector("p:has-text('1,000,000 records')")
    page.click("nav >> text=Roles")
    page.wait_for_selector("th:has-text('income')")
    for place, role in enumerate(ROLES.values()):
        page.select_option(f"[name='role {place}']", role)
    page.click("button:has-text('Keep')")
    page.wait_for_selector("button:text-is('Undo'):not([disabled])")  # the roles are kept
    page.click("nav >> text=Protect")
    page.wait_for_selector("#measures table")
    assert "20,000" in page.inner_text("#measures")
    page.select_option("#choose", "top_code")
    page.wait_for_selector("#chosen h3")
    page.select_option("#p-attribute", "age")
    page.fill("#p-above", "90")
    page.wait_for_selector("#measures th:has-text('Tried')")
    page.click("#chosen button.main")
    page.wait_for_selector(".steps .what:has-text('top_code')")
    page.select_option("#require", "k_anonymity")
    page.fill("#requirement #required-p-k", "2")
    page.click("#requirement button.main")
    page.wait_for_selector(".light")
    page.click("nav >> text=Release")
    page.fill("#name", "million")
    page.click("button:has-text('Release')")
    page.wait_for_selector("#written .links", timeout=PATIENCE)
    folder = running.bench.workplace.folder / "releases/million"
    verified = subprocess.run(
        [Path(sys.executable).with_name("tacita"), "verify", folder],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert verified.returncode == 0, verified.stdout + verified.stderr
    (released,) = (folder / "public").glob("*.csv")
    assert released.read_bytes().count(b"\n") == RECORDS + 1
    assert (page.errors, page.elsewhere) == ([], [])

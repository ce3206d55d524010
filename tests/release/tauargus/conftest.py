"""Jobs written by the tests: firms by region, size class and holding, and what runs them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tacita.release.tauargus.running import JobResult, run_job

HRC = "Nord\n@ 1\n@ 2\nSued\n@ 3\n@10\n"
RDA = """region 1 2 99
  <RECODEABLE>
  <HIERARCHICAL>
  <HIERCODELIST> "D:\\elsewhere\\REGIONS.hrc"
  <HIERLEADSTRING> "@"
size 3 2 99
  <RECODEABLE>
sector 5 3
  <RECODEABLE>
  <HIERARCHICAL>
  <HIERLEVELS> 1 2 0 0 0
turnover 8 9 99999.99
  <NUMERIC>
  <DECIMALS> 2
staff 17 4
  <NUMERIC>
holding 21 3
  <HOLDING>
weight 24 3
  <WEIGHT>
  <DECIMALS> 1
asks 27 1
  <REQUEST> "1" "2"
"""
OPEN = """<OPENMICRODATA> "firms.asc"
<OPENMETADATA> "firms.rda"
"""


@dataclass(frozen=True)
class Firm:
    """A record, as an independent addition sees it."""

    region: str
    size: str
    sector: str
    cents: int
    staff: int
    holding: str
    weight: float
    asks: str

    @property
    def line(self) -> str:
        """The record in its file."""
        return (
            f"{self.region:>2}{self.size:>2}{self.sector:>3}{self.cents / 100:>9.2f}"
            f"{self.staff:>4}{self.holding:>3}{self.weight:>3}{self.asks}"
        )


def firms() -> list[Firm]:
    """Draw firms; region 10 has cells of zeros, of three alike, and of holdings with two firms."""
    rng = random.Random(5)  # noqa: S311 - test data
    drawn = [
        (rng.choice("1123"), rng.choice(["2", "3", "10"]), rng.choice([0, 9_000, 400_000]), 15)
        for _ in range(70)
    ]
    zeros = [("10", "2", 0, 90)] * 4
    alike = [("10", "3", 500_000, 90)] * 3
    missing = [("1", "99", 70_000, 15)] * 2 + [("99", "2", 80_000, 15)]
    made = []
    for number, (region, size, most, holdings) in enumerate([*drawn, *zeros, *alike, *missing]):
        cents = most if most in (0, 500_000) else rng.randrange(1, most + 1)
        holding = str(200 + number if holdings == 90 else 100 + rng.randrange(holdings))
        made.append(
            Firm(
                region,
                size,
                rng.choice(["A01", "A02", "B11", "B12"]),
                cents,
                number % 50,
                holding,
                rng.choice([1.0, 1.5, 2.0]),
                "1" if number == 3 else "0",
            )
        )
    return made


@pytest.fixture(scope="session")
def records() -> list[Firm]:
    return firms()


@pytest.fixture
def folder(tmp_path: Path, records: list[Firm]) -> Path:
    """Lay the data and their description beside each other, with names in other cases."""
    (tmp_path / "Firms.asc").write_text("".join(f"{firm.line}\n" for firm in records))
    (tmp_path / "firms.RDA").write_text(RDA)
    (tmp_path / "regions.hrc").write_text(HRC)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Callable[[str], JobResult]:
    """Run a job, given as its text."""

    def running(text: str, **options: object) -> JobResult:
        (folder / "job.arb").write_text(text)
        return run_job(folder / "job.arb", **options)

    return running


@pytest.fixture
def refused(run: Callable[[str], JobResult]) -> Callable[[str], str]:
    """Return the sentence that a job is refused with."""
    from tacita.errors import TacitaError

    def refusing(text: str) -> str:
        with pytest.raises(TacitaError) as error:
            run(text)
        return str(error.value)

    return refusing

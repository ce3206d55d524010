"""Three records by hand, and one file before and after another system masked it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

import tacita as ta

SHARED = Path(__file__).parents[4] / "shared"
NOISY = SHARED / "reference/sdcmicro/Tarragona_addNoise_additive10_seed123.csv"


@pytest.fixture(scope="session")
def data() -> Callable[..., ta.Microdata]:
    """Make microdata from a matrix: attributes a, b, c, ... and, if there are any, weights w."""

    def made(columns: np.ndarray, weights: np.ndarray | None = None) -> ta.Microdata:
        table = {"abcdefghij"[j]: column for j, column in enumerate(columns.T)}
        if weights is not None:
            return ta.read(pa.table({**table, "w": weights}), roles={"w": "weight"})
        return ta.read(pa.table(table))

    return made


@pytest.fixture(scope="session")
def by_hand(data) -> tuple[ta.Microdata, ta.Microdata]:
    """Three records whose statistics are easy to compute.

    record   a  b   a' b'
      1      1  2   1  2
      2      2  4   2  4
      3      3  3   6  6
    mean     2  3   3  4        variance  1  1   7  4        covariance  1/2   5
    """
    before = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 3.0]])
    after = np.array([[1.0, 2.0], [2.0, 4.0], [6.0, 6.0]])
    return ta.pair(data(before), data(after), "position")


@pytest.fixture(scope="session")
def tarragona() -> tuple[pa.Table, pa.Table]:
    """The CASC data Tarragona before and after sdcMicro added noise."""
    if not NOISY.exists():
        pytest.skip("the reference data are not here")
    return csv.read_csv(SHARED / "data/casc/Tarragona.csv"), csv.read_csv(NOISY)

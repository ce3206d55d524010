"""The salary table of fifteen employees that teaches what queries can tell."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import tacita as ta
from tacita.queries.public_classes import PublicClasses

SALARIES = {
    "id": list(range(1, 16)),
    "salary": [
        *(500000, 320000, 32000, 35000, 34000, 28000, 300000, 45000),
        *(34000, 45000, 34000, 24000, 300000, 35000, 150000),
    ],
    "sector": ["IT"] * 6 + ["HC"] * 6 + ["Fin"] * 3,
    "region": ["BCN"] * 3 + ["TGN"] * 3 + ["BCN"] * 3 + ["TGN"] * 3 + ["BCN"] * 2 + ["TGN"],
}
ROLES = {"id": "identifier", "salary": "confidential", "sector": "key", "region": "key"}


@pytest.fixture(scope="session")
def employees() -> ta.Microdata:
    return ta.read(pa.table(SALARIES), roles=ROLES)


@pytest.fixture(scope="session")
def salaries(employees) -> PublicClasses:
    return PublicClasses.of(employees, "salaries")


@pytest.fixture
def memory() -> Iterator[Path]:
    """A folder in memory where there is one: many processes write to it."""
    shared = Path("/dev/shm")  # noqa: S108 - mkdtemp makes the folder
    folder = Path(tempfile.mkdtemp(dir=shared if shared.is_dir() else None))
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def killed_at() -> str:
    """A script's function that kills its process before the so-manieth line of some files."""
    return KILLED_AT


KILLED_AT = """
import os, signal, sys, threading

def killed_at(step, is_ours):
    # Die before the so-manieth line of the files that are ours, in whatever thread that is.
    seen = 0
    lock = threading.Lock()

    def at_line(frame, event, argument):
        nonlocal seen
        if event == "line":
            with lock:
                seen += 1
                if seen >= step:
                    os.kill(os.getpid(), signal.SIGKILL)
        return at_line

    def at_call(frame, event, argument):
        return at_line if is_ours(frame.f_code.co_filename) else None

    threading.settrace(at_call)
    sys.settrace(at_call)
"""

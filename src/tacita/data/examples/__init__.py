"""Example data: generated ones of any size, and the small tables that the field's papers print."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.dataset import Dataset
from tacita.data.declaration import Declaration
from tacita.data.read import declare
from tacita.errors import InputError, did_you_mean

GENERATED = ("patients", "firms", "census", "survey", "toy")


def generate(name: str, n: int, seed: int = 0) -> Dataset:
    """Generate example data.

    Args:
        name: patients (hospital discharges), firms (an enterprise survey), census (correlated
            positive numbers), survey (people in households) or toy (every kind and role).
        n: the number of records (0 or more).
        seed: the same seed gives the same records.

    >>> len(generate("patients", 1000))
    1000
    """
    if name not in GENERATED:
        raise InputError(f"There are no example data `{name}`.{did_you_mean(name, GENERATED)}")
    module = importlib.import_module(f"tacita.data.examples.{name}")
    return _dataset(module.table(n, np.random.default_rng(seed)), module.ATTRIBUTES)


def printed_table(name: str) -> Dataset:
    """Return a small data set that a paper prints.

    >>> len(printed_table("salary"))
    15
    """
    from tacita.data.examples.printed import PRINTED

    if name not in PRINTED:
        known = (*GENERATED, *PRINTED)
        raise InputError(f"There are no example data `{name}`.{did_you_mean(name, known)}")
    return _dataset(PRINTED[name].table(), PRINTED[name].attributes)


def _dataset(table: pa.Table, said: Mapping[str, Mapping[str, Any]]) -> Dataset:
    return declare(
        table.combine_chunks(), {name: Declaration(**fields) for name, fields in said.items()}
    )

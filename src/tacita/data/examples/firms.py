"""Enterprises: industry, region and size as keys, heavily skewed money as what must stay secret.

Made for magnitude tables: a few firms dominate their cells, firms of one holding pool what they
know, profits can be negative, and large firms are all in the sample (weight 1).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Section(NamedTuple):
    """A section of the NACE: what its firms look like, and some of its classes."""

    firms_a_class: int
    turnover_an_employee: int
    classes: str


SECTIONS = {
    "A": Section(6, 160, "01.11 01.13 01.41 02.10 02.20"),
    "B": Section(1, 300, "08.11 08.12"),
    "C": Section(4, 220, "10.11 10.13 10.51 10.71 10.72 13.10 13.20 20.11 20.13 20.41 25.11 25.62"),
    "D": Section(1, 900, "35.11 35.13"),
    "E": Section(1, 250, "38.11 38.21"),
    "F": Section(12, 180, "41.10 41.20 43.21 43.22 43.31"),
    "G": Section(15, 320, "45.11 45.20 46.21 46.31 46.90 47.11 47.71 47.73"),
    "H": Section(5, 150, "49.31 49.41 52.10 52.29"),
    "I": Section(7, 70, "55.10 55.20 56.10 56.30"),
    "J": Section(8, 190, "58.11 58.29 62.01 62.02"),
    "K": Section(3, 500, "64.19 66.12"),
    "L": Section(3, 350, "68.20 68.31"),
    "M": Section(14, 130, "69.10 69.20 71.11 71.12"),
    "N": Section(5, 60, "78.20 81.21 81.22"),
    "Q": Section(5, 90, "86.21 86.23"),
    "R": Section(2, 80, "93.11 93.13"),
    "S": Section(4, 50, "95.11 96.02"),
}
NACE = [
    letter + number for letter, (_, _, classes) in SECTIONS.items() for number in classes.split()
]
REGIONS = {
    "NL1": {"NL11": 6, "NL12": 7, "NL13": 5},
    "NL2": {"NL21": 11, "NL22": 20, "NL23": 4},
    "NL3": {"NL31": 14, "NL32": 34, "NL33": 36, "NL34": 4},
    "NL4": {"NL41": 27, "NL42": 11},
}
SIZE_CLASSES = ["1-9", "10-49", "50-249", "250+"]
SIZE_LIMITS = (10, 50, 250)
SAMPLING_RATES = np.array([0.04, 0.2, 0.6, 1.0])
# Of a hundred firms, how many belong to a holding of 1, 2, ... firms.
FIRMS_BY_HOLDING_SIZE = np.array([60, 14, 9, 6, 4, 3, 2, 2])


def _nace_tree() -> dict[str, dict[str, dict[str, list[str]]]]:
    """Nest the classes in groups (`C10.1`), divisions (`C10`) and sections (`C`)."""
    tree: dict[str, dict[str, dict[str, list[str]]]] = {}
    for code in NACE:
        division = tree.setdefault(code[0], {}).setdefault(code[:3], {})
        division.setdefault(code[:5], []).append(code)
    return tree


ATTRIBUTES: dict[str, dict[str, object]] = {
    "firm_id": {"role": "identifier", "kind": "nominal"},
    "holding": {"role": "non_confidential", "kind": "nominal"},
    "nace": {
        "role": "key",
        "kind": "nominal",
        "hierarchy": {"tree": {"All industries": _nace_tree()}},
    },
    "region": {
        "role": "key",
        "kind": "nominal",
        "hierarchy": {"tree": {"NL": {part: list(codes) for part, codes in REGIONS.items()}}},
    },
    "size_class": {
        "role": "key",
        "kind": "ordinal",
        "order": SIZE_CLASSES,
        "hierarchy": {
            "tree": {"All sizes": {"Up to 49": SIZE_CLASSES[:2], "50 or more": SIZE_CLASSES[2:]}}
        },
    },
    "employees": {
        "role": "key",
        "kind": "continuous",
        "hierarchy": {"intervals": {"start": 0, "widths": [10, 50, 250, 1000, 10000]}},
    },
    "turnover": {"role": "confidential", "kind": "continuous"},
    "profit": {"role": "confidential", "kind": "continuous"},
    "investments": {"role": "confidential", "kind": "continuous"},
    "weight": {"role": "weight", "kind": "continuous"},
}


def table(n: int, rng: np.random.Generator) -> pa.Table:
    """Return `n` firms; money is in thousands of euro.

    >>> table(3, np.random.default_rng(0))["firm_id"].to_pylist()
    ['F0000001', 'F0000002', 'F0000003']
    """
    holding, members = _holdings(n, rng)
    nace = rng.choice(len(NACE), n, p=_shares([SECTIONS[code[0]].firms_a_class for code in NACE]))
    regions = {code: firms for part in REGIONS.values() for code, firms in part.items()}
    region = rng.choice(len(regions), n, p=_shares(list(regions.values())))
    employees = _employees(members, rng)
    size_class = np.searchsorted(SIZE_LIMITS, employees, side="right")
    turnover = _turnover(nace, employees, rng)
    columns = {
        "firm_id": _names("F", np.arange(1, n + 1)),
        "holding": _names("H", holding + 1),
        "nace": pa.array(NACE).take(pa.array(nace)),
        "region": pa.array(list(regions)).take(pa.array(region)),
        "size_class": pa.array(SIZE_CLASSES).take(pa.array(size_class)),
        "employees": pa.array(employees),
        "turnover": pa.array(turnover),
        "profit": pa.array(np.rint(turnover * rng.normal(0.06, 0.1, n)).astype(np.int64)),
        "investments": pa.array(_investments(turnover, size_class, rng)),
        "weight": pa.array(_weights(size_class, rng)),
    }
    return pa.table(columns)


def _names(letter: str, numbers: Ints) -> pa.Array:
    digits = pc.utf8_lpad(pa.array(numbers).cast(pa.string()), 7, "0")
    return pc.binary_join_element_wise(letter, digits, "")


def _shares(sizes: npt.ArrayLike) -> Floats:
    numbers = np.asarray(sizes, np.float64)
    shares: Floats = numbers / numbers.sum()
    return shares


def _holdings(n: int, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Return the holding of each firm and how many firms the holding has."""
    sizes = np.arange(1, len(FIRMS_BY_HOLDING_SIZE) + 1)
    drawn = rng.choice(sizes, n, p=_shares(FIRMS_BY_HOLDING_SIZE / sizes))
    holding = rng.permutation(np.repeat(np.arange(n), drawn)[:n])
    return holding, np.bincount(holding, minlength=n)[holding]


def _employees(members: Ints, rng: np.random.Generator) -> Ints:
    """Draw Pareto numbers of employees; firms of large holdings are larger."""
    drawn = (1 + rng.pareto(1.05, len(members))) * np.sqrt(members)
    return np.minimum(drawn, 200_000).astype(np.int64)


def _turnover(nace: Ints, employees: Ints, rng: np.random.Generator) -> Ints:
    """Draw log-normal turnover around what the industry makes with so many employees."""
    output = np.array([SECTIONS[code[0]].turnover_an_employee for code in NACE])[nace]
    drawn = output * employees * np.exp(rng.normal(-0.5, 1, len(nace)))
    return np.maximum(np.rint(drawn), 1).astype(np.int64)


def _investments(turnover: Ints, size_class: Ints, rng: np.random.Generator) -> Ints:
    """Draw investments: most small firms have none in a year, nearly all large firms have some."""
    invests = rng.random(len(turnover)) < np.array([0.4, 0.7, 0.9, 0.98])[size_class]
    drawn = turnover * np.exp(rng.normal(-3.5, 1.1, len(turnover)))
    return np.where(invests, np.ceil(drawn), 0).astype(np.int64)


def _weights(size_class: Ints, rng: np.random.Generator) -> Floats:
    """Return inverse sampling rates, spread a little by non-response where firms were sampled."""
    rates = SAMPLING_RATES[size_class]
    response = np.where(rates < 1, rng.uniform(0.85, 1, len(rates)), 1.0)
    return np.round(1 / (rates * response), 4)

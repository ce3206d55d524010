"""Thirteen skewed, positive, correlated amounts of a person's income and taxes.

The kind of file on which the microaggregation literature compares methods: all attributes numeric,
none zero, correlations from none to very strong. It is drawn from a log-normal factor model: one
factor for earnings, one for capital, and a part of its own for each attribute.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa


class Amount(NamedTuple):
    """How one attribute is drawn: median * exp(spread * score), in dollars.

    The score is standard normal; `earnings` and `capital` are its correlations with the two common
    factors. A `key` is an amount that an intruder may know.
    """

    median: float
    spread: float
    earnings: float
    capital: float
    key: bool = False


AMOUNTS = {
    "total_income": Amount(42_000, 0.75, 0.95, 0.25, key=True),
    "adjusted_income": Amount(39_000, 0.75, 0.93, 0.28, key=True),
    "taxable_income": Amount(29_000, 0.85, 0.90, 0.30, key=True),
    "earnings": Amount(36_000, 0.70, 0.97, 0.0, key=True),
    "wage": Amount(34_000, 0.70, 0.96, 0.0, key=True),
    "other_earnings": Amount(2_600, 0.90, 0.25, 0.1, key=True),
    "federal_tax": Amount(4_800, 0.90, 0.88, 0.32),
    "state_tax": Amount(1_500, 0.85, 0.82, 0.25),
    "social_contribution": Amount(2_700, 0.65, 0.90, 0.0),
    "employer_contribution": Amount(3_900, 0.60, 0.55, 0.0),
    "interest": Amount(900, 1.10, 0.10, 0.75),
    "dividends": Amount(1_200, 1.10, 0.12, 0.80),
    "benefits": Amount(5_200, 0.55, 0.0, 0.0),
}


def _declared(amount: Amount) -> dict[str, object]:
    if not amount.key:
        return {"role": "confidential", "kind": "continuous"}
    widths = [1_000, 5_000, 20_000, 100_000]
    return {
        "role": ["key", "confidential"],
        "kind": "continuous",
        "hierarchy": {"intervals": {"start": 0, "widths": widths}},
    }


ATTRIBUTES: dict[str, dict[str, object]] = {
    name: _declared(amount) for name, amount in AMOUNTS.items()
}


def table(n: int, rng: np.random.Generator) -> pa.Table:
    """Return `n` persons; amounts are in whole dollars, 1 or more.

    >>> table(3, np.random.default_rng(0)).shape
    (3, 13)
    """
    earnings, capital = rng.standard_normal((2, n))
    columns = {}
    for name, amount in AMOUNTS.items():
        common = amount.earnings * earnings + amount.capital * capital
        own = np.sqrt(1 - amount.earnings**2 - amount.capital**2)
        score = common + own * rng.standard_normal(n)
        drawn = amount.median * np.exp(amount.spread * score)
        columns[name] = pa.array(np.maximum(np.rint(drawn), 1).astype(np.int64))
    return pa.table(columns)

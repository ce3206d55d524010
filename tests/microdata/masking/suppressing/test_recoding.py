from __future__ import annotations

from fractions import Fraction

import pyarrow as pa

import tacita as ta
from tacita.microdata.masking.suppressing.recoding import best_levels, recoded, recoding_cost


def zips():
    return ta.read(
        pa.table({"zip": ["123", "124", None], "sex": ["f", "m", "f"]}),
        roles={"zip": "key", "sex": "key"},
        hierarchies={"zip": {"prefix": 3}},
    )


def test_every_value_costs_its_share_of_the_way_up():
    weights = {"zip": 0.5, "sex": 1.0}
    assert recoding_cost(zips(), {"zip": 2, "sex": 0}, weights, 3) == 3 * 2 * Fraction(2, 3) / 2
    assert recoding_cost(zips(), {"zip": 0, "sex": 0}, weights, 3) == 0


def test_levels_rise_as_long_as_that_saves_and_never_to_the_root():
    costs = {0: Fraction(9), 1: Fraction(4), 2: Fraction(1)}
    assert best_levels(zips(), ["zip", "sex"], lambda at: costs[at["zip"]]) == {"zip": 2, "sex": 0}
    costs[1] = Fraction(9)  # the first step saves nothing
    assert best_levels(zips(), ["zip", "sex"], lambda at: costs[at["zip"]]) == {"zip": 0, "sex": 0}


def test_recoded_values_are_those_of_the_hierarchy():
    assert recoded(zips(), {"zip": 1, "sex": 0}).column("zip").to_pylist() == ["12*", "12*", None]

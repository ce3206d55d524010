from __future__ import annotations

import numpy as np
import pyarrow as pa

import tacita as ta
from tacita.microdata.anonymize.clusters.space import key_space, microaggregated

MIXED = {
    "age": [20.0, None, 21.0, None],
    "job": ["a", "b", None, "b"],
    "none": pa.nulls(4, pa.string()),
}


def mixed(columns=MIXED):
    return ta.read(pa.table({name: pa.array(values) for name, values in columns.items()}))


def squared(space, one, other):
    gap = np.square(space.numbers[one] - space.numbers[other]).sum()
    return gap + sum(
        space.squares(place, space.codes[one, place])[space.codes[other, place]]
        for place in range(space.codes.shape[1])
    )


def test_a_blank_is_farther_than_any_values_are_apart():
    space = key_space(mixed(), ["age", "job", "none"])
    assert squared(space, 1, 3) == 0
    without_blanks = key_space(mixed({"age": [20.0, 21.0], "job": ["a", "b"]}), ["age", "job"])
    for other in (0, 2):
        assert squared(space, 1, other) > squared(without_blanks, 0, 1)


def test_records_with_the_same_blanks_come_together():
    labels = microaggregated(key_space(mixed(), ["age", "job", "none"]), k=2)
    assert labels[1] == labels[3] != labels[0] == labels[2]


def test_keys_without_any_value_are_one_cluster():
    space = key_space(mixed({"none": pa.nulls(4, pa.string())}), ["none"])
    assert microaggregated(space, k=2).tolist() == [0, 0, 0, 0]

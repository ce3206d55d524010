from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.microdata.anonymize.clusters.closeness import Spread, merge_until_close
from tacita.microdata.anonymize.clusters.merging import Clusters
from tacita.microdata.anonymize.clusters.space import key_space

values_of_records = st.lists(st.integers(0, 6), min_size=1, max_size=9)


def read(x, value):
    roles = {"x": "key", "value": "confidential"}
    kinds = dict.fromkeys(roles, "continuous")
    return ta.read(pa.table({"x": x, "value": value}), roles=roles, kinds=kinds)


def by_hand(values, some):
    """The distance as it is written."""
    places = sorted(set(values))
    gaps = [
        np.mean([v <= place for v in some]) - np.mean([v <= place for v in values])
        for place in places
    ]
    return np.abs(gaps).sum() / max(len(places) - 1, 1)


@given(values_of_records, st.data())
def test_distances_are_those_of_the_definition(values, data):
    labels = np.array(data.draw(st.permutations([i % 3 for i in range(len(values))])))
    spread = Spread.of(read(values, values), "value", 0.1)
    found = spread.distances(labels)
    for label in range(labels.max() + 1):
        rows = np.flatnonzero(labels == label)
        expected = by_hand(values, [values[row] for row in rows])
        assert abs(found[label] - expected) < 1e-12
        assert abs(spread.distance(rows) - expected) < 1e-12


@given(values_of_records, st.integers(1, 4), st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.5]))
def test_no_smaller_cluster_is_within_t(values, k, t):
    size = Spread.of(read(values, values), "value", t).least_size(k)
    assert size >= k
    for smaller in range(k, min(size, len(values) // 2 + 1)):
        assert all(by_hand(values, some) > t for some in combinations(values, smaller))


def test_the_farthest_is_merged_first():
    # {1, 1} and {9, 9} are equally far from the whole; the first takes its nearest, {1, 9}.
    data = read([0.0, 0.0, 1.0, 1.0, 9.0, 9.0], [1, 1, 1, 9, 9, 9])
    clusters = Clusters(key_space(data, ["x"]), np.array([0, 0, 1, 1, 2, 2]))
    merge_until_close(clusters, Spread.of(data, "value", 0.25))
    assert clusters.labels.tolist() == [0] * 6
    clusters = Clusters(key_space(data, ["x"]), np.array([0, 0, 1, 1, 2, 2]))
    merge_until_close(clusters, Spread.of(data, "value", 0.5))
    assert len(clusters) == 3

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import ProtectionError
from tacita.microdata.anonymize.clusters.merging import Clusters, reached, released
from tacita.microdata.anonymize.clusters.space import key_space


def read(x, job, value):
    table = pa.table({"x": pa.array(x, pa.float64()), "job": job, "value": value})
    return ta.read(table, roles={"x": "key", "job": "key", "value": "confidential"})


@pytest.fixture
def data():
    return read([0, 0, 1, 1, 9, 9], ["a", "a", "a", "b", "b", "b"], ["u", "u", "v", "v", "v", "v"])


def test_the_nearest_is_merged_and_the_centre_follows(data):
    clusters = Clusters(key_space(data, ["x", "job"], "none"), np.array([0, 0, 1, 1, 2, 2]))
    assert clusters.nearest(0) == 1
    assert clusters.nearest(2, taken={0}) == 1
    assert clusters.merge(1, 0) == 0
    assert clusters.labels.tolist() == [0, 0, 0, 0, 1, 1]
    again = Clusters(clusters.space, clusters.labels)
    assert np.allclose(clusters.numbers[clusters.live], again.numbers)
    assert clusters.codes[clusters.live].tolist() == again.codes.tolist()


def test_of_equally_near_ones_the_first_that_is_not_taken():
    data = read([5, 0, 10], ["a", "a", "a"], ["u", "v", "w"])
    clusters = Clusters(key_space(data, ["x"], "none"), np.arange(3))
    assert clusters.nearest(0) == 1
    assert clusters.nearest(0, taken={1}) == 2


def test_only_clusters_that_break_a_promise_are_merged(data):
    clusters = Clusters(key_space(data, ["x", "job"], "none"), np.array([0, 0, 1, 1, 2, 2]))
    masked = reached(data, clusters, [ta.LDiversity(2, "value", keys=["x"])])
    assert masked.column("x").to_pylist() == [10 / 3] * 6  # the nearest of {9, 9} are all others
    assert masked.column("job").to_pylist() == data.column("job").to_pylist()


def test_what_nobody_can_reach_is_said(data):
    clusters = Clusters(key_space(data, ["x", "job"]), np.zeros(6, np.int64))
    with pytest.raises(ProtectionError, match="of all 6 records breaks l_diversity"):
        reached(data, clusters, [ta.KAnonymity(2), ta.LDiversity(3, "value")])


def test_a_blank_in_a_cluster_suppresses_the_others():
    data = read([1, None, 5, 7], ["a", "b", "b", "b"], list("uvwx"))
    labels = np.array([0, 0, 1, 1])
    masked = released(data, ("x", "job"), labels, key_space(data, ["x", "job"]))
    assert masked.column("x").to_pylist() == [None, None, 6, 6]
    assert masked.column("job").to_pylist() == ["a", "a", "b", "b"]
    assert masked.suppressed_in("x").tolist() == [True, False, False, False]
    assert masked.notes["groups"][0]["suppressed"] == 1

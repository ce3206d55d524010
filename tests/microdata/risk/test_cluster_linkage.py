from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.risk.cluster_linkage import ClusterLinkage


def two_files(size: int = 400, seed: int = 0, tie: float = 1.0) -> ta.Microdata:
    """Groups of different sizes that show both in x, y and in u, v; `tie` 0 breaks the bond."""
    rng = np.random.default_rng(seed)
    group = rng.choice(4, size, p=[0.5, 0.27, 0.15, 0.08])
    other = group if tie else rng.permutation(group)
    place = np.array([[0, 0], [0, 6], [7, 0], [15, 15]])
    left = place[group] + rng.normal(size=(size, 2)) * 0.3
    right = place[other] @ np.array([[0, -2], [3, 0]]) + 50 + rng.normal(size=(size, 2)) * 0.3
    columns = dict(zip("xyuv", np.column_stack([left, right]).T, strict=True))
    return ta.read(pa.table(columns), roles={"x": "key", "y": "key", "u": "confidential"})


def test_a_worked_example():
    # Two clusters of three and two on both sides: 3 * 1/3 + 2 * 1/2 right links of five.
    table = pa.table({"x": [1, 2, 3, 90, 95], "u": [4.0, 5.0, 6.0, 70.0, 71.0]})
    data = ta.read(table, roles={"x": "key", "u": "confidential"})
    found = ClusterLinkage(clusters=2).measure(data, data)
    assert found.value == Fraction(2, 5)
    assert found.per_record.tolist() == pytest.approx([1 / 3] * 3 + [1 / 2] * 2)
    assert found.figures["by_chance"] == 1 / 5


def test_files_of_the_same_structure_are_linked_without_a_common_attribute():
    data = two_files()
    found = ClusterLinkage(["x", "y"], ["u", "v"], clusters=4).measure(data, data)
    # All four clusters are mapped rightly: each gives one expected right link.
    assert found.value == Fraction(4, 400)
    assert found.details["mapped_to"].equals(found.details["own_cluster"])
    assert found.value > found.figures["by_chance"]


def test_without_a_bond_chance_is_all_there_is():
    data = two_files(tie=0)
    found = ClusterLinkage(["x", "y"], ["u", "v"], clusters=4).measure(data, data)
    assert float(found.value) < 2 / 400
    assert found.interval.lower <= 1 / 400 <= found.interval.upper


def test_the_result_does_not_depend_on_units():
    data = two_files()
    scaled = data.with_column(data.attribute("u"), pa.array(data.numbers("u") * 1000 - 5))
    method = ClusterLinkage(["x", "y"], ["u", "v"], clusters=4)
    assert method.measure(data, data).value == method.measure(data, scaled).value


def test_the_sides_are_chosen_by_their_roles():
    data = two_files()
    assert (
        "clusters of u mapped to clusters of x, y" in ClusterLinkage().measure(data, data).sentence
    )
    plain = ta.read(pa.table({"c": ["a", "b"], "x": [1, 2]}), roles={"c": "key", "x": "key"})
    with pytest.raises(InputError, match="found none on the released side"):
        ClusterLinkage().measure(plain, plain)
    words = ta.read(pa.table({"c": ["a", "b"]}), roles={"c": "key"})
    with pytest.raises(InputError, match="found none on the intruder's side"):
        ClusterLinkage().measure(words, words)


def test_fewer_distinct_records_than_clusters_are_clusters_of_their_own():
    table = pa.table({"x": [1.0, 1.0, 2.0], "u": [5.0, 5.0, 5.0]})
    data = ta.read(table, roles={"x": "key", "u": "confidential"})
    assert ClusterLinkage(clusters=9).measure(data, data).value is not None


def test_a_sample_is_told():
    data = two_files()
    found = ClusterLinkage(sample=100).measure(data, data)
    assert "random sample of 100 of 400" in found.sentence
    assert len(found.details) == 100
    again = ClusterLinkage(sample=100).measure(data, data)
    assert again.value == found.value


def test_the_largest_numbers_are_clustered():
    small = [1.0, 2.0, 3.0, 1.7e2, 1.6e2]
    for large in ([v * 1e306 for v in small], [v * 1e-306 for v in small]):
        table = pa.table({"x": large, "u": small})
        data = ta.read(table, roles={"x": "key", "u": "confidential"})
        assert ClusterLinkage(clusters=2).measure(data, data).value == Fraction(2, 5)

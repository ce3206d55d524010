from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.microdata.comparing.nodes import Nodes
from tacita.microdata.risk.distance_linkage import DistanceLinkage
from tacita.microdata.risk.linking import distances
from tacita.microdata.risk.linking.distances import Paths, Ranges, Sets, jaccard, parts_of, whitened


def parts(original: ta.Microdata, protected: ta.Microdata, *names: str):
    own = np.arange(len(protected))
    return parts_of(original, protected, own, own, names)


def test_every_kind_has_its_form():
    toy = ta.example("toy", 50)
    made = parts(toy, toy, "age", "zip", "education", "born", "languages")
    assert [type(part) for part in made] == [Ranges, Paths, Ranges, Ranges, Sets]


@settings(deadline=None, max_examples=15)
@given(st.integers(0, 50), st.integers(0, 5), st.integers(0, 2))
def test_hierarchies_measure_as_their_nodes_do(seed, zip_level, region_level):
    toy = ta.example("toy", 60, seed=seed)
    masked = toy.apply(ta.Generalize("zip", level=zip_level))
    masked = masked.apply(ta.Generalize("region", level=region_level))
    every = np.zeros((60, 60))
    for name in ("zip", "region"):
        nodes = Nodes.of(toy.attribute(name).hierarchy, toy.column(name))
        known, released = toy.column(name).to_pylist(), masked.column(name).to_pylist()
        for i, value in enumerate(released):
            if value is not None:
                every[i] += nodes.distance([value] * 60, known) ** 2
    found = DistanceLinkage(["zip", "region"]).measure(toy, masked)
    assert found.details["distance"].to_pylist() == pytest.approx(np.sqrt(every.min(axis=1)))
    assert found.details["own_distance"].to_pylist() == pytest.approx(np.sqrt(every.diagonal()))
    near = every <= every.min(axis=1, keepdims=True) * (1 + 1e-9) + 1e-15
    right = [Fraction(int(row[i]), int(row.sum())) for i, row in enumerate(near)]
    assert found.value == sum(right) / 60


def test_a_leaf_that_repeats_itself_is_a_leaf():
    tree = {"any": ["none", {"care": ["nurse", "doctor"]}]}
    table = pa.table({"job": ["none", "nurse", "doctor"]})
    data = ta.read(table, roles={"job": "key"}, hierarchies={"job": {"tree": tree}})
    assert DistanceLinkage().measure(data, data).value == 1


def test_too_many_sets_are_equal_or_not(monkeypatch):
    data = ta.read(pa.table({"s": [["a", "b"], ["a"], ["c"]]}), roles={"s": "key"})
    monkeypatch.setattr(distances, "MOST_CELLS", 4)
    (part,) = parts(data, data, "s")
    assert isinstance(part, Paths)
    assert DistanceLinkage().measure(data, data).value == 1


def test_whitened_numbers_have_variance_one_and_no_correlation():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 3))
    data = ta.read(pa.table(dict(zip("abc", values.T, strict=True))))
    made = whitened(parts(data, data, "a", "b", "c"), None)
    known = np.column_stack([part.known for part in made])
    assert np.allclose(known.T @ known / 200, np.eye(3))
    weights = rng.integers(1, 5, 200).astype(float)
    known = np.column_stack([p.known for p in whitened(parts(data, data, "a", "b"), weights)])
    assert np.allclose((known * weights[:, None]).T @ known / weights.sum(), np.eye(2))


@given(st.lists(st.frozensets(st.sampled_from("abcd")), min_size=1, max_size=5))
def test_jaccard_is_what_sets_say(sets):
    found = jaccard(sets, sets)
    for i, one in enumerate(sets):
        for j, other in enumerate(sets):
            both = len(one | other)
            assert found[i, j] == pytest.approx(1 - len(one & other) / both if both else 0)


def test_codes_masked_to_different_lengths_are_a_hierarchy():
    data = keyed_codes(["53711", "53712", "53799", "60000"])
    local = keyed_codes(["5371*", "53712", "537**", "60000"])
    (part,) = parts(data, local, "z")
    assert part.ancestors.shape[1] == 5
    assert DistanceLinkage().measure(*ta.pair(data, local, "position")).per_record.tolist() == [
        0.5,
        1.0,
        1 / 3,
        1.0,
    ]
    alike = ta.pair(data, keyed_codes(["5371*", "5371*", "5379*", "6000*"]), "position")[1]
    assert parts(data, alike, "z")[0].ancestors.shape[1] == 1


def keyed_codes(codes: list[str]) -> ta.Microdata:
    return ta.read(pa.table({"z": codes}), roles={"z": "key"})

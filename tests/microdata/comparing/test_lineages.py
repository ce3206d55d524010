"""Nominal values that are compared by an ontology."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.data.attribute import Attribute, Kind
from tacita.data.hierarchies.ontology import Ontology
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError, InputError
from tacita.microdata.comparing.semantics import Semantics

SICK = Ontology.from_plan(
    {
        "concepts": {
            "disease": [],
            "viral": "disease",
            "lung": "disease",
            "flu": {"parents": ["viral", "lung"], "synonyms": ["influenza"]},
            "cold": {"parents": ["viral", "lung"]},
            "asthma": "lung",
            "measles": "viral",
            "J99": {"parents": ["lung"], "label": "other"},
        }
    }
)
LEAVES = ["flu", "cold", "asthma", "measles", "J99", "influenza"]
JOBS = Tree.from_nested(
    {"any": {"care": ["nurse", "doctor", "medic"], "law": ["judge", "clerk"], "none": ["none"]}}
)


def of(values, ontology=SICK, kind=Kind.NOMINAL, column_type=None, **more):
    attribute = Attribute("ill", kind=kind, ontology=ontology, **more)
    return Semantics.of(attribute, pa.array(values, column_type))


def names_of(semantics):
    return semantics.values.to_pylist() + semantics.labels.to_pylist()


@given(st.lists(st.sampled_from(LEAVES), min_size=1, max_size=8))
def test_distances_of_all_nodes_are_those_of_the_ontology(values):
    found = of(values)
    names = names_of(found)
    everything = np.arange(len(found))
    for place, row in enumerate(found.distances(everything, everything)):
        expected = [SICK.distance(names[place], other) for other in names]
        np.testing.assert_allclose(row, expected, rtol=1e-12)


def test_an_ontology_with_one_parent_each_is_a_tree():
    parents = {"any": ()} | {
        child: (parent,)
        for path in JOBS.paths
        for child, parent in pairwise(path)
        if child != parent
    }
    ontology = Ontology.from_plan({"concepts": {name: list(up) for name, up in parents.items()}})
    values = ["nurse", "doctor", "judge", "none", "none", "medic"]
    by_tree = Semantics.of(Attribute("job", hierarchy=JOBS), pa.array(values))
    by_ontology = of(values, ontology)
    assert by_ontology.mean() == by_tree.mean()
    assert by_ontology.variance() == by_tree.variance()
    np.testing.assert_array_equal(by_ontology.distances(), by_tree.distances())


def test_several_parents_bring_values_closer():
    found = of(["flu", "cold", "asthma"])
    one, other, third = found.distances(np.array([2]))[0]  # asthma, cold, flu
    assert third == 0
    assert other < one


def test_names_of_one_concept_are_no_distance_apart():
    found = of(["flu", "influenza"])
    assert found.distances().tolist() == [[0, 0], [0, 0]]
    assert found.variance() == 0


@given(st.lists(st.sampled_from(LEAVES), min_size=1, max_size=10), st.integers(1, 2))
def test_a_centroid_is_the_best_of_what_lies_above_the_values(values, power):
    found = of(values)
    names = names_of(found)
    among = {one for value in values for one in SICK.ancestors(SICK.concept(value))}
    among = [name for name in names if SICK.concept(name) in among]
    cost = {name: sum(SICK.distance(name, one) ** power for one in values) for name in among}
    chosen = names[found.centroid(power=power)]
    assert cost[chosen] == pytest.approx(min(cost.values()), abs=1e-8)
    groups = found.centroids(np.zeros(len(values), np.int64), power=power)
    assert groups.tolist() == [found.centroid(power=power)]


def test_concepts_above_are_named_by_their_labels():
    ontology = Ontology.from_plan(
        {"concepts": {"X": {"label": "top"}, "a": "X", "b": "X", "c": "X", "d": "X"}}
    )
    assert of(["a", "b", "c", "d"], ontology).mean() == "top"


def test_codes_that_are_numbers_may_be_concepts():
    found = of([1, 2, None], Ontology.from_plan({"concepts": {"0": [], "1": "0", "2": "0"}}))
    assert found.distances()[0, 1] == pytest.approx(0.7369655941662062)
    assert found.codes.tolist() == [0, 1, -1]


def test_sets_are_compared_by_their_members():
    found = of([["flu"], ["cold", "asthma"]], kind=Kind.SET_VALUED)
    near = SICK.distance("flu", "cold")
    apart = found.distances()[found.codes[0], found.codes[1]]
    assert apart == pytest.approx((near + near + SICK.distance("flu", "asthma")) / 3)


def test_values_it_does_not_know_are_named():
    with pytest.raises(HierarchyError, match="ontology of `ill` does not hold 'plague'"):
        of(["flu", "plague"])


def test_it_has_no_levels():
    with pytest.raises(InputError, match="An ontology has no levels"):
        Semantics.of(Attribute("ill", ontology=SICK), pa.array(["flu"]), "level")


def test_microaggregation_takes_the_centroids():
    ill = ["flu", "cold", "flu", "asthma", "J99", "J99", None]
    data = ta.read(pa.table({"ill": ill}), ontologies={"ill": SICK})
    out = data.apply(ta.Microaggregate("ill", k=3))
    assert out.column("ill").to_pylist() == ["flu", "flu", "flu", "J99", "J99", "J99", None]
    again = out.apply(ta.Microaggregate("ill", k=6))  # labels above are concepts, too
    assert set(again.column("ill").to_pylist()[:6]) <= {"lung", "J99", "other", "disease", "flu"}


def test_semantic_loss_by_an_ontology():
    data = ta.read(pa.table({"ill": ["flu", "cold", "asthma", "J99"]}), ontologies={"ill": SICK})
    after = data.with_column(data.attribute("ill"), pa.array(["influenza", "lung", None, "x"]))
    found = ta.SemanticLoss().measure(data, after)
    apart = SICK.distance("cold", "lung")
    assert found.value == pytest.approx((0 + apart + 1 + 1) / 4)
    assert found.figures["log_distance"] == found.value
    assert found.figures["sse"] == pytest.approx(apart**2 + 2)

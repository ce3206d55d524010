from __future__ import annotations

from math import log2

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.data.hierarchies.ontology import Concept, Ontology
from tacita.errors import HierarchyError, InputError

SICK = {
    "disease": [],
    "viral": ["disease"],
    "respiratory": ["disease"],
    "flu": {"parents": ["viral", "respiratory"], "synonyms": ["influenza"]},
    "cold": {"parents": ["viral", "respiratory"], "label": "common cold"},
    "asthma": "respiratory",
    "alien": [],
}


def made(concepts) -> Ontology:
    return Ontology.from_plan({"concepts": concepts})


@st.composite
def dags(draw):
    """Concepts of which each lies below some of those before it."""
    size = draw(st.integers(1, 9))
    return {
        f"c{place}": draw(st.lists(st.sampled_from([f"c{i}" for i in range(place)]), unique=True))
        if place
        else []
        for place in range(size)
    }


def above(concepts, name):
    return {name}.union(*(above(concepts, parent) for parent in concepts[name]))


@given(dags())
def test_distances_are_those_of_the_paper(concepts):
    ontology = made(concepts)
    for one in concepts:
        for other in concepts:
            a, b = above(concepts, one), above(concepts, other)
            expected = log2(1 + len(a ^ b) / len(a | b))
            assert ontology.ancestors(one) == a
            assert ontology.distance(one, other) == pytest.approx(expected, rel=1e-12)


def test_by_hand():
    ontology = made(SICK)
    assert ontology.distance("flu", "cold") == pytest.approx(log2(1 + 2 / 5))
    assert ontology.distance("flu", "asthma") == pytest.approx(log2(1 + 3 / 5))
    assert ontology.distance("alien", "flu") == 1
    assert ontology.roots == ("disease", "alien")


def test_names():
    ontology = made(SICK)
    assert ontology.concept("influenza") == ontology.concept("flu") == "flu"
    assert ontology.concept("common cold") == "cold"
    assert ontology.name("cold") == "common cold"
    assert ontology.name("flu") == "flu"
    assert ontology.concept("plague") is None


def test_an_identifier_goes_before_a_label_and_a_label_before_a_synonym():
    ontology = made(
        {
            "a": [],
            "b": {"label": "a"},
            "c": {"label": "x"},
            "d": {"synonyms": ["x"]},
            "e": {"label": "y"},
            "f": {"label": "y"},
        }
    )
    assert ontology.concept("a") == "a"
    assert ontology.name("b") == "b"
    assert ontology.concept("x") == "c"
    assert ontology.name("e") == "e"
    with pytest.raises(HierarchyError, match="several concepts 'y': 'e', 'f'"):
        ontology.concept("y")


def test_what_it_says_makes_it_again():
    ontology = made(SICK)
    again = Ontology.from_plan(ontology.specification())
    assert again.concepts == ontology.concepts


@pytest.mark.parametrize(
    ("concepts", "message"),
    [
        ({"a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"]}, "a -> b -> c -> a is a cycle"),
        ({"a": ["a"]}, "a -> a is a cycle"),
        ({"flu": ["virall"], "viral": []}, "which is no concept of it.*Did you mean `viral`"),
        ({}, "at least one concept"),
        ({"a": {"parent": []}}, "'a' has `parent`. Did you mean `parents`"),
        ({"a": {"parents": {"b": []}}}, "are lists"),
    ],
)
def test_refusals(concepts, message):
    with pytest.raises(HierarchyError, match=message):
        made(concepts)


@pytest.mark.parametrize("said", [{}, {"file": "a.obo", "concepts": {}}, {"tree": {}}, "a.obo"])
def test_it_is_said_in_one_way(said):
    with pytest.raises(HierarchyError, match="by `file` or by `concepts`"):
        Ontology.from_plan(said)


def test_a_long_chain_of_concepts_is_no_trouble():
    chain = {str(place): Concept((str(place - 1),) if place else ()) for place in range(5000)}
    assert len(Ontology(chain).ancestors("4999")) == 5000


class TestReading:
    def test_an_attribute_has_the_ontology_that_was_said(self):
        frame = pa.table({"ill": ["flu", "cold"]})
        data = ta.read(frame, ontologies={"ill": {"concepts": SICK}})
        assert data.attribute("ill").ontology.distance("flu", "flu") == 0
        again = ta.read(frame, ontologies={"ill": data.attribute("ill").said["ontology"]})
        assert again.attribute("ill").ontology.concepts == data.attribute("ill").ontology.concepts

    def test_numbers_have_none(self):
        with pytest.raises(InputError, match="`n` has an ontology, so its kind must be nominal"):
            ta.read(pa.table({"n": [1.5]}), ontologies={"n": {"concepts": SICK}})

    def test_codes_of_text_files_stay_as_they_are_written(self, tmp_path):
        (tmp_path / "x.csv").write_text("code\n007\n010\n")
        said = {"code": {"concepts": {"007": [], "010": ["007"]}}}
        data = ta.read(tmp_path / "x.csv", ontologies=said)
        assert data.column("code").to_pylist() == ["007", "010"]

    def test_a_plan_says_it(self, tmp_path):
        (tmp_path / "x.csv").write_text("ill\n" + "flu\ncold\nasthma\nflu\n" * 3)
        (tmp_path / "plan.yaml").write_text(
            """
data:
  source: x.csv
  attributes:
    ill:
      role: confidential
      ontology:
        concepts: {any: [], lung: any, viral: any, flu: [lung, viral], cold: [lung, viral], asthma: lung}
microdata:
  waive: a test
  steps:
    - microaggregate: {attributes: ill, k: 3}
"""
        )
        ta.run(tmp_path / "plan.yaml", out=tmp_path / "out", seed=1)
        released = (tmp_path / "out" / "public" / "data.csv").read_text().split()
        assert set(released) <= {"ill", "any", "lung", "viral", "flu", "cold", "asthma"}
        assert ta.verify(tmp_path / "out", source=tmp_path / "x.csv").verdict == "holds"

    def test_a_wrong_one_is_refused_by_name(self):
        with pytest.raises(HierarchyError, match="Attribute `ill`: a -> a is a cycle"):
            ta.read(pa.table({"ill": ["a"]}), ontologies={"ill": {"concepts": {"a": "a"}}})

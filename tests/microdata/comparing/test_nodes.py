"""How far apart values are in a hierarchy."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.hierarchies.prefix import Prefix
from tacita.data.hierarchies.tree import Tree
from tacita.microdata.comparing.nodes import Nodes

JOBS = Tree.from_nested({"any": {"care": ["nurse", "doctor"], "law": ["judge", "clerk"]}})
WORDS = ["nurse", "doctor", "judge", "clerk", "care", "law", "any", None, "baker"]


def distance(one, other):
    return Nodes.of(JOBS, pa.array(["nurse"])).distance([one], [other])[0]


def test_the_lowest_common_ancestor_tells_the_distance():
    assert distance("nurse", "nurse") == 0
    assert distance("nurse", "doctor") == 0.5
    assert distance("nurse", "care") == 0.5
    assert distance("nurse", "judge") == 1
    assert distance("care", "law") == 1
    assert distance("nurse", "any") == 1
    assert distance("nurse", None) == 1
    assert distance(None, None) == 0
    assert distance("nurse", "baker") == 1


def test_codes_are_as_far_apart_as_the_digits_they_share():
    nodes = Nodes.of(Prefix(4), pa.array(["1234", "1299"]))
    assert nodes.distance(["1234", "1234"], ["1299", "123*"]).tolist() == [0.5, 0.25]


@given(st.sampled_from(WORDS), st.sampled_from(WORDS), st.sampled_from(WORDS))
def test_it_is_an_ultrametric(a, b, c):
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a == b)
    assert distance(a, c) <= max(distance(a, b), distance(b, c))

from __future__ import annotations

from math import log2

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.comparing.semantics import Semantics

JOBS = {"tree": {"any": {"care": ["nurse", "doctor"], "law": ["judge"]}}}


def jobs(values, weights=None) -> ta.Microdata:
    table = {"job": pa.array(values, pa.string())}
    said = {"hierarchies": {"job": JOBS}}
    if weights is None:
        return ta.read(pa.table(table), **said)
    return ta.read(
        pa.table({**table, "w": np.array(weights, float)}), roles={"w": "weight"}, **said
    )


def released(data, values) -> ta.Microdata:
    return data.with_column(data.attribute("job"), pa.array(values, pa.string()))


def test_distances_in_a_tree_by_hand():
    """Same, label above, sibling, stranger, label of strangers, root, blank, unknown."""
    data = jobs(["nurse"] * 8)
    after = ["nurse", "care", "doctor", "judge", "law", "any", None, "baker"]
    found = ta.SemanticLoss().measure(data, released(data, after))
    assert found.per_record.tolist() == [0, 0.5, 0.5, 1, 1, 1, 1, 1]
    assert found.value == pytest.approx(6 / 8)
    assert found.figures["sse"] == pytest.approx(2 * 0.25 + 5)


@pytest.mark.parametrize(
    ("after", "apart", "all_nodes"),
    [("nurse", 0, 3), ("care", 1, 3), ("doctor", 2, 4), ("judge", 4, 5), (None, 2, 3)],
)
def test_the_distance_of_the_papers_counts_the_nodes_that_are_not_shared(after, apart, all_nodes):
    data = jobs(["nurse"])
    found = ta.SemanticLoss().measure(data, released(data, [after]))
    assert found.figures["log_distance"] == pytest.approx(log2(1 + apart / all_nodes))


def test_records_count_by_their_weights_and_original_blanks_do_not():
    data = jobs(["nurse", "judge", None], [3, 1, 5])
    found = ta.SemanticLoss().measure(data, released(data, ["care", "judge", None]))
    assert found.value == pytest.approx(0.5 * 3 / 4)
    assert found.figures["sse"] == pytest.approx(0.25 * 3)


@pytest.mark.parametrize(
    ("name", "level", "height"), [("zip", 2, 5), ("age", 2, 5), ("born", 1, 4), ("education", 1, 2)]
)
def test_generalizing_costs_the_levels_climbed(toy, name, level, height):
    assert toy.attribute(name).hierarchy.height == height
    coarse = toy.apply(ta.Generalize(name, level=level), seed=0)
    found = ta.SemanticLoss([name]).measure(toy, coarse)
    assert found.value == pytest.approx(level / height)


def test_moved_numbers_are_found_in_the_hierarchy_though_nobody_had_them():
    ages = {"age": {"intervals": {"widths": [5, 10]}}}
    data = ta.read(pa.table({"age": [20, 31]}), hierarchies=ages)
    moved = data.with_column(data.attribute("age"), pa.array([21, 36]))
    found = ta.SemanticLoss().measure(data, moved)
    assert found.per_record.tolist() == pytest.approx([1 / 3, 2 / 3])


def test_attributes_that_were_left_out_lost_all():
    data = jobs(["nurse", "judge"])
    assert ta.SemanticLoss().measure(data, data.apply(ta.Drop("job"))).value == 1


def test_attributes_without_a_hierarchy_are_left_out_or_refused():
    data = ta.read(pa.table({"job": ["nurse"], "b": ["x"]}), hierarchies={"job": JOBS})
    assert list(ta.SemanticLoss().measure(data, data).parts) == ["job"]
    with pytest.raises(InputError, match="`b` has no hierarchy"):
        ta.SemanticLoss(["job", "b"]).measure(data, data)
    plain = ta.read(pa.table({"b": ["x"]}))
    with pytest.raises(InputError, match="no attribute has one"):
        ta.SemanticLoss().measure(plain, plain)


def sets(values, meaning="hierarchies") -> ta.Microdata:
    said = JOBS if meaning == "hierarchies" else {"concepts": BEINGS}
    return ta.read(
        pa.table({"s": pa.array(values, pa.list_(pa.string()))}), **{meaning: {"s": said}}
    )


BEINGS = {
    "thing": [],
    "care": ["thing"],
    "beast": ["thing"],
    "nurse": ["care"],
    "vet": ["care", "beast"],
    "cow": ["beast"],
}


def test_sets_of_different_sizes_move_by_the_nearest_members():
    """The same in another order, a sibling, one less, one more and far, empty, blank."""
    data = sets([["nurse", "judge"]] * 6)
    after = sets([["judge", "nurse"], ["doctor", "judge"], ["nurse"], ["nurse", "judge", "law"]])
    column = pa.concat_arrays([after.column("s"), pa.array([[], None], pa.list_(pa.string()))])
    masked = data.with_column(data.attribute("s"), column)
    found = ta.SemanticLoss(["s"]).measure(data, masked)
    # `law` stands one of two levels above `judge`; `nurse` and `judge` share the root only.
    expected = [0, (0.5 + 0.5) / 4, 1 / 3, 0.5 / 5, 1, 1]
    assert found.per_record.tolist() == pytest.approx(expected)


def test_sets_are_compared_by_an_ontology_too():
    data = sets([["nurse", "cow"], ["vet"]], "ontologies")
    masked = data.with_column(data.attribute("s"), pa.array([["vet"], None], pa.list_(pa.string())))
    concepts = data.attribute("s").ontology
    apart = [concepts.distance(word, "vet") for word in ("nurse", "cow")]
    expected = [(sum(apart) + min(apart)) / 3, 1]
    found = ta.SemanticLoss().measure(data, masked)
    assert found.per_record.tolist() == pytest.approx(expected)
    assert found.figures["log_distance"] == pytest.approx(found.value)


@pytest.mark.parametrize("meaning", ["hierarchies", "ontologies"])
def test_sets_move_as_far_as_microaggregation_says_they_are_apart(meaning):
    rng = np.random.default_rng(0)
    words = ["nurse", "doctor", "judge"] if meaning == "hierarchies" else [*BEINGS]
    drawn = [list(rng.choice(words, rng.integers(0, 4), replace=False)) for _ in range(60)]
    data = sets(drawn, meaning)
    masked = data.apply(ta.Microaggregate("s", k=5), seed=0)
    found = ta.SemanticLoss(["s"]).measure(data, masked).figures["log_distance"]
    both = pa.concat_arrays([data.column("s"), masked.column("s")])
    semantics = Semantics.of(data.attribute("s"), both)
    pairs = semantics.codes.reshape(2, -1)
    assert found == pytest.approx(semantics.between(pairs[0], pairs[1]).mean())
    assert found > 0

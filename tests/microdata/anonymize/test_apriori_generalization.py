from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError, ParameterError, ProtectionError

# Leaves at two depths: the last one repeats itself.
TREE = Tree(
    (
        ("a1", "A", "AB", "any"),
        ("a2", "A", "AB", "any"),
        ("b1", "B", "AB", "any"),
        ("b2", "B", "AB", "any"),
        ("c1", "C", "C", "any"),
        ("d", "d", "d", "any"),
    )
)
ITEMS = [path[0] for path in TREE.paths]
baskets = st.lists(
    st.none() | st.lists(st.sampled_from(ITEMS), max_size=4, unique=True), min_size=4, max_size=14
)


def frame(sets, tree=TREE):
    column = pa.array(sets, pa.list_(pa.string()))
    said = {} if tree is None else {"hierarchies": {"b": tree}}
    return ta.read(pa.table({"b": column}), **said)


def cuts(tree):
    """Yield every full-subtree recoding: what each item becomes."""
    levels = range(tree.height + 1)
    for chosen in product(levels, repeat=len(tree.paths)):
        nodes = [(level, path[level]) for level, path in zip(chosen, tree.paths, strict=True)]
        whole = all(
            (path[level] == label) == (node == (level, label))
            for level, label in set(nodes)
            for path, node in zip(tree.paths, nodes, strict=True)
        )
        if whole:
            yield {p[0]: node[1] for p, node in zip(tree.paths, nodes, strict=True)}


CUTS = list({tuple(sorted(cut.items())): cut for cut in cuts(TREE)}.values())


def loss_of(sets, recoding, tree=TREE):
    """Return the share of all items behind what an occurrence became, on average."""
    below = {
        label: len({path[0] for path in tree.paths if label in path})
        for path in tree.paths
        for label in path
    }
    occurrences = [item for one in sets for item in one or ()]
    lost = sum(below[recoding[i]] if recoding[i] != i else 0 for i in occurrences)
    return lost / (len(occurrences) * len(tree.paths)) if occurrences else 0.0


def recoded(sets, recoding):
    return [None if one is None else sorted({recoding[item] for item in one}) for one in sets]


def least_loss(sets, model):
    return min(loss_of(sets, cut) for cut in CUTS if model.check(frame(recoded(sets, cut), None)))


def has_enough(sets, k):
    return sum(bool(one) for one in sets) >= k or not any(sets)


@given(baskets, st.integers(2, 3), st.integers(1, 3))
def test_the_best_of_all_recodings_is_found(sets, k, m):
    model = ta.KmAnonymity(k, m, "b")
    algorithm = ta.AprioriGeneralization(model)
    if not has_enough(sets, k):
        with pytest.raises(ProtectionError, match="records have items"):
            frame(sets).apply(algorithm, seed=0)
        return
    safe = frame(sets).apply(algorithm, seed=0)
    assert model.check(safe)
    assert safe.notes["optimal"] == {"b": True}
    assert safe.notes["loss"]["b"] == pytest.approx(least_loss(sets, model), abs=1e-12)


@given(baskets, st.integers(2, 3), st.integers(1, 3))
def test_without_a_search_the_promise_is_kept_as_well(sets, k, m):
    model = ta.KmAnonymity(k, m, "b")
    if has_enough(sets, k):
        safe = frame(sets).apply(ta.AprioriGeneralization(model, search=0), seed=0)
        assert model.check(safe)
        assert safe.notes["loss"]["b"] >= least_loss(sets, model) - 1e-12


@given(baskets, st.integers(1, 3))
def test_every_item_became_one_node_above_it(sets, m):
    if not has_enough(sets, 2):
        return
    safe = frame(sets).apply(ta.AprioriGeneralization(ta.KmAnonymity(2, m, "b")), seed=0)
    released = safe.column("b").to_pylist()
    assert [one is None for one in released] == [one is None for one in sets]
    fits = [cut for cut in CUTS if recoded(sets, cut) == [o and sorted(o) for o in released]]
    assert fits, "no full-subtree recoding makes these sets"


def test_the_printed_baskets():
    """Terrovitis, Mamoulis & Kalnis, Figure 2: {a1, a2} become A."""
    tree = Tree.from_nested({"any": {"A": ["a1", "a2"], "B": ["b1", "b2"]}})
    data = frame([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]], tree)
    for search in (0, 100):
        algorithm = ta.AprioriGeneralization(ta.KmAnonymity(2, 2, "b"), search=search)
        expected = [["A", "b1", "b2"], ["A", "b1"], ["A", "b1", "b2"], ["A", "b2"]]
        assert data.apply(algorithm, seed=0).column("b").to_pylist() == expected


def test_items_without_a_hierarchy_become_a_star():
    sets = [["x", "y"], ["x", "y"], ["x", "z"]]
    safe = frame(sets, None).apply(ta.AprioriGeneralization(ta.KmAnonymity(2, 2, "b")), seed=0)
    assert safe.column("b").to_pylist() == [["*"], ["*"], ["*"]]
    assert safe.notes["loss"] == {"b": 1.0}


def test_nothing_changes_where_the_promise_holds():
    data = frame([["a1", "b1"], ["b1", "a1"], None, []])
    safe = data.apply(ta.AprioriGeneralization(ta.KmAnonymity(2, 2, "b")), seed=0)
    assert safe.column("b").equals(data.column("b"))
    assert safe.attribute("b").hierarchy is not None
    assert safe.notes["loss"] == {"b": 0.0}


def test_several_models_and_attributes():
    rng = np.random.default_rng(3)
    columns = {
        name: [sorted(rng.choice(ITEMS, 3, replace=False).tolist()) for _ in range(40)]
        for name in ("b", "c")
    }
    data = ta.read(pa.table(columns), hierarchies={"b": TREE, "c": TREE})
    models = [ta.KmAnonymity(3, 2, ["b", "c"]), ta.KmAnonymity(12, 1, "c")]
    safe = data.apply(ta.AprioriGeneralization(models), seed=0)
    assert all(model.check(safe) for model in models)
    assert set(safe.notes["loss"]) == {"b", "c"}


def test_what_cannot_be_said_in_one_sentence_is_not_asked():
    data = frame([["x"], ["y"]])
    with pytest.raises(HierarchyError, match="Attribute `b`"):
        data.apply(ta.AprioriGeneralization(ta.KmAnonymity(2, 1, "b")), seed=0)
    with pytest.raises(ParameterError, match="reaches `km_anonymity`; found `k_anonymity`"):
        data.apply(ta.AprioriGeneralization(ta.KAnonymity(2)), seed=0)
    numbers = ta.read(pa.table({"n": [1]}))
    with pytest.raises(ParameterError, match="applies to set_valued"):
        numbers.apply(ta.AprioriGeneralization(ta.KmAnonymity(2, 1, "n")), seed=0)

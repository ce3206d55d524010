"""Semantic noise against a search through all words for every record."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.microdata.plain_semantics import (
    PARENTS,
    WORDS,
    apart,
    data_of,
    mean_of,
    nodes_above,
)

import tacita as ta
from tacita.errors import ParameterError


@st.composite
def words_with_meaning(draw):
    kind = draw(st.sampled_from([*PARENTS]))
    words = st.one_of(st.sampled_from(WORDS[kind]), st.none())
    return kind, draw(st.lists(words, min_size=1, max_size=12))


@given(words_with_meaning(), st.sampled_from([0.1, 1.0, 9.0]), st.booleans(), st.integers(0, 9))
def test_every_value_moves_as_far_as_its_noise_and_to_its_side(drawn, alpha, labels, seed):
    kind, words = drawn
    parents, known = PARENTS[kind], [word for word in words if word is not None]
    data = data_of(kind, {"a": words})
    method = ta.SemanticNoise("a", alpha=alpha, labels=labels)
    released = method.mask(data, np.random.default_rng(seed)).column("a").to_pylist()
    if not known:
        assert released == words
        return
    nodes = nodes_above(parents, known)
    (mean, *others) = mean_of(parents, known, nodes)
    variance = np.mean([apart(parents, word, mean) ** 2 for word in known])
    if others:  # which of them is taken on ties is the business of another test
        mean = ta.semantic_mean(data, "a")
    rng = np.random.default_rng(seed)
    noise = rng.standard_normal(len(words)) * np.sqrt(alpha * variance)
    for word, found, push in zip(words, released, noise, strict=True):
        if word is None:
            assert found is None
            continue
        own = apart(parents, word, mean)
        side = [
            node
            for node in (nodes if labels else set(known))
            if (apart(parents, node, mean) - own) * (1 if push > 0 else -1) > -1e-12
        ]
        assert found in side
        gap = {node: abs(apart(parents, word, node) - abs(push)) for node in side}
        assert gap[found] <= min(gap.values()) + 1e-12


def test_equally_near_values_are_equally_likely():
    """From `nurse`, noise that reaches a sibling finds either, within 4 standard errors."""
    data = data_of("tree", {"a": ["nurse", "doctor", "medic"] * 4000})
    masked = data.apply(ta.SemanticNoise("a", alpha=50.0), seed=0)
    pairs = zip(data.column("a").to_pylist(), masked.column("a").to_pylist(), strict=True)
    moved = Counter(pair for pair in pairs if pair[0] != pair[1])
    from_nurse = [moved["nurse", "doctor"], moved["nurse", "medic"]]
    assert min(from_nurse) > 1000
    assert abs(from_nurse[0] - from_nurse[1]) < 4 * np.sqrt(sum(from_nurse))


def test_more_noise_moves_values_farther():
    toy = ta.example("toy", 500)
    losses = [
        ta.SemanticLoss("disease")
        .measure(toy, toy.apply(ta.SemanticNoise("disease", alpha=alpha), seed=0))
        .value
        for alpha in (0.05, 0.3, 2.0)
    ]
    assert losses == sorted(losses)
    assert losses[-1] > 5 * losses[0]


def test_values_that_do_not_differ_do_not_move():
    data = data_of("tree", {"a": ["nurse"] * 20})
    assert data.apply(ta.SemanticNoise("a", alpha=100.0), seed=0).column("a") == data.column("a")


def test_weights_say_what_the_mean_and_the_variance_are():
    words = ["nurse", "judge", "judge", "smith"]
    heavy = data_of("tree", {"a": words}, [9.0, 1.0, 1.0, 1.0])
    again = data_of("tree", {"a": ["nurse"] * 8 + words})
    notes = [
        data.apply(ta.SemanticNoise("a", alpha=1.0, weighted=weighted), seed=0).notes["variance"]
        for data, weighted in ((heavy, True), (again, False))
    ]
    assert notes[0] == notes[1]
    assert notes[0] != heavy.apply(ta.SemanticNoise("a", alpha=1.0), seed=0).notes["variance"]


def test_labels_make_the_values_text_that_no_hierarchy_covers():
    digits = {"tree": {"all": {"odd": ["1", "3", "5"], "even": ["2", "4"]}}}
    data = ta.read(
        pa.table({"a": [1, 2, 3, 4, 5] * 20}), kinds={"a": "nominal"}, hierarchies={"a": digits}
    )
    plain = data.apply(ta.SemanticNoise("a", alpha=0.5), seed=0)
    assert plain.column("a").type == pa.int64()
    assert plain.attribute("a").hierarchy is not None
    masked = data.apply(ta.SemanticNoise("a", alpha=0.5, labels=True), seed=0)
    assert {"odd", "even", "1"} <= set(masked.column("a").to_pylist())
    assert masked.attribute("a").hierarchy is None


def test_sets_become_other_sets_of_the_file():
    toy = ta.example("toy", 200)
    masked = toy.apply(ta.SemanticNoise("languages", alpha=1.0), seed=0)
    sets = [{tuple(one) for one in data.column("languages").to_pylist()} for data in (toy, masked)]
    assert sets[1] <= sets[0]
    assert masked.column("languages") != toy.column("languages")


def test_the_variance_is_told_by_choice_only():
    assert "alpha" not in ta.SemanticNoise("a", alpha=0.5).told()
    assert {"alpha", "variance"} <= ta.SemanticNoise("a", alpha=0.5, tell_variance=True).told()


@pytest.mark.parametrize("alpha", [0, -1, 1e9])
def test_alpha_is_above_0(alpha):
    with pytest.raises(ParameterError, match="`alpha` of `semantic_noise`"):
        ta.SemanticNoise("a", alpha=alpha)

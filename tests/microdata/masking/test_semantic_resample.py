"""Semantic resampling against samples that are sorted and averaged word by word."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.microdata.plain_semantics import PARENTS, WORDS, apart, data_of, nodes_above

import tacita as ta
from tacita.errors import ParameterError


@st.composite
def words_with_meaning(draw):
    kind = draw(st.sampled_from([*PARENTS]))
    words = st.one_of(st.sampled_from(WORDS[kind]), st.none())
    return kind, draw(st.lists(words, min_size=1, max_size=12))


def in_order(data, parents, known):
    """Return the distinct words from the one farthest from the mean, by the distance from it."""
    mean = ta.semantic_mean(data, "a")
    words = sorted(set(known))
    first = max(words, key=lambda word: (round(apart(parents, word, mean), 12), -words.index(word)))
    return sorted(words, key=lambda word: (round(apart(parents, word, first), 12), word))


@given(
    words_with_meaning(),
    st.integers(1, 4),
    st.booleans(),
    st.booleans(),
    st.integers(0, 9),
)
def test_it_takes_centroids_of_sorted_bootstrap_samples(drawn, samples, original, labels, seed):
    kind, words = drawn
    samples += original
    parents, known = PARENTS[kind], [word for word in words if word is not None]
    data = data_of(kind, {"a": words})
    method = ta.SemanticResample("a", samples=samples, original=original, labels=labels)
    released = method.mask(data, np.random.default_rng(seed)).column("a").to_pylist()
    assert [word is None for word in released] == [word is None for word in words]
    if not known:
        return
    place, rng = in_order(data, parents, known).index, np.random.default_rng(seed)
    drawn_words = [known] if original else []
    drawn_words += [
        [known[row] for row in rng.choice(len(known), len(known))]
        for _ in range(samples - original)
    ]
    by_rank = zip(*(sorted(sample, key=place) for sample in drawn_words), strict=True)
    records = sorted(range(len(known)), key=lambda row: place(known[row]))
    found = [word for word in released if word is not None]
    for row, alike in zip(records, by_rank, strict=True):
        nodes = nodes_above(parents, alike) if labels else set(alike)
        cost = {node: sum(apart(parents, word, node) ** 2 for word in alike) for node in nodes}
        assert cost[found[row]] <= min(cost.values()) + 1e-8


def test_one_sample_that_is_not_the_original_keeps_the_order():
    """The released values are those of the sample: the j-th in order to the j-th in order."""
    toy = ta.example("toy", 300)
    masked = ta.SemanticResample("disease", samples=1, original=False).mask(
        toy, np.random.default_rng(3)
    )
    sample = np.array(toy.column("disease").to_pylist())[np.random.default_rng(3).choice(300, 300)]
    assert Counter(masked.column("disease").to_pylist()) == Counter(sample.tolist())


def test_weights_are_chances():
    """The heavy value is drawn in nine of ten cases, within 4 standard errors."""
    words = ["nurse"] * 500 + ["judge"] * 500
    data = data_of("tree", {"a": words}, [1.0] * 500 + [9.0] * 500)
    method = ta.SemanticResample("a", samples=1, original=False, weighted=True)
    share = data.apply(method, seed=0).column("a").to_pylist().count("judge") / 1000
    assert abs(share - 0.9) < 4 * np.sqrt(0.9 * 0.1 / 1000)


def test_labels_are_released_by_choice_only():
    words = ["nurse", "doctor", "medic", "judge", "clerk", "smith"] * 3
    data = data_of("tree", {"a": words})
    rows = [
        set(
            data.apply(
                ta.SemanticResample("a", samples=3, original=False, labels=labels), seed=seed
            )
            .column("a")
            .to_pylist()
        )
        for labels in (False, True)
        for seed in range(20)
    ]
    assert all(found <= set(words) for found in rows[:20])
    assert any("care" in found for found in rows[20:])


def test_sets_are_resampled_too():
    data = ta.read(pa.table({"a": [["x"], ["x", "y"], ["x", "z"], ["z"], None] * 8}))
    masked = data.apply(ta.SemanticResample("a", samples=3, original=False), seed=1)
    released = masked.column("a").to_pylist()
    assert all(one is None or one in [["x"], ["x", "y"], ["x", "z"], ["z"]] for one in released)
    assert released != data.column("a").to_pylist()


def test_one_sample_that_is_the_original_is_refused():
    with pytest.raises(ParameterError, match="changes nothing"):
        ta.SemanticResample("a", samples=1)

"""The laws that every model of confidential values keeps."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.microdata.anonymize.promises import promises_of, without_broken
from tacita.microdata.models.class_table import ClassTable

TREE = {"tree": {"any": {"one": ["p", "q"], "other": ["r"], "last": ["s"]}}}
MODELS = [
    ta.LDiversity(2),
    ta.LDiversity(2, kind="entropy"),
    ta.LDiversity(2, kind="recursive", c=1.5),
    ta.LDiversity(3, kind="recursive", c=3),
    ta.TCloseness(0.3, distance="equal"),
    ta.TCloseness(0.3, "x", distance="hierarchical"),
    ta.TCloseness(0.25, "n"),
    ta.PSensitiveKAnonymity(2, 3),
    ta.AlphaKAnonymity(0.5, 2),
    ta.AlphaKAnonymity(0.5, 2, "x", values=["q", "r"]),
    ta.DeltaDisclosure(1.2),
    ta.BetaLikeness(0.75),
    ta.BetaLikeness(2, kind="enhanced"),
]
ROWS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.integers(0, 1),
        st.sampled_from(["p", "q", "r", "s", None]),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=40,
)
COUNTS = st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(any)
VALUES = ("p", "q", "r", "s")


def expanded(counts: list[int]) -> list[int]:
    """Return every value as often as it occurs."""
    return np.repeat(np.arange(len(counts)), counts).tolist()


def read(rows, roles=None) -> ta.Microdata:
    columns = dict(zip("abxn", map(list, zip(*rows, strict=True)), strict=True))
    columns["x"] = pa.array(columns["x"], pa.string())
    return ta.read(
        pa.table(columns),
        roles=roles or {"a": "key", "b": "key", "x": "confidential", "n": "confidential"},
        hierarchies={"x": TREE},
    )


def broken_classes(model, data) -> np.ndarray:
    return model.breaks(ClassTable.of(data.classes(), data.confidential))


@settings(max_examples=25)
@given(rows=ROWS)
def test_a_promise_holds_if_no_class_breaks_it(rows):
    data = read(rows)
    keys = data.classes().combinations().select(["a", "b"]).to_pylist()
    for model in MODELS:
        broken, verdict = broken_classes(model, data), model.check(data)
        assert verdict.holds == (not broken.any())
        worst = keys.index({"a": verdict.worst["a"], "b": verdict.worst["b"]})
        assert verdict.holds or broken[worst]


@given(counts=st.lists(COUNTS, min_size=2, max_size=3))
def test_merging_two_classes_that_keep_it_keeps_it(counts):
    data = read([(a, 0, VALUES[v], v) for a, row in enumerate(counts) for v in expanded(row)])
    table = ClassTable.of(data.classes(), data.confidential)
    for model in MODELS:
        assert model.merging_keeps
        into = np.arange(len(table))
        kept = np.flatnonzero(~model.breaks(table))[:2]
        into[kept] = kept.min(initial=0)
        merged = model.breaks(table.merged(into, len(table)))
        assert not merged[kept].any(), "the merged class, or one without records"


@settings(max_examples=25)
@given(rows=ROWS)
def test_a_table_without_some_classes_is_judged_as_its_records_are(rows):
    data = read(rows)
    classes = data.classes()
    kept = np.arange(len(classes)) % 3 != 1
    taken = ClassTable.of(classes, data.confidential).taken(kept)
    rest = data.take(np.flatnonzero(kept[classes.of_record]))
    for model in MODELS:
        assert model.breaks(taken).tolist() == broken_classes(model, rest).tolist()


@settings(max_examples=25)
@given(rows=ROWS)
def test_leaving_broken_classes_out_leads_to_data_that_keep_it(rows):
    data = read(rows)
    for model in MODELS:
        assert model.check(without_broken(data, [model]))


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_an_attribute_that_is_also_a_key_is_judged_beside_the_other_keys(model):
    rows = [(a, 0, x, n) for a, x, n in zip([0, 0, 1, 1], "pqpp", [0, 3, 1, 1], strict=True)]
    both = {"key", "confidential"}
    data = read(rows, {"a": "key", "x": both, "n": both})
    for promise in promises_of([model], data):
        apart = data.classes([key for key in ("a", "x", "n") if key != promise.attribute])
        broken = promise.breaks(ClassTable.of(apart, [promise.attribute]))
        assert promise.model.check(data).holds == (not broken.any())


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_no_records_keep_it(model):
    data = read([(0, 0, "p", 1)]).take(np.arange(0))
    assert model.check(data)
    assert broken_classes(model, data).tolist() == []

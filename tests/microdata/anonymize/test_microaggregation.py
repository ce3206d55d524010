from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError, ProtectionError

ROLES = {"age": "key", "job": "key", "grade": "key", "value": "confidential"}
KINDS = {"age": "continuous", "job": "nominal", "grade": "ordinal", "value": "nominal"}


def read(rows):
    columns = list(zip(*rows, strict=True)) if rows else [()] * 4
    types = (pa.float64(), pa.string(), pa.string(), pa.string())
    arrays = [pa.array(list(c), t) for c, t in zip(columns, types, strict=True)]
    table = pa.table(dict(zip(ROLES, arrays, strict=True)))
    table = table.append_column("always", pa.array([1.0] * len(rows)))
    roles = {**ROLES, "always": "key"}
    return ta.read(table, roles=roles, kinds=KINDS, orders={"grade": ["low", "mid", "high"]})


def maybe(strategy):
    return st.one_of(st.none(), strategy)


records = st.tuples(
    maybe(st.sampled_from([0.0, 1.0, 5.0, 1e6])),
    maybe(st.sampled_from(["a", "b", "c"])),
    maybe(st.sampled_from(["low", "mid", "high"])),
    maybe(st.sampled_from(["u", "v", "w"])),
).filter(lambda row: row[:3] != (None, None, None))
files = st.one_of(
    st.lists(records, min_size=3, max_size=25).filter(
        lambda rows: all(any(v is not None for v in c) for c in zip(*rows, strict=True))
    ),
    st.just([(1.0, "a", "low", "u")] * 9),
)


def mask(method, data):
    return method.mask(data, np.random.default_rng(0))


@settings(max_examples=60, deadline=None)
@given(files, st.integers(2, 6))
def test_every_class_has_k_records_and_no_record_is_lost(rows, k):
    data, model = read(rows), ta.KAnonymity(k)
    if len(data) < k:
        with pytest.raises(ProtectionError):
            mask(ta.Microaggregation(model), data)
        return
    masked = mask(ta.Microaggregation(model), data)
    assert model.check(masked).holds
    assert masked.source_rows.tolist() == list(range(len(data)))
    assert masked.column("value") == data.column("value")
    for name in data.keys:
        assert np.asarray(masked.column(name).is_null())[
            np.asarray(data.column(name).is_null())
        ].all()


@settings(max_examples=60, deadline=None)
@given(files, st.sampled_from([0.1, 0.3, 0.6]))
def test_several_models_hold_at_once_or_it_is_said(rows, t):
    data = read(rows)
    models = [ta.KAnonymity(2), ta.LDiversity(2), ta.TCloseness(t)]
    try:
        masked = mask(ta.Microaggregation(models), data)
    except ProtectionError:
        assert len(data.column("value").unique()) < 2 or len(data) < 2
    else:
        assert all(model.check(masked).holds for model in models)


def test_the_keys_of_a_cluster_are_its_centroid():
    data = read(
        [
            (1.0, "a", "low", "u"),
            (2.0, "a", "mid", "v"),
            (6.0, "b", "mid", "w"),
            (90.0, "c", "high", "u"),
            (91.0, "c", "high", "v"),
            (95.0, "c", "low", "w"),
        ]
    )
    masked = mask(ta.Microaggregation(ta.KAnonymity(3)), data)
    assert masked.column("age").to_pylist() == [3.0] * 3 + [92.0] * 3
    assert masked.column("job").to_pylist() == ["a"] * 3 + ["c"] * 3
    assert masked.column("grade").to_pylist() == ["mid"] * 3 + ["high"] * 3
    assert masked.notes["groups"][0]["groups"] == 2


def test_the_size_of_clusters_follows_from_the_models():
    data = ta.example("toy", 300)
    masked = mask(ta.Microaggregation([ta.KAnonymity(3), ta.LDiversity(7, "id")]), data)
    assert masked.notes["groups"][0]["smallest"] == 7
    masked = mask(ta.Microaggregation(ta.KAnonymity(3), k=11), data)
    assert masked.notes["groups"][0]["smallest"] == 11


def test_as_microaggregate_does_where_nothing_is_blank():
    data = ta.example("toy", 300)
    plain = mask(ta.Microaggregate(["age", "born"], k=4), data)
    model = ta.KAnonymity(4, keys=["age", "born"])
    masked = mask(ta.Microaggregation(model), data)
    assert masked.fingerprint() == plain.fingerprint()
    assert masked.notes["groups"][0]["lost"] == pytest.approx(plain.notes["groups"][0]["lost"])


def test_nobody_can_tell_why_keys_are_missing_afterwards():
    data = read([(1.0, "a", None, "u")] * 4 + [(5.0, "a", "low", "v")] * 4)
    attribute = data.attribute("grade")
    told = replace(attribute, meaning=replace(attribute.meaning, missing_codes=(98, 99)))
    data = replace(
        data,
        attributes={**data.attributes, "grade": told},
        missing_reasons={"grade": np.array([1, 2, 2, 2] + [0] * 4, np.int32)},
    )
    assert data.classes().smallest == 1
    masked = mask(ta.Microaggregation(ta.KAnonymity(4)), data)
    assert masked.classes().counts.tolist() == [4, 4]


def test_a_model_that_is_not_about_classes_is_refused():
    with pytest.raises(ParameterError, match="not about equivalence classes"):
        mask(ta.Microaggregation(ta.DifferentialPrivacy(1.0)), ta.example("toy", 20))

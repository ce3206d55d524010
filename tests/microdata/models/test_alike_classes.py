"""A check that looks at one of several alike classes finds what a check of all finds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.microdata.models.alike_classes import alike_classes
from tacita.microdata.models.class_table import ClassTable

MODELS = [
    ta.LDiversity(2, "x"),
    ta.LDiversity(2, "x", kind="entropy"),
    ta.LDiversity(2, "n", kind="recursive", c=1.5),
    ta.TCloseness(0.4, "x", distance="equal"),
    ta.TCloseness(0.3, "n"),
    ta.PSensitiveKAnonymity(2, 2, "x"),
    ta.AlphaKAnonymity(0.5, 2, "x"),
    ta.DeltaDisclosure(1.2, "x"),
    ta.BetaLikeness(0.75, "n"),
]
ROWS = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from(["p", "q", "r", None]), st.integers(0, 4)),
    min_size=1,
    max_size=25,
)


def read(rows: list[tuple]) -> ta.Microdata:
    a, x, n = map(list, zip(*rows, strict=True))
    columns = {"a": a, "x": pa.array(x, pa.string()), "n": n}
    roles = {"a": "key", "x": "confidential", "n": "confidential"}
    return ta.read(pa.table(columns), roles=roles)


@given(ROWS)
@settings(max_examples=60)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_check_of_alike_classes_is_that_of_all(model, rows) -> None:
    data = read(rows)
    classes = data.classes()
    judged = model.judged(
        classes.counts, ClassTable.of(classes, model.attribute).values[model.attribute[0]]
    )
    records = int(classes.counts.sum(where=judged.broken))
    verdict = model.check(data)
    assert verdict.holds == (records == 0)
    assert verdict.value == (judged.value if np.isfinite(float(judged.value)) else None)
    assert verdict.worst["a"] == data.column("a")[int(classes.first[judged.worst])].as_py()
    assert records == 0 or verdict.sentence.startswith(f"{records} of {len(rows)} records")


@given(ROWS)
def test_values_of_the_whole_count_the_classes_that_others_stand_for(rows) -> None:
    classes = read(rows).classes()
    _, values = alike_classes(classes, "n")
    whole = dict(zip(values.domain.values.to_pylist(), values.whole.tolist(), strict=True))
    assert whole == {n: sum(row[2] == n for row in rows) for _, _, n in rows}

"""Hierarchies made from data: laws that all ways keep, and what is refused."""

from __future__ import annotations

import datetime as dt
import json
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.api.hierarchies import hierarchy_from
from tacita.data.hierarchies import build
from tacita.data.hierarchies.prefix import Prefix
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError, InputError, ParameterError

WHOLE = st.integers(-(2**62), 2**62) | st.integers(-5, 200)
REAL = st.floats(-1e300, 1e300, allow_subnormal=True) | st.floats(-5, 5).map(lambda x: round(x, 1))
CODES = st.text("0123*A ", min_size=1, max_size=5).filter(str.strip)
WORDS = st.sampled_from(["a", "b", "c", "d", "(other)", "*", "a and 1 more", "e f"])
DATES = st.dates() | st.dates(dt.date(2020, 1, 1), dt.date(2020, 3, 1))
TIMES = st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2050, 1, 1))
NUMBERS = {
    "int64": (WHOLE, pa.int64()),
    "double": (REAL, pa.float64()),
}
KINDS = {
    "intervals": NUMBERS,
    "quantiles": NUMBERS,
    "clustering": NUMBERS,
    "frequencies": {"text": (WORDS | CODES, pa.string()), **NUMBERS},
    "prefixes": {"text": (CODES, pa.string()), "int64": NUMBERS["int64"]},
    "dates": {"date": (DATES, pa.date32()), "time": (TIMES, pa.timestamp("us"))},
}
CASES = [(by, name) for by, kinds in KINDS.items() for name in kinds]


def levels_of(hierarchy, values):
    """The labels of every level, from the values themselves to the root."""
    found = [values.cast(pa.string()).to_pylist()]
    found += [
        hierarchy.labels(values, level).to_pylist() for level in range(1, hierarchy.height + 1)
    ]
    return found


@pytest.mark.parametrize(("by", "name"), CASES)
@settings(max_examples=40)
@given(data=st.data(), levels=st.none() | st.integers(1, 5))
def test_it_nests_covers_and_is_told_again(by, name, data, levels):
    values, kind = KINDS[by][name]
    column = pa.array(data.draw(st.lists(st.none() | values, min_size=2, max_size=40)), kind)
    distinct = column.unique().drop_null()
    if len(distinct) < 2:
        with pytest.raises(HierarchyError, match="two distinct values"):
            hierarchy_from(column, by=by, levels=levels)
        return
    if by == "intervals" and not np.isfinite(np.ptp(np.asarray(distinct, np.float64))):
        return
    made = hierarchy_from(column, by=by, levels=levels)
    found = levels_of(made, distinct)
    for below, above in pairwise(found):
        assert len(set(zip(below, above, strict=True))) == len(set(below))
    assert len(set(found[-1])) == 1
    sizes = [len(set(labels)) for labels in found]
    assert sizes == sorted(sizes, reverse=True)
    # Codes of one length lose a sign at each level; of widths and units there is always one.
    if by not in ("intervals", "dates") and not isinstance(made, Prefix):
        assert all(fewer < more or more == 1 for more, fewer in pairwise(sizes))
    most = levels or (made.height if by in ("prefixes", "dates") else 3)
    assert made.height <= most + 1
    assert build(made.specification()) == made
    assert hierarchy_from(
        column.take(pa.array(range(len(column))[::-1])), by=by, levels=levels
    ) == (made)


def test_a_column_may_be_of_any_library():
    values = [3, 1, 8, 9, 2, 7]
    made = hierarchy_from(values, by="quantiles", levels=1)
    for column in (pa.array(values), np.array(values), pd.Series(values), pl.Series(values)):
        assert hierarchy_from(column, by="quantiles", levels=1) == made
    for frame in (pd.DataFrame({"x": values}), pl.DataFrame({"x": values})):
        assert hierarchy_from(frame, "x", by="quantiles", levels=1) == made


def test_an_ordered_categorical_column_is_ordinal():
    sizes = pd.Categorical(["s", "m", "l", "xl"], ["s", "m", "l", "xl"], ordered=True)
    made = hierarchy_from(pd.Series(sizes), by="quantiles", levels=1)
    assert made == Tree.from_nested({"*": {"s to m": ["s", "m"], "l to xl": ["l", "xl"]}})


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([5, 5, None], {"by": "quantiles"}, "two distinct values at least; found only 5"),
        ([None, None], {"by": "frequencies"}, "found none"),
        ([], {"by": "frequencies"}, "found none"),
        (["a", "b"], {"by": "quantiles"}, "needs numbers or ordinal categories; .* is nominal"),
        (["a", "b"], {"by": "intervals"}, "`intervals` needs numbers"),
        (["a", "b"], {"by": "clustering"}, "numbers, or `over`"),
        (["a", "b"], {"by": "dates"}, "`dates` needs dates"),
        ([1.5, 2.5], {"by": "prefixes"}, "text or whole numbers; found double"),
        ([["a"], ["b"]], {"by": "frequencies"}, "set-valued"),
        ([1, 2], {"by": "quantiles", "levels": 0}, "1 or more; found 0"),
        ([1, 2], {"by": "quantiles", "levels": True}, "1 or more; found True"),
        ([1, 2], {"by": "quantiles", "width": 5}, "takes levels; found `width`"),
        ([1, 2], {"by": "intervals", "width": -1}, "a number above 0, .*; found -1"),
        ([1, 2], {"by": "intervals", "width": 1e-320}, "as large as the values; found 1e-320"),
        ([1, 2], {"by": "intervals", "width": 10**400}, "as large as the values"),
        ([-1e308, 1.7e308], {"by": "intervals"}, "numbers up to .*; found 1.7e"),
        ([5e-324, 1.7e308], {"by": "intervals"}, "numbers up to .*; found 1.7e"),
        ([1, 2], {"by": "quantile"}, "Did you mean `quantiles`"),
        (["a", " "], {"by": "frequencies"}, "no blank labels"),
    ],
)
def test_what_cannot_be_made_is_told(values, options, message):
    with pytest.raises(HierarchyError, match=f"Attribute `values`: .*{message}"):
        hierarchy_from(values, **options)


def test_the_attribute_must_be_said_of_data():
    with pytest.raises(ParameterError, match="Say which `attribute`"):
        hierarchy_from(ta.example("toy", 20), by="quantiles")
    with pytest.raises(InputError, match=r"no attribute `agee`.*Did you mean `age`"):
        hierarchy_from(ta.example("toy", 20), "agee", by="quantiles")
    with pytest.raises(InputError, match="values of one type"):
        hierarchy_from([1, "a"], by="quantiles")


def test_a_scan_makes_none():
    with pytest.raises(ParameterError, match="no hierarchy of `age` is made"):
        ta.scan("people.csv", hierarchies={"age": {"quantiles": 3}})


def test_it_can_be_written_and_read_again(tmp_path):
    ages = [23, 25, 31, 38, 44, 47, 52, 80]
    made = hierarchy_from(ages, by="quantiles", levels=2)
    ta.write_hierarchy(made, tmp_path / "ages.csv", ages)
    again = ta.read_hierarchy(tmp_path / "ages.csv")
    for level in (1, 2, 3):
        text = pa.array(map(str, ages))
        assert again.labels(text, level) == made.labels(pa.array(ages), level)


# -- in a plan -------------------------------------------------------------------------------------

PLAN = """
data:
  source: people.csv
  attributes:
    age: {role: key, hierarchy: {quantiles: {levels: 2}}}
    code: {role: key, hierarchy: {prefixes: {}}}
    job: {role: key, hierarchy: {clustering: {over: ill, levels: 1}}}
    town: {role: key, hierarchy: {frequencies: 1}}
    born: {role: key, hierarchy: {dates: {levels: 1}}}
    pay: {role: confidential, hierarchy: {intervals: {levels: 2}}}
    ill: confidential
microdata:
  steps:
    - drop: pay
    - anonymize: {to: [{k_anonymity: 3}], suppression_limit: 0.2}
  require:
    - k_anonymity: 3
  measure: []
"""


def written(folder, records=120):
    rng = np.random.default_rng(1)
    rows = ["age,code,job,town,born,pay,ill"]
    for _ in range(records):
        job = rng.integers(4)
        year, month = rng.integers(1950, 2000), rng.integers(1, 13)
        code = rng.choice(["01", "012", "0123", "2", "21"])
        ill = rng.choice(["flu", "NA"], p=[0.9, 0.1] if job < 2 else [0.1, 0.9])
        town = rng.choice(["Reus", "Salou", "Vila"], p=[0.7, 0.2, 0.1])
        born = f"{year}-{month:02d}-01"
        rows.append(
            f"{rng.integers(18, 90)},{code},job{job},{town},{born},{rng.integers(9999)},{ill}"
        )
    (folder / "people.csv").write_text("\n".join([*rows, ""]))
    (folder / "plan.yaml").write_text(PLAN)


def test_a_plan_makes_hierarchies_and_the_evidence_holds_them(tmp_path):
    written(tmp_path)
    outcome = ta.run(tmp_path / "plan.yaml", tmp_path / "out", seed=1)
    kinds = {
        name: type(outcome.original.attribute(name).hierarchy).__name__
        for name in outcome.original.names
    }
    assert kinds == {
        "age": "Cuts",
        "code": "Tree",
        "job": "Tree",
        "town": "Tree",
        "born": "Dates",
        "pay": "Intervals",
        "ill": "NoneType",
    }
    jobs = outcome.original.attribute("job").hierarchy
    assert {
        frozenset(path[0] for path in jobs.paths if path[1] == one) for one in jobs.level(1)
    } == {
        frozenset({"job0", "job1"}),
        frozenset({"job2", "job3"}),
    }
    evidence = json.loads((tmp_path / "out" / "internal" / "evidence.json").read_text())
    said = {name: said.get("hierarchy", {}) for name, said in evidence["attributes"].items()}
    assert {name: next(iter(said), None) for name, said in said.items()} == {
        "age": "cuts",
        "code": "tree",
        "job": "tree",
        "town": "tree",
        "born": "dates",
        "pay": "intervals",
        "ill": None,
    }
    checked = ta.verify(tmp_path / "out", source=tmp_path / "people.csv")
    assert checked.holds
    assert {line.what: line.status for line in checked.lines}["source"] == "re-derived"


def test_a_plan_says_where_a_hierarchy_cannot_be_made(tmp_path):
    written(tmp_path)
    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN.replace("quantiles: {levels: 2}", "frequencies: {levles: 2}"))
    with pytest.raises(InputError, match=r"plan.yaml, line 5.*`age`.*Did you mean `levels`"):
        ta.run(plan, tmp_path / "out")

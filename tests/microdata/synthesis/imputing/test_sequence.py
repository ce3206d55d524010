"""Sequences of models: kinds, types and blanks of what is drawn."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.microdata.synthesis.imputing.design import CATEGORIES, Design
from tacita.microdata.synthesis.imputing.frame import outside_sample
from tacita.microdata.synthesis.imputing.sequence import SequentialModel


def drawn(data, given, targets, model="regression", records=200, **options):
    rng = np.random.default_rng(0)
    made = SequentialModel.of(data, given, targets, model, rng, **options)
    rows = rng.integers(len(data), size=records)
    held = {name: data.column(name).take(pa.array(rows)) for name in given}
    return made.drawn(held, records, rng)


COLUMNS = {
    "bytes": pa.array([0, 1, 2, 3] * 25, pa.uint8()),
    "whole": pa.array([10, 20, 30, 70] * 25, pa.int64()),
    "money": pa.array([Decimal("1.25"), Decimal("7.50")] * 50, pa.decimal128(9, 2)),
    "day": pa.array([dt.date(2020, 1, 1 + day) for day in range(20)] * 5),
    "moment": pa.array([dt.datetime(2020, 1, 1, hour) for hour in range(20)] * 5),
    "flag": pa.array([True, False] * 50),
    "word": pa.array(["a", "b", None, "c"] * 25),
    "blank": pa.nulls(100, pa.float64()),
    "often": pa.array([1.0, None] * 50),
    "many": pa.array([f"v{place}" for place in range(100)]),
    "large": pa.array([1e300, -1e300, 2e300, 0.0] * 25),
}


@pytest.mark.parametrize("model", ["regression", "tree"])
@pytest.mark.parametrize("name", list(COLUMNS))
def test_every_type_is_drawn_and_predicts(name, model):
    kinds = {"day": "date", "moment": "date", "blank": "continuous"}
    table = pa.table({name: COLUMNS[name], "other": np.arange(100) % 7})
    data = ta.read(table, kinds={name: kinds[name]} if name in kinds else {})
    made = drawn(data, [], [name, "other"], model)
    assert made[name].type == data.column(name).type
    assert len(made[name]) == len(made["other"]) == 200
    share = data.column(name).null_count / 100
    assert made[name].null_count / 200 == pytest.approx(share, abs=0.15)


def test_numbers_are_rounded_as_the_data_are():
    data = ta.read(pa.table({"pay": np.arange(100) * 50}))
    made = np.array(drawn(data, [], ["pay"])["pay"])
    assert (made % 50 == 0).all()
    assert len(np.unique(made)) > 50


def test_blanks_that_are_held_stay():
    table = pa.table({"x": [1.0, 2.0, None, 4.0] * 20, "y": [1.5, None, 0.5, 3.5] * 20})
    data = ta.read(table)
    rng = np.random.default_rng(0)
    model = SequentialModel.of(data, [], ["x", "y"], "regression", rng, with_blanks=False)
    held = {name: data.column(name) for name in data.names}
    made = model.drawn(held, len(data), rng)
    assert all(made[name].is_null() == data.column(name).is_null() for name in data.names)


def test_categories_that_were_not_known_are_as_the_most_frequent():
    data = ta.read(pa.table({"c": ["a"] * 3 + ["b"] * 2 + [None]}))
    design = Design.of(data, ["c"])
    matrix = design.matrix({"c": pa.array(["a", "b", None, "new"])}, 4)
    assert matrix.tolist() == [[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 0, 0]]
    many = ta.read(pa.table({"c": [str(place) for place in range(80)]}))
    assert Design.of(many, ["c"]).of_records(many).shape == (80, 1 + CATEGORIES)


def test_as_many_members_are_left_out_as_the_sample_has():
    population = ta.read(pa.table({"sex": list("ffffmm"), "age": [1, 1, 1, 2, 1, 1]}))
    sample = ta.read(pa.table({"sex": list("ffm"), "age": [1, 1, 1]}))
    found = outside_sample(population, sample)
    assert found.tolist() == [False, False, True, True, False, True]

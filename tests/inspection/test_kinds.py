"""Kinds that names and values suggest, and orders that are known."""

import datetime as dt
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from tacita.data.attribute import Kind
from tacita.data.read import declare
from tacita.inspection.columns import columns_of
from tacita.inspection.evidence import evidence_of
from tacita.inspection.kinds import kind_of, known_order, order_of, separator_of

MANY = 120


def column(name, values):
    return columns_of(declare(pa.table({name: pa.array(values)}), {}), [name])[name]


def repeated(*values):
    return [values[n % len(values)] for n in range(MANY)]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("x", np.linspace(0, 1, MANY), Kind.CONTINUOUS),
        ("income", range(MANY), Kind.CONTINUOUS),
        ("age", repeated(*range(18, 60)), Kind.CONTINUOUS),
        ("children", repeated(0, 1, 2, 3), Kind.CONTINUOUS),
        ("number of rooms", repeated(1, 2, 3, 4), Kind.CONTINUOUS),
        ("year", repeated(2001, 2002, 2003), Kind.CONTINUOUS),
        ("age_group", repeated(1, 2, 3), Kind.ORDINAL),
        ("rating", repeated(1, 2, 3, 4, 5), Kind.ORDINAL),
        ("answer", repeated(0, 1), Kind.NOMINAL),
        ("sex", repeated(1, 2, 3), Kind.NOMINAL),
        ("region", repeated(*range(1, 40)), Kind.NOMINAL),
        ("payment_type", repeated(1, 2, 3, 4), Kind.NOMINAL),
        ("tract", repeated("01", "02", "10"), Kind.NOMINAL),
        ("v", repeated(90210, 90211, 94105, 95014), Kind.NOMINAL),
        ("v", repeated(5, 90211, 94105, 950140), Kind.CONTINUOUS),
        ("v", repeated(True, False), Kind.NOMINAL),
        ("v", repeated("red", "green", "blue"), Kind.NOMINAL),
        ("v", repeated("low", "Medium", "HIGH"), Kind.ORDINAL),
        ("v", repeated("1-9", "10-49", "50+"), Kind.ORDINAL),
        ("v", repeated("a|b", "b|c", "a", "a|c"), Kind.SET_VALUED),
        ("v", repeated("a;b", "b;c", "a", "a;c"), Kind.SET_VALUED),
        ("v", repeated(["a"], ["a", "b"]), Kind.SET_VALUED),
        ("v", [dt.date(2000, 1, 1) + dt.timedelta(n) for n in range(MANY)], Kind.DATE),
        ("v", [str(dt.date(2000, 1, 1) + dt.timedelta(n)) for n in range(MANY)], Kind.DATE),
        ("v", [f"{n % 28 + 1:02d}.12.19{n % 50 + 30}" for n in range(MANY)], Kind.NOMINAL),
        ("v", [None] * MANY, Kind.NOMINAL),
        ("v", [], Kind.NOMINAL),
    ],
)
def test_kinds(name, values, kind):
    assert kind_of(evidence_of(column(name, list(values)))) is kind


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("smoker", (0, 1), Kind.NOMINAL),
        ("pregnant", (1.0, 2.0), Kind.NOMINAL),
        ("glucose", (80, 90), Kind.CONTINUOUS),
        ("children", (0, 1), Kind.CONTINUOUS),
        ("nace", ("10.1", "47.11", "62.01"), Kind.NOMINAL),
        ("nace", (10.1, 47.11, 62.01), Kind.NOMINAL),
        ("v", ("10.1", "47.11", "62.01"), Kind.NOMINAL),
        ("v", (10.1, 47.11, 62.01), Kind.CONTINUOUS),
        ("v", (1.0, 2.0, 3.0), Kind.ORDINAL),
        ("sex", (1.0, 2.0, 9.0), Kind.NOMINAL),
    ],
)
def test_flags_codes_with_points_and_whole_decimals(name, values, kind):
    assert kind_of(evidence_of(column(name, repeated(*values)))) is kind


def test_a_label_tells_a_scale_where_the_name_does_not():
    counted = replace(column("v3", repeated(1, 2, 3)), label="Age group")
    assert kind_of(evidence_of(counted)) is Kind.ORDINAL


def test_codes_with_labels_are_nominal():
    counted = replace(column("v3", repeated(1, 2, 3)), labelled=True)
    assert kind_of(evidence_of(counted)) is Kind.NOMINAL


def test_orders_that_are_known():
    assert known_order(column("v", ["good", "very good", "bad"])) == ("bad", "good", "very good")
    assert known_order(column("v", ["oft", "nie", "immer"])) == ("nie", "oft", "immer")
    assert known_order(column("v", ["10-49", "1-9", "250+", "<1"])) == (
        "<1",
        "1-9",
        "10-49",
        "250+",
    )
    assert known_order(column("v", ["red", "green", "blue"])) is None
    assert known_order(column("v", ["10", "2", "33"])) is None


def test_whole_numbers_are_ordered_as_numbers():
    assert order_of(column("v", [10, 9, 2])) == (2, 9, 10)
    assert order_of(column("v", ["10", "9", "2"])) == ("2", "9", "10")
    assert order_of(column("v", [10.0, 9.0, 2.0])) == (2, 9, 10)
    assert order_of(column("v", ["10.0", "9.0", "2.0"])) == ("2.0", "9.0", "10.0")
    assert order_of(column("v", ["10,0", "9,0", "2,0"])) == ("2,0", "9,0", "10,0")


def test_what_is_parted_once_is_no_set():
    assert separator_of(column("v", ["a|b", "c", "d", "e", "f"])) is None
    assert separator_of(column("v", ["a|b", "c|d", "e|f", "g|h"])) is None

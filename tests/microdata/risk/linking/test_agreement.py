from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from rapidfuzz.distance import JaroWinkler

import tacita as ta
from tacita.data.attribute import Kind
from tacita.microdata.risk.linking.agreement import (
    Agreement,
    Column,
    Tolerance,
    agreement,
    column_of,
)
from tacita.microdata.risk.linking.blocking import Blocks


def levels(found: Agreement) -> list[list[str]]:
    """Say how each released value (a row) agrees with each known one."""

    def level(known: int, released: int) -> str:
        if known < 0 or released < 0:
            return "-"
        if known == released:
            return "="
        stretches = range(found.starts[released], found.starts[released + 1])
        near = any(found.lows[k] <= known < found.highs[k] for k in stretches)
        return "~" if near else "x"

    return ["".join(level(a, b) for a in found.known) for b in found.released]


def compared(known, released, kind, passes=None, **tolerance) -> list[list[str]]:
    column = Column(pa.array(known), pa.array(released), kind)
    rows = np.arange(len(released))
    everybody = [Blocks(np.zeros(len(known), int), np.zeros(len(released), int))]
    how = Tolerance(**{"deviations": 0, "days": 0, **tolerance})
    return levels(agreement(column, rows, passes or everybody, how))


def test_numbers_partly_agree_within_standard_deviations():
    # The standard deviation of 0, 2, 4 and 6 is the root of 5.
    found = compared([0, 2, 4, 6, None], [2.0, 4.1, None], Kind.CONTINUOUS, deviations=1)
    assert found == ["~=~x-", "x~~~-", "-----"]
    assert compared([0, 2], [2.0, 1.9], Kind.CONTINUOUS) == ["x=", "xx"]


def test_dates_partly_agree_within_days():
    day = dt.date(2020, 2, 28)
    known = [day, day + dt.timedelta(2), day + dt.timedelta(40)]
    assert compared(known, [day], Kind.DATE, days=2) == ["=~x"]
    assert compared(known, [day], Kind.DATE, days=1) == ["=xx"]


def test_texts_partly_agree_by_similarity():
    found = compared(
        ["Martha", "dixon", None], ["MARHTA", "Dicksonx", "x"], Kind.NOMINAL, similarity=0.95
    )
    assert JaroWinkler.similarity("martha", "marhta") == pytest.approx(0.961, abs=1e-3)
    assert found == ["~x-", "xx-", "xx-"]
    assert compared(["Martha"], ["MARHTA"], Kind.NOMINAL) == ["x"]
    assert compared(["dixon"], ["dicksonx"], Kind.NOMINAL, similarity=0.8) == ["~"]


def test_only_texts_of_one_block_are_compared():
    passes = [Blocks(np.array([0, 1]), np.array([0]))]
    found = compared(["marta", "marthe"], ["martha"], Kind.NOMINAL, passes, similarity=0.8)
    assert found == ["~x"]


def test_similarities_are_found_in_portions_too(monkeypatch):
    rng = np.random.default_rng(2)
    words = ["".join(rng.choice(list("abc"), 5)) for _ in range(40)]
    whole = compared(words, words[::-1], Kind.NOMINAL, similarity=0.8)
    monkeypatch.setattr("tacita.microdata.risk.linking.agreement.AT_ONCE", 100)
    assert compared(words, words[::-1], Kind.NOMINAL, similarity=0.8) == whole
    wanted = [
        "".join(
            "=" if a == b else "~" if JaroWinkler.similarity(a, b) >= 0.8 else "x" for a in words
        )
        for b in words[::-1]
    ]
    assert whole == wanted


def test_sets_and_recoded_values_agree_or_not():
    assert compared([["a", "b"], ["a"]], [["b", "a"]], Kind.SET_VALUED) == ["=x"]
    data = ta.read(pa.table({"age": [21, 25, 38]}), roles={"age": "key"})
    masked = data.apply(ta.Recode("age", width=10))
    column = column_of(data, masked, np.arange(3), "age")
    everybody = [Blocks(np.zeros(3, int), np.zeros(3, int))]
    found = agreement(column, np.arange(3), everybody, Tolerance(1, 1))
    assert levels(found) == ["==x", "==x", "xx="]


@pytest.mark.parametrize("kind", [Kind.CONTINUOUS, Kind.NOMINAL])
def test_blanks_alone_agree_with_nothing(kind):
    empty = pa.nulls(2, pa.float64() if kind is Kind.CONTINUOUS else pa.string())
    assert compared(empty, empty, kind, deviations=1, similarity=0.9) == ["--", "--"]


def test_the_largest_numbers_partly_agree():
    huge = [-1.7e308, 1.7e308, 1.69e308]
    assert compared(huge, huge, Kind.CONTINUOUS, deviations=0.2)[1][2] == "~"


def test_one_value_that_does_not_fit_does_not_hide_the_recoding_of_the_others():
    ages, masked = [20, 20, 21, 21, 35, 35, 36], ["b", *"aaabbb"]
    columns = [ta.read(pa.table({"a": column})) for column in ([*ages, 36], [*masked, "b"])]
    found = column_of(*columns, np.arange(8), "a").known.to_pylist()
    assert found == [None, None, "a", "a", "b", "b", "b", "b"]

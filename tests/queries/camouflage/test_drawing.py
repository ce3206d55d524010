"""Numbers of values: the same at every start, other ones under another key, and even."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import tacita as ta
from tacita.queries.camouflage.drawing import occurrences, point_of_simplex, uniforms
from tacita.queries.public_classes import PublicClasses

KEY = b"k" * 32
ROLES = {"sector": "key", "salary": "confidential"}


def classes(sectors: str, salaries: list[float]) -> PublicClasses:
    table = pa.table({"sector": list(sectors), "salary": salaries})
    return PublicClasses.of(ta.read(table, roles=ROLES), "firms")


def by_value(data: PublicClasses, key: bytes = KEY) -> dict[tuple, tuple]:
    """Return the numbers by sector, salary and which one of those alike it is."""
    drawn = uniforms(data, "salary", key, 4)
    sectors = data.columns["sector"].of_classes().to_pylist()
    values = data.numbers("salary")
    nth = occurrences(data.of_record, values)
    words = list(zip((sectors[of] for of in data.of_record), values, nth, strict=True))
    assert len(set(words)) == len(words)
    return dict(zip(words, map(tuple, drawn), strict=True))


def test_others_that_come_and_go_change_nothing() -> None:
    few = by_value(classes("aabb", [5, 5, 5, 7]))
    more = by_value(classes("cabab", [1, 5, 7, 5, 5]))
    assert few == {word: more[word] for word in few}
    assert len(set(few.values())) == 4
    other = by_value(classes("aabb", [5, 5, 5, 7]), b"l" * 32)
    assert not set(few.values()) & set(other.values())


def test_numbers_are_even_and_independent() -> None:
    values = np.arange(1.0, 3001.0)
    drawn = uniforms(classes("a" * 3000, list(values)), "salary", KEY, 4)
    assert drawn.min() > 0
    assert drawn.max() < 1
    for column in drawn.T:
        assert stats.kstest(column, "uniform").pvalue > 1e-4
    assert np.abs(np.corrcoef(drawn.T) - np.eye(4)).max() < 0.08


def test_many_numbers_are_as_even_and_the_first_are_those_of_fewer() -> None:
    data = classes("a" * 2000, list(np.arange(1.0, 2001.0)))
    drawn = uniforms(data, "salary", KEY, 13)
    assert (drawn[:, :8] == uniforms(data, "salary", KEY, 8)).all()
    assert np.abs(np.corrcoef(drawn.T) - np.eye(13)).max() < 0.1
    for column in drawn.T[8:]:
        assert stats.kstest(column, "uniform").pvalue > 1e-4
    weights = point_of_simplex("salary", KEY, 12)
    assert weights.sum() == pytest.approx(1)
    assert len(set(weights)) == 12


def test_weights_are_even_in_the_simplex() -> None:
    """One of three weights that add up to 1 is above t with probability (1 - t)^2."""
    weights = np.array([point_of_simplex(str(n), KEY, 3) for n in range(3000)])
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert weights.min() > 0
    for column in weights.T:
        assert stats.kstest(1 - (1 - column) ** 2, "uniform").pvalue > 1e-4


def test_no_two_values_have_the_same_numbers() -> None:
    """Also if an insider's record is a class of its own beside one like it."""
    table = pa.table({"sector": list("aab"), "salary": [5.0, 5.0, 5.0]})
    known = np.array([True, False, False])
    data = PublicClasses.of(ta.read(table, roles=ROLES), "firms", known)
    drawn = uniforms(data, "salary", KEY, 3)
    later = uniforms(data, "salary", KEY, 3, version=1)
    assert len(np.unique(np.vstack([drawn, later]), axis=0)) == 6

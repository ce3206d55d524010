"""Protection sets: the truth inside, bounds as wide as promised, nothing told about the place."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.queries.camouflage.protection_set import Needs, enclosed
from tacita.queries.public_classes import PublicClasses
from tacita.queries.updating import updated

pytestmark = pytest.mark.numeric

SEEDS = st.integers(0, 2**32 - 1)


def needs_of(rng: np.random.Generator, size: int, relative: float, width: float) -> Needs:
    """Ask for bounds in half of the records, on either side of the value."""
    lower = np.where(rng.random(size) < 0.5, rng.normal(0, 100, size), np.nan)
    upper = np.where(rng.random(size) < 0.5, rng.normal(0, 100, size), np.nan)
    return Needs(relative, width, lower, upper)


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.integers(3, 7), st.sampled_from([0.05, 0.3, 0.9]), st.sampled_from([0.0, 40.0]))
def test_every_mixture_would_have_had_the_same_set(seed, vertices, relative, width) -> None:
    """So that the set tells nothing about which of its mixtures is the truth."""
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 100, 20)
    needs = needs_of(rng, 20, relative, width)
    drawn = rng.random((20, vertices))
    weights, others = rng.dirichlet(np.ones(vertices), 2)
    found = enclosed(values, drawn, weights, needs)
    np.testing.assert_allclose(found @ weights, values, atol=1e-9)
    again = enclosed(found @ others, drawn, others, needs)
    np.testing.assert_allclose(again, found, rtol=1e-6, atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(SEEDS, st.sampled_from([0.05, 0.3, 0.9]), st.sampled_from([0.0, 40.0]))
def test_bounds_are_as_wide_as_promised_and_no_wider(seed, relative, width) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(0, 100, 20)
    needs = needs_of(rng, 20, relative, width)
    found = enclosed(values, rng.random((20, 3)), rng.dirichlet(np.ones(3)), needs)
    lower, upper = found.min(axis=1), found.max(axis=1)
    gaps = np.array(
        [
            upper - lower - relative * np.maximum(np.abs(lower), np.abs(upper)),
            upper - lower - width,
            np.where(np.isnan(needs.lower), np.inf, needs.lower - lower),
            np.where(np.isnan(needs.upper), np.inf, upper - needs.upper),
        ]
    )
    scale = upper - lower
    assert (gaps >= -1e-7 * scale).all()
    assert (gaps.min(axis=0) <= 1e-7 * scale).all()


def test_blanks_stay_blank() -> None:
    needs = Needs(0.3, 5.0, np.array([1.0, np.nan]), np.full(2, np.nan))
    found = enclosed(np.array([np.nan, 9.0]), np.eye(3)[:2], np.full(3, 1 / 3), needs)
    assert np.isnan(found[0]).all()
    assert not np.isnan(found[1]).any()


@pytest.fixture
def before() -> ta.Microdata:
    roles = {"id": "identifier", "sector": "key", "salary": "confidential"}
    columns = {
        "id": [1, 2, 3, 4, 5, 6],
        "sector": ["IT", "IT", "IT", "HC", "HC", "HC"],
        "salary": [500.0, 500.0, 700.0, 500.0, None, 300.0],
    }
    return ta.read(pa.table(columns), roles=roles)


def rows_by_value(camouflage) -> dict[tuple, set]:
    """Return the vertices of each sector and salary."""
    data = camouflage.data
    sectors = data.columns["sector"].of_classes().to_pylist()
    found: dict[tuple, set] = {}
    values = data.numbers("salary")
    for row in np.flatnonzero(~np.isnan(values)):
        word = sectors[data.of_record[row]], values[row]
        found.setdefault(word, set()).add(tuple(camouflage.vertices[row]))
    return found


def test_what_does_not_change_keeps_its_vertices(before) -> None:
    policy, key = ta.Camouflage(0.3), b"k" * 32
    table = before.to_arrow()
    # 1 moves to another sector, 3 gets another salary, 4 is gone, 5 gets one, 7 is new.
    after = ta.read(
        pa.table(
            {
                "id": [1, 2, 3, 5, 6, 7],
                "sector": ["HC", "IT", "IT", "HC", "HC", "IT"],
                "salary": [500.0, 500.0, 701.0, 450.0, 300.0, 500.0],
            },
            schema=table.schema,
        ),
        roles={"id": "identifier", "sector": "key", "salary": "confidential"},
    )
    old = policy.drawn(PublicClasses.of(before, "firms"), "salary", key)
    update = updated(old.data, before, after, "id")
    new = policy.drawn(update.data, "salary", key, 1).keep(old, update.values["salary"])
    was, now = rows_by_value(old), rows_by_value(new)
    assert now["HC", 300.0] == was["HC", 300.0]
    assert now["HC", 500.0] < was["IT", 500.0]
    stayed = now["IT", 500.0] & was["IT", 500.0]
    assert stayed | now["HC", 500.0] == was["IT", 500.0]
    # What is new or changed has vertices that nobody has or had.
    every = [row for rows in now.values() for row in rows]
    assert len(set(every)) == len(every) == 6
    assert len(set(every) & {row for rows in was.values() for row in rows}) == 3

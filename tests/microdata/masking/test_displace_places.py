from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError

RADIUS = 6_371_008.8


def great_circle(a, b):
    """Measure distances by the chord between two points of the sphere, in metres."""
    one, other = (_vector(*np.radians(place)) for place in (a, b))
    return 2 * RADIUS * np.arcsin(np.minimum(np.linalg.norm(one - other, axis=0) / 2, 1.0))


def _vector(latitude, longitude):
    level = np.cos(latitude)
    return np.stack([level * np.cos(longitude), level * np.sin(longitude), np.sin(latitude)])


def moved(latitude, longitude, minimum, maximum, seed=0):
    data = ta.read(pa.table({"lat": latitude, "lon": longitude}))
    masked = data.apply(ta.DisplacePlaces("lat", "lon", minimum, maximum), seed=seed)
    return np.array([masked.numbers("lat"), masked.numbers("lon")])


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.floats(-90, 90), st.sampled_from([-90.0, 90.0, 89.9999999])),
            st.one_of(st.floats(-180, 180), st.sampled_from([-180.0, 180.0, 179.9999999])),
        ),
        min_size=1,
        max_size=8,
    ),
    st.floats(10, 1e5),
    st.floats(1, 50),
    st.integers(0, 1000),
)
def test_every_place_moves_by_the_least_to_the_largest_distance(places, minimum, times, seed):
    before = np.array(places).T
    after = moved(*before, minimum, minimum * times, seed)
    away = great_circle(before, after)
    assert (away >= minimum * (1 - 1e-6)).all()
    assert (away <= minimum * times * (1 + 1e-6)).all()
    assert (np.abs(after[0]) <= 90).all()
    assert ((after[1] >= -180) & (after[1] < 180)).all()


def test_all_directions_are_as_likely():
    size = 4000
    before = np.full((2, size), 60.0)
    before[1] += np.arange(size) / 1e9  # different places, so that each moves for itself
    after = moved(*before, 100, 1000)
    north, east = after[0] > before[0], after[1] > before[1]
    for half in (north, east, north == east):
        assert abs(half.mean() - 0.5) < 3 * np.sqrt(0.25 / size)


def test_the_same_place_moves_to_the_same_place():
    after = moved(np.array([1.0, 2.0, 1.0]), np.array([5.0, 5.0, 5.0]), 10, 100)
    assert (after[:, 0] == after[:, 2]).all()
    assert (after[:, 0] != after[:, 1]).any()


def test_the_least_distance_is_at_most_the_largest():
    with pytest.raises(ParameterError, match="found 200 and 100"):
        ta.DisplacePlaces("lat", "lon", 200, 100)

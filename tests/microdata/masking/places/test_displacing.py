from __future__ import annotations

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.masking.places.displacing import RADIUS, displaced, distances_in_ring


def haversine(a, b):
    """Measure great circles by the formula for small angles, in metres."""
    (lat1, lon1), (lat2, lon2) = np.radians(a), np.radians(b)
    half = np.sin((lat2 - lat1) / 2) ** 2
    half = half + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2
    return 2 * RADIUS * np.arcsin(np.sqrt(np.minimum(half, 1.0)))


@given(
    st.floats(-90, 90),
    st.floats(-180, 180),
    st.floats(0, 2 * pi),
    st.floats(0, 7).map(lambda power: 10**power),
)
def test_one_comes_as_far_as_one_goes(latitude, longitude, bearing, distance):
    start = np.array([[latitude], [longitude]])
    end = displaced(*start, np.array([bearing]), np.array([distance]))
    assert haversine(start, np.array(end))[0] == pytest.approx(distance, rel=1e-6)
    assert abs(end[0][0]) <= 90
    assert abs(end[1][0]) <= 180


@pytest.mark.parametrize(
    ("start", "bearing", "end"),
    [
        ((0, 0), 0, (1, 0)),
        ((0, 179.5), pi / 2, (0, -179.5)),
        ((0, -179.5), 3 * pi / 2, (0, 179.5)),
        ((89.5, 30), 0, (89.5, -150)),
        ((-90, 0), 0, (-89, 0)),
    ],
)
def test_a_degree_over_the_date_line_and_the_poles(start, bearing, end):
    degree = np.array([pi / 180 * RADIUS])
    latitude, longitude = displaced(*np.array(start, float)[:, None], np.array([bearing]), degree)
    assert (latitude[0], longitude[0]) == pytest.approx(end, abs=1e-9)


@pytest.mark.parametrize(("minimum", "maximum"), [(0, 1000), (500, 1000), (1e6, 9e6), (5, 5)])
def test_distances_hit_the_ring_evenly(minimum, maximum):
    drawn = distances_in_ring(minimum, maximum, 20_000, np.random.default_rng(1))
    assert minimum <= drawn.min() <= drawn.max() <= maximum
    if minimum == maximum:
        return
    areas = 1 - np.cos(np.array([minimum, (minimum + maximum) / 2, maximum]) / RADIUS)
    inner = (areas[1] - areas[0]) / (areas[2] - areas[0])
    found = (drawn < (minimum + maximum) / 2).mean()
    assert abs(found - inner) < 3 * np.sqrt(inner * (1 - inner) / len(drawn))

from __future__ import annotations

from math import pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.microdata.masking.places.cells import geohash_centres, grid_centres
from tacita.microdata.masking.places.displacing import RADIUS

ALPHABET = "0123456789bcdefghjkmnpqrstuvwxyz"


def decoded(geohash):
    """Return the centre of a geohash by halving as its bits say."""
    ends = {0: [-180.0, 180.0], 1: [-90.0, 90.0]}
    bits = [ALPHABET.index(c) >> shift & 1 for c in geohash for shift in (4, 3, 2, 1, 0)]
    for number, bit in enumerate(bits):
        span = ends[number % 2]
        span[1 - bit] = sum(span) / 2
    return sum(ends[1]) / 2, sum(ends[0]) / 2


@pytest.mark.parametrize(
    ("geohash", "latitude", "longitude"),
    [
        ("ezs42", 42.605, -5.603),
        ("u4pruyd", 57.64911, 10.40744),
        ("9q8yy", 37.7749, -122.4194),
        ("s", 0.0, 0.0),
        ("r3gx2f", -33.8688, 151.2093),
    ],
)
def test_geohashes_that_are_known(geohash, latitude, longitude):
    found = geohash_centres(np.array([latitude]), np.array([longitude]), len(geohash))
    assert (found[0][0], found[1][0]) == pytest.approx(decoded(geohash), abs=1e-12)


PLACES = st.tuples(st.floats(-90, 90), st.floats(-180, 180))


@given(PLACES, st.integers(1, 10))
def test_a_place_lies_in_its_geohash_cell_and_so_does_the_centre(place, length):
    latitude, longitude = (np.array([degrees]) for degrees in place)
    centre = geohash_centres(latitude, longitude, length)
    rows = 2.0 ** (5 * length // 2)
    assert abs(centre[0] - latitude)[0] <= 90 / rows * (1 + 1e-9)
    again = geohash_centres(*centre, length)
    assert (again[0][0], again[1][0]) == (centre[0][0], centre[1][0])


@given(PLACES, st.floats(1.5, 7).map(lambda power: 10**power))
def test_a_place_lies_in_its_grid_cell_and_so_does_the_centre(place, size):
    latitude, longitude = (np.array([degrees]) for degrees in place)
    up, along = grid_centres(latitude, longitude, size)
    belts = max(int(pi * RADIUS // size), 1)
    assert abs(up - latitude)[0] <= 90 / belts * (1 + 1e-9)
    around = 2 * pi * RADIUS * np.cos(np.radians(up[0]))
    cells = max(int(around // size), 1)
    apart = abs(along[0] - longitude[0])
    assert min(apart, 360 - apart) <= 180 / cells * (1 + 1e-9)
    again = grid_centres(up, along, size)
    assert (again[0][0], again[1][0]) == (up[0], along[0])


@pytest.mark.parametrize("size", [20_000, 300_000, 3_000_000])
@pytest.mark.parametrize("latitude", [-89.99, -60.0, 0.0, 45.0, 88.0])
def test_cells_are_as_large_as_said_or_somewhat_larger_everywhere(latitude, size):
    """The centres around the Earth and from pole to pole are counted."""
    along = np.linspace(-180, 180, 20_001, endpoint=False)
    ups, longitudes = grid_centres(np.full(len(along), latitude), along, size)
    wide = 2 * pi * RADIUS * np.cos(np.radians(ups[0])) / len(np.unique(longitudes))
    assert size <= wide < 2 * size
    up = np.linspace(-90, 90, 20_001)
    high = pi * RADIUS / len(np.unique(grid_centres(up, np.zeros(len(up)), size)[0]))
    assert size <= high < 2 * size

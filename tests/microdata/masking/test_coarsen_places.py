from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import ParameterError


def homes(latitude, longitude):
    return ta.read(pa.table({"lat": latitude, "lon": longitude}))


def test_a_geohash_of_five_characters():
    """Leon in Spain lies in ezs42, whose centre is 42.60498, -5.60303."""
    masked = homes([42.6], [-5.6]).apply(ta.CoarsenPlaces("lat", "lon", geohash=5))
    assert masked.table.to_pylist() == [{"lat": 42.60498046875, "lon": -5.60302734375}]


def test_no_place_moves_farther_than_half_the_diagonal_of_its_cell():
    rng = np.random.default_rng(3)
    latitude = np.degrees(np.arcsin(rng.uniform(-0.99, 0.99, 2000)))
    longitude = rng.uniform(-180, 180, 2000)
    masked = homes(latitude, longitude).apply(ta.CoarsenPlaces("lat", "lon", cell=1000))
    up, along = np.radians(masked.numbers("lat")), np.radians(masked.numbers("lon"))
    half = np.sin((up - np.radians(latitude)) / 2) ** 2 + np.cos(up) * np.cos(
        np.radians(latitude)
    ) * (np.sin((along - np.radians(longitude)) / 2) ** 2)
    assert 2 * 6_371_008.8 * np.arcsin(np.sqrt(half)).max() < 1010 * np.sqrt(0.5)


def test_few_places_are_left_and_coarsening_twice_changes_nothing():
    rng = np.random.default_rng(4)
    data = homes(41 + rng.random(500) / 10, 1 + rng.random(500) / 10)
    coarse = ta.CoarsenPlaces("lat", "lon", cell=2500)
    once = data.apply(coarse)
    assert len(once.classes(["lat", "lon"])) <= 6 * 5
    assert once.apply(coarse).table.equals(once.table)


def test_the_poles_and_both_sides_of_the_date_line():
    data = homes([90.0, 90.0, 0.0, 0.0], [3.0, -99.0, 180.0, -180.0])
    for how in ({"cell": 1000}, {"geohash": 6}):
        rows = data.apply(ta.CoarsenPlaces("lat", "lon", **how)).table.to_pylist()
        assert rows[0] == rows[1]
        assert rows[2] == rows[3]


def test_one_kind_of_cell_is_needed():
    with pytest.raises(ParameterError, match="one of `cell` and `geohash`; found none"):
        ta.CoarsenPlaces("lat", "lon")
    with pytest.raises(ParameterError, match="found both"):
        ta.CoarsenPlaces("lat", "lon", cell=5, geohash=5)

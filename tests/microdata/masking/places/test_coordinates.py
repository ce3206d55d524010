from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.masking.places.coordinates import places_of, with_places, wrapped


def test_longitudes_wrap_at_the_date_line():
    assert wrapped(np.array([-180.0, 180.0, 181.0, -181.0])).tolist() == [-180, -180, -179, 179]
    unchanged = np.array([0.1, -179.99999999999997, 179.99999999999997])
    assert wrapped(unchanged).tolist() == unchanged.tolist()


def test_a_coordinate_beside_a_blank_is_suppressed():
    table = pa.table({"lat": [1.0, None, 3.0, None], "lon": [10.0, 20.0, None, None]})
    data = ta.read(table)
    places = places_of(data, "lat", "lon")
    assert places.known.tolist() == [True, False, False, False]
    new = with_places(data, places, np.array([5.0]), np.array([6.0]))
    assert new.table.to_pylist()[0] == {"lat": 5.0, "lon": 6.0}
    assert new.column("lat").null_count == new.column("lon").null_count == 3
    assert new.suppressed_in("lat").tolist() == [False, False, True, False]
    assert new.suppressed_in("lon").tolist() == [False, True, False, False]


def test_every_longitude_of_a_pole_is_one_place():
    data = ta.read(pa.table({"lat": [90.0, 90.0, -90.0], "lon": [5.0, -170.0, 180.0]}))
    assert places_of(data, "lat", "lon").longitude.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("latitude", "longitude", "message"),
    [
        (91.0, 0.0, "A latitude lies between -90 and 90 degrees; `lat` is 91 in record 2"),
        (0.0, -200.5, "A longitude lies between -180 and 180 degrees; `lon` is -200.5 in record 2"),
    ],
)
def test_what_is_no_coordinate_is_refused(latitude, longitude, message):
    data = ta.read(pa.table({"lat": [1.0, latitude], "lon": [1.0, longitude]}))
    with pytest.raises(InputError, match=message):
        places_of(data, "lat", "lon")


def test_the_coordinates_are_two_attributes():
    data = ta.read(pa.table({"lat": [1.0, 2.0]}))
    with pytest.raises(ParameterError, match="two attributes; found `lat`"):
        places_of(data, "lat", "lat")

"""Latitudes and longitudes in data: which records have a place, and how new ones are written."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from tacita.data.classes import Floats, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError

PLACES_STAY_BLANK = (
    "A place with a blank coordinate stays without it, and its other coordinate is suppressed."
)
FARTHEST = {"latitude": 90.0, "longitude": 180.0}


class Places(NamedTuple):
    """The places of the records that have both coordinates, in degrees."""

    names: tuple[str, str]
    known: Mask
    latitude: Floats
    longitude: Floats


def places_of(data: Dataset, latitude: str, longitude: str) -> Places:
    """Return the places in some data.

    Raises:
        ParameterError: one attribute is named for both coordinates.
        InputError: a coordinate is none.
    """
    if latitude == longitude:
        raise ParameterError(f"`latitude` and `longitude` are two attributes; found `{latitude}`.")
    columns = data.numbers(latitude), data.numbers(longitude)
    for (what, most), name, degrees in zip(
        FARTHEST.items(), (latitude, longitude), columns, strict=True
    ):
        wrong = np.abs(degrees) > most
        if wrong.any():
            row = int(wrong.argmax())
            raise InputError(
                f"A {what} lies between -{most:g} and {most:g} degrees; `{name}` is "
                f"{degrees[row]:g} in record {row + 1}. Correct it, or declare it missing."
            ).about(name)
    known = ~(np.isnan(columns[0]) | np.isnan(columns[1]))
    up, along = columns[0][known], columns[1][known]
    at_pole = np.abs(up) == FARTHEST["latitude"]  # where every longitude is the same place
    return Places((latitude, longitude), known, up, np.where(at_pole, 0.0, along))


def with_places(data: Dataset, places: Places, latitude: Floats, longitude: Floats) -> Dataset:
    """Return the data with new places; a coordinate beside a blank is suppressed."""
    for name, degrees in zip(places.names, (latitude, longitude), strict=True):
        values = np.full(len(data), np.nan)
        values[places.known] = degrees
        lost = np.asarray(data.column(name).is_valid()) & ~places.known
        suppressed = data.suppressed_in(name) | lost if lost.any() else None
        column = pa.array(values, pa.float64(), mask=~places.known)
        data = data.with_column(data.attribute(name), column, suppressed)
    return data


def wrapped(longitude: Floats) -> Floats:
    """Return longitudes from -180 up to, but not including, 180 degrees.

    >>> wrapped(np.array([180.0, -190.0, 10.0]))
    array([-180.,  170.,   10.])
    """
    turned = np.mod(longitude + 180.0, 360.0)
    return np.asarray(np.where(np.abs(longitude) < 180.0, longitude, turned - 180.0))  # noqa: PLR2004

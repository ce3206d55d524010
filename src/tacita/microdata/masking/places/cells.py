"""Cells on the sphere, and their centres: of nearly equal size, or of geohashes."""

from __future__ import annotations

from math import floor, pi

import numpy as np

from tacita.arithmetic import cos
from tacita.data.classes import Floats
from tacita.microdata.masking.places.coordinates import wrapped
from tacita.microdata.masking.places.displacing import RADIUS

Centres = tuple[Floats, Floats]
BITS = 5  # of a character of a geohash


def grid_centres(latitude: Floats, longitude: Floats, size: float) -> Centres:
    """Return the centres of the cells, at least about so many metres high and wide, of places.

    The sphere is cut into floor(pi R / size) belts of latitude, and every belt into
    floor(2 pi R cos(middle) / size) cells of longitude, one at least.
    """
    belts = max(floor(pi * RADIUS / size), 1)
    belt = _cell(latitude, -90.0, 180.0 / belts, belts)
    middle = -90.0 + (belt + 0.5) * (180.0 / belts)
    around = np.floor(2 * pi * RADIUS * cos(np.radians(middle)) / size)
    cells = np.maximum(around, 1.0)
    cell = _cell(wrapped(longitude), -180.0, 360.0 / cells, cells)
    return middle, -180.0 + (cell + 0.5) * (360.0 / cells)


def geohash_centres(latitude: Floats, longitude: Floats, length: int) -> Centres:
    """Return the centres of the cells whose geohash has so many characters.

    Each character halves five times, the longitude first and then in turn.
    """
    halvings = BITS * length // 2
    rows, columns = 2.0**halvings, 2.0 ** (BITS * length - halvings)
    row = _cell(latitude, -90.0, 180.0 / rows, rows)
    column = _cell(wrapped(longitude), -180.0, 360.0 / columns, columns)
    return -90.0 + (row + 0.5) * (180.0 / rows), -180.0 + (column + 0.5) * (360.0 / columns)


def _cell(degrees: Floats, start: float, width: float | Floats, cells: float | Floats) -> Floats:
    """Return the number of the cell that holds each coordinate; the last one holds the end."""
    return np.asarray(np.clip(np.floor((degrees - start) / width), 0.0, cells - 1))

"""Moving places along great circles of the sphere."""

from __future__ import annotations

import numpy as np

from tacita.arithmetic import arctan2, cos, sin
from tacita.data.classes import Floats

RADIUS = 6_371_008.8  # metres: the mean radius of the Earth (IUGG)


def displaced(
    latitude: Floats, longitude: Floats, bearing: Floats, distance: Floats
) -> tuple[Floats, Floats]:
    """Return where one comes to from places (degrees) by bearings (radians) and metres.

    The place p is turned in the plane of p and the direction u it leaves in: p cos(d / R) +
    u sin(d / R). As vectors, places at the poles and the date line are like all others.

    >>> from math import pi
    >>> north = displaced(*np.array([[89.0], [10.0], [0.0], [pi / 90 * RADIUS]]))
    >>> np.round(north, 9).ravel()
    array([  89., -170.])
    """
    up, along = np.radians(latitude), np.radians(longitude)
    point = np.stack([cos(up) * cos(along), cos(up) * sin(along), sin(up)])
    north = np.stack([-sin(up) * cos(along), -sin(up) * sin(along), cos(up)])
    east = np.stack([-sin(along), cos(along), np.zeros(len(along))])
    leaving = cos(bearing) * north + sin(bearing) * east
    angle = distance / RADIUS
    x, y, z = cos(angle) * point + sin(angle) * leaving
    return np.degrees(arctan2(z, np.sqrt(x * x + y * y))), np.degrees(arctan2(y, x))


def distances_in_ring(
    minimum: float, maximum: float, size: int, rng: np.random.Generator
) -> Floats:
    """Draw distances from a place such that the ring around it is hit evenly.

    The cap within distance d has the area 4 pi R^2 sin^2(d / 2R), so that this square is uniform.

    Args:
        minimum: the inner radius (metres).
        maximum: the outer radius (metres, up to half the way round the sphere).
        size: how many to draw.
        rng: where from.
    """
    inner, outer = (sin(end / (2 * RADIUS)) ** 2 for end in (minimum, maximum))
    drawn = 2 * RADIUS * _angle(rng.uniform(inner, outer, size))
    return np.asarray(np.clip(drawn, minimum, maximum))


def _angle(square: Floats) -> Floats:
    """Return the angles, up to a quarter turn, whose squared sines are given."""
    return arctan2(np.sqrt(square), np.sqrt(1 - square))

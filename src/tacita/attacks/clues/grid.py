"""Coordinates on a grid: latitudes are the middles of belts of one height."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import floor, log10, pi

import numpy as np

from tacita.arithmetic import log
from tacita.attacks.clues.guess import REPORTED, Guess, chance_of
from tacita.attacks.clues.values import counted, numeric
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.microdata.masking.places.displacing import RADIUS

LATITUDE = re.compile(r"(^|_)(lat|latitude)($|_)", re.IGNORECASE)
LONGITUDE = re.compile(r"(^|_)(lon|lng|long|longitude)($|_)", re.IGNORECASE)
HALF = 90.0
NEAR = 1e-4  # of a belt, what a middle may be off
FEWEST = 4  # different latitudes
GEOHASHES = {2 ** (5 * length // 2): length for length in range(1, 11)}


def look(data: Dataset) -> Iterator[Guess]:
    """Find latitudes on a grid; by assumption others lie anywhere in a belt with equal chances."""
    places = [name for name in numeric(data) if LATITUDE.search(name)]
    beside = [name for name in numeric(data) if LONGITUDE.search(name)]
    for name in places:
        values = counted(data, name).values
        belts = _belts(values)
        if belts is not None:
            yield _guess((name, *beside[:1]), belts, len(values))


def _belts(latitudes: Floats) -> int | None:
    """Return into how many belts the sphere is cut, if all latitudes are middles of them."""
    within = latitudes[np.abs(latitudes) <= HALF]
    if len(within) < max(FEWEST, len(latitudes)):
        return None
    widest = 2 * HALF / np.diff(within).min()
    belts = round(widest)
    if belts > 1 / NEAR**2 or _chance(len(within)) > REPORTED:
        return None
    place = (within + HALF) / (2 * HALF) * belts - 0.5
    return belts if np.all(np.abs(place - np.round(place)) <= NEAR) else None


def _chance(different: int) -> float:
    return chance_of((different - 2) * log(2 * NEAR))


def _guess(names: tuple[str, ...], belts: int, different: int) -> Guess:
    height = pi * RADIUS / belts
    said = {"geohash": GEOHASHES[belts]} if belts in GEOHASHES else {"cell": _roundest(belts)}
    return Guess(
        "coarsen_places",
        names,
        said,
        f"{different:,} different latitudes are middles of {belts:,} belts, each {height:,.0f} "
        "metres high",
        _chance(different),
        narrows=f"each place lies within {height / 2:,.0f} metres of the released latitude",
    )


def _roundest(belts: int) -> float:
    """Return the number of fewest digits that gives so many belts."""
    low, high = pi * RADIUS / (belts + 1), pi * RADIUS / belts
    for digits in range(floor(log10(high)), -3, -1):
        unit = 10.0**digits
        multiple = floor(high / unit) * unit
        if low < multiple <= high:
            return float(f"{multiple:.6g}")
    return float(f"{high:.6g}")

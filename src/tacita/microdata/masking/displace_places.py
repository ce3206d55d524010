"""Geographic displacement: places move in a random direction, neither too near nor too far."""

from __future__ import annotations

from math import pi
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.dataset import Dataset
from tacita.method import AttributeName, Method
from tacita.microdata.masking.perturbing.numbers import NUMERIC
from tacita.microdata.masking.places.coordinates import (
    PLACES_STAY_BLANK,
    places_of,
    with_places,
    wrapped,
)
from tacita.microdata.masking.places.displacing import displaced, distances_in_ring
from tacita.validity import Change


class DisplacePlaces(Method):
    """Move every place in a random direction by a random distance (donut masking).

    The new place is uniform by area in the ring between `minimum` and `maximum` metres around the
    old one, along great circles of the sphere of radius R = 6,371,008.8 m: sin^2(d / 2R) is uniform
    between its values at the ends, the bearing between 0 and 2 pi. Records with exactly the same
    coordinates move together, since the mean of many moves would show where they were.

    When not to use it: where places can be ruled out (the sea, a forest, the other side of a
    border), or where people live so far apart that nobody else is within `maximum`; coarsen there.
    A respondent who appears at several near places is displaced at each anew.

    >>> import tacita as ta, pyarrow as pa
    >>> homes = ta.read(pa.table({"lat": [41.1189, 41.1189], "lon": [1.2445, 1.2445]}))
    >>> moved = homes.apply(ta.DisplacePlaces("lat", "lon", 100, 500), seed=1).table.to_pylist()
    >>> moved[0] == moved[1], moved[0] == homes.table.to_pylist()[0]
    (True, False)
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Hampton et al., Mapping health data: improved privacy protection with donut method "
        "geomasking, American J. Epidemiology 172(9), 2010"
    )
    missing: ClassVar = PLACES_STAY_BLANK
    example: ClassVar = {
        "latitude": "weight",
        "longitude": "age",
        "minimum": 100,
        "maximum": 1000,
    }
    public: ClassVar = frozenset({"latitude", "longitude"})
    draws: ClassVar = True

    latitude: Annotated[AttributeName, Field(description="The latitudes (degrees, -90 to 90).")]
    longitude: Annotated[AttributeName, Field(description="The longitudes (degrees, -180 to 180).")]
    minimum: Annotated[float, Field(description="The least distance (metres, 0 or more).", ge=0)]
    maximum: Annotated[
        float, Field(description="The largest distance (metres, up to 10,000,000).", gt=0, le=1e7)
    ]

    @model_validator(mode="after")
    def _is_a_ring(self) -> Self:
        if self.minimum > self.maximum:
            raise ValueError(
                "`minimum` of `displace_places` must not be greater than `maximum`; found "
                f"{self.minimum:g} and {self.maximum:g}."
            )
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with every place displaced."""
        places = places_of(data, self.latitude, self.longitude)
        classes = data.classes((self.latitude, self.longitude))
        bearings = rng.uniform(0.0, 2 * pi, len(classes))
        distances = distances_in_ring(self.minimum, self.maximum, len(classes), rng)
        own = classes.of_record[places.known]
        moved = displaced(places.latitude, places.longitude, bearings[own], distances[own])
        return with_places(data, places, moved[0], wrapped(moved[1]))

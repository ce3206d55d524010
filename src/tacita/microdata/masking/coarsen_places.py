"""Geographic coarsening: coordinates become the centre of a cell."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.dataset import Dataset
from tacita.method import AttributeName, Method
from tacita.microdata.masking.perturbing.numbers import NUMERIC
from tacita.microdata.masking.places.cells import geohash_centres, grid_centres
from tacita.microdata.masking.places.coordinates import PLACES_STAY_BLANK, places_of, with_places
from tacita.validity import Change


class CoarsenPlaces(Method):
    """Replace coordinates by the centre of the cell of a grid that they lie in.

    With `cell` (metres) the sphere (radius 6,371,008.8 m) is cut into floor(pi R / cell) belts of
    latitude, and each into floor(2 pi R cos(its middle) / cell) cells of longitude: everywhere they
    are about as high and wide as said and never much narrower, near the poles too. With `geohash`
    the cells are those of geohashes of so many characters: 5 for about 4.9 km, 6 for 1.2 by 0.6 km,
    narrower away from the equator. Places on the date line are the same from both sides.

    When not to use it: where few people live in a cell; a farm alone in its square kilometre stays
    alone. Count the records of each cell (`uniqueness`), and take larger cells or suppress.

    >>> import tacita as ta, pyarrow as pa
    >>> homes = ta.read(pa.table({"lat": [41.1189, 41.1187], "lon": [1.2445, 1.2460]}))
    >>> coarse = homes.apply(ta.CoarsenPlaces("lat", "lon", geohash=5), seed=0)
    >>> coarse.table.to_pylist()[0] == coarse.table.to_pylist()[1]
    True
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = (
        "Armstrong, Rushton & Zimmerman, Geographically masking health data to preserve "
        "confidentiality, Statistics in Medicine 18(5), 1999"
    )
    missing: ClassVar = PLACES_STAY_BLANK
    example: ClassVar = {"latitude": "weight", "longitude": "age", "cell": 50_000}
    by_record: ClassVar = True
    public: ClassVar = frozenset({"latitude", "longitude", "cell", "geohash"})

    latitude: Annotated[AttributeName, Field(description="The latitudes (degrees, -90 to 90).")]
    longitude: Annotated[AttributeName, Field(description="The longitudes (degrees, -180 to 180).")]
    _: KW_ONLY
    cell: Annotated[
        float | None,
        Field(description="The height and width of cells (metres, 1 to 20,000,000).", ge=1, le=2e7),
    ] = None
    geohash: Annotated[
        int | None,
        Field(description="The number of characters of a geohash (1 to 10).", ge=1, le=10),
    ] = None

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.cell is None) == (self.geohash is None):
            found = "none" if self.cell is None else "both"
            raise ValueError(f"`coarsen_places` needs one of `cell` and `geohash`; found {found}.")
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with every place at the centre of its cell."""
        places = places_of(data, self.latitude, self.longitude)
        if self.cell is not None:
            centres = grid_centres(places.latitude, places.longitude, self.cell)
        else:
            centres = geohash_centres(places.latitude, places.longitude, self.geohash or 1)
        return with_places(data, places, *centres)

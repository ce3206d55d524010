"""EZS noise: factors away from 1, one direction a holding, so that totals change by little."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import AttributeName, AttributeNames, Method
from tacita.microdata.masking.balancing.directions import balanced, going_together
from tacita.microdata.masking.balancing.sensitive import sensitive_cells
from tacita.microdata.masking.perturbing.numbers import (
    BLANKS_STAY,
    NUMERIC,
    Perturbed,
    numbers_of,
    refuse_overflow,
    with_numbers,
)
from tacita.preserved import Statistic, always, expected
from tacita.results import exactly
from tacita.validity import Change

PERCENT = 100


class EzsNoise(Method):
    """Multiply the values of establishments by factors away from 1, before tables are made of them.

    A record is multiplied by f = 1 + d or 1 - d, where d lies between `least` and `most`: with the
    density 2 (most - d) / (most - least)^2 (triangular), or uniform. All attributes of a record
    have one factor, so that their ratios stay, and all records of a holding go the same way. With
    sampling weights w only the respondent's own part has noise, w - 1 + f instead of w: a value
    becomes x (w - 1 + f) / w, so that a record which stands for many others hardly changes.

    With `by`, directions are balanced: holdings, those with most noise first, go against the noise
    that is already in their cells of the table that these attributes span, so that cells of many
    contributors, and all totals, change by little. Where the p%-rule calls a cell of that table or
    of one of its margins sensitive (`sensitive` is p), all contributors go one way: with `least` no
    smaller than p percent the cell then changes by more than its protection level, if values are
    not negative. With sampling weights that is the level of the table without them: a weight is
    taken for protection, which it is not where rules judge respondents. Balance is that of the
    first attribute; blanks add nothing.

    When not to use it: on values around 0; where intruders know the order of contributors so well
    that they can tell from it who goes which way; where many sensitive cells hang together, which
    must all go one way.

    >>> import tacita as ta
    >>> toy = ta.example("toy")
    >>> noise = ta.EzsNoise("income", least=0.1, most=0.2, by="region")
    >>> before, after = toy.numbers("income"), toy.apply(noise, seed=0).numbers("income")
    >>> bool(abs(np.nansum(after) / np.nansum(before) - 1) < 0.001)
    True
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (
        expected(Statistic.MEANS),
        expected(Statistic.TOTALS),
        always(Statistic.RATIOS),
        always(Statistic.SIGNS),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Evans, Zayatz & Slanta, Using noise for disclosure limitation of establishment tabular "
        "data, J. Official Statistics 14(4), 1998, pp. 537-551; Massell & Funk, Recent "
        "developments in the use of noise for protecting magnitude data tables: balancing to "
        "improve data quality and rounding that preserves protection, FCSM Research Conference 2007"
    )
    missing: ClassVar = BLANKS_STAY
    example: ClassVar = {"attributes": ["income"], "least": 0.1, "most": 0.2}
    public: ClassVar = frozenset({"attributes", "distribution", "holding", "by"})
    draws: ClassVar = True

    attributes: Perturbed
    _: KW_ONLY
    least: Annotated[float, Field(description="The smallest change, as a share.", gt=0, lt=1)]
    most: Annotated[float, Field(description="The largest change, as a share.", gt=0, lt=1)]
    distribution: Annotated[
        Literal["triangular", "uniform"],
        Field(description="How changes lie between the smallest and the largest."),
    ] = "triangular"
    holding: Annotated[
        AttributeName | None,
        Field(description="The attribute that says whose record it is; each by itself without."),
    ] = None
    by: Annotated[
        AttributeNames | None,
        Field(
            description="The attributes that span the table in which noise is balanced.",
            max_length=6,
        ),
    ] = None
    sensitive: Annotated[
        float | None,
        Field(
            description="How well the largest contribution may be estimated, in percent (the "
            "p%-rule): in cells where it may be better, all noise goes one way.",
            gt=0,
        ),
    ] = None

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        if self.least >= self.most:
            raise ValueError(
                f"`least` of `{self.name}` must be below `most`; found {self.least:g} and "
                f"{self.most:g}."
            )
        if self.sensitive is None:
            return self
        if self.by is None:
            raise ValueError(f"`sensitive` of `{self.name}` needs `by`, which spans the table.")
        if exactly(self.least) * PERCENT < exactly(self.sensitive):
            raise ValueError(
                f"`least` of `{self.name}` must be {self.sensitive:g} percent or more, so that "
                f"sensitive cells change by their protection level; found {self.least:g}."
            )
        return self

    def named_attributes(self) -> list[str]:
        """Return the attributes that must be numbers; holdings and cells may be of any kind."""
        return list(self.attributes)

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with the values multiplied."""
        if not len(data):
            return data
        values, weights = numbers_of(data, self.attributes), _weights(data)
        shares = self._shares(len(data), rng)
        directions, cells = self._directions(data, values, shares, rng)
        with np.errstate(over="ignore", invalid="ignore"):
            moved = values * (1 + directions * shares / weights)[:, None]
        refuse_overflow(np.where(np.isnan(values), 0.0, moved))
        return with_numbers(data, self.attributes, moved).noting(sensitive_cells=cells)

    def _shares(self, records: int, rng: np.random.Generator) -> Floats:
        """Draw by how much each record changes, whichever way it goes."""
        drawn = rng.random(records)
        ramp = drawn if self.distribution == "uniform" else 1 - np.sqrt(drawn)
        return self.least + (self.most - self.least) * ramp

    def _directions(
        self, data: Dataset, values: Floats, shares: Floats, rng: np.random.Generator
    ) -> tuple[Ints, int]:
        """Return which way each record goes, and how many cells are sensitive."""
        holders = self._holders(data)
        if self.by is None:
            return (2 * rng.integers(0, 2, int(holders.max()) + 1) - 1)[holders], 0
        lots, sensitive = holders, 0
        if self.sensitive is not None:
            found = sensitive_cells(data, self.by, holders, values, self.sensitive)
            lots, sensitive = going_together(holders, found), len(found)
        noise = np.nan_to_num(values[:, 0]) * shares
        return balanced(lots, data.classes(self.by).of_record, noise, rng), sensitive

    def _holders(self, data: Dataset) -> Ints:
        """Return numbers of holdings; a record that names none is one by itself."""
        records = np.arange(len(data))
        if self.holding is None:
            return records
        classes, blank = data.classes([self.holding]), data.column(self.holding).is_null()
        return np.where(np.asarray(blank), len(classes) + records, classes.of_record)


def _weights(data: Dataset) -> Floats:
    """Return the sampling weights, 1 where there are none.

    Raises:
        InputError: a record stands for less than itself.
    """
    if data.weight is None:
        return np.ones(len(data))
    if (data.weight < 1).any():
        raise InputError(
            f"`ezs_noise` takes a record for itself and those it stands for, a sampling weight of "
            f"1 or more; found {data.weight.min():g}."
        )
    return data.weight

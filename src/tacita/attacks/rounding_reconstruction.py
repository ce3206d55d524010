"""Rounding reconstruction: rounded values narrowed by sums, grids and the other records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.attacks.baseline.naive import beside_naive
from tacita.attacks.deducing.rounding_grids import (
    Bounds,
    Identity,
    balanced,
    counted,
    found_identities,
    grid_of,
    leaning,
    narrowed,
    near,
    on_grid,
    read_identity,
)
from tacita.data.attribute import Kind, Role
from tacita.data.classes import Floats, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import AttributeName, AttributeNames, Method
from tacita.microdata.comparing.confidence import share_interval
from tacita.microdata.comparing.pairs import paired
from tacita.results import Measurement, Number, listed
from tacita.validity import OF_RESPONDENTS, Use

Grids = Mapping[AttributeName, Annotated[float, Field(gt=0)]]
Masks = Mapping[str, Mask]
NO_VALUES = (Role.WEIGHT, Role.IDENTIFIER, Role.HOUSEHOLD, Role.STRATUM)


class RoundingReconstruction(Method):
    """The share of rounded values that an intruder finds within some percent of the truth.

    A value released as r under the base b lies in [r - b/2, r + b/2) and on the grid of its true
    values (whole numbers, cents), from 0 on where nothing below is released. Sums that must hold,
    as total = a + b, leave each of their terms only what the bounds of the others do; bounds are
    drawn closer until none moves. Within them the guess is the mean under a density that the
    neighbouring released values show, moved so that the sums hold. It is right when it misses the
    truth by no more than `width` times the truth.

    Targets are the values that rounding hides, all of them if it hides none. `naive_guess` is the
    share of released values that are as near, `determined` the share of targets that only one
    number fits in the end, which is the true one, and `mean_width` how wide the bounds are then, as
    a share of the base.

    Without `bases` an attribute's base is the largest decimal number of which all its released
    values are multiples; without `units`, the intruder knows the same of the true values. Without
    `identities` those are taken that the released file shows: two or three attributes (two, where
    there are more than 16) that add up to another one in all records, but for the rounding.

    When not to use it: on rounding to uneven points, whose sets have other bounds.

    >>> import numpy as np, pyarrow as pa, tacita as ta
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.integers(0, 900, (2, 200))
    >>> books = ta.read(pa.table({"a": a, "b": b, "total": a + b}))
    >>> safe = books.apply(ta.RoundValues(["a", "b", "total"], base=10))
    >>> found = ta.RoundingReconstruction().measure(books, safe)
    >>> float(found.value) > float(found.figures["naive_guess"]), found.figures["identities"]
    (True, 1)
    """

    applies_to: ClassVar = frozenset({Kind.CONTINUOUS})
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.RELEASE
    reference: ClassVar = (
        "Willenborg & de Waal, Elements of Statistical Disclosure Control, Springer 2001, ch. 5; "
        "bounds as in Fellegi & Holt, J. American Statistical Association 71, 1976"
    )
    missing: ClassVar = "Blanks are no targets, and sums with a blank say nothing."
    public: ClassVar = frozenset({"attributes", "bases", "width"})
    costly: ClassVar = True

    attributes: Annotated[
        AttributeNames | None,
        Field(
            description="The rounded attributes, and those that add up with them; by default "
            "all numbers."
        ),
    ] = None
    _: KW_ONLY
    bases: Annotated[
        Grids | None,
        Field(description="The bases of the rounding (above 0); as the file shows when left out."),
    ] = None
    units: Annotated[
        Grids | None,
        Field(description="The grids of the true values (above 0), 1 for whole numbers."),
    ] = None
    identities: Annotated[
        tuple[str, ...] | None,
        Field(
            description="Sums that hold, as `total = part + other`; as the file shows when left "
            "out."
        ),
    ] = None
    width: Annotated[
        float, Field(description="How far a right guess may be off, as a share of the truth.", ge=0)
    ] = 0.01

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Reconstruct the values of the rounded attributes."""
        # Sums of very large numbers have no double; nothing is said of these.
        with np.errstate(over="ignore", invalid="ignore"):
            return self._reconstructed(original, protected)

    def _reconstructed(self, original: Dataset, protected: Dataset) -> Measurement:
        names = self._names(original, protected)
        known = paired(original, protected)
        truth = {name: known.numbers(name) for name in names}
        released = {name: protected.numbers(name) for name in names}
        units = {name: (self.units or {}).get(name) or grid_of(truth[name]) for name in names}
        bases = {name: self._base(name, released[name], units[name]) for name in names}
        identities = self._identities(released, bases)
        first = {name: Bounds.of(released[name], bases[name], units[name]) for name in names}
        bounds = narrowed(first, identities)
        guesses = _guesses(released, bases, bounds, identities)
        targets = _targets(truth, released, first)
        hits = {name: near(guesses[name], truth[name], self.width) for name in names}
        naive = {name: near(released[name], truth[name], self.width) for name in names}
        points = {n: bounds[n].is_point & near(bounds[n].low, truth[n], 0.0) for n in names}
        figures = {
            "determined": _share(points, targets),
            "mean_width": _mean_width(bounds, bases, targets),
            "identities": len(identities),
        }
        return self._told(hits, naive, targets, figures)

    def _names(self, original: Dataset, protected: Dataset) -> list[str]:
        names = [
            name
            for name in (self.attributes or protected.names)
            if name in protected.attributes
            and name in original.attributes
            and all(
                data.attribute(name).kind is Kind.CONTINUOUS
                and (self.attributes or not data.attribute(name).roles & set(NO_VALUES))
                for data in (original, protected)
            )
        ]
        if not names:
            raise InputError(
                "Rounding is attacked on numbers that are released as numbers; found none. Name "
                "others in `attributes`."
            )
        return names

    def _base(self, name: str, released: Floats, unit: float | None) -> float:
        """Return the base that is known or shown; a file without a grid was not rounded."""
        given = (self.bases or {}).get(name)
        return given or grid_of(released) or unit or 0.0

    def _identities(
        self, released: Mapping[str, Floats], bases: Mapping[str, float]
    ) -> list[dict[str, int]]:
        if self.identities is None:
            return found_identities(released, bases)
        return [read_identity(said, list(released)) for said in self.identities]

    def _told(
        self, hits: Masks, naive: Masks, targets: Masks, figures: Mapping[str, Number | None]
    ) -> Measurement:
        values, right, as_released = (
            sum(counted(found[name] & targets[name]) for name in targets)
            for found in (targets, hits, naive)
        )
        share = _share(hits, targets)
        return Measurement(
            self.name,
            self.family,
            share,
            f"{right:,} of {values:,} values of {listed(list(targets))} are found within "
            f"{100 * self.width:g} % of the truth; {as_released:,} released ones are as near",
            parts={
                name: counted(hits[name] & mask) / max(counted(mask), 1)
                for name, mask in targets.items()
            },
            parameters=self.parameters(),
            figures={**beside_naive("guess", share, _share(naive, targets)), **figures},
            interval=share_interval(right, values),
        )


def _targets(
    truth: Mapping[str, Floats], released: Mapping[str, Floats], bounds: Mapping[str, Bounds]
) -> Masks:
    """Return the values that rounding hides; all of them if it hides none."""
    there = {name: ~(np.isnan(truth[name]) | np.isnan(released[name])) for name in truth}
    hidden = {name: mask & ~bounds[name].is_point for name, mask in there.items()}
    rounded = {name: mask for name, mask in hidden.items() if mask.any()}
    return rounded or there


def _share(found: Masks, targets: Masks) -> Fraction | None:
    values = sum(map(counted, targets.values()))
    right = sum(counted(found[name] & mask) for name, mask in targets.items())
    return Fraction(right, values) if values else None


def _mean_width(
    bounds: Mapping[str, Bounds], bases: Mapping[str, float], targets: Masks
) -> float | None:
    """Return how wide the bounds of values are, as a share of the bases."""
    widths = [
        bounds[name].width[mask] / bases[name] for name, mask in targets.items() if bases[name]
    ]
    joined = np.concatenate([np.zeros(0), *widths])
    return float(joined.mean()) if len(joined) else None


def _guesses(
    released: Mapping[str, Floats],
    bases: Mapping[str, float],
    bounds: Mapping[str, Bounds],
    identities: Sequence[Identity],
) -> dict[str, Floats]:
    """Return the means within the bounds, made to add up."""
    guesses = {}
    for name, values in released.items():
        lean = leaning(values, bases[name]) if bases[name] else 0.0
        guesses[name] = np.clip(values + lean, bounds[name].low, bounds[name].high)
    for identity in identities:
        guesses = balanced(guesses, bounds, identity)
    return {name: on_grid(values, bounds[name]) for name, values in guesses.items()}

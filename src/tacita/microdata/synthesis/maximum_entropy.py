"""Maximum entropy synthesis: the least committed distribution that keeps chosen statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar, Self

import numpy as np
import pyarrow as pa
from pydantic import Field, model_validator

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Mask
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, ProtectionError, did_you_mean
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.synthesis.making.copies import Copies
from tacita.microdata.synthesis.making.drawing import Wanted
from tacita.microdata.synthesis.making.records import Modelled, Records, modelled
from tacita.microdata.synthesis.making.rules import Rules, RuleTexts
from tacita.microdata.synthesis.making.weights import Weighted, model_weights
from tacita.microdata.synthesis.matching_moments.columns import refuse_few
from tacita.microdata.synthesis.maximizing_entropy.coding import Coding
from tacita.microdata.synthesis.maximizing_entropy.constraints import Constraints, Sample
from tacita.microdata.synthesis.maximizing_entropy.points import Reference
from tacita.microdata.synthesis.maximizing_entropy.tilting import tilted
from tacita.preserved import Statistic, expected
from tacita.validity import Change

CELLS = 2**18  # combinations of categories at most
FUNCTIONS = 400  # constraints at most
BATCH = 2**14  # records drawn from one set of points
POINTS = 4  # for each record
FEWEST_POINTS = 2**13
SIMULATED = {"attributes": ["age", "income", "region"]}  # all would be 400 constraints and more
TRIES = 4  # with ever more points
ACCURACY = 1e-8  # of the constraints, in root mean squares of what they are about
Bound = tuple[float | None, float | None]


class MaximumEntropy(Method):
    """Draw records from the distribution of largest entropy that keeps chosen statistics.

    Kept are margins (the shares of combinations of categories), the moments of each number up to
    the order `moments`, and, with `relations`, the products of pairs of numbers and the means of
    numbers by category. The distribution p(z) = exp(l' f(z)) / Z, f being all of these, is the one
    that assumes nothing else. It is made of points: drawn from a log-linear model of the categories
    and normal numbers given them, and weighted so that the constraints hold to 1e-6 of their size;
    l minimizes log Z(l) - l' t with t the statistics of the data. Points outside `bounds`, or that
    break `rules`, are left out before, so that bounds and rules hold as well as the constraints.
    Records are chosen by the weights: they keep the statistics on average.

    Numbers are released as doubles, dates rounded to their units. Where there are
    sampling weights the statistics are the weighted ones. With numbers that have blanks, entropy is
    relative to the model that points are drawn from.

    When not to use it: with many categories (use `bayesian_network`): there may be 2^18
    combinations and 400 constraints; where what is not among the constraints matters.

    >>> import tacita as ta
    >>> toy = ta.example("toy", 300)
    >>> made = toy.apply(ta.MaximumEntropy(["age", "region"], bounds={"age": (0, 120)}), seed=0)
    >>> made.names, made.notes["largest_error"] < 1e-6
    (['age', 'region', 'weight'], True)
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = (
        expected(Statistic.MEANS, simulated=SIMULATED),
        expected(Statistic.VARIANCES, simulated=SIMULATED),
        expected(Statistic.COVARIANCES, given={"relations": True}, simulated=SIMULATED),
        expected(Statistic.SHARES, simulated=SIMULATED),
    )
    changes: ClassVar = frozenset({Change.SYNTHESIS})
    reference: ClassVar = (
        "Polettini, Maximum entropy simulation for microdata protection, Statistics and Computing "
        "13, 2003, pp. 307-320"
    )
    missing: ClassVar = (
        "A blank is a category of its own; moments are those of the numbers that are known."
    )
    example: ClassVar = {"attributes": ["age", "education"]}
    public: ClassVar = frozenset(
        {
            "attributes",
            "records",
            "moments",
            "relations",
            "margins",
            "bounds",
            "weighted",
            "rules",
            "copies",
        }
    )
    draws: ClassVar = True

    attributes: Modelled = None
    _: KW_ONLY
    records: Records = None
    moments: Annotated[
        int,
        Field(
            description="The order up to which moments of numbers are kept: 2, 3 or 4; above 2, "
            "numbers need bounds.",
            ge=2,
            le=4,
        ),
    ] = 2
    relations: Annotated[
        bool,
        Field(
            description="Whether products of pairs of numbers, and means of numbers by category, "
            "are kept."
        ),
    ] = True
    margins: Annotated[
        tuple[AttributeNames, ...] | None,
        Field(description="The categories whose tables are kept; by default those of all pairs."),
    ] = None
    bounds: Annotated[
        Mapping[str, Bound] | None,
        Field(
            description="For a number, what it is not below and not above (null: anything); of "
            "a date, `rules` say it."
        ),
    ] = None
    weighted: Weighted = None
    rules: RuleTexts = ()
    copies: Copies = "redraw"

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        for name, (low, high) in (self.bounds or {}).items():
            if low is not None and high is not None and low >= high:
                raise ValueError(
                    f"`bounds` of `maximum_entropy` need a low below a high; `{name}` has {low:g} "
                    f"and {high:g}."
                )
        return self

    def named_attributes(self) -> list[str]:
        """Return the attributes that are modelled, if they are named."""
        return list(self.attributes or ())

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return a data set of synthetic records."""
        names = modelled(self, data, self.attributes)
        wanted = Wanted(self.records, self.rules, self.copies)
        if not len(data):
            return wanted.drawn(data, names, lambda _: {})
        refuse_few(self.name, len(data))
        model = self._model(data, names)
        made = wanted.drawn(data, names, lambda records: model.drawn(records, rng))
        return made.noting(**made.notes, constraints=len(model.targets), largest_error=model.error)

    def _model(self, data: Dataset, names: Sequence[str]) -> _Model:
        coding = Coding.of(data, names)
        constraints = Constraints(
            coding.sizes, self._tables(coding, data), self.moments, self.relations
        )
        self._refuse_large(constraints, len(coding.numbers))
        weights = model_weights(data, self.name, self.weighted)
        reference = Reference.of(coding.sample, constraints, coding.blanks, weights)
        targets, units = constraints.targets(coding.sample, weights)
        bounds, rules = self._bounds(coding, data), Rules.about(data, self.rules)
        return _Model(coding, constraints, reference, targets, units, bounds, rules)

    def _tables(self, coding: Coding, data: Dataset) -> list[tuple[int, ...]]:
        """Return the factors of every margin; each factor is in one.

        Raises:
            ParameterError: a margin names what is no category.
        """
        if self.margins is None:
            return coding.pairs()
        found = [tuple(self._factor(coding, data, name) for name in each) for each in self.margins]
        covered = {factor for margin in found for factor in margin}
        return found + [(at,) for at in range(len(coding.factors)) if at not in covered]

    def _factor(self, coding: Coding, data: Dataset, name: str) -> int:
        data.attribute(name)
        place = coding.place(name)
        if place is None:
            raise ParameterError(
                f"`margins` of `maximum_entropy` are of categories it models; `{name}` is not one "
                "of them."
            )
        return place

    def _bounds(self, coding: Coding, data: Dataset) -> dict[int, Bound]:
        """Return the bounds of numbers, by their place.

        Raises:
            ParameterError: they are of something else, or lack where they are needed.
        """
        places = {number.name: at for at, number in enumerate(coding.numbers)}
        for name in self.bounds or {}:
            if data.attribute(name).kind is Kind.DATE or name not in places:
                raise ParameterError(
                    f"`bounds` of `maximum_entropy` are of numbers it models; `{name}` is not one "
                    f"of them.{did_you_mean(name, places)}"
                )
        for name in places if self.moments > 2 else ():  # noqa: PLR2004 - else it is normal
            if None in (self.bounds or {}).get(name, (None,)):
                raise ParameterError(
                    f"Moments above the second need bounds on both sides of every number; `{name}` "
                    "has none, and no distribution would have the largest entropy. Leave it out if "
                    "it cannot have any."
                )
        return {places[name]: bound for name, bound in (self.bounds or {}).items()}

    def _refuse_large(self, constraints: Constraints, numbers: int) -> None:
        cells = float(np.prod(constraints.sizes, dtype=np.float64))
        functions = constraints.count(numbers)
        if cells > CELLS or functions > FUNCTIONS:
            raise ParameterError(
                f"`maximum_entropy` can keep {FUNCTIONS} constraints on {CELLS:,} combinations of "
                f"categories; found {functions:,} on {cells:,.0f}. Choose fewer attributes or "
                "margins, or use `bayesian_network`."
            )


@dataclass(eq=False)
class _Model:
    """The distribution of largest entropy, ready to be drawn from.

    Args:
        coding: how records are coded.
        constraints: the functions whose means are kept.
        reference: where points come from.
        targets: the means of the functions.
        units: what errors are measured in.
        bounds: of some numbers.
        rules: that points keep.
        error: the largest error of a constraint so far.
    """

    coding: Coding
    constraints: Constraints
    reference: Reference
    targets: Floats
    units: Floats
    bounds: Mapping[int, Bound]
    rules: Rules
    error: float = 0.0

    def drawn(self, records: int, rng: np.random.Generator) -> dict[str, pa.Array]:
        """Draw records, each batch from points of its own."""
        sizes = [BATCH] * (records // BATCH) + [records % BATCH] * (records % BATCH > 0)
        parts = [self.coding.columns(self._batch(size, rng)) for size in sizes]
        return {name: pa.concat_arrays([part[name] for part in parts]) for name in parts[0]}

    def _batch(self, records: int, rng: np.random.Generator) -> Sample:
        """Weight points so that the constraints hold, and choose records by the weights.

        Raises:
            ProtectionError: no weights of ever more points make them hold.
        """
        points = max(POINTS * records, FEWEST_POINTS)
        for _ in range(TRIES):
            sample, base = self._allowed(points, rng)
            weights = self._weights(sample, base)
            if weights is not None:
                ends = np.cumsum(weights)
                shares = (np.arange(records) + rng.random()) / records * ends[-1]
                return sample.take(np.minimum(np.searchsorted(ends, shares), len(ends) - 1))
            points *= 2
        raise ProtectionError(
            "`maximum_entropy` found no distribution that keeps the statistics of the data within "
            "the bounds and rules; widen the bounds, or choose fewer moments or margins."
        )

    def _allowed(self, points: int, rng: np.random.Generator) -> tuple[Sample, Floats]:
        """Draw points, less those outside the bounds or that break rules."""
        sample, base = self.reference.drawn(points, rng)
        stays = np.ones(points, np.bool_)
        for place, bound in self.bounds.items():
            stays &= self._within(sample, place, bound)
        if self.rules:
            stays &= ~self.rules.broken(self.coding.columns(sample))
        return sample.take(stays), base[stays]

    def _within(self, sample: Sample, place: int, bound: Bound) -> Mask:
        number = self.coding.numbers[place]
        value = sample.numbers[place] * number.unit + number.mean
        low, high = (np.nan if edge is None else edge for edge in bound)
        return np.asarray(~((value < low) | (value > high)) | ~sample.known[place])

    def _weights(self, sample: Sample, base: Floats) -> Floats | None:
        if not len(base):
            return None
        functions = np.stack(list(self.constraints.functions(sample))) / self.units[:, None]
        targets = self.targets / self.units
        weights = tilted(functions, targets, base, ACCURACY)
        if weights is not None:
            lacking = (functions * weights).sum(axis=1) - targets
            self.error = max(self.error, float(np.abs(lacking).max()))
        return weights

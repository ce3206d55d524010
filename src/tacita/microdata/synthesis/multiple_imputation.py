"""Multiple imputation: a sample of a population whose unknown attributes were imputed."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
from pydantic import Field, model_validator

from tacita.data.attribute import Role
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.synthesis.imputing.frame import (
    Bootstrap,
    Listed,
    effective,
    effective_size,
)
from tacita.microdata.synthesis.imputing.predicting import ModelName
from tacita.microdata.synthesis.imputing.sequence import SequentialModel
from tacita.microdata.synthesis.inference.copying import SAMPLED
from tacita.microdata.synthesis.making.copies import Copies
from tacita.microdata.synthesis.making.drawing import Wanted
from tacita.microdata.synthesis.making.records import BLANKS_ARE_MODELLED, Records, modelled
from tacita.microdata.synthesis.making.rules import RuleTexts
from tacita.validity import Change


class MultipleImputation(Method):
    """Impute all who are not in the sample, and draw synthetic records among them.

    The n records are a sample of a population of N. Background attributes A are known of all N,
    non-confidential B and confidential C of the sample only. From the sample, models of B given A
    and of C given A and B are learnt, attribute after attribute; their parameters are drawn from
    their posterior distribution, and (B, C) of the N - n others from the models. Released is a
    random sample of these others: no original record can be in it. One use gives one copy;
    `tacita.synthesize` makes M of them, and combines what they say.

    Given the parameters the others are exchangeable, so that k of them are drawn alike whatever N
    is, and the rest need not be made. N counts in what copies say: by `population`, or the length
    of the listed one, estimates are of this finite population, and intervals shorter by about the
    root of 1 - n / N; where there are weights, those of the records add up to N. Without it the
    population is endless.

    Numbers and dates have linear regressions with normal residuals, rounded as the data are;
    categories a chain of logistic ones; or all of them trees. The background comes from the
    population beside the data (`frame: population`), or the sample's is resampled by a Bayesian
    bootstrap. Models learn with the sampling weights, and every synthetic record weighs the same.
    Records that are copies of a respondent's are drawn again, which shifts the distribution where
    records have few values: inference is then better with `copies: report`.

    When not to use it: with regressions, on numbers that are far from normal or have bounds (they
    are not kept unless `rules` say so; use trees); with few records for many attributes.

    >>> import tacita as ta
    >>> data = ta.example("survey", 500)
    >>> made = data.apply(ta.MultipleImputation(model="tree", population=10_000), seed=1)
    >>> len(made), made.is_synthetic
    (500, True)
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.SYNTHESIS})
    reference: ClassVar = (
        "Rubin, Discussion: statistical disclosure limitation, J. Official Statistics 9(2):461-468,"
        " 1993; Raghunathan, Reiter & Rubin, J. Official Statistics 19(1):1-16, 2003"
    )
    missing: ClassVar = BLANKS_ARE_MODELLED
    example: ClassVar = {"attributes": ["income", "education"], "background": ["age"]}
    public: ClassVar = frozenset({"attributes", "background", "records", "model", "rules"})
    draws: ClassVar = True
    proper: ClassVar = True  # parameters are drawn, as the combining rule `full` assumes

    attributes: Annotated[
        AttributeNames | None,
        Field(description="What is imputed, B and C; by default all that is no background."),
    ] = None
    _: KW_ONLY
    background: Annotated[
        AttributeNames | None,
        Field(description="What is known of the whole population, A; by default nothing."),
    ] = None
    frame: Annotated[
        Literal["sample", "population"],
        Field(description="Whose background it is: resampled, or of the population beside."),
    ] = "sample"
    population: Annotated[
        int | None,
        Field(description="The size N of the population; without it, it is endless.", ge=1),
    ] = None
    records: Records = None
    model: ModelName = "regression"
    rules: RuleTexts = ()
    copies: Copies = "redraw"

    @model_validator(mode="after")
    def _fits(self) -> Self:
        both = set(self.attributes or ()) & set(self.background or ())
        if both:
            raise ValueError(f"`{min(both)}` is imputed and background; name it once.")
        if self.frame == "population" and not self.background:
            raise ValueError("`frame: population` needs the `background` that is known of it.")
        if self.frame == "population" and self.population is not None:
            raise ValueError("The population beside the data has its size; leave `population` out.")
        return self

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return a synthetic copy."""
        background = list(self.background or ())
        asked = [*background, *self.attributes] if self.attributes else None
        names = modelled(self, data, asked)
        targets = sorted(
            (name for name in names if name not in background),
            key=lambda name: data.attribute(name).is_a(Role.CONFIDENTIAL),
        )
        wanted = Wanted(self.records, self.rules, self.copies)
        if not len(data):
            return wanted.of_nothing(data, names)
        self._refuse_too_many(data)
        known_of = Listed if self.frame == "population" else Bootstrap
        frame = known_of(data, background, rng)
        model = SequentialModel.of(
            data, background, targets, self.model, rng, weights=effective(data.weight)
        )

        def draw(records: int) -> dict[str, pa.Array]:
            members = frame.drawn(records, rng)
            return {**members, **model.drawn(members, records, rng)}

        made = wanted.drawn(data, names, draw)
        size = frame.size if isinstance(frame, Listed) else self.population
        return made if size is None else _of_population(made, data, size)

    def _refuse_too_many(self, data: Dataset) -> None:
        """Refuse a sample that is larger than what is left of the population."""
        records = len(data) if self.records is None else self.records
        if self.population is not None and records > self.population - len(data):
            raise ParameterError(
                f"A population of {self.population:,} has {self.population - len(data):,} members "
                f"outside the sample; {records:,} synthetic records were asked for."
            )


def _of_population(made: Dataset, data: Dataset, size: int) -> Dataset:
    """Let synthetic records stand for a population of known size, and note how it was sampled."""
    if made.weight is not None:
        weight = made.attribute(made.with_role(Role.WEIGHT)[0])
        made = made.with_column(weight, pa.array(np.full(len(made), size / max(len(made), 1))))
    return made.noting(**made.notes, **{SAMPLED: effective_size(data) / size})

"""SMIKe: the keys of sensitive records, and of others like them, imputed anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ProtectionError
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.synthesis.imputing.mixing import MixingSets
from tacita.microdata.synthesis.imputing.predicting import ModelName
from tacita.microdata.synthesis.imputing.replacing import Replacement, predictors
from tacita.microdata.synthesis.making.rules import RuleTexts
from tacita.microdata.synthesis.partial_imputation import BLANKS_STAY
from tacita.microdata.utility.total_variation import TotalVariation
from tacita.validity import Change

CLASSES = 5  # of numbers and dates whose distributions are compared; of more, chance differs


class Smike(Method):
    """Impute keys selectively: of the sensitive records and of their mixing sets.

    A combination of keys X that fewer than `threshold` records have is a sensitive case. Then

    1. each sensitive record t gets a mixing set: the `mixing` records that are not sensitive and
       nearest to t in the other attributes Y. Mixing sets may overlap.
    2. a model of X given Y, attribute after attribute, is learnt from the union M of sensitive
       records and mixing sets, with parameters drawn from their posterior distribution;
    3. of a random `share` of M, the keys are drawn from the model;
    4. the quality is judged: the total variation between the distributions of keys before and
       after, each with each other attribute, on average. If it is above `loss_at_most`, all begins
       again with twice, half, four times, ... the mixing sets' size, `rounds` times at most.

    An intruder who finds a rare combination cannot know whether it is a sensitive respondent's or a
    drawn one. Y, and all records outside M, are as they were. One use gives one copy;
    `tacita.synthesize` makes several, and combines what they say (rule `partial`).

    When not to use it: on keys that make nearly every record sensitive (recode them first); where
    Y identifies respondents.

    >>> import tacita as ta
    >>> data = ta.example("toy", 1000)
    >>> made = data.apply(ta.Smike(["education", "stratum", "disease"]), seed=1)
    >>> made.notes["sensitive"], made.column("income") == data.column("income")
    (38, True)
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Little & Liu, Selective multiple imputation of keys for statistical disclosure control in "
        "microdata, Proc. Survey Research Methods Section, American Statistical Association, 2002"
    )
    missing: ClassVar = BLANKS_STAY
    example: ClassVar = {"attributes": ["education", "region"], "given": ["age", "income"]}
    public: ClassVar = frozenset({"attributes", "given", "model", "rules"})
    draws: ClassVar = True

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The keys X that are imputed; by default the key attributes."),
    ] = None
    _: KW_ONLY
    given: Annotated[
        AttributeNames | None,
        Field(description="Y, by which records are alike and X is predicted; by default all else."),
    ] = None
    threshold: Annotated[
        int,
        Field(description="Fewer records with a combination make it sensitive (2 or more).", ge=2),
    ] = 3
    mixing: Annotated[
        int, Field(description="The size of a mixing set to begin with (1 or more).", ge=1)
    ] = 5
    share: Annotated[
        float,
        Field(description="The share of M whose keys are drawn (above 0, at most 1).", gt=0, le=1),
    ] = 1.0
    loss_at_most: Annotated[
        float,
        Field(description="The total variation at which the quality will do (0 to 1).", ge=0, le=1),
    ] = 0.1
    rounds: Annotated[
        int, Field(description="How many sizes of mixing sets are tried at most.", ge=1, le=20)
    ] = 5
    model: ModelName = "regression"
    rules: RuleTexts = ()

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with keys imputed."""
        keys = self._keys(data)
        given = list(self.given or predictors(data, keys))
        sensitive = data.classes(keys).size_of_record < self.threshold
        if not sensitive.any():
            return data.noting(sensitive=0, replaced=0)
        sets = MixingSets(data, given, sensitive)
        tried: dict[int, float] = {}
        for size in self._sizes(len(sets.others)):
            mixed = sets.union(size)
            task = Replacement(keys, given, mixed, self._chosen(mixed, rng), self.model, self.rules)
            made = task.of(data, rng)
            tried[size] = _loss(data, made, keys, given)
            if tried[size] <= self.loss_at_most:
                told = {"sensitive": len(sets.sensitive), "mixed": len(mixed), "mixing": size}
                return made.noting(**made.notes, **told, losses=list(tried.values()))
        best = min(tried, key=lambda size: tried[size])
        raise ProtectionError(
            f"`smike` loses at least {tried[best]:.3g} of total variation (with mixing sets of "
            f"{best}); `loss_at_most` is {self.loss_at_most:g}. Allow more, lower `share`, or "
            "recode the keys first."
        )

    def _keys(self, data: Dataset) -> Sequence[str]:
        keys = self.attributes or data.keys
        if not keys:
            raise InputError(
                "`smike` imputes keys, and no attribute has that role; say which `attributes`."
            )
        both = set(keys) & set(self.given or ())
        if both:
            raise InputError(f"`{min(both)}` is imputed and given; name it once.")
        return keys

    def _sizes(self, most: int) -> Iterator[int]:
        """Yield the sizes of mixing sets that are tried: m, 2m, m/2, 4m, m/4, ..."""
        powers = sorted(
            range(-self.rounds, self.rounds + 1), key=lambda power: (abs(power), -power)
        )
        sizes = [min(max(round(self.mixing * 2.0**power), 1), most) for power in powers]
        yield from list(dict.fromkeys(sizes))[: self.rounds]

    def _chosen(self, mixed: Ints, rng: np.random.Generator) -> Ints:
        """Draw the records whose keys are imputed, one at least."""
        if self.share == 1:
            return mixed
        number = max(round(self.share * len(mixed)), 1)
        return np.sort(rng.choice(mixed, number, replace=False))


def _loss(original: Dataset, made: Dataset, keys: Sequence[str], given: Sequence[str]) -> float:
    """Return the mean total variation of every key with every other attribute."""
    measured = TotalVariation((*keys, *given), bins=CLASSES).measure(original, made)
    pairs = [] if measured.details is None else measured.details.to_pylist()
    # Pairs without a key are as they were.
    found = [one["distance"] for one in pairs if {one["attribute"], one["other"]} & set(keys)]
    return float(np.mean(found)) if found else float(measured.value or 0)

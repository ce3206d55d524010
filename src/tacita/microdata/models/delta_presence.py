"""delta-presence: the release does not tell who of the population is in it."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Annotated, Any, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.classes import EquivalenceClasses, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import ANY_KIND, Method
from tacita.microdata.models.class_table import ClassTable
from tacita.microdata.models.verdicts import Keys, class_told
from tacita.microdata.risk.frequencies.population_counts import PopulationClasses
from tacita.results import Verdict, exactly, listed, show
from tacita.validity import NON_PERTURBATIVE

Share = Annotated[float, Field(ge=0, le=1)]


class DeltaPresence(Method):
    """Nobody of the population is in the sample with a probability outside the bounds.

    Where being in the file is itself confidential (a register of patients), whoever knows the key
    values of a person must not learn from the release whether the person is in it. For each
    equivalence class of the population, also those without a released record,
    minimum <= f / F <= maximum, where f of its F members are released.

    The population is given beside the data (`with_external`) and is counted with its keys as they
    stand; algorithms hand on a population that is generalized like the data. Where it holds fewer
    of a class than are released, these count.

    When not to use it: where everybody knows who is in the file.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> people = ta.read(pa.table({"age": [30, 30, 30, 40]}), roles={"age": "key"})
    >>> patients = people.take([0, 1]).with_external(population=people)
    >>> ta.DeltaPresence(0.0, 0.5).check(patients).worst
    {'age': 30, 'count': 2, 'level': 0.6666666666666666}
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    reference: ClassVar = "Nergiz, Atzori & Clifton, Proc. ACM SIGMOD 2007, pp. 665-676"
    missing: ClassVar = (
        "Missing and suppressed values agree with one another and with nothing else."
    )
    example: ClassVar = {"minimum": 0.0, "maximum": 0.5}
    public: ClassVar = frozenset({"minimum", "maximum", "keys"})
    needs: ClassVar = frozenset({"population"})
    merging_keeps: ClassVar = True
    counts_population: ClassVar = True

    minimum: Annotated[Share, Field(description="The least share of a class that is released.")]
    maximum: Annotated[Share, Field(description="The greatest share of a class that is released.")]
    keys: Keys = None

    def __post_init__(self) -> None:
        if self.minimum > self.maximum:
            raise ValueError(
                f"`minimum` of `delta_presence` must not be above `maximum`; found {self.minimum} "
                f"and {self.maximum}."
            )

    def check(self, data: Dataset) -> Verdict:
        """Tell whether every class is present within the bounds, and which is the furthest out."""
        classes = data.classes(self.keys)
        found = PopulationClasses.of(classes)
        if not len(classes):
            return Verdict(self.to_plan(), True, None, "there are no records")
        people = np.append(np.maximum(found.inside, classes.counts), found.outside)
        released = np.append(classes.counts, np.zeros(len(found.outside), np.int64))
        outside = self._outside(released, people)
        shares = released / people
        worst = int(np.argmax(np.maximum(self.minimum - shares, shares - self.maximum)))
        level = Fraction(int(released[worst]), int(people[worst]))
        told = _class_told(classes, found, worst) | {"level": float(level)}
        sentence = self._sentence(classes.keys, outside, level)
        return Verdict(self.to_plan(), not outside.any(), level, sentence, told)

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell for every class whether it breaks the promise.

        Leaving records out only lowers a share: where too little of a class is released, or would
        be without the records of another one, nothing can be released.
        """
        if classes.population is None:
            raise InputError(
                "delta_presence needs the population that the data are a sample of; give it beside "
                "the data."
            )
        people = np.maximum(classes.population, classes.sizes)
        outside = self._outside(classes.sizes, people)
        if self.minimum > 0 and outside.any():
            return np.ones(len(classes), np.bool_)
        return outside

    def _outside(self, released: Ints, people: Ints) -> Mask:
        """Tell the classes whose share is out of bounds, by the numbers that they allow."""
        sizes, place = np.unique(people, return_inverse=True)
        low, high = exactly(self.minimum), exactly(self.maximum)
        least = np.array([ceil(low * size) for size in sizes.tolist()], np.int64)[place]
        most = np.array([floor(high * size) for size in sizes.tolist()], np.int64)[place]
        return np.asarray((released < least) | (released > most))

    def _sentence(self, keys: tuple[str, ...], outside: Mask, level: Fraction) -> str:
        bounds = f"between {show(exactly(self.minimum))} and {show(exactly(self.maximum))}"
        if not outside.any():
            return (
                f"a share {bounds} of every class of {listed(keys)} in the population is released"
            )
        return (
            f"of {int(np.count_nonzero(outside)):,} of {len(outside):,} classes of {listed(keys)} "
            f"in the population the released share is not {bounds}, the worst is {show(level)}"
        )


def _class_told(
    classes: EquivalenceClasses, found: PopulationClasses, number: int
) -> dict[str, Any]:
    """Return the key values of a class and its size, which is 0 if only the population has it."""
    if number < len(classes):
        return class_told(classes, number)
    population = classes.data.external.population
    row = pa.array([found.first[number - len(classes)]])
    values = {key: population.column(key).take(row)[0].as_py() for key in classes.keys}  # type: ignore[union-attr]
    return values | {"count": 0}

"""k-map: everybody who is released has doubles in the population."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError
from tacita.method import ANY_KIND, Method
from tacita.microdata.models.class_table import ClassTable
from tacita.microdata.models.verdicts import Judged, Keys, verdict_of
from tacita.results import Verdict
from tacita.validity import NON_PERTURBATIVE


class KMap(Method):
    """Every released combination of key values is shared by at least k of the population.

    For each equivalence class C of the release, F(C) >= k, where F(C) counts those of the
    population who have the key values of C. Whoever looks a released record up in a register of the
    population finds k candidates at least. It asks for less than k-anonymity: a record may be alone
    in the sample as long as it is not in the population.

    The population is given beside the data (`with_external`) and is counted with its keys as they
    stand; algorithms hand on a population that is generalized like the data. Where it holds fewer
    of a class than are released, these count. Without a population the sum of the sampling weights
    in a class estimates F(C), and the verdict says so.

    When not to use it: against whoever knows that a person is in the sample; take k-anonymity.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> people = ta.read(pa.table({"job": ["nurse", "nurse", "judge"]}), roles={"job": "key"})
    >>> print(ta.KMap(2).check(people.take([0]).with_external(population=people)))
    holds: every class of job is shared by at least 2 of the population
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = NON_PERTURBATIVE
    reference: ClassVar = "Sweeney, PhD thesis, Massachusetts Institute of Technology, 2001, ch. 4"
    missing: ClassVar = (
        "Missing and suppressed values agree with one another and with nothing else."
    )
    example: ClassVar = {"k": 2}
    public: ClassVar = frozenset({"k", "keys"})
    merging_keeps: ClassVar = True
    joining_keeps: ClassVar = True
    counts_population: ClassVar = True
    estimates: ClassVar = True

    k: Annotated[
        int, Field(description="The least number of the population in a class (2 or more).", ge=2)
    ]
    keys: Keys = None

    def check(self, data: Dataset) -> Verdict:
        """Tell whether every class is large enough in the population, and which is the smallest."""
        classes = data.classes(self.keys)
        counted = data.external.population is not None
        table = ClassTable.of(classes, with_population=counted)
        broken = self.breaks(table)[: len(classes)]
        if not len(classes):
            return Verdict(self.to_plan(), True, None, "there are no records")
        sizes = _in_population(table)[: len(classes)]
        worst = int(np.argmin(sizes))
        source = "" if counted else ", as the sampling weights estimate"
        return verdict_of(
            self,
            [(classes, Judged(broken, worst, sizes[worst].item()))],
            f"is shared by at least {self.k} of the population{source}",
            f"are shared by fewer than {self.k} of the population{source}",
            lowest=True,
        )

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell for every class whether it breaks the promise."""
        return (_in_population(classes) < self.k) & (classes.sizes > 0)


def _in_population(classes: ClassTable) -> Ints | Floats:
    """Return how many of the population are in every class, counted or estimated."""
    if classes.population is not None:
        return np.maximum(classes.population, classes.sizes)
    if classes.weights is None:
        raise InputError(
            "k_map needs the population that the data are a sample of, or sampling weights; give "
            "one beside the data, or ask for k_anonymity."
        )
    return np.maximum(classes.weights, classes.sizes)

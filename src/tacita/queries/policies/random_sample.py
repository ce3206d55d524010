"""Random sample queries: a statistic is estimated from a sample of its query set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, replace
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Mask
from tacita.mechanisms.cell_keys import Keys
from tacita.method import ANY_KIND, Method
from tacita.queries.answer import Released
from tacita.queries.answering import true_value
from tacita.queries.cells import Cell, QuerySet
from tacita.queries.perturbing.keys import KeyFrom, RecordKeys, noise_key
from tacita.queries.perturbing.watching import ConfidentialSets, PerturbingWatcher
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import LINEAR, Statistic
from tacita.queries.watching import Watcher

TOTALS = frozenset({Statistic.COUNT, Statistic.SUM})
ESTIMATED = LINEAR | {Statistic.VAR, Statistic.STDDEV}


class RandomSample(Method):
    """Answer from a secret sample of the query set, in which every record is with probability p.

    Whether a record is in the sample is a secret function of the record and of the set that public
    conditions choose: asking again or in other words gives the same sample, and another set,
    also one that differs in a single record, another one. Counts and sums are those of the sample
    over p, without bias but for rounding to the digits of the data; means and
    variances are those of the sample. The standard error of a sum is sqrt((1 - p) / p sum x^2).
    Extremes and quantiles, which are values of single records, are refused, and so are slopes,
    covariances and correlations: who has an unusual public number carries nearly all of them.

    When not to use it alone: on small sets, because a sample of one record is that record; join it
    with `QuerySetSize`. With p near 1 a difference of two answers still tells much about one
    record, and many pairs of sets that differ in it tell its value.

    >>> import tacita as ta
    >>> from tacita.queries.guard import Guard
    >>> guard = Guard(PublicClasses.of(ta.example("toy"), "toy"), [RandomSample(0.9)])
    >>> 900 < guard.ask("SELECT count(*) FROM toy", user="ana").value < 1100
    True
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = (
        "Denning, D. E. (1980). Secure statistical databases with random sample queries. ACM TODS "
        "5(3), 291-315."
    )
    missing: ClassVar[str] = "Records with a blank are sampled like others, and add nothing."
    example: ClassVar[dict[str, float]] = {"share": 0.9}

    share: Annotated[
        float, Field(description="The probability p that a record is in a sample.", gt=0, lt=1)
    ]
    _: KW_ONLY
    confidential_sets: ConfidentialSets = False
    key_from: KeyFrom = None

    def watch(self, data: PublicClasses) -> Watcher:
        """Begin to sample."""
        return PerturbingWatcher(Sampling(self, data))


class Sampling:
    """Samples of one database."""

    def __init__(self, policy: RandomSample, data: PublicClasses) -> None:
        self._policy = policy
        self._secret = noise_key(policy.name, policy.key_from)
        self.confidential_sets = policy.confidential_sets
        self.guarantee = (
            f"Every answer is estimated from a sample in which each record is with probability "
            f"{policy.share:g}, the same for the same records; many different sets together can "
            "average the error away."
        )
        self.move(data)

    def covers(self, cell: Cell) -> bool:  # noqa: ARG002 - what it cannot perturb it refuses
        """Have a say about every statistic."""
        return True

    def perturbs(self, cell: Cell) -> bool:
        """Tell whether a sample estimates the statistic."""
        return cell.asked.statistic in ESTIMATED

    def released(self, cell: Cell) -> Released:
        """Return the estimate."""
        members = cell.members
        among = self._sample(members)
        if members.among is not None:
            among &= members.among
        sampled = QuerySet(members.data, among=among, places=members.places)
        value = true_value(replace(cell, members=sampled))
        if cell.asked.statistic in TOTALS and members.places.size:
            value = self._raised(cell, value or 0)
        return Released(value, by=self._policy.name)

    def _raised(self, cell: Cell, value: float) -> float:
        """Return the estimate of a total, with the digits of the data."""
        asked, estimate = cell.asked, value / self._policy.share
        if asked.statistic is Statistic.COUNT:
            return estimate if asked.weighted else round(estimate)
        decimals = cell.members.data.totals(str(asked.attribute), weighted=asked.weighted).decimals
        return estimate if decimals is None else round(estimate, decimals or None)

    def told(self) -> Mapping[str, Any]:
        """Return the share, and by it the relative standard error of a count of 100."""
        share = self._policy.share
        return {
            "share": share,
            "relative_standard_error_of_a_count_of_100": ((1 - share) / share / 100) ** 0.5,
        }

    def move(self, data: PublicClasses) -> None:
        """Go on with other data."""
        self._keys = RecordKeys(data, self._secret)

    def _sample(self, members: QuerySet) -> Mask:
        """Tell of every record whether it is in the sample of a set."""
        drawn = int(self._keys.uniform("sample", self._keys.of_classes(members)) * 2**53)
        rows = QuerySet(members.data, places=members.places).rows
        chances = _mixed(self._keys.of_record[rows] ^ _mixed(np.array([drawn], np.uint64)))
        among = np.zeros(members.data.records, bool)
        among[rows[chances < np.uint64(self._policy.share * 2**64)]] = True
        return among


def _mixed(keys: Keys) -> Keys:
    """Scatter keys over all numbers of 64 bits (the finalizer of SplitMix64)."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))

"""Local recoding: classes made and remade so that released keys say as much as they may."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import ProtectionError
from tacita.method import ANY_KIND, Method
from tacita.microdata.anonymize.partitioning.cutting import cut_classes
from tacita.microdata.anonymize.partitioning.losing import Measure, combined, losses, weights
from tacita.microdata.anonymize.partitioning.moving import moved
from tacita.microdata.anonymize.partitioning.partition import LEFT_OUT, Partition
from tacita.microdata.anonymize.partitioning.scales import rulers
from tacita.microdata.anonymize.partitioning.setting import Setting
from tacita.microdata.anonymize.promises import Models, SuppressionLimit, allowed_records, keys_of
from tacita.validity import NON_PERTURBATIVE

if TYPE_CHECKING:
    from tacita.kernels.box_cuts import Rulers


class LocalRecoding(Method):
    """Reach privacy models with little loss: equal values may be released differently.

    Two partitions of the records are made and the better one is released: one by cutting all
    records in two again and again, as `mondrian` does; one by cutting the classes of the best
    full-domain generalization (`lattice`) further. Each is then improved: records move to near
    classes, classes are dissolved among their neighbours, and records that were left out are taken
    in, as long as the loss falls and every class keeps every model. The loss is never higher than
    that of the best full-domain generalization with the same `suppression_limit`, as cutting a
    class further only narrows what its records stand for (models of different keys excepted: here
    every class over all keys keeps all of them).

    The loss of a key is the mean share of its domain that released values stand for, 0 for exact
    values and 1 for everything (see `generalization_loss`). A record shows of each key the value if
    its class has only one, else the range `[min;max]`, the list `{a, b}` or the lowest node of the
    hierarchy above its class.

    When not to use it: where one rule must say for all records what a value becomes (`lattice`
    gives one); on millions of records in seconds (`mondrian`, or `starts` cuts).

    >>> import tacita as ta
    >>> data = ta.example("conditions")
    >>> safe = data.apply(ta.LocalRecoding(ta.KAnonymity(4)), seed=0)
    >>> ta.KAnonymity(4).check(safe).holds, round(safe.notes["loss"], 3)
    (True, 0.298)
    """

    applies_to: ClassVar = ANY_KIND - {"set_valued"}
    keeps: ClassVar = ()
    changes: ClassVar = NON_PERTURBATIVE
    reference: ClassVar = "Xu, Wang, Pei, Wang, Shi & Fu, Proc. KDD 2006, pp. 785-790"
    missing: ClassVar = (
        "A blank is a value of its own; a class that has blanks and values of a key releases "
        "blanks."
    )
    example: ClassVar = {"to": [{"k_anonymity": {"k": 2}}], "starts": "cuts", "sweeps": 1}
    public: ClassVar = frozenset({"to", "suppression_limit", "measure", "starts", "sweeps"})

    to: Models
    _: KW_ONLY
    suppression_limit: SuppressionLimit = 0.0
    measure: Annotated[
        Measure,
        # A default would stand beside the verbs of the class, of which `measure` is one.
        Field(
            default_factory=lambda: "loss",
            description="What to lower: the loss of the keys by its geometric or its arithmetic "
            "mean, or the granularity, to which keys of few values count less.",
        ),
    ]
    starts: Annotated[
        Literal["cuts and lattice", "cuts"],
        Field(
            description="Where to begin: with cuts of all records and with the best full-domain "
            "generalization, or with the cuts alone, which is faster."
        ),
    ] = "cuts and lattice"
    sweeps: Annotated[
        int, Field(description="How often records may move, at most (0: never).", ge=0)
    ] = 6
    time_limit: Annotated[
        float | None,
        Field(
            description="Seconds (above 0) for the best full-domain generalization, after which "
            "the best so far is taken; two runs may then differ.",
            gt=0,
        ),
    ] = None

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data in which the keys of a record tell only what its class has."""
        setting = Setting.of(data, self.to, "ranges")
        scales = setting.scales
        measured = rulers(scales, weights(scales, np.zeros(len(scales)), self.measure))
        found = [
            (combined(scales, losses(scales, measured, one), self.measure), one)
            for one in self._partitions(setting, measured, rng)
        ]
        if not found:
            setting.refuse_impossible()
        loss, best = min(found, key=lambda pair: pair[0])
        safe = setting.released(best)
        return safe.noting(classes=len(best), suppressed_records=best.left_out, loss=loss)

    def _partitions(
        self, setting: Setting, measured: Rulers, rng: np.random.Generator
    ) -> Iterator[Partition]:
        """Make partitions, of each start one before and one after records have moved."""
        from tacita.kernels.box_cuts import Rule

        allowed = allowed_records(self.suppression_limit, len(setting.data))
        for start in self._starts(setting, rng):
            cut = cut_classes(setting, measured, Rule(setting.least), start)
            cut = cut_classes(setting, measured, Rule(setting.least, shares_ties=True), cut)
            yield cut
            each = losses(setting.scales, measured, cut)
            now = measured._replace(weights=weights(setting.scales, each, self.measure))
            yield moved(setting, now, cut, allowed, self.sweeps)

    def _starts(self, setting: Setting, rng: np.random.Generator) -> Iterator[Partition]:
        if not setting.broken(setting.together).any():
            yield setting.together
        if self.starts == "cuts and lattice":
            try:
                coarse = self._generalized(setting, rng)
            except ProtectionError:  # one class of all records is all there can be
                return
            # A model of some keys may hold over these while classes over all keys are too small.
            if not setting.broken(coarse).any():
                yield coarse

    def _generalized(self, setting: Setting, rng: np.random.Generator) -> Partition:
        """Return the classes of the best full-domain generalization."""
        from tacita.microdata.anonymize.lattice import Lattice

        lattice = Lattice(
            self.to,
            suppression_limit=self.suppression_limit,
            measure="loss",
            mean="geometric" if self.measure == "loss" else "arithmetic",
            time_limit=self.time_limit,
        )
        coarse = lattice.mask(setting.data, rng)
        labels = np.full(len(setting.data), LEFT_OUT)
        keys = keys_of(setting.promises)
        labels[paired_rows(setting.data, coarse)] = coarse.classes(keys).of_record
        return Partition.of(labels)

"""The setting in which records are put into classes: what must hold, and what classes lose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, ProtectionError
from tacita.method import Method
from tacita.microdata.anonymize.partitioning.partition import Partition
from tacita.microdata.anonymize.partitioning.releasing import released
from tacita.microdata.anonymize.partitioning.scales import Released, Scale
from tacita.microdata.anonymize.promises import (
    Promise,
    broken_records,
    confidential_of,
    keys_to_generalize,
    named,
    promises_of,
)
from tacita.microdata.models.class_table import ClassTable, Domain, Histogram
from tacita.microdata.models.k_anonymity import KAnonymity

Codes = np.ndarray[Any, np.dtype[np.int32]]


@dataclass(frozen=True, eq=False)
class Setting:
    """Some data whose records are put into classes, and the models that every class must keep.

    A class keeps a promise about a part of the keys if it keeps it over all: classes over fewer
    keys are made of whole classes over more.

    Args:
        data: the data; why keys are missing is left out, as it would tell records apart.
        models: the models to reach.
        promises: the same, about one attribute each.
        scales: the values of the keys.
    """

    data: Dataset
    models: Sequence[Method]
    promises: Sequence[Promise]
    scales: Sequence[Scale]

    @classmethod
    def of(cls, data: Dataset, models: Sequence[Method], way: Released) -> Setting:
        """Look at some data in the light of models.

        Args:
            data: the data.
            models: the models to reach.
            way: how classes are released.

        Raises:
            ParameterError: a model counts a population, whose records are in no class here; or
                there is no key.
        """
        promises = promises_of(models, data)
        for promise in promises:
            if promise.counts_population and data.external.population is not None:
                raise ParameterError(
                    f"`{promise.model.name}` counts a population, which is generalized value by "
                    "value; local recoding knows no such rule. Use `lattice` or `datafly`."
                )
            if promise.looks_at_keys:
                raise ParameterError(
                    f"`{promise.model.name}` compares classes by values that all records have on "
                    "the same level; local recoding knows none. Use `lattice` or `datafly`."
                )
        keys = keys_to_generalize(promises)
        data = data.without_reasons(keys)
        scales = [Scale.of(data, name, way) for name in keys]
        return cls(data, models, promises, scales)

    @cached_property
    def codes(self) -> Codes:
        """The codes of every record, one column a key."""
        codes = np.empty((len(self.data), len(self.scales)), np.int32)
        for column, scale in enumerate(self.scales):
            codes[:, column] = scale.codes
        return codes

    @property
    def least(self) -> int:
        """The number of records below which a class breaks a model whatever its records are."""
        return max((m.k for m in self.models if isinstance(m, KAnonymity)), default=1)

    @property
    def asks_for_sizes_only(self) -> bool:
        """Whether a class of enough records keeps every promise."""
        return all(isinstance(model, KAnonymity) for model in self.models)

    @cached_property
    def _confidential(self) -> dict[str, tuple[Domain, Ints]]:
        return {name: Domain.of(self.data, name) for name in confidential_of(self.promises)}

    def broken(self, partition: Partition) -> Mask:
        """Tell the classes that break a promise."""
        sizes = np.diff(partition.edges)
        if self.asks_for_sizes_only:
            return np.asarray(sizes < self.least)
        values = {name: self._spread(name, partition) for name in self._confidential}
        table = ClassTable(sizes, values, self._weights(partition))
        broken = np.zeros(len(partition), np.bool_)
        for promise in self.promises:
            broken |= promise.breaks(table)
        return broken

    def _spread(self, name: str, partition: Partition) -> Histogram:
        from tacita.kernels.by_group import count_codes_per_group

        domain, codes = self._confidential[name]
        kept, size = partition.ids, len(partition)
        found = count_codes_per_group(partition.of_record[kept], codes[kept], size, len(domain))
        return Histogram(domain, *found)

    def _weights(self, partition: Partition) -> Floats | None:
        from tacita.kernels.by_group import sum_by_group

        weight, kept = self.data.weight, partition.ids
        if weight is None:
            return None
        return sum_by_group(partition.of_record[kept], weight[kept], len(partition))

    @property
    def together(self) -> Partition:
        """All records in one class."""
        return Partition(np.zeros(len(self.data), np.int64))

    def refuse_impossible(self) -> None:
        """Raise if not even one class of all records keeps every promise."""
        together = self.together
        if not self.broken(together).any():
            return
        one_class = released(self.data, self.scales, together)
        verdicts = [model.check(one_class) for model in self.models]  # type: ignore[attr-defined]
        why = next((str(one.sentence) for one in verdicts if not one.holds), "see its definition")
        raise ProtectionError(
            f"Not even one class of all {len(self.data):,} records keeps {named(self.models)}: "
            f"{why}. Ask for less, or add records."
        )

    def released(self, partition: Partition) -> Dataset:
        """Return the data in which the keys of a record tell only what its class has.

        Raises:
            ProtectionError: a model is broken by classes that look alike once they are released,
                or by a confidential attribute that is a key too and was generalized.
        """
        safe = released(self.data, self.scales, partition)
        broken = int(np.count_nonzero(broken_records(safe, self.models)))
        if broken:
            raise ProtectionError(
                f"Every class keeps {named(self.models)}, but {broken:,} records break it once the "
                "keys are generalized, as an attribute is both key and confidential or classes "
                "look alike. Protect it by `lattice`, or give it one role."
            )
        return safe

"""Replacing: the values that some records have of some attributes, by imputed ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Role
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.errors import ProtectionError
from tacita.microdata.comparing.features import shared
from tacita.microdata.comparing.representation import common_codes
from tacita.microdata.synthesis.imputing.frame import columns_of
from tacita.microdata.synthesis.imputing.sequence import SequentialModel
from tacita.microdata.synthesis.making.drawing import ROUNDS
from tacita.microdata.synthesis.making.records import with_synthetic
from tacita.microdata.synthesis.making.rules import Rules


@dataclass(frozen=True, eq=False)
class Replacement:
    """Which values are replaced, and how.

    Args:
        targets: the attributes, in the order in which they are drawn.
        given: the attributes that predict them, which stay.
        known: the records that the models are learnt from.
        rows: the records whose values are replaced.
        model: `regression` or `tree`.
        rules: the rules that these records keep afterwards.
    """

    targets: Sequence[str]
    given: Sequence[str]
    known: Ints
    rows: Ints
    model: str
    rules: Sequence[str] = ()

    def of(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with the values replaced; notes tell how many stayed what they were.

        Raises:
            ProtectionError: there are too few records to learn from, or records break the rules
                although they were drawn a hundred times.
        """
        rules = Rules.about(data, self.rules)
        model = SequentialModel.of(
            data.take(self.known), self.given, self.targets, self.model, rng, with_blanks=False
        )
        made = model.drawn(self._held(data, self.rows), len(self.rows), rng)
        columns = {
            name: _put(data.column(name), self.rows, values) for name, values in made.items()
        }
        broken = self._broken(data, columns, rules)
        notes = {"replaced": len(self.rows), "broke_rules": len(broken)}
        for _ in range(ROUNDS):
            if not len(broken):
                break
            again = model.drawn(self._held(data, broken), len(broken), rng)
            columns = {name: _put(columns[name], broken, again[name]) for name in columns}
            broken = self._broken(data, columns, rules)
        if len(broken):
            raise ProtectionError(
                f"{len(broken):,} of {len(self.rows):,} records break the rules although their "
                f"values were drawn {ROUNDS} times; check whether the others keep them."
            )
        return with_synthetic(data, columns).noting(
            **notes, unchanged={name: self._unchanged(data, name, columns[name]) for name in made}
        )

    def _held(self, data: Dataset, rows: Ints) -> dict[str, pa.Array]:
        return columns_of(data, [*self.given, *self.targets], rows)

    def _broken(self, data: Dataset, columns: dict[str, pa.Array], rules: Rules) -> Ints:
        """Return the replaced records that break a rule."""
        if not self.rules:
            return np.zeros(0, np.int64)
        made = {name: values.take(pa.array(self.rows)) for name, values in columns.items()}
        return self.rows[rules.broken({**columns_of(data, data.names, self.rows), **made})]

    def _unchanged(self, data: Dataset, name: str, values: pa.Array) -> int:
        """Count the replaced values that are, by chance, what they were."""
        places = pa.array(self.rows)
        before, after = common_codes(data.column(name).take(places), values.take(places))
        return int(np.count_nonzero((before == after) & (before >= 0)))


def _put(column: pa.Array, rows: Ints, values: pa.Array) -> pa.Array:
    """Return a column with other values in some records."""
    source = np.arange(len(column))
    source[rows] = len(column) + np.arange(len(rows))
    return pa.concat_arrays([column, values]).take(pa.array(source))


def predictors(data: Dataset, targets: Sequence[str]) -> list[str]:
    """Return what predicts by default: all that tells of respondents, and the sampling weight.

    The weight stands for the design, without which regressions of a sample may mislead.
    """
    names = {*shared([data]), *data.with_role(Role.WEIGHT)}
    return [name for name in data.names if name in names and name not in targets]

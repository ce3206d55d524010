"""A sequence of models: every attribute drawn given some others and those drawn before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.microdata.synthesis.imputing.design import Design
from tacita.microdata.synthesis.imputing.predicting import Known, Model, learnt
from tacita.microdata.synthesis.making.columns import Column

Columns = Mapping[str, pa.Array]


@dataclass(frozen=True, eq=False)
class Step:
    """The model of one attribute: its design matrix, its known values, and what draws new ones."""

    name: str
    design: Design
    column: Column
    model: Model

    def drawn(self, held: Columns, records: int, rng: np.random.Generator) -> pa.Array:
        """Draw a value for every record."""
        return self.column.made(*self.model.drawn(self.design.matrix(held, records), rng))


@dataclass(frozen=True, eq=False)
class SequentialModel:
    """Models of several attributes, with one draw of their parameters."""

    steps: tuple[Step, ...]

    @classmethod
    def of(
        cls,
        data: Dataset,
        given: Sequence[str],
        targets: Sequence[str],
        model: str,
        rng: np.random.Generator,
        *,
        weights: Floats | None = None,
        with_blanks: bool = True,
    ) -> SequentialModel:
        """Learn models of some attributes, one after the other.

        Args:
            data: the known records.
            given: the attributes that predict all of them.
            targets: the attributes; each predicts those after it.
            model: `regression` or `tree`.
            rng: where the draw of the parameters comes from.
            weights: how much every record counts; 1 when left out.
            with_blanks: whether blanks are drawn like other values; else they are left out, and an
                attribute without any value has no model.

        Raises:
            ProtectionError: there are too few records for a regression.
        """
        shares = np.ones(len(data)) if weights is None else weights
        steps = []
        for place, name in enumerate(targets):
            there = np.asarray(data.column(name).is_valid()) | with_blanks
            if there.any():
                known = data if there.all() else data.take(np.flatnonzero(there))
                design = Design.of(known, [*given, *targets[:place]])
                column = Column.of(known, name)
                source = Known(design.of_records(known), column, shares[there])
                steps.append(Step(name, design, column, learnt(model, source, rng)))
        return cls(tuple(steps))

    def drawn(self, held: Columns, records: int, rng: np.random.Generator) -> dict[str, pa.Array]:
        """Draw values for records.

        Args:
            held: what is given of them. An attribute that they hold already is drawn anew, but for
                its blanks.
            records: how many there are.
            rng: where chance comes from.
        """
        made: dict[str, pa.Array] = {}
        for step in self.steps:
            values = step.drawn({**held, **made}, records, rng)
            if step.name in held:
                blank = pa.scalar(None, values.type)
                values = pc.if_else(held[step.name].is_valid(), values, blank)
            made[step.name] = values
        return made

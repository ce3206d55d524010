"""Precision loss: how far values climbed their hierarchies."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Attribute
from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.data.hierarchies import Hierarchy
from tacita.data.hierarchies.tree import Tree
from tacita.data.pairing import paired_rows
from tacita.errors import HierarchyError
from tacita.method import ANY_KIND, Method
from tacita.microdata.comparing.coverage import are_exact, distinct
from tacita.microdata.comparing.representation import as_text
from tacita.microdata.utility.generalized import BLANK_LOSES_ALL, Keys, left_out
from tacita.results import Measurement, counted


class PrecisionLoss(Method):
    """How far the values climbed their hierarchies: 1 - Prec, the mean share of levels.

    (1 / (m N)) sum_j sum_i level_ij / height_j over the cells of N original records and m keys. A
    blank, a value of a record that was left out and one that its hierarchy does not know has
    climbed all of it; without a hierarchy an attribute has the values and the root. A label that
    stands on several levels counts at the lowest, as in ARX, which calls 1 minus this
    generalization intensity.

    When not to use it: to compare hierarchies of different heights; a level may hide two values
    or a thousand. `generalization_loss` counts those.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> ta.PrecisionLoss().measure(data, data.apply(ta.Generalize("ZIP", level=2))).parts["ZIP"]
    0.4
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = (
        "Sweeney, Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems 10(5):571-588, 2002"
    )
    missing: ClassVar = BLANK_LOSES_ALL
    public: ClassVar = frozenset({"keys"})

    keys: Keys = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Find how far the values of every key climbed."""
        names = original.classes(self.keys).keys
        parts = {name: _climbed(original, protected, name) for name in names}
        return Measurement(
            self.name,
            self.family,
            float(np.mean(list(parts.values()))),
            f"share of the levels of its hierarchy that a value of {counted(len(parts), 'key')} "
            "climbed, on average",
            parts,
            parameters=self.parameters(),
        )


def _climbed(original: Dataset, protected: Dataset, name: str) -> float:
    known = original.column(name)
    there = np.asarray(known.is_valid())
    if name not in protected.attributes or not there.any():
        return float(there.any())
    shares = climbed_shares(original.attribute(name), known, protected.column(name))
    kept = shares[there[paired_rows(original, protected)]]
    gone = int(np.count_nonzero(left_out(original, protected) & there))
    return (float(kept.sum()) + gone) / (len(kept) + gone)


def climbed_shares(attribute: Attribute, known: pa.Array, released: pa.Array) -> Floats:
    """Return the share of its hierarchy that every released value climbed."""
    if released.type == known.type and not pa.types.is_string(known.type):
        # Values of the same type are exact: generalizations of numbers and dates are text.
        return np.asarray(released.is_null(), np.float64)
    levels = _levels(attribute, known)
    height = attribute.hierarchy.height if attribute.hierarchy else 1
    of_record, values = distinct(released)
    # A number or date in another type or spelling is still exact.
    is_text = pa.types.is_string(known.type)
    unknown = np.where(are_exact(attribute, known, values) & (not is_text), 0, height)
    words = as_text(values).to_pylist()
    climbed = [levels.get(word, top) for word, top in zip(words, unknown, strict=True)]
    return np.array(climbed, np.float64)[of_record] / height


def _levels(attribute: Attribute, known: pa.Array) -> dict[str | None, int]:
    """Return the lowest level at which every label of a hierarchy stands."""
    values = distinct(known)[1].drop_null()
    levels: dict[str | None, int] = dict.fromkeys(as_text(values).to_pylist(), 0)
    if attribute.hierarchy is not None:
        for level in range(1, attribute.hierarchy.height + 1):
            for label in _labels(attribute.hierarchy, values, level):
                levels.setdefault(label, level)
    return levels


def _labels(hierarchy: Hierarchy, values: pa.Array, level: int) -> list[str]:
    if isinstance(hierarchy, Tree):
        return hierarchy.level(level)
    try:
        labels: list[str] = hierarchy.labels(values, level).unique().to_pylist()
        return labels
    except HierarchyError:
        return []

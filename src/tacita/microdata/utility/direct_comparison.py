"""Direct comparison: how far categories moved, record by record."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Attribute
from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.comparing.coverage import ANYTHING, tree_over
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.comparing.representation import as_text
from tacita.microdata.utility.discrepancy import by_name
from tacita.microdata.utility.distributions import (
    UNORDERED,
    Categorical,
    categorical,
    in_order,
    mean_of,
    released_in,
    same_codes,
    weights_of,
)
from tacita.microdata.utility.structure import PAPER
from tacita.results import Measurement, counted


class DirectComparison(Method):
    """How far categories moved: the mean distance between original and released categories.

    d(c, c') of a nominal attribute is 0 if the two are the same and 1 if not; of an ordinal one it
    is |place of c - place of c'| / number of categories of its order. ("The number of categories
    between" them is read so; between neighbours there would be none, and a change to one would
    cost nothing.) A released label that stands for several categories is as far as these are on
    average: those below it in the hierarchy or, if nobody says so, those that became it. A value
    that was blanked or left out is fully different, 1, and so is a label of all categories or, if
    nobody says so, of all that occur. The
    value is the mean over the attributes, each over the released records by their original
    sampling weights.

    When not to use it: on synthetic data, whose records belong to nobody; on nominal categories
    that were generalized, which count as lost (`semantic_loss` knows what they have in common).

    >>> import tacita as ta
    >>> data = ta.example("toy", 100)
    >>> ta.DirectComparison(["education"]).measure(data, data).value
    0.0
    """

    applies_to: ClassVar = UNORDERED
    reference: ClassVar = PAPER
    missing: ClassVar = "A value that was blanked is fully different; original blanks do not count."
    public: ClassVar = frozenset({"attributes"})

    attributes: Categorical = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the categories."""
        known = paired(original, protected)
        changes = {
            name: _change(
                original.attribute(name), known.column(name), released_in(known, protected, name)
            )
            for name in categorical(original, self.attributes)
        }
        found = summed(changes, known)
        return Measurement(
            self.name,
            self.family,
            found.value,
            f"distance between the original and the released category of "
            f"{counted(len(changes), 'attribute')}, on average",
            found.parts,
            found.per_record,
            self.parameters(),
        )


class Change(NamedTuple):
    """How far each value of an attribute moved (0 to 1), and where there was one."""

    gaps: Floats
    known: Mask


class Changes(NamedTuple):
    """How far values moved on average: in all, by attribute, by record."""

    value: float | None
    parts: Mapping[str, float | None]
    per_record: Floats


def summed(changes: Mapping[str, Change], known: Dataset) -> Changes:
    """Return the mean changes of attributes, by the weights of the original records."""
    weights = weights_of(known)
    means, totals, terms = np.full(len(changes), np.nan), *np.zeros((2, len(known)))
    for place, (gaps, there) in enumerate(changes.values()):
        count = weights[there].sum()
        if count:
            means[place] = (gaps * weights)[there].sum() / count
        totals += np.where(there, gaps, 0.0)
        terms += there
    return Changes(mean_of(means), by_name(list(changes), means), totals / np.maximum(terms, 1))


def _change(attribute: Attribute, known: pa.Array, released: pa.Array) -> Change:
    if attribute.order:
        return _in_order(attribute, known, released)
    ours, theirs = same_codes(known, released)
    return Change((ours != theirs).astype(np.float64), ours >= 0)


def _in_order(attribute: Attribute, known: pa.Array, released: pa.Array) -> Change:
    own, theirs = in_order(attribute, known, released)
    size, occurring = len(attribute.order or ()), len(np.unique(own[own >= 0]))
    gaps = np.where(theirs < 0, 1.0, np.abs(own - theirs) / size)
    encoded, below = as_text(released).dictionary_encode(), _below(attribute, known)
    labels = np.asarray(encoded.indices.fill_null(-1))
    coded = np.flatnonzero((theirs < 0) & (labels >= 0) & (own >= 0))
    coded = coded[np.argsort(labels[coded], kind="stable")]
    for rows in np.split(coded, np.flatnonzero(np.diff(labels[coded])) + 1) if len(coded) else ():
        label = encoded.dictionary[int(labels[rows[0]])].as_py()
        meant = below.get(label, np.unique(own[rows]))
        if len(meant) < (size if label in below else occurring):
            gaps[rows] = _mean_distance(own[rows], meant) / size
    return Change(gaps, own >= 0)


def _mean_distance(places: Ints, meant: Ints) -> Floats:
    """Return how far each of some places is from others, which ascend, on average.

    >>> _mean_distance(np.array([0, 2]), np.array([0, 1, 5]))
    array([2., 2.])
    """
    sums, lower = np.append(0, np.cumsum(meant)), np.searchsorted(meant, places)
    above = sums[-1] - sums[lower] - places * (len(meant) - lower)
    return np.asarray((above + places * lower - sums[lower]) / len(meant))


def _below(attribute: Attribute, known: pa.Array) -> dict[str, Ints]:
    """Return the places in the order of the categories that every label stands for."""
    tree = tree_over(attribute, known)
    order = as_text(pa.array(attribute.order or (), known.type)).to_pylist()
    place = {category: at for at, category in enumerate(order)}
    below: dict[str, set[int]] = {ANYTHING: set(place.values())}
    for path in tree.paths if tree else ():
        for label in path[1:] if path[0] in place else ():
            below.setdefault(label, set()).add(place[path[0]])
    return {label: np.array(sorted(places)) for label, places in below.items()}

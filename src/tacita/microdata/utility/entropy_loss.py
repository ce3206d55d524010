"""Entropy loss: what the released values leave open about the original ones."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
import pyarrow as pa

from tacita.arithmetic import log2, product
from tacita.data.classes import Floats, Ints, comparable
from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.comparing.pairs import paired
from tacita.microdata.utility.discrepancy import by_name
from tacita.microdata.utility.distributions import (
    BLANK_COUNTS,
    Categorical,
    categorical,
    mean_of,
    released_in,
    weights_of,
)
from tacita.results import Measurement, counted


class EntropyLoss(Method):
    """How much of the information of a value got lost: conditional entropy over entropy.

    Masking is a noisy channel from the original value V to the released one V'. With p(i|j) the
    share of original i among the records released as j, H(V | V' = j) = -sum_i p(i|j) log2 p(i|j)
    is what is left open of such a record, and EBIL = sum_r H(V | V' = v'_r) over the released
    records. (The form with a record's own probability, -sum_r log2 p(v_r | v'_r), is the same
    number, as the probabilities are those of the pairs.) The loss of an attribute is
    EBIL / (n H(V)), from 0 where every original value can be told from the released one to 1 where
    the two have nothing to do with one another; the value is the mean over the attributes. The
    figure `ebil` is the sum of EBIL in bits, `details` has it by attribute. Records count by their
    original sampling weights.

    When not to use it: where most released values occur once or twice (numbers with noise, long
    lists of categories in small files), so that nothing seems open; on synthetic data.

    >>> import tacita as ta
    >>> data = ta.example("toy", 100)
    >>> coarse = data.apply(ta.Generalize("education", level=1), seed=0)
    >>> round(ta.EntropyLoss(["education"]).measure(data, coarse).value, 3)
    0.446
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = (
        "Kooiman, Willenborg & Gouweleeuw, PRAM: A Method for Disclosure Limitation of Microdata, "
        "Statistics Netherlands, 1998"
    )
    missing: ClassVar = BLANK_COUNTS
    public: ClassVar = frozenset({"attributes"})

    attributes: Categorical = None

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Find what is left open of each value."""
        names, known = categorical(original, self.attributes), paired(original, protected)
        weights = weights_of(known)
        channels = [
            _channel(known.column(name), released_in(known, protected, name), weights)
            for name in names
        ]
        losses = np.array([channel.loss for channel in channels])
        open_bits = np.sum([np.zeros(len(known)), *(one.per_record for one in channels)], axis=0)
        return Measurement(
            self.name,
            self.family,
            mean_of(losses),
            f"share of the entropy of {counted(len(names), 'attribute')} that the released values "
            "leave open, on average",
            by_name(names, losses),
            open_bits,
            self.parameters(),
            {"ebil": float(product(open_bits, weights))},
            details=_details(names, channels),
        )


class _Channel(NamedTuple):
    """What masking did to an attribute."""

    per_record: Floats  # the bits that are left open
    ebil: float
    entropy: float  # of an original value, in bits
    loss: float


def _channel(known: pa.Array, released: pa.Array, weights: Floats) -> _Channel:
    from tacita.kernels.grouping import group

    before, after = (_numbered(column) for column in (known, released))
    pairs = group([after, before])
    counts = _summed(pairs.ids, weights)
    values = after[pairs.first]
    totals = _summed(values, counts)
    left = _summed(values, _bits(counts, totals[values]))
    entropy = float(_bits(_summed(before, weights), weights.sum()).sum())
    ebil, records = float(product(left, totals)), float(weights.sum())
    loss = min(ebil / (records * entropy), 1.0) if records and entropy else 0.0
    return _Channel(left[after], ebil, entropy, loss if records else np.nan)


def _numbered(column: pa.Array) -> Ints:
    from tacita.kernels.grouping import factorize

    return factorize(*comparable(column))[0] + 1


def _summed(groups: Ints, amounts: Floats) -> Floats:
    return np.bincount(groups, amounts).astype(np.float64)


def _bits(counts: Floats, totals: Floats | float) -> Floats:
    """Return -p log2 p of shares p = counts / totals; 0 where there is nothing."""
    shares = np.divide(counts, totals, out=np.ones_like(counts), where=counts > 0)
    return np.asarray(np.abs(shares * log2(shares)))


def _details(names: list[str], channels: list[_Channel]) -> pa.Table:
    return pa.table(
        {
            "attribute": pa.array(names, pa.string()),
            "ebil": pa.array([channel.ebil for channel in channels], pa.float64()),
            "entropy": pa.array([channel.entropy for channel in channels], pa.float64()),
            "loss": pa.array(
                [channel.loss for channel in channels], pa.float64(), from_pandas=True
            ),
        }
    )

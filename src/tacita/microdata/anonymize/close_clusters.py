"""Close clusters: each takes one record from every stretch of the confidential values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, ClassVar

import numpy as np

from tacita.data.attribute import Kind
from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, ProtectionError
from tacita.method import ANY_KIND, Method
from tacita.microdata.anonymize.promises import Models, named
from tacita.microdata.anonymize.sorted_clusters import chosen_keys, refuse_unsuitable
from tacita.microdata.masking.ranges.hulls import ascending_axis, released_as_ranges
from tacita.microdata.masking.ranges.line import Line
from tacita.microdata.models.class_table import Domain, Histogram
from tacita.microdata.models.k_anonymity import KAnonymity
from tacita.microdata.models.t_closeness import TCloseness
from tacita.microdata.models.verdicts import Judged, confidential_attributes
from tacita.preserved import Statistic, always
from tacita.results import exactly, show
from tacita.validity import Change

ORDERED = frozenset({Kind.CONTINUOUS, Kind.ORDINAL, Kind.DATE})


class CloseClusters(Method):
    """Reach k-anonymity and t-closeness at once, by taking records across the confidential values.

    The cluster size is K = max(k, ceil(n / (2 (n - 1) t + 1))), raised by
    floor((n mod K) / floor(n / K)) so that at most one record a cluster is left over. Records are
    sorted by the confidential attribute and split into K subsets of floor(n / K) in a row and one
    of the rest; each subset is sorted by the standardized distance to the record of zeros (see
    `sorted_clusters`); cluster i takes the i-th record of every subset. Keys are released as
    `[min;max]` of their cluster, in the original order, and no record is left out.

    K bounds the ordered distance by t only if all confidential values differ and K divides n. The
    distance that is reached is therefore computed exactly. Where clusters are above t, the rest is
    tried in the middle in place of the end, and clusters that are still above t are merged with
    their neighbours until none is. The notes tell the `t` that the clusters reach (where several
    get the same ranges, these classes are closer), the size and number of clusters and how many had
    to be repaired.

    When not to use it: on confidential attributes without an order.

    >>> import tacita as ta
    >>> data = ta.example("patients", 2000)
    >>> models = [ta.KAnonymity(5), ta.TCloseness(0.1, "charge")]
    >>> safe = data.apply(ta.CloseClusters(models), seed=0)
    >>> all(model.check(safe) for model in models)
    True
    """

    applies_to: ClassVar = ANY_KIND - {Kind.SET_VALUED}
    keeps: ClassVar = (always(Statistic.RECORDS),)
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = (
        "Sanchez, Martinez & Domingo-Ferrer, Science 351(6279):1274, 2016, Algorithm S4; "
        "Soria-Comas et al., IEEE Trans. Knowledge and Data Engineering 27(11), 2015"
    )
    missing: ClassVar = (
        "Keys: where one record of a cluster is blank, all become blank. Confidential: a blank is "
        "a value above all others."
    )
    example: ClassVar = {
        "to": [{"k_anonymity": {"k": 2}}, {"t_closeness": {"t": 0.3, "attribute": "income"}}]
    }
    public: ClassVar = frozenset({"to"})

    to: Models

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with the keys of every cluster as ranges."""
        k, t, name = self._models(data)
        keys = _keys(self, data, k, t, name)
        refuse_unsuitable(self, data, keys, k.k)
        if not len(data):
            return data.noting(clusters=0, suppressed_records=0)
        lines = [Line.of(data, key) for key in keys]
        values = _Values(t, *Domain.of(data, name))
        size = cluster_size(len(data), k.k, exactly(t.t))
        cluster, repaired = _closest(ascending_axis(lines, len(data)), values, size)
        clusters = int(cluster.max()) + 1
        reached = values.judged(cluster, clusters)
        if reached.broken.any():
            raise ProtectionError(
                f"Even all records together are {show(reached.value)} from the `distribution` of "
                f"`{name}`: raise `t` (now {t.t:g}) or leave the distribution out."
            )
        released = released_as_ranges(data, lines, cluster, clusters)
        return released.noting(
            t=float(reached.value),
            clusters=clusters,
            cluster_size=size,
            repaired=repaired,
            suppressed_records=0,
        )

    def _models(self, data: Dataset) -> tuple[KAnonymity, TCloseness, str]:
        """Return the two models and the one attribute that is to be close."""
        k = [model for model in self.to if isinstance(model, KAnonymity)]
        t = [model for model in self.to if isinstance(model, TCloseness)]
        if not len(k) == len(t) == 1 or len(self.to) != 2:  # noqa: PLR2004 - one of each
            raise ParameterError(
                f"`{self.name}` reaches one k_anonymity and one t_closeness; found "
                f"{named(self.to)}."
            )
        names = confidential_attributes(data, t[0].attribute)
        if len(names) > 1:
            raise ParameterError(
                f"`{self.name}` keeps one confidential attribute close; found {', '.join(names)}. "
                "Say which in `attribute` of t_closeness."
            )
        if data.attribute(names[0]).kind not in ORDERED or t[0].distance not in (None, "ordered"):
            raise ParameterError(
                f"`{self.name}` sorts the confidential values: `{names[0]}` must be continuous, "
                "ordinal or a date, and the distance of t_closeness ordered."
            )
        return k[0], t[0], names[0]


def _keys(
    method: Method, data: Dataset, k: KAnonymity, t: TCloseness, name: str
) -> tuple[str, ...]:
    """Return the keys, which must be the same for both models and without the attribute itself."""
    keys, others = chosen_keys(data, k.keys), chosen_keys(data, t.keys)
    if set(keys) != set(others):
        raise ParameterError(f"`{method.name}` needs the same `keys` in both models.")
    if name in keys:
        raise ParameterError(
            f"`{method.name}` releases keys as ranges and `{name}` as it is; it cannot be both."
        )
    return keys


def cluster_size(records: int, k: int, t: Fraction) -> int:
    """Return the least cluster size for k and t, such that at most one each is left over.

    >>> cluster_size(3_985_166, 2, Fraction("0.05")), cluster_size(2996, 10, Fraction("0.0498"))
    (10, 11)
    """
    size = min(max(k, ceil(records / (2 * (records - 1) * t + 1))), records)
    return size + (records % size) // (records // size)


@dataclass(frozen=True, eq=False)
class _Values:
    """The confidential values, and what is asked of them."""

    model: TCloseness
    domain: Domain
    codes: Ints

    @cached_property
    def whole(self) -> Ints:
        """How often every value occurs."""
        return np.bincount(self.codes, minlength=len(self.domain))

    def judged(self, cluster: Ints, clusters: int) -> Judged:
        """Compare clusters with the whole."""
        from tacita.kernels.by_group import count_codes_per_group

        counts = count_codes_per_group(cluster, self.codes, clusters, len(self.domain))
        sizes = np.bincount(cluster, minlength=clusters)
        return self.model.judged(sizes, Histogram(self.domain, *counts))

    def broken_among(self, records: Ints, cluster: Ints, clusters: int) -> Mask:
        """Tell which of some clusters are above t; all other records are seen as one cluster."""
        from tacita.kernels.by_group import count_codes_per_group

        codes, size = self.codes[records], len(self.domain)
        counts = count_codes_per_group(cluster, codes, clusters, size)
        others = self.whole - np.bincount(codes, minlength=size)
        held = np.flatnonzero(others)
        more = int(len(held) > 0)  # there may be no others
        ends = np.append(counts.ends, np.full(more, len(counts.codes) + len(held)))
        sizes = np.append(np.bincount(cluster), others.sum())[: clusters + more]
        codes, amounts = np.append(counts.codes, held), np.append(counts.counts, others[held])
        judged = self.model.judged(sizes, Histogram(self.domain, ends, codes, amounts))
        return judged.broken[:clusters]


def _closest(axis: Floats, values: _Values, size: int) -> tuple[Ints, int]:
    """Make clusters and repair those above t; also tell how many those were."""
    cluster = across(axis, values.codes, size, size)
    found = broken = values.judged(cluster, len(axis) // size).broken
    rest = len(axis) % size
    if 2 * np.count_nonzero(found[:rest]) > np.count_nonzero(found):  # it is the rest that breaks t
        cluster = across(axis, values.codes, size, size // 2)
        broken = values.judged(cluster, len(axis) // size).broken
    if broken.any():
        cluster = _merged(cluster, broken, values)
    return cluster, int(np.count_nonzero(found))


def _merged(cluster: Ints, broken: Mask, values: _Values) -> Ints:
    """Merge clusters above t with their neighbours until none is; only those are judged again."""
    counts = np.bincount(cluster)
    order, starts = np.argsort(cluster, kind="stable"), np.cumsum(counts) - counts
    part_of = np.arange(len(counts))
    while broken.any() and len(broken) > 1:
        into = with_neighbours(broken)
        part_of, merged = into[part_of], np.bincount(into) > 1
        parts = np.flatnonzero(merged[part_of])
        records = order[_runs(starts[parts], counts[parts])]
        number = np.repeat((np.cumsum(merged) - 1)[part_of[parts]], counts[parts])
        broken = np.zeros(len(merged), np.bool_)
        broken[merged] = values.broken_among(records, number, int(np.count_nonzero(merged)))
    return part_of[cluster]


def _runs(starts: Ints, lengths: Ints) -> Ints:
    """Return the places of runs, one after the other.

    >>> _runs(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())


def across(axis: Floats, codes: Ints, size: int, rest_at: int) -> Ints:
    """Give every cluster one record of every stretch of the codes, in the order of the axis.

    >>> across(np.array([4.0, 1.0, 2.0, 3.0, 0.0]), np.arange(5), size=2, rest_at=2)
    array([1, 0, 0, 1, 0])

    Args:
        axis: the order of the records within a stretch.
        codes: the order that is cut into stretches; ties by record number.
        size: the number of stretches, apart from the one of the rest.
        rest_at: before which stretch the rest is; after the last one if it is their number.
    """
    each, rest = divmod(len(codes), size)
    lengths = np.insert(np.full(size, each), rest_at, rest)
    stretch = np.empty(len(codes), np.int32)
    stretch[np.argsort(codes, kind="stable")] = np.repeat(np.arange(size + 1), lengths)
    cluster = np.empty(len(codes), np.int64)
    start = np.repeat(np.cumsum(lengths) - lengths, lengths)
    cluster[np.lexsort((axis, stretch))] = np.arange(len(codes)) - start
    return cluster


def with_neighbours(broken: Mask) -> Ints:
    """Merge every marked cluster with the next one, in pairs; the last with the one before.

    >>> with_neighbours(np.array([False, True, True, True, False, True])).tolist()
    [0, 1, 1, 2, 2, 2]

    Returns:
        the number of the cluster that every cluster becomes part of.
    """
    number = np.arange(len(broken))
    # The place of a marked cluster in its run of marked ones: those at even places take the next.
    since = number - np.maximum.accumulate(np.where(broken, -1, number))
    takes = broken & (since % 2 == 1)
    joined = np.append(False, takes[:-1])  # is part of the one before
    joined[-1] |= bool(takes[-1]) and len(broken) > 1
    into: Any = np.cumsum(~joined) - 1
    return np.asarray(into)

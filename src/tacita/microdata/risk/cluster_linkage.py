"""Cluster-based linkage: the intruder knows other attributes than those that were released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.arranging import order_of_contents
from tacita.data.attribute import Kind, Role
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset, of_kind
from tacita.data.pairing import paired_rows
from tacita.errors import InputError
from tacita.method import AttributeNames, Method
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn, told
from tacita.microdata.risk.linking.links import Links
from tacita.results import Measurement, listed
from tacita.validity import OF_RESPONDENTS, Use

CONTINUOUS = frozenset({Kind.CONTINUOUS})
NOBODY_KNOWS = (Role.CONFIDENTIAL, Role.IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD)
NOT_RELEASED = (Role.IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD)
ROUNDS = 100  # of k-means, which settles long before


class ClusterLinkage(Method):
    """The share of records linked to their own respondent without a common attribute.

    The intruder knows attributes (`known`) of the same respondents that are not those released
    (`released`), and hopes that who is alike in the one is alike in the other. Each file is
    clustered by itself (k-means on standardized values); clusters of the one file are mapped to
    clusters of the other so that their profiles differ least: share of the records, distance to
    the mean of the file, mean distance to the other clusters, and spread. Each released record is
    linked to one of the m respondents in the cluster its own was mapped to, at random: the
    expected share of right links is (1/n) sum_i 1/m_i over the records whose own respondent is
    there. Pure chance gives 1/n.

    When not to use it: where the files share attributes, by which distances link far better.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> firms = ta.read(pa.table({"turnover": [1, 2, 3, 90, 95], "profit": [4, 5, 6, 70, 71]}))
    >>> ta.ClusterLinkage("turnover", "profit", clusters=2).measure(firms, firms).value
    Fraction(2, 5)
    """

    applies_to: ClassVar = CONTINUOUS
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.VALUES
    links_records: ClassVar = True
    reference: ClassVar = "Domingo-Ferrer & Torra, Statistics and Computing 13(4):343-354, 2003"
    missing: ClassVar = "A blank counts as the mean of its attribute."
    public: ClassVar = frozenset({"known", "released", "clusters", "sample"})

    known: Annotated[
        AttributeNames | None,
        Field(
            description="The continuous attributes the intruder knows; by default the keys, "
            "without any all that are not confidential."
        ),
    ] = None
    released: Annotated[
        AttributeNames | None,
        Field(
            description="The released continuous attributes she does not know; by default the "
            "confidential ones, without any all others."
        ),
    ] = None
    clusters: Annotated[
        int, Field(description="Into how many clusters each file is put (2 or more).", ge=2)
    ] = 10
    sample: SampleSize = 2_000
    seed: SampleSeed = 0

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Cluster both files, map the clusters, and link inside them."""
        known, released = self._sides(original, protected)
        own = paired_rows(original, protected)
        # In the order of what is in them: sums, starts and ties know no other order.
        order = order_of_contents(original, protected)
        rows = order[drawn(len(protected), self.sample, self.seed)]
        ours = self._clustered(_standardized(original, known, own[rows]))
        theirs = self._clustered(_standardized(protected, released, rows))
        mapped = _mapped(theirs, ours)[theirs.of_record]
        size = np.bincount(ours.of_record, minlength=1)
        right = (mapped == ours.of_record).astype(np.int64)
        guesses = np.where(mapped < 0, 1, size[mapped])
        back = np.argsort(rows)
        links = Links(right[back], guesses[back], len(protected))
        details = {"record": rows, "own": own[rows], "cluster": theirs.of_record}
        more = {"mapped_to": mapped, "own_cluster": ours.of_record}
        columns = {name: column[back] for name, column in {**details, **more}.items()}
        return links.measurement(
            self,
            f"{links.told()} by clusters of {listed(released)} mapped to clusters of "
            f"{listed(known)}{told(len(rows), len(protected))}",
            {"by_chance": 1 / len(rows) if len(rows) else None},
            pa.table({**columns, "probability": links.probability}),
        )

    def _sides(self, original: Dataset, protected: Dataset) -> tuple[list[str], list[str]]:
        """Return the attributes of the intruder and those of the release.

        Raises:
            InputError: one of them has no continuous attribute.
        """
        known = list(self.known or _chosen(original, original.keys, NOBODY_KNOWS))
        held = list(self.released or _chosen(protected, protected.confidential, NOT_RELEASED))
        numbers = of_kind(protected, CONTINUOUS)
        released = [n for n in held if n in numbers and (self.released or n not in known)]
        for names, whose in ((known, "the intruder's"), (released, "the released")):
            if not names:
                raise InputError(
                    f"Linkage by clusters needs a continuous attribute on both sides; found none "
                    f"on {whose} side. Name some in `known` and `released`."
                )
        return known, released

    def _clustered(self, points: Floats) -> _Clusters:
        """Put records into clusters by k-means from a spread-out start."""
        rng = np.random.default_rng(self.seed)
        centres = _start(points, self.clusters, rng)
        of_record = np.full(len(points), -1)
        for _ in range(ROUNDS if len(points) else 0):
            nearest = np.argmin(_squares(points, centres), axis=1)
            if np.array_equal(nearest, of_record):
                break
            of_record = nearest
            sizes = np.bincount(of_record, minlength=len(centres))
            sums = np.zeros_like(centres)
            np.add.at(sums, of_record, points)
            centres = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centres)
        return _Clusters(points, centres, of_record)


@dataclass(frozen=True, eq=False)
class _Clusters:
    """Records in clusters.

    Args:
        points: the records.
        centres: the means of the clusters.
        of_record: the cluster of every record.
    """

    points: Floats
    centres: Floats
    of_record: Ints

    def profiles(self) -> Floats:
        """Describe clusters by what does not depend on the attributes, one row a cluster."""
        sizes = np.bincount(self.of_record, minlength=len(self.centres))
        inside = np.square(self.points - self.centres[self.of_record]).sum(axis=1)
        spread = np.bincount(self.of_record, inside, len(self.centres)) / np.maximum(sizes, 1)
        apart = np.sqrt(_squares(self.centres, self.centres)).sum(axis=1) / max(len(sizes), 1)
        centrality = np.sqrt(np.square(self.centres).sum(axis=1))
        # Distances grow with the number of attributes; shares do not.
        lengths = np.column_stack([centrality, apart, np.sqrt(spread)])
        scaled = lengths / np.sqrt(self.points.shape[1])
        return np.column_stack([sizes / max(len(self.points), 1), scaled])


def _chosen(data: Dataset, preferred: Sequence[str], left_out: Sequence[Role]) -> list[str]:
    numbers = of_kind(data, CONTINUOUS)
    gone = {name for role in left_out for name in data.with_role(role)}
    return [n for n in preferred if n in numbers] or [n for n in numbers if n not in gone]


def _standardized(data: Dataset, names: Sequence[str], rows: Ints) -> Floats:
    """Return records by attributes with mean 0 and variance 1; a blank is the mean."""
    columns = []
    for name in names:
        values = data.numbers(name)[rows]
        there = ~np.isnan(values)
        # Squares of very large numbers have no double; units do not matter here.
        values = values / 2.0 ** (int(np.frexp(np.abs(values[there]).max(initial=0.0))[1]) - 1)
        mean, spread = (values[there].mean(), values[there].std()) if there.any() else (0.0, 0.0)
        columns.append(np.where(there, values - mean, 0.0) / (spread or 1.0))
    return np.column_stack(columns)


def _start(points: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Choose centres among the records, far ones with higher probability (k-means++)."""
    centres = points[:1] if not len(points) else points[[rng.integers(len(points))]]
    while len(points) and len(centres) < count:
        away = _squares(points, centres).min(axis=1)
        if not away.any():
            break
        centres = np.vstack([centres, points[rng.choice(len(points), p=away / away.sum())]])
    return centres


def _squares(ones: Floats, others: Floats) -> Floats:
    """Return the squared distances of all pairs."""
    return np.asarray(np.square(ones[:, None, :] - others[None, :, :]).sum(axis=2))


def _mapped(theirs: _Clusters, ours: _Clusters) -> Ints:
    """Return for each released cluster the known one with the most similar profile, or -1."""
    from scipy.optimize import linear_sum_assignment

    left, right = theirs.profiles(), ours.profiles()
    spreads = np.std(np.vstack([left, right]), axis=0) if len(left) else np.ones(left.shape[1])
    scale = np.where(spreads > 0, spreads, 1.0)
    mapped = np.full(len(left), -1)
    chosen, partners = linear_sum_assignment(_squares(left / scale, right / scale))
    mapped[chosen] = partners
    return mapped

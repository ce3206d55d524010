"""Anatomy: keys stay exact, and who of a bucket has which confidential value is lost."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.attribute import Attribute, Kind, Role
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.data.hierarchies.building.values import free
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.method import ANY_KIND, AttributeName, Method
from tacita.microdata.models.class_table import Domain, histogram_of
from tacita.preserved import Statistic, always
from tacita.validity import Change


class AnatomyTables(NamedTuple):
    """The two tables that are published, joined by the bucket.

    Args:
        records: all records without the confidential attribute, with their bucket.
        values: for every bucket, its confidential values and how many records have them, in
            `count` (in `(count)` where another attribute has that name).
    """

    records: Dataset
    values: pa.Table


class Anatomy(Method):
    """Exchange confidential values within buckets of records that all have different ones.

    Records are dealt to floor(n / l) buckets so that each has l records or a few more, no two with
    the same value. Nobody's value can be told with a probability above 1 / l, yet keys stay exact.
    Records in the order of their values, in random order within a value, are dealt round: as no
    value occurs more often than there are buckets, none meets itself. Buckets are as many and as
    diverse as by the paper's algorithm, which takes records of the l most frequent values that are
    left, and the time is O(n log n).

    The result is one file: the values are exchanged at random within every bucket, and `bucket`
    says which it is. `tables` gives the paper's two tables, which tell the same.

    When not to use it: where it must stay hidden that somebody is in the file, as keys are released
    as they are; where several confidential attributes hang together, as only one is exchanged.

    >>> import tacita as ta
    >>> safe = ta.example("conditions").apply(ta.Anatomy(2), seed=0)
    >>> ta.LDiversity(2, "Condition", keys=["bucket"]).check(safe).holds
    True
    >>> ta.Anatomy(2).tables(ta.example("conditions"), np.random.default_rng(0)).values.num_rows
    12
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = (
        always(Statistic.RECORDS),
        always(Statistic.DISTRIBUTIONS, of="the confidential attribute", about=("attribute",)),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Xiao & Tao, Anatomy: simple and effective privacy preservation, Proc. VLDB 2006"
    )
    missing: ClassVar = (
        "A blank is a confidential value like any other and changes hands as they do."
    )
    example: ClassVar = {"l": 2, "attribute": "disease"}
    public: ClassVar = frozenset({"l", "attribute", "bucket"})
    draws: ClassVar = True

    l: Annotated[  # noqa: E741 - as the field calls it
        int,
        Field(description="The least number of different values in a bucket (2 or more).", ge=2),
    ]
    attribute: Annotated[
        AttributeName | None,
        Field(description="The confidential attribute; by default the one with that role."),
    ] = None
    _: KW_ONLY
    bucket: Annotated[
        str, Field(description="The name of the new attribute with the bucket.", min_length=1)
    ] = "bucket"

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with values exchanged within buckets, and the bucket."""
        name, buckets = self._dealt(data, rng)
        shuffled = np.lexsort((rng.random(len(data)), buckets))
        source = np.empty(len(data), np.int64)
        source[np.argsort(buckets, kind="stable")] = shuffled
        exchanged = data.replacing(name, data.take(source))
        return self._with_bucket(exchanged, buckets)

    def tables(self, data: Dataset, rng: np.random.Generator) -> AnatomyTables:
        """Return the records without their confidential value, and the values of every bucket."""
        name, buckets = self._dealt(data, rng)
        records = self._with_bucket(data.without([name]), buckets)
        classes = self._with_bucket(data, buckets).classes([self.bucket])
        values = histogram_of(classes, name)
        bucket = records.column(self.bucket).take(pa.array(classes.first[values.classes]))
        column = values.domain.values.take(pa.array(values.codes))
        names = [self.bucket, name, free("count", (self.bucket, name))]
        told = pa.table([bucket, column, pa.array(values.counts)], names=names)
        return AnatomyTables(records, told.sort_by(self.bucket))

    def _dealt(self, data: Dataset, rng: np.random.Generator) -> tuple[str, Ints]:
        """Return the confidential attribute and the bucket of every record.

        Raises:
            ProtectionError: a value is too frequent to be in every bucket once only.
        """
        name = self._confidential(data)
        if self.bucket in data.names:
            raise ParameterError(
                f"There is an attribute `{self.bucket}` already; name the `bucket` of `anatomy` "
                "otherwise."
            )
        domain, codes = Domain.of(data, name)
        counts, count = np.bincount(codes, minlength=len(domain)), len(data) // self.l
        if len(data) and counts.max() > count:
            raise ProtectionError(
                f"`anatomy` needs that no value of `{name}` has more than 1 / l of the records, "
                f"{count:,} of {len(data):,}; found one with {counts.max():,}. Lower l, or recode "
                "that value."
            )
        place = rng.permutation(len(domain))[codes]
        buckets = np.empty(len(data), np.int64)
        dealt = np.arange(len(data)) % max(count, 1)
        buckets[np.lexsort((rng.random(len(data)), place))] = rng.permutation(max(count, 1))[dealt]
        return name, buckets

    def _confidential(self, data: Dataset) -> str:
        if self.attribute is not None:
            return self.attribute
        if len(data.confidential) != 1:
            raise InputError(
                f"`anatomy` exchanges one attribute, and {len(data.confidential)} have the role "
                "`confidential`; say which `attribute` to protect."
            )
        return data.confidential[0]

    def _with_bucket(self, data: Dataset, buckets: Ints) -> Dataset:
        new = Attribute(self.bucket, kind=Kind.NOMINAL, roles=frozenset({Role.NON_CONFIDENTIAL}))
        return data.with_new_column(new, pa.array(buckets + 1))

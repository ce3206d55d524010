"""Microaggregation: alike records get the same values."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field, model_validator

from tacita.data.classes import EquivalenceClasses, Floats, Ints, Mask
from tacita.data.content_order import content_order
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, ProtectionError, shown
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.nearness import is_numeric, numbers
from tacita.microdata.masking.partitions.blanks import cells_of, shared_blanks
from tacita.microdata.masking.partitions.grouping import NO_GROUP, Grouping
from tacita.microdata.masking.partitions.improving import improved
from tacita.microdata.masking.partitions.mixed import (
    CAN,
    How,
    MixedSpace,
    attribute_after,
    representatives,
)
from tacita.microdata.masking.partitions.ordering import first_component, fixed_runs, optimal_runs
from tacita.microdata.masking.partitions.scaling import Scale, on_lattice, scaled
from tacita.microdata.masking.partitions.spanning import (
    laid_out,
    minimum_spanning_tree,
    mu_approx,
)
from tacita.preserved import Statistic, Trait, always, expected
from tacita.validity import Change

if TYPE_CHECKING:
    from tacita.kernels.mdav import Lattice

APART = ("optimal", "individual_ranking")
BY_CONTENT = ("minimum_spanning_tree", "mu_approx")  # whatever the order of the records
GAMMA = 0.2


class WhenRandom:
    """Says of a method whether it draws: only one whose representatives are random members."""

    def __get__(self, method: Microaggregate | None, owner: type[Method]) -> bool:
        return method is not None and method.representative == "random"


class Microaggregate(Method):
    """Replace the values of groups of at least k alike records by the group's average.

    Records are partitioned into groups whose sum of squares SSE = sum_i sum_j |x_ij - mean_i|^2 is
    small; every x_ij is replaced by mean_i. So means of numbers stay and squares about them shrink
    by SSE, where all members get the mean and blanks cost no further values; weighted means stay
    with `weighted`. Whole numbers become fractions, unless members are drawn. Algorithms:

    - *mdav*: groups of k around the records farthest from the average;
    - *v_mdav*: the same, and groups grow where records lie near (Solanas & Martinez 2006);
    - *optimal*: the least possible SSE of every attribute apart (Hansen & Mukherjee 2003);
    - *individual_ranking*: every attribute apart, sorted and cut into runs of k;
    - *single_axis*: sorted by the first attribute named and cut into runs of k;
    - *projection*: the same along the first principal component;
    - *minimum_spanning_tree*: the tree of the least length that joins all records, cut at its long
      edges (Laszlo & Mukherjee 2005); O(n^2), 20 s for 100,000 records of 9 attributes;
    - *mu_approx*: trees of at least k near records, taken apart; SSE is at most 9/2 k (k - 1)^2
      times the least possible one (after Domingo-Ferrer, Sebe & Solanas 2008).

    The last two depend on the records' contents only, not on their order, and make groups of k to
    2k - 1 records. Before `improve` they lose about as much as MDAV, up to 20 % more at k = 10.

    With `improve`, records move, swap and push each other on between near groups while that lowers
    SSE. It is never worse and most often 5 to 20 % better: Census k = 3, 5, 10 loses 5.17, 8.00,
    12.37 % of all squares instead of 5.69, 9.09, 14.16; Tarragona 15.02, 21.25, 30.81 instead of
    16.93, 22.46, 33.19. It takes some ten sweeps of O(nk) distances, 7 s for 100,000 records of 9
    attributes, where MDAV alone takes 1 s.

    Other kinds than numbers and dates are compared by rank or by meaning, and their average is the
    median of ordinal, the most central of nominal values, be it a label of their hierarchy (mdav
    only, O(n^2 / k)). Attributes may be taken some at a time (`together`), groups be formed within
    strata (`within`) or be given (`by`). Scales and groups do not depend on the sampling weights.

    When not to use it: on attributes whose tails matter. Where k-anonymity is meant, not with
    `replace: one` and not for attributes apart or some at a time: records are alike in those only.

    >>> import tacita as ta
    >>> by_disease = ta.Microaggregate("Chol", by="Disease", k=2)
    >>> ta.example("medical").apply(by_disease).column("Chol").to_pylist()[:4]
    [225.0, 260.0, 185.0, 260.0]
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = (
        always(
            Statistic.MEANS,
            of="numbers",
            given={"representative": "mean", "replace": "all"},
            unless={Trait.RARE_BLANKS},
        ),
        always(
            Statistic.SUBGROUP_MEANS,
            of="numbers in each class of `within` or `by`",
            given={"representative": "mean", "replace": "all"},
            unless={Trait.RARE_BLANKS},
            about=("within",),
            simulated={"within": ["stratum"]},
        ),
        always(
            Statistic.TOTALS,
            of="numbers",
            given={"weighted": True, "representative": "mean", "replace": "all"},
            unless={Trait.RARE_BLANKS},
        ),
        expected(
            Statistic.MEANS,
            of="numbers",
            given={"representative": "random", "replace": "all"},
            unless={Trait.RARE_BLANKS},
            simulated={"attributes": ["age", "income", "wealth"]},
        ),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Domingo-Ferrer & Torra, Ordinal, continuous and heterogeneous k-anonymity through "
        "microaggregation, Data Mining and Knowledge Discovery 11(2), 2005"
    )
    missing: ClassVar = (
        "A blank stays, and records are grouped with those that have the same blanks in these "
        "attributes; where fewer than k share them, further values are suppressed until k do, or "
        "none is left."
    )
    example: ClassVar = {"attributes": ["age", "income"], "k": 3}
    public: ClassVar = frozenset(
        {
            "attributes",
            "k",
            "algorithm",
            "improve",
            "scale",
            "together",
            "within",
            "by",
            "representative",
            "replace",
            "weighted",
            "gamma",
            "tail",
        }
    )
    draws: ClassVar = WhenRandom()

    attributes: Annotated[AttributeNames, Field(description="The attributes to microaggregate.")]
    _: KW_ONLY
    k: Annotated[int, Field(description="The smallest size of a group (2 or more).", ge=2)] = 3
    algorithm: Annotated[
        Literal[
            "mdav",
            "v_mdav",
            "optimal",
            "individual_ranking",
            "single_axis",
            "projection",
            "minimum_spanning_tree",
            "mu_approx",
        ],
        Field(description="How groups are formed."),
    ] = "mdav"
    improve: Annotated[
        bool, Field(description="Whether to improve the groups by exchanges between near ones.")
    ] = False
    scale: Annotated[
        Scale,
        Field(description="The unit of distances: standard deviations, ranges or as they are."),
    ] = "standardize"
    together: Annotated[
        Annotated[int, Field(ge=1)] | tuple[AttributeNames, ...] | None,
        Field(
            description="The attributes that are grouped together: lists of them, or how many at a "
            "time in the order named (the last may be fewer); by default all."
        ),
    ] = None
    within: Annotated[
        AttributeNames | None,
        Field(description="The attributes that make strata, which no group may cross."),
    ] = None
    by: Annotated[
        AttributeNames | None,
        Field(description="The attributes whose classes are the groups, instead of an algorithm."),
    ] = None
    representative: Annotated[
        Literal["mean", "median", "random"],
        Field(description="What stands for a group: its mean, its median or a random member."),
    ] = "mean"
    replace: Annotated[
        Literal["all", "one"],
        Field(
            description="Whose values are replaced: those of all members, or only of the one that "
            "is nearest to the average (blurring)."
        ),
    ] = "all"
    weighted: Annotated[
        bool,
        Field(description="Whether representatives use the sampling weights, to keep totals."),
    ] = False
    gamma: Annotated[
        float | None,
        Field(
            description="How eagerly `v_mdav` extends a group (0 or more; 0.2 for scattered, 1.1 "
            "for clustered data); by default 0.2.",
            ge=0,
        ),
    ] = None

    tail: Annotated[
        Literal["group", "nearest"] | None,
        Field(
            description="What `mdav` does with the last k to 2k - 1 records: one group of them all "
            "(the default), or a group of k, while each of the others joins the nearest group."
        ),
    ] = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for name, algorithm in (("gamma", "v_mdav"), ("tail", "mdav")):
            if getattr(self, name) is not None and self.algorithm != algorithm:
                raise ValueError(
                    f"`{name}` of `microaggregate` is for {algorithm}; found {self.algorithm}."
                )
        if self.together is not None and self.algorithm in APART:
            raise ValueError(f"{self.algorithm} takes attributes apart; leave out `together`.")
        chosen = self.within or self.tail or self.improve or self.algorithm != "mdav"
        if self.by is not None and chosen:
            raise ValueError(
                "`by` gives the groups of `microaggregate`; leave out `algorithm`, `improve`, "
                "`tail` and `within`."
            )
        if isinstance(self.together, tuple):
            named = [name for block in self.together for name in block]
            if sorted(named) != sorted(self.attributes):
                raise ValueError(
                    "`together` of `microaggregate` must name each of its attributes once; found "
                    f"{shown(self.together)} for {shown(self.attributes)}."
                )
        return self

    def named_attributes(self) -> list[str]:
        """Return the attributes that must be of a kind it applies to; strata may be of any."""
        return list(self.attributes)

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with the attributes microaggregated."""
        if not len(data):
            return data
        weights = self._weights(data)
        cells = self._cells(data)
        told = []
        for names in self._blocks():
            grouping = self._grouped(data, names, cells)
            data = self.replaced(data, grouping, weights, rng)
            told.append(grouping.described())
        return data.noting(groups=told)

    def _weights(self, data: Dataset) -> Floats | None:
        if not self.weighted:
            return None
        if data.weight is None:
            raise ParameterError(
                "`weighted` of `microaggregate` needs sampling weights; give an attribute the role "
                "`weight`."
            )
        return data.weight

    def _cells(self, data: Dataset) -> Ints:
        """Return the number of every record's stratum, or of its group where groups are given."""
        if len(data) < self.k:
            raise ProtectionError(
                f"`microaggregate` needs at least k = {self.k} records; found {len(data)}."
            )
        names = self.by or self.within
        if names is None:
            return np.zeros(len(data), np.int64)
        classes = data.classes(names)
        if classes.smallest < self.k:
            raise self._too_few(classes)
        return classes.of_record

    def _too_few(self, classes: EquivalenceClasses) -> ProtectionError:
        smallest = int(classes.counts.argmin())
        row = classes.combinations(np.array([smallest])).select(classes.keys).to_pylist()[0]
        return ProtectionError(
            f"`microaggregate` needs at least k = {self.k} records in every class of "
            f"{', '.join(f'`{name}`' for name in classes.keys)}; found {classes.smallest} with "
            f"{shown(row)}. Recode those attributes, or lower k."
        )

    def _blocks(self) -> Sequence[tuple[str, ...]]:
        """Return the attributes that are grouped together."""
        if isinstance(self.together, tuple):
            return self.together
        some = 1 if self.algorithm in APART else self.together or len(self.attributes)
        starts = range(0, len(self.attributes), some)
        return [self.attributes[start : start + some] for start in starts]

    def _grouped(self, data: Dataset, names: tuple[str, ...], cells: Ints) -> Grouping:
        known = np.column_stack([np.asarray(data.column(name).is_valid()) for name in names])
        kept = shared_blanks(known, cells, self.k)
        points = self._points(data, names, kept)
        space_of = functools.cache(lambda some: MixedSpace.of(data, some, scale=self.scale))
        exact = functools.cache(lambda: on_lattice(_columns(data, names), self.scale))
        labels, count = np.full(len(data), NO_GROUP), 0
        order = content_order(data) if self.algorithm in BY_CONTENT else np.arange(len(data))
        rank = np.argsort(order)
        for members, there in cells_of(kept, cells):
            rows = members[np.argsort(rank[members])]
            if self.by is not None:
                labels[rows] = count
            elif not points.size:
                space = space_of(tuple(np.array(names)[there].tolist()))
                labels[rows] = count + space.partition(rows, self.k)
            else:
                labels[rows] = count + self._partition(points, exact(), rows, there)
            count = int(labels[rows].max()) + 1
        return Grouping(names, known, kept, points, labels)

    def _points(self, data: Dataset, names: Sequence[str], kept: Mask) -> Floats:
        """Return records as points, without coordinates if some attribute is no number."""
        other = next((name for name in names if not is_numeric([data], name)), None)
        if other is None:
            return np.where(kept, scaled(_columns(data, names), self.scale), 0.0)
        if self.algorithm != "mdav" or self.tail or self.improve or self.replace == "one":
            raise ParameterError(
                f"`microaggregate` can group {data.attribute(other).kind} attributes as `{other}` "
                "by mdav only, without `tail` and `improve`, and replace all members."
            )
        return np.zeros((len(data), 0))

    def _partition(self, points: Floats, exact: Lattice, rows: Ints, there: Mask) -> Ints:
        """Group some records by the attributes that they have."""
        some = points[np.ix_(rows, there)]
        weights = tuple(itertools.compress(exact.weights, there.tolist()))
        whole = exact._replace(whole=exact.whole[np.ix_(rows, there)], weights=weights)
        labels = ALGORITHMS[self.algorithm](self, some, whole)
        return improved(some, labels, self.k) if self.improve else labels

    def replaced(
        self, data: Dataset, grouping: Grouping, weights: Floats | None, rng: np.random.Generator
    ) -> Dataset:
        """Return the data with the values of groups replaced by what stands for them.

        Args:
            data: the records.
            grouping: their groups.
            weights: how much each record counts in representatives (above 0); by default once.
            rng: where random members are drawn from.
        """
        members = grouping.drawn(weights, rng) if self.representative == "random" else None
        chosen = None if self.replace == "all" else grouping.middle()
        for place, name in enumerate(grouping.names):
            labels = np.where(grouping.kept[:, place], grouping.labels, NO_GROUP)
            if members is None:
                standing = representatives(
                    data, name, labels, self._how(data, name), weights=weights
                )
            else:
                standing = data.column(name).take(pa.array(members))
            values = standing.take(pa.array(labels, mask=labels < 0))
            if chosen is not None:
                before = data.column(name).cast(values.type, safe=False)
                values = pc.if_else(pa.array(chosen | (labels < 0)), values, before)
            lost = grouping.known[:, place] & (labels < 0)
            suppressed = data.suppressed_in(name) | lost if lost.any() else None
            data = data.with_column(attribute_after(data, name, values), values, suppressed)
        return data

    def _how(self, data: Dataset, name: str) -> How | None:
        """Return the kind of average, where values of the attribute's kind have a choice."""
        kind = data.attribute(name).kind
        return "median" if self.representative == "median" and kind in CAN["median"] else None


def _columns(data: Dataset, names: Sequence[str]) -> list[Floats]:
    return [numbers([data], name)[0] for name in names]


def _mdav(method: Microaggregate, _: Floats, exact: Lattice) -> Ints:
    from tacita.kernels.mdav import mdav

    return mdav(exact, method.k, method.tail or "group")


def _v_mdav(method: Microaggregate, _: Floats, exact: Lattice) -> Ints:
    from tacita.kernels.mdav import v_mdav

    return v_mdav(exact, method.k, GAMMA if method.gamma is None else method.gamma)


ALGORITHMS: dict[str, Callable[[Microaggregate, Floats, Lattice], Ints]] = {
    "mdav": _mdav,
    "v_mdav": _v_mdav,
    "optimal": lambda method, points, _: optimal_runs(points[:, 0], method.k),
    "individual_ranking": lambda method, points, _: fixed_runs(points[:, 0], method.k),
    "single_axis": lambda method, points, _: fixed_runs(points[:, 0], method.k),
    "projection": lambda method, points, _: fixed_runs(first_component(points), method.k),
    "minimum_spanning_tree": lambda method, _, exact: minimum_spanning_tree(
        laid_out(exact), method.k
    ),
    "mu_approx": lambda method, _, exact: mu_approx(laid_out(exact), method.k),
}

"""t-closeness: every class looks like the whole file."""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError
from tacita.method import ANY_KIND, Method
from tacita.microdata.comparing.near_ties import above
from tacita.microdata.models.class_table import ClassTable, Domain, Histogram
from tacita.microdata.models.confidential_values import breaks_values, check_values, judgement
from tacita.microdata.models.references import Beside, Distribution, beside_whole
from tacita.microdata.models.verdicts import Confidential, Judged, Keys, confidential_attributes
from tacita.results import Verdict, exactly
from tacita.validity import ANY_CHANGE

Distance = Literal["ordered", "equal", "hierarchical"]


class TCloseness(Method):
    """In every class the confidential values are distributed nearly as in the whole file.

    The earth mover's distance of a class, with shares p_i of the m values in their order, from the
    whole file, with shares q_i, is at most t. It is

    - ordered: sum_i |sum_{j <= i} (p_j - q_j)| / (m - 1), for numbers, dates, ordinal categories;
    - equal: sum_i |p_i - q_i| / 2, where all values are equally far from each other;
    - hierarchical: the distance of two values is the level of their lowest common ancestor over the
      height H of the hierarchy; it is the mean of the equal distance over the levels 0 to H - 1.

    All are 0 to 1, and decided exactly. With `distribution`, classes are compared with that instead
    of the whole file: with the original's, say, after records were left out.

    When not to use it: where t would have to be so large that a rare value can be frequent in some
    class; beta-likeness bounds every value by itself.

    >>> import tacita as ta
    >>> data = ta.example("conditions_4_anonymous")
    >>> print(ta.TCloseness(0.7).check(data))  # doctest: +ELLIPSIS
    holds: every class of Age, Zip code, Nationality is within 0.7 of the whole file's ...
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = ANY_CHANGE
    reference: ClassVar = "Li, Li & Venkatasubramanian, Proc. ICDE 2007"
    missing: ClassVar = (
        "The blanks of a confidential attribute are together one value, the last; blank keys agree "
        "with one another and with nothing else."
    )
    example: ClassVar = {"t": 0.3, "attribute": ["disease"]}
    public: ClassVar = frozenset({"t", "attribute", "distance", "keys"})
    merging_keeps: ClassVar = True  # the distance is convex

    t: Annotated[
        float, Field(description="The largest distance from the whole file (0 to 1).", ge=0, le=1)
    ]
    attribute: Confidential = None
    _: KW_ONLY
    distance: Annotated[
        Distance | None,
        Field(
            description="How far values are from each other: ordered, equal or hierarchical; by "
            "default ordered if they have an order, else hierarchical if they have a hierarchy."
        ),
    ] = None
    distribution: Distribution = None
    keys: Keys = None

    def check(self, data: Dataset) -> Verdict:
        """Tell whether every class is close, and which is the furthest."""
        other = "whole file's" if self.distribution is None else "given"
        kept, missed = f"is within {self.t:g} of the", f"are further than {self.t:g} from the"
        ending = f"{other} distribution"
        return check_values(self._said(data), data, f"{kept} {ending}", f"{missed} {ending}")

    def breaks(self, classes: ClassTable) -> Mask:
        """Tell for every class whether it breaks the promise."""
        return breaks_values(self, classes)

    def judged(self, sizes: Ints, values: Histogram) -> Judged:
        """Judge classes by how far the values of one attribute are from those of the whole."""
        beside = beside_whole(values, self.distribution)
        found = _distances(sizes, beside, self._distance(values.domain))
        levels, t = found.levels, exactly(self.t)
        broken = above(levels, t, lambda near: found.above(t, near))
        return judgement(values, broken, levels, exact=found.exact)

    def _said(self, data: Dataset) -> TCloseness:
        """Return the model with the hierarchical distance said, where it is that of all values.

        A released file has no hierarchy: whoever reads it would otherwise take the equal distance.
        """
        names = confidential_attributes(data, self.attribute)
        domains = [Domain(data.attribute(name), pa.nulls(0)) for name in names]
        chosen = {self._distance(domain) for domain in domains}
        return replace(self, distance="hierarchical") if chosen == {"hierarchical"} else self

    def _distance(self, domain: Domain) -> Distance:
        """Return how far values are from each other.

        Raises:
            ParameterError: the attribute has not what the distance needs.
        """
        has_tree, name = domain.attribute.hierarchy is not None, domain.attribute.name
        if self.distance is None:
            return "ordered" if domain.is_ordered else "hierarchical" if has_tree else "equal"
        if self.distance == "ordered" and not domain.is_ordered:
            raise ParameterError(
                f"`distance` ordered of `t_closeness` needs values with an order; `{name}` is "
                f"{domain.attribute.kind}: say its order, or choose equal."
            )
        if self.distance == "hierarchical" and not has_tree:
            raise ParameterError(
                f"`distance` hierarchical of `t_closeness` needs a hierarchy, and `{name}` has "
                "none: declare one, or choose equal."
            )
        return self.distance


class Distances(NamedTuple):
    """Of every class, the distance (own / its size - whole / total) / steps, exactly."""

    own: Ints
    whole: Ints
    sizes: Ints
    total: int
    steps: int

    @property
    def levels(self) -> Floats:
        """The distances as doubles."""
        levels: Floats = self.own / self.sizes
        levels -= self.whole / self.total
        levels /= self.steps  # in place: there may be millions of classes
        return levels

    def exact(self, c: int) -> Fraction:
        """Return the distance of one class."""
        own, whole = Fraction(int(self.own[c]), int(self.sizes[c])), int(self.whole[c])
        return (own - Fraction(whole, self.total)) / self.steps

    def above(self, t: Fraction, places: Ints) -> Mask:
        """Tell which of some classes are further than t."""
        own, whole, sizes = (part[places].astype(object) for part in self[:3])
        moved: Any = own * self.total - whole * sizes
        allowed = sizes * (t.numerator * self.total * self.steps)
        further: Mask = (moved * t.denominator > allowed).astype(np.bool_)
        return further


def _distances(sizes: Ints, beside: Beside, distance: Distance) -> Distances:
    """Return how far every class is from the whole."""
    from tacita.kernels.earth_movers import Histograms, work_in_tree, work_on_line

    if distance == "ordered":
        beside = beside.without_absent()
    domain = beside.values.domain
    small = Histograms(beside.values.ends, beside.values.codes, beside.values.counts)
    if distance == "ordered":
        work, steps = work_on_line(small, beside.whole), max(len(domain) - 1, 1)
    else:
        levels = domain.ancestors if distance == "hierarchical" else np.arange(len(domain))[None]
        work, steps = work_in_tree(small, beside.whole, levels), len(levels)
    return Distances(*work, sizes, beside.total, steps)

"""Microhybrid: groups of alike records, each drawn anew with its own means and covariances."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import ProtectionError
from tacita.method import AttributeNames, Method
from tacita.microdata.masking.partitions.blanks import cells_of, shared_blanks
from tacita.microdata.masking.partitions.scaling import on_lattice
from tacita.microdata.masking.perturbing.numbers import (
    NUMERIC,
    numbers_of,
)
from tacita.microdata.synthesis.making.rules import RuleTexts, refuse_rules
from tacita.microdata.synthesis.making.weights import Weighted, model_weights
from tacita.microdata.synthesis.matching_moments.columns import ToSynthesize
from tacita.microdata.synthesis.matching_moments.within_groups import redrawn
from tacita.preserved import Statistic, Trait, always
from tacita.validity import Change


class Microhybrid(Method):
    """Group at least k alike records and draw each group anew, with its means and covariances.

    MDAV groups the records by the attributes (in units of their standard deviations), within the
    classes of `within`; the values of a group are then replaced by synthetic ones with exactly its
    means and covariances: X = m + U D V' becomes m + Q D V' with random orthonormal columns Q.
    So the means and covariances of the whole file, of every class of `within` and of every union of
    groups stay exactly, those of other subdomains the better the smaller k. With small k the data
    are nearly the original ones, with k = n they are fully synthetic: k trades utility for risk.

    Where there are weights, weighted means and covariances stay. Values are released as doubles.

    When not to use it: where outliers must not be recognized, as a group of them stays one; on
    attributes with rules or bounds to keep (use `sequential_trees`).

    >>> import tacita as ta
    >>> toy = ta.example("toy", 300).without(["weight"])
    >>> made = toy.apply(ta.Microhybrid("age", k=5, within="region"), seed=0)
    >>> here = np.asarray(toy.column("region")) == "Hills"
    >>> means = [float(np.nanmean(d.numbers("age")[here])) for d in (toy, made)]
    >>> abs(means[0] / means[1] - 1) < 1e-9
    True
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = (
        always(Statistic.MEANS, unless={Trait.RARE_BLANKS}),
        always(Statistic.VARIANCES, unless={Trait.RARE_BLANKS}),
        always(Statistic.COVARIANCES, unless={Trait.RARE_BLANKS}),
        always(
            Statistic.SUBGROUP_MEANS,
            of="each class of `within`",
            unless={Trait.RARE_BLANKS},
            about=("within",),
            simulated={"k": 5, "within": ["stratum"]},
        ),
        always(
            Statistic.SUBGROUP_COVARIANCES,
            of="each class of `within`",
            unless={Trait.RARE_BLANKS},
            about=("within",),
            simulated={"k": 5, "within": ["stratum"]},
        ),
    )
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Domingo-Ferrer & Gonzalez-Nicolas, Hybrid microdata using microaggregation, Information "
        "Sciences 180(15), 2010, pp. 2834-2844"
    )
    missing: ClassVar = (
        "A blank stays, and records are grouped with those that have the same blanks; where fewer "
        "than k share them, further values are suppressed until k do, or none is left."
    )
    example: ClassVar = {"attributes": ["age", "income"], "k": 30}
    public: ClassVar = frozenset({"attributes", "k", "within", "weighted"})
    draws: ClassVar = True
    instead: ClassVar = "`partial_imputation`"

    attributes: ToSynthesize
    _: KW_ONLY
    k: Annotated[
        int,
        Field(
            description="The smallest size of a group (3 or more: two records with the same means "
            "and variances are the two original ones).",
            ge=3,
        ),
    ] = 10
    within: Annotated[
        AttributeNames | None,
        Field(description="The attributes that make subdomains, which no group may cross."),
    ] = None
    weighted: Weighted = None
    rules: RuleTexts = ()

    def named_attributes(self) -> list[str]:
        """Return the attributes that must be numbers; subdomains may be of any kind."""
        return list(self.attributes)

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with the attributes drawn anew in every group."""
        refuse_rules(self, self.rules)
        if not len(data):
            return data
        weights = model_weights(data, self.name, self.weighted)
        values = numbers_of(data, self.attributes)
        cells = self._subdomains(data)
        known = ~np.isnan(values)
        kept = shared_blanks(known, cells, self.k)
        groups = 0
        for rows, there in cells_of(kept, cells):
            part = np.ix_(rows, there)
            labels = self._grouped(values[part])
            counts = None if weights is None else weights[rows]
            values[part] = redrawn(values[part], labels, rng, counts)
            groups += int(labels.max()) + 1
        return self._put(data, values, known & ~kept).noting(groups=groups)

    def _subdomains(self, data: Dataset) -> Ints:
        """Return the number of every record's subdomain.

        Raises:
            ProtectionError: one has fewer than k records.
        """
        if self.within is None:
            smallest, cells = len(data), np.zeros(len(data), np.int64)
        else:
            classes = data.classes(self.within)
            smallest, cells = classes.smallest, classes.of_record
        if smallest < self.k:
            raise ProtectionError(
                f"`microhybrid` needs at least k = {self.k} records in every subdomain; found "
                f"{smallest}. Recode the attributes of `within`, or lower k."
            )
        return cells

    def _grouped(self, values: Floats) -> Ints:
        from tacita.kernels.mdav import mdav

        return mdav(on_lattice([*values.T], "standardize"), self.k)

    def _put(self, data: Dataset, values: Floats, lost: Mask) -> Dataset:
        """Put numbers into the data, less those that had to be given up."""
        for place, name in enumerate(self.attributes):
            blank = np.asarray(data.column(name).is_null()) | lost[:, place]
            column = pa.array(values[:, place], mask=blank)
            suppressed = data.suppressed_in(name) | lost[:, place]
            data = data.with_column(data.attribute(name), column, suppressed)
        return data

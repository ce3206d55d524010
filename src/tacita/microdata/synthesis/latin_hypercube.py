"""Latin hypercube sampling: one value from each stratum, put together by rank correlations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from tacita.data.classes import Floats, Mask
from tacita.data.dataset import Dataset
from tacita.errors import ProtectionError
from tacita.method import ANY_KIND, Method
from tacita.microdata.synthesis.arranging.hypercube import hypercube
from tacita.microdata.synthesis.arranging.strata import Margin
from tacita.microdata.synthesis.making.copies import Copies, copies
from tacita.microdata.synthesis.making.records import Modelled, Records, modelled, synthetic
from tacita.microdata.synthesis.making.rules import RuleTexts, refuse_rules
from tacita.microdata.synthesis.making.weights import Weighted, model_weights
from tacita.microdata.synthesis.matching_moments.columns import refuse_few
from tacita.preserved import Statistic, Trait, always, expected
from tacita.validity import Change

ROUNDS = 100  # in which values of copies are exchanged


class LatinHypercube(Method):
    """Draw one value from each of n strata of every attribute, and restore the rank correlations.

    The distribution of an attribute (numbers and dates: every record spread evenly between the
    middles of the gaps beside it; categories: their frequencies) is cut into as many strata of
    equal probability as there are records, and one value is drawn from each. Numbers are then
    shifted within their strata, the log odds of their places there by a + b z with z the stratum's
    middle in standard deviations, until mean m and variance s^2 (dividing by the number of values)
    are those of the data: but for rounding where numbers are broken; where they are whole, the mean
    within half a unit over the number of records, and the variance about as near. The notes tell
    what is left of both, as of few records or of values that hardly vary may be. Removed copies
    take their values with them.

    The values of different attributes are put together by ranks: normal scores
    with the correlations 2 sin(pi r / 6) say the ranks, and these correlations are refined by the
    difference between the wanted rank correlations r and those found, until it is below 0.0001 or
    `refinements` are used up. The notes tell the largest difference that is left.

    Ordinal values go by their order, others alphabetically. Columns of whole numbers stay whole,
    doubles do not even where all of them are. Where there are weights the distributions and
    correlations are the weighted ones. Values lie between neighbouring original ones, so that each
    attribute alone tells its distribution closely, and a number that makes up most of a variance
    nearly itself.

    When not to use it: where attributes relate otherwise than monotonically; on nominal attributes
    with many categories (use `bayesian_network`); where rules must hold (use `sequential_trees`),
    as they would break the strata; where extremes must not be told (top-code them before).

    >>> import tacita as ta
    >>> data = ta.example("census", 500)
    >>> made = data.apply(ta.LatinHypercube(data.names[:4]), seed=0)
    >>> made.notes["largest_difference"] < 0.005
    True
    """

    applies_to: ClassVar = ANY_KIND
    keeps: ClassVar = (
        always(Statistic.MEANS, of="numbers that are not whole", unless={Trait.TIES}),
        always(Statistic.VARIANCES, of="numbers that are not whole", unless={Trait.TIES}),
        expected(
            Statistic.SHARES,
            given={"copies": frozenset({"redraw", "report"})},
            simulated={"attributes": ["income", "education", "region"]},
        ),
    )
    changes: ClassVar = frozenset({Change.SYNTHESIS})
    reference: ClassVar = (
        "Dandekar, Cohen & Kirkendall, Sensitive micro data protection using Latin hypercube "
        "sampling technique, Inference Control in Statistical Databases, LNCS 2316, 2002, "
        "pp. 117-125; Florian, Probabilistic Engineering Mechanics 7(2), 1992, pp. 123-130"
    )
    missing: ClassVar = (
        "A blank counts as a value above all others, with its own share and rank correlations."
    )
    example: ClassVar = {"attributes": ["age", "income"], "refinements": 4}
    public: ClassVar = frozenset({"attributes", "records", "refinements", "weighted", "copies"})
    draws: ClassVar = True
    instead: ClassVar = "`sequential_trees`"

    attributes: Modelled = None
    _: KW_ONLY
    records: Records = None
    refinements: Annotated[
        int,
        Field(
            description="How often the rank correlations are refined at most; 0 leaves the "
            "attributes unrelated.",
            ge=0,
            le=1000,
        ),
    ] = 20
    weighted: Weighted = None
    rules: RuleTexts = ()
    copies: Copies = "redraw"

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return a data set of synthetic records."""
        refuse_rules(self, self.rules)
        names = modelled(self, data, self.attributes)
        records = len(data) if self.records is None else self.records
        if not records:
            return synthetic(data, {name: data.column(name) for name in names}, 0)
        refuse_few(self.name, len(data))
        weights = model_weights(data, self.name, self.weighted)
        margins = [Margin.of(data, name) for name in names]
        places, left = hypercube(margins, records, self.refinements, rng, weights)
        far = [
            margin.moments_left(place, weights)
            for margin, place in zip(margins, places, strict=True)
        ]
        made, found = self._settled(data, dict(zip(names, margins, strict=True)), places, rng)
        size = len(next(iter(made.values())))
        return synthetic(data, made, size).noting(
            largest_difference=left, moments_left=max(far), copies_found=found
        )

    def _settled(
        self,
        data: Dataset,
        margins: Mapping[str, Margin],
        places: Sequence[Floats],
        rng: np.random.Generator,
    ) -> tuple[dict[str, pa.Array], int]:
        """Return the values, less copies of respondents, and how many of these there were.

        Copies exchange values of an attribute with other records, so that strata stay complete.

        Raises:
            ProtectionError: after a hundred exchanges some are left.
        """
        found = None
        for _ in range(ROUNDS):
            columns = {
                name: margin.column(place)
                for (name, margin), place in zip(margins.items(), places, strict=True)
            }
            copied = copies(data, columns)
            found = int(copied.sum()) if found is None else found
            if self.copies == "remove":
                columns = {name: part.filter(pa.array(~copied)) for name, part in columns.items()}
            if self.copies != "redraw" or not copied.any():
                return columns, found
            _exchange(places[int(rng.integers(len(places)))], copied, rng)
        raise ProtectionError(
            f"{copied.sum():,} of {len(copied):,} synthetic records are copies of respondents, "
            f"although values were exchanged {ROUNDS} times; set `copies` to `remove` or `report`."
        )


def _exchange(column: Floats, copied: Mask, rng: np.random.Generator) -> None:
    """Exchange values of some records among themselves and with as many others."""
    others = rng.integers(len(column), size=int(copied.sum()) + 1)
    rows = np.union1d(np.flatnonzero(copied), others)
    column[rows] = column[rng.permutation(rows)]

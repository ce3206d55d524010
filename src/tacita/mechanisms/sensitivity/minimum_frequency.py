"""The minimum frequency rule: a cell with few respondents tells who they are."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.mechanisms.sensitivity.contributions import (
    Contributions,
    Judgement,
    Margin,
    decimal,
    is_below,
    refuse_unknown,
    share_of_value,
)
from tacita.method import ANY_TABLE, Method, TableKind


class MinimumFrequency(Method):
    """Call a cell sensitive if fewer than n respondents contribute to it.

    Contributors are counted, a record as one whatever its sampling weight (unless the table lets
    records stand for others, `weighting="represented"`) and a holding with several records as one;
    or, with `counts="records"`, records, each with its sampling weight, by which a cell whose only
    respondent has a large weight is safe. A sensitive cell must be possible up to a margin of its
    value above and below; for a cell of 0 that is not at all.

    Cells without any contributor are usually safe: nobody is in them. With a threshold on all
    counts (`zeros="sensitive"`), they are sensitive too, because a zero tells that nobody of a
    group is in a category.

    >>> import numpy as np
    >>> counts = np.array([0.0, 2.0, 3.0])
    >>> cells = Contributions(value=counts, total=counts, frequency=counts, contributors=counts,
    ...     largest=np.zeros((3, 0)), asked=np.zeros((3, 2)))
    >>> MinimumFrequency(3).judge(cells).sensitive
    array([False,  True, False])
    """

    applies_to: ClassVar[frozenset[TableKind]] = ANY_TABLE
    reference: ClassVar[str] = (
        "Hundepool, A., Domingo-Ferrer, J., Franconi, L., Giessing, S., Schulte Nordholt, E., "
        "Spicer, K. and de Wolf, P.-P. (2012). Statistical Disclosure Control. Wiley, section 4.2."
    )
    missing: ClassVar[str] = "A cell whose frequency is not known is not judged."
    example: ClassVar[dict[str, int]] = {"n": 3}

    n: Annotated[int, Field(ge=1, description="How many must contribute at least.")]
    counts: Annotated[
        Literal["contributors", "records"],
        Field(description="What is counted: contributors, or records with their weights."),
    ] = "contributors"
    zeros: Annotated[
        Literal["safe", "sensitive"],
        Field(description="What a cell is to which nobody contributes."),
    ] = "safe"
    margin: Margin = 30

    def judge(self, cells: Contributions) -> Judgement:
        """Judge every cell."""
        count = cells.contributors if self.counts == "contributors" else cells.frequency
        refuse_unknown(self.name, f"numbers of {self.counts}", count)
        wanted = np.full(len(cells), float(self.n))
        few = is_below(count, wanted, lambda row: (decimal(count[row]), decimal(self.n)))
        if self.zeros == "safe":
            few &= count > 0
        return Judgement.of(few, share_of_value(cells, self.margin))

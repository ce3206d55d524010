"""Group disclosure: all of a group in one category tells it of each of them."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from tacita.data.classes import Floats, Mask
from tacita.errors import ParameterError, did_you_mean
from tacita.mechanisms.sensitivity.contributions import (
    Contributions,
    Judgement,
    decimal,
    is_below,
    refuse_unknown,
)
from tacita.method import AttributeNames, Method, TableKind


class GroupDisclosure(Method):
    """Call a count sensitive if all of a group, or all but a few, are in one category.

    The group is the cell above along an attribute: of the respondents of a region by health, those
    of the region. If all of them are in one category, their number tells the health of everybody
    known to live there, however many they are. Of a group of n respondents, a cell with f of them
    is sensitive if

        f > 0  and  n - f <= others.

    With `others=1` that is so already if one respondent is in another category, who then knows it
    of all the rest. A zero tells that nobody of the group is in the category; with
    `zeros="sensitive"` listed cells of 0 in a group are sensitive too. A category that is the only
    one below its total tells nothing more than that; what counts is the next total above.

    Where records have sampling weights, respondents are counted all the same (unless the table lets
    records stand for others): one other respondent is one, whatever the weight.

    A sensitive cell must be possible so far below that more than `others` are elsewhere, each with
    the mean weight of the cell, and a sensitive zero up to 1.

    >>> import numpy as np
    >>> counts = np.array([12.0, 12.0, 0.0])
    >>> cells = Contributions(value=counts, total=counts, frequency=counts, contributors=counts,
    ...     largest=np.zeros((3, 0)), asked=np.zeros((3, 2)),
    ...     group={"health": np.array([np.nan, 12.0, 12.0])},
    ...     siblings={"health": np.array([np.nan, 2.0, 2.0])})
    >>> GroupDisclosure("health").judge(cells).sensitive
    array([False,  True, False])
    """

    applies_to: ClassVar[frozenset[TableKind]] = frozenset({TableKind.FREQUENCY})
    reference: ClassVar[str] = (
        "Hundepool, A., Domingo-Ferrer, J., Franconi, L., Giessing, S., Schulte Nordholt, E., "
        "Spicer, K. and de Wolf, P.-P. (2012). Statistical Disclosure Control. Wiley, section 5.2."
    )
    missing: ClassVar[str] = "A cell whose frequency, or that of its group, is not known is safe."

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes whose categories must not be told; by default all."),
    ] = None
    others: Annotated[
        int, Field(ge=0, description="How many of a group in other categories are too few.")
    ] = 0
    smallest: Annotated[
        int, Field(ge=1, description="The size from which on a group is looked at.")
    ] = 1
    zeros: Annotated[
        Literal["safe", "sensitive"],
        Field(description="What a category is in which nobody of a group is."),
    ] = "safe"

    def judge(self, cells: Contributions) -> Judgement:
        """Judge every cell."""
        members = cells.frequency if cells.members is None else cells.members
        refuse_unknown(self.name, "frequencies", members)
        # What one more respondent elsewhere takes away from a weighted count.
        weight = np.divide(cells.frequency, members, out=np.ones(len(cells)), where=members > 0)
        lower, upper = np.zeros(len(cells)), np.zeros(len(cells))
        for name in self._attributes(cells):
            group = _divided_group(cells, name, self.smallest)
            all_here = self._holds_group(members, group)
            wanted = (self.others + 1 - (group - members)) * weight
            lower = np.where(all_here, np.maximum(lower, wanted), lower)
            if self.zeros == "sensitive":
                upper = np.where((members == 0) & (group > 0), 1.0, upper)
        return Judgement((lower > 0) | (upper > 0), upper, lower, np.zeros(len(cells)))

    def _attributes(self, cells: Contributions) -> tuple[str, ...]:
        for name in self.attributes or ():
            if name not in cells.group:
                raise ParameterError(
                    f"`{self.name}` looks along `{name}`, which does not span the table."
                    f"{did_you_mean(name, cells.group)}"
                )
        return self.attributes or tuple(cells.group)

    def _holds_group(self, members: Floats, group: Floats) -> Mask:
        """Tell which cells hold their whole group, or all but a few."""

        def exact(row: int) -> tuple[Fraction, Fraction]:
            return decimal(members[row]) + self.others, decimal(group[row])

        more_elsewhere = is_below(members + self.others, group, exact)
        return (members > 0) & ~np.isnan(group) & ~more_elsewhere


def _divided_group(cells: Contributions, name: str, smallest: int) -> Floats:
    """Return the size of each cell's group; NaN where it is small or has one category only."""
    group, siblings = cells.group[name], cells.siblings[name]
    return np.where((siblings > 1) & (group >= smallest), group, np.nan)

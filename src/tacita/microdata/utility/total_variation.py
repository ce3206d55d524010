"""Total variation: the share of the records that would have to move."""

from __future__ import annotations

from typing import ClassVar

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.utility.distributions import (
    BLANK_COUNTS,
    Bins,
    Pair,
    distances,
    total_variation,
)
from tacita.microdata.utility.suppression import Attributes
from tacita.results import Measurement


class TotalVariation(Method):
    """The share of the records that would have to move for the distributions to be the same.

    TV = 1/2 sum_c |p_c - p'_c| over the categories c of an attribute, with p the shares of the
    original and p' those of the protected records, by the sampling weights of each. Numbers and
    dates are counted in classes between quantiles of the original data. The value is the mean over
    the attributes; `pairs_mean` that over pairs of attributes, whose TV `details` lists. Of more
    than 20 attributes the pairs of the first 20 are compared, unless `attributes` names more.
    Which record comes from which respondent does not matter: synthetic data can be measured.

    Values are compared as they are released: a generalized category is another one, and the
    distance of an attribute that was recoded throughout, or left out, is 1. A number that so many
    records have that it fills a class is a class of its own.

    When not to use it: on attributes with almost as many values as records, whose shares are
    chance.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> round(ta.TotalVariation(["DH"]).measure(data, data.apply(ta.TopCode("DH", 30))).value, 4)
    0.0909
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = "Gibbs & Su, International Statistical Review 70(3):419-435, 2002"
    missing: ClassVar = BLANK_COUNTS
    public: ClassVar = frozenset({"attributes", "bins"})

    attributes: Attributes = None
    bins: Bins = 20

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the distributions."""
        return distances(
            self,
            Pair.of(original, protected),
            total_variation,
            words="total variation distance",
            asked=self.attributes,
            bins=self.bins,
        )

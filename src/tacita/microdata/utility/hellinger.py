"""Hellinger distance: how far the roots of shares are apart."""

from __future__ import annotations

from typing import ClassVar

from tacita.data.dataset import Dataset
from tacita.method import ANY_KIND, Method
from tacita.microdata.utility.distributions import BLANK_COUNTS, Bins, Pair, distances, hellinger
from tacita.microdata.utility.suppression import Attributes
from tacita.results import Measurement


class Hellinger(Method):
    """The Hellinger distance between distributions, which sees changes in rare categories best.

    H = sqrt(1/2 sum_c (sqrt(p_c) - sqrt(p'_c))^2) over the categories c of an attribute, with p the
    shares of the original and p' those of the protected records, by the sampling weights of each;
    from 0 to 1, and H^2 <= TV <= sqrt(2) H with the total variation TV. Numbers and dates are
    counted in classes between quantiles of the original data. The value is the mean over the
    attributes; `pairs_mean` that over pairs of attributes, whose distances `details` lists. Of more
    than 20 attributes the pairs of the first 20 are compared, unless `attributes` names more.
    Which record comes from which respondent does not matter: synthetic data can be measured.

    Values are compared as they are released: a generalized category is another one, and the
    distance of an attribute that was recoded throughout, or left out, is 1. A number that so many
    records have that it fills a class is a class of its own.

    When not to use it: on attributes with almost as many values as records, whose shares are
    chance.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> round(ta.Hellinger(["DH"]).measure(data, data.apply(ta.TopCode("DH", 30))).value, 4)
    0.2308
    """

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = (
        "Shlomo, Antal & Elliot, Journal of Official Statistics 31(2):305-324, 2015"
    )
    missing: ClassVar = BLANK_COUNTS
    public: ClassVar = frozenset({"attributes", "bins"})

    attributes: Attributes = None
    bins: Bins = 20

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Compare the distributions."""
        return distances(
            self,
            Pair.of(original, protected),
            hellinger,
            words="Hellinger distance",
            asked=self.attributes,
            bins=self.bins,
        )

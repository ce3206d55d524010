"""Probabilistic record linkage: the intruder weighs agreement and disagreement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
from pydantic import Field, model_validator

from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import InputError
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.representation import common_codes
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn, told
from tacita.microdata.risk.linking.agreement import Tolerance, agreement, column_of
from tacita.microdata.risk.linking.blocking import Agreeing, Blocks, blocks
from tacita.microdata.risk.linking.comparison import Comparison, Patterns
from tacita.microdata.risk.linking.decision import (
    SCALE,
    Assignment,
    Thresholds,
    Weighed,
    best_links,
    one_to_one,
    optimal_thresholds,
    scaled,
)
from tacita.microdata.risk.linking.expectation_maximization import Mixture, all_pairs, estimated
from tacita.microdata.risk.linking.links import Links, known_attributes
from tacita.results import Measurement, Number, listed
from tacita.validity import OF_RESPONDENTS, Use

LEVELS = {3: "agree", 2: "partly", 1: "disagree"}
DETAILS = {
    "attribute": pa.string(),
    "level": pa.string(),
    "m": pa.float64(),
    "u": pa.float64(),
    "weight": pa.float64(),
}
FALSE_LINKS = 0.05  # for each match, where no rate is given
MOST_ATTRIBUTES = 31  # two bits each in the number of a pattern


class ProbabilisticLinkage(Method):
    """The share of released records that an intruder links rightly by weighing agreements.

    The intruder knows the true values of some attributes of every original record and compares them
    with the released records. A pair agrees, partly agrees or disagrees on each attribute; its
    weight is the sum of log2(m/u), where m is the probability of that level among matches and u
    among non-matches, both estimated from the pairs themselves by expectation-maximization under
    conditional independence. Each released record is linked to the known record of highest weight;
    among c of equal weight the intruder picks one at random, so that the risk is (1/n) sum_i 1/c_i
    over the records whose own respondent is among the c_i. Beside it, `figures` tell what Fellegi
    and Sunter's decision makes of all pairs: links from the weight `t2` on, non-links up to `t1`,
    clerical review between.

    Numbers partly agree within a number of standard deviations, dates within days, texts from a
    Jaro-Winkler similarity on. As in exact linkage, the intruder knows how values were recoded
    where the file itself shows it. As the worst case the intruder also knows that every released
    record has a match, which fixes the share of matches (`matches`): left free, it is easily taken
    by attributes that depend on one another. What the pairs leave open (with one or two attributes
    they leave much) a weak prior settles: agreement speaks for a match. More agreement never weighs
    less: m/u is estimated so that it does not fall, and of records that weigh the same otherwise
    the intruder prefers the one that agrees.

    When not to use it: with one attribute, where it says no more than exact linkage does.

    >>> import tacita as ta
    >>> data = ta.example("medical")
    >>> print(ta.ProbabilisticLinkage().measure(data, data).value)
    1
    """

    applies_to: ClassVar = ANY_KIND
    valid_after: ClassVar = OF_RESPONDENTS
    uses: ClassVar = Use.VALUES
    links_records: ClassVar = True
    reference: ClassVar = (
        "Fellegi & Sunter, JASA 64(328):1183-1210, 1969; Jaro, JASA 84(406):414-420, 1989"
    )
    missing: ClassVar = (
        "A blank on either side says nothing: the attribute adds no weight to the pair."
    )
    public: ClassVar = frozenset({"attributes", "blocking", "agreeing"})

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes the intruder knows; by default those with the role key."),
    ] = None
    deviations: Annotated[
        float,
        Field(description="Numbers so many standard deviations apart partly agree.", ge=0),
    ] = 0.2
    days: Annotated[float, Field(description="Dates so many days apart partly agree.", ge=0)] = 30
    similarity: Annotated[
        float | None,
        Field(
            description="Texts of this Jaro-Winkler similarity partly agree (None: no texts do); "
            "0.88 is common for names.",
            gt=0,
            le=1,
        ),
    ] = None
    blocking: Annotated[
        AttributeNames | None,
        Field(description="Only pairs that agree on these attributes are compared."),
    ] = None
    agreeing: Annotated[
        Agreeing,
        Field(description="Whether compared pairs agree on all blocking attributes, or on any."),
    ] = "all"
    assignment: Annotated[
        Assignment,
        Field(
            description="Each record to its best (best), or one to one: from the highest weight "
            "down (greedy), or with the highest sum of weights (optimal)."
        ),
    ] = "best"
    matches: Annotated[
        Literal["one_each", "estimated"],
        Field(description="The share of matches: one for each released record, or estimated."),
    ] = "one_each"
    nonmatches: Annotated[
        Literal["estimated", "all_pairs"],
        Field(description="The u-probabilities: estimated, or taken from all pairs alike."),
    ] = "estimated"
    false_link_rate: Annotated[
        float | None,
        Field(
            description="The share of non-matches that may be links (None: as many non-matches as "
            "a twentieth of the matches).",
            ge=0,
            le=1,
        ),
    ] = None
    false_nonlink_rate: Annotated[
        float, Field(description="The share of matches that may be non-links.", ge=0, le=1)
    ] = 0.05
    t1: Annotated[
        float | None,
        Field(description="The weight up to which pairs are non-links (None: from the rates)."),
    ] = None
    t2: Annotated[
        float | None,
        Field(description="The weight from which on pairs are links (None: from the rates)."),
    ] = None
    sample: SampleSize = 1000
    seed: SampleSeed = 0

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.t1 is not None and self.t2 is not None and self.t1 > self.t2:
            raise ValueError(
                f"Links begin above non-links: `t1` should be at most `t2`; found {self.t1} and "
                f"{self.t2}."
            )
        return self

    def measure(self, original: Dataset, protected: Dataset) -> Measurement:
        """Link the released records to the original ones."""
        names = self._names(original, protected)
        own = paired_rows(original, protected)
        rows = drawn(len(protected), self.sample, self.seed)
        compared = self._comparison(original, protected, own, rows, names)
        patterns = compared.patterns()
        mixture = self._mixture(patterns, compared)
        weighed = Weighed(compared, patterns, mixture.whole_weights(SCALE), own[rows])
        thresholds = self._thresholds(weighed, mixture.posterior(patterns.levels))
        links = self._links(weighed, thresholds, len(protected))
        return links.measurement(
            self,
            f"{links.told()} by weighing {listed(names)}{told(len(rows), len(protected))}",
            _figures(weighed, thresholds, mixture),
            _details(names, mixture),
        )

    def _names(self, original: Dataset, protected: Dataset) -> list[str]:
        names = known_attributes(original, protected, self.attributes)
        if len(names) > MOST_ATTRIBUTES:
            raise InputError(
                f"At most {MOST_ATTRIBUTES} attributes can be compared, found {len(names)}; name "
                "those that an intruder knows in `attributes`."
            )
        return names

    def _comparison(
        self, original: Dataset, protected: Dataset, own: Ints, rows: Ints, names: Sequence[str]
    ) -> Comparison:
        used = [*names, *(self.blocking or ())]
        columns = {name: column_of(original, protected, own, name) for name in used}
        coded = [
            common_codes(columns[name].known, columns[name].released.take(pa.array(rows)))
            for name in self.blocking or ()
        ]
        passes = blocks(coded, Blocks(np.arange(len(original)), rows), self.agreeing)
        how = Tolerance(self.deviations, self.days, self.similarity)
        agreements = [agreement(columns[name], rows, passes, how) for name in names]
        return Comparison(agreements, passes)

    def _mixture(self, patterns: Patterns, compared: Comparison) -> Mixture:
        pairs = patterns.pairs
        met = compared.released.counts[np.unique(patterns.row)].sum()
        return estimated(
            patterns.levels,
            pairs,
            share=float(met / max(pairs.sum(), 1)) if self.matches == "one_each" else None,
            u=all_pairs(patterns.levels, pairs) if self.nonmatches == "all_pairs" else None,
        )

    def _thresholds(self, weighed: Weighed, match: Floats) -> Thresholds:
        matches = weighed.patterns.pairs * match
        others = weighed.patterns.pairs - matches
        best = optimal_thresholds(
            weighed.weights,
            matches,
            others,
            FALSE_LINKS * matches.sum()
            if self.false_link_rate is None
            else self.false_link_rate * others.sum(),
            self.false_nonlink_rate * matches.sum(),
        )
        return Thresholds(
            best.t1 if self.t1 is None else scaled(self.t1),
            best.t2 if self.t2 is None else scaled(self.t2),
        )

    def _links(self, weighed: Weighed, thresholds: Thresholds, records: int) -> Links:
        if self.assignment == "best":
            return best_links(weighed, records)
        rng = np.random.default_rng(self.seed)
        return one_to_one(weighed, records, thresholds.t1, self.assignment, rng)


def _figures(
    weighed: Weighed, thresholds: Thresholds, mixture: Mixture
) -> dict[str, Number | None]:
    pairs = weighed.patterns.pairs
    decided = np.bincount(thresholds.sorted_out(weighed.weights), pairs, 3).astype(int).tolist()
    weight, met = weighed.own_weights
    own = np.bincount(thresholds.sorted_out(weight[met]), minlength=3).tolist()
    return {
        "pairs": int(pairs.sum()),
        "links": decided[2],
        "clerical": decided[1],
        "non_links": decided[0],
        "false_links": decided[2] - own[2],
        "false_non_links": own[0],
        "not_compared": int(np.count_nonzero(~met)),
        "t1": None if thresholds.t1 is None else thresholds.t1 / SCALE,
        "t2": None if thresholds.t2 is None else thresholds.t2 / SCALE,
        "share_of_matches": mixture.share,
    }


def _details(names: Sequence[str], mixture: Mixture) -> pa.Table:
    """List the probabilities and the weight of every level that occurs."""
    weights = mixture.weights()
    rows = [
        {
            "attribute": name,
            "level": word,
            "m": float(mixture.m[place, level]),
            "u": float(mixture.u[place, level]),
            "weight": float(weights[place, level]),
        }
        for place, name in enumerate(names)
        for level, word in LEVELS.items()
        if not np.isnan(mixture.m[place, level])
    ]
    return pa.Table.from_pylist(rows, pa.schema(DETAILS))

"""Probabilistic record linkage: the intruder weighs agreement and disagreement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
import pyarrow as pa
from pydantic import Field, model_validator

from tacita.arithmetic import log2
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import InputError
from tacita.method import ANY_KIND, AttributeNames, Method
from tacita.microdata.comparing.representation import common_codes
from tacita.microdata.comparing.sampling import SampleSeed, SampleSize, drawn, told
from tacita.microdata.risk.linking.agreement import Tolerance, agreement, column_of, is_text
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
from tacita.microdata.risk.linking.distances import parts_of
from tacita.microdata.risk.linking.expectation_maximization import Mixture, all_pairs, estimated
from tacita.microdata.risk.linking.graded import Graded, graded, graded_words
from tacita.microdata.risk.linking.learning import Learning, learned
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
LEARNED = pa.schema(
    {
        "attribute": pa.string(),
        "scale": pa.string(),
        "up_to": pa.float64(),
        "m": pa.float64(),
        "u": pa.float64(),
        "weight": pa.float64(),
    }
)
CLASSICAL = {
    "deviations": 0.2,
    "days": 30,
    "matches": "one_each",
    "nonmatches": "estimated",
    "false_link_rate": None,
    "false_nonlink_rate": 0.05,
    "t1": None,
    "t2": None,
}
FALSE_LINKS = 0.05  # for each match, where no rate is given
MOST_ATTRIBUTES = 31  # two bits each in the number of a pattern


class ProbabilisticLinkage(Method):
    """The share of released records that an intruder links rightly by weighing agreements.

    The intruder knows the true values of some attributes of every original record and compares them
    with the released records. How far a released value is from a known one is graded: in levels of
    the difference of ranks or of values, whichever tells more about who is who (numbers, days,
    places in an order), in steps up a hierarchy, by Jaccard's distance of sets, or as equal or not.
    The weight of a pair is the sum of log(m/u), where m is the probability of the level of each
    attribute among matches and u the room that it has: the share of released values at this level
    from the known one (so that agreeing on a rare value tells more), or the width of its ring of
    differences. The m are learned from the two files alone, by expectation-maximization.

    Where a masking moves all numbers of a record together (noise correlated as the data are,
    clusters of all attributes at once), what attributes tell does not add up. The differences e of
    all numbers without blanks are then weighed as one, by a mixture of normal densities
    sum_s a_s N(e; 0, s V) with V learned likewise, or with that of distance linkage. Nobody tells
    the intruder which is right: differences are taken as one where that makes the released records
    likelier, by more than chance (Vuong's test), and the V of distance linkage where that leaves
    more pairs that are each other's likeliest. A single attribute of numbers cannot tell how far
    it was moved: records are linked to the nearest value or rank.

    Every released record has a match, and nobody is the match of two: the probabilities of all
    links are brought in line with that, and each released record is linked to its likeliest known
    record. Among c equally likely ones the intruder picks one at random, so that the risk is
    (1/n) sum_i 1/c_i over the records whose own respondent is among the c_i. The figure `claimed`
    is the share of right links that the intruder expects, who does not know which are right. The
    likeliest 50 distinct known records of each released one are candidates. As in exact linkage,
    the intruder knows how values were recoded where the file itself shows it.

    The model `classical` is that of Fellegi and Sunter with three levels: a pair agrees, partly
    agrees (numbers within some standard deviations, dates within days, texts from a Jaro-Winkler
    similarity on) or disagrees; m and u are estimated by expectation-maximization under conditional
    independence, so that m/u never falls with agreement, and each record is linked to the one of
    highest weight. Its `figures` tell what the decision of Fellegi and Sunter makes of all pairs:
    links from the weight `t2` on, non-links up to `t1`, clerical review between.

    When not to use it: with one attribute, where it says no more than distance or rank linkage do
    and `claimed` is too high, or where the files have nothing to do with each other: `claimed` is
    then too high as well.

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
        "Fellegi & Sunter, JASA 64(328):1183-1210, 1969; Jaro, JASA 84(406):414-420, 1989; "
        "Sinkhorn, Ann. Math. Stat. 35(2):876-879, 1964; Vuong, Econometrica 57(2):307-333, 1989"
    )
    missing: ClassVar = (
        "A blank on either side says nothing: the attribute adds no weight to the pair."
    )
    by_contents: ClassVar = True
    public: ClassVar = frozenset({"attributes", "model", "blocking", "agreeing"})

    attributes: Annotated[
        AttributeNames | None,
        Field(description="The attributes the intruder knows; by default those with the role key."),
    ] = None
    model: Annotated[
        Literal["learned", "classical"],
        Field(description="Whether agreement is graded and learned, or has three levels."),
    ] = "learned"
    deviations: Annotated[
        float,
        Field(
            description="Numbers so many standard deviations apart partly agree (classical).", ge=0
        ),
    ] = 0.2
    days: Annotated[
        float, Field(description="Dates so many days apart partly agree (classical).", ge=0)
    ] = 30
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
        Assignment | None,
        Field(
            description="Each record to its likeliest when nobody is linked twice (likeliest; the "
            "default, of the learned model only), to that of highest weight (best; the default of "
            "the classical), or one to one: from the highest weight down (greedy), or with the "
            "highest sum of weights (optimal)."
        ),
    ] = None
    matches: Annotated[
        Literal["one_each", "estimated"],
        Field(
            description="One match for each released record, or their share estimated (classical)."
        ),
    ] = "one_each"
    nonmatches: Annotated[
        Literal["estimated", "all_pairs"],
        Field(
            description="The u-probabilities: estimated, or taken from all pairs alike (classical)."
        ),
    ] = "estimated"
    false_link_rate: Annotated[
        float | None,
        Field(
            description="The share of non-matches that may be links (None: as many non-matches as "
            "a twentieth of the matches; classical).",
            ge=0,
            le=1,
        ),
    ] = None
    false_nonlink_rate: Annotated[
        float,
        Field(description="The share of matches that may be non-links (classical).", ge=0, le=1),
    ] = 0.05
    t1: Annotated[
        float | None,
        Field(
            description="Classical: the weight up to which pairs are no links (None: by the rates)."
        ),
    ] = None
    t2: Annotated[
        float | None,
        Field(
            description="Classical: the weight from which on pairs are links (None: by the rates)."
        ),
    ] = None
    sample: SampleSize = 1000
    seed: SampleSeed = 0

    @model_validator(mode="after")
    def _of_its_model(self) -> Self:
        if self.model == "classical" and self.assignment == "likeliest":
            raise ValueError(
                "The assignment `likeliest` is of the model `learned`; choose `best`, `greedy` or "
                "`optimal` with the classical one."
            )
        foreign = [name for name, usual in CLASSICAL.items() if getattr(self, name) != usual]
        if self.model == "learned" and foreign:
            raise ValueError(
                f"Only the classical model takes `{listed(foreign)}`; leave it out, or "
                "choose the `model` classical."
            )
        return self

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
        measured = self._learned if self.model == "learned" else self._classical
        return measured(original, protected)

    def _learned(self, original: Dataset, protected: Dataset) -> Measurement:
        names = known_attributes(original, protected, self.attributes)
        own = paired_rows(original, protected)
        rows = drawn(len(protected), self.sample, self.seed)
        passes = self._passes(original, protected, own, rows)
        attributes = self._graded(original, protected, own, rows, names, passes)
        fit = learned(attributes, passes)
        links, claimed = fit.likeliest(own[rows], len(protected))
        how = self.assignment or "likeliest"
        if how == "best":
            links = fit.best(own[rows], len(protected))
        elif how in ("greedy", "optimal"):
            rng = np.random.default_rng(self.seed)
            links = fit.one_to_one(own[rows], len(protected), how, rng)
        figures: dict[str, Number | None] = {
            "candidates": len(fit.found.row),
            "claimed": float(claimed.mean()) if len(rows) else None,
        }
        return links.measurement(
            self,
            f"{links.told()} by weighing {listed(names)}{told(len(rows), len(protected))}",
            figures,
            _levels(fit),
        )

    def _graded(
        self,
        original: Dataset,
        protected: Dataset,
        own: Ints,
        rows: Ints,
        names: Sequence[str],
        passes: Sequence[Blocks],
    ) -> list[Graded]:
        every = np.arange(len(protected))
        found = {
            part.name: graded(part, rows)
            for part in parts_of(original, protected, own, every, names)
        }
        how = Tolerance(self.deviations, self.days, self.similarity)
        for name in names if self.similarity is not None else ():
            column = column_of(original, protected, own, name)
            if is_text(column):
                found[name] = graded_words(name, agreement(column, rows, passes, how))
        return [found[name] for name in names]

    def _passes(self, original: Dataset, protected: Dataset, own: Ints, rows: Ints) -> list[Blocks]:
        columns = [column_of(original, protected, own, name) for name in self.blocking or ()]
        coded = [common_codes(each.known, each.released.take(pa.array(rows))) for each in columns]
        return blocks(coded, Blocks(np.arange(len(original)), rows), self.agreeing)

    def _classical(self, original: Dataset, protected: Dataset) -> Measurement:
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
        columns = {name: column_of(original, protected, own, name) for name in names}
        passes = self._passes(original, protected, own, rows)
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
        if self.assignment in (None, "best"):
            return best_links(weighed, records)
        rng = np.random.default_rng(self.seed)
        return one_to_one(weighed, records, thresholds.t1, self.assignment, rng)


def _levels(fit: Learning) -> pa.Table:
    """List the levels of the scales that count, and what they tell on average."""
    rows = []
    for place, (each, ms) in enumerate(zip(fit.attributes, fit.weighing.m, strict=True)):
        for number, scale in enumerate(each.scales):
            if not fit.weighing.share(place, number):
                continue
            limits = [*scale.limits.tolist(), None]
            for level in np.flatnonzero(scale.frequency > 0):
                m, u = float(ms[number][level]), float(scale.frequency[level])
                weight = float(log2(m / u)) if m > 0 else None
                row = (each.name, scale.name, limits[level], m, u, weight)
                rows.append(dict(zip(LEARNED.names, row, strict=True)))
    return pa.Table.from_pylist(rows, LEARNED)


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

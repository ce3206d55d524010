"""Differentially private synthesis from noisy marginals: select, measure, generate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from itertools import combinations
from math import pi, sqrt
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset, Guarantee
from tacita.errors import ParameterError
from tacita.mechanisms.private.accounting import rho_within
from tacita.mechanisms.secure_noise import Epsilon, refuse_mixed
from tacita.method import ANY_KIND, Method
from tacita.microdata.synthesis.making.records import Modelled, modelled
from tacita.microdata.synthesis.making.rules import RuleTexts
from tacita.microdata.synthesis.measuring_marginals.answers import Answers, Ledger
from tacita.microdata.synthesis.measuring_marginals.domain import (
    Bins,
    Declared,
    Domain,
    PublicBlanks,
    PublicBounds,
    PublicCategories,
)
from tacita.microdata.synthesis.measuring_marginals.fitting import Measured, fitted, total
from tacita.microdata.synthesis.measuring_marginals.joining import Joined
from tacita.microdata.synthesis.measuring_marginals.junction_tree import Clique, JunctionTree
from tacita.microdata.synthesis.measuring_marginals.model import Model
from tacita.microdata.synthesis.measuring_marginals.promising import (
    NEIGHBOURS,
    OUTSIDE_IS_BLANK,
    PrivateRecords,
    promised,
)
from tacita.preserved import Statistic, always
from tacita.validity import Change

ALONE = Fraction(1, 10)  # of the budget, for the marginals of single attributes
CHOOSING = Fraction(1, 10)  # of a round's budget, for the choice; the rest is for the counts
ROUNDS = 16  # an attribute, at most: what the budget is shared out over at first
RAISED = 4  # by which a round gets more once the noise hides what is left to learn
STEPS = 100  # of fitting after every round
LAST_STEPS = 1000  # and at the end
CELLS = 100_000  # of all cliques of the model


class PrivateMarginals(Method):
    """Synthesize records from differentially private counts of pairs or triples of attributes.

    1. Every attribute is counted, with Gaussian noise; cells that the noise hides are joined.
    2. In rounds, the exponential mechanism chooses the set r of attributes that the model P knows
       least, by the score sum |counts_r - n P_r| - sqrt(2 / pi) sigma |r|, with |r| the number of
       its cells, and r is counted with noise of scale sigma. Where that taught less than the noise
       hides, the rounds after it get four times the budget.
    3. The model is the graphical model, P(x) proportional to exp(sum theta_r(x_r)), nearest to all
       noisy counts; it is computed exactly, over a junction tree.
    4. Records are drawn from it. Within a class, numbers are drawn evenly.

    The losses of all counts and choices add up to rho in zero-concentrated differential privacy,
    the most that keeps within epsilon and delta, for data sets of which one has a record more. The
    notes list what every answer cost. Nothing else looks at the records: domains must be declared
    (an order, a tree of categories, `categories`, `bounds`), and where a hierarchy was made from
    the data, or bounds were, the guarantee does not hold. Where `blanks` does not say which
    attributes can be blank, those get blanks whose noisy count stands out of the noise: for a file
    without any, one attribute in about a thousand. The number of synthetic records is that of the
    noisy counts if none is given. Noise is OpenDP's, from the system's secure source: no run can be
    repeated. A respondent has one record; weights are not used and not released. Ten attributes
    take seconds, 25 about a minute, whatever the number of records.

    Copies of respondents are not looked for, since that would tell who is in the data: a synthetic
    record that is somebody's is about as likely without that respondent.

    When not to use it: on few records (a cell's noise has a standard deviation of some tens at an
    epsilon of 1); for attributes with very many categories; on files that were changed elsewhere by
    looking at them, where the guarantee would not hold, and which is refused after such a step. A
    small table of few attributes is better served by `private_histogram`.

    >>> import tacita as ta
    >>> private = ta.PrivateMarginals(
    ...     ["age", "education", "region"], epsilon=1, bounds={"age": (0, 120)}, records=500
    ... )
    >>> safe = ta.example("toy", 300).apply(private, seed=1)
    >>> len(safe), safe.names, ta.DifferentialPrivacy(1.0, delta=1e-9).check(safe).holds
    (500, ['age', 'education', 'region'], True)
    """

    applies_to: ClassVar = ANY_KIND - {Kind.SET_VALUED}
    keeps: ClassVar = (
        always(Statistic.EPSILON, simulated={"attributes": ["age", "education", "region"]}),
    )
    changes: ClassVar = frozenset({Change.SYNTHESIS})
    reference: ClassVar = (
        "McKenna, Miklau & Sheldon, Winning the NIST contest, Journal of Privacy and "
        "Confidentiality 11(3), 2021; McKenna, Mullins, Sheldon & Miklau, AIM: an adaptive and "
        "iterative mechanism for differentially private synthetic data, PVLDB 15(11), 2022"
    )
    missing: ClassVar = OUTSIDE_IS_BLANK
    example: ClassVar = {
        "attributes": ["age", "education", "region"],
        "epsilon": 1.0,
        "bounds": {"age": [0, 120]},
        "records": 300,
    }
    public: ClassVar = frozenset(
        {
            "attributes",
            "epsilon",
            "delta",
            "bounds",
            "categories",
            "blanks",
            "bins",
            "degree",
            "records",
            "rules",
        }
    )
    draws: ClassVar = True
    repeatable: ClassVar = False
    instead: ClassVar = "`sequential_trees`, which guarantees nothing"

    attributes: Modelled = None
    _: KW_ONLY
    epsilon: Epsilon
    delta: Annotated[
        float,
        Field(
            description="The probability with which the loss may be larger (above 0, below 1).",
            gt=0,
            lt=1,
        ),
    ] = 1e-9
    bounds: PublicBounds = Field(default_factory=dict)
    categories: PublicCategories = Field(default_factory=dict)
    blanks: PublicBlanks = None
    bins: Bins = 64
    degree: Annotated[
        int,
        Field(description="Of how many attributes marginals are counted, at most.", ge=1, le=3),
    ] = 2
    records: PrivateRecords = None
    rules: RuleTexts = ()

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return synthetic records."""
        refuse_mixed(self.name, data)
        names = modelled(self, data, self.attributes)
        declared = Declared(self.bounds, self.categories, self.blanks, self.bins)
        domain = Domain.of(self.name, data, names, declared)
        ledger = Ledger(self._budget())
        learned = learn(domain, Answers(domain.codes(data), domain.sizes, ledger), self.degree)
        return promised(
            data,
            domain,
            lambda many: learned.drawn(many, rng),
            rng,
            records=learned.records if self.records is None else self.records,
            rules=self.rules,
            by=Guarantee(self.name, tuple(names), self.epsilon, self.delta, NEIGHBOURS),
            accounts=ledger.told(names),
        )

    def _budget(self) -> Fraction:
        rho = rho_within(self.epsilon, self.delta)
        if rho <= 0:
            raise ParameterError(
                f"`{self.name}` cannot keep within an epsilon of {self.epsilon:g} and a delta of "
                f"{self.delta:g}; choose larger ones."
            )
        return rho


@dataclass(frozen=True, eq=False)
class Learned:
    """What the noisy counts teach.

    Args:
        model: the distribution of the groups of cells.
        joined: the groups of every attribute's cells.
        records: about how many records there are.
    """

    model: Model
    joined: Sequence[Joined]
    records: int

    def drawn(self, records: int, rng: np.random.Generator) -> Ints:
        """Draw records as cells, one column an attribute."""
        groups = self.model.drawn(records, rng)
        cells = [one.cells(of, rng) for one, of in zip(self.joined, groups.T, strict=True)]
        return np.column_stack(cells)


def learn(domain: Domain, answers: Answers, degree: int) -> Learned:
    """Spend the budget on noisy counts, and fit a model to them."""
    variables = list(domain.variables.values())
    share = answers.ledger.budget * ALONE / len(variables)
    alone = [answers.measured((at,), share) for at in range(len(variables))]
    joined = [Joined.of(one, noisy) for one, noisy in zip(variables, alone, strict=True)]
    coarse = answers.regrouped([one.of_cell for one in joined])
    measured = [one.measured(noisy) for one, noisy in zip(joined, alone, strict=True)]
    measured, model = _in_rounds(coarse, measured, degree)
    model = fitted(model, measured, LAST_STEPS)
    return Learned(model, joined, round(total(measured)))


def _in_rounds(
    answers: Answers, measured: list[Measured], degree: int
) -> tuple[list[Measured], Model]:
    """Choose, count and fit until the budget is spent."""
    ledger = answers.ledger
    everything = range(len(answers.sizes))
    sets = [one for many in range(1, degree + 1) for one in combinations(everything, many)]
    cost = ledger.left / (ROUNDS * len(answers.sizes))
    model = fitted(Model.of(answers.sizes, {}), measured, STEPS)
    while ledger.left > 0:
        cost = ledger.left if ledger.left < 2 * cost else cost
        chosen = _worst(answers, model, sets, total(measured), cost)
        measured = [*measured, answers.measured(chosen, cost * (1 - CHOOSING))]
        after = fitted(model, measured, STEPS)
        taught = np.abs(after.marginal(chosen) - model.marginal(chosen)).sum() * total(measured)
        if taught <= _hidden(measured[-1].counts.size, cost):
            cost *= RAISED
        model = after
    return measured, model


def _worst(
    answers: Answers, model: Model, sets: Sequence[Clique], records: float, cost: Fraction
) -> Clique:
    """Choose a set that the model knows badly, among those with which it stays computable."""
    ledger = answers.ledger
    # The model grows with what was spent, so that the first choices do not fill it.
    limit = CELLS * float((ledger.spent + cost) / ledger.budget)
    able = [one for one in sets if len(one) == 1 or _cells(model, one) <= limit]
    expected = [model.marginal(one) * records for one in able]
    handicaps = [_hidden(cells.size, cost) for cells in expected]
    return able[answers.chosen(able, expected, handicaps, cost * CHOOSING)]


def _cells(model: Model, more: Clique) -> int:
    if model.tree.holds(more):
        return 0
    return JunctionTree.of([*model.weights, more], model.sizes).cells(model.sizes)


def _hidden(cells: int, cost: Fraction) -> float:
    """Return what the noise of a round's counts adds up to, in the mean."""
    return sqrt(2 / pi / (2 * cost * (1 - CHOOSING))) * cells

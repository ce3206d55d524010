"""Differentially private answers, paid from a budget that is spent once."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import KW_ONLY
from datetime import date
from enum import StrEnum
from fractions import Fraction
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import Field, model_validator

from tacita.data.attribute import Kind
from tacita.data.declaration import Value
from tacita.errors import ParameterError, QueryError
from tacita.mechanisms.keyed import KEY_BYTES
from tacita.mechanisms.private.accounting import Measure, exact, pure_within, rho_within
from tacita.mechanisms.private.analytic_gaussian import AnalyticGaussian
from tacita.mechanisms.private.mechanisms import (
    Gaussian,
    Laplace,
    Mechanism,
    Sensitivity,
    opendp,
)
from tacita.mechanisms.secure_noise import refuse_bounds
from tacita.method import ANY_KIND, Method
from tacita.queries.answer import Released
from tacita.queries.cells import Cell
from tacita.queries.computed import DerivedBounds
from tacita.queries.key_sets import KeySets
from tacita.queries.language.naming import Permitted
from tacita.queries.private.budgets import Budget, Budgets
from tacita.queries.private.contributions import Contributions
from tacita.queries.private.learning import learned_bounds
from tacita.queries.private.measuring import Measuring
from tacita.queries.private.moments import Bounds
from tacita.queries.private.parts import Neighbours, bounded, measured
from tacita.queries.private.refusals import (
    refuse_categories,
    refuse_learning,
    refuse_respondent,
    refuse_shares,
    refuse_unknown,
)
from tacita.queries.private.spending import Spending
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Asked, Statistic
from tacita.queries.updating import Update
from tacita.queries.watching import Watcher

MOST_PARTS = 100  # the statistics of a query that its cost is split over, as a rule


class Noise(StrEnum):
    """Which law noise has, and with it how losses add up."""

    LAPLACE = "laplace"
    GAUSSIAN = "gaussian"
    ANALYTIC_GAUSSIAN = "analytic_gaussian"


class PrivateAnswers(Method):
    """Answer with noise: no answer, nor all of them together, tells much about any respondent.

    P(answers | data) <= exp(epsilon) P(answers | neighbour) + delta, for neighbouring data sets
    that differ in one respondent, over all users and all time. Every query costs the same share of
    the budget, however many cells it has; when the budget is spent, everything is refused. What is
    asked twice is paid twice, and noise is drawn anew.

    Counts, sums, means, variances, standard deviations, covariances, correlations, slopes and
    quantiles are answered. A query may say itself what it shall cost (`ask(..., epsilon=0.1)`), as
    long as there is as much left. Values beyond `bounds` count as the bound. Sums are of whole
    numbers of small units with whole noise: Laplace if `delta` is 0, else Gaussian, with losses
    added up as zero-concentrated privacy (rho), which may be the budget itself; or Gaussian of the
    least scale that keeps within epsilon and delta, which are then added up themselves, the better
    way for a few queries (`analytic_gaussian`). Means and the like come from noisy sums; quantiles
    are chosen among evenly spaced candidates, and so are the ends of their intervals, for half of
    their cost. Numbers of GROUP BY ROLLUP or CUBE of declared groups are made to add up afterwards.
    Intervals hold the exact statistic of the clamped values of records that count with 95 %
    confidence; those of means and the like are approximate.

    A neighbour has one record changed in any attribute (`change_one`), or one record more or less
    (`add_remove`). Respondents with several records are protected whole: with `respondent`, the
    identifier that tells them apart, `records_each` of the records of each count, chosen by a key,
    and count(DISTINCT respondent) is answered; without it that nobody has more is a promise of the
    curator's.

    Public attributes are protected like others: which of their values occur, alone or together, is
    not to be seen. Groups are those that are declared (`groups`, or the attribute's category tree
    or written order), or that the query writes out, and each has a noisy row whether anybody is in
    it or not. The price of a query, its rows and their order, and what is refused, depend on its
    text and on what is declared. Other groups, of public attributes or of `private_categories`, are
    shown if their noisy count passes a threshold, which a group of one respondent passes with a
    probability of the query's share of `delta` at most; without a `delta` they are refused.

    When not to use it: for sets of few records, which drown in noise; for attributes whose bounds
    nobody knows, unless a share of the budget may go into learning them; beside other policies that
    answer about the same confidential attributes, or look at them to refuse, such as
    `query_set_size` where a condition names them: the guarantee says nothing about that.

    >>> import tacita as ta
    >>> from tacita.queries.guard import Guard
    >>> toy = PublicClasses.of(ta.example("toy"), "toy")
    >>> policy = PrivateAnswers(1.0, {"income": (0, 100_000)}, share_each=0.1)
    >>> guard = Guard(toy, [policy])
    >>> answer = guard.ask("SELECT sum(income) FROM toy", user="ana")
    >>> answer.left["epsilon"], answer.interval[0] < answer.value < answer.interval[1]
    (0.9, True)
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = (
        "Dwork, C., McSherry, F., Nissim, K. and Smith, A. (2006). Calibrating noise to "
        "sensitivity in private data analysis. TCC 2006, 265-284; Bun, M. and Steinke, T. (2016). "
        "Concentrated differential privacy. TCC 2016-B, 635-658; Balle, B. and Wang, Y.-X. (2018). "
        "Improving the Gaussian mechanism for differential privacy. ICML 2018, 394-403; Korolova, "
        "A., Kenthapadi, K., Mishra, N. and Ntoulas, A. (2009). Releasing search queries and "
        "clicks privately. WWW 2009, 171-180."
    )
    missing: ClassVar[str] = (
        "A record with a blank adds nothing to a sum or mean; whether a value is there is "
        "protected like a value."
    )
    example: ClassVar[dict[str, Any]] = {"epsilon": 1.0, "bounds": {"income": [0, 100_000]}}

    epsilon: Annotated[
        float | None,
        Field(description="The privacy loss of all answers together (above 0), or `rho`.", gt=0),
    ] = None
    bounds: Annotated[
        dict[str, tuple[float, float]],
        Field(
            description="The lowest and the highest value of each attribute that may be added up, "
            "known without looking at the data."
        ),
    ] = Field(default_factory=dict)
    _: KW_ONLY
    learn: Annotated[
        dict[str, float],
        Field(
            description="The share of the budget that learning the bounds of an attribute costs, "
            "for each whose bounds nobody knows; it is paid when they are first needed."
        ),
    ] = Field(default_factory=dict)
    delta: Annotated[
        float,
        Field(
            description="The chance that the loss exceeds `epsilon`; with 0 it never does.",
            ge=0,
            lt=1,
        ),
    ] = 0.0
    rho: Annotated[
        float | None,
        Field(description="The loss as zero-concentrated privacy, instead of `epsilon`.", gt=0),
    ] = None
    noise: Annotated[
        Noise | None,
        Field(
            description="`laplace`, `gaussian` with losses added up as rho, or `analytic_gaussian` "
            "with losses added up as epsilon and delta; by default Gaussian if there is a `delta`."
        ),
    ] = None
    share_each: Annotated[
        float, Field(description="The share of the budget that a query costs.", gt=0, le=1)
    ] = 0.01
    neighbours: Annotated[
        Neighbours, Field(description="Which data sets answers hardly tell apart.")
    ] = Neighbours.CHANGE_ONE
    records_each: Annotated[
        int, Field(description="How many records of one respondent count at most.", ge=1)
    ] = 1
    respondent: Annotated[
        str | None,
        Field(
            description="The identifier that tells respondents apart, so that no more than "
            "`records_each` records of each count; without it that is a promise."
        ),
    ] = None
    groups: Annotated[
        dict[str, str | tuple[Value | None, ...]],
        Field(
            description="The values of each attribute that records may be grouped by: a list, "
            "`hierarchy` for the leaves of its category tree, `order` for its written order, or "
            "`public` where everybody may know which values occur."
        ),
    ] = Field(default_factory=dict)
    private_categories: Annotated[
        tuple[str, ...],
        Field(
            description="Confidential categories that records may be grouped by, of which those "
            "are shown that enough records have; it needs a `delta`."
        ),
    ] = ()
    shares: Annotated[
        dict[str, float],
        Field(
            description="The shares of the budget that are set aside, by analyst or project; all "
            "others pay together from the rest."
        ),
    ] = Field(default_factory=dict)
    projects: Annotated[
        dict[str, list[str]], Field(description="The analysts of each project that has a share.")
    ] = Field(default_factory=dict)
    until: Annotated[
        date | None,
        Field(description="The last day of the budget (UTC); what is left then lapses."),
    ] = None
    steps: Annotated[
        int, Field(description="Into how many steps bounds are cut for quantiles.", ge=2, le=10_000)
    ] = 1000
    statistics: Annotated[
        tuple[Statistic, ...] | None,
        Field(description="The statistics it has a say about; by default all.", min_length=1),
    ] = None

    @model_validator(mode="after")
    def _sound(self) -> PrivateAnswers:
        if (self.epsilon is None) == (self.rho is None) or (self.rho and self.delta):
            raise ValueError(
                f"`{self.name}` needs either `epsilon`, with or without `delta`, or `rho`."
            )
        self._refuse_noise()
        refuse_bounds(self.name, self.bounds)
        refuse_learning(self.name, self.learn, self.bounds)
        refuse_shares(self.name, self.shares, self.projects)
        return self

    def _refuse_noise(self) -> None:
        """Raise unless the budget has what the noise and confidential groups cost."""
        only = Noise.GAUSSIAN if self.rho else Noise.LAPLACE
        if not self.delta and self.noise not in {None, only}:
            raise ValueError(
                f"`{self.noise}` noise of `{self.name}` needs `epsilon` and `delta`; without them "
                f"it is `{only}`."
            )
        if self.private_categories and not self.delta:
            raise ValueError(f"`private_categories` of `{self.name}` need a `delta`.")

    @property
    def law(self) -> Noise:
        """The law of the noise."""
        return self.noise or (Noise.GAUSSIAN if self.delta or self.rho else Noise.LAPLACE)

    @property
    def loss_measure(self) -> Measure:
        """How losses are measured."""
        return Measure.RHO if self.law is Noise.GAUSSIAN else Measure.EPSILON

    @property
    def total(self) -> Fraction:
        """The budget of the data set, in its measure."""
        if self.epsilon is not None and self.law is Noise.GAUSSIAN:
            return rho_within(self.epsilon, float(self.noise_delta))
        return exact(self.epsilon or self.rho or 0.0)

    @property
    def group_delta(self) -> Fraction:
        """The part of `delta` that showing other groups may cost: half, where noise costs too."""
        return exact(self.delta) / (1 if self.law is Noise.LAPLACE else 2)

    @property
    def noise_delta(self) -> Fraction:
        """The part of `delta` that is left for the noise."""
        return exact(self.delta) - self.group_delta

    @property
    def mechanism(self) -> Mechanism:
        """Where noise comes from."""
        if self.law is Noise.ANALYTIC_GAUSSIAN:
            return AnalyticGaussian(float(self.noise_delta / self.total))
        return Laplace() if self.law is Noise.LAPLACE else Gaussian()

    @property
    def bound(self) -> str:
        """How many records of a respondent count, and whether anybody sees to it."""
        many = "1 record" if self.records_each == 1 else f"{self.records_each} records"
        if self.respondent is None:
            return f"{many} of a respondent, promised, not enforced"
        return f"{many} of each {self.respondent}, enforced"

    def watch(self, data: PublicClasses) -> Watcher:
        """Begin with the whole budget.

        Raises:
            ParameterError: bounds are of an attribute that the data do not have as numbers,
                categories of one that is none, or the respondent is not known.
        """
        refuse_unknown(self.name, [*self.bounds, *self.learn], data)
        refuse_categories(self.name, self.private_categories, data)
        refuse_respondent(self.name, self.respondent, data)
        self.key_sets(data)
        opendp()  # it has to be loaded: not while the first question waits
        # Not every budget has noise of every law; better said now than once a query is paid.
        cost = self.total * exact(self.share_each) / MOST_PARTS
        self.mechanism.scale(Sensitivity(1, 1.0), cost)
        return PrivateWatcher(self, data)

    def key_sets(self, data: PublicClasses) -> KeySets:
        """Return the values that records of some data may be grouped by.

        Raises:
            ParameterError: `groups` names what cannot be grouped by, or values that cannot be.
        """
        return KeySets.declared(
            self.name,
            self.groups,
            data,
            has_threshold=self.delta > 0,
            covers=lambda asked: self.statistics is None or asked.statistic in self.statistics,
        )


class Price(NamedTuple):
    """What a query costs.

    Args:
        loss: in the measure of the budget.
        delta: the chance that goes beyond it.
        wanted: the attributes whose bounds are learned for it.
    """

    loss: Fraction
    delta: Fraction
    wanted: frozenset[str]


class Tariff(NamedTuple):
    """What a query costs besides the bounds that are learned for it.

    Args:
        loss: in the measure of the budget.
        noise: the delta of its noise, where noise has one of its own.
        shown: the delta of showing groups that nobody declared, if it has such groups.
    """

    loss: Fraction
    noise: Fraction
    shown: Fraction


class PrivateWatcher:
    """The private answers of one database, with what is left to pay for them."""

    simulatable = True

    def __init__(self, policy: PrivateAnswers, data: PublicClasses) -> None:
        self._policy, self._data = policy, data
        share = exact(policy.share_each)
        self._learning = {name: policy.total * exact(part) for name, part in policy.learn.items()}
        shares = {name: exact(part) for name, part in policy.shares.items()}
        self._budgets = Budgets(policy.total, shares, policy.projects, policy.until)
        # With concentrated losses, the delta of noise is in the budget itself.
        noise = policy.noise_delta if policy.law is Noise.ANALYTIC_GAUSSIAN else Fraction(0)
        self._deltas = Budget(noise + policy.group_delta, policy.until)
        self.tariff = Tariff(policy.total * share, noise * share, policy.group_delta * share)
        self._bounds = DerivedBounds(policy.bounds)
        self._allowed: dict[Asked, bool] = {}  # which never changes, as bounds are only added
        self.use_key(secrets.token_bytes(KEY_BYTES))
        self.keys = policy.key_sets(data)
        self._paid_before = False  # whether anything was answered when groups came from the data
        self._once_known = set(self.keys.known)
        self.guarantee = self._guaranteed()
        counts = policy.statistics is None or Statistic.RESPONDENTS in policy.statistics
        hidden = {name for name in policy.groups if not data.is_public(name)}
        self.permitted = Permitted(
            frozenset({*policy.private_categories, *hidden}),
            frozenset({policy.respondent} if policy.respondent is not None and counts else ()),
        )

    def use_key(self, key: bytes) -> None:
        """Choose the records of each respondent that count by a key."""
        policy = self._policy
        self._contributions = Contributions(policy.respondent, policy.records_each, key)
        self._measuring = Measuring(
            self._bounds,
            policy.mechanism,
            policy.neighbours,
            self._contributions,
            policy.steps,
            policy.name,
        )

    def at(self, spending: Spending | None) -> PrivateWatcher:
        """Return the same policy, with the same budget, as it answers for another price.

        Raises:
            QueryError: the price is in another measure than the budget, or too small.
        """
        if spending is None:
            return self
        policy, other = self._policy, copy(self)
        loss, noise, shown = self.tariff
        said = spending.loss(policy.loss_measure, policy.total)
        if said is not None:
            noise *= said / loss
            loss, shown = said, policy.group_delta * said / policy.total
        if spending.delta is not None:
            shown = exact(float(spending.delta))
        other.tariff = Tariff(loss, noise, shown)
        try:  # whether there is such noise is better said before it is paid
            policy.mechanism.scale(Sensitivity(1, 1.0), loss / MOST_PARTS)
        except ParameterError as error:
            raise QueryError(str(error)) from error
        return other

    def covers(self, cell: Cell) -> bool:
        """Tell whether the statistic is one of those it has a say about."""
        return self._policy.statistics is None or cell.asked.statistic in self._policy.statistics

    def allows(self, cell: Cell) -> bool:
        """Tell whether there is a private form of the statistic, and bounds that it needs."""
        known = self._allowed.get(cell.asked)
        if known is None:
            known = bool(measured(cell.asked)) and self._unbounded([cell]) <= set(self._learning)
            self._allowed[cell.asked] = known
        return known

    def learn(self, cell: Cell) -> None:
        """Remember nothing: what counts is what was paid."""

    def move(self, update: Update) -> None:
        """Go on with other data, the same bounds and the same budget."""
        self._data = update.data
        self.keys = self._policy.key_sets(update.data)

    def refuse_data(self, data: PublicClasses) -> None:
        """Raise unless the data tell of every record whose it is."""
        refuse_respondent(self._policy.name, self._policy.respondent, data)
        self._policy.key_sets(data)

    def debit(self, cells: Sequence[Cell], user: str) -> Mapping[str, Any] | None:
        """Take the cost of a query, and that of the bounds that it is the first to need."""
        price = self.price_of(cells)
        if price.delta > self._deltas.left or not self._budgets.take(price.loss, user):
            return None
        self._deltas.spent += price.delta
        told: dict[str, Any] = {str(self._policy.loss_measure): str(price.loss)}
        if price.delta:
            told["delta"] = str(price.delta)
        told |= self._relation(cells) | {"groups": sorted(self.keys.known)}
        if price.wanted:
            found = {name: self._learned(name, cells[0].members.data) for name in price.wanted}
            self._bounds |= found
            told["bounds"] = {name: list(ends) for name, ends in found.items()}
        return told

    def charge(self, cost: Mapping[str, Any], user: str) -> None:
        """Take again what was taken before, and know the bounds that it bought.

        A cost in another measure, or about other neighbours, is of a policy that is no more: what
        it promised cannot be added to what is promised now, and nothing is left then. What was
        paid for when groups came from the data told which values occur, which is said.
        """
        self._paid_before |= "groups" not in cost
        self._once_known |= set(cost.get("groups", ()))
        self.guarantee = self._guaranteed()
        said = cost.get(str(self._policy.loss_measure))
        same = all(cost.get(word) == now for word, now in self._neighbours().items())
        loss = Fraction(said) if said is not None and same else self._policy.total
        self._budgets.charge(loss, user)
        self._deltas.spent += Fraction(cost.get("delta", 0))
        for name, (low, high) in cost.get("bounds", {}).items():
            self._bounds.setdefault(name, (low, high))

    def release(self, cells: Sequence[Cell]) -> Sequence[Released]:
        """Answer cells with noise that was paid for."""
        return self._measuring.released(cells, self.tariff.loss, self._group_delta(cells))

    def explain(self, cells: Sequence[Cell], user: str) -> Mapping[str, Any]:
        """Tell the cost, what is left, and how far answers will be from the truth."""
        price = self.price_of(cells)
        told: dict[str, Any] = {str(self._policy.loss_measure): float(price.loss)}
        if price.delta:
            told["delta"] = float(price.delta)
        told |= self._relation(cells)
        told |= {f"{name} left": value for name, value in self.left(user).items()}
        told |= _listed("bounds to learn", price.wanted)
        told |= _listed("bounds missing", self._unbounded(cells) - price.wanted)
        told |= _listed("no private form", {str(c.asked) for c in cells if not measured(c.asked)})
        answered = [cell for cell in cells if measured(cell.asked) and not self._unbounded([cell])]
        return told | self._measuring.errors(answered, self.tariff.loss)

    def price(
        self, queries: Sequence[tuple[Sequence[Cell], Spending | None]], user: str
    ) -> Mapping[str, Any]:
        """Tell what several queries cost together, and whether there is enough left for them."""
        bought: set[str] = set()
        loss = delta = Fraction(0)
        for cells, spending in queries:
            answered = [cell for cell in cells if self.allows(cell)]
            if answered:
                price = self.at(spending).price_of(answered, bought)
                loss, delta = loss + price.loss, delta + price.delta
                bought |= price.wanted
        enough = min(self._budgets.left(user).values())
        told = {str(self._policy.loss_measure): float(loss), "delta": float(delta)}
        return told | {"enough": loss <= enough and delta <= self._deltas.left}

    def left(self, user: str) -> Mapping[str, float]:
        """Return what is left of the budgets that a user pays from."""
        word = str(self._policy.loss_measure)
        told = {
            f"{word} of {name}" if name else word: float(value)
            for name, value in self._budgets.left(user).items()
        }
        return told | ({"delta": float(self._deltas.left)} if self._deltas.total else {})

    def _guaranteed(self) -> str:
        return _guarantee(self._policy, self._once_known, paid_before=self._paid_before)

    def evidence(self) -> Mapping[str, Any]:
        """Tell those who keep the data how many records do not count; it is confidential."""
        beyond = self.keys.undeclared(self._data)
        told = {"records_in_no_declared_group": beyond} if beyond else {}
        if self._policy.respondent is None:
            return told
        return told | {
            "bound": self._policy.bound,
            "records_left_out": self._contributions.left_out(self._data),
        }

    def _relation(self, cells: Sequence[Cell]) -> dict[str, Any]:
        """Tell which data sets are hardly told apart, and from where on groups are shown."""
        told: dict[str, Any] = self._neighbours()
        delta = self._group_delta(cells)
        answered = [cell for cell in cells if measured(cell.asked)] if delta else []
        if answered:
            told["threshold"] = self._measuring.threshold(answered, self.tariff.loss, delta)
        return told

    def _neighbours(self) -> dict[str, Any]:
        """Tell which data sets are neighbours."""
        return {"neighbours": str(self._policy.neighbours), "bound": self._policy.bound}

    def _group_delta(self, cells: Sequence[Cell]) -> Fraction:
        """Return the chance that an undeclared group of one respondent is shown."""
        return self.tariff.shown if any(cell.is_secret for cell in cells) else Fraction(0)

    def price_of(self, cells: Sequence[Cell], bought: Iterable[str] = ()) -> Price:
        """Return what a query costs; bounds that are bought are not paid again."""
        wanted = (self._unbounded(cells) & set(self._learning)) - set(bought)
        loss = sum((self._learning[name] for name in wanted), self.tariff.loss)
        return Price(loss, self.tariff.noise + self._group_delta(cells), frozenset(wanted))

    def _learned(self, name: str, data: PublicClasses) -> Bounds:
        cost = self._learning[name]
        epsilon = cost if self._policy.loss_measure is Measure.EPSILON else pure_within(cost)
        return learned_bounds(data, name, epsilon, self._contributions)

    def _unbounded(self, cells: Sequence[Cell]) -> set[str]:
        """Return the attributes whose bounds are needed and not declared."""
        asked = dict.fromkeys(cell.asked for cell in cells)
        return {name for one in asked for name in bounded(one)} - set(self._bounds)


def _listed(word: str, names: Iterable[str]) -> dict[str, str]:
    said = ", ".join(sorted(names))
    return {word: said} if said else {}


def _guarantee(policy: PrivateAnswers, known: Iterable[str], *, paid_before: bool) -> str:
    said = {"epsilon": policy.epsilon, "delta": policy.delta, "rho": policy.rho}
    loss = ", ".join(f"{name} = {value:g}" for name, value in said.items() if value)
    many = "one record" if policy.records_each == 1 else f"up to {policy.records_each} records"
    if policy.respondent is not None:
        many = f"all records of one `{policy.respondent}`, of which {policy.records_each} count,"
    of = "" if policy.respondent is not None else " of one respondent"
    way = "changed" if policy.neighbours is Neighbours.CHANGE_ONE else "added or removed"
    promised = ""
    if policy.respondent is None:
        promised = "; that nobody has more records is promised, not enforced"
    group = "k^2 times rho" if policy.rho else "k times epsilon"
    group += " and k exp(k epsilon) times delta" if policy.delta else ""
    return (
        f"All answers of this policy, to everybody, are together differentially private ({loss}), "
        f"for data sets with {many}{of} {way}{promised}. A group of k respondents is protected "
        f"with {group}.{_taken_for_known(sorted(known))}{BEFORE if paid_before else ''}"
    )


BEFORE = (
    " Answers that the ledger has from before groups were declared told which combinations of "
    "public values occurred, which this guarantee is not about."
)


def _taken_for_known(names: Sequence[str]) -> str:
    said = ", ".join(f"`{name}`" for name in names)
    return f" Which values of {said} occur, each by itself, is taken to be known." if said else ""

"""Differentially private answers, paid from a budget that is spent once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY
from datetime import date
from fractions import Fraction
from typing import Annotated, Any, ClassVar

from pydantic import Field, model_validator

from tacita.data.attribute import Kind
from tacita.errors import ParameterError, did_you_mean
from tacita.mechanisms.private.accounting import Measure, exact, pure_within, rho_within
from tacita.mechanisms.private.mechanisms import MECHANISMS, opendp
from tacita.mechanisms.secure_noise import refuse_bounds
from tacita.method import ANY_KIND, Method
from tacita.queries.answer import Released
from tacita.queries.cells import Cell
from tacita.queries.private.budgets import Budgets
from tacita.queries.private.learning import learned_bounds
from tacita.queries.private.measuring import Measuring
from tacita.queries.private.moments import Bounds
from tacita.queries.private.parts import Neighbours, bounded, measured
from tacita.queries.public_classes import PublicClasses
from tacita.queries.statistic import Statistic
from tacita.queries.updating import Update
from tacita.queries.watching import Watcher


class PrivateAnswers(Method):
    """Answer with noise: no answer, nor all of them together, tells much about any respondent.

    P(answers | data) <= exp(epsilon) P(answers | neighbour) + delta, for neighbouring data sets
    that differ in one respondent, over all users and all time. Every query costs the same share of
    the budget, however many cells it has; when the budget is spent, everything is refused. What is
    asked twice is paid twice, and noise is drawn anew.

    Counts, sums, means, variances, standard deviations, covariances, correlations, slopes and
    quantiles are answered. Values beyond `bounds` count as the bound. Sums are of whole numbers of
    small units with whole noise: Laplace if `delta` is 0, else Gaussian, with losses added up as
    zero-concentrated privacy (rho), which may be the budget itself. Means and the like come from
    noisy sums; quantiles are chosen among evenly spaced candidates and have no interval, but
    EXPLAIN PRIVACY tells how many ranks they are off. Numbers of GROUP BY ROLLUP or CUBE are made
    to add up afterwards. Intervals hold the exact statistic of the clamped values with 95 %
    confidence; those of means and the like are approximate.

    A neighbour has one record changed in any attribute (`change_one`), or one record more or less
    (`add_remove`). Which combinations of public values occur is taken to be known.

    When not to use it: for sets of few records, which drown in noise; for attributes whose bounds
    nobody knows, unless a share of the budget may go into learning them; beside other policies that
    answer exactly about the same confidential attributes, which the guarantee says nothing about.

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
        "Concentrated differential privacy. TCC 2016-B, 635-658."
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
    share_each: Annotated[
        float, Field(description="The share of the budget that a query costs.", gt=0, le=1)
    ] = 0.01
    neighbours: Annotated[
        Neighbours, Field(description="Which data sets answers hardly tell apart.")
    ] = Neighbours.CHANGE_ONE
    records_each: Annotated[
        int, Field(description="How many records one respondent has at most.", ge=1)
    ] = 1
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
        refuse_bounds(self.name, self.bounds)
        refuse_learning(self.name, self.learn, self.bounds)
        refuse_shares(self.name, self.shares, self.projects)
        return self

    @property
    def loss_measure(self) -> Measure:
        """How losses are measured."""
        return Measure.RHO if self.delta or self.rho else Measure.EPSILON

    @property
    def total(self) -> Fraction:
        """The budget of the data set, in its measure."""
        if self.epsilon is not None and self.delta:
            return rho_within(self.epsilon, self.delta)
        return exact(self.epsilon or self.rho or 0.0)

    def watch(self, data: PublicClasses) -> Watcher:
        """Begin with the whole budget.

        Raises:
            ParameterError: bounds are of an attribute that the data do not have as numbers.
        """
        refuse_unknown(self.name, [*self.bounds, *self.learn], data)
        opendp()  # it loads for seconds: not while the first question waits
        return PrivateWatcher(self)


def refuse_unknown(method: str, names: Sequence[str], data: PublicClasses) -> None:
    """Raise unless names are of numeric attributes."""
    known = [name for name, one in data.attributes.items() if one.kind is Kind.CONTINUOUS]
    for name in names:
        if name not in known:
            raise ParameterError(
                f"`{method}` has bounds of `{name}`, which is no numeric attribute of "
                f"`{data.view}`.{did_you_mean(name, known)}"
            )


def refuse_learning(method: str, learn: Mapping[str, float], bounds: Mapping[str, Bounds]) -> None:
    """Raise unless bounds are learned for a share of the budget, where they are not known."""
    for name, part in learn.items():
        if not 0 < part < 1 or name in bounds:
            raise ValueError(
                f"`learn` of `{method}` needs a share between 0 and 1 for `{name}`, and no bounds "
                f"of it; found {part:g}."
            )


def refuse_shares(
    method: str, shares: Mapping[str, float], projects: Mapping[str, Sequence[str]]
) -> None:
    """Raise unless shares are parts of a whole, and every project has one."""
    if any(not 0 < part <= 1 for part in shares.values()) or sum(map(exact, shares.values())) > 1:
        raise ValueError(f"`shares` of `{method}` are above 0, and at most 1 together.")
    for project in projects:
        if project not in shares:
            raise ValueError(f"`projects` of `{method}` names `{project}`, which has no share.")
    users = [user for members in projects.values() for user in members]
    for user in users:
        if users.count(user) > 1 or user in shares:
            raise ValueError(f"`{user}` can pay from one share of `{method}` only.")


class PrivateWatcher:
    """The private answers of one database, with what is left to pay for them."""

    simulatable = True

    def __init__(self, policy: PrivateAnswers) -> None:
        self._policy = policy
        self._mechanism = MECHANISMS[policy.loss_measure]
        self._cost = policy.total * exact(policy.share_each)
        self._learning = {name: policy.total * exact(part) for name, part in policy.learn.items()}
        shares = {name: exact(part) for name, part in policy.shares.items()}
        self._budgets = Budgets(policy.total, shares, policy.projects, policy.until)
        self._bounds: dict[str, Bounds] = dict(policy.bounds)
        self._measuring = Measuring(
            self._bounds,
            self._mechanism,
            policy.neighbours,
            policy.records_each,
            policy.steps,
            policy.name,
        )
        self.guarantee = _guarantee(policy)

    def covers(self, cell: Cell) -> bool:
        """Tell whether the statistic is one of those it has a say about."""
        return self._policy.statistics is None or cell.asked.statistic in self._policy.statistics

    def allows(self, cell: Cell) -> bool:
        """Tell whether there is a private form of the statistic, and bounds that it needs."""
        return bool(measured(cell.asked)) and self._unbounded([cell]) <= set(self._learning)

    def learn(self, cell: Cell) -> None:
        """Remember nothing: what counts is what was paid."""

    def move(self, update: Update) -> None:
        """Go on with other data, the same bounds and the same budget."""

    def debit(self, cells: Sequence[Cell], user: str) -> Mapping[str, Any] | None:
        """Take the cost of a query, and that of the bounds that it is the first to need."""
        cost, wanted = self._price(cells)
        if not self._budgets.take(cost, user):
            return None
        told: dict[str, Any] = {str(self._policy.loss_measure): str(cost)}
        told["neighbours"] = str(self._policy.neighbours)
        if wanted:
            self._bounds |= {name: self._learned(name, cells[0].members.data) for name in wanted}
            told["bounds"] = {name: list(self._bounds[name]) for name in wanted}
        return told

    def charge(self, cost: Mapping[str, Any], user: str) -> None:
        """Take again what was taken before, and know the bounds that it bought.

        A cost in another measure is of a policy that is no more: nothing is left then.
        """
        said = cost.get(str(self._policy.loss_measure))
        self._budgets.charge(self._policy.total if said is None else Fraction(said), user)
        for name, (low, high) in cost.get("bounds", {}).items():
            self._bounds.setdefault(name, (low, high))

    def release(self, cells: Sequence[Cell]) -> Sequence[Released]:
        """Answer cells with noise that was paid for."""
        return self._measuring.released(cells, self._cost)

    def explain(self, cells: Sequence[Cell], user: str) -> Mapping[str, Any]:
        """Tell the cost, what is left, and how far answers will be from the truth."""
        cost, wanted = self._price(cells)
        told: dict[str, Any] = {str(self._policy.loss_measure): float(cost)}
        told["neighbours"] = str(self._policy.neighbours)
        told |= {f"{name} left": value for name, value in self.left(user).items()}
        told |= _listed("bounds to learn", wanted)
        told |= _listed("bounds missing", self._unbounded(cells) - wanted)
        told |= _listed("no private form", {str(c.asked) for c in cells if not measured(c.asked)})
        answered = [cell for cell in cells if measured(cell.asked) and not self._unbounded([cell])]
        return told | self._measuring.errors(answered, self._cost)

    def left(self, user: str) -> Mapping[str, float]:
        """Return what is left of the budgets that a user pays from."""
        word = str(self._policy.loss_measure)
        return {
            f"{word} of {name}" if name else word: float(value)
            for name, value in self._budgets.left(user).items()
        }

    def _price(self, cells: Sequence[Cell]) -> tuple[Fraction, set[str]]:
        """Return what a query costs, and the attributes whose bounds are learned for it."""
        wanted = self._unbounded(cells) & set(self._learning)
        return sum((self._learning[name] for name in wanted), self._cost), wanted

    def _learned(self, name: str, data: PublicClasses) -> Bounds:
        cost = self._learning[name]
        epsilon = cost if self._policy.loss_measure is Measure.EPSILON else pure_within(cost)
        return learned_bounds(data, name, epsilon, self._policy.records_each)

    def _unbounded(self, cells: Sequence[Cell]) -> set[str]:
        """Return the attributes whose bounds are needed and not declared."""
        return {name for cell in cells for name in bounded(cell.asked)} - set(self._bounds)


def _listed(word: str, names: set[str]) -> dict[str, str]:
    return {word: ", ".join(sorted(names))} if names else {}


def _guarantee(policy: PrivateAnswers) -> str:
    said = {"epsilon": policy.epsilon, "delta": policy.delta, "rho": policy.rho}
    loss = ", ".join(f"{name} = {value:g}" for name, value in said.items() if value)
    many = "one record" if policy.records_each == 1 else f"up to {policy.records_each} records"
    way = {
        Neighbours.CHANGE_ONE: f"{many} of one respondent changed",
        Neighbours.ADD_REMOVE: f"{many} of one respondent added or removed",
    }[policy.neighbours]
    return (
        f"All answers ever given, to everybody, are together differentially private ({loss}), "
        f"for data sets with {way}; which combinations of public values occur is taken to be known."
    )

"""Advice: the masking that meets a bound on the risk at the least loss, searched for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from time import monotonic
from typing import Any, Unpack

from tacita.data.formats import LayoutOptions
from tacita.data.hierarchies import Hierarchy
from tacita.errors import ParameterError, shown
from tacita.interrupts import forget_interrupt
from tacita.intruders.said import Said
from tacita.method import Method
from tacita.tradeoff.advising.advice import Advice
from tacita.tradeoff.advising.judging import Judge
from tacita.tradeoff.advising.lines import lines_of
from tacita.tradeoff.advising.searching import NOTHING, Search
from tacita.tradeoff.advising.setting import Asked, Setting, setting_of

__all__ = ["Advice", "advise", "advising"]

Tell = Callable[[str], None]


class _Stop(Exception):  # noqa: N818 - no error: the time or the trials are used up
    """Ends a search."""


class _Budget:
    """Counts trials and time; deterministic but for the time, which only decides when to stop."""

    def __init__(self, started: float, time_limit: float | None, trials: int | None, tell: Tell):
        self.until = None if time_limit is None else started + time_limit
        self.most, self.made, self.tell = trials, 0, tell

    def spend(self, line: str, records: int) -> None:
        """Stop, or count a trial; the first, of the data as they are, is always made."""
        late = self.until is not None and monotonic() >= self.until
        if self.made and (late or self.made == self.most):
            raise _Stop
        self.made += 1
        self.tell(f"trying {line} on {records:,} records")


def advising(
    data: Any,
    *,
    require: Asked | Iterable[Asked] | None = None,
    loss: Method | str | None = None,
    roles: Mapping[str, str | Iterable[str]] | None = None,
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Hierarchy | str | PathLike[str] | Mapping[str, Any]] | None = None,
    intruder: Said | None = None,
    time_limit: float | None = None,
    trials: int | None = None,
    seed: int = 0,
    tell: Tell = lambda _: None,
    **layout: Unpack[LayoutOptions],
) -> Iterator[Advice]:
    """Yield ever better advice, and at last the best with all reasons; see `advise`.

    Args:
        data: as `advise` takes it, and so are the others.
        require: what must hold.
        loss: what is kept low.
        roles: what attributes are to an intruder.
        kinds: what can be computed with them.
        hierarchies: how their values generalize.
        intruder: who attacks.
        time_limit: seconds after which it ends.
        trials: how many trials are made at most.
        seed: where samples and masking draw from.
        tell: is told what is tried next.
        layout: how the source is laid out.
    """
    _refuse_limits(time_limit, trials, seed)
    started = monotonic()
    tell("reading")
    setting = setting_of(data, require, loss, roles, kinds, hierarchies, intruder, layout)
    spend = _Budget(started, time_limit, trials, tell).spend
    who = setting.attacking
    judge = Judge(setting.data, setting.requirements, setting.loss, seed, spend, who)
    search = Search(judge, lines_of(setting.data, setting.masked(), setting.models))
    try:
        for _ in search.run():
            yield _advice(setting, search, started, is_finished=False)
    except _Stop:
        yield _advice(setting, search, started, is_finished=False)
    else:
        yield _advice(setting, search, started, is_finished=True)


def advise(
    data: Any,
    *,
    require: Asked | Iterable[Asked] | None = None,
    loss: Method | str | None = None,
    roles: Mapping[str, str | Iterable[str]] | None = None,
    kinds: Mapping[str, str] | None = None,
    hierarchies: Mapping[str, Hierarchy | str | PathLike[str] | Mapping[str, Any]] | None = None,
    intruder: Said | None = None,
    time_limit: float | None = None,
    trials: int | None = None,
    seed: int = 0,
    **layout: Unpack[LayoutOptions],
) -> Advice:
    """Advise how to mask data so that a bound on the risk is met at the least loss.

    Methods and parameters that fit the kinds and roles of the attributes are tried on small samples
    first; the promising go on to larger ones, and what is recommended was confirmed on all
    records, with several seeds where the method draws. An interrupt (Ctrl-C) gives the best so far.

    Args:
        data: the path of a file, the address of a database, a data frame, data that were read, or
            the path of a plan (YAML), whose data, roles, requirements and intruder are taken.
        require: what must hold, as plans say it: `{"distance_linkage": {"at_most": 0.05}}`, a
            model such as `ta.KAnonymity(5)`, or several together; when left out, 5 % of linked
            records, or 5-anonymity where no key is a number and no intruder is given.
        loss: the utility measure that is kept low; when left out the mean change, which compares
            values moved with values coarsened.
        roles: what attributes are to an intruder; where nothing is said, `inspect` proposes.
        kinds: what can be computed with them, likewise.
        hierarchies: how their values generalize, likewise.
        intruder: for whom risks are measured: an `Intruder`, a scenario (`health/neighbour`), or
            as a plan says it; by default the worst case that each measure assumes. The plan that
            is recommended says it too. Models hold or not, whoever attacks.
        time_limit: seconds after which the best so far is given; a trial that has begun is
            finished. All is tried when left out.
        trials: how many trials are made at most.
        seed: where samples and masking draw from; the same seed and number of trials give the same
            advice.
        layout: how the source is laid out; what is left out is found out.

    >>> import tacita as ta
    >>> advice = advise(ta.example("conditions"), require={"k_anonymity": 4}, loss="precision_loss")
    >>> advice.holds, advice.recommended.reached[0].holds
    (True, True)
    >>> knows = {"attributes": ["Age"], "respondents": 0.5}
    >>> bound = {"uniqueness": {"at_most": 0.25}}
    >>> advise(ta.example("conditions"), require=bound, intruder=knows).reasons()[0]
    'Risks are those of an intruder who holds Age of 50 % of the respondents.'
    """
    best: Advice | None = None
    try:
        for better in advising(
            data,
            require=require,
            loss=loss,
            roles=roles,
            kinds=kinds,
            hierarchies=hierarchies,
            intruder=intruder,
            time_limit=time_limit,
            trials=trials,
            seed=seed,
            **layout,
        ):
            best = better
    except KeyboardInterrupt:
        if best is None:
            raise
        forget_interrupt()
    assert best is not None  # noqa: S101 - the last advice is always given
    return best


def _advice(setting: Setting, search: Search, started: float, is_finished: bool) -> Advice:
    met = tuple(sorted(search.met.values(), key=lambda one: one.loss))
    tried = tuple(search.judge.trials)
    unmasked = search.judge.tried(NOTHING, (), len(setting.data))
    return Advice(setting, unmasked, met, tried, monotonic() - started, is_finished)


def _refuse_limits(time_limit: Any, trials: Any, seed: Any) -> None:
    if time_limit is not None and not (isinstance(time_limit, int | float) and time_limit > 0):
        raise ParameterError(f"`time_limit` is in seconds, above 0; found {shown(time_limit)}.")
    if trials is not None and not _is_whole(trials, 1):
        raise ParameterError(f"`trials` is a whole number of 1 or more; found {shown(trials)}.")
    if not _is_whole(seed, 0):
        raise ParameterError(f"`seed` is a whole number of 0 or more; found {shown(seed)}.")


def _is_whole(number: Any, least: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and number >= least

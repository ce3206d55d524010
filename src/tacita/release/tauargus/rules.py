"""The rules of a job: which methods they are, and judging a table at two levels.

tau-ARGUS looks at respondents and, where the job says so, at holdings. Of several rules that call a
cell sensitive the first in its own order gives the status: dominance, p%, request, frequency, zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tacita.errors import ParameterError
from tacita.mechanisms.sensitivity.contributions import Contributions, Judgement, share_of_value
from tacita.mechanisms.sensitivity.dominance import Dominance
from tacita.mechanisms.sensitivity.minimum_frequency import MinimumFrequency
from tacita.mechanisms.sensitivity.p_percent import PPercent
from tacita.mechanisms.sensitivity.pq import Pq
from tacita.mechanisms.sensitivity.request_rule import RequestRule
from tacita.mechanisms.sensitivity.zero_rule import ZeroRule
from tacita.release.tauargus.commands import Rule, SafetyRule
from tacita.tables.judging import Rule as Judge
from tacita.tables.judging import judge
from tacita.tables.table import Table

ORDER = ("NK", "P", "REQ", "FREQ", "ZERO")
OF_RESPONDENTS = {"NK": 2, "P": 2, "REQ": 1, "FREQ": 1, "ZERO": 1}  # how many before holdings'
ALL_KNOWN = 100.0  # percent: what q is of a p%-rule
CONTRIBUTIONS = ("frequency", "contributors", "total", "largest", "asked")
DECIDED = ("status", "reason", "lower_level", "upper_level", "sliding_level")


@dataclass(frozen=True)
class Level:
    """The rules about respondents, or those about holdings, in tau-ARGUS's order.

    Args:
        rules: the rules that are in force; one whose first number is 0 is not.
        is_weighted: whether respondents count with their sampling weights.
    """

    rules: tuple[Rule, ...]
    is_weighted: bool

    @property
    def largest(self) -> int:
        """How many of the largest contributions the rules look at."""
        needed = {
            "NK": lambda numbers: int(numbers[0]),
            "P": lambda numbers: coalition(numbers) + 1,
        }
        return max((needed[r.name](r.numbers) for r in self.rules if r.name in needed), default=0)

    @property
    def asks_for_requests(self) -> bool:
        """Whether a rule looks at who asked for protection."""
        return any(rule.name == "REQ" for rule in self.rules)

    def has(self, name: str) -> bool:
        """Tell whether a rule is in force."""
        return any(rule.name == name for rule in self.rules)

    def judges(self, name: str) -> list[Judge]:
        """Return the rules of one name as methods."""
        said = [rule.numbers for rule in self.rules if rule.name == name]
        return [made for one in said for made in _judges(name, one, is_weighted=self.is_weighted)]


def levels_of(safety: SafetyRule) -> tuple[Level, Level]:
    """Return the rules about respondents and those about holdings."""
    respondents: list[Rule] = []
    holdings: list[Rule] = []
    for name in ORDER:
        for place, rule in enumerate(rule for rule in safety.rules if rule.name == name):
            if rule.numbers[0] > 0:
                of_holdings = place >= OF_RESPONDENTS[name]
                (holdings if of_holdings else respondents).append(rule)
    weighted = safety.is_weighted
    return Level(tuple(respondents), weighted), Level(tuple(holdings), weighted)


def judged(respondents: Table, holdings: Table | None, safety: SafetyRule) -> Table:
    """Return a table with its sensitive cells found.

    Args:
        respondents: the table as respondents contribute to it.
        holdings: the same table as holdings do, where there are rules about them; it is the one
            that is returned.
        safety: the rules.
    """
    table = respondents if holdings is None else holdings
    for name in ORDER:
        for level, seen in zip(levels_of(safety), (respondents, holdings), strict=True):
            rules = level.judges(name)
            if rules and seen is not None:
                table = _judged_as(table, seen, rules, safety)
    return table


def _judged_as(table: Table, seen: Table, rules: Sequence[Judge], safety: SafetyRule) -> Table:
    """Judge a table by the contributions that another shows of the same cells."""
    shown = table.with_cells(**{name: getattr(seen.cells, name) for name in CONTRIBUTIONS})
    found = judge(shown, rules, missing="safe" if safety.missing_is_safe else "judged").cells
    return table.with_cells(**{name: getattr(found, name) for name in DECIDED})


# -- methods ---------------------------------------------------------------------------------------


def coalition(numbers: Sequence[float]) -> int:
    """Return how many pool what they know in a rule P(p), P(p,n) or P(p,q,n)."""
    return max(int(numbers[-1]), 1) if len(numbers) > 1 else 1


def _judges(name: str, numbers: Sequence[float], *, is_weighted: bool) -> Iterator[Judge]:
    """Give the methods that a rule means."""
    if name == "NK":
        yield Dominance(int(numbers[0]), numbers[1])
    elif name == "P":
        known = numbers[1] if len(numbers) == 3 else ALL_KNOWN  # noqa: PLR2004 - P(p,q,n)
        p, n = numbers[0], coalition(numbers)
        yield PPercent(p, n) if known == ALL_KNOWN else Pq(p, known, n)
    elif name == "REQ":
        first, second, *fewest, margin = numbers
        yield RequestRule(first, second or None, margin)
        if fewest and fewest[0] > 0:
            yield _few_and_asked(fewest[0], margin)
    elif name == "FREQ":
        counts: Literal["records", "contributors"] = "records" if is_weighted else "contributors"
        yield MinimumFrequency(_whole(numbers[0]), counts, margin=numbers[1])
    else:
        yield ZeroRule(numbers[0])


def _few_and_asked(fewest: float, margin: float) -> Callable[[Contributions], Any]:
    """Call cells sensitive in which somebody asked and fewer than some contribute."""

    def request_rule(cells: Contributions) -> Judgement:
        few = (cells.asked > 0).any(axis=1) & (cells.contributors < fewest)
        return Judgement.of(few, share_of_value(cells, margin))

    return request_rule


def _whole(number: float) -> int:
    if number != int(number):
        raise ParameterError(f"FREQ needs a whole number of contributors; found {number:g}.")
    return int(number)

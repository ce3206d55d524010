"""The strongest attack: the largest share of records that any attack links to their respondents.

Of the attacks that were carried out only those compare: each names an owner for every record, and
its number is the share of right ones. What does not apply was never measured, so that it is not
among them. The largest of several estimates is told with an interval that holds for all together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tacita.microdata.comparing.confidence import share_interval
from tacita.microdata.risk.learners import simultaneous
from tacita.registry import method_named
from tacita.results import Interval, Measurement, listed, show


@dataclass(frozen=True)
class Strongest:
    """The strongest attack, and of which ones it is the strongest.

    Args:
        attack: its measurement.
        interval: where its share lies, with the confidence that all of them lie in theirs.
        others: the other attacks that were carried out, the strongest first.
        pending: the attacks that may still find more.
    """

    attack: Measurement
    interval: Interval
    others: tuple[Measurement, ...]
    pending: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Say which it is and how it was chosen."""
        beside = [f"{one.name} {show(one.value)}" for one in self.others]
        than = f", the largest share beside {listed(beside)}" if beside else ""
        pending = f"; {len(self.pending)} pending" if self.pending else ""
        return (
            f"{self.attack.name} links {show(self.attack.value)} of the records to their "
            f"respondents ({show(self.interval.lower)} to {show(self.interval.upper)}, 95 % for "
            f"all {len(self.others) + len(self.pending) + 1} attacks together){than}{pending}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return it in plain types."""
        return {
            "name": self.attack.name,
            "value": float(self.attack.value or 0),
            "interval": asdict(self.interval),
            "beside": {one.name: float(one.value or 0) for one in self.others},
            "pending": list(self.pending),
            "sentence": str(self),
        }


def links_records(name: str) -> bool:
    """Tell whether the number of a measure is a share of records linked to their respondents."""
    method = method_named(name)
    return method is not None and method.links_records


def strongest(found: Iterable[Measurement], pending: Sequence[str] = ()) -> Strongest | None:
    """Return the strongest of the attacks that were carried out, the first of equal ones.

    >>> import tacita as ta
    >>> data = ta.example("toy", 100)
    >>> swapped = data.apply(ta.RankSwap(["age"], p=20), seed=1)
    >>> measures = ["uniqueness", "exact_linkage", "rank_linkage"]
    >>> best = strongest(ta.disclosure_risk(data, swapped, measures=measures))
    >>> best.attack.name, [one.name for one in best.others]
    ('rank_linkage', ['exact_linkage'])

    Args:
        found: what was measured.
        pending: the attacks that are yet to be carried out.
    """
    linking = [one for one in found if links_records(one.name) and one.value is not None]
    if not linking:
        return None
    ranked = sorted(linking, key=lambda one: -one.value)  # type: ignore[operator]
    waiting = tuple(name for name in pending if links_records(name))
    attack, *others = ranked
    together = simultaneous(len(ranked) + len(waiting))
    return Strongest(attack, _interval(attack, together), tuple(others), waiting)


def _interval(attack: Measurement, confidence: float) -> Interval:
    """Return where a share lies; what an intruder only holds by chance is made less alike."""
    value = float(attack.value or 0)
    held = float(attack.figures.get("given_known") or value)
    linked = int(attack.figures.get("linked") or 0)
    within = share_interval(min(held * linked, linked), linked, confidence)
    chance = value / held if held else 1.0
    return Interval(within.lower * chance, within.upper * chance, confidence)

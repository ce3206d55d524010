"""Risk and utility of what a plan would release, beside the risk of the data as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tacita.app.hands.asked import as_asked, plainly, released
from tacita.app.hands.live import LIVE, MOVED
from tacita.app.hands.work import Work
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.registry import find
from tacita.release.execute import chosen_measures, intruder_of, measure
from tacita.results import Measurement
from tacita.tradeoff.advising.mean_change import mean_change


def run(work: Work) -> dict[str, Any]:
    """Return the measures before and after, and how many records they are of."""
    work = as_asked(work)
    with plainly(work):
        chosen = _chosen(work)
        risks = [method for method in chosen if method.family != "utility"]
        work.tell(len(work.plan.steps) + len(chosen) + len(risks))
        original, protected = work.original, released(work)
        intruder = intruder_of(work.plan, original)
        after, skipped = measure(chosen, original, protected, work.tell, intruder)
        before = _before(work, risks)
    return {
        "records": len(protected),
        "original": len(original),
        "all": len(replace(work, arguments={}).original),
        "before": before,
        "after": [*(one.to_dict() for one in after), *_moved(original, protected)],
        "skipped": [list(one) for one in skipped],
    }


def _chosen(work: Work) -> tuple[Method, ...]:
    if work.is_sampled:
        return tuple(find(name)() for name in LIVE)
    return chosen_measures(work.plan)


def _before(work: Work, risks: Sequence[Method]) -> list[dict[str, Any]]:
    """Return the risks of the original data, which are the same for all that is tried on them."""
    original = work.original
    intruder = intruder_of(work.plan, original)

    def measured() -> tuple[Dataset, list[dict[str, Any]]]:
        found, _ = measure(risks, original, original, work.tell, intruder)
        return original, [one.to_dict() for one in found]

    # The data are kept beside their measures, so that no other data can have their place.
    said = [method.to_plan() for method in risks], work.plan.intruder
    return work.memory.get(f"before {id(original)} {said}", measured)[1]


def _moved(original: Dataset, protected: Dataset) -> list[dict[str, Any]]:
    """Return how far values moved, where the records are those of the original."""
    if protected.is_synthetic:
        return []
    value, parts = mean_change(original, protected)
    told = "how far values moved on average, or were coarsened: 0 not at all, 1 lost"
    return [Measurement(MOVED, "utility", value, told, parts=parts).to_dict()]

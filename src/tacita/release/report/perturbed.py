"""What a report can say of perturbed tables, and of ways to protect a table that were compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tacita.registry import method_named
from tacita.release.report import words
from tacita.release.report.compared import figure
from tacita.release.report.told import ComparedFact, Pairs, PerturbationFact

if TYPE_CHECKING:
    from tacita.release.table_comparison import TableComparison
    from tacita.release.tables import ReleasedTables
    from tacita.tables.perturb.perturbation import Perturbation

PERCENT = (1, 5, 10, 25, 50)  # of the true value: the classes of changes that are counted


def stated_perturbation(stated: Mapping[str, Any] | None) -> PerturbationFact | None:
    """Tell the public what a reader needs: the method, what it promises, whether totals add up."""
    if not stated:
        return None
    method = method_named(stated["method"])
    promised = (stated["guarantee"],) if "guarantee" in stated else ()
    return PerturbationFact(
        words.method_said({stated["method"]: stated["parameters"]}),
        " ".join((*promised, _added_up(stated["not_additive"]))),
        (),
        (),
        "" if method is None else method.reference,
    )


def internal_perturbation(released: ReleasedTables | None) -> PerturbationFact | None:
    """Tell the house how values were perturbed, what was lost, and by how much they changed."""
    found, way = _done(released)
    if found is None or way is None:
        return None
    least = "unknown" if found.bound is None else f"at least {words.said(found.bound)}"
    about = {
        "loss": found.loss,
        "least possible loss": found.loss if found.is_optimal else least,
        "same data, same values": _is_repeated(found, repeatable=way.repeatable),
    }
    told = " ".join((_added_up(int(found.not_additive.size)), *found.remarks))
    return PerturbationFact(
        words.method_said(way.to_plan()), told, _pairs(about), _changes(found), way.reference
    )


def _done(released: ReleasedTables | None) -> tuple[Perturbation | None, Any]:
    if released is None:
        return None, None
    return released.perturbation, released.tables[0].plan.perturbation


def _added_up(off: int) -> str:
    if not off:
        return "All totals are the sums of their published parts."
    verb = "is not the sum" if off == 1 else "are not the sums"
    return f"{words.counted(off, 'published total')} {verb} of the published parts."


def _is_repeated(found: Perturbation, *, repeatable: bool) -> str:
    if not repeatable:
        return "no: the noise is that of a secure source"
    return "yes, with the same seed" if found.is_reproducible else "no: it ran out of time"


def _changes(found: Perturbation) -> Pairs:
    """Count the cells by how much they were changed, in percent of their value."""
    change, value = np.abs(found.change), np.abs(found.system.cells.value)
    known = ~found.is_interval
    share = np.divide(change, value, out=np.full(len(value), np.inf), where=value > 0)[known]
    share[change[known] == 0] = 0.0
    counts = {"not changed": int((share == 0).sum())}
    for low, high in zip((0, *PERCENT), (*PERCENT, None), strict=True):
        inside = share > low / 100 if high is None else (share > low / 100) & (share <= high / 100)
        name = f"by more than {low} %" if high is None else f"by up to {high} %"
        counts[name] = int(inside.sum())
    if found.is_interval.any():
        counts["published as an interval"] = int(found.is_interval.sum())
    return tuple((name, words.number(count)) for name, count in counts.items())


def compared_facts(
    compared: TableComparison | None, key: str
) -> tuple[tuple[ComparedFact, ...], str]:
    """Tell what other ways to protect a table risk and cost, in rows and as a figure."""
    if compared is None:
        return (), ""
    tried = tuple(
        ComparedFact(
            words.method_said(one.way.to_plan()),
            words.number(one.risk),
            words.number(one.loss),
            "nothing beats it" if compared.is_on_front(one) else "",
        )
        for one in compared
    )
    gone = tuple(
        ComparedFact(words.title(way), "", "", words.clipped(why)) for way, why in compared.skipped
    )
    return (*tried, *gone), figure(compared, f"compared-{key}")


def _pairs(values: dict[str, Any]) -> Pairs:
    return tuple((words.phrase(name), words.said(value)) for name, value in values.items())

"""What a report can say of how a table was made: what waivers lowered, and how it was rolled up."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.release.report import words
from tacita.release.report.told import RollUpFact, WaiverFact, WaiversFact
from tacita.release.tables import ReleasedTable

CONSENT = "who consented is not protected, where that uncovers nobody else"


def waivers_fact(one: ReleasedTable) -> WaiversFact | None:
    """Tell the house which cells waivers lowered, by whose consent and which document."""
    found, said = one.made.waived, one.plan.waivers
    if found is None or said is None:
        return None
    lowered = words.counted(len(found.uses), "cell")
    kept = words.name_of(said.kept_as(one.plan.name).file)
    told = f"Waivers that hold on {said.on} lowered {lowered}; see {kept}."
    uses = tuple(
        WaiverFact(
            words.clipped(use.name),
            words.listed(words.phrase(rule) for rule in use.rules),
            _listed(use.contributors),
            _listed(use.documents),
            f"{use.before}, now {use.after}",
        )
        for use in found.uses
    )
    return WaiversFact(told, uses)


def roll_up_fact(one: ReleasedTable) -> RollUpFact | None:
    """Tell the house what was rolled up into what, and how near the least loss that is."""
    found = one.made.rolled_up
    if found is None:
        return None
    left = f"{len(one.table):,} of {words.counted(len(one.made.judged), 'cell')} are left"
    least = (
        "no other recoding that leaves no sensitive cell loses less"
        if found.is_optimal
        else f"no other could lose less than {words.number(found.bound)}"
    )
    told = f"{left}, a loss of {words.number(found.loss)} ({words.percent(found.share)}); {least}."
    about = tuple((words.name_of(name), words.clipped(found.told(name))) for name in found.recoding)
    return RollUpFact(told, found.is_optimal, about)


def _listed(names: Sequence[str]) -> str:
    return words.listed(words.name_of(name) for name in names)

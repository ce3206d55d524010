"""Whether what a plan requires holds for what it would release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tacita.app.hands.asked import as_asked, plainly, released
from tacita.app.hands.work import Work
from tacita.release.execute import intruder_of, judge
from tacita.release.proof import row_of


def run(work: Work) -> dict[str, Any]:
    """Return the verdict on every requirement."""
    work = as_asked(work)
    with plainly(work):
        original, protected = work.original, released(work)
        work.tell("judging")
        intruder = intruder_of(work.plan, original)
        found = judge(work.plan, work.masked[1], original, protected, intruder)
    return {
        "verdicts": [row_of(one, for_intruder=intruder is not None) for one in found],
        "records": len(original),
        "all": len(replace(work, arguments={}).original),
    }

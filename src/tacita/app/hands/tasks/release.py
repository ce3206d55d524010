"""A release: the plan run on all records, judged, and written with its evidence."""

from __future__ import annotations

import time
from typing import Any

from tacita.app.hands.asked import plainly
from tacita.app.hands.work import Work
from tacita.data.formats.atomic import refuse_place
from tacita.errors import PlanError
from tacita.release.copies import execute_copies
from tacita.release.execute import count_steps, execute
from tacita.release.proof import Judged, row_of
from tacita.release.release import WRITING_STEPS, write_release
from tacita.release.waiver import refuse_unrequired, with_waiver


def run(work: Work) -> dict[str, Any]:
    """Run the plan exactly as `tacita run` does, and write the release into the folder."""
    plan = with_waiver(work.plan, work.arguments.get("waive"))
    if not (plan.releases_records or plan.tables):
        raise PlanError("The plan releases nothing yet: protect records or tables first.")
    refuse_unrequired(plan)
    folder = work.file.parent / "releases" / work.arguments["name"]
    folder.parent.mkdir(exist_ok=True)
    refuse_place(folder)
    begun = time.perf_counter()
    work.tell(count_steps(plan) + plan.copies * WRITING_STEPS)
    with plainly(work):
        outcome = (execute if plan.copies == 1 else execute_copies)(plan, work.seed, work.tell)
        write_release(
            outcome,
            folder,
            seed=work.seed,
            seconds=time.perf_counter() - begun,
            force=bool(work.arguments["force"]),
            tell=work.tell,
        )
    known = outcome.intruder is not None
    rows = [row_of(one, for_intruder=known) for one in outcome.verdicts]
    return {
        "name": work.arguments["name"],
        "holds": outcome.holds,
        "is_proven": Judged.of_rows(rows).is_proven,
        "judged": Judged.of_rows(rows).sentence,
        "waived": outcome.waived,
        "records": outcome.records,
        "verdicts": rows,
        "warnings": list(outcome.warnings),
    }

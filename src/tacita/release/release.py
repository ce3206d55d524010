"""Writing a release: protected data and a statement for the public, evidence for the house."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tacita.data.formats import write_contents, write_table
from tacita.data.formats.atomic import atomic_folder, refuse_place
from tacita.errors import PlanError, RequirementError
from tacita.microdata.comparing.value_mapping import masked_values
from tacita.progress import progress
from tacita.release import evidence
from tacita.release.copies import execute_copies
from tacita.release.execute import Outcome, count_steps, execute
from tacita.release.measuring import Tell
from tacita.release.plan import Plan
from tacita.release.report import write_reports
from tacita.release.table_files import write_tables

WRITING_STEPS = 3
OWN = 0o700  # what only the owner may read, write and enter


def run(plan: Plan, folder: Path, *, seed: int, force: bool = False) -> Outcome:
    """Run a plan and write the release.

    Args:
        plan: what to run.
        folder: where `public/` and `internal/` go, or `copy-1/public/` and so on where the plan
            makes several copies; an earlier release there is replaced.
        seed: where all randomness comes from; it stays in the internal evidence.
        force: write even if a requirement fails; the evidence then says so.

    Raises:
        PlanError: the plan guards a database and releases nothing.
        RequirementError: a requirement fails; nothing was written.
    """
    if not (plan.releases_records or plan.tables):
        raise PlanError(
            "This plan guards a database and releases nothing; `tacita serve` it, or say under "
            "`microdata` or `tables` what to release."
        )
    refuse_place(folder)
    begun = time.perf_counter()
    with progress(count_steps(plan) + plan.copies * WRITING_STEPS) as tell:
        outcome = (execute if plan.copies == 1 else execute_copies)(plan, seed, tell)
        seconds = time.perf_counter() - begun
        write_release(outcome, folder, seed=seed, seconds=seconds, force=force, tell=tell)
    return outcome


def write_release(
    outcome: Outcome,
    folder: Path,
    *,
    seed: int | None = None,
    seconds: float = 0.0,
    force: bool = False,
    tell: Tell = lambda _: None,
) -> None:
    """Write what a run gave, whole or not at all."""
    if not outcome.holds and not force:
        _refuse(outcome)
    with atomic_folder(folder) as draft:
        places = [(draft / one.copy.folder, one) for one in outcome.copies if one.copy]
        for place, one in places or [(draft, outcome)]:
            _write(one, place, seed, seconds, tell)


def _refuse(outcome: Outcome) -> None:
    """Say which requirements fail, of the first copy that fails some."""
    worst = next((copy for copy in outcome.copies if not copy.holds), outcome)
    failed = [verdict.sentence for verdict in worst.verdicts if not verdict.holds]
    which = f" of copy {worst.copy.number}" if worst.copy else ""
    raise RequirementError(
        f"Nothing was released: {len(failed)} of {len(worst.verdicts)} requirements{which} fail. "
        + " ".join(f"{sentence}." for sentence in failed),
        [verdict.to_dict() for verdict in worst.verdicts],
    )


def _write(outcome: Outcome, folder: Path, seed: int | None, seconds: float, tell: Tell) -> None:
    """Write one release into a folder."""
    public, internal = folder / "public", folder / "internal"
    public.mkdir(parents=True)
    internal.mkdir(mode=OWN)
    tell("writing the data")
    if outcome.plan.releases_records:
        write_contents(outcome.protected.contents(), public / evidence.data_file(outcome))
        write_table(evidence.records(outcome), internal / "records.parquet")
        if outcome.plan.mapping:
            values = masked_values(outcome.original, outcome.protected)
            write_table(values, internal / evidence.MAPPING)
    if outcome.compared is not None:
        write_table(evidence.compared(outcome.compared), internal / evidence.COMPARED)
    if outcome.tables is not None:
        write_tables(outcome.tables, public / "tables", internal / "tables")
    tell("writing the evidence")
    run_block = evidence.run_block(outcome, datetime.now(UTC), seconds)
    statement = evidence.statement(outcome, public, run_block)
    _write_json(public / "statement.json", statement)
    kept = evidence.evidence(outcome, seed, run_block, internal)
    _write_json(internal / "evidence.json", kept)
    (internal / "plan.yaml").write_text(evidence.plan_text(outcome), encoding="utf-8")
    tell("writing the reports")
    write_reports(outcome, run_block, public, internal)
    _close(internal)


def _close(internal: Path) -> None:
    """Let nobody but the owner read what could undo the masking, where the system has modes."""
    for path in internal.rglob("*"):
        path.chmod(OWN if path.is_dir() else OWN & ~0o111)


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8")

"""`tacita run`: from a plan to a release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.options import Force, Json, Mapping, Out, Seed, Sign, Threads, Waive
from tacita.errors import RequirementError

if TYPE_CHECKING:
    from tacita.release.execute import Outcome
    from tacita.release.tables import ReleasedTable


def run(
    plan: Annotated[Path, typer.Argument(help="The plan file (YAML).")],
    out: Out = Path("out"),
    seed: Seed = None,
    threads: Threads = None,
    mapping: Mapping = False,
    force: Force = False,
    waive: Waive = None,
    sign: Sign = None,
    json: Json = False,
) -> None:
    """Protect data as a plan says, and write the release with its evidence."""
    from tacita.api.run import run as run_plan
    from tacita.threads import use_threads

    use_threads(threads)
    try:
        outcome = run_plan(
            plan, out, seed=seed, mapping=mapping, force=force, waive=waive, sign=sign
        )
    except RequirementError as error:
        if json:
            _print_refusal(error)
        raise
    show_outcome(outcome, out, as_json=json)


def _print_refusal(error: RequirementError) -> None:
    from tacita.cli.printing import print_json

    print_json({"requirements_hold": False, "requirements": list(error.verdicts)})


def show_outcome(outcome: Outcome, out: Path, *, as_json: bool) -> None:
    """Print what a run gave and where it lies."""
    from tacita.cli.printing import caution, judgement, print_json, print_table, say
    from tacita.release.proof import Judged, mark_of
    from tacita.results import brief

    if as_json:
        print_json(summary(outcome, out))
        return
    say(f"{outcome.records}.")
    for table in _tables(outcome):
        say(f"{table.table}, {'safe' if table.is_safe else 'NOT SAFE'}.")
    known = outcome.intruder is not None
    rows = [
        (
            mark_of(v.requirement, holds=v.holds, for_intruder=known),
            brief(v.requirement),
            v.sentence,
        )
        for v in outcome.verdicts
    ]
    print_table("Requirements", ("", "what", ""), rows)
    if outcome.waived:
        caution("Nothing was required: nothing is promised.")
    elif outcome.verdicts:
        judgement(Judged.of(outcome.verdicts, for_intruder=known))
    if outcome.intruder is not None:
        say(f"Risks and attacks are those of an intruder who {outcome.intruder}.")
    print_table("Risk, utility, attacks", ("measure", "before", "after"), _measure_rows(outcome))
    for warning in outcome.warnings:
        say(f"Note: {warning}")
    folder = _folder(outcome, out)
    if outcome.copies:
        say(f"This is the first of {len(outcome.copies)} copies; all lie in {out}.")
    for place in ("public", "internal"):
        say(f"{place:>9}: {folder / place}")
    say(f"   report: {folder / 'internal' / 'report.html'}")


def _folder(outcome: Outcome, out: Path) -> Path:
    """Return where a release lies: one of several copies in a folder of its own."""
    return out / outcome.copy.folder if outcome.copies and outcome.copy else out


def _measure_rows(outcome: Outcome) -> list[tuple[str, str, str]]:
    from tacita.results import show

    before = {measured.name: show(measured.value) for measured in outcome.before}
    return [(m.name, before.get(m.name, ""), show(m.value)) for m in outcome.measures]


def _tables(outcome: Outcome) -> tuple[ReleasedTable, ...]:
    return outcome.tables.tables if outcome.tables else ()


def summary(outcome: Outcome, out: Path) -> dict[str, Any]:
    """Return what a run gave, in plain types."""
    from tacita.release.proof import row_of

    folder = _folder(outcome, out)
    copies = [summary(copy, out / copy.copy.folder) for copy in outcome.copies if copy.copy]
    return {
        "requirements_hold": outcome.holds,
        "waived": outcome.waived,
        "records": {"original": len(outcome.original), "protected": len(outcome.protected)},
        "requirements": [
            row_of(verdict, for_intruder=outcome.intruder is not None)
            for verdict in outcome.verdicts
        ],
        "intruder": outcome.intruder.to_plan() if outcome.intruder else None,
        "measures": [measured.to_dict() for measured in outcome.measures],
        "before": [measured.to_dict() for measured in outcome.before],
        "tables": [table.to_dict() for table in _tables(outcome)],
        "warnings": list(outcome.warnings),
        **({"copies": copies} if copies else {}),
        "public": str(folder / "public"),
        "internal": str(folder / "internal"),
    }

"""Writing a release: protected data and a statement for the public, evidence for the house."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.data.formats import write_contents, write_table
from tacita.data.formats.atomic import OWN, atomic_folder, refuse_place
from tacita.errors import PlanError, RequirementError
from tacita.interrupts import raise_if_interrupted
from tacita.microdata.comparing.value_mapping import masked_values
from tacita.progress import progress
from tacita.release import evidence
from tacita.release.copies import protect_copies
from tacita.release.execute import Outcome, count_steps, protect, read_source
from tacita.release.manifest import encode_json, files_below, seal_by, sha256, write_manifests
from tacita.release.measuring import Tell
from tacita.release.plan import Plan
from tacita.release.red_team.process import RedTeamError, refuse_leaks
from tacita.release.red_team.secrets import hidden
from tacita.release.report import internal_report, public_report, write_report
from tacita.release.table_files import write_tables
from tacita.release.versions import keep_versions, refuse_foreign, versions_in, with_earlier
from tacita.release.waiver import refuse_unrequired

if TYPE_CHECKING:
    from tacita.release.signing import PrivateKey

WRITING_STEPS = 4


def run(
    plan: Plan,
    folder: Path,
    *,
    seed: int,
    force: bool = False,
    private_key: PrivateKey | None = None,
) -> Outcome:
    """Run a plan and write the release.

    Args:
        plan: what to run.
        folder: where `public/` and `internal/` go, or `copy-1/public/` and so on where the plan
            makes several copies; an earlier release there stays, in `versions/`.
        seed: where all randomness comes from; it stays in the internal evidence.
        force: write even if a requirement fails; the evidence then says so.
        private_key: who signs the release, if anybody does.

    Raises:
        PlanError: the plan guards a database and releases nothing.
        RequirementError: a requirement fails, or nothing is required without a waiver; nothing was
            written.
    """
    if not (plan.releases_records or plan.tables):
        raise PlanError(
            "This plan guards a database and releases nothing; `tacita serve` it, or say under "
            "`microdata` or `tables` what to release."
        )
    refuse_place(folder, keep=keep_versions)
    refuse_foreign(folder)
    refuse_unrequired(plan)
    begun = time.perf_counter()
    with progress(count_steps(plan) + plan.copies * WRITING_STEPS) as tell:
        tell("reading")
        original = with_earlier(read_source(plan), folder)
        outcome = (protect if plan.copies == 1 else protect_copies)(plan, original, seed, tell)
        seconds = time.perf_counter() - begun
        write_release(
            outcome,
            folder,
            seed=seed,
            seconds=seconds,
            force=force,
            private_key=private_key,
            tell=tell,
        )
    return outcome


def write_release(
    outcome: Outcome,
    folder: Path,
    *,
    seed: int | None = None,
    seconds: float = 0.0,
    force: bool = False,
    private_key: PrivateKey | None = None,
    tell: Tell = lambda _: None,
) -> None:
    """Write what a run gave, whole or not at all.

    Raises:
        RequirementError: a requirement fails, nothing is required and nobody waived that, or the
            files hold what must not leave; nothing was written.
    """
    refuse_unrequired(outcome.plan)
    if not outcome.holds and not force:
        _refuse(outcome)
    versions = versions_in(folder)
    earlier = tuple(version.to_dict() for version in versions)
    seen = [release / "public" for version in versions for release in version.releases]
    with atomic_folder(folder, keep=keep_versions) as draft:
        written = datetime.now(UTC)
        fingerprint = outcome.original.fingerprint()
        copies = {"copies": secrets.token_hex(16)} if len(outcome.copies) > 1 else {}
        for place, made in releases_in(draft, outcome):
            one = replace(made, earlier=earlier)
            run_block = {**evidence.run_block(fingerprint, written, seconds), **copies}
            write = _Write(one, place, seed, fingerprint, private_key)
            write(run_block, tell)
            tell("looking at the files as an intruder")
            try:
                _refuse_leaks(one, place, seed, run_block, seen)
            except RedTeamError as error:
                if not force:
                    raise
                write({**run_block, "red_team": [*error.sentences]})
            _close(place / "internal")


@dataclass(frozen=True)
class _Write:
    """Writes one release with its manifests, in place of what was written before."""

    outcome: Outcome
    folder: Path
    seed: int | None
    fingerprint: str
    private_key: PrivateKey | None

    def __call__(self, run_block: Mapping[str, Any], tell: Tell = lambda _: None) -> None:
        for part in ("public", "internal"):
            if (self.folder / part).is_dir():
                shutil.rmtree(self.folder / part)
        write_files(self.outcome, self.folder, self.seed, run_block, tell)
        seal = seal_by(self.fingerprint, run_block)
        write_manifests(self.folder, run_block, seal, self.private_key)


def _refuse_leaks(
    outcome: Outcome,
    folder: Path,
    seed: int | None,
    run_block: Mapping[str, Any],
    earlier: list[Path],
) -> None:
    """Let a process that sees the public bytes alone look for what must not be there."""
    public = folder / "public"
    names = [file.name for file in files_below(public)]
    refuse_leaks(public, earlier, hidden(outcome, seed, run_block, names))


def releases_in(folder: Path, outcome: Outcome) -> list[tuple[Path, Outcome]]:
    """Return where every copy goes that a run made; the folder itself where it made one."""
    copies = [(folder / one.copy.folder, one) for one in outcome.copies if one.copy]
    return copies or [(folder, outcome)]


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


def write_files(
    outcome: Outcome,
    folder: Path,
    seed: int | None,
    run_block: Mapping[str, Any],
    tell: Tell = lambda _: None,
) -> None:
    """Write all files of a release but its manifests.

    Args:
        outcome: what the run gave.
        folder: where `public/` and `internal/` go.
        seed: where all randomness came from, if there was a run.
        run_block: what differs between two runs; with the same one, the same bytes are written.
        tell: is told of every step.
    """
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
    digests = {file.relative_to(public).as_posix(): sha256(file) for file in files_below(public)}
    statement = evidence.statement(outcome, digests, run_block)
    (public / "statement.json").write_bytes(encode_json(statement))
    kept = evidence.evidence(outcome, seed, run_block, internal)
    (internal / "evidence.json").write_bytes(encode_json(kept))
    (internal / "plan.yaml").write_text(evidence.plan_text(outcome), encoding="utf-8")
    tell("writing the reports")
    published = [one.published for one in outcome.tables.tables] if outcome.tables else []
    for_readers = public_report(statement, outcome.protected, published)
    raise_if_interrupted()
    write_report(for_readers, public)
    for_the_house = internal_report(outcome, run_block)
    raise_if_interrupted()
    write_report(for_the_house, internal)


def _close(internal: Path) -> None:
    """Let nobody but the owner read what could undo the masking, where the system has modes."""
    for path in internal.rglob("*"):
        path.chmod(OWN if path.is_dir() else OWN & ~0o111)

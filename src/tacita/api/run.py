"""Running plans and verifying releases, for Python and the command line alike."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path

from tacita.api.seeds import fresh
from tacita.progress import progress
from tacita.release import release
from tacita.release import verify as verifying
from tacita.release.execute import Outcome
from tacita.release.plan import read_plan
from tacita.release.signing import read_private_key, read_public_key
from tacita.release.verify import Verification
from tacita.release.waiver import with_waiver


def run(
    plan: str | PathLike[str],
    out: str | PathLike[str],
    *,
    seed: int | None = None,
    mapping: bool = False,
    force: bool = False,
    waive: str | None = None,
    sign: str | PathLike[str] | None = None,
) -> Outcome:
    """Run a plan file and write the release.

    Args:
        plan: the path of a YAML plan.
        out: where `public/` and `internal/` go; an earlier release there stays, in
            `versions/`.
        seed: where all randomness comes from; drawn from the system's secure source when left out.
        mapping: write to `internal/mapping.csv` which value became which, even if the plan does
            not say so.
        force: write even if a requirement fails; the evidence then says so.
        waive: why nothing is required, if the plan requires nothing; the evidence keeps it.
        sign: the file of the private key that signs the release, as `tacita keys make` writes it.

    Raises:
        PlanError: the plan cannot be understood.
        RequirementError: a requirement fails, or nothing is required without a waiver; nothing was
            written.
    """
    read = read_plan(Path(plan))
    read = with_waiver(replace(read, mapping=read.mapping or mapping), waive)
    private_key = None if sign is None else read_private_key(Path(sign))
    return release.run(read, Path(out), seed=fresh(seed), force=force, private_key=private_key)


def verify(
    folder: str | PathLike[str],
    *,
    source: str | PathLike[str] | None = None,
    key: str | PathLike[str] | None = None,
    without_manifest: bool = False,
) -> Verification:
    """Verify a release: from its public files alone, or with its evidence and source.

    Args:
        folder: the release, or its public folder.
        source: the original data, a file or the address of a database; with it everything is
            made again and compared.
        key: the file of the public key under which a signature counts; without one, none does.
        without_manifest: whether you know that a version before 0.3.0, which wrote no manifests,
            made the release; otherwise one without manifests is wrong.
    """
    public_key = None if key is None else read_public_key(Path(key))
    with progress(1) as tell:
        tell("verifying")
        return verifying.verify(Path(folder), source, public_key, without_manifest=without_manifest)

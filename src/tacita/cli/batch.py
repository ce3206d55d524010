"""`tacita tables run`: jobs of tau-ARGUS, without tau-ARGUS."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import Json, Seed


def run(
    job: Annotated[Path, typer.Argument(help="The job of tau-ARGUS, an `.arb` file.")],
    out: Annotated[
        Path | None,
        typer.Option(help="The folder for its files; where the job says, when left out."),
    ] = None,
    seed: Seed = None,
    json: Json = False,
) -> None:
    """Run a job of tau-ARGUS: the same rules, statuses and files, and an audit of every pattern."""
    import numpy as np

    from tacita.cli.printing import print_json, say
    from tacita.release.tauargus.running import run_job

    done = run_job(job, out=out, rng=np.random.default_rng(seed))
    if json:
        print_json(done.to_dict())
        return
    for line in done.log:
        say(line)
    for file in done.files:
        say(f"written: {file}")

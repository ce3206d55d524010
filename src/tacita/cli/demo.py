"""`tacita demo`: the whole flow on generated hospital discharges."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from tacita.cli.options import Json, Out, Seed, Threads
from tacita.cli.run import show_outcome


def demo(
    out: Out = Path("out"), seed: Seed = 1, threads: Threads = None, json: Json = False
) -> None:
    """Protect generated hospital discharges and write the release with its evidence."""
    from tacita.api.run import run
    from tacita.threads import use_threads

    use_threads(threads)
    with as_file(files("tacita.cli") / "demo.yaml") as plan:
        outcome = run(plan, out, seed=seed)
    show_outcome(outcome, out, as_json=json)

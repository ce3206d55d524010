"""`tacita experiment`: reidentification and proper anonymization of hospital discharges."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from tacita.cli.options import Json, Threads

Records = Annotated[
    int | None, typer.Option(min=20, help="How many discharges to generate; 3,985,166 by default.")
]
Folder = Annotated[Path, typer.Option(help="The folder to write, which must be new or empty.")]
Data = Annotated[
    bool, typer.Option("--data", help="Also write the protected data sets, as keyed text.")
]
UniqueIn = Annotated[
    Literal["keys", "steps"],
    typer.Option(help="What masked records were unique in: all keys, or what the steps mask."),
]
Seed = Annotated[int, typer.Option(min=0, help="Where the discharges come from.")]


def experiment(
    out: Folder = Path("experiment"),
    records: Records = None,
    seed: Seed = 0,
    unique_in: UniqueIn = "keys",
    data: Data = False,
    threads: Threads = None,
    json: Json = False,
) -> None:
    """Protect generated hospital discharges in many ways and compare what risk and use is left.

    Repeats Sanchez, Martinez & Domingo-Ferrer, Science 351:1274 (2016): masking of unique records,
    regeneration, k-anonymity with and without t-closeness, and coarsening. Writes report.html with
    the figures, and all numbers as CSV and JSON. All records take some twenty minutes.
    """
    from tacita.api.experiment import experiment as run
    from tacita.api.experiment.stages import RECORDS
    from tacita.cli.printing import print_json, say
    from tacita.threads import use_threads

    use_threads(threads)
    chosen = RECORDS if records is None else records
    found = run(out, records=chosen, seed=seed, unique_in=unique_in, with_data=data)
    if json:
        print_json(found)
        return
    for row in found["protections"]:
        unique, loss = 100 * row["reidentification"], row["information_loss"]
        say(f"{row['name']:<20}  unique {unique:>8.4f} %   information loss {loss:.4f}")
    say(f"The page is {out / 'report.html'}.")

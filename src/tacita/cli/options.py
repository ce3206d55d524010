"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Seed = Annotated[
    int | None,
    typer.Option(min=0, help="Where randomness comes from; secret and drawn anew when left out."),
]
Threads = Annotated[
    int | None, typer.Option(min=1, help="How many threads work; results never depend on it.")
]
Force = Annotated[
    bool, typer.Option("--force", help="Write even if a requirement fails; the evidence says so.")
]
Out = Annotated[
    Path, typer.Option(help="The folder to write; an earlier release there is replaced.")
]

"""`tacita verify`: what a release says, computed again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import Json


def verify(
    folder: Annotated[Path, typer.Argument(help="The release, or its public folder.")],
    source: Annotated[
        str | None, typer.Option(help="The original data: a file, or a database's address.")
    ] = None,
    json: Json = False,
) -> None:
    """Compute again what a release says of itself; tell what can only be attested."""
    from tacita.api.run import verify as verify_release
    from tacita.cli.printing import print_json, print_table, say

    found = verify_release(folder, source=source)
    if json:
        print_json(found.to_dict())
    else:
        rows = [(line.status.value, line.what, line.sentence) for line in found.lines]
        print_table("", ("", "what", ""), rows)
        say("The release is what it says." if found.holds else "The release is NOT what it says.")
    raise typer.Exit(0 if found.holds else 1)

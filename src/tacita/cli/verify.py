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
    key: Annotated[
        Path | None, typer.Option(help="The public key (PEM) under which a signature counts.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail on anything that is not proven.")
    ] = False,
    without_manifest: Annotated[
        bool,
        typer.Option(
            "--without-manifest", help="You know that a version before 0.3.0 made the release."
        ),
    ] = False,
    json: Json = False,
) -> None:
    """Make again and compare what a release says of itself; tell what is not proven."""
    from tacita.api.run import verify as verify_release
    from tacita.cli.printing import print_json, print_table, say
    from tacita.release.verification import Conclusion

    checked = verify_release(folder, source=source, key=key, without_manifest=without_manifest)
    if json:
        print_json(checked.to_dict())
    else:
        rows = [(line.status.value, line.what, line.sentence) for line in checked.lines]
        print_table("", ("", "what", ""), rows)
        say(checked.sentence)
    accepted = {Conclusion.HOLDS} if strict else {Conclusion.HOLDS, Conclusion.NOT_PROVEN}
    raise typer.Exit(0 if checked.verdict in accepted else 1)

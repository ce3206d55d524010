"""`tacita token`: let people in, see who may come in, and take it back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from tacita.cli.options import Json

File = Annotated[Path, typer.Option("--tokens", help="The file of tokens that the plan names.")]


def add(
    user: Annotated[str, typer.Argument(help="Whom the token lets in.")],
    role: Annotated[
        Literal["analyst", "curator", "auditor", "respondent"],
        typer.Option(help="What the user is."),
    ] = "analyst",
    days: Annotated[
        float | None, typer.Option(help="How many days it lasts; 0 for no end.", min=0)
    ] = 90,
    scope: Annotated[
        list[str] | None,
        typer.Option(help="What it allows, of what the role may do; all of it by default."),
    ] = None,
    tokens: File = Path("tokens.json"),
    json: Json = False,
) -> None:
    """Make a token and print it. It is shown this once: the file keeps only a hash of it."""
    from tacita.cli.printing import print_json, say
    from tacita.server.tokens import Tokens

    token, secret = Tokens(tokens).add(user, role, days=days or None, scopes=scope or ())
    if json:
        print_json({**token.shown(), "token": secret})
    else:
        say(secret)


def list_(tokens: File = Path("tokens.json"), json: Json = False) -> None:
    """List the tokens: id, user, role, and whether they still let in."""
    from datetime import UTC, datetime

    from tacita.cli.printing import print_json, print_table
    from tacita.server.tokens import Tokens

    held = list(Tokens(tokens))
    if json:
        print_json([token.shown() for token in held])
        return
    now = datetime.now(UTC)
    rows = [
        (
            token.id,
            token.user,
            token.role,
            ", ".join(token.scopes),
            "never" if token.expires is None else f"{token.expires:%Y-%m-%d}",
            "revoked" if token.revoked else "valid" if token.is_valid(now) else "expired",
        )
        for token in held
    ]
    print_table("", ("id", "user", "role", "allows", "expires", ""), rows)


def revoke(
    name: Annotated[str, typer.Argument(metavar="ID", help="The token's id, as listed.")],
    tokens: File = Path("tokens.json"),
) -> None:
    """Take a token back. A running server lets it in no more, at once."""
    from tacita.cli.printing import say
    from tacita.server.tokens import Tokens

    token = Tokens(tokens).revoke(name)
    say(f"The token {token.id} of {token.user} is revoked.")


token = typer.Typer(help="Tokens: who may ask a server.", no_args_is_help=True)
COMMANDS: dict[str, Callable[..., None]] = {"add": add, "list": list_, "revoke": revoke}

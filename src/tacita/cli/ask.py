"""`tacita ask`: ask a server's database from the command line, once or in a shell."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from tacita.api.remote import RemoteDatabase
    from tacita.queries.answer import Answer

Form = Literal["table", "csv", "json"]
TOKEN_FROM = "TACITA_TOKEN"  # noqa: S105 - the variable's name, not a token


def ask(
    url: Annotated[str, typer.Argument(help="The server, such as https://data.example.org.")],
    sql: Annotated[
        str | None, typer.Argument(help="One SELECT of statistics; a shell opens without it.")
    ] = None,
    parameter: Annotated[
        list[str] | None, typer.Option(help="The value of the next `?` in the query.")
    ] = None,
    token_from: Annotated[
        str, typer.Option(help="The environment variable that holds your token.")
    ] = TOKEN_FROM,
    form: Annotated[Form, typer.Option("--format", help="How answers are printed.")] = "table",
    certificate: Annotated[
        Path | None, typer.Option(help="The certificate that signs the server's.")
    ] = None,
    history: Annotated[
        bool, typer.Option(help="Whether the shell keeps your queries for the next time.")
    ] = True,
) -> None:
    """Ask a server for statistics; without a query, in a shell with completion and history."""
    from tacita.api.remote import connect

    with connect(url, os.environ.get(token_from), certificate=certificate) as database:
        if sql is not None:
            show(database.ask(sql, [_value(text) for text in parameter or ()]), form)
        else:
            _talk(database, form, history)


def show(answer: Answer, form: Form) -> None:
    """Print an answer; what was refused is said on the error stream where a form cannot."""
    from tacita.cli.printing import print_json, say

    if form == "json":
        print_json(answer.to_dict())
        return
    if form == "table":
        say(repr(answer))
    else:
        from tacita.server.formats import to_csv

        sys.stdout.write(to_csv(answer).decode())
    if notice := answer.to_dict()["notice"]:
        print(notice, file=sys.stderr)  # noqa: T201 - the command line


def _value(text: str) -> Any:
    """Return a parameter as JSON reads it; what is no JSON, such as 08001, is text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _talk(database: RemoteDatabase, form: Form, history: bool) -> None:
    from tacita.cli.shell import Shell

    Shell(database, lambda answer: show(answer, form)).run(history)

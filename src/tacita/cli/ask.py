"""`tacita ask`: ask a server's database from the command line, once or in a shell."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tacita.errors import ParameterError

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
        list[str] | None,
        typer.Option(
            help="The value of the next `?` in the query; a text that looks like a number stands "
            "in double quotes, as in '\"90001\"'."
        ),
    ] = None,
    token_from: Annotated[
        str, typer.Option(help="The environment variable that holds your token.")
    ] = TOKEN_FROM,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Tell what queries would cost together, each ended by a semicolon at the end of "
            "a line; it costs nothing. Without a query they are read from the input.",
        ),
    ] = False,
    epsilon: Annotated[
        float | None,
        typer.Option(help="What a query shall cost, where the budget is counted so."),
    ] = None,
    rho: Annotated[
        float | None,
        typer.Option(help="What a query shall cost, where the budget is counted in rho."),
    ] = None,
    delta: Annotated[
        float | None,
        typer.Option(help="The chance to show a group of one respondent that nobody declared."),
    ] = None,
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

    said = {"epsilon": epsilon, "rho": rho, "delta": delta}
    spent = {name: value for name, value in said.items() if value is not None}
    with connect(url, os.environ.get(token_from), certificate=certificate) as database:
        if explain:
            _tell_cost(database, sys.stdin.read() if sql is None else sql, form, spent)
        elif sql is not None:
            show(database.ask(sql, [_value(text) for text in parameter or ()], **spent), form)
        else:
            _refuse_spending(spent)
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


def _refuse_spending(spent: dict[str, float]) -> None:
    if spent:
        raise ParameterError(
            f"`--{next(iter(spent))}` says what one query shall cost; give the query with it."
        )


def _tell_cost(database: RemoteDatabase, text: str, form: Form, spent: dict[str, float]) -> None:
    """Print what queries would cost together."""
    from tacita.cli.printing import print_json, print_table, say
    from tacita.cli.shell import statements

    lines = iter(text.splitlines())
    told = database.cost(list(statements(lambda _: next(lines, None))), **spent)
    if form == "json":
        print_json(told)
        return
    rows = [(name, word, str(value)) for name, one in told.items() for word, value in one.items()]
    if not rows:
        say("No policy here has a budget.")
        return
    print_table("", ("policy", "what", "value"), rows)


def _value(text: str) -> Any:
    """Return a parameter as JSON reads it; what is no JSON, such as 08001, is text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _talk(database: RemoteDatabase, form: Form, history: bool) -> None:
    from tacita.cli.shell import Shell

    Shell(database, lambda answer: show(answer, form)).run(history)

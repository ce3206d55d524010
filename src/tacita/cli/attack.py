"""`tacita attack`: try the attacks on your own server or release before others do."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import Decimal, Delimiter, Encoding, Json, Query, Sheet, Table, pairing
from tacita.errors import ParameterError

SERVERS = ("http://", "https://")


def attack(
    target: Annotated[
        str,
        typer.Argument(
            help="A released file (or the address of a database), or your server, such as "
            "http://127.0.0.1:8000."
        ),
    ],
    attribute: Annotated[
        str | None, typer.Option(help="Of a server: the confidential attribute to find out.")
    ] = None,
    victim: Annotated[
        list[str] | None,
        typer.Option(
            help="Of a server: what is known of the victim, as name=value; anybody when left out."
        ),
    ] = None,
    truth: Annotated[
        float | None,
        typer.Option(help="Of a server: the victim's value, to judge what was inferred."),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="The attacks to try; all when left out.")
    ] = None,
    token_from: Annotated[
        list[str] | None,
        typer.Option(
            help="Of a server: the environment variable of an account's token; once an account."
        ),
    ] = None,
    rate: Annotated[
        float, typer.Option(min=0, help="The most questions a second to a server; 0 does not wait.")
    ] = 10.0,
    certificate: Annotated[
        Path | None, typer.Option(help="The certificate that signs the server's.")
    ] = None,
    as_json: Json = False,
    original: Annotated[
        str | None,
        typer.Option(help="Of a file: the original data, to attack with."),
    ] = None,
    pair_by: Annotated[
        list[str] | None,
        typer.Option(
            help="Of a file: how its records and the original ones are paired: the name of an "
            "identifier in both (once each where several identify together), `position` for the "
            "same order, the `internal` folder of a release made here, or `assignment`, the "
            "attack's best guess; by an identifier in both, else by the guess, when left out."
        ),
    ] = None,
    earlier: Annotated[
        list[str] | None,
        typer.Option(help="Of a file: an earlier release of the same records; once a release."),
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(help="Of a file: a plan that says what its attributes are.")
    ] = None,
    role: Annotated[
        list[str] | None,
        typer.Option(
            help="Of a file: what an attribute is to an intruder, as name=role; proposed from "
            "names and values when left out."
        ),
    ] = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
    table: Table = None,
    query: Query = None,
) -> None:
    """Attack anybody's release, or your own server; a server keeps every question in its ledger."""
    if target.startswith(SERVERS):
        from tacita.cli.attack_server import attack_server

        of_files = {"original": original, "pair_by": pair_by, "earlier": earlier}
        _refuse("a server", **of_files, plan=plan, role=role)
        known = victim or (), truth, only or (), token_from or ()
        attack_server(target, attribute, *known, rate, certificate, as_json=as_json)
        return
    from tacita.cli.attack_file import attack_file

    _refuse("a file", attribute=attribute, victim=victim, truth=truth, token_from=token_from)
    said = {
        "delimiter": delimiter,
        "encoding": encoding,
        "decimal": decimal,
        "sheet": sheet,
        "table": table,
        "query": query,
    }
    layout = {word: value for word, value in said.items() if value is not None}
    files = original, earlier or (), plan, role or (), only or ()
    attack_file(target, *files, pair_by=pairing(pair_by), layout=layout, as_json=as_json)


def _refuse(what: str, **options: object) -> None:
    """Refuse options that mean nothing for what is attacked."""
    for name, value in options.items():
        if value is not None:
            raise ParameterError(
                f"`--{name.replace('_', '-')}` means nothing for {what}; leave it out."
            )

"""`tacita convert`: the same data in another format."""

from __future__ import annotations

from typing import Annotated

import typer

from tacita.cli.options import Decimal, Delimiter, Encoding, Metadata, Query, Sheet, Table

Source = Annotated[str, typer.Argument(help="A data file, or the address of a database.")]
Target = Annotated[
    str, typer.Argument(help="A file, whose suffix says the format, or the address of a database.")
]


def convert(
    source: Source,
    target: Target,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
    table: Table = None,
    query: Query = None,
    metadata: Metadata = None,
    to_table: Annotated[str | None, typer.Option(help="The table to make in a database.")] = None,
) -> None:
    """Write data in another format: values, labels and missing codes, as far as it can hold them.

    The options say how the source is laid out. Nothing is protected by it.
    """
    from tacita.api.microdata import read
    from tacita.cli.printing import say
    from tacita.data.formats import untold
    from tacita.results import listed

    data = read(
        source,
        delimiter=delimiter,
        encoding=encoding,
        decimal=decimal,
        sheet=sheet,
        table=table,
        query=query,
        metadata=metadata,
    )
    for warning in data.origin.warnings:
        say(f"Note: {warning}")
    if lost := untold(data.contents(), target):
        say(f"Note: labels and missing codes of {listed(lost)} have no place in {target}.")
    data.write(target, table=to_table)
    say(f"{len(data):,} records, {len(data.names)} attributes.")

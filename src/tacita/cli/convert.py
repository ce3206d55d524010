"""`tacita convert`: the same data in another format."""

from __future__ import annotations

from typing import Annotated

import typer

from tacita.cli.options import (
    Decimal,
    Delimiter,
    Encoding,
    Json,
    Metadata,
    Overwrite,
    Query,
    Sheet,
    Table,
    consent,
)

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
    overwrite: Overwrite = False,
    accept_loss: Annotated[
        bool,
        typer.Option("--accept-loss", help="Write although some values come back otherwise."),
    ] = False,
    json: Json = False,
) -> None:
    """Write data in another format: values, labels and missing codes, as far as it can hold them.

    What is written is read back before it appears: a format that cannot hold every value as it is
    is refused. The options say how the source is laid out. Nothing is protected by it.
    """
    from tacita.api.converting import convert as converted
    from tacita.cli.printing import print_json, say

    laid_out = {
        "delimiter": delimiter,
        "encoding": encoding,
        "decimal": decimal,
        "sheet": sheet,
        "table": table,
        "query": query,
        "metadata": metadata,
    }
    given = {word: value for word, value in laid_out.items() if value is not None}
    found = converted(
        source,
        target,
        to_table=to_table,
        overwrite=consent(overwrite),
        accept_loss=accept_loss,
        **given,
    )
    print_json(found.to_dict()) if json else say(repr(found))

"""`tacita safe-harbor`: the identifiers of HIPAA in a file, and a plan that removes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacita.cli.inspect import Plan, Source, refuse_existing, write_new
from tacita.cli.options import Decimal, Delimiter, Encoding, Json, Metadata, Query, Sheet, Table

if TYPE_CHECKING:
    from pathlib import Path

    from tacita.inspection.checklist import SafeHarbor


def safe_harbor(
    source: Source,
    out: Plan = None,
    delimiter: Delimiter = None,
    encoding: Encoding = None,
    decimal: Decimal = None,
    sheet: Sheet = None,
    table: Table = None,
    query: Query = None,
    metadata: Metadata = None,
    json: Json = False,
) -> None:
    """Check data for the 18 identifiers of HIPAA's Safe Harbor, and write a plan without them."""
    from tacita.cli.printing import print_json
    from tacita.inspection import inspect

    refuse_existing(out)
    found = inspect(
        source,
        combinations=1,
        delimiter=delimiter,
        encoding=encoding,
        decimal=decimal,
        sheet=sheet,
        table=table,
        query=query,
        metadata=metadata,
    ).safe_harbor()
    if out is not None:
        write_new(found.plan(out.parent), out)
    print_json(found.to_dict()) if json else _show(found, out)


def _show(found: SafeHarbor, out: Path | None) -> None:
    from tacita.cli.printing import print_table, say
    from tacita.inspection.checklist import COLUMNS, RULE

    print_table(RULE, COLUMNS, found.checklist())
    for sentence in found.eye():
        say(f"Check: {sentence}")
    if out is None:
        say("Write the plan that follows from this with --out plan.yaml.")
    else:
        say(f"The plan is in {out}: check every line of it, then run it.")

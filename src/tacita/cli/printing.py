"""Printing results for people and for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tacita.errors import printable

if TYPE_CHECKING:
    from tacita.release.proof import Judged


def say(text: str) -> None:
    """Print one or more lines."""
    print("\n".join(map(printable, text.split("\n"))))  # noqa: T201 - this is the command line


def caution(text: str) -> None:
    """Print a line that nobody should pass over: yellow where the terminal has colours."""
    _coloured(text, "yellow")


def judgement(judged: Judged) -> None:
    """Print what all requirements come to: green only where all of them are proven."""
    colour = "red" if judged.failed else "green" if judged.is_proven else "yellow"
    _coloured(judged.sentence, colour)


def _coloured(text: str, colour: str) -> None:
    from rich.console import Console
    from rich.text import Text

    Console().print(Text(printable(text), style=colour), soft_wrap=True)


def print_json(result: Any) -> None:
    """Print a result as JSON; signs that confuse a terminal are escaped, as JSON can."""
    text = json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False)
    escaped = "".join(c if c == "\n" or c.isprintable() else json.dumps(c)[1:-1] for c in text)
    sys.stdout.write(f"{escaped}\n")


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table that fits the terminal; nothing when it has no rows."""
    if not rows:
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        # Text, not markup: an attribute's name may hold brackets.
        table.add_row(*(Text(printable(cell)) for cell in row))
    width = None if sys.stdout.isatty() else 140
    Console(width=width).print(table)

"""Options that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.errors import ParameterError, shown

if TYPE_CHECKING:
    from tacita.data.pairing import PairBy as Pairing

PairBy = Annotated[
    list[str] | None,
    typer.Option(
        help="How records are paired: the name of an identifier in both files (given several times "
        "where several identify together), `position` for the same order, or the `internal` folder "
        "of a release made here."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Seed = Annotated[
    int | None,
    typer.Option(min=0, help="Where randomness comes from; secret and drawn anew when left out."),
]
Threads = Annotated[
    int | None, typer.Option(min=1, help="How many threads work; results never depend on it.")
]
Force = Annotated[
    bool, typer.Option("--force", help="Write even if a requirement fails; the evidence says so.")
]
Waive = Annotated[
    str | None,
    typer.Option(
        metavar="REASON",
        help="Release although nothing is required, for this reason; the evidence keeps it.",
    ),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace a file that is there without asking.")
]
Mapping = Annotated[
    bool,
    typer.Option("--mapping", help="Write for the house which value became which."),
]
Out = Annotated[
    Path, typer.Option(help="The folder to write; an earlier release there stays, in versions/.")
]
Delimiter = Annotated[
    str | None, typer.Option(help="What parts the fields of a text file; found out when left out.")
]
Encoding = Annotated[
    str | None, typer.Option(help="How its characters are coded; found out when left out.")
]
Decimal = Annotated[str | None, typer.Option(help="Its decimal sign; found out when left out.")]
Sheet = Annotated[
    Any,
    typer.Option(
        help="The sheet of a workbook, by name or place from 1 on; the first when left out.",
        parser=lambda said: int(said) if str(said).isdecimal() else said,
        metavar="TEXT",
    ),
]
Table = Annotated[str | None, typer.Option(help="The table of a database.")]
Query = Annotated[str | None, typer.Option(help="A SELECT to read in place of a table.")]
Metadata = Annotated[
    str | None, typer.Option(help="What describes the file, if it has not its name.")
]

Sign = Annotated[
    Path | None, typer.Option(help="Sign the release with this private key (tacita keys make).")
]


def pairing(said: list[str] | None) -> Pairing | None:
    """Return how records are paired, as `pair_by` takes it: one word, or several names."""
    if not said:
        return None
    return said[0] if len(said) == 1 else tuple(said)


def consent(overwrite: bool) -> bool | Callable[[Path], bool]:
    """Return whether files may be replaced; where somebody sits at a terminal, what asks."""
    if overwrite or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return overwrite
    return lambda file: typer.confirm(f"{file} exists. Replace it?", err=True)


def refuse_target(
    target: Path, sources: Iterable[str | Path], overwrite: bool | Callable[[Path], bool]
) -> None:
    """Refuse to write over a file that is read, and over another unless it is meant."""
    from tacita.data.formats.replacing import refuse_existing, refuse_source

    refuse_source(target, sources)
    refuse_existing(target, overwrite=overwrite)


def pairs(option: str, said: Iterable[str] | None) -> dict[str, str | list[str]]:
    """Read an option that is said as `age=key`; an attribute that is named again has both.

    A name may hold the sign itself: the last one counts.

    >>> pairs("--role", ["age=key", "a=b=weight", "age=confidential"])
    {'age': ['key', 'confidential'], 'a=b': 'weight'}
    """
    found: dict[str, str | list[str]] = {}
    for one in said or ():
        name, equals, value = one.rpartition("=")
        if not (name and equals and value):
            raise ParameterError(f"`{option}` should be like age=key; found {shown(one)}.")
        held = found.get(name)
        before = [held] if isinstance(held, str) else held or []
        found[name] = [*before, value] if before else value
    return found

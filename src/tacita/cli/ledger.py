"""`tacita ledger`: verify, keep, copy and read what a database recorded of its queries."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import Json

if TYPE_CHECKING:
    from tacita.queries.ledger.entries import Entry, Head
    from tacita.queries.ledger.heads import HeadFile

Place = Annotated[
    str, typer.Argument(metavar="LEDGER", help="The ledger: a file, or a database's address.")
]
KeyFrom = Annotated[str, typer.Option(help="The environment variable that holds the key.")]
KeyFile = Annotated[
    Path | None, typer.Option(help="The file that holds the key, in place of a variable.")
]
AnchorFile = Annotated[
    Path | None, typer.Option("--anchor", help="The file that keeps the ledger's head.")
]
KEY_FROM = "TACITA_LEDGER_KEY"


def verify(
    place: Place,
    anchor: AnchorFile = None,
    head: Annotated[
        list[str] | None,
        typer.Option(metavar="NUMBER:DIGEST", help="A head that somebody kept; may be repeated."),
    ] = None,
    key_from: KeyFrom = KEY_FROM,
    key_file: KeyFile = None,
    json: Json = False,
) -> None:
    """Check that no entry was changed, moved or put in; exits with 1 if one was.

    Whether entries were taken away at the end is checked against the heads that are kept: the one
    beside the key, that of an anchor, and those given. The sentence says how far they reach.
    """
    from tacita.cli.printing import print_json, say
    from tacita.queries.ledger.entries import Head
    from tacita.queries.ledger.store import open_store
    from tacita.queries.ledger.verify import verify as verified

    kept = [Head.parse(text) for text in head or ()]
    if anchor is not None:
        kept.append(_anchored(anchor))
    key = _key(key_from, key_file)
    kept += _kept_beside(place, key_file)
    found = verified(open_store(place).read(), key, kept)
    if json:
        print_json(found.to_dict())
    else:
        say(repr(found))
    raise typer.Exit(0 if found.holds else 1)


def head(place: Place) -> None:
    """Print NUMBER:DIGEST of the last entry, unverified; it is no secret and worth keeping."""
    from tacita.cli.printing import say
    from tacita.queries.ledger.entries import START
    from tacita.queries.ledger.store import open_store

    last = open_store(place).last()
    say(str(START if last is None else last.head))


def anchor(
    place: Place,
    to: Annotated[
        Path | None, typer.Option(help="Write the head to this file, as an anchor.")
    ] = None,
    key_from: KeyFrom = KEY_FROM,
    key_file: KeyFile = None,
) -> None:
    """Verify a ledger and print its head, to be kept elsewhere."""
    from tacita.cli.printing import say
    from tacita.queries.ledger.anchor import Anchor
    from tacita.queries.ledger.store import open_store
    from tacita.queries.ledger.verify import sound_head

    kept = None if to is None else Anchor(to).read()
    heads = [] if kept is None else [kept]
    found = sound_head(open_store(place), _key(key_from, key_file), *heads)
    if to is not None:
        Anchor(to).write(found)
    say(str(found))


def backup(
    place: Place,
    target: Annotated[Path, typer.Argument(help="The file to write; its head goes beside it.")],
    key_from: KeyFrom = KEY_FROM,
    key_file: KeyFile = None,
) -> None:
    """Copy a ledger, also while it is written, into a file that stands alone."""
    from tacita.cli.printing import say
    from tacita.queries.ledger.backup import backup as copied

    say(f"{copied(place, target, _key(key_from, key_file)).number:,} entries.")


def restore(
    source: Annotated[Path, typer.Argument(help="The backup.")],
    place: Place,
    anchor: AnchorFile = None,
    accept_loss: Annotated[
        bool,
        typer.Option("--accept-loss", help="Go back behind the anchor; an entry tells it."),
    ] = False,
    key_from: KeyFrom = KEY_FROM,
    key_file: KeyFile = None,
) -> None:
    """Begin a ledger with the entries of a backup; one that is there is never touched."""
    from tacita.cli.printing import say
    from tacita.queries.ledger.backup import restore as restored

    key = _key(key_from, key_file)
    done = restored(
        source, place, key, anchor or _head_file(place, key_file), accept_loss=accept_loss
    )
    given_up = f"; {done.lost:,} that were anchored are given up" if done.lost else ""
    say(f"{done.head.number:,} entries, the last of which says so{given_up}.")


def show(
    place: Place,
    after: Annotated[
        int | None, typer.Option(min=0, help="Show the entries after this one, not the last.")
    ] = None,
    most: Annotated[int, typer.Option(min=1, help="How many entries to show.")] = 20,
    json: Json = False,
) -> None:
    """Show entries of a ledger, unverified: the last ones if nothing else is said."""
    from itertools import islice
    from json import dumps

    from tacita.cli.printing import print_table, say
    from tacita.queries.ledger.store import open_store

    store = open_store(place)
    if after is None:
        last = store.last()
        after = 0 if last is None else max(last.number - most, 0)
    found = list(islice(store.read(after), most))
    if json:
        # In ASCII: what somebody asked may hold what no terminal can print.
        say(dumps([entry.to_dict() for entry in found], indent=2))
    else:
        print_table("", ("entry", "time", "kind", "recorded"), [_row(entry) for entry in found])


def _row(entry: Entry) -> tuple[str, str, str, str]:
    recorded = ", ".join(f"{name}: {value}" for name, value in entry.content.items())
    return str(entry.number), entry.when, entry.kind, recorded


def _key(variable: str, file: Path | None) -> bytes:
    from tacita.queries.ledger.keys import key_from_file, key_from_variable

    return key_from_variable(variable) if file is None else key_from_file(file)


def _head_file(place: str, key_file: Path | None) -> HeadFile | None:
    """Return the file that keeps the head of a ledger, which need not be there."""
    from tacita.data.formats import is_address
    from tacita.queries.ledger.heads import head_of

    return head_of(place if is_address(place) else Path(place), key_file)


def _kept_beside(place: str, key_file: Path | None) -> list[Head]:
    """Return the heads that were kept of a ledger without anybody saying where."""
    from tacita.data.formats import is_address
    from tacita.queries.ledger.heads import files_of, head_of, heads_in
    from tacita.queries.ledger.store import open_store

    where = place if is_address(place) else Path(place)
    kept = {file.path: file for file in (head_of(where, key_file), head_of(where)) if file}
    store = open_store(where)
    return heads_in(file for one in kept.values() for file in files_of(one, store))


def _anchored(path: Path) -> Head:
    from tacita.errors import LedgerError
    from tacita.queries.ledger.anchor import Anchor

    kept = Anchor(path).read()
    if kept is None:
        raise LedgerError(f"There is no anchor {path}; check the path.")
    return kept


ledger = typer.Typer(help="Verify, keep, copy and read a ledger.", no_args_is_help=True)
COMMANDS = (verify, head, anchor, backup, restore, show)

"""`tacita keys`: the keys that sign releases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

keys = typer.Typer(help="Keys that sign releases.", no_args_is_help=True)


def make(
    stem: Annotated[Path, typer.Argument(help="Where the keys go: STEM.pem and STEM.pub.pem.")],
) -> None:
    """Make a key pair: STEM.pem signs and stays with you, STEM.pub.pem goes to verifiers."""
    from tacita.cli.printing import say
    from tacita.release.signing import make_keys

    private_file, public_file, keyid = make_keys(stem)
    say(f"{private_file} signs releases (tacita run --sign); keep it to yourself.")
    say(f"{public_file} verifies them (tacita verify --key); its name is {keyid}.")


def name(
    key: Annotated[Path, typer.Argument(help="A public key (PEM).")],
) -> None:
    """Print the name of a public key, to compare it with the one you were told."""
    from tacita.cli.printing import say
    from tacita.release.signing import read_public_key

    say(read_public_key(key).keyid)


COMMANDS = (make, name)

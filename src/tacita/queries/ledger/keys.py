"""The key of a ledger: from an environment variable, or from a file that only its owner reads."""

from __future__ import annotations

import os
import secrets
from hashlib import blake2b
from pathlib import Path

import numpy as np

from tacita.data.formats import is_address
from tacita.errors import LedgerError
from tacita.mechanisms.keyed import KEY_BYTES, LEAST_SECRET, secret_key

OTHERS = 0o077  # the rights of anybody but the owner


def key_from_variable(name: str) -> bytes:
    """Return the key that an environment variable holds, 16 characters or more."""
    # Nothing is drawn from the generator: with a variable named, it is this or nothing.
    return secret_key("ledger", name, np.random.default_rng())


def key_from_file(path: Path, *, new_for: str | Path | None = None) -> bytes:
    """Return the key that a file holds, 16 characters or more.

    Args:
        path: the file.
        new_for: the ledger that is about to begin; if the file is not there, it is made with a key
            drawn at random. It lies apart from the ledger: whoever writes both rewrites the past.
    """
    path = Path(path)
    try:
        if new_for is not None and not path.exists():
            _make(path, new_for)
        if os.name == "posix" and path.stat().st_mode & OTHERS:
            raise LedgerError(
                f"The ledger's key {path} can be read by others than its owner; chmod 600 it, and "
                "take a new key for the next ledger."
            )
        secret = path.read_bytes().strip()
    except OSError as error:
        raise LedgerError(f"The ledger's key {path} cannot be used: {error.strerror}.") from error
    if len(secret) < LEAST_SECRET:
        raise LedgerError(
            f"The ledger's key {path} has {len(secret)} characters; expected {LEAST_SECRET} or "
            "more."
        )
    return blake2b(secret, digest_size=KEY_BYTES).digest()


def _make(path: Path, ledger: str | Path) -> None:
    if not is_address(ledger):
        _refuse_place(path, Path(ledger))
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_hex(KEY_BYTES) + "\n")
        file.flush()
        os.fsync(file.fileno())


def _refuse_place(path: Path, ledger: Path) -> None:
    if ledger.exists():
        raise LedgerError(
            f"The ledger {ledger} is there and its key {path} is not; bring the key back."
        )
    if path.resolve().parent == ledger.resolve().parent:
        raise LedgerError(
            f"The ledger's key {path} would lie in the folder of the ledger; choose another folder."
        )

"""Ed25519 keys that sign releases, and the names they are known by.

Paper: Bernstein, Duif, Lange, Schwabe & Yang, High-speed high-security signatures, Journal of
Cryptographic Engineering 2 (2012) 77-89; RFC 8032.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.errors import InputError, OutputError, load_extra
from tacita.release.manifest import Envelope, Signature, pre_authentication

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

EXTRA = "signing"
OWNER_ONLY = 0o600


@dataclass(frozen=True, repr=False)
class PublicKey:
    """A key under which signatures are checked."""

    key: Ed25519PublicKey

    @property
    def keyid(self) -> str:
        """The name of the key: the SHA-256 digest of its 32 bytes."""
        return key_name(self.stated)

    @property
    def stated(self) -> str:
        """The key as a manifest states it: its 32 bytes in hexadecimal digits."""
        return self.key.public_bytes_raw().hex()

    @classmethod
    def of(cls, stated: str) -> PublicKey:
        """Return the key that a manifest states."""
        ed25519 = load_extra("cryptography.hazmat.primitives.asymmetric.ed25519", EXTRA)
        return cls(ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(stated)))

    def has_signed(self, envelope: Envelope) -> bool:
        """Tell whether an envelope has this key's signature and no other."""
        from cryptography.exceptions import InvalidSignature

        if [one.keyid for one in envelope.signatures] != [self.keyid]:
            return False
        try:
            self.key.verify(envelope.signatures[0].sig, pre_authentication(envelope.payload))
        except InvalidSignature:
            return False
        return True


@dataclass(frozen=True, repr=False)
class PrivateKey:
    """A key that signs."""

    key: Ed25519PrivateKey

    @property
    def public(self) -> PublicKey:
        """The key under which its signatures are checked."""
        return PublicKey(self.key.public_key())

    def sign(self, message: bytes) -> Signature:
        """Sign a message."""
        return Signature(self.public.keyid, self.key.sign(message))


def key_name(stated: str) -> str:
    """Return the name of a key that a manifest states: the SHA-256 digest of its bytes.

    >>> key_name("00" * 32)[:16]
    '66687aadf862bd77'
    """
    return hashlib.sha256(bytes.fromhex(stated)).hexdigest()


def make_keys(stem: Path) -> tuple[Path, Path, str]:
    """Make a pair of keys: `STEM.pem`, which only its owner may read, and `STEM.pub.pem`.

    Returns:
        The two files, and the name of the key.

    Raises:
        OutputError: one of the files is there already, or cannot be written.
    """
    ed25519 = load_extra("cryptography.hazmat.primitives.asymmetric.ed25519", EXTRA)
    serialization = load_extra("cryptography.hazmat.primitives.serialization", EXTRA)
    private_file, public_file = stem.with_name(f"{stem.name}.pem"), public_file_of(stem)
    for file in (private_file, public_file):
        if file.exists():
            raise OutputError(f"{file} is there already; keys are never overwritten.")
    private = PrivateKey(ed25519.Ed25519PrivateKey.generate())
    pem = serialization.Encoding.PEM
    _write_new(
        private_file,
        private.key.private_bytes(
            pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
        OWNER_ONLY,
    )
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    _write_new(public_file, private.public.key.public_bytes(pem, form), 0o644)
    return private_file, public_file, private.public.keyid


def public_file_of(stem: Path) -> Path:
    """Return where the public key of a pair lies."""
    return stem.with_name(f"{stem.name}.pub.pem")


def _write_new(file: Path, content: bytes, mode: int) -> None:
    try:
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except OSError as error:
        raise OutputError(f"Cannot write {file}: {error.strerror}.") from error
    with os.fdopen(opened, "wb") as writing:
        writing.write(content)


def read_private_key(file: Path) -> PrivateKey:
    """Read the key that signs, as `tacita keys make` writes it.

    Raises:
        InputError: it cannot be read, or is not such a key.
    """
    ed25519 = load_extra("cryptography.hazmat.primitives.asymmetric.ed25519", EXTRA)
    serialization = load_extra("cryptography.hazmat.primitives.serialization", EXTRA)
    content = _content(file)
    key = _parsed(file, lambda: serialization.load_pem_private_key(content, None), "private")
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise InputError(f"{file} holds no Ed25519 private key; make one with `tacita keys make`.")
    return PrivateKey(key)


def read_public_key(file: Path) -> PublicKey:
    """Read a key under which signatures are checked.

    Raises:
        InputError: it cannot be read, or is not such a key.
    """
    ed25519 = load_extra("cryptography.hazmat.primitives.asymmetric.ed25519", EXTRA)
    serialization = load_extra("cryptography.hazmat.primitives.serialization", EXTRA)
    content = _content(file)
    key = _parsed(file, lambda: serialization.load_pem_public_key(content), "public")
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise InputError(f"{file} holds no Ed25519 public key.")
    return PublicKey(key)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"The key {file} cannot be read: {error.strerror}.") from error


def _parsed(file: Path, load: Any, kind: str) -> Any:
    try:
        return load()
    except (ValueError, TypeError) as error:  # TypeError: it is encrypted
        raise InputError(f"{file} holds no {kind} key in PEM without a password.") from error

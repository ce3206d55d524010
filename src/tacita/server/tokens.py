"""Tokens: who may come in, as what, for how long.

A token is a random secret of 32 bytes behind a short id. The file keeps a salted scrypt hash of it,
never the secret, which is shown once. Verified tokens are remembered for a while under a keyed
digest, until the file changes: who is revoked stays out at once.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any

from tacita.data.formats.atomic import atomic_file
from tacita.data.formats.whole_files import unusable
from tacita.errors import InputError, ParameterError, did_you_mean

ROLES = {
    "analyst": ("query", "view"),
    "curator": ("query", "view", "session", "tokens"),
    "auditor": ("view", "session", "ledger"),
    "respondent": ("answer",),
}
BYTES, ID_BYTES = 32, 4
PREFIX = "tacita_"
LONGEST = 36_500  # days
REMEMBERED = 300.0  # seconds that a verified token is known without hashing it again
COST = {"n": 2**14, "r": 8, "p": 1}  # of scrypt: some 50 ms and 16 MB


@dataclass(frozen=True)
class Token:
    """What is kept of a token.

    Args:
        id: what the token is known by; no secret.
        user: whom it lets in.
        role: analyst, curator, auditor or respondent.
        scopes: what it allows: all that the role may do, or less.
        created: when it was made.
        expires: when it ends; None if it does not.
        revoked: when it was taken back.
        salt: the salt of the hash, in hexadecimal.
        hash: the scrypt hash of the secret, in hexadecimal.
    """

    id: str
    user: str
    role: str
    scopes: tuple[str, ...]
    created: datetime
    expires: datetime | None = None
    revoked: datetime | None = None
    salt: str = ""
    hash: str = ""

    def is_valid(self, now: datetime) -> bool:
        """Tell whether it lets in at some time."""
        return self.revoked is None and (self.expires is None or now < self.expires)

    def shown(self) -> dict[str, Any]:
        """Return all but salt and hash, in plain types."""
        return {name: value for name, value in _plain(self).items() if name not in HIDDEN}


HIDDEN = ("salt", "hash")
# Where there are no tokens, only this machine gets in, and the one who started the server is on it.
LOCAL = Token(
    "",
    "local",
    "curator",
    ("query", "view", "session", "ledger", "answer"),
    datetime.fromtimestamp(0, UTC),
)


@dataclass(frozen=True)
class _Held:
    """One version of the file: its tokens by id, and of what was verified digest, id and end."""

    version: tuple[int, ...] | None
    tokens: dict[str, Token]
    verified: dict[bytes, tuple[str, float]]


class Tokens:
    """The tokens in a file.

    Args:
        path: the JSON file; it need not exist before the first token is added.
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._key = secrets.token_bytes(BYTES)
        self._lock = Lock()  # one hash at a time: guessing cannot take all the machine's memory
        self._reading = Lock()
        self._held = _Held(None, {}, {})

    def __iter__(self) -> Iterator[Token]:
        return iter(self._current().tokens.values())

    def add(
        self, user: str, role: str, *, days: float | None = 90, scopes: Sequence[str] = ()
    ) -> tuple[Token, str]:
        """Make a token; return it and its secret, which nobody can see again.

        Args:
            user: whom it lets in.
            role: analyst, curator, auditor or respondent.
            days: how long it lasts; None for ever.
            scopes: what it allows, of what the role may do; all of it by default.
        """
        chosen = _scopes(role, scopes)
        if not user.isprintable() or not user.strip():
            raise ParameterError(f"A user needs a name that can be printed; got {user!r}.")
        if days is not None and not 0 < days <= LONGEST:
            raise ParameterError(
                f"A token must last more than 0 and at most {LONGEST:,} days; got {days:g}."
            )
        now = datetime.now(UTC)
        expires = None if days is None else now + timedelta(days=days)
        salt = secrets.token_hex(16)
        with self._changing() as tokens:
            name = _unused(tokens)
            secret = f"{PREFIX}{name}_{secrets.token_urlsafe(BYTES)}"
            hashed = _hash(secret, salt)
            tokens[name] = token = Token(
                name, user, role, chosen, now, expires, salt=salt, hash=hashed
            )
        return token, secret

    def revoke(self, name: str) -> Token:
        """Take a token back, by its id.

        Raises:
            InputError: there is none of that id.
        """
        with self._changing() as tokens:
            if name not in tokens:
                raise InputError(f"{self.path} has no token {name!r}.{did_you_mean(name, tokens)}")
            if tokens[name].revoked is None:
                tokens[name] = replace(tokens[name], revoked=datetime.now(UTC))
            return tokens[name]

    def known(self, secret: str) -> Token | None:
        """Return the token of a secret that was verified a short while ago; None if it was not."""
        held = self._current()
        name, until = held.verified.get(self._digest(secret), ("", 0.0))
        return _valid(held.tokens.get(name)) if time.monotonic() < until else None

    def verify(self, secret: str) -> Token | None:
        """Return the token of a secret, or None where it lets nobody in. Takes a while."""
        name = secret.removeprefix(PREFIX)[: 2 * ID_BYTES]
        if _valid(self._current().tokens.get(name)) is None:
            return None
        with self._lock:  # whoever came with the same secret meanwhile need not hash it again
            return self.known(secret) or self._hashed(name, secret)

    def _hashed(self, name: str, secret: str) -> Token | None:
        held = self._current()
        token = _valid(held.tokens.get(name))
        if token is None or not hmac.compare_digest(_hash(secret, token.salt), token.hash):
            return None
        held.verified[self._digest(secret)] = (name, time.monotonic() + REMEMBERED)
        return token

    def _digest(self, secret: str) -> bytes:
        return hashlib.blake2b(secret.encode(), key=self._key, digest_size=BYTES).digest()

    def _current(self) -> _Held:
        """Return the tokens as the file has them now."""
        if self._file_version() != self._held.version:
            with self._reading:
                version = self._file_version()
                if version != self._held.version:
                    self._held = _Held(version, self._read() if version else {}, {})
        return self._held

    def _file_version(self) -> tuple[int, ...] | None:
        """Return what changes with every writing: the file is replaced, never written over."""
        try:
            seen = self.path.stat()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise unusable(self.path, error) from error
        return (seen.st_ino, seen.st_mtime_ns, seen.st_size)

    def _read(self) -> dict[str, Token]:
        try:
            tokens = [_token(one) for one in json.loads(self.path.read_text("utf-8"))["tokens"]]
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise InputError(
                f"{self.path} is not a file of tokens; make one with `tacita token add`."
            ) from error
        return {token.id: token for token in tokens}

    @contextmanager
    def _changing(self) -> Iterator[dict[str, Token]]:
        """Give the tokens to be changed, and write them; nobody else writes meanwhile."""
        with _locked(self.path.resolve().parent):
            tokens = dict(self._current().tokens)
            yield tokens
            self._write(tokens)

    def _write(self, tokens: dict[str, Token]) -> None:
        text = json.dumps({"tokens": [_plain(token) for token in tokens.values()]}, indent=1)
        with atomic_file(self.path) as fresh:
            if self.path.exists():
                self.path.chmod(0o600)
            with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())


def _valid(token: Token | None) -> Token | None:
    return token if token is not None and token.is_valid(datetime.now(UTC)) else None


def _hash(secret: str, salt: str) -> str:
    return hashlib.scrypt(secret.encode(), salt=bytes.fromhex(salt), dklen=BYTES, **COST).hex()


def _scopes(role: str, scopes: Sequence[str]) -> tuple[str, ...]:
    if role not in ROLES:
        raise ParameterError(
            f"`role` must be one of {', '.join(ROLES)}; got {role!r}.{did_you_mean(role, ROLES)}"
        )
    foreign = [scope for scope in scopes if scope not in ROLES[role]]
    if foreign:
        raise ParameterError(
            f"A token of the role {role} allows {', '.join(ROLES[role])}; it cannot allow "
            f"{', '.join(foreign)}."
        )
    return tuple(scopes) or ROLES[role]


def _unused(tokens: dict[str, Token]) -> str:
    while (name := secrets.token_hex(ID_BYTES)) in tokens:
        pass
    return name


def _plain(token: Token) -> dict[str, Any]:
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in asdict(token).items()
    }


def _token(said: dict[str, Any]) -> Token:
    times = {
        name: None if said[name] is None else datetime.fromisoformat(said[name])
        for name in ("created", "expires", "revoked")
    }
    return Token(**{**said, **times, "scopes": tuple(said["scopes"])})


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise InputError(f"There is no folder {folder} to keep tokens in.") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)

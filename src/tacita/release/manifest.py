"""The manifests of a release: every file with its size and digest, public and internal bound.

Each is an in-toto Statement (v1) in a DSSE envelope, so that other tools can read it, signed or
not. The internal manifest names every file of both folders. The public one names the public files
and holds one commitment to the internal manifest, HMAC-SHA256 under a nonce that stays in the
house: who has both folders can tell that they belong together, and who has `public/` alone can test
no guess about seeds or plans.

The internal manifest carries a seal, HMAC-SHA256 of itself under a key that follows from the source
data: who changes anything and does not have the source cannot make it again.

Papers: in-toto Attestation Framework, Statement v1; Dead Simple Signing Envelope (DSSE) v1.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from tacita.errors import OF_DAMAGE, InputError, in_words

if TYPE_CHECKING:
    from tacita.release.signing import PrivateKey

MANIFEST = "manifest.json"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PUBLIC_PREDICATE = "urn:tacita:public-release:v1"
INTERNAL_PREDICATE = "urn:tacita:internal-release:v1"
NONCE_PURPOSE = b"tacita manifest nonce"
SEAL_PURPOSE = b"tacita manifest seal\n"
CHUNK = 1 << 20
PUBLIC_RUN = ("written", "tacita", "packages", "copies")  # `copies` names the set of copies

Seal = Callable[[bytes], str]


@dataclass(frozen=True)
class Signature:
    """A signature of an envelope: which key made it, and what it is."""

    keyid: str
    sig: bytes


@dataclass(frozen=True)
class Envelope:
    """A DSSE envelope around an in-toto Statement.

    Args:
        payload: the Statement, as the bytes that are signed.
        signatures: who signed it; none where nobody did.
    """

    payload: bytes
    signatures: tuple[Signature, ...] = ()

    @property
    def statement(self) -> dict[str, Any]:
        """The Statement in plain types."""
        parsed: dict[str, Any] = json.loads(self.payload)
        return parsed

    def encode(self) -> bytes:
        """Return the file's bytes: equal envelopes have equal files."""
        content = {
            "payloadType": PAYLOAD_TYPE,
            "payload": base64.b64encode(self.payload).decode(),
            "signatures": [
                {"keyid": one.keyid, "sig": base64.b64encode(one.sig).decode()}
                for one in self.signatures
            ],
        }
        return encode_json(content)


def encode_json(content: Mapping[str, Any]) -> bytes:
    """Return JSON as all files of a release are written: equal contents, equal bytes."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def read_envelope(file: Path) -> Envelope:
    """Read a manifest.

    Raises:
        InputError: it is not there, or not written as manifests are, to the byte.
    """
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}.") from error
    try:
        parsed = json.loads(content)
        envelope = Envelope(
            base64.b64decode(parsed["payload"], validate=True),
            tuple(
                Signature(one["keyid"], base64.b64decode(one["sig"], validate=True))
                for one in parsed["signatures"]
            ),
        )
        statement = envelope.statement
        is_ours = envelope.encode() == content and encode_json(statement) == envelope.payload
    except OF_DAMAGE as error:
        raise InputError(f"{file} is not a manifest of a release: {in_words(error)}.") from error
    if not is_ours:
        raise InputError(f"{file} is not written as the manifest of a release is.")
    return envelope


def pre_authentication(payload: bytes) -> bytes:
    """Return what DSSE signs: the type and the payload with their lengths.

    >>> pre_authentication(b"{}")
    b'DSSEv1 28 application/vnd.in-toto+json 2 {}'
    """
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def write_manifests(
    folder: Path, run: Mapping[str, Any], seal: Seal, private_key: PrivateKey | None = None
) -> None:
    """Write the manifests of a release, last of all its files.

    Args:
        folder: the folder that holds `public/` and `internal/`.
        run: what differs between two runs; the nonce follows from its secret key.
        seal: gives the seal of what the internal manifest says.
        private_key: who signs, if anybody does.
    """
    signer = None if private_key is None else private_key.public.stated
    internal = internal_payload(folder, run, seal, signer)
    public = public_payload(folder / "public", run, commitment(_nonce(run), internal), signer)
    for part, payload in (("internal", internal), ("public", public)):
        signatures = () if private_key is None else (private_key.sign(pre_authentication(payload)),)
        (folder / part / MANIFEST).write_bytes(Envelope(payload, signatures).encode())


def internal_payload(folder: Path, run: Mapping[str, Any], seal: Seal, signer: str | None) -> bytes:
    """Return what the internal manifest of a folder has to say.

    Who signs stands in what is sealed, so that no signature can be taken away, added or exchanged
    by somebody who lacks the source.
    """
    predicate = {"nonce": _nonce(run).hex(), "signer": signer, "run": dict(run)}
    statement = {
        "_type": STATEMENT_TYPE,
        "subject": [*subjects(folder, ("public", "internal"))],
        "predicateType": INTERNAL_PREDICATE,
        "predicate": predicate,
    }
    predicate["seal"] = seal(encode_json(statement))
    return encode_json(statement)


def public_payload(
    public: Path, run: Mapping[str, Any], committed: str, signer: str | None
) -> bytes:
    """Return what the public manifest of a folder has to say."""
    return encode_json(
        {
            "_type": STATEMENT_TYPE,
            "subject": [*subjects(public, ("",))],
            "predicateType": PUBLIC_PREDICATE,
            "predicate": {
                "run": {name: run[name] for name in PUBLIC_RUN if name in run},
                "commitment": committed,
                "signer": signer,
            },
        }
    )


def keyed_hash(fingerprint: str, key: str) -> str:
    """Return a hash of the input that only the holder of the key can compute or test."""
    return hmac.new(bytes.fromhex(key), fingerprint.encode(), hashlib.sha256).hexdigest()


def _nonce(run: Mapping[str, Any]) -> bytes:
    """Derive the nonce from the run's secret key, so that no part of a manifest is free."""
    return hmac.digest(bytes.fromhex(run["input"]["key"]), NONCE_PURPOSE, "sha256")


def commitment(nonce: bytes, internal: bytes) -> str:
    """Return what binds the public manifest to the internal one and tells nothing of it."""
    return hmac.digest(nonce, internal, "sha256").hex()


def seal_by(fingerprint: str, run: Mapping[str, Any]) -> Seal:
    """Return what seals a manifest under a key that only holders of the source can derive.

    Args:
        fingerprint: the digest of the source data.
        run: what differs between two runs, with its secret key.
    """
    key = hmac.digest(bytes.fromhex(run["input"]["key"]), fingerprint.encode(), "sha256")
    return lambda content: hmac.digest(key, SEAL_PURPOSE + content, "sha256").hex()


def subjects(folder: Path, parts: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Describe every file below some folders, in the order of their names."""
    for part in parts:
        for file in files_below(folder / part):
            if file.name == MANIFEST and file.parent == folder / part:
                continue
            yield {
                "name": file.relative_to(folder).as_posix(),
                "digest": {"sha256": sha256(file)},
                "annotations": {"size": file.stat().st_size},
            }


def files_below(folder: Path) -> list[Path]:
    """Return every file below a folder, in the order of their names.

    Raises:
        InputError: there is something that is neither a plain file nor a folder that holds some.
    """
    listed: list[Path] = []
    for path, folders, names in os.walk(folder):
        here = Path(path)
        for name in (*folders, *names):
            entry = here / name
            if entry.is_symlink() or not (entry.is_file() or entry.is_dir()):
                raise InputError(f"{entry} is no plain file; a release holds nothing else.")
        if not folders and not names:
            raise InputError(f"The folder {here} is empty; a release holds no empty folders.")
        listed += [here / name for name in names]
    return sorted(listed, key=lambda file: PurePosixPath(file.relative_to(folder).as_posix()))


def sha256(file: Path) -> str:
    """Return the SHA-256 digest of a file."""
    digest = hashlib.sha256()
    with file.open("rb") as opened:
        while chunk := opened.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()

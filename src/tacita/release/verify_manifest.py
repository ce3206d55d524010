"""Verifying the manifests of a release: its files, what binds them, and who signed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacita.errors import OF_DAMAGE, InputError, MissingExtraError, in_words
from tacita.release.manifest import (
    MANIFEST,
    Envelope,
    Seal,
    commitment,
    internal_payload,
    public_payload,
    read_envelope,
    subjects,
)
from tacita.release.signing import PublicKey, key_name
from tacita.release.verification import Line, Status, line
from tacita.release.versions import NUMBER, VERSIONS
from tacita.results import counted

AS_IT_SHOULD = "it says what it should of these files"
NOT_AS_IT_SHOULD = "it does not say what it should of these files"
PARTS = frozenset({"public", "internal"})  # what lies in the folder of a release
COPY = re.compile(r"copy-[1-9][0-9]*", re.ASCII)


@dataclass(frozen=True)
class ManifestVerifier:
    """Compares the manifests of a release with the files that lie there.

    Args:
        public: the public folder.
        internal: the internal folder, if it is at hand.
        key: under which key a signature counts, if the verifier named one.
    """

    public: Path
    internal: Path | None
    key: PublicKey | None = None

    def lines(self) -> Iterator[Line]:
        """Say of every file whether it is listed as it is, and who signed the lists."""
        manifests = [self.public / MANIFEST]
        if self.internal is not None:
            manifests.append(self.internal / MANIFEST)
            yield from self.foreign(self.internal.parent)
        try:
            envelopes = [read_envelope(file) for file in manifests]
        except InputError as error:
            yield Line("manifest", Status.WRONG, str(error))
            return
        try:
            yield from self.compared(envelopes)
        except InputError as error:
            yield Line("files", Status.WRONG, str(error))
        except OF_DAMAGE as error:
            yield Line(
                "manifest", Status.WRONG, f"a manifest is not as it was written: {in_words(error)}"
            )
            return
        try:
            yield from self.signed(envelopes)
        except OF_DAMAGE as error:
            yield Line("signature", Status.WRONG, f"no manifest states a key so: {in_words(error)}")

    def foreign(self, folder: Path) -> Iterator[Line]:
        """Name what lies beside the two parts and belongs to no release."""
        # Earlier releases lie beside the newest one: not beside an earlier one, nor in a copy.
        is_version = folder.parent.name == VERSIONS and NUMBER.fullmatch(folder.name)
        parts = PARTS if is_version or COPY.fullmatch(folder.name) else {*PARTS, VERSIONS}
        for entry in sorted(folder.iterdir()):
            if entry.name not in parts or entry.is_symlink() or not entry.is_dir():
                yield Line(entry.name, Status.WRONG, "no list names it; it is not of this release")

    def compared(self, envelopes: list[Envelope]) -> Iterator[Line]:
        """Make the manifests of the files that lie here, and compare."""
        public = envelopes[0].statement
        yield from differences("public files", public["subject"], [*subjects(self.public, ("",))])
        if self.internal is None:
            said = public["predicate"]
            same = self._is_public(envelopes[0], said["commitment"], said)
            yield line("public manifest", same, AS_IT_SHOULD, NOT_AS_IT_SHOULD)
            told = "it binds an internal folder that is not at hand"
            yield Line("commitment", Status.ATTESTED, told)
            return
        folder, internal = self.internal.parent, envelopes[1].statement
        listed = [*subjects(folder, ("public", "internal"))]
        yield from differences("all files", internal["subject"], listed)
        nonce = bytes.fromhex(internal["predicate"]["nonce"])
        recorded = internal["predicate"]
        bound = commitment(nonce, envelopes[1].payload)
        same = self._is_public(envelopes[0], bound, recorded)
        told = "the public manifest is bound to the internal one"
        yield line("binding", same, told, "the public manifest is not bound to the internal one")
        again = internal_payload(
            folder, recorded["run"], lambda _: recorded["seal"], recorded["signer"]
        )
        same = again == envelopes[1].payload
        yield line("internal manifest", same, AS_IT_SHOULD, NOT_AS_IT_SHOULD)

    def _is_public(self, envelope: Envelope, bound: str, said: Mapping[str, Any]) -> bool:
        """Tell whether the public manifest is the one of these files and what is said of them."""
        again = public_payload(self.public, said["run"], bound, said["signer"])
        return again == envelope.payload

    def signed(self, envelopes: list[Envelope]) -> Iterator[Line]:
        """Say who signed the manifests, and whether that is the key that the verifier named."""
        what = "signature"
        stated = [envelope.statement["predicate"]["signer"] for envelope in envelopes]
        signer = stated[0]
        named = [] if signer is None else [key_name(signer)]
        as_stated = all([one.keyid for one in each.signatures] == named for each in envelopes)
        if stated.count(signer) < len(stated) or not as_stated:
            yield Line(what, Status.WRONG, "not all manifests have the one signature they state")
        elif signer is None:
            if self.key is not None:
                yield Line(what, Status.WRONG, "nobody signed it")
        else:
            yield self.checked(envelopes, signer)

    def checked(self, envelopes: list[Envelope], signer: str) -> Line:
        """Check the signatures under the key stated, which is not yet a key that counts."""
        what, name = "signature", key_name(signer)[:16]
        try:
            key = PublicKey.of(signer)
        except MissingExtraError as error:
            return Line(what, Status.NOT_PROVEN, f"stated to be by {name}, not checked: {error}")
        if not all(key.has_signed(envelope) for envelope in envelopes):
            return Line(what, Status.WRONG, f"it is not by {name}, the key that is stated")
        if self.key is None:
            told = f"signed by {name}; name the key you trust with --key"
            return Line(what, Status.NOT_PROVEN, told)
        told = f"signed by the key you named, {name}"
        other = f"signed by {name}, not by the key you named, {self.key.keyid[:16]}"
        return line(what, key.keyid == self.key.keyid, told, other)

    def set_of_copies(self) -> str | None:
        """Return the name of the set of synthetic copies that a release belongs to."""
        try:
            run = read_envelope(self.public / MANIFEST).statement["predicate"]["run"]
            name: str | None = run.get("copies")
        except (InputError, *OF_DAMAGE):
            return None
        return name

    def is_signed(self) -> bool:
        """Tell whether anybody signed the public manifest, under whatever key."""
        try:
            return bool(read_envelope(self.public / MANIFEST).signatures)
        except InputError:
            return False

    def sealed(self, seal: Seal) -> Line:
        """Say whether the seal is the one that only holders of the source can make."""
        told = "nobody who lacks the source changed anything since"
        try:
            envelope = read_envelope((self.internal or self.public) / MANIFEST)
            said = envelope.statement["predicate"]
            again = internal_payload(self.public.parent, said["run"], seal, said["signer"])
            same = again == envelope.payload
        except (InputError, *OF_DAMAGE) as error:
            return Line("seal", Status.WRONG, f"the seal cannot be made again: {in_words(error)}")
        return line("seal", same, told, "somebody who lacks the source changed something since")

    def recorded_run(self) -> Mapping[str, Any] | None:
        """Return what the internal manifest says of the run, if it can be read."""
        try:
            envelope = read_envelope((self.internal or self.public) / MANIFEST)
            run: Mapping[str, Any] = envelope.statement["predicate"]["run"]
        except (InputError, *OF_DAMAGE):
            return None
        return run


def differences(
    what: str, listed: list[dict[str, Any]], here: list[dict[str, Any]]
) -> Iterator[Line]:
    """Say of the files that lie in a folder whether they are those listed."""
    if listed == here:
        told = f"{counted(len(here), 'file')} as listed, and no other"
        yield Line(what, Status.REDERIVED, told)
        return
    stated = {row["name"]: row for row in listed}
    found = {row["name"]: row for row in here}
    for name in sorted({*stated, *found}):
        if name not in found:
            yield Line(name, Status.WRONG, "it is listed, and is not there")
        elif name not in stated:
            yield Line(name, Status.WRONG, "no list names it")
        elif stated[name] != found[name]:
            yield Line(name, Status.WRONG, "it is not the file that is listed")
    if stated == found:
        yield Line(what, Status.WRONG, "the list is not in its order, or names a file twice")

from __future__ import annotations

import json
import stat
from base64 import b64decode

import pytest

from tacita.errors import InputError, OutputError
from tacita.release.manifest import Envelope, Signature, pre_authentication, read_envelope
from tacita.release.signing import make_keys, read_private_key, read_public_key

# The test of the published specification of DSSE: type "http://example.com/HelloWorld".
PAYLOAD = b"hello world"


@pytest.fixture
def keys(tmp_path):
    return make_keys(tmp_path / "house")


def test_what_a_key_signed_is_known_under_its_public_key_only(keys, tmp_path):
    private, public = read_private_key(keys[0]), read_public_key(keys[1])
    assert private.public.keyid == public.keyid == keys[2]
    envelope = Envelope(PAYLOAD, (private.sign(pre_authentication(PAYLOAD)),))
    assert public.has_signed(envelope)
    assert not public.has_signed(Envelope(PAYLOAD))
    assert not public.has_signed(Envelope(PAYLOAD + b"!", envelope.signatures))
    assert not public.has_signed(Envelope(PAYLOAD, envelope.signatures * 2))
    other = read_public_key(make_keys(tmp_path / "other")[1])
    assert not other.has_signed(envelope)
    renamed = Signature(other.keyid, envelope.signatures[0].sig)
    assert not other.has_signed(Envelope(PAYLOAD, (renamed,)))


def test_the_bytes_that_are_signed_are_those_of_dsse():
    assert pre_authentication(PAYLOAD) == b"DSSEv1 28 application/vnd.in-toto+json 11 hello world"


def test_another_program_can_check_a_signature(keys, tmp_path):
    """With nothing but the envelope, the key file and a library for Ed25519."""
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    private = read_private_key(keys[0])
    content = Envelope(b"{}\n", (private.sign(pre_authentication(b"{}\n")),)).encode()
    parsed = json.loads(content)
    payload, kind = b64decode(parsed["payload"]), parsed["payloadType"].encode()
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    load_pem_public_key(keys[1].read_bytes()).verify(
        b64decode(parsed["signatures"][0]["sig"]), signed
    )


def test_keys_are_for_their_owner_and_never_overwritten(keys, tmp_path):
    assert stat.S_IMODE(keys[0].stat().st_mode) == 0o600
    with pytest.raises(OutputError, match="is there already; keys are never overwritten"):
        make_keys(tmp_path / "house")
    keys[0].unlink()
    with pytest.raises(OutputError, match=r"house\.pub\.pem is there already"):
        make_keys(tmp_path / "house")
    assert not keys[0].exists()


def test_what_is_no_key_is_named(keys, tmp_path):
    (tmp_path / "junk").write_text("junk")
    for read, other in ((read_private_key, keys[1]), (read_public_key, keys[0])):
        for file in (tmp_path / "junk", other):
            with pytest.raises(InputError, match=rf"{file.name} holds no"):
                read(file)
        with pytest.raises(InputError, match=r"nowhere cannot be read: No such file"):
            read(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"payload": "%%", "signatures": []}', b"[" * 100_000]
)
def test_what_is_no_manifest_is_named(tmp_path, content):
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(InputError, match=r"manifest\.json is not a manifest of a release"):
        read_envelope(tmp_path / "manifest.json")

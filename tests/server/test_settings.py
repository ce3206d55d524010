from __future__ import annotations

import pytest

from tacita.errors import ParameterError
from tacita.server.settings import Listening, Settings


@pytest.mark.parametrize(
    "wrong", [{"tick": -1}, {"tick": 61}, {"rate": 0}, {"rate_of_all": -1}, {"longest": 0}]
)
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(ParameterError, match=f"`{next(iter(wrong))}` must be"):
        Settings(**wrong)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "data.example.org"])  # noqa: S104
def test_a_public_address_needs_tokens_and_tls(host, tmp_path):
    with pytest.raises(ParameterError, match="Everybody could ask"):
        Listening(host).refuse_open(authenticated=False)
    with pytest.raises(ParameterError, match="unencrypted"):
        Listening(host).refuse_open(authenticated=True)
    Listening(host, behind_proxy=True).refuse_open(authenticated=True)
    with pytest.raises(ParameterError, match="Everybody could ask"):
        Listening(host, behind_proxy=True).refuse_open(authenticated=False)
    file = tmp_path / "certificate.pem"
    file.touch()
    Listening(host, certificate=file, certificate_key=file).refuse_open(authenticated=True)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_ones_own_machine_needs_nothing(host):
    Listening(host).refuse_open(authenticated=False)
    Listening(host, behind_proxy=True).refuse_open(authenticated=True)
    with pytest.raises(ParameterError, match="Everybody could ask through the proxy"):
        Listening(host, behind_proxy=True).refuse_open(authenticated=False)


def test_a_certificate_needs_its_key_and_must_be_there(tmp_path):
    with pytest.raises(ParameterError, match="belong together"):
        Listening(certificate=tmp_path).refuse_open(authenticated=True)
    nowhere = tmp_path / "c.pem"
    with pytest.raises(ParameterError, match="There is no file"):
        Listening(certificate=nowhere, certificate_key=nowhere).refuse_open(authenticated=True)

"""What a curator says of the server: how fast, how large, where it listens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tacita.api.remote import LOOPBACK
from tacita.errors import ParameterError

BODY = 100_000  # bytes of a request: the longest query with its parameters fits


@dataclass(frozen=True)
class Settings:
    """How the server answers.

    Args:
        tick: seconds; answers leave whole ticks after their question came. 0 answers at once.
        rate: the requests a user may send in a second.
        rate_of_all: the requests that all users together may send in a second.
        longest: the most bytes of a request.
    """

    tick: float = 0.0
    rate: float = 20.0
    rate_of_all: float = 2000.0
    longest: int = BODY

    def __post_init__(self) -> None:
        if not 0 <= self.tick <= 60:  # noqa: PLR2004 - a minute is longer than a browser waits
            raise ParameterError(f"`tick` must be between 0 and 60 seconds; got {self.tick:g}.")
        for name in ("rate", "rate_of_all", "longest"):
            if not getattr(self, name) > 0:
                raise ParameterError(f"`{name}` must be above 0; got {getattr(self, name)}.")


@dataclass(frozen=True)
class Listening:
    """Where the server listens.

    Args:
        host: the address; only this machine by default.
        port: the port; 0 takes one that is free.
        certificate: the file of the TLS certificate, with the chain that signs it.
        certificate_key: the file of its private key.
        behind_proxy: whether TLS is done by a proxy in front, so that none is needed here.
    """

    host: str = LOOPBACK[0]
    port: int = 8000
    certificate: Path | None = None
    certificate_key: Path | None = None
    behind_proxy: bool = False

    @property
    def is_local(self) -> bool:
        """Whether nobody on another machine can reach it."""
        return self.host in LOOPBACK

    @property
    def is_encrypted(self) -> bool:
        """Whether it speaks TLS itself."""
        return self.certificate is not None

    def refuse_open(self, *, authenticated: bool) -> None:
        """Refuse to listen where strangers could read along or come in.

        Raises:
            ParameterError: with what is missing.
        """
        if (self.certificate is None) != (self.certificate_key is None):
            raise ParameterError("A certificate and its key belong together; give both files.")
        for file in (self.certificate, self.certificate_key):
            if file is not None and not file.is_file():
                raise ParameterError(f"There is no file {file}; give that of the certificate.")
        if not authenticated and (self.behind_proxy or not self.is_local):
            through = "through the proxy" if self.behind_proxy else f"at {self.host}"
            raise ParameterError(
                f"Everybody could ask {through}: name a file of `tokens` in the plan, or listen on "
                "127.0.0.1 without a proxy."
            )
        if not (self.is_local or self.is_encrypted or self.behind_proxy):
            raise ParameterError(
                f"Tokens would come to {self.host} unencrypted: give a certificate and its key, "
                "or say that a proxy in front does TLS."
            )

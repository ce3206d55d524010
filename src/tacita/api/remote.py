"""`connect`: a guarded database on a server, in an analyst's hands."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from os import PathLike
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import numpy as np

from tacita.errors import InputError, ParameterError, QueryError, ServerError, load_extra
from tacita.queries.answer import Answer

LOOPBACK = ("127.0.0.1", "localhost", "::1")
QUESTION = (400, 413, 422)  # the statuses that say what is wrong with a question


class RemoteDatabase:
    """A guarded database on a server; made by `tacita.connect`.

    It is closed by `close`, or at the end of a `with`.

    Args:
        client: what sends requests.
        url: the server's address.
    """

    def __init__(self, client: Any, url: str) -> None:
        self._client = client
        self.url = url

    def __repr__(self) -> str:
        return f"RemoteDatabase: {self.url}"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ask(
        self,
        sql: str,
        parameters: Sequence[Any] | Mapping[str, Any] = (),
        *,
        epsilon: float | None = None,
        rho: float | None = None,
        delta: float | None = None,
    ) -> Answer:
        """Ask one SELECT of statistics.

        Args:
            sql: the query.
            parameters: the values of `?`, in order, or of `:name`, by name. They are sent apart
                from the query and never pasted into it.
            epsilon: what the query shall cost, where the budget is counted so; a share that the
                curator sets if it is left out.
            rho: the same, where the budget is counted in rho.
            delta: the chance to show a group of one respondent that nobody declared.

        Raises:
            QueryError: it is not a statistical query; the message says why.
            ServerError: the server cannot be reached, or does not let one in.
        """
        spent = _spent(epsilon, rho, delta)
        said = self._sent("POST", "/query", {"sql": sql, "parameters": _bound(parameters), **spent})
        try:
            return _answer(said)
        except (KeyError, TypeError) as error:
            raise self._foreign() from error

    def cost(
        self,
        queries: Sequence[str | tuple[str, Sequence[Any] | Mapping[str, Any]]],
        *,
        epsilon: float | None = None,
        rho: float | None = None,
        delta: float | None = None,
    ) -> dict[str, dict[str, Any]]:
        """Return of every policy with a budget what queries would cost together, at most.

        It tells as well whether there is `enough` left, and costs nothing itself.

        Args:
            queries: the queries, those with parameters together with them.
            epsilon: what each shall cost, as in `ask`.
            rho: the same, where the budget is counted in rho.
            delta: as in `ask`.
        """
        asked = [(one, ()) if isinstance(one, str) else one for one in queries]
        spent = _spent(epsilon, rho, delta)
        body = [{"sql": sql, "parameters": _bound(values), **spent} for sql, values in asked]
        said: dict[str, dict[str, Any]] = self._sent("POST", "/explain", {"queries": body})
        return said

    @property
    def view(self) -> dict[str, Any]:
        """What can be asked about: the attributes, public and confidential."""
        said: dict[str, Any] = self._sent("GET", "/view")
        return said

    @property
    def policies(self) -> list[dict[str, Any]]:
        """The policies with their guarantees."""
        said: list[dict[str, Any]] = self._sent("GET", "/policies")
        return said

    @property
    def left(self) -> dict[str, float]:
        """What is left of the budgets."""
        said: dict[str, float] = self._sent("GET", "/budget")
        return said

    def _sent(self, method: str, path: str, body: Any = None) -> Any:
        """Return what the server says, or raise what its status means."""
        reply = self._reply(method, path, None if body is None else _packed(body))
        try:
            said = reply.json()
        except ValueError as error:
            if reply.is_success:
                raise self._foreign() from error
            said = None
        if reply.is_success:
            return said
        raise _error(reply, said, self.url)

    def _reply(self, method: str, path: str, content: bytes | None) -> Any:
        httpx = load_extra("httpx", "server")
        try:
            return self._client.request(method, path, content=content)
        except httpx.TimeoutException as error:
            raise ServerError(
                f"{self.url} did not answer in time; ask for less, or allow a longer `timeout`."
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ServerError(
                f"Cannot reach {self.url} ({reason}); is the server running there?"
            ) from error

    def _foreign(self) -> ServerError:
        return ServerError(f"{self.url} is not a server of Tacita; check the address.")


def connect(
    url: str,
    token: str | None = None,
    *,
    timeout: float = 60.0,
    certificate: str | PathLike[str] | None = None,
) -> RemoteDatabase:
    """Connect with a server that `tacita serve` runs.

    Nothing is sent before something is asked.

    Args:
        url: its address, such as `https://data.example.org`.
        token: who is asking; a server on one's own machine may need none.
        timeout: the seconds to wait for an answer.
        certificate: the file of the certificate that signs the server's, where no public authority
            does.

    Example:
        db = ta.connect("https://data.example.org", token=os.environ["TACITA_TOKEN"])
        db.ask("SELECT avg(salary) FROM firms WHERE sector = ?", ["IT"]).value
    """
    httpx = load_extra("httpx", "server")
    _refuse_url(url, token)
    if not timeout > 0:
        raise ParameterError(f"`timeout` must be above 0 seconds; got {timeout}.")
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {_printable(token)}"
    client = httpx.Client(
        base_url=url, headers=headers, timeout=timeout, verify=_trusted(certificate)
    )
    return RemoteDatabase(client, url)


def _refuse_url(url: str, token: str | None) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ParameterError(f"`url` must be like https://data.example.org; got {url!r}.")
    if token is not None and parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise ParameterError(
            f"The token would go to {parts.hostname} unencrypted; connect with https://."
        )


def _printable(token: str) -> str:
    if not token.isascii() or not token.isprintable() or " " in token.strip() or not token.strip():
        raise ParameterError("`token` is not a token; give what `tacita token add` printed.")
    return token.strip()


def _trusted(certificate: str | PathLike[str] | None) -> Any:
    """Return whom to trust: public authorities, or one certificate."""
    if certificate is None:
        return True
    import ssl

    try:
        return ssl.create_default_context(cafile=certificate)
    except OSError as error:  # ssl.SSLError is one
        raise InputError(f"{certificate} is not a certificate that can be read.") from error


def _spent(epsilon: float | None, rho: float | None, delta: float | None) -> dict[str, float]:
    """Return what a query shall cost, as a server takes it."""
    said = {"epsilon": epsilon, "rho": rho, "delta": delta}
    return {name: value for name, value in said.items() if value is not None}


def _bound(parameters: Sequence[Any] | Mapping[str, Any]) -> dict[str, Any] | list[Any]:
    return dict(parameters) if isinstance(parameters, Mapping) else list(parameters)


def _packed(body: Any) -> bytes:
    try:
        return json.dumps(body, allow_nan=False, default=_plain).encode()
    except (TypeError, ValueError) as error:
        raise QueryError("A parameter must be a number, a text, a date or nothing.") from error


def _plain(value: Any) -> Any:
    """Return a date or a number of NumPy as JSON can say it."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError


def _answer(said: Mapping[str, Any]) -> Answer:
    """Return the answer that a server sent."""
    return Answer(
        columns=tuple(said["columns"]),
        rows=tuple(map(tuple, said["rows"])),
        refused=tuple(map(tuple, said["refused"])),
        guarantees=said["guarantees"],
        entry=said["entry"],
        head=said["head"],
        left=said["left"],
        intervals=tuple(
            tuple(None if one is None else (one[0], one[1]) for one in row)
            for row in said["intervals"]
        ),
        cost=said["cost"],
        statistics=tuple(said["statistics"]),
    )


def _error(reply: Any, said: Any, url: str) -> QueryError | ServerError:
    """Return what a status means, in one sentence."""
    detail = said.get("detail") if isinstance(said, Mapping) else None
    if reply.status_code in QUESTION and isinstance(detail, str):
        return QueryError(detail)
    sentences = {
        401: f"{url} lets nobody in without a valid token; ask its curator for one.",
        403: f"The token does not allow this at {url}.",
        503: f"{url} has too many connections; try again later.",
        429: f"Too many requests to {url}; try again in {reply.headers.get('Retry-After', '1')} s.",
    }
    missing = f"{url} could not answer (status {reply.status_code}); its curator can find out why."
    return ServerError(sentences.get(reply.status_code, missing))

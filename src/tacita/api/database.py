"""`guard`: a database in its keeper's hands, which answers as far as its policies allow."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self, Unpack

from tacita.api.microdata import Microdata, read
from tacita.data.dataset import Dataset
from tacita.data.formats import is_address
from tacita.data.formats.layout import LayoutOptions
from tacita.data.read import Source
from tacita.errors import LedgerError, ParameterError, PlanError
from tacita.mechanisms.randomized_answers import RandomizedAnswers
from tacita.method import Method
from tacita.queries.answer import Answer
from tacita.queries.guard import Guard, Parameters
from tacita.queries.ledger.anchor import Anchor
from tacita.queries.ledger.entries import Head
from tacita.queries.ledger.heads import HeadFile, files_of, head_of, heads_in, name_of
from tacita.queries.ledger.keys import key_from_file, key_from_variable
from tacita.queries.ledger.ledger import Ledger, open_ledger
from tacita.queries.ledger.store import open_store
from tacita.queries.opening import Followed, Guarding
from tacita.queries.private.spending import Spending
from tacita.queries.versions import Versions
from tacita.release.execute import read_source
from tacita.release.masked_input import MaskedCopy, masked_copy, masking_seed, told
from tacita.release.plan import Plan, read_plan
from tacita.release.query_plan import QueryPlan

LOCAL = "duckdb:///"  # how a DuckDB file is said as an address


class Database:
    """A guarded database; made by `tacita.guard`. It is closed by `close`, or after a `with`.

    Args:
        read: reads the records as they are now.
        data: the records.
        guarding: what is guarded and how.
        kept: where the history is; None where nothing is recorded.
    """

    def __init__(
        self, read: Callable[[], Dataset], data: Dataset, guarding: Guarding, kept: Kept | None
    ) -> None:
        self._read = read
        if kept is None or kept.is_new():
            # Tried before anything is made: what cannot be guarded leaves no ledger behind.
            self._followed = Followed(data, guarding, None)
        if kept is not None:
            self._followed = _taken_up(data, guarding, kept.opened())

    @property
    def guard(self) -> Guard:
        """What decides and answers."""
        return self._followed.guard

    def __repr__(self) -> str:
        told = [f"  {one['name']}: {one['guarantee']}" for one in self.policies]
        return "\n".join([f"Database: {self.guard.data.view}", *told])

    def ask(
        self,
        sql: str,
        *,
        user: str = "curator",
        parameters: Parameters = (),
        epsilon: float | None = None,
        rho: float | None = None,
        delta: float | None = None,
    ) -> Answer:
        """Answer a SELECT of statistics from the view, as far as the policies allow.

        Args:
            sql: the question.
            user: who asks; the history is one for all users.
            parameters: the values of `?`, in order, or of `:name`, by name.
            epsilon: what the query shall cost, where a policy counts its budget so; a share that
                the policy sets if it is left out.
            rho: the same, where the budget is counted in rho.
            delta: the chance to show a group of one respondent that nobody declared; in proportion
                to the cost if it is left out.
        """
        spending = Spending.said(epsilon, rho, delta)
        return self.guard.ask(sql, user=user, parameters=parameters, spending=spending)

    def cost(
        self,
        queries: Sequence[str | tuple[str, Parameters]],
        *,
        user: str = "curator",
        epsilon: float | None = None,
        rho: float | None = None,
        delta: float | None = None,
    ) -> dict[str, Mapping[str, Any]]:
        """Return of every policy with a budget what queries would cost together, at most.

        It tells as well whether there is `enough` left, and costs nothing itself.

        Args:
            queries: the queries, those with parameters together with them.
            user: who would ask them.
            epsilon: what each shall cost, as in `ask`.
            rho: the same, where the budget is counted in rho.
            delta: as in `ask`.
        """
        return self.guard.cost(queries, user=user, spending=Spending.said(epsilon, rho, delta))

    def left(self, *, user: str = "curator") -> dict[str, float]:
        """Return what is left of the budgets that a user pays from."""
        return self.guard.left(user)

    @property
    def view(self) -> dict[str, Any]:
        """The attributes that a question may name."""
        return self.guard.view

    @property
    def policies(self) -> list[dict[str, Any]]:
        """The policies, with what holds of the answers."""
        return self.guard.policies

    def session(self) -> dict[str, Any]:
        """Return what was asked, answered and refused so far, over all users."""
        return self.guard.session()

    def refresh(self) -> bool:
        """Read the records again and go on with them; return whether they changed."""
        return self._followed.refresh(self._read())

    def close(self) -> None:
        """Answer nothing more, and let others write the ledger."""
        self.guard.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _taken_up(data: Dataset, guarding: Guarding, ledger: Ledger) -> Followed:
    try:
        return Followed(data, guarding, ledger)
    except BaseException:
        ledger.close()
        raise


class Kept(NamedTuple):
    """Where a history is kept.

    Args:
        place: the file or the PostgreSQL address of the ledger.
        anchor: the file that keeps its head.
        key_from: the environment variable that holds its key.
        key_file: the file that holds its key.
    """

    place: str | PathLike[str]
    anchor: str | PathLike[str] | None
    key_from: str | None
    key_file: str | PathLike[str] | None

    @property
    def where(self) -> str | Path:
        """The address, or the path."""
        return str(self.place) if is_address(self.place) else Path(self.place)

    def is_new(self) -> bool:
        """Tell whether the ledger is a file that is not there yet."""
        return isinstance(self.where, Path) and not self.where.exists()

    def opened(self) -> Ledger:
        """Open the ledger for writing; it begins if it is not there."""
        return open_ledger(self.where, self.key(), self._anchor, self.head())

    def head(self) -> HeadFile | None:
        """Return what keeps the ledger's head where no anchor does; None if nothing can."""
        if self.key_from is not None:
            return head_of(self.where)
        return head_of(self.where, Path(self.key_file or _usual_key(self.where)))

    def heads(self) -> list[Head]:
        """Return the heads of the ledger that are kept and can be read now."""
        kept = self.head()
        files = [] if kept is None else files_of(kept, open_store(self.where))
        anchored = Anchor(self._anchor).read() if self._anchor else None
        return [*([] if anchored is None else [anchored]), *heads_in(files)]

    @property
    def _anchor(self) -> Path | None:
        return None if self.anchor is None else Path(self.anchor)

    def key(self) -> bytes:
        """Return the ledger's key; the file that holds it is made at the first start."""
        for file in (self.where, self._anchor):
            if isinstance(file, Path) and not file.resolve().parent.is_dir():
                raise LedgerError(f"There is no folder for {file}; create it, or choose another.")
        if self.key_from is not None:
            return key_from_variable(self.key_from)
        return key_from_file(Path(self.key_file or _usual_key(self.where)), new_for=self.where)


def guard(
    source: Source,
    *,
    policy: Method | Sequence[Method],
    ledger: str | PathLike[str] | None,
    view: str | None = None,
    roles: Mapping[str, str | Iterable[str]] | None = None,
    kinds: Mapping[str, str] | None = None,
    anchor: str | PathLike[str] | None = None,
    key_from: str | None = None,
    key_file: str | PathLike[str] | None = None,
    published: Sequence[str] = (),
    record: str | None = None,
    known: Sequence[Any] = (),
    versions: str | PathLike[str] | None = None,
    **layout: Unpack[LayoutOptions],
) -> Database:
    """Guard a database: answer statistical queries, and nothing that tells of one respondent.

    Args:
        source: a DuckDB file, the address of a PostgreSQL database, or anything that `read` takes;
            or microdata at hand. Of masked ones the answers say which methods masked them.
        policy: the policy, or several, all of which have a say.
        ledger: the file or the PostgreSQL address of the ledger; None records nothing, and then the
            history is forgotten at the end: for trying things out.
        view: what the view is called in queries; by default as the table is.
        roles: what attributes are; keys and non-confidential ones are public.
        kinds: continuous, ordinal, nominal, set_valued or date, where the type does not tell.
        anchor: a file elsewhere that keeps the ledger's head, so that nobody can turn it back.
        key_from: the environment variable that holds the ledger's key.
        key_file: the file that holds it, made at the first start; by default one in the folder of
            the user's settings.
        published: queries whose answers were published before.
        record: the attribute that names the records, once each.
        known: the records that an insider is taken to know, by `record`.
        versions: a folder that keeps earlier data, if they may change.
        layout: how the source is laid out: `table` or `query` of a database, and so on.

    >>> import pyarrow as pa
    >>> import tacita as ta
    >>> firms = pa.table({"sector": ["IT", "IT", "HC", "HC"], "pay": [5, 6, 2, 4]})
    >>> roles = {"sector": "key", "pay": "confidential"}
    >>> with ta.guard(firms, policy=ta.Audit(), ledger=None, view="firms", roles=roles) as database:
    ...     database.ask("SELECT sector, avg(pay) AS pay FROM firms GROUP BY sector")
    sector  pay
    HC        3
    IT      5.5
    """
    policies = (policy,) if isinstance(policy, Method) else tuple(policy)
    for one in policies:
        _refuse_other(one)
    guarding = Guarding(
        view=view or layout.get("table") or "data",
        policies=policies,
        published=published,
        record=record,
        known=known,
        versions=None if versions is None else Versions(Path(versions)),
        about=told(source.steps) if isinstance(source, Microdata) and source.steps else "",
    )

    def now() -> Dataset:
        if isinstance(source, Microdata):
            return _declared(source, roles, kinds, layout)
        return read(_local(source), roles=roles, kinds=kinds, **layout)

    kept = None if ledger is None else Kept(ledger, anchor, key_from, key_file)
    return Database(now, now(), guarding, kept)


def _local(source: Source) -> Source:
    """Take the address of a DuckDB file as its path."""
    if isinstance(source, str) and source.startswith(LOCAL):
        return source.removeprefix(LOCAL)
    return source


def _declared(data: Microdata, *said: Mapping[str, Any] | None) -> Microdata:
    """Return microdata at hand, of which all is said already."""
    if any(said):
        raise ParameterError(
            "Microdata at hand have roles, kinds and a layout already; `guard` takes none of them. "
            "Say them to `read`."
        )
    return data


def _refuse_other(policy: object) -> None:
    if not isinstance(policy, Method) or policy.family != "policy":
        found = policy.name if isinstance(policy, Method) else type(policy).__name__
        raise ParameterError(f"Expected policies such as `Audit()`; found {found}.")


def _usual_key(place: str | Path) -> Path:
    """Return where the key of a ledger lies if nobody said where, apart from the ledger."""
    try:
        settings = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        folder = settings / "tacita" / "keys"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except (OSError, RuntimeError) as error:  # the latter where nobody has a home
        raise LedgerError(
            f"There is no place at home for the key of the ledger {place}; say by `key_file` where "
            "it lies, or by `key_from` which variable holds it."
        ) from error
    return folder / f"{name_of(place)}.key"


class Served(NamedTuple):
    """What a plan says of a server.

    Args:
        guard: the guard that answers.
        tokens: the file of the tokens; None for none.
        tick: seconds; answers leave on whole ticks.
        rate: the questions a second that a user may ask.
        collect: the questions that respondents answer at random, by name.
        collected: the file that keeps their answers.
    """

    guard: Guard
    tokens: Path | None
    tick: float
    rate: float
    collect: Mapping[str, RandomizedAnswers] = {}
    collected: Path | None = None


def serve_plan(file: str | PathLike[str]) -> Served:
    """Open the guarded database of a plan file.

    Raises:
        PlanError: the plan cannot be understood, or guards no database.
    """
    return open_plan(read_plan(Path(file)))


def open_plan(plan: Plan) -> Served:
    """Open the guarded database of a plan; its ledger is written by nobody else until it is closed.

    Raises:
        PlanError: the plan guards no database.
    """
    said = _guarded(plan)
    kept = kept_by(said)
    now, (data, about) = _records(plan, said, kept)
    with plan.placing("queries"):
        database = Database(now, data, _guarding(said, about), kept)
    return Served(
        database.guard,
        None if said.tokens is None else Path(said.tokens),
        said.tick,
        said.rate,
        said.collect,
        None if said.collected is None else Path(said.collected),
    )


def try_plan(plan: Plan, data: Dataset, about: str = "") -> Guard:
    """Guard the database of a plan as it is before its first question; nothing is recorded.

    Args:
        plan: the plan.
        data: the records to answer from.
        about: what was done to them, told with every answer; empty for nothing.

    Raises:
        PlanError: the plan guards no database.
    """
    said = _guarded(plan)
    with plan.placing("queries"):
        return Database(lambda: data, data, _guarding(said, about), None).guard


def kept_by(said: QueryPlan) -> Kept:
    """Return where a plan keeps its history."""
    return Kept(said.ledger, said.anchor, said.key_from, said.key_file)


def _guarded(plan: Plan) -> QueryPlan:
    if plan.queries is None:
        file = plan.located.file if plan.located else plan.folder
        raise PlanError(f"{file}: the plan guards no database; say `queries: {{view: ...}}`.")
    return plan.queries


def _records(plan: Plan, said: QueryPlan, kept: Kept) -> tuple[Callable[[], Dataset], MaskedCopy]:
    """Return what reads the records that are answered from, and the records as they are now."""
    if said.input == "original":
        return lambda: read_source(plan), MaskedCopy(read_source(plan), "")
    with plan.placing("queries"):
        seed = masking_seed(kept.key())
    return lambda: masked_copy(plan, seed).data, masked_copy(plan, seed)


def _guarding(said: QueryPlan, about: str) -> Guarding:
    return Guarding(
        view=said.view,
        policies=said.policies,
        published=said.published,
        record=said.record,
        known=said.known,
        versions=None if said.versions is None else Versions(Path(said.versions)),
        about=about,
    )

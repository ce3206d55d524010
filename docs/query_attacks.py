"""Runs every query attack against every policy and writes the table of `query-attacks.md` anew.

`python docs/query_attacks.py` writes it; a test compares it with what the runs give.
"""

from __future__ import annotations

import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

import tacita as ta
from tacita.attacks.queries.intruding.intruder import (
    Asking,
    Intruder,
    Outcome,
    Target,
    success_rate,
)
from tacita.attacks.queries.intruding.register import Register
from tacita.attacks.queries.refusal_probing import Person
from tacita.data.dataset import Dataset
from tacita.errors import QueryError
from tacita.method import Method
from tacita.queries.answer import Answer
from tacita.queries.guard import Guard
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.public_classes import PublicClasses
from tacita.results import percent

PAGE = Path(__file__).parent / "query-attacks.md"
TABLE = re.compile(r"(?<=<!-- the table -->\n).*?(?=\n<!-- end -->)", re.DOTALL)
RECORDS, TARGETS = 60, 5
NOISE = 500  # the scale of noise that is drawn anew for every answer
BUDGET, CLIENTS = 10, 20  # answers that may be given, and clients who ask for them at once
FIRST = 2  # questions by which an intruder learns what an answer costs
# The variable with the key of noise, so that every run gives the same table.
SECRET = "TACITA_QUERY_ATTACKS"  # noqa: S105 - it is a name
os.environ.setdefault(SECRET, "what analysts are not told")
ROLES = dict.fromkeys(("sector", "region", "age", "sex"), "key") | {"salary": "confidential"}
GROUPS = {
    "sector": ["IT", "HC", "Fin", "Edu"],
    "region": ["BCN", "TGN", "GIR"],
    "age": [25, 35, 45, 55],
    "sex": ["f", "m"],
}
POLICIES: Mapping[str, Method] = {
    "unprotected": ta.Unprotected(),
    "query_set_size k = 3": ta.QuerySetSize(3),
    "query_set_overlap k = 3, r = 1": ta.QuerySetOverlap(3, 1),
    "sensitive_cells p = 10 %, n = 3": ta.SensitiveCells(
        [{"minimum_frequency": 3}, {"p_percent": 10}]
    ),
    "audit": ta.Audit(),
    "audit k = 3": ta.Audit(3),
    "audit_extremes": ta.AuditExtremes("max"),
    "audit_intervals w = 10,000": ta.AuditIntervals("salary", lower=0, upper=500_000, width=10_000),
    "private_answers e = 1": ta.PrivateAnswers(
        1.0, {"salary": (0, 500_000)}, share_each=0.05, groups=GROUPS
    ),
    "camouflage 30 %": ta.Camouflage(0.3, key_from=SECRET),
    "record_set_noise s = 2": ta.RecordSetNoise(2, key_from=SECRET),
    "cell_key_noise m = 30 %, 15 %": ta.CellKeyNoise(
        5, variance=3, magnitudes=(0.3, 0.15), key_from=SECRET
    ),
    "random_sample p = 90 %": ta.RandomSample(0.9, key_from=SECRET),
    "rounded_answers b = 10,000": ta.RoundedAnswers(5, values={"salary": 10_000}, key_from=SECRET),
}
ATTACKS: Sequence[Method] = (
    ta.IndividualTracker(),
    ta.GeneralTracker(),
    ta.DoubleTracker(),
    ta.UnionTracker(),
    ta.PairwiseDifferencing(),
    ta.DeepDifferencing(),
    ta.SybilAccounts(),
    ta.Races(),
    ta.CountBinarySearch(),
    ta.ExtremesWalking(),
    ta.Leverage(),
    ta.RefusalProbing(),
    ta.EquivalentRewrites(),
    ta.Padding(),
    ta.Injection(),
    ta.Averaging(20),
    ta.LinearReconstruction(120),
    ta.QueryMembership(20),
    ta.GroupMembership(),
    ta.PriceOracle(),
    ta.NoiseExploitation(lower=10_000, precision=1000, sets=10, votes=3),
    ta.FloatingPoint(),
    ta.BudgetRace(CLIENTS),
)
Database = Callable[[Dataset, bool], AbstractContextManager[Asking]]


class PlainDatabase:
    """A database that nothing guards: every text is carried out."""

    def __init__(self, data: Dataset) -> None:
        self._database = duckdb.connect(config={"enable_external_access": "false"})
        self._database.register("arrived", data.to_arrow())
        self._database.execute("CREATE TABLE firms AS SELECT * FROM arrived")

    def ask(self, sql: str, *, user: str) -> Answer:  # noqa: ARG002 - anybody may ask
        """Carry out a text."""
        try:
            cursor = self._database.cursor().execute(sql)
            rows = tuple(cursor.fetchall())
        except duckdb.Error as error:
            raise QueryError(str(error)) from error
        refused = tuple((False,) * len(row) for row in rows)
        return Answer(tuple(column[0] for column in cursor.description or ()), rows, refused)


class FreshNoise:
    """The mistake of noise without a budget: a double, drawn anew for every answer."""

    def __init__(self, data: Dataset) -> None:
        self._database = PlainDatabase(data)
        self._rng = np.random.default_rng(0)

    def ask(self, sql: str, *, user: str) -> Answer:
        """Carry out a text, and add noise."""
        told = self._database.ask(sql, user=user)
        return replace(told, rows=((float(told.rows[0][0]) + self._rng.laplace(0, NOISE),),))


class CarelessBudget:
    """The mistake of a budget that is looked at first, and paid from after the answer."""

    def __init__(self, data: Dataset) -> None:
        self._database = PlainDatabase(data)
        self._left, self._asked = BUDGET, 0
        self._lock, self._together = threading.Lock(), threading.Barrier(CLIENTS)

    def ask(self, sql: str, *, user: str) -> Answer:
        """Answer as long as something was left when the question came."""
        with self._lock:
            self._asked += 1
            racing, allowed = FIRST < self._asked <= FIRST + CLIENTS, self._left > 0
        told = self._database.ask(sql, user=user)
        if racing:
            self._together.wait(60)  # all have looked before anybody pays
        with self._lock:
            self._left -= allowed
            left = {"answers": float(self._left)}
        return replace(told, refused=((not allowed,),), left=left)


class PricedByContent:
    """The mistake of a price that depends on what is found: so much a group."""

    def __init__(self, data: Dataset) -> None:
        self._database = PlainDatabase(data)

    def ask(self, sql: str, *, user: str) -> Answer:
        """Answer, or tell the price of an answer."""
        told = self._database.ask(sql.removeprefix("EXPLAIN PRIVACY "), user=user)
        if told.rows and not sql.startswith("EXPLAIN PRIVACY "):
            return told
        return replace(told, rows=(("epsilon", 0.01 * len(told.rows)),), refused=((False,) * 2,))


def firms(seed: int = 4) -> Dataset:
    """Return the salaries of some people, many of whom are the only ones of their kind."""
    rng = np.random.default_rng(seed)
    columns = {
        "sector": rng.choice(["IT", "HC", "Fin", "Edu"], RECORDS, p=[0.4, 0.3, 0.2, 0.1]),
        "region": rng.choice(["BCN", "TGN", "GIR"], RECORDS, p=[0.5, 0.3, 0.2]),
        "age": rng.choice([25, 35, 45, 55], RECORDS),
        "sex": rng.choice(["f", "m"], RECORDS),
        "salary": 10 * rng.permutation(np.round(1500 * 1.055 ** np.arange(RECORDS)).astype(int)),
    }
    return ta.read(pa.table(columns), roles=ROLES)


def exchanged(data: Dataset, target: Target, person: Person | None) -> Dataset:
    """Return the data after the victim has exchanged salaries with another person."""
    if person is None:
        return data
    (victim, *_), others = (_places(data, tuple(one.items())) for one in (target.known, person[0]))
    return _with_exchanged(data, victim, others[person[1]])


@cache
def _places(data: Dataset, known: tuple[tuple[str, object], ...]) -> list[int]:
    """Return the places of those who are of a kind."""
    rows = data.to_arrow().to_pylist()
    return [place for place, row in enumerate(rows) if dict(known).items() <= row.items()]


@cache  # all policies guard the same copies, and classes take longer to make than to ask
def _with_exchanged(data: Dataset, one: int, other: int) -> Dataset:
    order = np.arange(len(data))
    order[[one, other]] = other, one
    values = data.column("salary").take(pa.array(order))
    return data.with_column(data.attribute("salary"), values)


def targets(data: Dataset, number: int) -> list[Target]:
    """Return some people who are the only ones of their kind."""
    register = Register.of(classes_of(data))
    rows = data.to_arrow().to_pylist()
    found = []
    for known in list(register.unique())[:number]:
        (row,) = [one for one in rows if known.items() <= one.items()]
        found.append(Target(known, "salary", register, row["salary"]))
    return found


@cache
def classes_of(data: Dataset) -> PublicClasses:
    """Return what guards look at."""
    return PublicClasses.of(data, "firms")


@contextmanager
def guarded(policy: Method, data: Dataset, recorded: bool) -> Iterator[Asking]:
    """Guard data by one policy, without any history."""
    classes = classes_of(data)
    if not recorded:
        yield Guard(classes, [policy])
        return
    with tempfile.TemporaryDirectory() as folder:
        ledger = open_ledger(Path(folder) / "ledger.db", b"k" * 32)
        with Guard(classes, [policy], ledger=ledger) as guard:
            yield guard


@contextmanager
def naive(made: Callable[[Dataset], Asking], data: Dataset, recorded: bool) -> Iterator[Asking]:  # noqa: ARG001 - it records nothing
    """Guard nothing, or make a mistake."""
    yield made(data)


# What is attacked where nothing protects: exact answers, or the mistake that an attack is about.
MISTAKES: Mapping[str, Callable[[Dataset], Asking]] = {
    "averaging": FreshNoise,
    "linear_reconstruction": FreshNoise,
    "floating_point": FreshNoise,
    "budget_race": CarelessBudget,
    "price_oracle": PricedByContent,
}


def attacked(attack: Method, database: Database, data: Dataset, target: Target) -> Outcome:
    """Attack a database without any history, beside those that the attack compares it with."""
    with ExitStack() as stack:
        opened = partial(_opened, stack, database)
        beside = {
            "refusal_probing": lambda: [
                lambda person: opened(exchanged(data, target, person), recorded=False)
            ],
            "races": lambda: [opened(data, recorded=False)],
        }
        others = beside[attack.name]() if attack.name in beside else []
        attacked = opened(data, recorded=attack.name == "races")
        outcome: Outcome = attack.attack(attacked, target, *others)  # type: ignore[attr-defined]
        return outcome


def _opened(stack: ExitStack, database: Database, data: Dataset, *, recorded: bool) -> Asking:
    return stack.enter_context(database(data, recorded))


def rates(attack: Method, number: int = TARGETS) -> list[str]:
    """Return the success rates of an attack: without a guard, then under every policy."""
    data = firms()
    unguarded = partial(naive, MISTAKES.get(attack.name, PlainDatabase))
    databases: list[Database] = [unguarded, *(partial(guarded, one) for one in POLICIES.values())]
    outcomes = [
        [attacked(attack, database, data, one) for database in databases]
        for one in targets(data, number)
    ]
    return [percent(success_rate(of_one)) for of_one in zip(*outcomes, strict=True)]


def recovered(database: Database, data: Dataset) -> str:
    """Return the share of classes whose sums a linear reconstruction finds, but for a tenth."""
    target, *_ = targets(data, 1)
    attack = next(one for one in ATTACKS if isinstance(one, ta.LinearReconstruction))
    sums = dict.fromkeys(target.register.classes, 0.0)
    for row in data.to_arrow().to_pylist():
        sums[tuple(row[name] for name in target.register.names)] += row["salary"]
    with database(data, False) as opened:
        found = attack.reconstructed(Intruder(opened, target))
    return percent(found.recovered(np.array([*sums.values()]), attack.within))


def _recovered() -> list[str]:
    data = firms()
    databases: list[Database] = [partial(naive, FreshNoise)]
    databases += [partial(guarded, one) for one in POLICIES.values()]
    return [recovered(database, data) for database in databases]


def table() -> str:
    """Return the table in Markdown."""
    head: list[Sequence[str]] = [("attack", "nothing", *POLICIES), ["---"] * (len(POLICIES) + 2)]
    rows = [(f"`{attack.name}`", *rates(attack)) for attack in ATTACKS]
    rows.append(("classes that `linear_reconstruction` recovers", *_recovered()))
    return "\n".join(f"| {' | '.join(row)} |" for row in [*head, *rows])


if __name__ == "__main__":
    written = table()
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda _: written, page), encoding="utf-8")

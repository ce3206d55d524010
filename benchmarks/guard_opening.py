"""Opening a guard whose ledger tells of many answers, against taking them up one by one.

A real guard answers counts and sums of query sets that predicates on one to three attributes name,
single values, ranges, lists and all but one, until so many are answered; then it is closed. Timed
is the opening of a new one with the same ledger, which verifies the chain and takes up the history.
The other side takes it up as it came about: it reads every statement as SQL, finds its cells, and
tells every policy of one cell after the other. `distinct`: no statement comes twice. `repeated`: a
tenth as many, which come again. Once with exact auditing, once with differential privacy.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import cycle, islice
from pathlib import Path

import numpy as np
import pyarrow as pa

import tacita as ta
from measuring import clock
from tacita.method import Method
from tacita.queries.expanding import expand
from tacita.queries.guard import Guard
from tacita.queries.language.parse import parse
from tacita.queries.ledger.ledger import Ledger, open_ledger
from tacita.queries.opening import Followed, Guarding
from tacita.queries.public_classes import PublicClasses

KEY = b"the key of a benchmark"
REGIONS, AGES, SECTORS = 20, 50, 5
ROLES = {"region": "key", "age": "key", "sector": "key", "salary": "confidential"}
POLICIES: dict[str, Method] = {
    "audit": ta.Audit(),
    "private": ta.PrivateAnswers(1.0, {"salary": (0, 10_000)}, share_each=1e-7),
}


def people(records: int) -> ta.Microdata:
    """Return records of skewed regions, ages and sectors."""
    rng = np.random.default_rng(0)
    columns = {
        "region": np.char.add("r", (rng.geometric(0.35, records).clip(max=REGIONS)).astype(str)),
        "age": 18 + rng.binomial(AGES - 1, rng.beta(2, 2, records)),
        "sector": np.char.add("s", (rng.geometric(0.6, records).clip(max=SECTORS)).astype(str)),
        "salary": rng.integers(1000, 9000, records),
    }
    return ta.read(pa.table(columns), roles=ROLES)


def statements() -> Iterator[str]:
    """Return counts and sums of query sets, each text once."""
    rng = np.random.default_rng(1)
    values = {
        "region": [f"'r{one}'" for one in range(1, REGIONS + 1)],
        "age": [str(one) for one in range(18, 18 + AGES)],
        "sector": [f"'s{one}'" for one in range(1, SECTORS + 1)],
    }
    seen = set()
    while True:
        names = rng.permutation(list(values))[: rng.integers(1, 4)]
        where = " AND ".join(predicate(name, values[name], rng) for name in names)
        asked = ("count(*)", "sum(salary)")[rng.integers(2)]
        sql = f"SELECT {asked} FROM people WHERE {where}"  # noqa: S608 - it is the guard's to read
        if sql not in seen:
            seen.add(sql)
            yield sql


def predicate(name: str, values: list[str], rng: np.random.Generator) -> str:
    low, high = np.sort(rng.integers(0, len(values), 2))
    some = ", ".join(values[one] for one in np.unique(rng.integers(0, len(values), 3)))
    kinds = (
        f"{name} = {values[low]}",
        f"{name} BETWEEN {values[low]} AND {values[high]}",
        f"{name} IN ({some})",
        f"{name} <> {values[low]}",
    )
    return kinds[rng.integers(len(kinds))]


def ask(data: ta.Microdata, guarding: Guarding, ledger: Ledger, queries: int, texts: int) -> int:
    """Ask until so many are answered, of so many texts; return how many were asked."""
    guard = Followed(data, guarding, ledger).guard
    answered: list[str] = []
    asked = 0
    for sql in statements():
        last, asked = guard.submit(sql, user="ana"), asked + 1
        if not last.answer.is_refused:
            answered.append(sql)
        if len(answered) == texts:
            break
    for sql in islice(cycle(answered), queries - texts):
        last, asked = guard.submit(sql, user="ana"), asked + 1
    guard.settled(last)
    return asked


def one_by_one(data: ta.Microdata, guarding: Guarding, folder: Path) -> None:
    """Take up a history as it came about."""
    classes = PublicClasses.of(data, guarding.view)
    guard = Guard(classes, guarding.policies)
    (watcher,) = guard._watchers  # noqa: SLF001
    with open_ledger(folder / "ledger.db", KEY, folder / "anchor.json") as ledger:
        for entry in ledger.entries():
            told = entry.content
            if entry.kind == "debit":
                guard.replay([entry])
            elif entry.kind == "answer" and told["refused"] < told["cells"]:
                for cell in expand(parse(told["query"], classes), classes):
                    watcher.learn(cell)


def opened(data: ta.Microdata, guarding: Guarding, folder: Path) -> None:
    """Open a guard, ready to answer."""
    with open_ledger(folder / "ledger.db", KEY, folder / "anchor.json") as ledger:
        Followed(data, guarding, ledger)


def measured(name: str, texts: int, chosen: argparse.Namespace, data: ta.Microdata) -> None:
    """Make a ledger, open it both ways, and print what that took."""
    guarding = Guarding(view="people", policies=[POLICIES[name]])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=chosen.folder)))
        with open_ledger(folder / "ledger.db", KEY, folder / "anchor.json") as ledger:
            asked = ask(data, guarding, ledger, chosen.queries, texts)
        ours = clock(lambda: opened(data, guarding, folder))
        other = clock(lambda: one_by_one(data, guarding, folder))
    word = "distinct" if texts == chosen.queries else "repeated"
    print(f"{name}, {word}: {chosen.queries:,} answers of {asked:,} questions")
    for side, row in (("opening", ours), ("one by one", other)):
        each = 1000 * row["wall"] / chosen.queries
        print(f"  {side:<12}{row['wall']:>9.2f} s wall{row['cpu']:>9.2f} s CPU{each:>9.3f} ms each")
    print(
        f"  ratio, wall: {other['wall'] / ours['wall']:.1f}, CPU: {other['cpu'] / ours['cpu']:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, help="a folder on the disk to try")
    chosen = parser.parse_args()
    from tacita.kernels import residues

    residues.warm_up()
    data = people(chosen.records)
    for name in POLICIES:
        for texts in (chosen.queries, chosen.queries // 10):
            measured(name, texts, chosen, data)


if __name__ == "__main__":
    main()

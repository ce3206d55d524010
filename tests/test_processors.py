"""The same data and seed give the same results on every processor, to the last digit.

All methods run in two processes: as the machine is, and as a plain machine would: without vector
instructions beyond those of every processor, with the loops of an old one for linear algebra, on
one thread and with another order of sets. NUMBA_CPU_NAME is left alone, as compiling everything
again takes minutes; `TACITA_PLAIN_NUMBA=1` lets the plain process do it.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy._core import _multiarray_umath as umath

import tacita as ta
from tacita.attacks.queries.intruding.example import example_guard
from tacita.data.dataset import Dataset
from tacita.errors import TacitaError
from tacita.method import OF_QUERIES, OF_TABLES, THAT_MASK, Method, TableKind
from tacita.queries.guard import Guard
from tacita.queries.public_classes import PublicClasses
from tacita.registry import methods
from tacita.tables.judging import contributions_of, judge
from tacita.tables.perturb.applied import perturbed
from tacita.tables.table import Table
from tacita.tables.tabulate import tabulate

NOT_REPEATABLE = {
    "private_answers": "its noise comes from a secure source, like that of methods that say so",
    "races": "what it finds depends on which of several threads comes first",
    "budget_race": "what it finds depends on which of several threads comes first",
}
QUESTIONS = (
    "SELECT count(*) FROM toy",
    "SELECT sum(income), avg(income) FROM toy WHERE region = 'Harbour'",
    "SELECT max(income), median(income), stddev_samp(income) FROM toy",
    "SELECT corr(income, age), covar_samp(income, age), regr_slope(income, age) FROM toy",
)
SECRET = b"a secret of sixteen bytes"
KEY = "TACITA_KEY_OF_POLICIES"
RECORDS = 300
Results = Iterator[tuple[str, Callable[[], object]]]


def test_the_processor_does_not_show() -> None:
    processes = [started({}), started(plain())]
    usual, other = (finished(process) for process in processes)
    assert len(usual) > 200
    assert {name for name in usual if usual[name] != other.get(name)} == set()
    assert usual.keys() == other.keys()


def test_every_exception_is_a_method() -> None:
    assert NOT_REPEATABLE.keys() <= {cls.name for cls in methods().values()}


def plain() -> dict[str, str]:
    """Return the environment in which libraries do as on a plain machine."""
    x86 = platform.machine() in ("x86_64", "AMD64")
    features = [one for one in umath.__cpu_dispatch__ if umath.__cpu_features__[one]]
    numba = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    return {
        "NPY_DISABLE_CPU_FEATURES": ",".join(features),
        "OPENBLAS_CORETYPE": "Prescott" if x86 else "ARMV8",
        "ARROW_USER_SIMD_LEVEL": "NONE",
        "NUMBA_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONHASHSEED": "12345",
        **(numba if os.environ.get("TACITA_PLAIN_NUMBA") else {}),
    }


def started(environment: Mapping[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, __file__],
        env={**os.environ, "PYTHONHASHSEED": "1", KEY: SECRET.decode(), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finished(process: subprocess.Popen[str]) -> dict[str, str]:
    out, err = process.communicate(timeout=900)
    if process.returncode:
        pytest.fail(err)
    return json.loads(out)


def print_digests() -> None:
    """Run every method and print what it found, in brief."""
    found = {}
    for results in (examples(), of_microdata(), of_tables(), of_queries()):
        for name, result in results:
            found[name] = hashlib.sha256(repr(exact(tried(result))).encode()).hexdigest()
    sys.stdout.write(json.dumps(found))


def tried(result: Callable[[], object]) -> object:
    """Return the result, or the reason why there is none."""
    try:
        return result()
    except TacitaError as reason:
        return str(reason)


def exact(found: Any) -> Any:  # noqa: PLR0911 - one for each type
    """Return a result in plain types, with all digits of its numbers."""
    if isinstance(found, float):
        return found.hex()
    if isinstance(found, Dataset):
        return found.fingerprint()
    if isinstance(found, np.ndarray | np.generic):
        return exact(found.tolist())
    if isinstance(found, pa.Table):
        return exact(found.to_pydict())
    if isinstance(found, Mapping):
        return [(str(key), exact(value)) for key, value in found.items()]
    if isinstance(found, list | tuple):
        return [exact(one) for one in found]
    if is_dataclass(found):
        return [(part.name, exact(getattr(found, part.name))) for part in fields(found)]
    return str(found)


def compared(of: frozenset[str] | None = None) -> Iterator[type[Method]]:
    """Return the methods of some families; by default of those of microdata."""
    for cls in methods().values():
        chosen = cls.family in of if of else cls.family not in OF_TABLES | OF_QUERIES
        if chosen and cls.repeatable and cls.name not in NOT_REPEATABLE:
            yield cls


def examples() -> Results:
    for name in ("toy", "patients", "firms"):
        yield f"example {name}", lambda name=name: ta.example(name, RECORDS)


def of_microdata() -> Results:
    toy = ta.example("toy", RECORDS)
    toy = toy.with_external(population=toy, holdout=ta.example("toy", RECORDS, seed=1))
    swapped = toy.apply(ta.RankSwap(["age", "income"], p=10), seed=1)
    torn = swapped.apply(ta.Pram(["education", "region"], minimum_diagonal=0.5), seed=1)
    for cls in compared():
        method: Any = cls(**cls.example)
        if cls.family in THAT_MASK:
            yield cls.name, lambda m=method: m.mask(replace(toy), np.random.default_rng(4))
        elif hasattr(method, "check"):
            yield cls.name, lambda m=method: m.check(replace(torn))
        else:
            yield cls.name, lambda m=method: m.measure(replace(toy), replace(torn))


def of_tables() -> Results:
    magnitudes, counts, keyed_counts, keyed_magnitudes = tables()
    for cls in compared(OF_TABLES):
        method: Any = cls(**cls.example)
        table = magnitudes if TableKind.MAGNITUDE in cls.applies_to else counts
        keyed = keyed_counts if TableKind.FREQUENCY in cls.applies_to else keyed_magnitudes
        if cls.family == "rule":
            yield cls.name, lambda m=method, t=table: m.judge(contributions_of(t))
        elif cls.family == "protection":
            yield cls.name, lambda m=method: protected(m, counts)
        elif cls.family == "perturbation":
            yield cls.name, lambda m=method, t=keyed: perturbed_values(m, t)
        else:
            yield cls.name, lambda m=method, t=table: m.measure(t, t.published())


def tables() -> tuple[Table, Table, Table, Table]:
    firms = ta.example("firms", 400)
    asked = {"request": "size_class", "request_codes": ["50-249"], "contributor": "holding"}
    turnover = tabulate(firms, ["nace", "region"], value="turnover", **asked)
    patients, few = ta.example("patients", 400), ta.example("firms", 60).without(["weight"])
    return (
        judge(turnover, [ta.PPercent(15), ta.MinimumFrequency(3)]),
        judge(tabulate(patients, ["race", "ethncty"]), [ta.MinimumFrequency(5)]),
        judge(tabulate(patients, ["race", "ethncty"], keys=SECRET), [ta.MinimumFrequency(3)]),
        judge(tabulate(few, ["size_class"], value="turnover", keys=SECRET), [ta.PPercent(5)]),
    )


def protected(method: Any, table: Table) -> object:
    found = method.protect(table.system())
    return found.system.cells.status, found.cost, found.is_optimal, found.audit.is_safe


def perturbed_values(method: Any, table: Table) -> object:
    made, found = perturbed(table, method, np.random.default_rng(1))
    return made.to_arrow(), found.lower, found.upper, found.loss


def of_queries() -> Results:
    toy = PublicClasses.of(ta.example("toy", RECORDS), "toy")
    for cls in compared(frozenset({"policy"})):
        key = {"key_from": KEY} if "key_from" in {field.name for field in fields(cls)} else {}
        policy = cls(**{**cls.example, **key})
        yield cls.name, lambda policy=policy: answers(Guard(toy, [policy]))
    for cls in compared(frozenset({"query attack"})):
        yield cls.name, lambda cls=cls: attacked(cls(**cls.example))


def answers(guard: Guard) -> object:
    told = []
    for question in QUESTIONS:
        found = tried(lambda question=question: guard.ask(question, user="ana"))
        told.append(found if isinstance(found, str) else (found.rows, found.intervals))
    return told


def attacked(method: Any) -> object:
    guard, target = example_guard(ta.Unprotected(), records=12)
    outcome = method.attack(guard, target)
    return outcome.succeeded, outcome.lower, outcome.upper


if __name__ == "__main__":
    print_digests()

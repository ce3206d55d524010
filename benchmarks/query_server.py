"""Counts over HTTP: a guarded database against a bare DuckDB behind the same web framework.

Clients, each a process with one connection that stays open, ask for counts: another one every
time, with one text and other parameters, or (`--repeated`) with 240 texts that come again, whose
cells ours remembers. Ours is what `tacita serve` runs, with tokens, a policy and a ledger in which
every debit and every answer is durable before it leaves: once with a policy on query-set sizes, and
once with differential privacy, every count with new noise and paid from a budget. The other side
checks nothing and records nothing: it sends the query's text to DuckDB, as one would not do.
"""

from __future__ import annotations

import argparse
import http.client
import multiprocessing
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import BaseModel

from tacita.method import Method

REGIONS, SECTORS = 20, 12
ROLES = {"region": "key", "sector": "key", "age": "key", "salary": "confidential"}


class Question(BaseModel):
    """What a client sends."""

    sql: str
    parameters: list[str | int] = []


def questions(*, repeated: bool) -> list[Question]:
    """Return counts of regions and sectors: 240 texts that come again, or other counts each time.

    Others are asked for as clients do who ask much: with one text and other parameters.
    """
    pairs = [(f"r{one}", f"s{two}") for one in range(REGIONS) for two in range(SECTORS)]
    if repeated:
        asked = "SELECT count(*) FROM people WHERE region = '{}' AND sector = '{}'"
        return [Question(sql=asked.format(*pair)) for pair in pairs]
    older = "SELECT count(*) FROM people WHERE region = ? AND sector = ? AND age >= ?"
    ages = range(18, 90)
    return [Question(sql=older, parameters=[*pair, age]) for age in ages for pair in pairs]


def make_data(folder: Path, records: int) -> None:
    rng = np.random.default_rng(0)
    names = {"region": ("r", REGIONS), "sector": ("s", SECTORS)}
    columns: dict[str, object] = {
        name: np.char.add(letter, rng.integers(0, many, records).astype(str))
        for name, (letter, many) in names.items()
    }
    columns["age"] = rng.integers(18, 90, records)
    columns["salary"] = rng.lognormal(10, 0.5, records).round()
    pq.write_table(pa.table(columns), folder / "people.parquet")


@contextmanager
def running(command: list[str]) -> Iterator[tuple[str, int]]:
    """Run a server that prints its address; give the address and its process."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        url = child.stdout.readline().strip()
        assert url, "the server did not start"
        yield url, child.pid
    finally:
        child.terminate()
        child.wait()


def serve_restricted(folder: Path) -> None:
    """Serve the records behind a policy on query-set sizes."""
    from tacita.queries.policies.query_set_size import QuerySetSize

    serve_guarded(folder, QuerySetSize(3))


def serve_private(folder: Path) -> None:
    """Serve the records with differential privacy, from a budget that lasts."""
    from tacita.queries.policies.private_answers import PrivateAnswers

    serve_guarded(folder, PrivateAnswers(1.0, share_each=1e-7))


def serve_guarded(folder: Path, policy: Method) -> None:
    """Serve the records behind tokens, a policy and a ledger."""
    import tacita as ta
    from tacita.queries.guard import Guard
    from tacita.queries.ledger.ledger import open_ledger
    from tacita.queries.public_classes import PublicClasses
    from tacita.server.running import ready
    from tacita.server.settings import Listening, Settings
    from tacita.server.tokens import Tokens

    data = PublicClasses.of(ta.read(folder / "people.parquet", roles=ROLES), "people")
    own = folder / policy.name
    own.mkdir()
    ledger = open_ledger(own / "ledger.db", b"the key of a benchmark", own / "anchor.json")
    guard = Guard(data, [policy], ledger=ledger)
    settings = Settings(rate=100_000, rate_of_all=100_000)
    server = ready(guard, Tokens(folder / "tokens.json"), settings, Listening(port=0))
    print(server.url, flush=True)
    server.run()


def serve_plain(folder: Path) -> None:
    """Serve DuckDB without any protection."""
    import duckdb
    import uvicorn
    from fastapi import FastAPI

    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE people AS FROM '{folder / 'people.parquet'}'")
    app = FastAPI()

    def query(question: Question) -> dict[str, object]:
        cursor = connection.cursor().execute(question.sql, question.parameters)
        return {"rows": cursor.fetchall()}

    app.post("/query")(query)
    taken = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    taken.bind(("127.0.0.1", 0))
    taken.listen()
    print(f"http://127.0.0.1:{taken.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False)).run([taken])


def client(url: str, token: str, first: int, many: int, repeated: bool) -> list[float]:
    """Ask many counts over one connection; return how long each took."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc)
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    asked, took = [one.model_dump_json() for one in questions(repeated=repeated)], []
    for i in range(first, first + many):
        begun = time.perf_counter()
        connection.request("POST", "/query", asked[i % len(asked)], headers)
        reply = connection.getresponse()
        said = reply.read()
        assert reply.status == 200, said
        took.append(time.perf_counter() - begun)
    return took


def measured(url: str, pid: int, token: str, chosen: argparse.Namespace) -> dict[str, float]:
    each = chosen.requests // chosen.clients
    warm = max(20, each // 10)
    with multiprocessing.get_context("spawn").Pool(chosen.clients) as clients:

        def ask(many: int, before: int) -> list[float]:
            places = [before + i * many for i in range(chosen.clients)]
            jobs = [(url, token, place, many, chosen.repeated) for place in places]
            return [second for one in clients.starmap(client, jobs, 1) for second in one]

        ask(warm, 0)  # everything is loaded
        before, begun = _cpu(pid), time.perf_counter()
        took = ask(each, warm * chosen.clients)
        wall = time.perf_counter() - begun
    low, high = np.percentile(took, [50, 95])
    cpu = 1000 * (_cpu(pid) - before) / len(took)
    return {"per_s": len(took) / wall, "cpu_ms": cpu, "p50": 1000 * low, "p95": 1000 * high}


def _cpu(pid: int) -> float:
    """Return the CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def race(chosen: argparse.Namespace) -> None:
    """Let all servers answer one after the other, and print them side by side."""
    from tacita.server.tokens import Tokens

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_data(folder, chosen.records)
        _, token = Tokens(folder / "tokens.json").add("ana", "analyst")
        commands = {
            who: [sys.executable, __file__, "--serve", who, "--folder", name] for who in SERVERS
        }
        rows = {}
        print(f"{'':<14}{'per s':>9}{'CPU ms':>9}{'p50 ms':>9}{'p95 ms':>9}{'peak MB':>9}")
        for who, command in commands.items():
            with running(command) as (url, pid):
                row = rows[who] = measured(url, pid, token, chosen)
                figures = "".join(f"{value:>9.2f}" for value in row.values())
                print(f"{who:<14}{figures}{peak_mb(pid):>9.0f}", flush=True)
    bare = rows.pop("bare DuckDB")
    for who, row in rows.items():
        print(f"answers per second, {who} to bare: {row['per_s'] / bare['per_s']:.2f}")


SERVERS = {"restricted": serve_restricted, "private": serve_private, "bare DuckDB": serve_plain}


def added(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Return a parser that asks how many records, clients and requests there are as well."""
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--requests", type=int, default=4000)
    parser.add_argument("--repeated", action="store_true", help="240 counts that come again")
    return parser


if __name__ == "__main__":
    options = added(argparse.ArgumentParser(description=__doc__))
    options.add_argument("--serve", choices=SERVERS, help=argparse.SUPPRESS)
    options.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.serve:
        SERVERS[given.serve](given.folder)
    else:
        race(given)

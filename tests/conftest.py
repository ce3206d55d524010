"""What several tests start from, and a PostgreSQL server of one's own while they run."""

from __future__ import annotations

import gc
import os
import pwd
import re
import shlex
import shutil
import socket
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes.util import find_library
from functools import wraps
from itertools import count
from math import ceil
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
from adbc_driver_postgresql import dbapi
from coverage import Coverage
from hypothesis import HealthCheck, is_hypothesis_test, settings
from hypothesis.internal.conjecture import providers
from playwright.sync_api import expect, sync_playwright
from scipy import stats
from xdist.scheduler import LoadFileScheduling

import tacita as ta
from tacita.data.dataset import Dataset

PASSWORD = "an open secret"  # noqa: S105 - of a server that lives for a minute
EMPTIED = (
    "DROP OWNED BY ana CASCADE",
    "DROP SCHEMA IF EXISTS public CASCADE",
    "CREATE SCHEMA public AUTHORIZATION ana",
    "GRANT CREATE ON DATABASE postgres TO ana",
)
SETTINGS = "-c fsync=off -c full_page_writes=off -c synchronous_commit=off -c shared_buffers=16MB"

Need = Callable[[str], str]
NEEDS = "needs "  # how the reason begins where a program is missing
NAMES = {"pg_ctl": "a PostgreSQL server (initdb, pg_ctl)", "java": "Java", "readstat": "ReadStat"}

PORTS = 5  # that are tried before a server is given up
ENGINES = "tests/engines/"
# Files whose tests wait for programs, browsers and releases of many records.
SLOW = re.compile(r"^tests/(app|cli|engines|release|server|test_\w+\.py)|_in_browser")
PATIENCE = 120_000  # milliseconds that a browser may take for anything, beside much other work
RECORDED = 10  # examples of a law that are recorded
ALARM = 1e-10  # the chance that one look at noise that cannot be seeded is a false alarm, at most
VARIED = (  # what `make deep` varies besides examples
    "PYTHONHASHSEED",
    "NPY_DISABLE_CPU_FEATURES",
    "NUMBA_CPU_NAME",
    "NUMBA_CPU_FEATURES",
    "NUMBA_NUM_THREADS",
    "OPENBLAS_CORETYPE",
    "OPENBLAS_NUM_THREADS",
    "ARROW_USER_SIMD_LEVEL",
)

# Threads are also tested where there is one core; numba asks for their number when first loaded.
if hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) < 2:
    os.environ.setdefault("NUMBA_NUM_THREADS", "2")

# Every machine draws the same examples; what else was ever found is an explicit example.
settings.register_profile(
    "tacita",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=60,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tacita")
# Hypothesis also draws constants from whatever modules of the project are loaded at the moment,
# which depends on the tests that ran before in the same process.
NO_CONSTANTS = providers.Constants()
providers._get_local_constants = lambda: NO_CONSTANTS


def pytest_addoption(parser: pytest.Parser) -> None:
    deep = parser.getgroup("laws", "property tests, explored at random (make deep)")
    deep.addoption("--times", type=float, help="draw so many times the examples of every law")
    deep.addoption("--numeric", type=int, help="draw so many examples of laws of numbers")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """Let garbage be looked for only among what tests make: what is collected stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark laws; where they are explored, let each draw more examples, at random."""
    laws: dict[Any, bool] = {}
    for item in items:
        law = getattr(item, "obj", None)
        if is_hypothesis_test(law):
            item.add_marker("law")
            is_numeric = item.get_closest_marker("numeric") is not None
            laws[getattr(law, "__func__", law)] = is_numeric
    for law, is_numeric in laws.items():
        usual = law._hypothesis_internal_use_settings
        law._hypothesis_internal_use_settings = _explored(config, usual, is_numeric=is_numeric)


def _explored(config: pytest.Config, usual: settings, *, is_numeric: bool = False) -> settings:
    """Return how a law is explored."""
    times = config.getoption("times")
    if times is None:
        return usual
    examples = max(ceil(usual.max_examples * times), 1)
    if is_numeric:
        examples = max(examples, config.getoption("numeric") or 0)
    return settings(usual, derandomize=False, max_examples=examples)


@pytest.fixture
def law_settings(pytestconfig: pytest.Config) -> Callable[[int], settings]:
    """How a law is tried that is made inside of a test, by its usual number of examples."""
    return lambda examples: _explored(pytestconfig, settings(max_examples=examples))


def _tell_again(terminalreporter: Any, config: pytest.Config) -> None:
    """Say how each law that failed at random is tried again in the same way."""
    times, seed = config.getoption("times"), config.getoption("hypothesis_seed")
    if times is None:
        return
    changed = [f"{name}={shlex.quote(os.environ[name])}" for name in VARIED if name in os.environ]
    numeric = config.getoption("numeric")
    more = f"--times {times:g}" + (f" --numeric {numeric}" if numeric else "")
    for report in terminalreporter.getreports("failed"):
        terminalreporter.write_line(
            f"again: {' '.join(changed)} .venv/bin/python -m pytest {more} "
            f"--hypothesis-seed={seed} {shlex.quote(report.nodeid)}"
        )


class Chance:
    """What noise that cannot be seeded may come to, by its exact law.

    Each look has a false alarm with the chance `ALARM` at most: tails are exact, or bounded for any
    number of draws. Approximations by the normal law are off by orders of magnitude that far out.
    """

    def allows(self, law: Any, number: float) -> bool:
        """Tell whether a number may come from a law of SciPy: neither too low nor too high."""
        return law.cdf(number) > ALARM / 2 and self._reached(law, number) > ALARM / 2

    def allows_up_to(self, law: Any, number: float) -> bool:
        """Tell whether a number is not too high for a law, or for one that is lower."""
        return self._reached(law, number) > ALARM

    def allows_counts(self, seen: Sequence[int], law: Sequence[float]) -> bool:
        """Tell whether counts may come from draws with these chances: each by its binomial law."""
        draws, share = sum(seen), np.array(law) / np.sum(law)
        counts = stats.binom(draws, share)
        tails = np.minimum(counts.cdf(seen), counts.sf(np.array(seen) - 1))
        return bool((tails > ALARM / 2 / len(share)).all())

    def allows_sample(self, law: Any, numbers: Sequence[float]) -> bool:
        """Tell whether draws may come from a law, by the largest gap between distributions.

        The bound of Dvoretzky, Kiefer, Wolfowitz and Massart holds for whole numbers, too.
        """
        gap = stats.kstest(numbers, law.cdf).statistic
        return bool(2 * np.exp(-2 * len(numbers) * gap**2) > ALARM)

    @staticmethod
    def _reached(law: Any, number: float) -> float:
        return float(law.sf(np.nextafter(number, -np.inf)))


@pytest.fixture(scope="session")
def chance() -> Chance:
    """How noise is looked at that cannot be seeded."""
    return Chance()


class ByFile(LoadFileScheduling):
    """Hands whole files to workers, those of the engines to one: their Spark starts slowly.

    Slow files come first, so that no worker waits long for the last of another.
    """

    def _split_scope(self, nodeid: str) -> str:
        return ENGINES if nodeid.startswith(ENGINES) else super()._split_scope(nodeid)

    def _assign_work_unit(self, node: Any) -> None:
        slow = next((scope for scope in self.workqueue if SLOW.search(scope)), None)
        if slow is not None:
            self.workqueue.move_to_end(slow, last=False)
        super()._assign_work_unit(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile | None:
    return ByFile(config, log) if config.getoption("dist") == "loadfile" else None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Record what lines a law reaches by its first examples: while recorded, all is slower."""
    recording, law = Coverage.current(), getattr(getattr(item, "obj", None), "hypothesis", None)
    if recording is None or law is None:
        return (yield)
    test, examples = law.inner_test, count()

    @wraps(test)
    def run(*arguments: Any, **named: Any) -> Any:
        if next(examples) == RECORDED:
            recording.stop()
        return test(*arguments, **named)

    law.inner_test = run
    try:
        return (yield)
    finally:
        law.inner_test = test
        if next(examples) > RECORDED:
            recording.start()


def found(program: str) -> str | None:
    """Find a program, also where Debian keeps PostgreSQL's and where Java says that it lies."""
    if program == "libatomic":
        return find_library("atomic")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda at: -float(at.parts[-2]))
    if "JAVA_HOME" in os.environ:
        folders.append(Path(os.environ["JAVA_HOME"]) / "bin")
    return shutil.which(program, path=os.pathsep.join([*map(str, folders), os.environ["PATH"]]))


@pytest.fixture(scope="session")
def need() -> Need:
    """Finds a program. Where it is not installed the test is skipped, but fails in CI."""

    def needed(program: str) -> str:
        at = found(program)
        if at is None:
            tell = pytest.fail if os.environ.get("CI") else pytest.skip
            tell(f"{NEEDS}{NAMES.get(program, program)}")
        return at

    return needed


@pytest.fixture(scope="session")
def chromium(need: Need) -> str:
    return need("chromium")


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtestloop(session: pytest.Session) -> Iterator[None]:
    """Ask for no coverage where programs are missing: what they reach cannot be reached."""
    ran = yield
    coverage = session.config.pluginmanager.getplugin("_cov")
    if coverage and any(why.startswith(NEEDS) for why in _skipped(session.config)):
        coverage.options.cov_fail_under = 0
    return ran


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    _tell_again(terminalreporter, config)
    _tell_skipped(terminalreporter, config)


def _tell_skipped(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what was skipped, a line a reason."""
    skipped = _skipped(config)
    if skipped:
        terminalreporter.section("skipped")
    for why, tests in skipped.most_common():
        terminalreporter.line(f"{tests:5} {'test' if tests == 1 else 'tests'}: {why}")
    if any(why.startswith(NEEDS) for why in skipped):
        terminalreporter.line("Programs are missing, so that no coverage is asked for.")


def _skipped(config: pytest.Config) -> Counter[str]:
    """Count skipped tests by the reason."""
    reporter = config.pluginmanager.getplugin("terminalreporter")
    reports = reporter.stats.get("skipped", []) if reporter else []
    return Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)


@pytest.fixture(scope="module")
def browser(chromium: str, need: Need) -> Iterator[Any]:
    """A browser without a window. While it is open nothing else may wait for events here, so that
    it is closed with the tests of a file."""
    need("libatomic")  # which the driver is linked with
    with sync_playwright() as driver:
        expect.set_options(timeout=PATIENCE)
        opened = driver.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"], timeout=PATIENCE
        )
        opened.on("context", lambda made: made.set_default_timeout(PATIENCE))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def toy() -> Dataset:
    """Three hundred records with an attribute of every kind and role."""
    return ta.example("toy", 300)


@pytest.fixture(scope="session")
def patients() -> Dataset:
    """Two thousand hospital discharges."""
    return ta.example("patients", 2000)


class Server:
    """A running server, how to reach it, and a connection for each role that makes things ready."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.connections: dict[str, dbapi.Connection] = {}

    def address(
        self, user: str = "ana", password: str = PASSWORD, database: str = "postgres"
    ) -> str:
        said = password.replace(" ", "%20")
        return f"postgresql://{user}:{said}@127.0.0.1:{self.port}/{database}"

    def run(self, *statements: str, user: str = "ana") -> list[tuple]:
        """Run statements, each at once; return the rows of the last."""
        if user not in self.connections:
            self.connections[user] = dbapi.connect(self.address(user), autocommit=True)
        with self.connections[user].cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall() if statements[-1].startswith("SELECT") else []

    def close(self) -> None:
        for connection in self.connections.values():
            connection.close()


@pytest.fixture(scope="session")
def postgresql_server(need: Need) -> Iterator[Server]:
    """A server for as long as the tests run."""
    with running_server(Path(need("pg_ctl")).parent) as server:
        yield server


@contextmanager
def running_server(programs: Path) -> Iterator[Server]:
    """Start a server in a temporary folder and stop it at the end, whatever happens."""
    folder = Path(mkdtemp(prefix="tacita-postgresql-"))
    try:
        server = Server(_start(programs, folder))
        server.run(f"CREATE ROLE ana LOGIN PASSWORD '{PASSWORD}'", *EMPTIED, user="postgres")
        yield server
        server.close()
    finally:
        _command(programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop", check=False)
        shutil.rmtree(folder)


@pytest.fixture
def postgresql(postgresql_server: Server) -> Server:
    """The server, with nothing in it."""
    postgresql_server.run(*EMPTIED, user="postgres")
    return postgresql_server


def _start(programs: Path, folder: Path) -> int:
    """Make a database cluster, start its server and return its port."""
    if os.geteuid() == 0:  # the server refuses to run as root
        os.chown(folder, pwd.getpwnam("postgres").pw_uid, -1)
    password = folder / "password"
    password.write_text(PASSWORD)
    password.chmod(0o644)
    access = ("--auth=scram-sha-256", f"--pwfile={password}", "--username=postgres")
    how = ("--no-sync", "--no-locale", "--encoding=UTF8")
    _command(programs / "initdb", "-D", folder / "data", *access, *how)
    starting = (programs / "pg_ctl", "-D", folder / "data", "-w", "-t", "600", "-l", folder / "log")
    for left in reversed(range(PORTS)):
        port = _free_port()  # unless somebody else takes it before the server does
        options = f"-p {port} -c unix_socket_directories= -c listen_addresses=127.0.0.1 {SETTINGS}"
        if not _command(*starting, "-o", options, "start", check=not left):
            break
    return port


def _command(*words: str | Path, check: bool = True) -> int:
    owner = "postgres" if os.geteuid() == 0 else None
    # Not through pipes: the server would keep them open, and the end of them would never come.
    done = subprocess.run(
        words,
        user=owner,
        check=check,
        cwd="/",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return done.returncode


def _free_port() -> int:
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return int(asked.getsockname()[1])


@pytest.fixture(autouse=True, scope="session")
def no_home(tmp_path_factory) -> Iterator[None]:
    """Let keys and heads of ledgers lie in a folder of the tests, which no other run knows."""
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            patch.setenv(variable, str(tmp_path_factory.mktemp(variable.lower())))
        yield

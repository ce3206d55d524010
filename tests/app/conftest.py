"""Workbenches for tests, and people who use them."""

from __future__ import annotations

import multiprocessing
import os
import pkgutil
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import cycle
from types import SimpleNamespace
from typing import Any, get_args

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright import sync_api

from tacita.app import jobs
from tacita.app.bench import Bench
from tacita.app.hands import hand, tasks
from tacita.app.hands.hand import Hand
from tacita.app.jobs import Lane
from tacita.app.rooms.drawing import kept
from tacita.app.running import Running, ready
from tacita.app.workplace import Workplace

LOADED = (  # what processes that work load sooner or later
    "pandas",
    "numba.np.linalg",
    "scipy.linalg.cython_blas",
    "tacita.app.hands.working",
    *(found.name for found in pkgutil.iter_modules(tasks.__path__, f"{tasks.__name__}.")),
)
WARM = multiprocessing.get_context("forkserver")
WARM.set_forkserver_preload([*LOADED])
BEGIN = "import os; os.environ.clear(); os.environ.update(given); first and first()"


def _process(target: Any, args: tuple[Any, Any], daemon: bool) -> Any:
    connection, first = args
    begin = partial(exec, BEGIN, {"given": {**os.environ}, "first": first})
    return WARM.Process(target=target, args=(connection, begin), daemon=daemon)


@pytest.fixture
def warm_start(monkeypatch) -> None:
    """Let processes that work be copies of one in which all is loaded, which takes seconds.

    How they start where people work is tested in `hands/test_hand.py`.
    """
    copies = SimpleNamespace(Pipe=WARM.Pipe, Process=_process)
    way = SimpleNamespace(get_context=lambda _: copies)
    monkeypatch.setattr(hand, "multiprocessing", way)


class Kept(Hand):
    """A process that goes on with the next test; what works is ended as always.

    Where the environment has changed, in which keys and settings are found, another one begins.
    """

    _within: dict[str, str] | None = None

    def _started(self, job: str) -> Any:
        within = {
            name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"
        }
        if self._within != within:
            Hand.stop(self)
            self._within = within
        return super()._started(job)

    def stop(self, job: str | None = None) -> None:
        if self._job:
            super().stop(job)


@pytest.fixture(scope="session")
def hands() -> Iterator[list[Hand]]:
    """One process a lane, but for guards, which hold ledgers open."""
    made = [Hand() if lane == "guard" else Kept() for lane in get_args(Lane)]
    yield made
    for one in made:
        Hand.stop(one)


@pytest.fixture
def kept_hands(hands, warm_start, monkeypatch) -> None:
    """Let workbenches share processes that are warm, which take seconds to start."""
    every = cycle(hands)
    monkeypatch.setattr(jobs, "Hand", lambda: next(every))


@pytest.fixture
def bench(tmp_path, warm_start) -> Iterator[Bench]:
    made = Bench.at(Workplace.at(tmp_path))
    yield made
    made.jobs.close()


@pytest.fixture
def running(tmp_path, warm_start) -> Iterator[Running]:
    """A workbench that runs."""
    made = ready(Workplace.at(tmp_path))
    thread = threading.Thread(target=made.run)
    thread.start()
    yield made
    made.stop()
    thread.join()


class Person(httpx.Client):
    """Somebody who opened the workbench: with its cookie, and its proof in every change."""

    def __init__(self, running: Running) -> None:
        super().__init__(
            base_url=running.url.partition("/?")[0], timeout=300, trust_env=False,
            follow_redirects=True,
        )  # fmt: skip
        self.bench = running.bench
        self.headers["X-Tacita-Proof"] = running.bench.keys.proof

    def fill(self, place: str, **fields: str | list[str]) -> dict:
        """Send a form, and return what came back."""
        form = {name: [one] if isinstance(one, str) else one for name, one in fields.items()}
        reply = self.post(place, json=form)
        return {"status": reply.status_code, **reply.json()}

    def shown(self, place: str) -> str:
        """Return a part of a page when the jobs that it waits for are over."""
        while 'data-job="' in (text := self.get(place).text):
            job = self.get(f"/jobs/{text.split('data-job=')[1][1:13]}?wait=true").json()
            if job["state"] == "failed":  # the page says why, or asks for it again
                shown = self.get(place).text
                return job["error"] if 'data-job="' in shown else shown
        return text


@pytest.fixture
def person(running) -> Iterator[Person]:
    with Person(running) as opened:
        opened.get(f"/?token={running.bench.keys.issue()}")
        yield opened


@pytest.fixture(scope="session")
def vega(tmp_path_factory) -> Any:
    """The library that draws, which takes seconds to make."""
    return kept(tmp_path_factory.mktemp("vega"))


# Counts what a page waits for: parts of it that are loaded, pictures that are drawn, the next page.
# News of jobs do not count, for a job is seen in the page.
COUNTING = """(() => {
  const drawn = new WeakSet(), { fetch } = window, { text } = Response.prototype;
  let waiting = 0, leaves = false;
  const over = () => setTimeout(() => { waiting -= 1; }); // after what the page does at once
  window.fetch = (address, options) => {
    if (String(address).startsWith("/jobs/")) return fetch(address, options);
    waiting += 1;
    return fetch(address, options).then(
      (reply) => { reply.counts = true; return reply; }, (error) => { over(); throw error; });
  };
  Response.prototype.text = function () {
    const read = text.call(this);
    return this.counts ? read.finally(over) : read;
  };
  document.addEventListener("drawn", (event) => drawn.add(event.target));
  navigation.addEventListener("navigate", (event) => {
    leaves ||= !event.destination.sameDocument && event.downloadRequest === null;
  });
  window.isSettled = () => document.readyState === "complete" && !leaves && !waiting
    && !document.querySelector("[data-job]")
    && [...document.querySelectorAll("figure[data-plot]")].every((one) => drawn.has(one));
})()"""
LOOKS, SOON = 2400, 50  # how often it is looked whether a page has settled, milliseconds between


@pytest.fixture
def come_in() -> Callable[[Any, Running], None]:
    """Opens the workbench in a page of a browser, which can then be waited for."""
    return _come_in


def _come_in(page: Any, running: Running) -> None:
    """Open the workbench by its address, and go on to where that leads."""
    page.context.add_init_script(COUNTING)
    page.settled = partial(_settled, page)
    page.accessible = partial(_accessible, page)
    page.goto(running.url)
    page.wait_for_url(running.url.partition("?")[0])


def _settled(page: Any) -> None:
    """Wait until a page has nothing more to do; its own policy lets nothing be waited for in it."""
    for _ in range(LOOKS):
        with suppress(sync_api.Error):  # the page was left meanwhile
            if page.evaluate("isSettled()"):
                return
        page.wait_for_timeout(SOON)
    raise AssertionError(f"{page.url} does not come to rest")


@pytest.fixture
def page(browser, running, vega, come_in) -> Iterator[Any]:
    """The workbench in a browser, with what the page complains of and asks of other machines."""
    shutil.copy(vega, running.bench.workplace.session / vega.name)
    own = running.url.partition("/?")[0]
    page = browser.new_page(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page.errors, page.elsewhere = [], []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda said: page.errors.append(said.text) if said.type == "error" else None)
    page.on("request", lambda asked: _note(page, asked.url, own))
    come_in(page, running)
    yield page
    page.close()


def _note(page: Any, asked: str, own: str) -> None:
    if not asked.startswith((own, "data:", "blob:")):
        page.elsewhere.append(asked)


def _accessible(page: Any) -> None:
    """Let nobody be shut out of a page."""
    page.settled()
    found = Axe().run(page).response["violations"]
    told = [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found]
    assert told == []

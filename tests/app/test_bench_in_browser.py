"""What all pages do: bring files in, wait for work, survive other tabs and restarts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tacita.app import jobs
from tacita.app.hands.hand import Hand
from tacita.app.running import Running, ready
from tacita.app.workplace import Workplace

TOY = {"data": {"example": {"toy": 60}}}


class Dawdling(Hand):
    """A process whose work never comes to its end by itself."""

    def __init__(self) -> None:
        super().__init__()
        self._stopped = threading.Event()

    def do(self, job: str, asked: Any, tell: Any) -> Any:
        def late() -> dict[str, Any]:
            self._stopped.wait()
            return asked()

        self._stopped.clear()
        return super().do(job, late, tell)

    def stop(self, job: str | None = None) -> None:
        super().stop(job)
        self._stopped.set()


@pytest.fixture
def dawdling(monkeypatch) -> None:
    """Let work last as long as a test needs it."""
    monkeypatch.setattr(jobs, "Hand", Dawdling)


def drop(page: Any, on: str, *files: tuple[str, str]) -> None:
    """Drop files as a person does who drags them from the desktop."""
    held = page.evaluate_handle(
        """(files) => {
            const held = new DataTransfer();
            for (const [name, text] of files) held.items.add(new File([text], name));
            return held;
        }""",
        list(files),
    )
    for kind in ("dragover", "drop"):
        page.dispatch_event(on, kind, {"dataTransfer": held})


def place_of(running: Any) -> str:
    project = running.bench.projects.begin("toy", TOY, "made")
    return f"{running.url.partition('/?')[0]}/p/{project.identifier}"


@pytest.mark.parametrize("where", ["[data-drop]", "h2"])
def test_a_file_is_dropped_and_opened(page, running, where):
    drop(page, where, ("my data.csv", "a,b\n1,2\n3,4\n"))
    page.wait_for_url("**/data")
    page.wait_for_selector("p:has-text('2 records, 2 attributes')")
    assert running.bench.workplace.files() == ["my data.csv"]
    assert page.errors == []


def test_what_cannot_be_opened_says_why(page, running):
    drop(page, "[data-drop]", ("virus.exe", "MZ"))
    page.wait_for_selector("#alert:has-text('virus.exe cannot be opened: expected a data file')")
    drop(page, "[data-drop]", ("a.csv", "1"), ("b.csv", "2"))
    page.wait_for_selector("#alert:has-text('one file at a time')")
    page.set_input_files("[data-upload]", {"name": "a.doc", "mimeType": "x/y", "buffer": b"1"})
    page.wait_for_selector("#alert:has-text('a.doc cannot be opened')")
    page.evaluate("document.querySelector('[data-drop]').dataset.largest = 3")
    drop(page, "[data-drop]", ("a.csv", "12345"))
    page.wait_for_selector("#alert:has-text('put it into the folder by hand')")
    page.evaluate("document.getElementById('alert').textContent = ''")
    drop(page, "[data-drop]", ("plan.yaml", "data: {sorce: a.csv}\n"))
    page.wait_for_selector("#alert:has-text('larger than')")
    page.evaluate("document.querySelector('[data-drop]').dataset.largest = 1e9")
    drop(page, "[data-drop]", ("plan.yaml", "data: {sorce: a.csv}\n"))
    page.wait_for_selector("#alert:has-text('sorce')")
    assert running.bench.workplace.files() + running.bench.workplace.plans() == []


def test_the_choice_of_a_file_is_reached_with_the_keyboard(page):
    page.focus("[data-upload]")
    assert page.evaluate("document.activeElement.type") == "file"
    ring = page.evaluate("getComputedStyle(document.querySelector('.link')).outlineStyle")
    assert ring == "solid"  # where the keyboard is can be seen


@pytest.mark.usefixtures("dawdling")
def test_a_page_that_outlives_the_workbench_says_what_to_do(browser, tmp_path, come_in):
    context = browser.new_context()
    page = context.new_page()
    with begun(tmp_path) as first:
        place = place_of(first)
        come_in(page, first)
        page.goto(f"{place}/data")
        expect(page.locator("[data-job]")).to_have_count(2)
        wait_until_followed(first, page.locator("[data-job]").last.get_attribute("data-job"))
    page.wait_for_selector(".wrong:has-text('open the workbench again')")
    page.wait_for_selector("[data-job]", state="detached")  # nothing spins
    page.evaluate("import('/static/bench.js').then((bench) => bench.load(main, '/'))")
    page.wait_for_selector("#main > .wrong:has-text('open the address it prints')")

    with begun(tmp_path, int(place.split(":")[2].split("/")[0])) as second:
        page.reload()
        page.wait_for_selector("text=Open the workbench with the address")
        other = context.new_page()  # the person does what the sentence says
        come_in(other, second)
        other.goto(f"{place}/data")
        other.wait_for_selector("[data-job]")
        assert other.title() == "toy - Tacita"
        context.close()


@contextmanager
def begun(folder: Path, port: int = 0) -> Iterator[Running]:
    made = ready(Workplace.at(folder), port=port)
    thread = threading.Thread(target=made.run)
    thread.start()
    try:
        yield made
    finally:
        made.stop()
        thread.join()


def wait_until_followed(running: Running, job: str) -> None:
    """Wait until the page waits for news of a job, which the workbench looks for again and again."""
    looked, get = threading.Semaphore(0), running.bench.jobs.get

    def getting(identifier: str) -> jobs.Job:
        if identifier == job:
            looked.release()
        return get(identifier)

    running.bench.jobs.get = getting
    assert all(looked.acquire(timeout=120) for _ in range(3))


@pytest.mark.usefixtures("dawdling")
def test_a_process_that_is_gone_for_good_is_given_up(page, running):
    page.route("**/jobs/*", lambda route: route.abort())
    page.goto(f"{place_of(running)}/data")
    expect(page.locator(".wrong:has-text('open the address it prints')")).to_have_count(2)
    expect(page.locator("[data-job]")).to_have_count(0)  # nothing spins for ever


def test_a_change_that_nobody_takes_says_so(page, running):
    page.goto(f"{place_of(running)}/roles")
    page.wait_for_selector("tbody th")
    page.route("**/roles", refuse_changes)
    page.click("main form button.main, main form button:has-text('Keep')")
    page.wait_for_selector("#alert:has-text('open the address it prints')")
    (project,) = running.bench.projects.all()
    assert len(project.variants) == 1


def refuse_changes(route: Any) -> None:
    route.abort() if route.request.method == "POST" else route.continue_()


def test_two_tabs_say_what_the_other_did_and_lose_nothing(browser, running, come_in):
    place = place_of(running)
    projects = running.bench.projects
    name = place.rpartition("/")[2]
    projects.change(name, {**TOY, "microdata": {"steps": [{"sample": 0.9}]}}, "first")
    context = browser.new_context()
    page, other = context.new_page(), context.new_page()
    come_in(page, running)
    for tab in (page, other):
        tab.goto(f"{place}/protect")
    for tab, fraction in ((page, "0.5"), (other, "0.25")):
        tab.select_option("#choose", "sample")
        tab.wait_for_selector("#chosen h3")
        tab.fill("#p-fraction", fraction)
    page.click("#chosen button.main")
    page.wait_for_selector(".tree [aria-current]:has-text('2')")
    other.wait_for_selector("#alert:has-text('changed in another tab; load')")
    other.click("text=Undo")
    other.wait_for_selector("#alert:has-text('changed in another tab meanwhile; load')")
    assert projects.get(name).current == 2
    other.click("#chosen button.main")
    other.wait_for_selector(".notice:has-text('began a branch')")
    found = projects.get(name)
    assert [one.parent for one in found.variants] == [None, 0, 1, 1]
    assert [one.beside for one in found.variants] == [None, None, None, 2]
    page.reload()
    expect(page.locator(".tree li")).to_have_count(4)
    context.close()


@pytest.mark.usefixtures("dawdling")
def test_a_reload_during_work_finds_it_again_and_it_can_be_stopped(page, running):
    page.goto(f"{place_of(running)}/data")
    page.wait_for_selector(".card:first-of-type [data-job]")
    job = page.get_attribute(".card:first-of-type [data-job]", "data-job")
    page.reload()
    page.wait_for_selector(f"[data-job='{job}']")
    page.click(f"[data-job='{job}'] [data-stop]")
    page.wait_for_selector(".wrong:has-text('it was stopped')")
    assert running.bench.jobs.get(job).state == "stopped"


def test_a_link_of_another_page_leads_in_and_leaves_no_token(browser, running):
    page = browser.new_page()
    page.route(
        "http://elsewhere.example/",
        lambda route: route.fulfill(
            body=f'<a href="{running.url}">go</a>', content_type="text/html"
        ),
    )
    page.goto("http://elsewhere.example/")
    page.click("a")
    page.wait_for_selector("h1:has-text('Open')")
    assert "token" not in page.url
    assert page.evaluate("document.referrer") == ""
    page.close()

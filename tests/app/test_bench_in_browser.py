"""What all pages do: bring files in, wait for work, survive other tabs and restarts."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from tacita.app.running import ready
from tacita.app.workplace import Workplace

TOY = {"data": {"example": {"toy": 60}}}
LARGE = {"data": {"example": {"patients": 5_000_000}}}


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


def place_of(running: Any, plan: dict[str, Any] = TOY) -> str:
    project = running.bench.projects.begin("toy", plan, "made")
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


def test_a_page_that_outlives_the_workbench_says_what_to_do(browser, tmp_path):
    first, thread = begun(tmp_path)
    place = place_of(first, LARGE)
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto(first.url)
    page.goto(f"{place}/data")
    page.wait_for_selector("[data-job]")
    first.stop()
    thread.join()
    page.wait_for_selector(".wrong:has-text('open the workbench again')")
    page.wait_for_selector("[data-job]", state="detached")  # nothing spins
    page.evaluate("import('/static/bench.js').then((bench) => bench.load(main, '/'))")
    page.wait_for_selector("#main .wrong:has-text('open the address it prints')")

    second, thread = begun(tmp_path, int(place.split(":")[2].split("/")[0]))
    page.reload()
    page.wait_for_selector("text=Open the workbench with the address")
    other = context.new_page()  # the person does what the sentence says
    other.goto(second.url)
    other.goto(f"{place}/data")
    other.wait_for_selector("[data-job]")
    assert other.title() == "toy - Tacita"
    context.close()
    second.stop()
    thread.join()


def begun(folder: Path, port: int = 0) -> tuple[Any, threading.Thread]:
    made = ready(Workplace.at(folder), port=port)
    thread = threading.Thread(target=made.run)
    thread.start()
    return made, thread


def test_a_process_that_is_gone_for_good_is_given_up(page, running):
    page.route("**/jobs/*", lambda route: route.abort())
    page.goto(f"{place_of(running, LARGE)}/data")
    page.wait_for_selector(".wrong:has-text('open the address it prints')")
    assert page.locator("[data-job]").count() == 0  # nothing spins for ever


def test_a_change_that_nobody_takes_says_so(page, running):
    page.goto(f"{place_of(running)}/roles")
    page.wait_for_selector("tbody th")
    page.route("**/roles", lambda route: route.abort() if route.request.method == "POST" else None)
    page.click("main form button.main, main form button:has-text('Keep')")
    page.wait_for_selector("#alert:has-text('open the address it prints')")
    (project,) = running.bench.projects.all()
    assert len(project.variants) == 1


def test_two_tabs_say_what_the_other_did_and_lose_nothing(browser, running):
    place = place_of(running)
    projects = running.bench.projects
    name = place.rpartition("/")[2]
    projects.change(name, {**TOY, "microdata": {"steps": [{"sample": 0.9}]}}, "first")
    context = browser.new_context()
    context.set_default_timeout(120_000)
    page, other = context.new_page(), context.new_page()
    page.goto(running.url)
    for tab in (page, other):
        tab.goto(f"{place}/protect")
    for tab, fraction in ((page, "0.5"), (other, "0.25")):
        tab.select_option("#choose", "sample")
        tab.wait_for_selector("#chosen h3")
        tab.fill("#p-fraction", fraction)
    page.click("#chosen button.main")
    page.wait_for_selector(".tree [aria-current]:has-text('2')")
    other.wait_for_selector("#alert:has-text('changed in another tab')")
    other.click("text=Undo")
    other.wait_for_selector("#alert:has-text('load this page again')")
    assert projects.get(name).current == 2
    other.click("#chosen button.main")
    other.wait_for_selector(".notice:has-text('began a branch')")
    found = projects.get(name)
    assert [one.parent for one in found.variants] == [None, 0, 1, 1]
    assert [one.beside for one in found.variants] == [None, None, None, 2]
    page.reload()
    assert page.locator(".tree li").count() == 4
    context.close()


def test_a_reload_during_work_finds_it_again_and_it_can_be_stopped(page, running):
    place = place_of(running, LARGE)
    page.goto(f"{place}/data")
    page.wait_for_selector("[data-job]")
    job = page.get_attribute("[data-job]", "data-job")
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

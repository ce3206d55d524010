"""Pages when answers come late, in another order than they were asked for, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.usefixtures("kept_hands")
TOY = {"data": {"example": {"toy": 60}}}
GUARDED = {"view": "toy", "ledger": "l.db", "tokens": "t.json", "policies": ["audit"]}
LOOKS = 6000  # twenty milliseconds each, before a test gives up
PART = """(act) => {
    const part = document.createElement("div");
    part.id = "part";
    document.querySelector("main").append(part);
    return import("/static/bench.js").then((bench) => { window.done = act(bench, part); });
}"""


def begun(running: Any, plan: dict[str, Any] = TOY) -> str:
    project = running.bench.projects.begin("toy", plan, "made")
    return f"{running.url.partition('/?')[0]}/p/{project.identifier}"


def hold(page: Any, pattern: str, method: str = "GET") -> list[Any]:
    """Hold requests back; a test lets them go when it is time."""
    held: list[Any] = []

    def holding(route: Any) -> None:
        held.append(route) if route.request.method == method else route.fallback()

    page.route(pattern, holding)
    return held


def until(page: Any, holds: Callable[[], bool]) -> None:
    for _ in range(LOOKS):
        if holds():
            return
        page.wait_for_timeout(20)
    pytest.fail("it did not happen")


def act(page: Any, script: str) -> None:
    """Let a script use what all pages share, on a part of its own."""
    page.evaluate(f"() => ({PART})({script})")


def tell(route: Any, text: str) -> None:
    route.fulfill(body=f"<p>{text}</p>", content_type="text/html")


def trying(page: Any, running: Any) -> list[Any]:
    """Fill in a method, and return the tries that are held up: one at first."""
    page.goto(f"{begun(running)}/protect")
    page.wait_for_selector("#measures table")
    page.select_option("#choose", "rank_swap")
    page.wait_for_selector("#chosen h3")
    held = hold(page, "**/protect/try", "POST")
    page.check("#chosen input[value=age]")
    until(page, lambda: len(held) == 1)
    return held


def test_a_form_that_is_pressed_twice_is_sent_once(page, running):
    held = hold(page, "**/projects", "POST")
    for _ in range(2):
        page.click("button:has-text('Make')")
    until(page, lambda: bool(held))
    page.click("button:has-text('Make')")
    assert len(held) == 1
    held[0].continue_()
    page.wait_for_url("**/data")
    assert len(running.bench.projects.all()) == 1


def test_a_form_that_was_refused_can_be_sent_again(page, running):
    page.fill("input[name=records]", "0")
    page.evaluate("document.querySelector('input[name=records]').form.noValidate = true")
    for _ in range(2):
        page.click("button:has-text('Make')")
        page.wait_for_selector("#alert:has-text('Expected a number of records')")
        page.evaluate("document.getElementById('alert').textContent = ''")
    page.fill("input[name=records]", "20")
    page.click("button:has-text('Make')")
    page.wait_for_url("**/data")
    assert len(running.bench.projects.all()) == 1


def test_a_part_shows_what_was_asked_for_last_whatever_comes_last(page):
    held = hold(page, "**/late")
    act(
        page, "(bench, part) => Promise.all([bench.load(part, '/late'), bench.load(part, '/late')])"
    )
    until(page, lambda: len(held) == 2)
    tell(held[1], "second")
    page.wait_for_selector("#part:has-text('second')")
    tell(held[0], "first")
    page.evaluate("window.done")
    assert page.inner_text("#part") == "second"


def test_a_part_that_was_emptied_stays_empty(page):
    held = hold(page, "**/late")
    act(
        page,
        "(bench, part) => { const all = bench.load(part, '/late'); bench.clear(part); return all; }",
    )
    until(page, lambda: len(held) == 1)
    tell(held[0], "late")
    page.evaluate("window.done")
    assert page.inner_html("#part") == ""


def test_of_two_changes_the_answer_to_the_last_stays(page):
    held = hold(page, "**/change", "POST")
    page.route("**/first", lambda route: tell(route, "first"))
    page.route("**/second", lambda route: tell(route, "second"))
    act(page, "(bench, part) => Promise.all([1, 2].map(() => bench.bring(part, '/change', {})))")
    until(page, lambda: len(held) == 2)
    held[1].fulfill(json={"load": "/second"})
    page.wait_for_selector("#part:has-text('second')")
    held[0].fulfill(json={"load": "/first"})
    page.evaluate("window.done")
    assert page.inner_text("#part") == "second"


def test_whoever_waits_for_work_hears_that_it_is_not_known_any_more(page):
    page.route("**/jobs/gone*", lambda route: route.fulfill(status=404, body="<main></main>"))
    job = "<div data-job='gone'><span data-step></span><progress></progress></div>"
    act(
        page,
        f"""(bench, part) => new Promise((done) => {{
            part.innerHTML = "{job}";
            bench.enliven(part);
            part.addEventListener("enlivened", done);
        }})""",
    )
    page.evaluate("window.done.then(() => true)")
    page.wait_for_selector("#part .wrong:has-text('not known any more')")
    assert page.query_selector("#part [data-job]") is None


def test_while_a_try_is_on_its_way_only_the_last_state_waits_for_its_turn(page, running):
    held = trying(page, running)
    for p in ("20", "30"):
        page.fill("#p-p", p)
        page.wait_for_timeout(600)  # more than it takes until something is tried
    assert len(held) == 1
    held[0].continue_()
    until(page, lambda: len(held) == 2)
    assert '"p:p":["30"]' in held[1].request.post_data
    held[1].continue_()
    page.wait_for_selector("#measures th:has-text('Tried')")


def test_a_try_that_is_refused_lets_the_next_have_its_turn(page, running):
    held = trying(page, running)
    page.fill("#p-p", "20")
    page.wait_for_timeout(600)
    held[0].fulfill(status=400, json={"detail": "It cannot be."})
    until(page, lambda: len(held) == 2)
    held[1].continue_()
    page.wait_for_selector("#measures th:has-text('Tried')")
    expect(page.locator("[data-refused]")).to_have_text("")


def test_a_file_that_is_dropped_before_the_modules_are_there_is_opened(page, running):
    held = hold(page, "**/static/bench.js")
    page.goto(running.url.partition("?")[0], wait_until="commit")
    page.wait_for_selector("[data-drop]")
    kept = page.evaluate(
        """() => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File(["a,b\\n1,2\\n"], "early.csv"));
            const kinds = ["dragover", "drop"];
            const events = kinds.map((kind) => new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer }));
            return events.map((event) => document.querySelector("[data-drop]").dispatchEvent(event));
        }"""
    )
    assert kept == [False, False]  # the browser does not leave the page for it
    until(page, lambda: bool(held))
    held[0].continue_()
    page.wait_for_url("**/data", wait_until="commit")  # the module of the next page is held too
    assert running.bench.workplace.files() == ["early.csv"]


def test_no_part_comes_before_the_modules_that_wait_for_it(page, running):
    held = hold(page, "**/static/map.js")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{begun(running)}/map", wait_until="commit")
    until(page, lambda: bool(held))
    page.evaluate("import('/static/bench.js').then(() => true)")
    page.wait_for_timeout(300)
    assert not [one for one in asked if "/map/drawn" in one]
    held[0].continue_()
    until(page, lambda: any("/map/drawn" in one for one in asked))


def test_a_word_is_completed_however_long_the_button_is_held_down(page, running):
    page.goto(f"{begun(running, {**TOY, 'queries': GUARDED})}/ask")
    page.settled()  # or what comes late would move the list away from the mouse
    page.fill("#sql", "")
    page.locator("#sql").press_sequentially("sel")
    word = page.locator("#words li", has_text="select").first.bounding_box()
    page.mouse.move(word["x"] + 5, word["y"] + 5)
    page.mouse.down()
    page.wait_for_timeout(500)
    page.mouse.up()
    expect(page.locator("#sql")).to_have_value("select")
    page.focus("#parameters")
    expect(page.locator("#words")).to_be_hidden()


def test_a_token_is_made_once(page, running):
    page.goto(f"{begun(running, {**TOY, 'queries': GUARDED})}/queries")
    held = hold(page, "**/queries/users", "POST")
    page.fill("#user", "ben")
    for _ in range(2):
        page.click("button:has-text('Let in')")
    until(page, lambda: bool(held))
    assert len(held) == 1
    held[0].continue_()
    page.wait_for_selector("#secret:has-text('The token of ben')")


def test_one_file_is_brought_in_at_a_time(page):
    held = hold(page, "**/files/*", "PUT")
    for name in ("a.csv", "b.csv"):
        page.set_input_files("[data-upload]", {"name": name, "mimeType": "x/y", "buffer": b"a\n1"})
    page.wait_for_selector("#alert:has-text('being brought in; wait for it')")
    until(page, lambda: bool(held))
    assert [one.request.url.rpartition("/")[2] for one in held] == ["a.csv"]
    held[0].continue_()
    page.wait_for_url("**/data")

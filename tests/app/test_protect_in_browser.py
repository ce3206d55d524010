"""Microdata as a person protects them in a browser: from the file to the verified release."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect

import tacita as ta

pytestmark = pytest.mark.usefixtures("kept_hands")
MANY = 100_000  # records that are searched for minutes, so that it can be seen and stopped


@pytest.fixture
def place(page, running) -> str:
    """A project with its roles said."""
    write_patients(running, 400)
    keys = {"age_yrs": "key", "sex": "key", "race": "key"}
    data = {"source": "patients.csv", "attributes": keys}
    plan = {"data": data, "microdata": {"measure": ["uniqueness", "suppression"]}}
    project = running.bench.projects.begin("patients.csv", plan, "opened")
    return f"{running.url.partition('/?')[0]}/p/{project.identifier}"


def write_patients(running, records: int) -> None:
    file = running.bench.workplace.folder / "patients.csv"
    ta.example("patients", records).write(file)


def choose(page, method: str) -> None:
    page.select_option("#choose", method)
    page.wait_for_selector(f"#chosen h3:has-text('{method}')")


def test_from_steps_to_a_release_that_the_command_line_verifies(page, place, running):
    page.goto(f"{place}/protect")
    page.wait_for_selector("#measures table")
    apply_undo_and_branch(page, running)
    require_and_look_for_risks(page)
    return_by_the_map(page, place, running)
    release_and_take_home(page, place)
    folder = running.bench.workplace.folder / "releases" / "for friends"
    command = [Path(sys.executable).with_name("tacita"), "verify", folder]
    verified = subprocess.run(command, capture_output=True, text=True, check=False)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert page.errors == []
    assert page.elsewhere == []


def apply_undo_and_branch(page, running) -> None:
    choose(page, "rank_swap")
    page.check("#chosen input[value=age_yrs]")
    page.fill("#p-p", "10")
    page.wait_for_selector("#measures th:has-text('Tried')")
    assert len(running.bench.projects.all()[0].variants) == 1  # nothing is kept yet
    page.click("#chosen button.main")
    page.wait_for_selector(".steps .what:has-text('rank_swap')")
    page.keyboard.press("Control+z")
    page.wait_for_selector("text=The data are released as they are")
    choose(page, "mondrian")
    page.check("#chosen input[value=k_anonymity]")
    page.fill("#m-k_anonymity-k", "5")
    page.wait_for_selector("#measures th:has-text('Tried')")
    page.accessible()
    page.click("#chosen button.main")
    page.wait_for_selector(".steps .what:has-text('mondrian')")
    expect(page.locator(".tree li.depth-1")).to_have_count(1)


def require_and_look_for_risks(page) -> None:
    page.select_option("#require", "k_anonymity")
    page.fill("#requirement #required-p-k", "5")
    page.click("#requirement button.main")
    page.wait_for_selector(".light.holds")
    page.select_option("#by", "prosecutor_risk")
    page.wait_for_selector("#risky-records table")
    page.accessible()


def return_by_the_map(page, place, running) -> None:
    page.goto(f"{place}/map")
    page.wait_for_selector("#drawn svg")
    (project,) = running.bench.projects.all()
    expect(page.locator("#drawn tbody tr")).to_have_count(len(project.variants))
    page.accessible()
    page.locator("#drawn svg path[aria-label^='Variant 1:']").click()
    page.wait_for_selector("button[aria-label='Go to variant 1'][disabled]")
    page.settled()
    page.click("button[aria-label='Go to variant 3']")
    page.wait_for_selector("button[aria-label='Go to variant 3'][disabled]")
    page.settled()


def release_and_take_home(page, place) -> None:
    page.goto(f"{place}/release")
    page.fill("#name", "for friends")
    page.click("button:has-text('Release')")
    page.wait_for_selector("#written .links")
    page.wait_for_selector("#there article:has-text('for friends')")
    page.accessible()
    with page.expect_download() as download:
        page.click("#written a:has-text('Public files')")
    assert download.value.suggested_filename == "for friends-public.zip"
    with page.context.expect_page() as opened:
        page.click("#written a:has-text('Internal report')")
    opened.value.wait_for_selector("text=The one requirement holds: it is proven.")
    painted = opened.value.evaluate("getComputedStyle(document.body).backgroundColor")
    assert painted != "rgba(0, 0, 0, 0)"  # its own styles are allowed


@contextmanager
def without(page, module: str) -> Iterator[None]:
    """Load a page, and let one of its modules come only when all is done that is done here."""
    address, held = f"**/static/{module}", []

    def hold(route) -> None:
        held.append(route)

    page.route(address, hold, times=1)
    with page.expect_request(address):
        yield
    while not held:
        page.wait_for_timeout(20)
    held.pop().continue_()


@pytest.mark.parametrize("late", ["bench.js", "protect.js"])
def test_what_is_done_before_the_modules_are_there_is_not_lost(page, place, running, late):
    (project,) = running.bench.projects.all()
    running.bench.projects.change(
        project.identifier, project.variants[0].plan, "the same", parent=0
    )
    with without(page, late):
        page.goto(f"{place}/protect", wait_until="commit")
        page.select_option("#choose", "mondrian")
        page.select_option("#require", "k_anonymity")
    page.wait_for_selector("#chosen h3")
    page.wait_for_selector("#requirement #required-p-k")
    with without(page, late):
        page.goto(f"{place}/protect", wait_until="commit")
        page.click("text=Undo")
        assert page.url == f"{place}/protect"  # the browser did not send the form by itself
    page.wait_for_selector("[aria-current]:has-text('opened')")


def test_mistakes_are_said_where_they_are_made(page, place):
    page.goto(f"{place}/protect")
    page.wait_for_selector("#measures table")
    choose(page, "sample")
    page.fill("#p-fraction", "7")
    page.wait_for_selector("[data-refused]:has-text('fraction')")
    page.click("#chosen button.main")
    page.wait_for_selector("#alert:has-text('`fraction` of `sample`')")
    page.accessible()
    expect(page.locator(".tree li")).to_have_count(1)
    page.fill("#p-fraction", "0.5")
    page.wait_for_selector("#measures th:has-text('Tried')")
    expect(page.locator("[data-refused]")).to_have_text("")


def test_advice_is_asked_for_stopped_and_used(page, place, running):
    write_patients(running, MANY)
    page.goto(f"{place}/advise")
    page.fill("#must", "k_anonymity: 3")
    page.fill("#seconds", "600")
    page.click("button:has-text('Search')")
    page.wait_for_selector("#advice [data-step]:has-text('trying')")
    page.click("#advice [data-stop]")
    page.wait_for_selector("#advice .wrong:has-text('it was stopped')")
    write_patients(running, 400)
    page.click("button:has-text('Search')")
    page.wait_for_selector("#advice svg")
    page.accessible()
    page.reload()
    page.wait_for_selector("#advice svg")  # a reload loses nothing
    page.click("text=Use it")
    page.wait_for_url(re.compile("/protect$"))
    page.wait_for_selector(".light.holds")
    assert page.errors == []


def reach(page, selector: str) -> None:
    """Go to something by the key Tab alone; whoever does so sees where it is."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
            seen = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            assert seen != "none", f"{selector} does not show that it has the focus"
            return
    raise AssertionError(f"{selector} cannot be reached by the keyboard")


def pick(page, option: str) -> None:
    """Choose from the list that has the focus by arrow keys; letters must not come too slowly."""
    for _ in range(200):
        if page.evaluate("document.activeElement.value") == option:
            return
        page.keyboard.press("ArrowDown")
    raise AssertionError(f"{option} cannot be chosen by the keyboard")


def test_steps_are_added_edited_moved_and_removed_by_the_keyboard_alone(page, place):
    page.goto(f"{place}/protect")
    page.wait_for_selector("#measures table")
    reach(page, "#choose")
    pick(page, "top_code")
    page.keyboard.press("Tab")
    page.wait_for_selector("#chosen h3:has-text('top_code')")
    reach(page, "#p-attribute")
    pick(page, "age_yrs")
    reach(page, "#p-above")
    page.keyboard.type("80")
    page.keyboard.press("Enter")  # which tries it
    page.wait_for_selector("#measures th:has-text('Tried')")
    reach(page, "#chosen button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector(".steps .what:has-text('top_code (attribute age_yrs, above 80)')")
    reach(page, "[aria-label='Edit step 1']")
    page.keyboard.press("Enter")
    page.wait_for_selector("#chosen button:has-text('Apply the change')")
    reach(page, "#p-above")
    page.keyboard.press("Control+a")
    page.keyboard.type("70")
    reach(page, "#chosen button.main")
    page.keyboard.press("Enter")
    page.wait_for_selector(".steps .what:has-text('above 70')")
    reach(page, "[aria-label='Remove step 1']")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=The data are released as they are")
    page.keyboard.press("Control+z")
    page.wait_for_selector(".steps .what:has-text('above 70')")
    assert page.errors == []


def test_who_attacks_is_chosen_tried_and_kept(page, place):
    page.goto(f"{place}/protect")
    page.click("text=Change who attacks")
    page.select_option("#who", "health/neighbour")
    page.click("button:has-text('Show')")
    page.wait_for_selector("h2:has-text('neighbour')")
    page.click("button:has-text('Try')")
    page.wait_for_selector("#held:has-text('Held of 150 respondents')")
    page.accessible()
    page.select_option("#who", "own")
    page.click("button:has-text('Show')")
    page.check("label:has-text('sex') input")
    page.fill("#respondents", "40 %")
    page.accessible()
    page.click("button:has-text('Keep')")
    page.wait_for_url(re.compile("/protect$"))
    page.wait_for_selector("text=somebody who holds sex of 40 % of the respondents")
    page.wait_for_selector("#measures table")
    assert page.errors == []


def test_a_search_that_is_stopped_keeps_the_best_so_far(page, place, running):
    write_patients(running, MANY)
    page.goto(f"{place}/advise")
    page.fill("#must", "k_anonymity: 2")
    page.fill("#seconds", "600")
    page.click("button:has-text('Search')")
    page.wait_for_selector(f"#advice [data-step]:has-text('on {MANY:,} records')")
    page.click("#advice button:has-text('Stop')")
    page.wait_for_selector("#advice h2, #advice .wrong")
    page.settled()
    shown = page.inner_text("#advice")
    assert "The search was stopped" in shown or "Nothing was found yet" in shown
    assert "it was stopped" not in shown  # thrown away

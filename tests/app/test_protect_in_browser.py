"""Microdata as a person protects them in a browser: from the file to the verified release."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tacita as ta

pytestmark = pytest.mark.usefixtures("kept_hands")


@pytest.fixture
def place(page, running) -> str:
    """A project with its roles said."""
    folder = running.bench.workplace.folder
    ta.example("patients", 400).write(folder / "patients.csv")
    keys = {"age_yrs": "key", "sex": "key", "race": "key"}
    data = {"source": "patients.csv", "attributes": keys}
    plan = {"data": data, "microdata": {"measure": ["uniqueness", "suppression"]}}
    project = running.bench.projects.begin("patients.csv", plan, "opened")
    return f"{running.url.partition('/?')[0]}/p/{project.identifier}"


def choose(page, method: str) -> None:
    page.select_option("#choose", method)
    page.wait_for_selector("#chosen h3")


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
    assert page.locator(".tree li.depth-1").count() == 1


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
    assert page.locator("#drawn tbody tr").count() == len(running.bench.projects.all()[0].variants)
    page.accessible()
    page.locator("#drawn svg path[aria-label^='Variant 1:']").click()
    page.wait_for_selector("button[aria-label='Go to variant 1'][disabled]")
    page.click("button[aria-label='Go to variant 3']")
    page.wait_for_selector("button[aria-label='Go to variant 3'][disabled]")


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
    opened.value.wait_for_selector("text=The one requirement holds.")
    painted = opened.value.evaluate("getComputedStyle(document.body).backgroundColor")
    assert painted != "rgba(0, 0, 0, 0)"  # its own styles are allowed


@pytest.mark.parametrize("late", ["bench.js", "protect.js"])
def test_what_is_done_before_the_modules_are_there_is_not_lost(page, place, running, late):
    (project,) = running.bench.projects.all()
    running.bench.projects.change(
        project.identifier, project.variants[0].plan, "the same", parent=0
    )
    waiting = []

    def hold(route) -> None:
        waiting.append(route)

    def let_come() -> None:
        while not waiting:
            page.wait_for_timeout(20)
        waiting.pop().continue_()

    page.route(f"**/static/{late}", hold)
    page.goto(f"{place}/protect", wait_until="commit")
    page.select_option("#choose", "mondrian")
    page.select_option("#require", "k_anonymity")
    let_come()
    page.wait_for_selector("#chosen h3")
    page.wait_for_selector("#requirement #required-p-k")
    page.goto(f"{place}/protect", wait_until="commit")
    page.click("text=Undo")
    assert page.url == f"{place}/protect"  # the browser did not send the form by itself
    let_come()
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
    assert page.locator(".tree li").count() == 1
    page.fill("#p-fraction", "0.5")
    page.wait_for_selector("#measures th:has-text('Tried')")
    assert page.inner_text("[data-refused]") == ""


def test_advice_is_asked_for_stopped_and_used(page, place):
    page.goto(f"{place}/advise")
    page.fill("#must", "k_anonymity: 3")
    page.fill("#seconds", "600")
    page.click("button:has-text('Search')")
    page.wait_for_selector("#advice [data-step]:has-text('trying')")
    page.click("#advice [data-stop]")
    page.wait_for_selector("#advice .wrong")
    page.fill("#seconds", "5")
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


def test_steps_are_added_edited_moved_and_removed_by_the_keyboard_alone(page, place):
    page.goto(f"{place}/protect")
    page.wait_for_selector("#measures table")
    reach(page, "#choose")
    page.keyboard.type("top_code")
    page.keyboard.press("Tab")
    page.wait_for_selector("#chosen h3:has-text('top_code')")
    reach(page, "#p-attribute")
    page.keyboard.type("age_yrs")
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


def test_a_search_that_is_stopped_keeps_the_best_so_far(page, place):
    page.goto(f"{place}/advise")
    page.fill("#must", "k_anonymity: 2")
    page.fill("#seconds", "600")
    page.click("button:has-text('Search')")
    page.wait_for_selector("#advice [data-step]:has-text('on 400 records')")
    page.click("#advice button:has-text('Stop')")
    page.wait_for_selector("#advice h2, #advice .wrong")
    shown = page.inner_text("#advice")
    assert "The search was stopped" in shown or "Nothing was found yet" in shown
    assert "it was stopped" not in shown  # thrown away

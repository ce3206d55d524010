"""A guarded database as its curator and an analyst see it: from the policy to the verified ledger."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

ROLES = {"sector of work": "key", "region": "key", "salary": "confidential"}


@pytest.fixture
def settings(tmp_path_factory, monkeypatch) -> Path:
    """Where keys of ledgers lie."""
    folder = tmp_path_factory.mktemp("settings")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder))
    return folder


@pytest.fixture
def running(settings, running):
    return running


@pytest.fixture
def place(page, running) -> str:
    folder = running.bench.workplace.folder
    lines = [
        f"{['IT', 'HC', 'Fin'][i % 3]},{'BN' if i % 2 else 'TN'},{1000 * i}" for i in range(40)
    ]
    text = "\n".join([",".join(ROLES), *lines, "Fin,unique,123456"]) + "\n"
    (folder / "firms.csv").write_text(text)
    plan = {"data": {"source": "firms.csv", "attributes": ROLES}}
    project = running.bench.projects.begin("firms.csv", plan, "opened")
    return f"{running.url.partition('/?')[0]}/p/{project.identifier}"


def test_a_database_is_guarded_attacked_asked_and_handed_to_a_server(
    page, place, running, settings
):
    page.goto(f"{place}/queries")
    choose_policies(page)
    attack(page)
    let_somebody_in(page, running)
    open_and_ask(page)
    look_at_the_ledger(page, place)
    close_and_serve(page)
    (key,) = (settings / "tacita" / "keys").glob("*.key")
    ledger = running.bench.workplace.folder / "firms-ledger.db"
    command = [
        Path(sys.executable).with_name("tacita"),
        "ledger",
        "verify",
        ledger,
        "--key-file",
        key,
    ]
    verified = subprocess.run(command, capture_output=True, text=True, check=False)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert page.errors == []


def choose_policies(page) -> None:
    page.select_option("#policy", "query_set_size")
    page.fill("#p-k", "3")
    page.click("text=Add the policy")
    page.wait_for_selector("#view-shown th:has-text('sector of work')")


def attack(page) -> None:
    """The weak policy falls; the strong one that takes its place does not."""
    expect(page.locator("#attribute")).to_have_value("salary")
    page.click("button:text-is('Attack')")
    page.wait_for_selector("#attacked td:has-text('123,456 (right)')")
    page.click("[aria-label='Edit policy 1']")
    expect(page.locator("#p-k")).to_have_value("3")
    page.select_option("#policy", "audit")
    page.wait_for_selector("#chosen-policy h3:text-is('audit')")
    page.click("text=Add the policy")
    page.wait_for_selector(".steps li:nth-child(2)")
    page.click("[aria-label='Remove policy 1']")
    page.wait_for_selector(".steps li:nth-child(2)", state="detached")
    page.wait_for_selector("#attacked :text('The policies were others then')")
    page.wait_for_selector("#view-shown table")
    expect(page.locator("#attribute")).to_have_value("salary")
    page.click("button:text-is('Attack')")
    page.wait_for_selector("#attacked :text('0 attacks of 5 succeeded')")
    page.accessible()


def let_somebody_in(page, running) -> None:
    page.fill("#user", "ana")
    page.click("text=Let in")
    secret = page.text_content("#secret code")
    page.wait_for_selector("#users td:has-text('valid')")
    page.reload()
    page.wait_for_selector("#users td:has-text('valid')")
    assert secret not in page.content()
    page.click("#users button:text-is('Revoke')")
    page.wait_for_selector("#users td:has-text('revoked')")


def open_and_ask(page) -> None:
    page.click("text=Ask as an analyst")
    expect(page.locator("button[value=ask]")).to_be_disabled()
    page.click("text=Open the database")
    page.wait_for_selector("button[value=ask]:not([disabled])")
    page.wait_for_selector("#about-view table")
    page.fill("#sql", "")
    page.locator("#sql").press_sequentially("SEL")
    page.wait_for_selector("#words li:text-is('SELECT')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.locator("#sql").press_sequentially(" sec")
    page.wait_for_selector("#words li:has-text('sector of work')")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.locator("#sql").press_sequentially(", avg(sal")
    page.wait_for_selector("#words li:has-text('salary')")
    page.accessible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.locator("#sql").press_sequentially(') FROM firms GROUP BY "sector of work"')
    asked = 'SELECT "sector of work", avg(salary) FROM firms GROUP BY "sector of work"'
    expect(page.locator("#sql")).to_have_value(asked)
    page.fill("#asker", "ana")
    page.focus("#sql")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#answer table")
    page.wait_for_selector("#history td:has-text('answered')")
    expect(page.locator("#answer tbody tr")).to_have_count(3)
    page.fill("#sql", "SELECT avg(salary) FROM firms WHERE region = 'unique'")
    page.click("button[value=ask]")
    page.wait_for_selector("#answer td:has-text('refused')")
    page.fill("#sql", "DROP TABLE firms")
    page.click("button[value=ask]")
    page.wait_for_selector("#history td:has-text('not understood')")
    page.settled()
    page.click("#history tr:last-child >> text=Edit")
    expect(page.locator("#sql")).to_have_value(asked)
    page.reload()  # a reload loses nothing
    page.wait_for_selector("#history td:has-text('answered')")
    expect(page.locator("#asker")).to_have_value("ana")
    page.accessible()


def look_at_the_ledger(page, place) -> None:
    page.goto(f"{place}/queries")
    page.wait_for_selector("#state td:text-is('2')")
    page.wait_for_selector("#ledger td:text-is('language')")
    page.click("button:text-is('Verify')")
    page.wait_for_selector("#verified .good")
    page.emulate_media(color_scheme="dark")
    page.accessible()


def close_and_serve(page) -> None:
    page.click("text=Save the plan in the folder")
    page.wait_for_selector(".command:has-text('tacita serve firms.yaml')")
    page.click("text=Close it")
    page.wait_for_selector("text=Open the database")

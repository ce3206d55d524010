"""Tables as a person makes, protects, audits, takes away and releases them, in a browser."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("kept_hands")

HEADS = ("firm", "region", "sector", "pay")
REGIONS, SECTORS = ("east", "north", "south", "west"), ("farming", "mining", "trade")
LARGE = {5: 40_000, 18: 52_000}


@pytest.fixture(autouse=True)
def firms(running) -> None:
    rows = [
        (f"F{n}", REGIONS[n % 4], SECTORS[n % 3], LARGE.get(n, 400 + 37 * n % 211))
        for n in range(96)
    ]
    with (running.bench.workplace.folder / "firms.csv").open("w", newline="") as file:
        csv.writer(file).writerows([HEADS, *rows])


@pytest.fixture
def page(firms, page):
    page.reload()
    return page


def make_table(page) -> None:
    page.select_option("select[name=file]", "firms.csv")
    page.click("form:has(select[name=file]) button")
    page.wait_for_url("**/data")
    page.click("nav >> text=Tables")
    page.fill("#t-name", "pay")
    page.accessible()
    page.check("input[name=by][value=region]")
    page.check("input[name=by][value=sector]")
    page.select_option("#t-value", "pay")
    page.click("text=Make the table")
    page.wait_for_url("**/tables/0")
    page.wait_for_selector("table.cells")
    page.select_option("#choose-rules", "p_percent")
    page.fill("#p-p", "15")
    page.click("text=Find sensitive cells")
    page.wait_for_selector("td.sensitive")


def test_a_table_is_made_protected_audited_released_and_verified(page, running):
    make_table(page)
    page.accessible()
    page.click("text=Audit it as it is")
    page.wait_for_selector("#audit .verdict.fails >> nth=0")
    page.select_option("#choose-way", "fast_suppression")
    page.click("text=Protect the table")
    page.wait_for_selector("td.secondary")
    page.wait_for_selector("#audit .verdict.holds >> nth=0")
    assert page.locator("#audit .verdict.fails").count() == 0

    page.locator("td.sensitive button").first.hover()
    page.wait_for_selector("#tip:visible")
    assert "is possible:" in page.inner_text("#tip")
    assert "verdict: protected" in page.inner_text("#tip")
    page.keyboard.press("Escape")
    assert page.locator("#tip").is_hidden()

    page.locator("td.sensitive button").first.click()
    page.click("text=Who contributes")
    page.wait_for_selector("#contributors table")
    page.select_option("#export", "xlsx")
    with page.expect_download() as taken:
        page.click("text=Write")
        page.click("text=Download")
    assert taken.value.suggested_filename == "pay.xlsx"
    page.accessible()
    page.emulate_media(color_scheme="dark")
    page.accessible()

    page.click("nav >> text=Release")
    page.fill("#name", "tables-1")
    page.click("button:has-text('Release')")
    page.wait_for_selector("text=Released:")
    folder = running.bench.workplace.folder / "releases/tables-1"
    verified = subprocess.run(
        [Path(sys.executable).with_name("tacita"), "verify", folder],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert (folder / "public/tables/pay.csv").exists()
    assert page.errors == []


def test_cells_are_reached_with_the_keyboard(page):
    make_table(page)
    page.focus("table.cells button.cell[tabindex='0']")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    told = page.evaluate("document.activeElement.dataset.tip")
    assert "region east" in told
    assert "sector farming" in told
    assert page.locator("#tip").is_visible()
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "tip"
    assert page.locator("button.cell[tabindex='0']").count() == 1
    page.keyboard.press("Enter")
    page.wait_for_selector("#cell h3")
    assert "region east" in page.inner_text("#cell h3")
    assert page.url.endswith("/tables/0")


def test_ways_are_compared_and_one_is_used_and_undone(page):
    make_table(page)
    for way in ("fast_suppression", "hypercube_suppression"):
        page.select_option("#choose-compare", way)
        page.click("#chosen-compare button:has-text('Compare it')")
        page.wait_for_selector(f".steps >> text={way}")
    page.click("text=Compare them on this table")
    page.locator("figure[data-ways] .mark-symbol path").last.click()
    page.wait_for_selector("text=The pattern of way")
    page.click("text=Back to the plan")
    page.wait_for_selector("#g-stage")
    page.click("[aria-label='Show the pattern of way 2']")
    page.wait_for_selector("text=The pattern of way 2")
    page.click("text=Back to the plan")
    page.wait_for_selector("#g-stage")
    page.click("[aria-label='Use way 2']")
    page.wait_for_selector("strong:has-text('hypercube_suppression')")
    page.click("text=Undo")
    page.wait_for_selector("text=Not protected")
    page.select_option("#g-view", "reader")
    page.wait_for_selector("td.suppressed")
    assert page.locator("button.cell").count() == 0
    page.set_viewport_size({"width": 800, "height": 1100})
    page.accessible()
    assert page.errors == []


def test_a_rule_is_edited_in_place(page):
    make_table(page)
    before = page.locator("td.sensitive").count()
    page.select_option("#choose-way", "random_rounding")  # two forms are open at once
    page.wait_for_selector("#chosen-way form")
    page.click("[aria-label='Edit rule 1']")
    page.wait_for_selector("#chosen-rules form")
    page.accessible()
    assert page.input_value("#p-p") == "15"
    page.fill("#p-p", "300")
    page.click("text=Keep the change")
    page.wait_for_selector(".steps >> text=p_percent (p 300.0)")
    page.wait_for_selector("td.sensitive")
    assert page.locator("td.sensitive").count() > before
    assert page.locator(".steps li").count() == 1
    assert page.errors == []


def test_a_mistake_is_one_sentence(page):
    make_table(page)
    page.click("text=Change what spans the table")
    page.uncheck("input[name=by][value=region]")
    page.uncheck("input[name=by][value=sector]")
    page.click("text=Keep the changes")
    page.wait_for_selector("#alert:visible")
    assert page.inner_text("#alert") == "Choose at least one attribute that spans the table."

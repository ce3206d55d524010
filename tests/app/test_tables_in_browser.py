"""Tables as a person makes, protects, audits, takes away and releases them, in a browser."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

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
    page.settled()


def test_a_table_is_made_protected_audited_released_and_verified(page, running):
    make_table(page)
    page.accessible()
    page.click("text=Audit it as it is")
    page.wait_for_selector("#audit .verdict.fails >> nth=0")
    page.select_option("#choose-way", "fast_suppression")
    page.click("text=Protect the table")
    page.wait_for_selector("td.secondary")
    page.wait_for_selector("#audit .verdict.holds >> nth=0")
    expect(page.locator("#audit .verdict.fails")).to_have_count(0)

    page.settled()
    tip = page.locator("#tip")
    page.locator("td.sensitive button").first.hover()
    expect(tip).to_be_visible()
    expect(tip).to_contain_text("is possible:")
    expect(tip).to_contain_text("verdict: protected")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()

    page.locator("td.sensitive button").first.click()
    page.click("text=Who contributes")
    page.wait_for_selector("#contributors table")
    page.select_option("#export", "xlsx")
    with page.expect_download() as taken:
        page.click("button:text-is('Write')")
        page.click("a:text-is('Download')")
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
    reached = page.locator("button.cell:focus")
    expect(reached).to_have_attribute("data-tip", re.compile("region east"))
    expect(reached).to_have_attribute("data-tip", re.compile("sector farming"))
    expect(reached).to_have_attribute("aria-describedby", "tip")
    expect(page.locator("#tip")).to_be_visible()
    expect(page.locator("button.cell[tabindex='0']")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("#cell h3")).to_contain_text("region east")
    assert page.url.endswith("/tables/0")


def test_ways_are_compared_and_one_is_used_and_undone(page):
    make_table(page)
    for way in ("fast_suppression", "hypercube_suppression"):
        page.select_option("#choose-compare", way)
        page.click("#chosen-compare button:has-text('Compare it')")
        page.wait_for_selector(f".steps >> text={way}")
    page.click("text=Compare them on this table")
    page.wait_for_selector("figure[data-ways] .mark-symbol path")
    page.settled()
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
    expect(page.locator("button.cell")).to_have_count(0)
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
    expect(page.locator("#p-p")).to_have_value("15")
    page.fill("#p-p", "300")
    page.click("text=Keep the change")
    page.wait_for_selector(".steps >> text=p_percent (p 300.0)")
    page.wait_for_selector("td.sensitive")
    page.settled()
    assert page.locator("td.sensitive").count() > before
    assert page.locator(".steps li").count() == 1
    assert page.errors == []


def test_a_mistake_is_one_sentence(page):
    make_table(page)
    page.click("text=Change what spans the table")
    page.uncheck("input[name=by][value=region]")
    page.uncheck("input[name=by][value=sector]")
    page.click("text=Keep the changes")
    expect(page.locator("#alert")).to_have_text(
        "Choose at least one attribute that spans the table."
    )

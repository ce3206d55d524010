"""The map in the report of a release, as a person uses it: no script, no network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import tacita as ta

PLAN = """\
data: {example: {toy: 200}}
microdata:
  steps: [{rank_swap: {attributes: [age, income], p: 10}}]
  measure: [uniqueness]
  waive: a test
  compare:
    methods:
      rank_swap: {p: [5, 30], attributes: [age, income]}
      add_noise: {alpha: [0.1, 0.5], attributes: [age, income]}
"""
PLAN_ALONE = {"rank_swap": {"p": [5, 30], "attributes": ["age", "income"]}}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mapped")
    (folder / "plan.yaml").write_text(PLAN)
    ta.run(folder / "plan.yaml", folder / "out", seed=1)
    ta.risk_utility_map(ta.example("toy", 200), PLAN_ALONE).write(folder / "out" / "map.html")
    return folder / "out"


@pytest.fixture
def report(browser: Any, release: Path) -> Iterator[Any]:
    """The internal report, opened without a network; whatever the browser complains of fails."""
    complaints: list[str] = []
    page = browser.new_page(viewport={"width": 1000, "height": 900}, java_script_enabled=False)
    page.context.set_offline(True)
    page.on("console", lambda message: complaints.append(message.text))
    page.goto((release / "internal" / "report.html").as_uri())
    yield page
    page.close()
    assert complaints == []


def trials(release: Path) -> list[dict[str, Any]]:
    text = (release / "internal" / "evidence.json").read_text()
    return json.loads(text)["risk_utility_map"]["trials"]


def begins(words: str) -> re.Pattern[str]:
    return re.compile(f"^{re.escape(words)}")


def test_pointing_at_a_trial_tells_its_numbers(report, release):
    readout = report.locator("#map .readout")
    expect(readout.locator("span:visible")).to_have_count(0)
    for place, trial in enumerate(trials(release)):
        report.locator(f'#map a[data-trial="{place}"]').hover()
        expect(readout.locator("span:visible")).to_have_text(begins(f"{trial['label']}: score "))


def test_the_keyboard_finds_trials_too(report):
    point = report.locator('#map a[data-trial="4"]')
    point.focus()
    told = report.locator("#map .readout span:visible")
    expect(told).to_have_text(begins("this release: "))


def test_a_line_can_be_left_out(report):
    def box(line: str) -> Any:
        return report.get_by_role("checkbox", name=line, exact=True)

    points = report.locator('#map a[data-line="1"]')
    rows = report.locator('#map tr[data-line="1"]')
    assert points.count() == rows.count() == 2
    expect(points.first).to_be_visible()
    expect(rows.first).to_be_visible()
    box("add_noise").uncheck()
    expect(points.first).to_be_hidden()
    expect(rows.last).to_be_hidden()
    expect(report.locator('#map a[data-line="0"]').first).to_be_visible()
    expect(box("this release")).to_be_checked()
    box("add_noise").check()
    expect(points.last).to_be_visible()


def test_choosing_a_trial_finds_its_row(report):
    report.locator('#map a[data-trial="3"]').click()
    expect(report).to_have_url(re.compile("#trial-3$"))
    expect(report.locator("tr#trial-3")).to_be_in_viewport(ratio=1)
    report.mouse.move(0, 0)
    chosen, other = (report.locator(f"tr#trial-{place} td").first for place in (3, 0))
    plain = other.evaluate("element => getComputedStyle(element).backgroundColor")
    expect(chosen).not_to_have_css("background-color", plain)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marks_are_seen_on_both_pages(browser, release, scheme):
    page = browser.new_page(color_scheme=scheme)
    page.goto((release / "internal" / "report.html").as_uri())
    star = page.locator('#map a[data-trial="4"] path')
    ink = star.evaluate("element => getComputedStyle(element).fill")
    expected = {"light": "rgb(68, 80, 92)", "dark": "rgb(165, 176, 187)"}
    assert ink == expected[scheme]
    assert (
        star.bounding_box()["width"]
        > page.locator('#map a[data-trial="0"] path').bounding_box()["width"]
    )
    page.close()


def test_nothing_keeps_readers_out(browser, release):
    """What axe finds against pages for everybody: nothing in the map's section."""
    context = browser.new_context()
    page = context.new_page()
    page.goto((release / "internal" / "report.html").as_uri())
    found = Axe().run(page, context="#map").response["violations"]
    assert [(one["id"], [node["html"][:90] for node in one["nodes"]]) for one in found] == []
    context.close()


def test_the_page_of_a_map_alone_works_alike(browser, release):
    page = browser.new_page(java_script_enabled=False)
    page.goto((release / "map.html").as_uri())
    page.locator('a[data-trial="1"]').hover()
    expect(page.locator(".readout span:visible")).to_have_text(begins("rank_swap (p 30): "))
    page.get_by_role("checkbox", name="rank_swap", exact=True).uncheck()
    expect(page.locator('a[data-trial="1"]')).to_be_hidden()
    page.close()

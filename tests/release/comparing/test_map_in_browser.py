"""The map in the report of a release, as a person uses it: no script, no network."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tacita as ta

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
PLAN = """\
data: {example: {toy: 200}}
microdata:
  steps: [{rank_swap: {attributes: [age, income], p: 10}}]
  measure: [uniqueness]
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


def test_pointing_at_a_trial_tells_its_numbers(report, release):
    readout = report.locator("#map .readout")
    assert readout.locator("span:visible").count() == 0
    for place, trial in enumerate(trials(release)):
        report.locator(f'#map a[data-trial="{place}"]').hover()
        told = readout.locator("span:visible")
        assert told.count() == 1
        assert told.inner_text().startswith(f"{trial['label']}: score ")


def test_the_keyboard_finds_trials_too(report):
    point = report.locator('#map a[data-trial="4"]')
    point.focus()
    assert report.locator("#map .readout span:visible").inner_text().startswith("this release: ")


def test_a_line_can_be_left_out(report):
    def box(line: str) -> Any:
        return report.get_by_role("checkbox", name=line, exact=True)

    points = report.locator('#map a[data-line="1"]')
    rows = report.locator('#map tr[data-line="1"]')
    assert points.count() == rows.count() == 2
    assert points.first.is_visible()
    assert rows.first.is_visible()
    box("add_noise").uncheck()
    assert not points.first.is_visible()
    assert not rows.last.is_visible()
    assert report.locator('#map a[data-line="0"]').first.is_visible()
    assert box("this release").is_checked()
    box("add_noise").check()
    assert points.last.is_visible()


def test_choosing_a_trial_finds_its_row(report):
    report.locator('#map a[data-trial="3"]').click()
    assert report.url.endswith("#trial-3")
    row = report.locator("tr#trial-3")
    assert row.is_visible()
    box, height = row.bounding_box(), report.viewport_size["height"]
    assert 0 <= box["y"] <= height - box["height"]
    report.mouse.move(0, 0)
    ground = "element => getComputedStyle(element).backgroundColor"
    chosen, other = (report.locator(f"tr#trial-{place} td").first for place in (3, 0))
    assert chosen.evaluate(ground) != other.evaluate(ground)


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
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    context = browser.new_context()
    page = context.new_page()
    page.goto((release / "internal" / "report.html").as_uri())
    found = axe.run(page, context="#map").response["violations"]
    assert [(one["id"], [node["html"][:90] for node in one["nodes"]]) for one in found] == []
    context.close()


def test_the_page_of_a_map_alone_works_alike(browser, release):
    page = browser.new_page(java_script_enabled=False)
    page.goto((release / "map.html").as_uri())
    page.locator('a[data-trial="1"]').hover()
    assert page.locator(".readout span:visible").inner_text().startswith("rank_swap (p 30): ")
    page.get_by_role("checkbox", name="rank_swap", exact=True).uncheck()
    assert not page.locator('a[data-trial="1"]').is_visible()
    page.close()

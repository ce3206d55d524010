"""Every page of the workbench as a person sees it: light and dark, on a screen and on a tablet."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("kept_hands")

PICTURES = Path(__file__).parents[2] / "build" / "workbench"  # to be looked at
ROOMS = ("data", "roles", "roles/hierarchy/1", "protect", "intruder?who=own",
         "compare?left=0&right=0", "map", "advise", "release", "plan", "tables", "tables/0", "queries", "ask")  # fmt: skip
LOOKS = {"light": (1280, 900), "dark": (820, 1180)}
PLAN = {
    "data": {
        "example": {"patients": 1000},
        "attributes": {"age_yrs": "key", "patzip": {"role": "key", "hierarchy": {"prefix": 5}}},
    },
    "microdata": {
        "steps": [{"top_code": {"attribute": "los", "above": 60}}],
        "require": [{"uniqueness": {"at_most": 0.5}}],
    },
    "tables": [
        {
            "name": "charges",
            "by": ["race", "sex"],
            "value": "charge",
            "rules": [{"minimum_frequency": 5}],
        }
    ],
    "queries": {"view": "patients", "policies": [{"query_set_size": 5}], "ledger": "ledger.db"},
}


@pytest.mark.parametrize("look", LOOKS)
def test_every_page_is_for_everybody_and_looks_its_best(page, running, look):
    project = running.bench.projects.begin("patients", PLAN, "made")
    width, height = LOOKS[look]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=look)
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.reload()
    page.settled()
    page.screenshot(path=PICTURES / f"home-{look}.png")
    for room in ROOMS:
        page.goto(f"{running.url.partition('/?')[0]}/p/{project.identifier}/{room}")
        page.settled()
        name = room.partition("?")[0].replace("/", "-")
        page.screenshot(path=PICTURES / f"{name}-{look}.png")
        page.accessible()
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{room} is {wide} pixels too wide"
    assert (page.errors, page.elsewhere) == ([], [])

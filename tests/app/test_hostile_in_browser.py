"""Data whose every name and value attacks the page that shows it, in every room.

The browser's own protection is switched off here: that names and values are text, and nothing else,
must hold without it.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

RUN = "window.pwned=1"
TAG = f"<img src=x onerror={RUN}>"
ATTACKS = (
    f'"><script>{RUN}</script>',
    f"'><svg onload={RUN}>",
    f"</script><script>{RUN}</script>",
    "{{7*7}}{% include 'base.html.j2' %}${7*7}",
    f"javascript:{RUN}//",
    f"{TAG}\u2028\u2029\u202eevil",
    f"]]>--><iframe srcdoc='{TAG}'></iframe>",
    "&lt;b&gt;&#60;img&#62;",
)
REGION, FIRM, PAY, STAFF, SECTOR = (
    f"{word} {TAG} '\"" for word in ("region", "firm", "pay", "staff", "sector")
)
FILE = f"a'\">{TAG.replace('/', '')}.csv"
INJECTED = """[...document.querySelectorAll(
  'img, iframe, object, embed, base, script:not([src]):not([type="application/json"])'
)].concat([...document.querySelectorAll('*')].filter(
  (one) => [...one.attributes].some((said) => said.name.startsWith('on') || /^\\s*javascript:/i.test(said.value))
)).map((one) => one.outerHTML.slice(0, 200))"""
PLAN = {
    "data": {
        "source": FILE,
        "attributes": {
            FIRM: "identifier",
            REGION: {
                "role": "key",
                "hierarchy": {"tree": {f"all {TAG}": {
                    f"one {ATTACKS[0]}": list(ATTACKS[:4]), f"two {ATTACKS[5]}": list(ATTACKS[4:]),
                }}},
            },
            SECTOR: "key",
            PAY: "confidential",
            STAFF: {"role": "key"},
        },
    },
    "microdata": {
        "steps": [{"rank_swap": {"attributes": [PAY], "p": 10}}],
        "require": [{"k_anonymity": {"k": 2}}, {"uniqueness": {"at_most": 1.0}}],
        "measure": ["uniqueness", "suppression"],
    },
    "tables": [
        {
            "name": "pay",
            "by": [REGION, SECTOR],
            "value": PAY,
            "contributor": FIRM,
            "rules": [{"minimum_frequency": 3}],
            "protect": "fast_suppression",
            "compare": ["fast_suppression"],
        }
    ],
    "queries": {
        "view": "v", "policies": [{"query_set_size": 2}], "ledger": "ledger.db",
    },
}  # fmt: skip


@pytest.fixture
def page(browser, running, vega, come_in) -> Iterator[Any]:
    with (running.bench.workplace.folder / FILE).open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow([FIRM, REGION, SECTOR, STAFF, PAY])
        for n in range(80):
            out.writerow(
                [
                    f"{n} {ATTACKS[n % 3]}",
                    ATTACKS[n % 8],
                    ATTACKS[(n // 8) % 5],
                    n % 37,
                    100 + 7 * n,
                ]
            )
    shutil.copy(vega, running.bench.workplace.session / vega.name)
    context = browser.new_context(bypass_csp=True, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda said: _note(page, said))
    page.on("dialog", lambda dialog: (page.errors.append("a dialog"), dialog.dismiss()))
    come_in(page, running)
    yield page
    context.close()


def _note(page: Any, said: Any) -> None:
    """Keep what the page complains of; a report has no icon, for which the browser asks."""
    if said.type == "error" and not said.location["url"].endswith("/favicon.ico"):
        page.errors.append(f"{said.text} {said.location['url']}")


def harmless(page: Any, room: str) -> None:
    page.settled()
    assert page.evaluate("window.pwned") is None, room
    assert page.evaluate(INJECTED) == [], room
    assert page.errors == [], room


def test_a_file_of_attacks_is_opened_and_looked_at(page):
    harmless(page, "home")
    page.select_option("select[name=file]", FILE)
    page.click("form:has(select[name=file]) button")
    page.wait_for_url("**/data")
    page.wait_for_selector("td:has-text('javascript:')")
    harmless(page, "data")
    page.click("nav >> text=Roles")
    page.wait_for_selector("th:has-text('onerror')")
    harmless(page, "roles")
    page.goto(page.url.replace("/roles", "/roles/hierarchy/1"))
    harmless(page, "hierarchy")
    page.goto("/".join(page.url.split("/")[:3]))
    page.wait_for_selector("ul.list a:has-text('onerror')")
    harmless(page, "projects")


def test_every_room_shows_names_and_values_as_text(page, running):
    projects = running.bench.projects
    project = projects.begin(f"p {TAG}", PLAN, f"opened {ATTACKS[0]}")
    projects.change(project.identifier, {**PLAN, "microdata": {}}, f"other {ATTACKS[2]} {TAG}")
    projects.goto(project.identifier, 0)
    place = f"{running.url.partition('/?')[0]}/p/{project.identifier}"
    rooms = ("data", "roles", "roles/hierarchy/1", "protect", "intruder", "compare?left=0&right=1",
             "map", "advise", "release", "tables", "tables/0", "queries", "plan")  # fmt: skip
    for room in rooms:
        page.goto(f"{place}/{room}")
        harmless(page, room)
    protecting(page, place)
    tabulating(page, place)
    asking(page, place)
    releasing(page, place)


def protecting(page: Any, place: str) -> None:
    page.goto(f"{place}/protect")
    for method in ("rank_swap", "local_suppression", "mondrian"):
        page.select_option("#choose", method)
        page.wait_for_selector(f"#chosen h3:has-text('{method}')")
        harmless(page, method)
    for by in ("prosecutor_risk", "suda2"):
        page.select_option("#by", by)
        page.wait_for_selector("#risky-records table")
        harmless(page, by)
    page.select_option("#choose", "as a plan writes it")
    page.fill("#chosen textarea", f"nothing: '{TAG}'")
    page.wait_for_selector("#chosen [data-refused]:not(:empty)")
    page.click("#chosen button.main")
    page.wait_for_selector("#alert:visible")
    page.settled()
    page.errors[:] = [one for one in page.errors if "400" not in one]  # the refusals
    harmless(page, "a mistake")


def tabulating(page: Any, place: str) -> None:
    page.goto(f"{place}/tables/0")
    page.wait_for_selector("table.cells button.cell")
    page.locator("button.cell").first.focus()
    page.wait_for_selector("#tip:visible")
    harmless(page, "tip")
    page.locator("td.sensitive button").first.focus()
    page.keyboard.press("Enter")
    page.click("text=Who contributes")
    page.wait_for_selector("#contributors table")
    harmless(page, "contributors")
    page.click("text=Compare them on this table")
    page.wait_for_selector("#compared table")
    page.select_option("#export", "xlsx")
    page.click("button:text-is('Write')")
    page.wait_for_selector("a:text-is('Download')")
    page.click("text=Change what spans the table")
    page.wait_for_selector("#definition form")
    harmless(page, "table")


def asking(page: Any, place: str) -> None:
    page.goto(f"{place}/ask")
    page.click("text=Open the database")
    page.wait_for_selector("button[value=ask]:not([disabled])")
    page.wait_for_selector("#about-view table")
    page.fill("#sql", "")
    page.locator("#sql").press_sequentially("SELECT reg")
    page.wait_for_selector("#words li")
    harmless(page, "completion")
    named = REGION.replace('"', '""')
    page.fill("#sql", f'SELECT "{named}", count(*) FROM v GROUP BY "{named}"')  # noqa: S608
    page.fill("#asker", f"ana {TAG}")
    page.click("button[value=ask]")
    page.wait_for_selector("#answer table, #answer .notice")
    page.wait_for_selector("#history td")
    harmless(page, "answer")
    page.fill("#sql", f"SELECT '{TAG}' FROM nowhere")  # noqa: S608
    page.click("button[value=ask]")
    page.wait_for_selector("#history td:has-text('not understood')")
    harmless(page, "refusal")


def releasing(page: Any, place: str) -> None:
    page.goto(f"{place}/release")
    page.fill("#name", "odd")
    page.check("[name=force]")
    page.click("button:has-text('Release')")
    page.wait_for_selector("#written .links")
    harmless(page, "release")
    for side in ("public", "internal"):
        page.goto(f"{place}/release/odd/{side}/0/report.html")
        assert page.evaluate("window.pwned") is None
        assert page.locator("body iframe, body object, body [onerror], body [onload]").count() == 0
    assert page.errors == []

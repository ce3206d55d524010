"""A table as a person sees it: in a browser, without a network."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tacita.tables.formats import html

OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--window-size=1000,800",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
]


def opened(chromium: str, page: Path, *options: str) -> subprocess.CompletedProcess[str]:
    profile = f"--user-data-dir={page.parent / 'profile'}"
    command = [chromium, *OPTIONS, profile, *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)


@pytest.mark.parametrize("view", ["public", "internal"])
def test_the_page_opens_without_complaint(salary, tmp_path, view, chromium):
    page = tmp_path / "salary.html"
    html.write(salary, page, view=view)
    seen = opened(chromium, page, "--dump-dom", f"--screenshot={tmp_path / 'page.png'}")
    assert "CONSOLE" not in seen.stderr
    assert (tmp_path / "page.png").stat().st_size > 10_000

"""The reports as a person sees them: in a browser, without a network."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import tacita as ta

OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--hide-scrollbars",
    "--window-size=1000,1400",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
]


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("release") / "out"
    data = ta.example("patients", 2000).anonymize(ta.KAnonymity(3), suppression_limit=0.1, seed=1)
    data.release(folder, require=ta.KAnonymity(3))
    return folder


@pytest.fixture
def opened(chromium: str, tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Opens a page in a browser that keeps what it keeps in a folder of its own."""
    command = [chromium, *OPTIONS, f"--user-data-dir={tmp_path / 'profile'}"]

    def open_page(page: Path, *options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*command, *options, page.as_uri()],
            capture_output=True,
            text=True,
            check=True,
            timeout=300,
        )

    return open_page


@pytest.mark.parametrize("audience", ["public", "internal"])
def test_the_report_opens_without_complaint(release, opened, audience):
    seen = opened(release / audience / "report.html", "--dump-dom")
    assert "The one requirement holds: it is proven." in seen.stdout
    assert "<svg" in seen.stdout
    complaints = [line for line in seen.stderr.splitlines() if "CONSOLE" in line]
    assert complaints == []


def test_the_report_is_no_blank_page(release, opened, tmp_path):
    picture = tmp_path / "report.png"
    opened(release / "internal" / "report.html", f"--screenshot={picture}")
    assert picture.stat().st_size > 50_000

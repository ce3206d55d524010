"""What `make` installs: for every Python that is promised, and all that tests need."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distributions
from pathlib import Path

from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def test_every_pin_fits_the_oldest_python():
    """Distributions stay at an early patch: where a pin wants a later one, pip finds nothing."""
    promised = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    oldest = promised.removeprefix(">=") + ".0"
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = dict(line.split("==") for line in lines if "==" in line)
    pinned = {(canonicalize_name(name), version) for name, version in pins.items()}
    wanted = {
        one.name: one.metadata["Requires-Python"] or ""
        for one in distributions()
        if (canonicalize_name(one.name), one.version) in pinned
    }
    assert wanted
    assert {name: said for name, said in wanted.items() if oldest not in SpecifierSet(said)} == {}


def test_every_program_that_tests_need_is_installed():
    script = (ROOT / "tests" / "system-packages.sh").read_text()
    installed = set(re.findall(r"\w+", script)) | {"setpriv"}  # no Debian lacks it
    files = (ROOT / "tests").rglob("*.py")
    needed = {one for file in files for one in re.findall(r'\bneed\("(\w+)"\)', file.read_text())}
    assert {"chromium", "pg_ctl", "java"} <= needed <= installed

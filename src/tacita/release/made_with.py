"""Which versions made a release, and whether others are here: what they write may differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

OURS = "tacita"
DRAWS = "vl-convert-python"  # the figures of reports
PACKAGES = (
    *("numpy", "scipy", "pyarrow", "numba", "highspy"),
    *("jinja2", DRAWS, "typst"),
)
WRITERS = ("XlsxWriter", "pyreadstat", "polars")  # extras: not everybody has them
# Which packages decide the bytes of a file whose contents are the same.
WRITES = {
    ".html": ("jinja2", DRAWS),
    ".pdf": ("typst", DRAWS),
    ".parquet": ("pyarrow",),
    ".feather": ("pyarrow",),
    ".xlsx": ("XlsxWriter",),
    ".sav": ("pyreadstat", "polars"),
    ".zsav": ("pyreadstat", "polars"),
    ".dta": ("pyreadstat", "polars"),
}


def versions() -> dict[str, str]:
    """Return the version of every package that decides what a release holds."""
    extras = {name: version_of(name) for name in WRITERS}
    return {
        **{name: version(name) for name in PACKAGES},
        **{name: here for name, here in extras.items() if here != "none"},
    }


def version_of(name: str) -> str:
    """Return the version of a package that may be missing.

    >>> version_of("no-such-package")
    'none'
    """
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


def what_changed(run: Mapping[str, Any], packages: Sequence[str] | None = None) -> str:
    """Name the versions that made a release and are not here.

    Args:
        run: what a release says of the run that made it.
        packages: those that may matter beside ours; None for all.

    >>> what_changed({"tacita": version("tacita"), "packages": {"pyarrow": "0.1"}}, ())
    ''
    """
    made = others(run)
    return ", ".join(
        f"{name} {made[name]} made it, {version_of(name)} is here"
        for name in made
        if packages is None or name in (OURS, *packages)
    )


def others(run: Mapping[str, Any]) -> dict[str, str]:
    """Return the versions that made a release and are not here, by their packages.

    Args:
        run: what a release says of the run that made it.
    """
    made = {OURS: run[OURS], **run["packages"]}
    return {name: made[name] for name in made if made[name] != version_of(name)}

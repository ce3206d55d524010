"""The public surface is deliberate, light and seen by type checkers."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tacita as ta
from tacita.registry import family, find, methods
from tacita.stub import STUB, content


def test_public_names_are_the_registry_and_the_list_of_homes():
    assert ta.__all__ == dir(ta)
    for cls in methods().values():
        assert getattr(ta, cls.__name__) is cls
    for name in ta.__all__:
        assert getattr(ta, name) is not None


def test_the_stub_is_fresh():
    assert STUB.read_text() == content(), "run `make generate`"


def test_what_is_not_there_is_not_there():
    with pytest.raises(AttributeError, match="tacita has no `KAnonimity`"):
        ta.KAnonimity  # noqa: B018


def test_methods_are_found_by_name_and_family():
    assert find("k_anonymity") is ta.KAnonymity
    assert "top_code" in family("masking")


HEAVY = ("numba", "pandas", "polars", "duckdb", "vl_convert", "typst", "jinja2", "rich.progress")


@pytest.mark.parametrize(
    ("code", "forbidden"),
    [
        ("import tacita", ("numpy", "pyarrow", "pydantic", *HEAVY)),
        ("import tacita.cli.main", ("numpy", "pyarrow", "pydantic", *HEAVY)),
        ("import tacita; tacita.methods()", HEAVY),
    ],
)
def test_nothing_heavy_is_imported_before_it_is_used(code, forbidden):
    script = f"{code}\nimport sys\nprint([m for m in {forbidden!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"

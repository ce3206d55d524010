"""The public surface is deliberate, light and seen by type checkers."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tacita as ta
from tacita.registry import family, find, method_named, methods
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


# What a release without signature and tables needs nothing of to be verified without its source.
# (Arrow imports pandas where it is installed.)
NOT_TO_VERIFY = (
    "polars", "duckdb", "sklearn", "highspy", "pyscipopt", "scipy.stats", "scipy.optimize",
    "scipy.sparse", "stdnum", "rapidfuzz", "cryptography", "sqlglot", "fastapi", "uvicorn", "rich.progress",
    "tacita.api.microdata", "tacita.solvers.mixed", "tacita.microdata.masking.rank_swap",
    "tacita.microdata.synthesis.bootstrap", "tacita.tables.protect.suppression",
    "tacita.queries.policies.audit", "tacita.attacks.queries.averaging",
)  # fmt: skip


def test_verifying_imports_what_it_needs_and_no_more(tmp_path):
    """Most of what a person waits for is the start."""
    ta.example("patients", 500).write(tmp_path / "patients.csv")
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "data: {source: patients.csv, attributes: {age_yrs: key, patzip: key}, undeclared: drop}\n"
        "microdata:\n"
        "  steps: [{anonymize: {to: [{k_anonymity: 3}], suppression_limit: 0.2}}]\n"
        "  require: [{k_anonymity: 3}]\n"
    )
    ta.run(plan, tmp_path / "out")
    script = (
        "import sys\nfrom tacita.cli.main import main\n"
        "try:\n    main()\n"
        f"finally:\n    print([m for m in {NOT_TO_VERIFY!r} if m in sys.modules])"
    )
    command = [sys.executable, "-c", script, "verify", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Nothing is wrong" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_method_is_found_without_all_others():
    script = (
        "import sys\nfrom tacita.registry import find\n"
        "print(find('means').name, find('lattice').name)\n"
        "print([m for m in sys.modules if m.startswith(('tacita.queries.policies.', "
        "'tacita.microdata.synthesis.', 'tacita.tables.protect.'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["means lattice", "[]"]


def test_every_method_is_found_by_its_name_as_among_all():
    for name, method in methods().items():
        assert method_named(name) is method
        assert family(method.family)[name] is method
    assert method_named("k_anonimity") is None

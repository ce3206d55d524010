"""`tacita optimize`: a masked file whose moments are those of the original again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tacita as ta
from tacita.data.pairing import NO_GUESS, UNPAIRED

RunCli = Callable[..., Any]
BY_POSITION = ("--pair-by", "position")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Incomes before and after masking."""
    data = ta.example("census", 120)
    original, masked = tmp_path / "original.csv", tmp_path / "masked.csv"
    data.write(original)
    data.apply(ta.AddNoise(data.names, alpha=0.5), seed=1).write(masked)
    return original, masked


def test_the_file_is_what_python_gives(files: tuple[Path, Path], run_cli: RunCli) -> None:
    original, masked = files
    out = original.parent / "better.csv"
    options = ("--original", original, "--out", out, "--seed", 3, "--key", "wage", *BY_POSITION)
    ran = run_cli("optimize", masked, *options)
    assert ran.code == 0, ran.err
    assert f"Written to {out}." in " ".join(ran.out.split())
    expected = ta.PostMasking(known=["wage"], seed=3).improve(
        ta.read(original), ta.read(masked), pair_by="position"
    )
    assert ta.read(out).table.equals(ta.read(expected.data.table).table)
    assert not ta.read(out).table.equals(ta.read(masked).table)


def test_a_program_gets_json(files: tuple[Path, Path], run_cli: RunCli) -> None:
    original, masked = files
    out = original.parent / "better.parquet"
    named = ("--attribute", "wage", "--attribute", "federal_tax", "--start", "affine")
    ran = run_cli(
        "optimize", masked, "--original", original, "--out", out, *named, *BY_POSITION, "--json"
    )
    assert ran.json["after"]["error"] <= ran.json["before"]["error"]
    assert ran.json["after"]["score"] <= ran.json["before"]["score"]
    before, after = ta.read(masked), ta.read(out)
    untouched = [name for name in before.names if name not in ("wage", "federal_tax")]
    assert all(before.column(name).equals(after.column(name)) for name in untouched)


def test_a_file_that_is_read_is_not_written_over(files: tuple[Path, Path], run_cli: RunCli) -> None:
    original, masked = files
    before = masked.read_bytes()
    ran = run_cli("optimize", masked, "--original", original, "--out", masked)
    assert ran.code == 1
    assert "name another file to write" in ran.err
    assert masked.read_bytes() == before


def test_a_start_that_is_none_is_refused(files: tuple[Path, Path], run_cli: RunCli) -> None:
    original, masked = files
    out = original.parent / "better.csv"
    ran = run_cli("optimize", masked, "--original", original, "--out", out, "--start", "there")
    assert ran.code == 1
    assert "`start` should be `masked` or `affine`; found 'there'." in " ".join(ran.err.split())
    assert not out.exists()


def test_what_pairs_the_records_is_said_or_it_refuses(
    files: tuple[Path, Path], run_cli: RunCli
) -> None:
    original, masked = files
    out = original.parent / "better.csv"
    ran = run_cli("optimize", masked, "--original", original, "--out", out)
    assert (ran.code, ran.err) == (1, f"tacita: {UNPAIRED}\n")
    guess = ("--pair-by", "assignment")
    ran = run_cli("optimize", masked, "--original", original, "--out", out, *guess)
    assert (ran.code, ran.err) == (1, f"tacita: {NO_GUESS}\n")
    assert not out.exists()

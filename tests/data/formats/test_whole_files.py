"""Files that are cut off or written while they are read, and paths that the system refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.formats import read_table, whole_files, write_table
from tacita.data.formats.atomic import atomic_file, atomic_folder
from tacita.data.formats.whole_files import file_bytes
from tacita.errors import InputError, OutputError, TacitaError

RECORDS = 50_000
# Cuts the file off after it was looked at, as soon as the reader of its format is called.
CUT_OFF = """
import importlib, os, sys
from tacita.data.formats import FORMATS, format_of, read_contents
from tacita.errors import InputError

path = sys.argv[1]
module = importlib.import_module(f"tacita.data.formats.{format_of(path).module}")
whole = module.read

def read(place, layout, text):
    os.truncate(path, os.path.getsize(path) // 2)
    return whole(place, layout, text)

module.read = read
try:
    print(read_contents(path).table.num_rows)
except InputError as error:
    print(error)
"""
# Cuts the file off after its bytes were taken and before they are parsed.
CUT_LATER = """
import os, sys
from tacita.data.formats import encoding, feather, read_contents, whole_files
from tacita.errors import InputError

path, whole = sys.argv[1], whole_files.file_bytes

def file_bytes(place, **options):
    raw = whole(place, **options)
    os.truncate(path, 0)
    return raw

encoding.file_bytes = feather.file_bytes = file_bytes
try:
    print(read_contents(path).table.num_rows)
except InputError as error:
    print(error)
"""
SUFFIXES = ("csv", "feather", "parquet", "xlsx", "sav", "dta")


def run(script: str, path: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done  # a bus error would end it by a signal
    return done.stdout


def written(folder: Path, suffix: str) -> Path:
    path = folder / f"a.{suffix}"
    write_table(pa.table({"a": list(range(RECORDS)), "b": ["x" * 20] * RECORDS}), path)
    return path


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_file_cut_off_while_it_is_read_is_a_sentence(tmp_path, suffix):
    path = written(tmp_path, suffix)
    assert "changed while it was read" in run(CUT_OFF, path)


@pytest.mark.parametrize("suffix", ["csv", "feather"])
def test_a_file_emptied_after_it_was_read_ends_no_process(tmp_path, suffix):
    assert "changed while it was read" in run(CUT_LATER, written(tmp_path, suffix))


def test_a_file_that_grows_while_its_bytes_are_taken_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")

    def room(place: Path, size: int, held: int | None) -> pa.Buffer:
        place.write_text("a\n1\n2\n")
        return pa.allocate_buffer(size)

    monkeypatch.setattr(whole_files, "_room", room)
    with pytest.raises(InputError, match=r"a\.csv was changed while it was read; read it again"):
        file_bytes(path)


def test_a_large_file_is_mapped_from_a_copy_that_nobody_can_cut_off(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a\n" + b"1\n" * 100_000)
    whole = path.read_bytes()
    raw = file_bytes(path, held=10)
    os.truncate(path, 0)
    assert raw.to_pybytes() == whole


def test_no_space_for_the_copy_is_a_sentence(tmp_path, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_bytes(b"a\n1\n")

    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(InputError, match=r"No space left on device\); set TMPDIR to a folder"):
        file_bytes(path, held=1)


def test_nothing_is_mapped_that_somebody_may_cut_off():
    """Only nameless copies are mapped; see `whole_files`."""
    source = Path(ta.__file__).parent
    for path in source.rglob("*.py"):
        if path.name != "whole_files.py":
            for word in ("memory_map", "mmap", "memmap"):
                assert word not in path.read_text("utf-8"), f"{path} maps files"


# -- paths that the system refuses ------------------------------------------------------------------

LONG = "x" * 300


@pytest.mark.parametrize("suffix", ["csv", "parquet", "db", "duckdb", "xlsx", "asc", "sav", ""])
def test_names_that_are_too_long_to_be_read_are_a_sentence(tmp_path, suffix):
    name = f"{LONG}.{suffix}" if suffix else LONG
    for path in (tmp_path / name, tmp_path / LONG / f"a.{suffix}"):
        with pytest.raises(TacitaError, match=r"[Ff]ile name too long"):
            read_table(path)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "db", "duckdb", "xlsx", "asc", "sav"])
def test_names_that_are_too_long_to_be_written_are_a_sentence(tmp_path, suffix):
    table = {"table": "t"} if suffix in {"db", "duckdb"} else {}
    for path in (tmp_path / f"{LONG}.{suffix}", tmp_path / LONG / f"a.{suffix}"):
        with pytest.raises(TacitaError, match=r"[Ff]ile name too long"):
            write_table(pa.table({"a": [1]}), path, **table)
    assert list(tmp_path.iterdir()) == []


def test_names_that_are_too_long_to_be_scanned_are_a_sentence(tmp_path):
    with pytest.raises(InputError, match=r"file name too long\. Choose a shorter name"):
        ta.scan(tmp_path / f"{LONG}.csv")


def test_drafts_of_names_that_are_too_long_are_a_sentence(tmp_path):
    for opened in (atomic_file, atomic_folder):
        with (
            pytest.raises(OutputError, match=r"file name too long\. Choose a shorter name"),
            opened(tmp_path / LONG),
        ):
            pass

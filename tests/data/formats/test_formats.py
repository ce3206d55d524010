"""Which reader a file gets, and what is said when there is none."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tacita.data.formats import FORMATS, read_table, write_table
from tacita.errors import InputError, OutputError

WRITTEN = [suffix for suffix, known in FORMATS.items() if known.writes is not None]
RELEASED = [suffix for suffix in WRITTEN if "table" not in FORMATS[suffix].writes]  # no databases
BESIDE = {".asc": [".rda"]}  # what is written with a file to describe it


@pytest.mark.parametrize("suffix", WRITTEN)
def test_every_format_reads_what_it_writes(tmp_path, suffix):
    table = pa.table({"zip": ["01234", None], "n": [1, 2], "x": [0.5, 1.0]})
    layout = {"table": "people"} if "table" in FORMATS[suffix].writes else {}
    write_table(table, str(tmp_path / f"people{suffix}"), **layout)
    assert read_table(str(tmp_path / f"people{suffix}"), **layout).equals(table)
    expected = {f"people{each}" for each in [suffix, *BESIDE.get(suffix, [])]}
    assert {path.name for path in tmp_path.iterdir()} == expected


@pytest.mark.parametrize("suffix", RELEASED)
def test_equal_contents_give_equal_bytes(tmp_path, suffix):
    """A release is told by the hash of its file, and made again to verify it."""
    table = pa.table({"zip": ["01234", None, "x"], "x": [0.5, 1.0, None]})
    for folder, chunked in (("a", table), ("b", pa.concat_tables([table[:1], table[1:]]))):
        (tmp_path / folder).mkdir()
        write_table(chunked, tmp_path / folder / f"people{suffix}")
    one, other = ((tmp_path / f / f"people{suffix}").read_bytes() for f in "ab")
    assert one == other


@pytest.mark.parametrize("suffix", sorted(set(FORMATS) - {".csv", ".tsv", ".txt"}))
@pytest.mark.parametrize("content", [b"", b"PAR1", b"nonsense" * 100, b"\x00" * 4096])
def test_files_of_another_kind_are_told(tmp_path, suffix, content):
    path = tmp_path / f"people{suffix}"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_table(path)
    assert "people" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_hints_at_a_near_one(tmp_path):
    (tmp_path / "patients.csv").touch()
    with pytest.raises(InputError, match=r"There is no file .*Did you mean `patients\.csv`\?"):
        read_table(tmp_path / "patient.csv")
    with pytest.raises(InputError, match=r"There is no file .*xyz\.csv\.$"):
        read_table(tmp_path / "xyz.csv")


def test_missing_folders_and_folders(tmp_path):
    with pytest.raises(InputError, match=r"the folder .*nowhere does not exist"):
        read_table(tmp_path / "nowhere" / "a.csv")
    with pytest.raises(InputError, match=r"is a folder\. Name a file in it"):
        read_table(tmp_path)


def test_unknown_suffixes(tmp_path):
    (tmp_path / "a.docx").touch()
    (tmp_path / "a").touch()
    with pytest.raises(InputError, match=r"Cannot tell the format of .*found `\.docx`"):
        read_table(tmp_path / "a.docx")
    with pytest.raises(InputError, match="found none"):
        read_table(tmp_path / "a")
    with pytest.raises(OutputError, match=r"found `\.parqet`. Did you mean `\.parquet`\?"):
        write_table(pa.table({"a": [1]}), tmp_path / "a.parqet")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.csv.gz"])
def test_files_that_may_not_be_read(tmp_path, monkeypatch, name):
    path = tmp_path / name
    write_table(pa.table({"a": [1]}), path)

    def refuse(*_arguments, **_options):
        raise PermissionError(13, "Permission denied", str(path))

    for opener in ("pathlib.Path.open", "pyarrow.parquet.ParquetFile", "gzip.open"):
        monkeypatch.setattr(opener, refuse)
    with pytest.raises(InputError, match=f"Cannot read .*{name}: Permission denied"):
        read_table(path)

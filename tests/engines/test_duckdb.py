"""What only DuckDB has: limits, a temporary folder, and its own ways to fail."""

from __future__ import annotations

import gc
import resource
from concurrent.futures import ThreadPoolExecutor

import duckdb as db
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacita.engines import duckdb, open_records
from tacita.engines.sql import SqlRecords
from tacita.errors import InputError, MemoryLimitError, OutputError, ParameterError


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A file with more classes than a few megabytes hold."""
    numbers = np.arange(400_000)
    table = pa.table({"a": numbers, "b": numbers % 7, "c": [f"{n:030d}" for n in numbers // 2]})
    file = tmp_path_factory.mktemp("numbers") / "a.parquet"
    pq.write_table(table, file)
    return file


def test_the_temporary_folder_goes_with_the_records(path, tmp_path):
    folder = tmp_path / "spill"
    folder.mkdir()
    records = open_records(path, "duckdb", temporary_folder=folder)
    classes = records.classes(["c"])
    del records
    gc.collect()
    assert len(list(folder.iterdir())) == 1
    assert classes.count() == 200_000
    del classes
    gc.collect()
    assert not list(folder.iterdir())


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_do_not_change_what_is_written(path, tmp_path, threads):
    records = open_records(path, "duckdb", threads=threads)
    mapping = pa.table({"b": range(7)}), pa.table({"b": [f"<{n}>" for n in range(7)]})
    records.recode(*mapping).write(tmp_path / "out.parquet")
    written = pq.read_table(tmp_path / "out.parquet")
    assert written.column("a").to_pylist() == list(range(400_000))
    assert written.column("b").to_pylist()[:8] == [f"<{n % 7}>" for n in range(8)]


def test_too_little_memory_is_told_in_a_sentence(path):
    records = open_records(path, "duckdb", memory_limit="12MB", threads=1)
    with pytest.raises(ParameterError, match="memory limit of 12MB is too small for this; raise"):
        records.classes(["a", "c"]).to_arrow()


def test_class_sizes_are_counted_in_parts_where_memory_is_short(path, monkeypatch):
    records = open_records(path, "duckdb")
    whole = records.class_sizes(["c", "b"])
    asked = []
    once = SqlRecords._class_sizes_in

    def short(self, parts, keys):
        asked.append(parts)
        if parts == 1:
            raise MemoryLimitError("too small")
        return once(self, parts, keys)

    monkeypatch.setattr(SqlRecords, "_class_sizes_in", short)
    assert records.class_sizes(["c", "b"]).equals(whole)
    assert asked == [1, 4]
    assert whole.to_pylist() == [{"value": 1, "count": 400_000}]


def test_class_sizes_that_never_fit(path, monkeypatch):
    monkeypatch.setattr(duckdb.Database, "parts", (1, 2))
    records = open_records(path, "duckdb", memory_limit="12MB", threads=1)
    with pytest.raises(ParameterError, match="is too small for this"):
        records.class_sizes(["a", "c"])


@pytest.mark.parametrize(
    "wrong",
    [
        *({"memory_limit": limit} for limit in ("plenty", "-5GB", "0MB", "5", 5, "50 lines", "")),
        *({"threads": threads} for threads in (0, -1, "two", 1.5, True)),
    ],
)
def test_limits_that_mean_nothing(path, wrong):
    with pytest.raises(ParameterError, match="`memory_limit` like '2GB' and 1 or more `threads`"):
        open_records(path, "duckdb", **wrong)


def test_a_temporary_folder_that_is_none(path, tmp_path):
    with pytest.raises(OutputError, match="Choose a folder where you may write"):
        open_records(path, "duckdb", temporary_folder=tmp_path / "no")
    with pytest.raises(OutputError, match="Choose a folder where you may write"):
        open_records(path, "duckdb", temporary_folder=path)
    with pytest.raises(ParameterError, match="`temporary_folder` should be a path; found 5"):
        open_records(path, "duckdb", temporary_folder=5)


@pytest.mark.parametrize("limit", ["700MB", "1.5 GB", "600 mib"])
def test_limits_that_mean_something(path, limit):
    assert open_records(path, "duckdb", memory_limit=limit).count() == 400_000


def test_two_threads_may_ask_at_once(path):
    records = open_records(path, "duckdb")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: records.classes(["c"]).count(), range(8)))
    assert found == [200_000] * 8


def test_ctrl_c(path, tmp_path, monkeypatch):
    def interrupted(_connection, _records, _path, temporary):
        with open(temporary, "wb") as file:  # noqa: PTH123 - the name is text
            file.write(b"PAR1")
        raise RuntimeError("Query interrupted")  # as DuckDB does, when it notices

    monkeypatch.setitem(duckdb.WRITERS, "parquet", interrupted)
    records = open_records(path, "duckdb")
    with pytest.raises(KeyboardInterrupt):
        records.write(tmp_path / "out.parquet")
    assert not list(tmp_path.iterdir())
    assert records.count() == 400_000


@pytest.mark.parametrize("name", ["out.parquet", "out.csv"])
def test_a_file_that_grows_too_large(path, tmp_path, name):
    records = open_records(path, "duckdb")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, before[1]))
    try:
        with pytest.raises(OutputError, match=rf"Cannot write .*/{name}: file too large\. Choose"):
            records.write(tmp_path / name)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.iterdir())


def test_text_in_quotes_that_looks_like_records(tmp_path):
    """Large enough for several threads, each of which would begin in the middle."""
    text = "\n".join(f"{n % 9},{n % 7}" for n in range(200_000))
    records = [f'{n},"{text}"\n' for n in range(30)]
    (tmp_path / "a.csv").write_text("a,b\n" + "".join(records), encoding="utf-8")
    found = open_records(tmp_path / "a.csv", "duckdb", threads=4).histogram("a")
    assert found.column("count").to_pylist() == [1] * 30


def test_a_full_disk(path, tmp_path, monkeypatch):
    def full(_connection, _records, _path, temporary):
        with open(temporary, "wb") as file:  # noqa: PTH123 - the name is text
            file.write(b"PAR1")
        raise db.IOException("Could not write all bytes to file: No space left on device")

    monkeypatch.setitem(duckdb.WRITERS, "parquet", full)
    with pytest.raises(OutputError, match="The disk is full; nothing was left behind"):
        open_records(path, "duckdb").write(tmp_path / "out.parquet")
    assert not list(tmp_path.iterdir())


def test_a_file_that_goes_away(tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    records = open_records(tmp_path / "a.parquet", "duckdb")
    (tmp_path / "a.parquet").unlink()
    with pytest.raises(InputError) as caught:
        records.count()
    assert "\n" not in str(caught.value)

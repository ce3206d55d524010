"""What only Spark has: executors that really work apart, and sessions that come and go."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacita.engines import open_records, spark
from tacita.errors import InputError, OutputError, ParameterError

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")


@pytest.fixture
def folder(tmp_path):
    """Eight files."""
    for part in range(8):
        pq.write_table(pa.table({"k": [part % 3] * 50_000}), tmp_path / f"{part}.parquet")
    return tmp_path


def test_two_executor_processes_share_the_work(cluster, folder):
    before = _tasks(cluster)
    assert len(before) == 2
    counted = open_records(folder, "spark", session=cluster).classes(["k"]).to_arrow()
    assert sorted(counted.column("count").to_pylist()) == [100_000, 150_000, 150_000]
    after = _tasks(cluster)
    assert all(after[executor] > before[executor] for executor in before)


def _tasks(session):
    """The number of tasks that each executor has done; the driver does none."""
    listed = session.sparkContext._jsc.sc().statusStore().executorList(True)
    done = {listed.apply(i).id(): listed.apply(i).totalTasks() for i in range(listed.size())}
    return {executor: tasks for executor, tasks in done.items() if executor != "driver"}


def test_the_active_session_is_used(cluster, folder):
    assert open_records(folder, "spark").engine.session is cluster


def test_parts_are_numbered_and_nothing_else_is_left(cluster, folder, tmp_path):
    records = open_records(folder, "spark", session=cluster)
    records.write(tmp_path / "out.parquet")
    names = sorted(path.name for path in (tmp_path / "out.parquet").iterdir())
    assert names == [f"part-{number:05d}.parquet" for number in range(len(names))]
    assert open_records(tmp_path / "out.parquet", "memory").count() == 400_000


@pytest.mark.parametrize(
    "names", [["part-00000.parquet", "notes.txt"], ["part-00001.parquet"], ["part-00000.csv"]]
)
def test_a_folder_with_other_things_is_left_alone(cluster, folder, tmp_path, names):
    target = tmp_path / "out.parquet"
    target.mkdir()
    for name in names:
        (target / name).write_text("x", encoding="utf-8")
    with pytest.raises(OutputError, match="exists and is not a release; choose another"):
        open_records(folder / "0.parquet", "spark", session=cluster).write(target)
    assert sorted(path.name for path in target.iterdir()) == sorted(names)


def test_parts_stay_when_others_do_not_come_about(cluster, folder, tmp_path, monkeypatch):
    target = tmp_path / "out.parquet"
    records = open_records(folder / "0.parquet", "spark", session=cluster)
    records.write(target)
    before = sorted(tmp_path.iterdir())

    def faulty(_place, _target):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(spark, "_tidy", faulty)
    with pytest.raises(OutputError, match=r"Cannot write .*/out\.parquet: permission denied"):
        records.write(target)
    monkeypatch.undo()
    rename, faults = Path.rename, [target]

    def stuck(self, new):
        return faulty(self, faults.pop()) if new in faults else rename(self, new)

    monkeypatch.setattr(Path, "rename", stuck)
    with pytest.raises(OutputError, match="Cannot replace"):
        records.write(target)
    monkeypatch.undo()
    assert sorted(tmp_path.iterdir()) == before


def test_what_is_no_session(folder):
    with pytest.raises(ParameterError, match="`session` should be a Spark session; found str"):
        open_records(folder, "spark", session="local")


def test_a_session_that_was_stopped(folder):
    """Only what can be told without a second cluster: a context without its Java side."""

    class Context:
        _jsc = None

    class Session:
        _sc = Context()

        def createDataFrame(self):  # noqa: N802 - Spark's name
            raise AssertionError

    with pytest.raises(InputError, match="The Spark session was stopped; start one and scan again"):
        open_records(folder, "spark", session=Session())


def test_a_machine_without_java(folder):
    code = (
        "from tacita.engines import open_records\n"
        "from tacita.errors import MissingExtraError\n"
        "try:\n"
        f"    open_records({str(folder)!r}, 'spark')\n"
        "except MissingExtraError as error:\n"
        "    print(error)\n"
    )
    environment = {**os.environ, "JAVA_HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == (
        "Spark did not start: it needs Java 17 or later. Install it and let JAVA_HOME name its "
        "folder, or pass a `session`.\n"
    )


def test_classes_counted_in_parts_are_the_same(cluster, folder):
    records = open_records(folder, "spark", session=cluster)
    assert records._class_sizes_in(3, ["k"]).equals(records.class_sizes(["k"]))

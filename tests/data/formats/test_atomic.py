"""All or nothing on disk, whatever goes wrong."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tacita.data.formats import write_table
from tacita.data.formats.atomic import (
    atomic_file,
    atomic_folder,
    is_release,
    keep_file,
    refuse_place,
)
from tacita.errors import OutputError

SMALL = pa.table({"a": [1]})


def make_release(folder, content="new"):
    (folder / "public").mkdir(parents=True)
    (folder / "public" / "statement.json").write_text(content)


def keep_all(target, new):
    """Keep every file of a folder in the one that takes its place."""
    for file in target.rglob("*"):
        if file.is_file():
            keep_file(file, new / "versions" / "1" / file.relative_to(target))


def fill(target, action=make_release, keep=keep_all):
    """Fill a folder through the context manager."""
    with atomic_folder(target, keep=keep) as folder:
        action(folder)


def write(target, action):
    """Write a file through the context manager."""
    with atomic_file(target) as path:
        action(path)


def never(_folder):
    pytest.fail("the block must not be reached")


def half_then(error):
    """Write half a file, then fail."""

    def action(place):
        (place / "half.csv" if place.is_dir() else place).write_text("a,b\n1,")
        raise error

    return action


def failing(error):
    """Make a function that only fails."""

    def function(*_arguments, **_options):
        raise error

    return function


def tree(folder):
    """List all that is below a folder, hidden things too, with the content of files."""
    return {
        str(path.relative_to(folder)): path.read_text() if path.is_file() else None
        for path in folder.rglob("*")
    }


# --- folders


@pytest.mark.parametrize("before", ["nothing", "empty", "release"])
def test_a_folder_appears_when_it_is_complete(tmp_path, before):
    target = tmp_path / "out"
    if before == "empty":
        target.mkdir()
    elif before == "release":
        make_release(target, "old")
        (target / "old.txt").touch()
    was = tree(tmp_path)
    with atomic_folder(target, keep=keep_all) as folder:
        assert folder.parent == tmp_path
        assert folder.name.startswith(".out.tacita-")
        assert tree(tmp_path) == {**was, folder.name: None}
        make_release(folder)
    assert is_release(target)
    kept = {"old.txt": "", "public/statement.json": "old"} if before == "release" else {}
    shown = {name: content for name, content in tree(tmp_path).items() if content is not None}
    assert shown == {
        "out/public/statement.json": "new",
        **{f"out/versions/1/{name}": content for name, content in kept.items()},
    }


def test_what_nobody_keeps_is_not_replaced(tmp_path):
    make_release(tmp_path / "out", "old")
    was = tree(tmp_path)
    with pytest.raises(OutputError, match="exists and is not empty; choose another"):
        fill(tmp_path / "out", never, keep=None)
    with pytest.raises(OutputError, match=r"was not replaced: public/statement\.json came into it"):
        fill(tmp_path / "out", keep=lambda *_: None)
    assert tree(tmp_path) == was


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_comes_at_the_last_moment_is_not_lost(tmp_path, monkeypatch, links):
    make_release(tmp_path / "out", "old")
    if not links:
        monkeypatch.setattr(os, "link", failing(OSError(errno.EPERM, "no links here")))

    def keep_and_add(target, new):
        keep_all(target, new)
        (target / "thesis.txt").write_text("dear")

    with pytest.raises(OutputError, match=r"was not replaced: thesis\.txt came into it meanwhile"):
        fill(tmp_path / "out", keep=keep_and_add)
    assert tree(tmp_path) == {
        "out": None, "out/public": None, "out/public/statement.json": "old",
        "out/thesis.txt": "dear",
    }  # fmt: skip
    (tmp_path / "out" / "thesis.txt").unlink()
    fill(tmp_path / "out")
    kept = tmp_path / "out" / "versions" / "1" / "public" / "statement.json"
    assert (kept.read_text(), kept.stat().st_nlink) == ("old", 1)


def killed(target, at):
    """Start a run in a process of its own, and kill it at a moment that cannot be cleaned up."""
    code = f"""
import os, pathlib, signal
from tacita.data.formats import atomic
target = pathlib.Path({str(target)!r})
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
if {at!r} == "replaced":
    rename, times = pathlib.Path.rename, []
    def third(path, other):  # the draft gets its name, what stands there goes aside
        times.append(path)
        return rename(path, other) if len(times) < 3 else die()
    pathlib.Path.rename = third
def keep(target, new):
    atomic.keep_file(target / "public" / "statement.json", new / "old.json")
with atomic.atomic_folder(target, keep=keep) as folder:
    (folder / "public").mkdir()
    (folder / "public" / "statement.json").write_text("killed")
    {"die()" if at == "written" else ""}
"""
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == -signal.SIGKILL


@pytest.mark.parametrize("at", ["written", "replaced"])
def test_what_a_killed_run_left_is_swept_by_the_next(tmp_path, at):
    make_release(tmp_path / "out", "old")
    (tmp_path / ".out.tacita-notes").mkdir()  # somebody's folder, not a draft
    killed(tmp_path / "out", at)
    assert len(list(tmp_path.glob(".out.tacita-*"))) == {"written": 2, "replaced": 3}[at]
    with pytest.raises(ValueError, match="bug"):
        fill(tmp_path / "out", half_then(ValueError("bug")))
    assert (tmp_path / "out" / "public" / "statement.json").read_text() == "old"
    assert [path.name for path in tmp_path.glob(".*")] == [".out.tacita-notes"]


def test_a_folder_is_filled_inside_of_a_draft(tmp_path):
    with atomic_folder(tmp_path / "out") as folder:
        fill(folder / "copy-1")
    assert is_release(tmp_path / "out" / "copy-1")


def test_a_draft_that_is_being_written_is_left_alone(tmp_path):
    with atomic_folder(tmp_path / "out") as folder:
        with pytest.raises(ValueError, match="bug"):
            fill(tmp_path / "out", half_then(ValueError("bug")))
        assert folder.is_dir()
        make_release(folder)
    assert is_release(tmp_path / "out")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("bug"), SystemExit(1)])
@pytest.mark.parametrize("before", ["nothing", "release"])
def test_whatever_is_raised_leaves_all_as_it_was(tmp_path, error, before):
    if before == "release":
        make_release(tmp_path / "out", "old")
    was = tree(tmp_path)
    with pytest.raises(type(error)):
        fill(tmp_path / "out", half_then(error))
    assert tree(tmp_path) == was


def test_other_folders_and_files_are_never_touched(tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.txt").write_text("dear")
    (tmp_path / "file").write_text("dear")
    was = tree(tmp_path)
    with pytest.raises(OutputError, match="exists and is not a release; choose another"):
        fill(tmp_path / "home", never)
    with pytest.raises(OutputError, match="a file has that name"):
        fill(tmp_path / "file", never)
    assert tree(tmp_path) == was


def test_a_folder_filled_meanwhile_is_not_touched(tmp_path):
    def fill_target(_folder):
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "thesis.txt").write_text("dear")

    with pytest.raises(OutputError, match="is not a release"):
        fill(tmp_path / "out", fill_target)
    assert tree(tmp_path) == {"out": None, "out/thesis.txt": "dear"}


@pytest.mark.parametrize("error", [OSError(errno.EBUSY, "busy"), KeyboardInterrupt()])
def test_the_old_release_is_put_back(tmp_path, monkeypatch, error):
    make_release(tmp_path / "out", "old")
    was, genuine = tree(tmp_path), Path.rename

    def rename(self, target):
        if (self / "new.txt").exists():
            raise error
        return genuine(self, target)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises((OutputError, KeyboardInterrupt)):
        fill(tmp_path / "out", lambda folder: (folder / "new.txt").touch())
    assert tree(tmp_path) == was


def test_an_interrupted_trial_of_a_place_leaves_nothing(tmp_path, monkeypatch):
    mkdir = Path.mkdir

    def interrupted(folder):
        mkdir(folder)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "mkdir", interrupted)
    with pytest.raises(KeyboardInterrupt):
        refuse_place(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_an_old_release_that_cannot_be_removed_is_told(tmp_path, monkeypatch):
    make_release(tmp_path / "out", "old")

    def refuse(path, ignore_errors=False):
        if not ignore_errors:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr("shutil.rmtree", refuse)
    with pytest.raises(OutputError, match=r"could not be removed \(permission denied\)\. Remove "):
        fill(tmp_path / "out")
    assert (tmp_path / "out" / "public" / "statement.json").read_text() == "new"


def test_a_linked_folder_is_replaced_where_it_is(tmp_path):
    make_release(tmp_path / "real" / "out", "old")
    (tmp_path / "link").symlink_to(tmp_path / "real" / "out")
    fill(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "out" / "public" / "statement.json").read_text() == "new"


# --- what the file system says


def test_places_that_do_not_exist(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"no such file or directory\. Create the folder"):
        fill(tmp_path / "no" / "out", never)
    with pytest.raises(OutputError, match=r"not a directory\. Choose a place inside a folder"):
        fill(tmp_path / "file" / "out", never)
    with pytest.raises(OutputError, match=r"no such file or directory\. Create the folder"):
        write_table(SMALL, tmp_path / "no" / "a.csv")
    with pytest.raises(OutputError, match=r"not a directory\. Choose a place inside a folder"):
        write_table(SMALL, tmp_path / "file" / "a.parquet")
    assert tree(tmp_path) == {"file": ""}


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "no space left on device. Free some space"),
        (errno.EACCES, "permission denied. Choose a place where you may write"),
        (errno.EROFS, "read-only file system. Choose a place that is not read-only"),
        (errno.EIO, "input/output error. Choose another place"),
    ],
)
def test_writes_that_fail(tmp_path, monkeypatch, number, advice):
    error = OSError(number, os.strerror(number))
    with pytest.raises(OutputError, match=f"Cannot write .*out: {advice}.*nothing was left"):
        fill(tmp_path / "out", half_then(error))
    with pytest.raises(OutputError, match=advice):
        write(tmp_path / "out", half_then(error))
    monkeypatch.setattr(Path, "mkdir", failing(error))
    with pytest.raises(OutputError, match=advice):
        fill(tmp_path / "out", never)
    assert tree(tmp_path) == {}


def test_a_system_that_does_not_say_why(tmp_path):
    with pytest.raises(
        OutputError, match=r"out: for a reason that it does not tell\. Choose another"
    ):
        write(tmp_path / "out", half_then(OSError()))


def test_errors_about_other_files_are_not_ours(tmp_path):
    with pytest.raises(FileNotFoundError):
        fill(tmp_path / "out", lambda _: (tmp_path / "plan.yaml").read_text())
    assert tree(tmp_path) == {}


@pytest.fixture
def tiny_disk(tmp_path):
    """Mount a disk of 256 KB, where that is allowed."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting is not allowed here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("name", ["big.csv", "big.parquet", "big.csv.gz"])
def test_a_full_disk(tiny_disk, name):
    big = pa.table({"x": np.random.default_rng(1).random(100_000)})
    (tiny_disk / name).write_text("old")
    with pytest.raises(OutputError, match=r"no space left on device\. Free some space"):
        write_table(big, tiny_disk / name)
    with pytest.raises(OutputError, match=r"no space left on device\. Free some space"):
        fill(tiny_disk / "out", lambda folder: write_table(big, folder / name))
    assert tree(tiny_disk) == {name: "old"}


def test_a_read_only_disk(tiny_disk):
    subprocess.run(["mount", "-o", "remount,ro", str(tiny_disk)], check=True)
    with pytest.raises(OutputError, match="read-only file system"):
        write_table(SMALL, tiny_disk / "a.csv")
    with pytest.raises(OutputError, match="read-only file system"):
        fill(tiny_disk / "out", never)


# --- files


def test_a_file_is_replaced_when_it_is_complete(tmp_path):
    target = tmp_path / "a.csv"
    target.write_text("old")
    target.chmod(0o600)
    with atomic_file(target) as path:
        assert path.name.startswith(".a.csv.tacita-")
        path.write_text("new")
        assert target.read_text() == "old"
    assert tree(tmp_path) == {"a.csv": "new"}
    assert target.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ValueError("bug")])
@pytest.mark.parametrize("before", [{}, {"a.csv": "old"}])
def test_a_file_half_written_is_removed(tmp_path, error, before):
    for name, content in before.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(type(error)):
        write(tmp_path / "a.csv", half_then(error))
    assert tree(tmp_path) == before


def test_a_folder_is_not_replaced_by_a_file(tmp_path):
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(OutputError, match="a folder has that name"):
        write_table(SMALL, tmp_path / "a.csv")


def test_a_rename_that_fails(tmp_path, monkeypatch):
    error = PermissionError(errno.EPERM, "no", str(tmp_path / "a.csv"))
    monkeypatch.setattr(Path, "replace", failing(error))
    with pytest.raises(OutputError, match="operation not permitted"):
        write_table(SMALL, tmp_path / "a.csv")
    assert tree(tmp_path) == {}

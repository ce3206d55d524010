from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path

import pytest
from starlette.requests import ClientDisconnect

from tacita.app.workplace import INCOMING, Workplace
from tacita.errors import InputError, OutputError


async def pieces(*content: bytes):
    for one in content:
        yield one


def brought(place: Workplace, name: str, *content: bytes) -> str:
    return asyncio.run(place.bring_in(name, pieces(*content)))


@pytest.fixture
def place(tmp_path) -> Workplace:
    return Workplace.at(tmp_path)


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="There is no folder"):
        Workplace.at(tmp_path / "none")


@pytest.mark.parametrize("name", ["../a.csv", "/etc/passwd", ".tacita/jobs.json", "x/../../a.csv"])
def test_nothing_outside_of_the_folder_is_reached(place, name):
    with pytest.raises(InputError, match="is not in the folder of the workbench"):
        place.inside(name)


def test_a_link_leads_nowhere_else(place, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "a.csv"
    elsewhere.write_text("a\n1\n")
    (place.folder / "link.csv").symlink_to(elsewhere)
    with pytest.raises(InputError, match="is not in the folder"):
        place.inside("link.csv")


def test_a_file_is_brought_in_piece_by_piece_and_never_replaces_another(place):
    assert brought(place, "a.csv", b"x\n", b"1\n") == "a.csv"
    assert brought(place, "a.csv", b"y\n") == "a 2.csv"
    assert (place.folder / "a.csv").read_bytes() == b"x\n1\n"
    assert place.files() == ["a 2.csv", "a.csv"]


def test_what_is_too_large_leaves_nothing_behind(tmp_path):
    place = Workplace.at(tmp_path, largest=3)
    with pytest.raises(InputError, match="larger than"):
        brought(place, "a.csv", b"12", b"34")
    assert [one.name for one in tmp_path.iterdir()] == [".tacita"]


@pytest.mark.parametrize("name", ["a.exe", ".hidden.csv", "a/b.csv", "a\x00.csv", "", "a\n.csv"])
def test_strange_names_are_refused(place, name):
    with pytest.raises(InputError):
        brought(place, name, b"1")


@pytest.mark.parametrize("name", ["a\u202evsc.csv", "a\u2028.csv", "é" * 150 + ".csv", "a\x7f.csv"])
def test_names_that_deceive_or_are_too_long_are_refused(place, name):
    with pytest.raises(InputError, match="Expected a data file"):
        brought(place, name, b"1")
    assert place.files() == []


def test_a_size_that_is_told_is_refused_before_anything_is_read(tmp_path):
    place = Workplace.at(tmp_path, largest=3)

    async def never():
        raise AssertionError("it was read")
        yield b""

    with pytest.raises(InputError, match="larger than"):
        asyncio.run(place.bring_in("a.csv", never(), size=4))


def test_what_breaks_off_leaves_nothing_behind(place):
    async def broken():
        yield b"1"
        raise ClientDisconnect

    with pytest.raises(ClientDisconnect):
        asyncio.run(place.bring_in("a.csv", broken()))
    assert list(place.folder.rglob("*.csv")) == []
    assert list((place.session / INCOMING).iterdir()) == []


def test_a_full_disk_is_said_of_the_file_that_was_brought(place):
    async def full():
        yield b"1"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OutputError, match=r"Cannot write a\.csv: no space left"):
        asyncio.run(place.bring_in("a.csv", full()))
    assert list((place.session / INCOMING).iterdir()) == []


def test_what_a_crash_left_is_swept(place):
    (place.session / INCOMING / ".half.tacita-00000000").write_bytes(b"1")
    place.sweep()
    assert list((place.session / INCOMING).iterdir()) == []


def test_files_of_one_name_brought_at_once_are_both_kept(place):
    async def both():
        await asyncio.gather(*(place.bring_in("a.csv", pieces(one)) for one in (b"1", b"2")))

    asyncio.run(both())
    assert place.files() == ["a 2.csv", "a.csv"]
    assert {(place.folder / one).read_bytes() for one in place.files()} == {b"1", b"2"}


def test_pipes_and_devices_are_no_files(place):
    os.mkfifo(place.folder / "a.csv")
    with pytest.raises(InputError, match="a device or a pipe"):
        place.inside("a.csv")


@pytest.mark.parametrize("name", ["a\x00.csv", "a" * 5000, "\ud800.csv"])
def test_what_is_no_name_is_refused(place, name):
    with pytest.raises(InputError, match="no name of a file"):
        place.inside(name)


def test_a_folder_that_leads_elsewhere_leads_nowhere(place, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "a.csv").write_text("a\n1\n")
    (place.folder / "inner").symlink_to(elsewhere)
    with pytest.raises(InputError, match="is not in the folder"):
        place.inside("inner/a.csv")
    assert place.files() == []


def test_the_session_folder_is_one_of_its_own(tmp_path, tmp_path_factory):
    with pytest.raises(InputError, match="choose one with --session"):
        Workplace.at(tmp_path, tmp_path)
    with pytest.raises(InputError, match="choose one with --session"):
        Workplace.at(tmp_path, tmp_path.parent)
    (tmp_path / ".tacita").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    with pytest.raises(InputError, match="choose one with --session"):
        Workplace.at(tmp_path)


def test_a_place_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / ".tacita").write_text("a file")
    with pytest.raises(InputError, match="Choose another place with --session"):
        Workplace.at(tmp_path)


def test_hidden_files_and_what_stays_in_the_house_are_not_listed(place):
    for name in ("a.csv", ".b.csv", "internal/c.csv", "plan.yaml", "deep/d.parquet"):
        file = place.folder / name
        file.parent.mkdir(exist_ok=True)
        file.touch()
    assert place.files() == ["a.csv", "deep/d.parquet"]
    assert place.plans() == ["plan.yaml"]


def test_a_file_that_goes_away_while_it_is_looked_at_can_be_named(place, monkeypatch):
    monkeypatch.setattr(Path, "exists", lambda _: True)  # it was there a moment ago
    assert place.inside("gone.csv") == place.folder / "gone.csv"
    assert place.inside("gone/inner.csv") == place.folder / "gone" / "inner.csv"


def test_folders_of_work_that_was_ended_are_swept_too(place):
    (place.session / INCOMING / "tmp1").mkdir()
    (place.session / INCOMING / "tmp1" / "internal.csv").write_text("a\n1\n")
    place.sweep()
    assert list((place.session / INCOMING).iterdir()) == []

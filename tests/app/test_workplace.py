from __future__ import annotations

import asyncio

import pytest

from tacita.app.workplace import Workplace
from tacita.errors import InputError


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


def test_hidden_files_and_what_stays_in_the_house_are_not_listed(place):
    for name in ("a.csv", ".b.csv", "internal/c.csv", "plan.yaml", "deep/d.parquet"):
        file = place.folder / name
        file.parent.mkdir(exist_ok=True)
        file.touch()
    assert place.files() == ["a.csv", "deep/d.parquet"]
    assert place.plans() == ["plan.yaml"]

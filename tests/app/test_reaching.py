"""Which files a plan depends on."""

from __future__ import annotations

import pytest

from tacita.app.reaching import states

PLAN = {
    "data": {
        "source": "sqlite:///kept.db",
        "holdout": "held.csv",
        "attributes": {"zip": {"role": "key", "hierarchy": {"file": "zip.hrc"}}},
    },
    "tables": [{"by": ["zip"], "given": ["one.jj"], "waivers": {"file": "signed.csv", "on": 5}}],
}
NAMED = ("kept.db", "held.csv", "zip.hrc", "one.jj", "signed.csv")


@pytest.fixture
def folder(tmp_path):
    for name in (*NAMED, "other.csv"):
        (tmp_path / name).write_text("a")
    (tmp_path / "zip").mkdir()  # which is no file
    return tmp_path


@pytest.mark.parametrize("name", NAMED)
def test_a_change_of_any_file_that_is_named_shows(folder, name):
    before = states(PLAN, folder)
    assert len(before) == len(NAMED)
    (folder / name).write_text("ab")
    assert states(PLAN, folder) != before
    (folder / name).unlink()
    assert len(states(PLAN, folder)) == len(NAMED) - 1


def test_other_files_do_not_show(folder):
    before = states(PLAN, folder)
    (folder / "other.csv").write_text("ab")
    assert states(PLAN, folder) == before


@pytest.mark.parametrize("name", ["", "a" * 5000, "nul\0", "/", "no such file"])
def test_what_is_no_file_has_no_state(folder, name):
    assert states({"data": {"source": name}}, folder) == []

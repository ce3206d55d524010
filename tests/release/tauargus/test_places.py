"""Where the files of a job lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacita.errors import InputError
from tacita.release.tauargus.places import file_to_write, found_file


@pytest.mark.parametrize(
    "name",
    [
        "Firms.asc",
        "FIRMS.ASC",
        r"E:\data\firms.asc",
        r"\\server\share\firms.asc",
        r"Data\Firms.asc",
        "../jobs/firms.ASC",
    ],
)
def test_a_file_is_found_whatever_windows_calls_it(tmp_path, name):
    folder = tmp_path / "jobs"
    folder.mkdir()
    (folder / "Firms.asc").write_text("")
    assert found_file(folder, name).name == "Firms.asc"


def test_a_folder_below_goes_before_a_file_beside(tmp_path):
    (tmp_path / "DATA").mkdir()
    for place in (tmp_path, tmp_path / "DATA"):
        (place / "a.rda").write_text("")
    assert found_file(tmp_path, r"data\A.rda") == tmp_path / "DATA" / "a.rda"
    assert found_file(tmp_path, str(tmp_path / "a.rda")) == tmp_path / "a.rda"


def test_a_file_that_is_not_there_is_named_with_one_like_it(tmp_path):
    (tmp_path / "firms.asc").write_text("")
    with pytest.raises(InputError, match=r"no file firm\.asc .* Did you mean `firms\.asc`\?"):
        found_file(tmp_path, "firm.asc")


def test_a_file_goes_where_the_job_says_or_into_the_folder_that_is_said():
    folder = Path("/jobs")
    assert file_to_write(folder, "t.txt", None) == folder / "t.txt"
    assert file_to_write(folder, "/results/t.txt", None) == Path("/results/t.txt")
    assert file_to_write(folder, r"\\server\share\t.txt", None) == folder / "t.txt"
    assert file_to_write(folder, r"E:\x\t.txt", Path("/out")) == Path("/out/t.txt")

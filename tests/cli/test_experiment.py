"""The experiment as a person runs it."""

from __future__ import annotations


def test_it_writes_a_page_and_says_where(run_cli, tmp_path):
    ran = run_cli("experiment", "--records", 60, "--out", tmp_path / "out")
    assert ran.code == 0
    assert "k = 10, t = 0.05" in ran.out
    assert "report.html" in ran.out
    assert (tmp_path / "out" / "report.html").is_file()


def test_as_json(run_cli, tmp_path):
    ran = run_cli("experiment", "--records", 60, "--out", tmp_path / "out", "--json")
    assert ran.json["records"] == 60


def test_a_place_that_cannot_be_written_is_refused_at_once(run_cli, tmp_path):
    ran = run_cli("experiment", "--out", tmp_path / "no" / "such" / "folder")
    assert ran.code == 1
    assert "Cannot write" in ran.err

"""Waivers and their files."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

from tacita.errors import InputError
from tacita.tables.waivers import Waiver, read_waivers

HEADING = "contributor,signed,document,consented_by,expires,variable,period,cell"


def read(tmp_path: Path, text: str, name: str = "waivers.csv") -> list[Waiver]:
    path = tmp_path / name
    path.write_text(text)
    return read_waivers(path)


FULL = Waiver(
    "007",
    date(2025, 3, 31),
    "letter 17",
    "Ada",
    date(2026, 3, 31),
    "turnover",
    "2025",
    {"nace": "62.01", "region": "NL3"},
)
BARE = Waiver("Acme", date(2025, 1, 2), "letter 18")


class TestFiles:
    """CSV and YAML say the same."""

    @pytest.mark.parametrize("mark", [",", "\t"])
    def test_csv(self, tmp_path: Path, mark: str) -> None:
        lines = [
            HEADING,
            "007,2025-03-31,letter 17,Ada,2026-03-31,turnover,2025,nace=62.01; region=NL3",
            "Acme,2025-01-02,letter 18,,,,,",
        ]
        assert read(tmp_path, "\n".join(lines).replace(",", mark)) == [FULL, BARE]

    def test_semicolons_and_few_columns(self, tmp_path: Path) -> None:
        text = 'document;contributor;signed;cell\nletter 18;Acme;2025-01-02;"a=1;b=x=y"\n'
        (found,) = read(tmp_path, text)
        assert found.cell == {"a": "1", "b": "x=y"}
        assert "line 2" in found.where

    def test_yaml(self, tmp_path: Path) -> None:
        text = """
- {contributor: 007, signed: 2025-03-31, document: letter 17, consented_by: Ada,
   expires: 2026-03-31, variable: turnover, period: 2025, cell: {nace: 62.01, region: NL3}}
- contributor: Acme
  signed: 2025-01-02
  document: letter 18
"""
        assert read(tmp_path, text, "waivers.yaml") == [FULL, BARE]

    def test_plain_types_round_trip(self, tmp_path: Path) -> None:
        said = [FULL.to_dict(), BARE.to_dict()]
        kept = [{name: v for name, v in one.items() if v not in (None, "")} for one in said]
        assert read(tmp_path, json.dumps(kept), "waivers.yml") == [FULL, BARE]

    @pytest.mark.parametrize(
        ("line", "problem"),
        [
            (",2025-03-31,letter,,,,,", "line 2: expected the contributor of a waiver; found none"),
            ("A,2025-03-31, ,,,,,", "line 2: expected the document of a waiver"),
            ("A,,letter,,,,,", "line 2: expected the day on which the waiver was signed"),
            ("A,31.3.2025,letter,,,,,", "a day as 2025-03-31 for signed; found '31.3.2025'"),
            ("A,2025-03-31,l,,2024-01-01,,,", "expires before, on 2024-01-01"),
            ("A,2025-03-31,l,,,,,nace", "expected a cell as `nace=62.01; region=NL3`"),
            ("A,2025-03-31,l,,,,,a=1;a=2", "expected a cell as"),
            ("A,2025-03-31,l,,", "expected 8 fields; found 5"),
        ],
    )
    def test_lines_that_are_no_waiver(self, tmp_path: Path, line: str, problem: str) -> None:
        with pytest.raises(InputError, match=problem):
            read(tmp_path, f"{HEADING}\n{line}\n")

    def test_headings(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"line 1: .*found 'singed'. Did you mean `signed`"):
            read(tmp_path, "contributor,singed,document\n")
        with pytest.raises(InputError, match=r"line 1: a waiver needs .*; document is missing"):
            read(tmp_path, "contributor,signed\n")
        with pytest.raises(InputError, match="line 1: signed is said twice"):
            read(tmp_path, "contributor,signed,document,signed\n")

    def test_a_field_without_end(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="line 2: expected 3 fields; found 1"):
            read(tmp_path, f"contributor,signed,document\n{'x' * 200_000},2025-01-01,l\n")

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("- {contributor: Acme}\n\n- a: [", "line 3: this is not YAML"),
            ("contributor: Acme", "expected a list of waivers"),
            ("- Acme", "line 1: expected contributor, signed, document"),
            (
                "\n- {contributor: [a, b], signed: 2025-01-01, document: x}",
                "line 2: expected contributor as text",
            ),
            (
                "- {contributor: a, signed: 2025-01-01,\n   contributor: b, document: x}",
                "line 1: contributor is said twice",
            ),
        ],
    )
    def test_yaml_that_says_no_waivers(self, tmp_path: Path, text: str, problem: str) -> None:
        with pytest.raises(InputError, match=problem):
            read(tmp_path, text, "waivers.yaml")

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="There is no file"):
            read_waivers(tmp_path / "none.csv")


@pytest.mark.parametrize("name", ["waivers.csv", "waivers.yaml"])
def test_an_empty_file_says_what_waivers_are(tmp_path, name) -> None:
    (tmp_path / name).write_text("\n")
    with pytest.raises(InputError, match="is empty; expected waivers, one a line"):
        read_waivers(tmp_path / name)

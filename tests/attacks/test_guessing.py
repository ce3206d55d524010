"""Guessing methods: every masking that leaves clues is found, and unmasked data show none."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.attacks.clues.guess import COLUMNS, REPORTED, Guess, Guesses

DOCS = Path(__file__).parents[2] / "docs"
SCRIPT = runpy.run_path(str(DOCS / "attacks_on_files.py"))
PAGE = (DOCS / "attacks-on-files.md").read_text(encoding="utf-8")
ROWS = SCRIPT["TABLE"].search(PAGE)[0].splitlines()[2:]
CASC = Path(__file__).parents[3] / "shared" / "data" / "casc"
RECORDS, SEED = 500, 11


def test_every_case_has_its_row() -> None:
    assert len(ROWS) == len(SCRIPT["CASES"])
    for case, row in zip(SCRIPT["CASES"], ROWS, strict=True):
        assert row.startswith(f"| {case.method.name}")


@pytest.mark.parametrize("place", range(len(ROWS)), ids=lambda place: ROWS[place].split()[1])
def test_what_the_page_says_holds_on_other_records(place: int) -> None:
    hit, exact = SCRIPT["found"](SCRIPT["CASES"][place], RECORDS, SEED)
    assert hit == ("| 5 of 5 |" in ROWS[place])
    assert exact == hit


@pytest.mark.parametrize("file", SCRIPT["FILES"])
def test_unmasked_data_show_nothing(file: str) -> None:
    assert SCRIPT["alarms"](file, 400, SEED) == []


@pytest.mark.skipif(not CASC.exists(), reason="the reference data are not here")
@pytest.mark.parametrize("name", ["Census", "Tarragona"])
def test_real_data_show_nothing_but_their_masking(name: str) -> None:
    data = ta.read(CASC / f"{name}.csv")
    assert len(ta.guess_methods(data)) == 0
    names = data.names[2:5]
    safe = data.apply(ta.Microaggregate(names, k=3))
    (guess,) = ta.guess_methods(safe)
    assert guess.attributes == tuple(names)
    assert guess.parameters["k"] == 3


def test_guesses_become_frames_and_plain_types() -> None:
    safe = ta.example("census", 300).apply(ta.RoundValues(["wage", "earnings"], 100))
    found = ta.guess_methods(safe)
    assert [guess.method for guess in found] == ["round_values"] * 2
    assert found.to_arrow().column_names == list(COLUMNS)
    assert found.to_polars()["parameters"].to_list() == ["base: 100"] * 2
    assert found.to_pandas()["attributes"][0].tolist() == ["earnings"]
    assert found.to_dict()["guesses"][0]["parameters"] == {"base": 100}
    assert "Not seen:" in repr(found)
    assert found[0].strength == "strong"
    assert [guess.attributes for guess in found.about("wage")] == [("wage",)]


def test_a_file_without_a_guess_says_so() -> None:
    found = ta.guess_methods(ta.example("census", 100))
    assert len(found) == 0
    assert repr(found).startswith("No masking left a clue.\nNot seen: swapped")
    assert found.to_arrow().num_rows == 0


def test_a_method_is_found_by_name_before_alternatives() -> None:
    first = Guess("a", ("x",), {}, "seen", 0, alternatives=("b",))
    second = Guess("b", ("y",), {}, "seen", REPORTED)
    assert Guesses((first, second)).of("b") == [second, first]
    assert (first.strength, second.strength) == ("certain", "likely")


def test_averages_are_not_guessed_to_be_rounded_or_noisy() -> None:
    for k in (2, 4, 5):
        safe = ta.example("census", 300).apply(ta.Microaggregate(["wage"], k=k))
        assert {guess.method for guess in ta.guess_methods(safe).about("wage")} == {
            "microaggregate"
        }


def test_a_data_frame_and_an_empty_one_will_do() -> None:
    table = pa.table({"pay": np.arange(40) * 500})
    assert [guess.parameters for guess in ta.guess_methods(table)] == [{"base": 500}]
    for empty in (table.slice(0, 0), pa.table({"pay": pa.nulls(5, pa.float64())})):
        assert len(ta.guess_methods(empty)) == 0


@pytest.mark.parametrize("name", ["toy", "patients", "medical", "salary", "conditions"])
@pytest.mark.parametrize("records", [0, 1, 2, 7])
def test_few_records_are_no_trouble(name: str, records: int) -> None:
    data = ta.example(name)
    ta.guess_methods(data.take(np.arange(records)))


WORDS = st.sampled_from(
    ["a", "1", "[1,2)", "[2;7]", ">5", "<3", "12*", "**", "{a, b}", "2001-03", ""]
)
COLUMNS_OF = st.sampled_from(
    [
        (st.floats(allow_nan=False, allow_infinity=False), pa.float64()),
        (st.integers(-(2**62), 2**62), pa.int64()),
        (st.integers(0, 9), pa.int8()),
        (st.booleans(), pa.bool_()),
        (WORDS, pa.string()),
        (st.dates(), pa.date32()),
        (st.datetimes(), pa.timestamp("us")),
        (st.lists(st.sampled_from("ab")), pa.list_(pa.string())),
    ]
)


@given(st.data(), st.lists(COLUMNS_OF, min_size=1, max_size=5), st.integers(0, 60))
@settings(max_examples=50)
def test_no_file_is_too_odd(data: st.DataObject, kinds: list[Any], records: int) -> None:
    table = {
        f"x{place}": pa.array(
            [data.draw(st.none() | values) for _ in range(min(records, 12))], kind
        ).take(pa.array(np.arange(records) % min(records, 12) if records else [], pa.int64()))
        for place, (values, kind) in enumerate(kinds)
    }
    known = [name for name, column in table.items() if column.null_count < len(column)][:2]
    read = ta.read(pa.table(table), roles=dict.fromkeys(known, "key"))
    found = ta.guess_methods(read)
    assert all(0 <= guess.chance <= 1 for guess in found if guess.chance is not None)
    assert repr(found)
    json.dumps(found.to_dict())

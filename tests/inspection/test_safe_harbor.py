"""What HIPAA's Safe Harbor asks of an attribute, and the plan and checklist that follow."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest

from tacita.errors import InputError
from tacita.inspection import inspect
from tacita.inspection.safe_harbor import Remedy, earliest_birth
from tacita.inspection.vocabulary import HIPAA
from tacita.inspection.vocabulary.us_states import STATES

DAYS = [dt.date(1930 + n, 3, 5) for n in range(60)]
EARLY = earliest_birth() - 1


def concern(name, values):
    return inspect(pa.table({name: values}), combinations=1)[name].safe_harbor


@pytest.mark.parametrize(
    ("name", "values", "letter", "remedy"),
    [
        ("last_name", ["Smith", "Jones"] * 30, "A", Remedy.DROP),
        ("employer", ["Acme", "Initech"] * 30, "A", Remedy.DROP),
        ("zip", ["94138", "10001-1234"] * 30, "B", Remedy.ZIP),
        ("name", [f"Person {n}" for n in range(60)], "A", Remedy.DROP),
        ("name", [f"n{n}@example.org" for n in range(60)], "F", Remedy.DROP),
        ("zip", [94138, 2134] * 30, "B", Remedy.ZIP),
        ("postcode", [110001, 560034] * 30, "B", Remedy.DROP),
        ("zip", ["941", "000"] * 30, "B", Remedy.KEEP),
        ("postcode", ["SW1A 1AA", "M1 1AE"] * 30, "B", Remedy.DROP),
        ("postal", ["03601", "89301"] * 30, "B", Remedy.ZIP),
        ("zcta", [3601, 89301] * 30, "B", Remedy.ZIP),
        ("patzip", ["03601", "89301"] * 30, "B", Remedy.ZIP),
        ("zipm", ["036", "893"] * 30, "B", Remedy.ZIP),
        ("zip", [3601.0, 89301.0] * 30, "B", Remedy.ZIP),
        ("zip", ["036**", "893**"] * 30, "B", Remedy.DROP),
        ("v17", ["036**", "893**"] * 30, "B", Remedy.DROP),
        ("v17", ["03601", "89301"] * 30, "B", Remedy.ZIP),
        ("loc", ["03601", "Reno"] * 30, "B", Remedy.DROP),
        ("city", ["Reno", "Elko"] * 30, "B", Remedy.DROP),
        ("county", ["Washoe", "Elko"] * 30, "B", Remedy.DROP),
        ("state", ["NV", "ca"] * 30, "B", Remedy.KEEP),
        ("state", ["New York", "Texas"] * 30, "B", Remedy.KEEP),
        ("state", ["32", "06"] * 30, "B", Remedy.DROP),
        ("country", ["France", "Spain"] * 30, "B", Remedy.KEEP),
        ("place_of_birth", ["Reno", "Elko"] * 30, "B", Remedy.DROP),
        ("latitude", [39.52931, 40.83245] * 30, "B", Remedy.DROP),
        ("birth_date", DAYS, "C", Remedy.BIRTH_DATE),
        ("admission_date", DAYS, "C", Remedy.YEAR),
        ("x", DAYS, "C", Remedy.YEAR),
        ("birth_date", [day.strftime("%m/%d/%Y") for day in DAYS], "C", Remedy.DROP),
        ("birth_year", [EARLY, EARLY + 40] * 30, "C", Remedy.BIRTH_YEAR),
        ("birth_year", [EARLY + 1, EARLY + 40] * 30, "C", Remedy.KEEP),
        ("birth_date", [str(EARLY), str(EARLY + 40)] * 30, "C", Remedy.DROP),
        ("admission_date", [str(2001 + n % 20) for n in range(60)], "C", Remedy.KEEP),
        ("month", list(range(1, 13)) * 5, "C", Remedy.DROP),
        ("age", [20, 89] * 30, "C", Remedy.KEEP),
        ("age", [20, 90] * 30, "C", Remedy.AGE),
        ("age", ["20-29", "80-89", "90+"] * 20, "C", Remedy.KEEP),
        ("age", ["20-29", "85+"] * 30, "C", Remedy.DROP),
        ("phone", [f"(775) 555-{n:04d}" for n in range(60)], "D", Remedy.DROP),
        ("fax", [f"(775) 555-{n:04d}" for n in range(60)], "E", Remedy.DROP),
        ("x", [f"p{n}@mail.example" for n in range(60)], "F", Remedy.DROP),
        ("ssn", [f"123-45-{n + 1000}" for n in range(60)], "G", Remedy.DROP),
        ("mrn", list(range(60)), "H", Remedy.DROP),
        ("x", [f"https://example.org/{n}" for n in range(60)], "N", Remedy.DROP),
        ("x", [f"10.0.0.{n}" for n in range(60)], "O", Remedy.DROP),
        ("record_id", [f"r{n:04d}" for n in range(60)], "R", Remedy.DROP),
    ],
)
def test_what_is_done_to_an_attribute(name, values, letter, remedy):
    found = concern(name, values)
    assert (found.letter, found.remedy) == (letter, remedy)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("sex", ["f", "m"] * 30),
        ("died", ["yes", "no"] * 30),
        ("admission", ["2019", "2020"] * 30),
        ("urban_rural", ["urban", "rural"] * 30),
        ("diagnosis", ["I10", "E11"] * 30),
        ("procedure", ["99213", "70450"] * 30),
        ("v17", [35120, 89301] * 30),
        ("charge", [n + 0.25 for n in range(60)]),
        ("tags", [["a", "b"], ["c"]] * 30),
    ],
)
def test_what_the_rule_is_not_about(name, values):
    assert concern(name, values) is None


def test_every_identifier_has_its_line():
    found = inspect(pa.table({"zip": ["94138"] * 9, "phone": ["(775) 555-0123"] * 9}))
    rows = found.safe_harbor().checklist()
    assert [row[0] for row in rows] == list(HIPAA)
    lines = {row[0]: row[2:] for row in rows}
    assert lines["B"] == ("zip", "zip: cut to three digits, 000 where few live")
    assert lines["A"] == ("nothing found", "")
    assert "census of 2000" in repr(found.safe_harbor())


def test_the_states_are_all_there():
    assert len(STATES) == 2 * 56
    assert {"ny", "new york", "district of columbia", "dc"} <= STATES


def test_a_source_that_is_not_there_is_told():
    with pytest.raises(InputError, match="no file"):
        inspect("nowhere.csv").safe_harbor()

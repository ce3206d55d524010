"""Respondents with several records: what numbers or names them identifies, though it repeats."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.attribute import Role
from tacita.data.formats import write_table
from tacita.inspection import inspect
from tacita.release.execute import execute

PERSONS, RECORDS = 60, 1500
WHO = np.random.default_rng(5).integers(0, PERSONS, RECORDS)
SEX = np.random.default_rng(6).integers(0, 2, PERSONS)
GIVEN = ["Anna", "Jan", "Eva", "Luc", "Max"]
FAMILY = [
    "Weber",
    "Klein",
    "Roth",
    "Kurz",
    "Lang",
    "Beck",
    "Lund",
    "Berg",
    "Wolf",
    "Hahn",
    "Dürr",
    "Voß",
]
FULL = [f"{GIVEN[n % 5]} {FAMILY[n % 12]}" for n in range(PERSONS)]


def of_persons(values):
    """What each record says of its person."""
    return [values[person] for person in WHO]


def found(**columns):
    return inspect(pa.table({name: pa.array(list(values)) for name, values in columns.items()}))


def role(name, values):
    return found(**{name: of_persons(values)})[name].roles


NUMBERS = [7 * n + 90_000 for n in range(PERSONS)]


@pytest.mark.parametrize(
    "name",
    [
        "Kundennr",
        "cust_id",
        "pat_id",
        "employee_number",
        "staff_id",
        "caseno",
        "H_chart_no",
        "xyz_id",
    ],
)
def test_a_name_that_says_a_number_identifies_though_it_repeats(name):
    assert role(name, NUMBERS) == (Role.IDENTIFIER,)
    assert role(name, [f"C{n}" for n in NUMBERS]) == (Role.IDENTIFIER,)
    assert role(name, [float(n) for n in NUMBERS]) == (Role.IDENTIFIER,)


@pytest.mark.parametrize("name", ["Patient", "owner", "who", "v10"])
def test_full_names_identify_though_they_repeat(name):
    assert role(name, FULL) == (Role.IDENTIFIER,)


@pytest.mark.parametrize(
    "values",
    [
        [10**8 + 7919 * n for n in range(PERSONS)],
        [f"1EG4-TE5-MK{n:02d}" for n in range(PERSONS)],
        [f"{n * 7919**9:032x}"[-20:] + "0" for n in range(PERSONS)],
    ],
)
def test_long_codes_of_one_length_identify_though_they_repeat(values):
    assert role("v", values) == (Role.IDENTIFIER,)


@pytest.mark.parametrize(
    "name",
    [
        "hospital_id",
        "school_no",
        "site_id",
        "region_code",
        "municipality_nr",
        "product_no",
        "nace",
        "visit_no",
    ],
)
def test_groups_stay_keys(name):
    assert role(name, NUMBERS) == (Role.KEY,)


def test_few_values_are_groups():
    assert found(xyz_id=[n % 20 for n in range(RECORDS)])["xyz_id"].roles == (Role.KEY,)


BORN = [str(dt.date(1950, 1, 1) + dt.timedelta(137 * n)) for n in range(PERSONS)]
CODES = [f"q{n * 37 % 61}" for n in range(PERSONS)]


def test_what_tells_a_date_of_birth_numbers_respondents():
    both = found(code=of_persons(CODES), birth_date=of_persons(BORN))
    assert both["code"].roles == (Role.IDENTIFIER,)
    assert "which tell birth_date" in both["code"].reasons[0]
    assert both["birth_date"].roles == (Role.KEY,)


def test_what_tells_another_identifier_numbers_respondents():
    mails = [f"p{n}@example.org" for n in range(PERSONS)]
    both = found(code=of_persons(CODES), email=of_persons(mails))
    assert both["code"].roles == (Role.IDENTIFIER,)


def test_one_attribute_of_persons_is_not_enough_and_two_are():
    sex, born = of_persons(SEX), of_persons([n % 3 for n in range(PERSONS)])
    assert found(code=of_persons(CODES), sex=sex)["code"].roles == (Role.KEY,)
    both = found(code=of_persons(CODES), sex=sex, nationality=born)
    assert both["code"].roles == (Role.IDENTIFIER,)


def test_amounts_that_tell_a_respondent_do_not_number_them():
    rents = [400 + 7 * n * n for n in range(PERSONS)]
    both = found(v=of_persons(rents), pat_id=of_persons(NUMBERS))
    assert Role.IDENTIFIER not in both["v"].roles
    running = found(v=of_persons(range(PERSONS)), pat_id=of_persons(NUMBERS))
    assert running["v"].roles == (Role.IDENTIFIER,)


def test_days_are_no_codes():
    days = [20_200_101 + 100 * (n % 12) + n % 28 for n in range(PERSONS)]
    assert role("v", days) == (Role.KEY,)


def test_what_tells_regions_is_a_key():
    places = [n // 10 for n in range(PERSONS)]
    both = found(
        v=of_persons(CODES), region=of_persons(places), urban=of_persons([n % 2 for n in places])
    )
    assert both["v"].roles == (Role.KEY,)


def test_several_records_a_respondent_are_told_loudly_and_dropped(tmp_path):
    table = pa.table(
        {
            "Patient": of_persons(FULL),
            "Kundennr": of_persons(NUMBERS),
            "Geschlecht": ["mf"[of] for of in of_persons(SEX)],
        }
    )
    write_table(table, tmp_path / "data.csv")
    seen = inspect(tmp_path / "data.csv")
    most = np.bincount(WHO).max()
    assert seen.warnings[0].startswith("K-ANONYMITY COUNTS RECORDS, NOT RESPONDENTS.")
    assert f"a k above {most}" in seen.warnings[0]
    assert seen["Kundennr"].respondent
    (tmp_path / "plan.yaml").write_text(seen.plan(tmp_path), encoding="utf-8")
    said = " ".join(seen.plan(tmp_path).replace("#", "").split())
    assert "K-ANONYMITY COUNTS RECORDS" in said
    assert "`pseudonymize` one of these and take it off the list: Patient, Kundennr." in said
    assert execute(ta.read_plan(tmp_path / "plan.yaml"), seed=1).protected.names == ["Geschlecht"]


def test_one_record_a_respondent_is_not_warned_of():
    names = [FAMILY[n % 12] + "abcd"[n % 4] for n in range(RECORDS)]
    seen = found(person_id=range(RECORDS), surname=names, street=names, doctor=names)
    assert not any("K-ANONYMITY" in warning for warning in seen.warnings)


def test_family_names_that_tell_persons_are_warned_of():
    names = [f"Soler{n}" for n in range(PERSONS)]
    seen = found(surname=of_persons(names), birth_date=of_persons(BORN))
    assert seen["surname"].respondent

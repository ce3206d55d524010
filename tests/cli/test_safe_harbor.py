"""`tacita safe-harbor`: from a file full of identifiers to a release without them."""

from __future__ import annotations

import csv
import datetime as dt
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacita.inspection.safe_harbor import earliest_birth

RunCli = Callable[..., Any]
RECORDS = 60
KEPT = ["state", "zip", "birth_date", "admission_date", "age", "sex", "diagnosis", "charge"]
NOTE = "Patient {} came on a cold day and told us about matter {} of the whole family at length."


def record(number: int, rng: np.random.Generator) -> dict[str, object]:
    """One patient with all that HIPAA names."""
    born = dt.date(1925, 1, 1) + dt.timedelta(days=int(rng.integers(0, 30_000)))
    first, last = rng.choice(["Ana", "Bob", "Cal", "Dee"]), rng.choice(["Smith", "Jones", "Lee"])
    return {
        "first_name": first,
        "last_name": last,
        "street": f"{rng.integers(1, 999)} Main Street",
        "city": rng.choice(["Reno", "Elko"]),
        "state": rng.choice(["NV", "CA"]),
        "zip": rng.choice(["94138", "89301", "03601", "10001-1234"]),
        "birth_date": born,
        "admission_date": dt.date(2019, 1, 1) + dt.timedelta(days=int(rng.integers(0, 700))),
        "age": 2020 - born.year,
        "phone": f"(775) 555-{number:04d}",
        "fax": f"(775) 556-{number:04d}",
        "email": f"p{number}@mail.example",
        "ssn": f"{rng.integers(100, 600)}-{rng.integers(10, 99)}-{rng.integers(1000, 9999)}",
        "mrn": 100_000 + number,
        "policy_number": f"HP{rng.integers(10**7, 10**8)}",
        "account_number": rng.integers(10**9, 10**10),
        "drivers_license": f"N{rng.integers(10**7, 10**8)}",
        "license_plate": f"ABC{number:03d}",
        "device_id": f"SN-{number:05d}",
        "url": f"https://example.org/p/{number}",
        "ip_address": f"10.0.0.{number + 1}",
        "fingerprint": f"fp{rng.integers(10**9, 10**10)}",
        "photo": f"img{number}.jpg",
        "note": NOTE.format(first, number),
        "sex": rng.choice(["F", "M"]),
        "diagnosis": rng.choice(["I10", "E11", "J45"]),
        "charge": round(float(rng.gamma(2, 900)), 2),
    }


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    """A file with every identifier of the rule."""
    rng = np.random.default_rng(5)
    rows = [record(number, rng) for number in range(RECORDS)]
    file = tmp_path / "patients.csv"
    with file.open("w", newline="") as opened:
        writer = csv.DictWriter(opened, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return file


def quick(plan: Path) -> None:
    """Let a plan measure nothing."""
    text = plan.read_text().replace("release:\n", "  measure: []\nrelease:\n")
    plan.write_text(text)


def test_a_release_without_the_18_identifiers(patients: Path, run_cli: RunCli) -> None:
    plan, out = patients.parent / "plan.yaml", patients.parent / "out"
    ran = run_cli("safe-harbor", patients, "--out", plan)
    assert ran.code == 0
    assert "Check: `note`: It is free text" in ran.out
    assert "# E fax numbers: fax: dropped." in plan.read_text()
    quick(plan)
    ran = run_cli("run", plan, "--out", out, "--mapping")
    assert ran.code == 0, ran.err
    assert "no name of an attribute says one of the 18 identifiers" in " ".join(ran.out.split())
    with (out / "public" / "data.csv").open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert list(rows[0]) == KEPT
    assert len(rows) == RECORDS
    assert {row["zip"] for row in rows} == {"941", "000", "100"}
    assert {row["age"] for row in rows} & {"90+"}
    assert all(row["age"] == "90+" or int(row["age"]) < 90 for row in rows)
    assert all(earliest_birth() <= int(row["birth_date"]) < 2010 for row in rows)
    assert {row["admission_date"] for row in rows} == {"2019", "2020"}
    assert "94138,941,released" in (out / "internal" / "mapping.csv").read_text()
    ran = run_cli("verify", out, "--source", patients)
    assert ran.code == 0, ran.out


@pytest.mark.parametrize(
    ("gone", "told"),
    [
        ("email, ", "`email` shows F: electronic mail addresses; it must be dropped"),
        ("city, ", "`city` shows B: geographic subdivisions smaller than a state"),
        ("top_code: {attribute: age, above: 89, label: 90+}", "`age` shows C: .*ages over 89 gath"),
        ("safe_harbor_zip: zip", "`zip` shows B: .*cut to three digits"),
        ("recode: {attribute: admission_date, unit: year}", "`admission_date` shows C"),
    ],
)
def test_the_profile_refuses_what_is_left(
    gone: str, told: str, patients: Path, run_cli: RunCli
) -> None:
    plan = patients.parent / "plan.yaml"
    run_cli("safe-harbor", patients, "--out", plan)
    quick(plan)
    text = plan.read_text()
    assert gone in text
    step = gone if gone.endswith(", ") else f"    - {gone}\n"
    text = text.replace(step, "", 1)
    if gone == "email, ":
        text = text.replace("email: {role: identifier", "email: {role: key")
    plan.write_text(text)
    ran = run_cli("run", plan, "--out", patients.parent / "out")
    assert ran.code == 1
    assert re.search(told, ran.err), ran.err
    assert not (patients.parent / "out").exists()


def test_json(patients: Path, run_cli: RunCli) -> None:
    found = run_cli("safe-harbor", patients, "--json").json
    letters = {one["name"]: one["letter"] for one in found["attributes"]}
    assert set("ABCDEFGHIJKLMNOPQR") == set(letters.values())
    assert list(patients.parent.iterdir()) == [patients]


def test_a_plan_is_never_overwritten(patients: Path, run_cli: RunCli) -> None:
    plan = patients.parent / "plan.yaml"
    plan.write_text("mine")
    ran = run_cli("safe-harbor", patients, "--out", plan)
    assert ran.code == 1
    assert "exists and is kept" in ran.err
    assert plan.read_text() == "mine"


RARE = {
    "F": ["ana@example.org", "b.c@mail.example", "x@y.example.com"],
    "N": ["https://example.org/p/1", "www.example.org/2", "http://a.example/3"],
    "O": ["10.0.0.7", "192.0.2.14", "2001:db8::1"],
    "G": ["123-45-6789", "219-09-9999", "221-01-0001"],
    "D": ["(775) 555-0123", "+1 202 555 0147", "775-555-0199"],
    "A": ["Mr Smith", "Mrs. Jones", "Dr. Lee"],
}


@pytest.fixture
def rare(tmp_path: Path) -> Path:
    """A file whose columns hold identifiers in three rows, and answers in the others."""
    file = tmp_path / "s.csv"
    with file.open("w", newline="") as opened:
        writer = csv.writer(opened)
        writer.writerow(["sex", "zip", *(f"c{letter}" for letter in RARE)])
        for number in range(RECORDS):
            texts = [
                found[number] if number < 3 else ["none", "ok"][number % 2]
                for found in RARE.values()
            ]
            writer.writerow(["FM"[number % 2], ["941", "036", "893"][number % 3], *texts])
    return file


def test_rare_identifiers_among_answers_are_found_and_dropped(rare: Path, run_cli: RunCli) -> None:
    plan, out = rare.parent / "s.yaml", rare.parent / "o"
    ran = run_cli("safe-harbor", rare, "--out", plan)
    assert ran.code == 0
    for letter in RARE:
        assert re.search(rf"^# {letter} .*: c{letter}: dropped\.$", plan.read_text(), re.MULTILINE)
    quick(plan)
    ran = run_cli("run", plan, "--out", out)
    assert ran.code == 0, ran.err
    with (out / "public" / "data.csv").open(newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert list(rows[0]) == ["sex", "zip"]
    assert sorted(row["zip"] for row in rows) == ["000"] * 40 + ["941"] * 20


def test_the_profile_refuses_rare_identifiers_and_small_areas(rare: Path, run_cli: RunCli) -> None:
    plan = rare.parent / "own.yaml"
    names = ["sex", "zip", *(f"c{letter}" for letter in RARE)]
    attributes = "".join(f"    {name}: {{role: key, kind: nominal}}\n" for name in names)
    plan.write_text(
        f"data:\n  source: s.csv\n  attributes:\n{attributes}"
        "microdata: {profile: hipaa_safe_harbor, measure: []}\n"
    )
    ran = run_cli("run", plan, "--out", rare.parent / "o")
    assert ran.code == 1
    for letter in RARE:
        assert f"`c{letter}` shows {letter}: " in ran.err
    assert "`zip` shows B: " in ran.err
    assert not (rare.parent / "o").exists()


def test_a_plan_may_name_other_areas_of_few_people(rare: Path, run_cli: RunCli) -> None:
    plan = rare.parent / "s.yaml"
    run_cli("safe-harbor", rare, "--out", plan)
    quick(plan)
    newer = "safe_harbor_zip: {attribute: zip, restricted: ['941']}"
    plan.write_text(plan.read_text().replace("safe_harbor_zip: zip", newer))
    ran = run_cli("run", plan, "--out", rare.parent / "o")
    assert ran.code == 0, ran.err

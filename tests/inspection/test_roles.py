"""Roles that names and values suggest, and which reason goes first."""

import datetime as dt

import numpy as np
import pytest

from tacita.data.attribute import Kind, Role
from tacita.data.examples import generate
from tacita.inspection import inspect
from tacita.inspection.vocabulary import HIPAA

N = 300


def many(*values):
    return [values[n % len(values)] for n in range(N)]


def found(**columns):
    import pyarrow as pa

    return inspect(pa.table({name: pa.array(list(values)) for name, values in columns.items()}))


def only(name, values):
    return found(**{name: values})[name]


HIPAA_COLUMNS = {
    "A": ("last_name", [f"Soler{n}" for n in range(N)]),
    "B": ("city", many("Reus", "Salou", "Valls")),
    "C": ("admission_date", [dt.date(2020, 1, 1) + dt.timedelta(n) for n in range(N)]),
    "D": ("v", [f"+34 977 55 {n:04d}" for n in range(N)]),
    "E": ("fax", [f"{n:07d}" for n in range(N)]),
    "F": ("v", [f"p{n}@example.org" for n in range(N)]),
    "G": ("v", [f"123-45-{n:04d}" for n in range(N)]),
    "H": ("mrn", many("x1", "x2")),
    "I": ("health_plan_number", many(1, 2, 3)),
    "J": ("account_no", range(N)),
    "K": ("license_number", range(N)),
    "L": ("license_plate", [f"{n:04d}BCD" for n in range(N)]),
    "M": ("v", [f"00:1a:2b:3c:{n // 256:02x}:{n % 256:02x}" for n in range(N)]),
    "N": ("v", [f"https://example.org/{n}" for n in range(N)]),
    "O": ("v", [f"192.0.{n // 256}.{n % 256}" for n in range(N)]),
    "P": ("fingerprint", [f"{n * 7919:x}" for n in range(N)]),
    "Q": ("photo", [f"{n}.jpg" for n in range(N)]),
    "R": ("study_id", [f"S{n}" for n in range(N)]),
}


@pytest.mark.parametrize("letter", HIPAA)
def test_every_hipaa_identifier_is_found_and_named(letter):
    finding = only(*HIPAA_COLUMNS[letter])
    assert finding.roles == ((Role.KEY,) if letter in "BC" else (Role.IDENTIFIER,))
    assert f"(HIPAA {letter}: {HIPAA[letter]})" in finding.reasons[0]


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("age", many(*range(20, 60)), Role.KEY),
        ("income", range(N), Role.CONFIDENTIAL),
        ("religion", many("a", "b"), Role.CONFIDENTIAL),
        ("v", [f"x{n}" for n in range(N)], Role.IDENTIFIER),
        ("v", range(N), Role.IDENTIFIER),
        ("v", [7 * n * n for n in range(N)], Role.NON_CONFIDENTIAL),
        ("order_number", [7 * n * n for n in range(N)], Role.IDENTIFIER),
        ("firm_id", [f"F{n}" for n in range(N)], Role.IDENTIFIER),
        ("hospital_id", many(1, 2, 3, 4), Role.KEY),
        ("site_id", many(11, 12, 13), Role.KEY),
        ("product_name", many("tea", "milk"), Role.NON_CONFIDENTIAL),
        ("name", many("Ana", "Pau"), Role.IDENTIFIER),
        ("v", many(*[f"c{n}" for n in range(20)]), Role.KEY),
        ("v", many(*range(0, 60, 3)), Role.KEY),
        ("v", many(*range(5)), Role.NON_CONFIDENTIAL),
        ("v", np.linspace(0, 1, N), Role.NON_CONFIDENTIAL),
        ("v", [dt.date(2000, 1, 1) + dt.timedelta(n) for n in range(N)], Role.KEY),
        ("age", many(30), Role.NON_CONFIDENTIAL),
        ("surname", many("Soler"), Role.IDENTIFIER),
        ("name", many("Ana"), Role.IDENTIFIER),
        ("sampling_weight", many(100), Role.WEIGHT),
        ("age", [None] * N, Role.NON_CONFIDENTIAL),
        ("email", many("unknown", "none"), Role.NON_CONFIDENTIAL),
        ("city", [f"p{n}@example.org" for n in range(N)], Role.IDENTIFIER),
        ("remark", [f"came in late on day {n} again" for n in range(N)], Role.IDENTIFIER),
        ("sampling_weight", many(2, 3), Role.WEIGHT),
        ("weight", many(1.5, 2.25), Role.WEIGHT),
        ("weight", many(60, 70, 80), Role.NON_CONFIDENTIAL),
        ("weight", many(1.5, -2.25), Role.NON_CONFIDENTIAL),
        ("weight", many(1.5, None), Role.NON_CONFIDENTIAL),
        ("household", many(*range(100)), Role.HOUSEHOLD),
        ("household", range(N), Role.IDENTIFIER),
        ("stratum", many("a", "b"), Role.STRATUM),
        ("latitude", np.linspace(40, 42, N), Role.KEY),
        ("lon", np.linspace(-1e6, 1e6, N), Role.NON_CONFIDENTIAL),
        ("N° Sécu", [10**12 + 7919 * n * n for n in range(N)], Role.IDENTIFIER),
        ("npi", [10**9 + 7919 * n * n for n in range(N)], Role.IDENTIFIER),
        ("v", [10**8 + 7919 * n * n for n in range(N)], Role.IDENTIFIER),
        ("v", [10**8 + 7919.0 * n * n for n in range(N)], Role.IDENTIFIER),
        ("v", [10**7 + 8_000_000 * n for n in range(N)], Role.NON_CONFIDENTIAL),
        ("turnover", [10**8 + 7919 * n * n for n in range(N)], Role.CONFIDENTIAL),
        ("v", [20_000_101 + 10_000 * (n % 20) + n for n in range(N)], Role.NON_CONFIDENTIAL),
        ("customer_no", [None, *map(float, range(N))], Role.IDENTIFIER),
        ("v", [None, *map(float, range(N))], Role.IDENTIFIER),
        ("easting", np.linspace(3e5, 8e5, N), Role.KEY),
        ("Arzt", many(*[f"Weber{sign}" for sign in "abcdefg"]), Role.IDENTIFIER),
        ("Behandelnder Arzt", many(*[f"Weber{sign}" for sign in "abcdefg"]), Role.IDENTIFIER),
        ("doctor", many(0, 1), Role.NON_CONFIDENTIAL),
        ("passport", many("yes", "no"), Role.NON_CONFIDENTIAL),
        ("mobile", many(0, 1), Role.NON_CONFIDENTIAL),
        ("dna", many("pos", "neg"), Role.NON_CONFIDENTIAL),
        ("device", many("phone", "tablet", "pc"), Role.NON_CONFIDENTIAL),
        ("health_plan", many("A", "B", "C"), Role.NON_CONFIDENTIAL),
        ("passport", ["yes", "no"] * 20, Role.IDENTIFIER),
        ("passport_number", many(1, 2), Role.IDENTIFIER),
        ("passport", many("C01X1", "C01X2"), Role.IDENTIFIER),
        ("surname", many("Soler", "Roca"), Role.IDENTIFIER),
        ("position", [f"41.1{n:03d},1.2{n:03d}" for n in range(N)], Role.IDENTIFIER),
    ],
)
def test_roles(name, values, role):
    finding = only(name, values)
    assert finding.roles == (role,), finding.reasons
    assert finding.reasons


def test_a_body_has_another_weight_than_a_sample():
    both = found(weight=many(60.5, 71.25), height=many(170, 180))
    assert both["weight"].roles == (Role.CONFIDENTIAL,)


def test_only_one_attribute_is_the_weight_and_one_the_household():
    both = found(
        weight=many(1.5, 2.5), design_weight=many(1.5, 2.5), hid=many(1, 2), household=many(3, 4)
    )
    assert both.with_role("weight") == ["design_weight"]
    assert len(both.with_role("household")) == 1
    assert len(both.with_role("identifier")) == 1  # it would undo the pseudonyms of the other


def test_what_gives_a_key_away_becomes_a_key_too():
    places = many(*range(30))
    both = found(
        region=[p // 10 for p in places],
        v=[-1.5 * p for p in places],
        salary=[100.5 + p for p in places],
    )
    assert Role.KEY in both["v"].roles
    assert "gives the key `region` away" in both["v"].reasons[-1]
    assert both["salary"].roles == (Role.CONFIDENTIAL, Role.KEY)
    assert {(p.attribute, p.key) for p in both.predictions} >= {
        ("v", "region"),
        ("salary", "region"),
    }


def test_a_weight_that_gives_a_key_away_stays_one_with_a_warning():
    both = found(region=many(1, 2, 3), weight=many(1.5, 2.5, 3.5))
    assert both["weight"].roles == (Role.WEIGHT,)
    assert any("The weight `weight` gives the key `region` away" in w for w in both.warnings)


def test_high_ages_are_told():
    assert "ages over 89" in only("age", many(*range(50, 95))).warnings[0]
    assert not only("age", many(*range(50, 90))).warnings


@pytest.mark.parametrize(
    ("name", "identifiers", "keys", "confidential"),
    [
        (
            "survey",
            {"person_id"},
            {"region", "sex", "birth_date", "occupation"},
            {"income", "health"},
        ),
        (
            "firms",
            {"firm_id"},
            {"nace", "region", "size_class", "employees"},
            {"turnover", "profit"},
        ),
        ("toy", {"id"}, {"age", "zip", "education", "region", "born"}, {"income", "disease"}),
        (
            "patients",
            set(),
            {"oshpd_id", "age_yrs", "sex", "patzip", "patcnty"},
            {"charge", "diag_p"},
        ),
        ("census", set(), set(), {"wage", "state_tax", "employer_contribution"}),
    ],
)
def test_the_roles_of_generated_data(name, identifiers, keys, confidential):
    seen = inspect(generate(name, 2000).to_arrow())
    assert set(seen.with_role("identifier")) == identifiers
    assert set(seen.with_role("key")) >= keys
    assert set(seen.with_role("confidential")) >= confidential
    assert all(finding.kind is not Kind.ORDINAL or finding.order for finding in seen.attributes)

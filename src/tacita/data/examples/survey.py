"""A household survey: persons within households, with weights, strata and missing answers.

Everything that belongs to a household (region, degree of urbanisation, stratum, weight) is the same
for its members, partners share a marital status and children are younger than their parents: what
one member discloses, all of them do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Bools = npt.NDArray[np.bool_]
Dates = npt.NDArray[np.datetime64]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

REGIONS = {
    "North": ["N1", "N2", "N3"],
    "East": ["E1", "E2"],
    "South": ["S1", "S2", "S3"],
    "West": ["W1", "W2", "W3", "W4"],
}
REGION_CODES = [code for codes in REGIONS.values() for code in codes]
URBAN = ["city", "town", "rural"]
SEXES = ["female", "male"]
HOUSEHOLD_SIZES = np.array([0.36, 0.31, 0.14, 0.12, 0.05, 0.015, 0.005])
COUPLES, SAME_SEX_COUPLES, STUDENTS = 0.8, 0.03, 0.6
FAMILY = 3  # From this size on a household has children.

WITH_PARTNER = ["married", "registered partnership"]
WITHOUT_PARTNER = ["single", "divorced", "widowed"]
MARITAL_STATUSES = WITH_PARTNER + WITHOUT_PARTNER
MARRIED, REGISTERED, SINGLE, DIVORCED, WIDOWED = range(5)

EDUCATION = ["none", "primary", "lower secondary", "upper secondary", "post-secondary"]
EDUCATION += ["bachelor", "master", "doctorate"]
OCCUPATIONS = {
    "Professionals": ["manager", "engineer", "teacher", "physician"],
    "Service workers": ["clerk", "shop assistant", "carer", "cook"],
    "Manual workers": ["builder", "driver", "machine operator", "cleaner"],
    "Not working": ["unemployed", "homemaker", "child or student", "retired"],
}
OCCUPATION_CODES = [job for jobs in OCCUPATIONS.values() for job in jobs]
STUDENT, RETIRED = OCCUPATION_CODES.index("child or student"), OCCUPATION_CODES.index("retired")
WORKING = OCCUPATION_CODES.index("unemployed")  # Codes below this one are paid work.
# Relative frequencies of the occupations for low, medium and high education.
JOBS_BY_EDUCATION = (
    (1, 0, 0, 0, 4, 9, 6, 7, 9, 9, 10, 16, 10, 14, 1, 0),
    (4, 3, 2, 0, 16, 11, 12, 5, 8, 7, 8, 4, 6, 8, 4, 0),
    (16, 17, 17, 7, 12, 4, 4, 1, 1, 1, 1, 0, 4, 4, 5, 0),
)
LANGUAGES = ["Arabic", "Dutch", "English", "French", "German", "Polish", "Spanish", "Turkish"]
MAIN_LANGUAGE = (3, 78, 3, 4, 3, 3, 2, 4)
SPOKEN_BESIDES = np.array([0.01, 0.25, 0.6, 0.15, 0.3, 0.02, 0.06, 0.02])
HEALTH = ["very bad", "bad", "fair", "good", "very good"]
HEALTH_BY_AGE = ((1, 2, 6, 30, 61), (1, 5, 17, 47, 30), (3, 11, 32, 42, 12))

LAST_YEAR = 2023
WORK_AGE, ADULT_AGE, RETIREMENT_AGE, OLDEST = 16, 24, 67, 99

ATTRIBUTES: dict[str, dict[str, object]] = {
    "person_id": {"role": "identifier", "kind": "nominal"},
    "household": {"role": "household", "kind": "nominal"},
    "region": {"role": "key", "kind": "nominal", "hierarchy": {"tree": {"Country": REGIONS}}},
    "urban": {
        "role": "key",
        "kind": "nominal",
        "hierarchy": {"tree": {"Any": {"urban": URBAN[:2], "not urban": URBAN[2:]}}},
    },
    "sex": {"role": "key", "kind": "nominal", "hierarchy": {"tree": {"Any": SEXES}}},
    "birth_date": {
        "role": "key",
        "kind": "date",
        "hierarchy": {"dates": ["month", "quarter", "year", "decade"]},
    },
    "marital_status": {
        "role": "key",
        "kind": "nominal",
        "hierarchy": {
            "tree": {"Any": {"with partner": WITH_PARTNER, "without partner": WITHOUT_PARTNER}}
        },
    },
    "education": {
        "role": "key",
        "kind": "ordinal",
        "order": EDUCATION,
        "hierarchy": {
            "tree": {"Any": {"low": EDUCATION[:3], "medium": EDUCATION[3:5], "high": EDUCATION[5:]}}
        },
    },
    "occupation": {"role": "key", "kind": "nominal", "hierarchy": {"tree": {"Any": OCCUPATIONS}}},
    "languages": {"role": "non_confidential", "kind": "set_valued"},
    "income": {"role": "confidential", "kind": "continuous"},
    "health": {"role": "confidential", "kind": "ordinal", "order": HEALTH},
    "weight": {"role": "weight", "kind": "continuous"},
    "stratum": {"role": "stratum", "kind": "nominal"},
}


class Persons(NamedTuple):
    """Who lives with whom: each person's household, its size, and the person's part in it."""

    household: Ints
    size: Ints
    is_head: Bools
    in_couple: Bools
    age: Ints


def table(n: int, rng: np.random.Generator) -> pa.Table:
    """Return `n` persons in households of one to seven, ages as of the end of 2023.

    The last household is cut short where the others leave it too little room.

    >>> table(3, np.random.default_rng(0)).column_names[:4]
    ['person_id', 'household', 'region', 'urban']
    """
    persons = _persons(n, rng)
    schooling = _education(persons.age, rng)
    occupation = _occupation(persons.age, schooling, rng)
    by_household = _household_columns(persons.household, rng)
    columns = {
        "person_id": _names("P", np.arange(1, n + 1)),
        "household": pa.array(persons.household + 1),
        "sex": pa.array(SEXES).take(pa.array(_sex(persons, rng))),
        "birth_date": pa.array(_birth_dates(persons.age, rng)),
        "marital_status": pa.array(MARITAL_STATUSES).take(pa.array(_marital_status(persons, rng))),
        "education": pa.array(EDUCATION).take(_with_gaps(schooling, 0.03, rng)),
        "occupation": pa.array(OCCUPATION_CODES).take(_with_gaps(occupation, 0.04, rng)),
        "languages": _languages(persons.household, rng),
        "income": _with_gaps(_income(persons.age, schooling, occupation, rng), 0.05, rng),
        "health": pa.array(HEALTH).take(pa.array(_health(persons.age, rng))),
    }
    return pa.table(columns | by_household).select(list(ATTRIBUTES))


def _pick(weights: npt.ArrayLike, row: Ints, rng: np.random.Generator) -> Ints:
    """Draw one value for each record from the given row of relative frequencies."""
    steps = np.cumsum(np.atleast_2d(np.asarray(weights, np.float64)), axis=1)
    above = rng.random(len(row))[:, None] > (steps / steps[:, -1:])[row]
    drawn: Ints = np.count_nonzero(above, axis=1)
    return drawn


def _with_gaps(values: Ints | Floats, share: float, rng: np.random.Generator) -> pa.Array:
    """Return the values with a share of them missing, never the first: no column is all blank."""
    missing = rng.random(len(values)) < share
    missing[:1] = False
    return pa.array(values, mask=missing)


def _names(letter: str, numbers: Ints) -> pa.Array:
    digits = pc.utf8_lpad(pa.array(numbers).cast(pa.string()), 7, "0")
    return pc.binary_join_element_wise(letter, digits, "")


def _persons(n: int, rng: np.random.Generator) -> Persons:
    """Draw households and give their members a part and an age."""
    drawn = 1 + _pick(HOUSEHOLD_SIZES, np.zeros(n, np.int64), rng)
    household = np.repeat(np.arange(n), drawn)[:n]
    size = np.bincount(household, minlength=n)[household]
    place = np.arange(n) - np.searchsorted(household, household)
    couple = (rng.random(n) < COUPLES)[household] & (size > 1)
    is_head, in_couple = place == 0, couple & (place <= 1)
    age = _ages(household, size, is_head, in_couple, rng)
    return Persons(household, size, is_head, in_couple, age)


def _ages(
    household: Ints, size: Ints, is_head: Bools, in_couple: Bools, rng: np.random.Generator
) -> Ints:
    """Draw the age of each household's head; partners are near it, children far below."""
    n = len(household)
    alone = rng.triangular(20, 40, OLDEST, n)
    drawn = np.where(size >= FAMILY, np.clip(rng.normal(42, 7, n), ADULT_AGE, 62), alone)
    head = drawn[np.searchsorted(household, household)]
    partner = np.maximum(head + rng.normal(0, 3, n), 18)
    child = np.maximum(head - rng.uniform(22, 38, n), 0)
    age = np.where(is_head, head, np.where(in_couple, partner, child))
    return np.minimum(age, OLDEST).astype(np.int64)


def _sex(persons: Persons, rng: np.random.Generator) -> Ints:
    """Draw the sex; most partners have the other one than the head of their household."""
    drawn = rng.integers(0, 2, len(persons.age))
    same = rng.random(len(persons.age)) < SAME_SEX_COUPLES
    heads = drawn[np.searchsorted(persons.household, persons.household)]
    is_partner = persons.in_couple & ~persons.is_head
    return np.where(is_partner, np.where(same, heads, 1 - heads), drawn)


def _marital_status(persons: Persons, rng: np.random.Generator) -> Ints:
    """Give couples one status, heads alone a past that fits their age; the others are single."""
    couples = rng.choice([MARRIED, REGISTERED, SINGLE], len(persons.age), p=[0.75, 0.12, 0.13])
    by_age = ((0, 0, 95, 5, 0), (0, 0, 50, 46, 4), (0, 0, 20, 22, 58))
    alone = _pick(by_age, np.searchsorted((35, 65), persons.age, side="right"), rng)
    others = np.where(persons.is_head, alone, SINGLE)
    return np.where(persons.in_couple, couples[persons.household], others)


def _birth_dates(age: Ints, rng: np.random.Generator) -> Dates:
    """Return a day of the year in which somebody was born who is so old at the end of 2023."""
    years = (LAST_YEAR - age - 1970).astype("datetime64[Y]").astype("datetime64[D]")
    dates: Dates = years + rng.integers(0, 365, len(age)).astype("timedelta64[D]")
    return dates


def _education(age: Ints, rng: np.random.Generator) -> Ints:
    """Draw the level attained: what children can have reached, more for the younger adults."""
    by_age = (
        (1, 0, 0, 0, 0, 0, 0, 0),
        (0, 1, 0, 0, 0, 0, 0, 0),
        (0, 0, 6, 4, 0, 0, 0, 0),
        (1, 4, 14, 33, 8, 24, 14, 2),
        (3, 13, 27, 31, 6, 12, 7, 1),
    )
    return _pick(by_age, np.searchsorted((12, 16, 20, 60), age, side="right"), rng)


def _level(schooling: Ints) -> Ints:
    """Return 0 for low, 1 for medium, 2 for high education."""
    return np.searchsorted((3, 5), schooling, side="right")


def _occupation(age: Ints, schooling: Ints, rng: np.random.Generator) -> Ints:
    """Draw an occupation that fits the education; the young learn and the old are retired."""
    jobs = _pick(JOBS_BY_EDUCATION, _level(schooling), rng)
    learns = (age < WORK_AGE) | ((age < ADULT_AGE) & (rng.random(len(age)) < STUDENTS))
    return np.where(learns, STUDENT, np.where(age >= RETIREMENT_AGE, RETIRED, jobs))


def _income(age: Ints, schooling: Ints, occupation: Ints, rng: np.random.Generator) -> Floats:
    """Draw log-normal yearly incomes in euro; children have none."""
    median = np.array([21_000, 29_000, 43_000])[_level(schooling)]
    paid = np.where(occupation < WORKING, 1.0, np.where(occupation == RETIRED, 0.65, 0.3))
    drawn = np.round(median * paid * np.exp(rng.normal(0, 0.5, len(age))), 2)
    return np.where(age < WORK_AGE, 0, drawn)


def _health(age: Ints, rng: np.random.Generator) -> Ints:
    return _pick(HEALTH_BY_AGE, np.searchsorted((30, 65), age, side="right"), rng)


def _languages(household: Ints, rng: np.random.Generator) -> pa.Array:
    """Return the set of languages of each person: the household's own and some learned."""
    main = _pick(MAIN_LANGUAGE, np.zeros(len(household), np.int64), rng)[household]
    speaks = rng.random((len(household), len(LANGUAGES))) < SPOKEN_BESIDES
    speaks[np.arange(len(household)), main] = True
    ends = np.append(0, np.cumsum(speaks.sum(axis=1))).astype(np.int32)
    spoken = pa.array(LANGUAGES).take(pa.array(np.nonzero(speaks)[1]))
    return pa.ListArray.from_arrays(pa.array(ends), spoken)


def _household_columns(household: Ints, rng: np.random.Generator) -> dict[str, pa.Array]:
    """Draw what the members of a household share; rare strata are sampled more densely."""
    n = len(household)
    region = rng.integers(0, len(REGION_CODES), n)
    urban = rng.choice(len(URBAN), n, p=[0.45, 0.35, 0.2])
    rate = (0.01 + 0.005 * urban) * (1 + region % 4)
    weight = np.round(1 / (rate * rng.uniform(0.5, 0.9, n)), 4)
    places = pa.array(REGION_CODES).take(pa.array(region[household]))
    degrees = pa.array(URBAN).take(pa.array(urban[household]))
    return {
        "region": places,
        "urban": degrees,
        "weight": pa.array(weight[household]),
        "stratum": pc.binary_join_element_wise(places, degrees, " "),
    }

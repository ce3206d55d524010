"""A small data set with one attribute of every kind and role, for trying every method.

Small domains, so that some equivalence classes are large and some are single records; text codes
with leading zeros, missing values, dates, sets, households, strata and weights, so that a method
meets everything it may meet.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Dates = npt.NDArray[np.datetime64]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# ZIP codes by region, three for each; leading zeros belong to the code.
ZIPS = {
    "Harbour": ["01001", "01002", "01013"],
    "Hills": ["02138", "02139", "02141"],
    "Plain": ["10025", "10027", "11201"],
    "Lakes": ["20001", "20009", "20020"],
}
ZIP_CODES = [code for codes in ZIPS.values() for code in codes]
REGIONS = {"Coast": ["Harbour", "Lakes"], "Inland": ["Hills", "Plain"]}
EDUCATION = ["primary", "secondary", "bachelor", "master"]
LANGUAGES = ["Catalan", "English", "French", "Italian", "Spanish"]
SPOKEN_BESIDES = 0.25
DISEASES = {
    "Infectious": ["flu", "hepatitis", "HIV"],
    "Chronic": ["asthma", "diabetes", "hypertension"],
    "Cancer": ["breast cancer", "lung cancer"],
}
DISEASE_CODES = [name for names in DISEASES.values() for name in names]
# Relative frequencies of the diseases below and from 50 years of age on.
DISEASES_BY_AGE = np.array([[40, 8, 5, 25, 10, 8, 2, 2], [18, 4, 2, 10, 25, 30, 5, 6]])
OLD = 50
STRATA = ["A", "B", "C"]
LAST_YEAR = 2023

ATTRIBUTES: dict[str, dict[str, object]] = {
    "id": {"role": "identifier", "kind": "nominal"},
    "age": {
        "role": "key",
        "kind": "continuous",
        "hierarchy": {"intervals": {"start": 0, "widths": [5, 10, 20, 40]}},
    },
    "zip": {"role": "key", "kind": "nominal", "hierarchy": {"prefix": 5}},
    "education": {
        "role": "key",
        "kind": "ordinal",
        "order": EDUCATION,
        "hierarchy": {"tree": {"any": {"school": EDUCATION[:2], "university": EDUCATION[2:]}}},
    },
    "region": {"role": "key", "kind": "nominal", "hierarchy": {"tree": {"Country": REGIONS}}},
    "born": {"role": "key", "kind": "date", "hierarchy": {"dates": ["month", "quarter", "year"]}},
    "languages": {"role": "non_confidential", "kind": "set_valued"},
    "income": {"role": "confidential", "kind": "continuous"},
    "disease": {
        "role": "confidential",
        "kind": "nominal",
        "hierarchy": {"tree": {"any disease": DISEASES}},
    },
    "household": {"role": "household", "kind": "nominal"},
    "stratum": {"role": "stratum", "kind": "nominal"},
    "weight": {"role": "weight", "kind": "continuous"},
}


def table(n: int, rng: np.random.Generator) -> pa.Table:
    """Return `n` persons, ages as of the end of 2023.

    >>> table(3, np.random.default_rng(0))["id"].to_pylist()
    ['id-1', 'id-2', 'id-3']
    """
    household = np.repeat(np.arange(n), rng.integers(1, 6, n))[:n]
    place = rng.integers(0, len(ZIP_CODES), n)[household]
    stratum = rng.integers(0, len(STRATA), n)[household]
    age = rng.integers(0, 100, n)
    schooling = np.minimum(age // 18, rng.integers(0, len(EDUCATION), n))
    columns = {
        "id": pc.binary_join_element_wise("id", pa.array(np.arange(1, n + 1)).cast("string"), "-"),
        "age": pa.array(age),
        "zip": pa.array(ZIP_CODES).take(pa.array(place)),
        "education": pa.array(EDUCATION).take(_with_gaps(schooling, 0.03, rng)),
        "region": pa.array(list(ZIPS)).take(_with_gaps(place // 3, 0.03, rng)),
        "born": pa.array(_birth_dates(age, rng)),
        "languages": _languages(n, rng),
        "income": _with_gaps(_income(age, schooling, rng), 0.05, rng),
        "disease": pa.array(DISEASE_CODES).take(pa.array(_disease(age, rng))),
        "household": pa.array(household + 1),
        "stratum": pa.array(STRATA).take(pa.array(stratum)),
        "weight": pa.array(np.round(1 + 2 * stratum + rng.random(n)[household], 3)),
    }
    return pa.table(columns)


def _with_gaps(values: Ints | Floats, share: float, rng: np.random.Generator) -> pa.Array:
    """Return the values with a share of them missing, never the first: no column is all blank."""
    missing = rng.random(len(values)) < share
    missing[:1] = False
    return pa.array(values, mask=missing)


def _birth_dates(age: Ints, rng: np.random.Generator) -> Dates:
    """Return a day of the year in which somebody was born who is so old at the end of 2023."""
    years = (LAST_YEAR - age - 1970).astype("datetime64[Y]").astype("datetime64[D]")
    dates: Dates = years + rng.integers(0, 365, len(age)).astype("timedelta64[D]")
    return dates


def _languages(n: int, rng: np.random.Generator) -> pa.Array:
    """Return sets of one or more languages."""
    speaks = rng.random((n, len(LANGUAGES))) < SPOKEN_BESIDES
    speaks[np.arange(n), rng.integers(0, len(LANGUAGES), n)] = True
    ends = np.append(0, np.cumsum(speaks.sum(axis=1))).astype(np.int32)
    spoken = pa.array(LANGUAGES).take(pa.array(np.nonzero(speaks)[1]))
    return pa.ListArray.from_arrays(pa.array(ends), spoken)


def _income(age: Ints, schooling: Ints, rng: np.random.Generator) -> Floats:
    """Draw skewed yearly incomes that grow with education and a little with age."""
    return np.round(9_000 * np.exp(0.3 * schooling + 0.005 * age + rng.normal(0, 0.5, len(age))), 2)


def _disease(age: Ints, rng: np.random.Generator) -> Ints:
    shares = np.cumsum(DISEASES_BY_AGE, axis=1) / DISEASES_BY_AGE.sum(axis=1, keepdims=True)
    above = rng.random(len(age))[:, None] > shares[(age >= OLD).astype(int)]
    drawn: Ints = np.count_nonzero(above, axis=1)
    return drawn

"""Small tables printed in the literature, with the misprints corrected: golden data for tests.

Microdata keep the printed column heads. Released versions hold generalized values as text. Tables
of cells are in long form, one row a cell with the margins as `Total`, and None where the source
leaves a cell unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import product
from typing import Any

import pyarrow as pa

COURSE = "Privacy in databases (course notes)"
CHAPTER = "Ciriani, De Capitani di Vimercati, Foresti & Samarati, Microdata Protection"
SCIENCE = "Sánchez, Martínez & Domingo-Ferrer, Science 351:1274 (2016), supplementary"
SURVEY = "Domingo-Ferrer, Sánchez & Hajian, Database Privacy"

Declared = Mapping[str, Mapping[str, object]]


@dataclass(frozen=True)
class Printed:
    """A table as printed somewhere.

    `source` says where, and what was corrected; `attributes` declares the columns as a plan does;
    `columns` holds their values.

    >>> SALARY.table().num_rows
    15
    """

    name: str
    source: str
    attributes: Declared
    columns: Mapping[str, Sequence[Any]]

    def table(self) -> pa.Table:
        """Return the values as an Arrow table."""
        return pa.table({name: pa.array(values) for name, values in self.columns.items()})


KEY: dict[str, object] = {"role": "key", "kind": "nominal"}
NUMBER_KEY: dict[str, object] = {"role": "key", "kind": "continuous"}
AMOUNT: dict[str, object] = {"role": "confidential", "kind": "continuous"}
CONDITION: dict[str, object] = {"role": "confidential", "kind": "nominal"}
ZIP: dict[str, object] = KEY | {"hierarchy": {"prefix": 5}}


def _columns(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    """Turn printed rows into columns."""
    return dict(zip(heads, map(list, zip(*rows, strict=True)), strict=True))


def _cells(
    heads: tuple[str, str, str],
    rows: Sequence[str],
    columns: Sequence[str],
    grid: Sequence[Sequence[int | None]],
) -> dict[str, list[Any]]:
    """Lay a printed grid out in long form: one row a cell, line after line.

    >>> _cells(("x", "y", "count"), ["a"], ["b", "Total"], [[1, 1]])["y"]
    ['b', 'Total']
    """
    values = [value for line in grid for value in line]
    pairs = product(rows, columns)
    return _columns(heads, [(*pair, value) for pair, value in zip(pairs, values, strict=True)])


SECTORS, PLACES = ["IT", "Fin", "HC", "Total"], ["BCN", "TGN", "Total"]
SALARY = Printed(
    "salary",
    f"{COURSE}, types of tables; record 14 corrected from 350000, as every printed sum requires",
    {
        "id": {"role": "identifier", "kind": "nominal"},
        "Salary": AMOUNT,
        "Sector": KEY,
        "Region": KEY,
    },
    _columns(
        ["id", "Salary", "Sector", "Region"],
        [
            (1, 500000, "IT", "BCN"),
            (2, 320000, "IT", "BCN"),
            (3, 32000, "IT", "BCN"),
            (4, 35000, "IT", "TGN"),
            (5, 34000, "IT", "TGN"),
            (6, 28000, "IT", "TGN"),
            (7, 300000, "HC", "BCN"),
            (8, 45000, "HC", "BCN"),
            (9, 34000, "HC", "BCN"),
            (10, 45000, "HC", "TGN"),
            (11, 34000, "HC", "TGN"),
            (12, 24000, "HC", "TGN"),
            (13, 300000, "Fin", "BCN"),
            (14, 35000, "Fin", "BCN"),
            (15, 150000, "Fin", "TGN"),
        ],
    ),
)

SALARY_COUNTS = Printed(
    "salary_counts",
    f"{COURSE}, frequency table",
    {"Sector": KEY, "Region": KEY, "Count": AMOUNT},
    _cells(
        ("Sector", "Region", "Count"),
        SECTORS,
        PLACES,
        [[3, 3, 6], [2, 1, 3], [3, 3, 6], [8, 7, 15]],
    ),
)

SALARY_SUMS = Printed(
    "salary_sums",
    f"{COURSE}, magnitude table",
    {"Sector": KEY, "Region": KEY, "Salary": AMOUNT},
    _cells(
        ("Sector", "Region", "Salary"),
        SECTORS,
        PLACES,
        [
            [852000, 97000, 949000],
            [335000, 150000, 485000],
            [379000, 103000, 482000],
            [1566000, 350000, 1916000],
        ],
    ),
)

SALARY_SUMS_SUPPRESSED = Printed(
    "salary_sums_suppressed",
    f"{COURSE}, secondary suppressions; the printed pattern holds the primary ones only, so the "
    "margins give every suppressed cell away",
    SALARY_SUMS.attributes,
    _cells(
        ("Sector", "Region", "Salary"),
        SECTORS,
        PLACES,
        [
            [None, 97000, 949000],
            [None, None, 485000],
            [379000, 103000, 482000],
            [1566000, 350000, 1916000],
        ],
    ),
)

FEASIBILITY = Printed(
    "feasibility",
    f"{COURSE}, feasibility interval: the first cell lies in [3, 6]",
    {"Attribute 2": KEY, "Attribute 1": KEY, "Value": AMOUNT},
    _cells(
        ("Attribute 2", "Attribute 1", "Value"),
        ["1", "2", "3", "Total"],
        ["1", "2", "Total"],
        [[None, None, 7], [None, None, 3], [3, 3, 6], [9, 7, 16]],
    ),
)

MEDICAL = Printed(
    "medical",
    f"{CHAPTER}, Fig. 2, without the empty identifiers",
    {
        "Race": {"role": "non_confidential", "kind": "nominal"},
        "DoB": {"role": "key", "kind": "date", "hierarchy": {"dates": ["month", "year"]}},
        "Sex": KEY,
        "ZIP": ZIP,
        "MarStat": KEY,
        "Disease": CONDITION,
        "DH": AMOUNT,
        "Chol": AMOUNT,
        "Temp": AMOUNT,
    },
    _columns(
        ["Race", "DoB", "Sex", "ZIP", "MarStat", "Disease", "DH", "Chol", "Temp"],
        [
            ("Asian", date(1964, 9, 27), "F", "94139", "Divorced", "Hypertension", 3, 260, 35.2),
            ("Asian", date(1964, 9, 30), "F", "94139", "Divorced", "Obesity", 1, 170, 37.7),
            ("Asian", date(1964, 4, 18), "M", "94139", "Married", "Chest pain", 40, 200, 38.1),
            ("Asian", date(1964, 4, 15), "M", "94139", "Married", "Obesity", 7, 280, 37.4),
            ("Black", date(1963, 3, 13), "M", "94138", "Married", "Hypertension", 2, 190, 35.3),
            ("Black", date(1963, 3, 18), "M", "94138", "Married", "Short breath", 3, 185, 38.2),
            ("Black", date(1964, 9, 13), "F", "94141", "Married", "Short breath", 5, 200, 36.5),
            ("Black", date(1964, 9, 7), "F", "94141", "Married", "Obesity", 60, 290, 39.8),
            ("White", date(1961, 5, 14), "M", "94138", "Single", "Chest pain", 7, 170, 37.6),
            ("White", date(1961, 5, 8), "M", "94138", "Single", "Obesity", 10, 300, 40.1),
            ("White", date(1961, 9, 15), "F", "94142", "Widow", "Short breath", 5, 200, 36.9),
        ],
    ),
)

MEDICAL_NON_PERTURBED = Printed(
    "medical_non_perturbed",
    f"{CHAPTER}, Fig. 7: DH top-coded at 30, Chol bottom-coded at 195, Temp recoded to no fever, "
    "fever and high fever, ZIP generalized by one step, ZIP and MarStat of the last record "
    "suppressed",
    dict(MEDICAL.attributes)
    | {
        "ZIP": KEY,
        "DH": CONDITION,
        "Chol": CONDITION,
        "Temp": {"role": "confidential", "kind": "ordinal", "order": ["nf", "f", "hf"]},
    },
    dict(MEDICAL.columns)
    | {
        "ZIP": ["9413*"] * 6 + ["9414*"] * 2 + ["9413*"] * 2 + [None],
        "MarStat": ["Divorced"] * 2 + ["Married"] * 6 + ["Single"] * 2 + [None],
        "DH": ["3", "1", ">30", "7", "2", "3", "5", ">30", "7", "10", "5"],
        "Chol": ["260", "<195", "200", "280", "<195", "<195", "200", "290", "<195", "300", "200"],
        "Temp": ["nf", "f", "f", "f", "nf", "f", "nf", "hf", "f", "hf", "nf"],
    },
)

CHOLESTEROL_SAMPLES = Printed(
    "cholesterol_samples",
    f"{CHAPTER}, Fig. 8; the last value of S2 corrected from 298, as the printed averages require",
    dict.fromkeys(("S1", "S2", "S3", "S4", "Released"), AMOUNT),
    {
        "S1": [260, 170, 200, 280, 190, 185, 200, 290, 170, 300, 200],
        "S2": [220, 280, 210, 310, 290, 180, 285, 265, 150, 270, 190],
        "S3": [170, 290, 220, 270, 185, 300, 250, 260, 190, 270, 200],
        "S4": [210, 190, 230, 200, 185, 260, 220, 290, 230, 310, 170],
        "Released": [260, 165, 212.5, 273.75, 200, 188.75, 233.75, 290, 180, 305, 240],
    },
)

HOSPITAL_DAYS_WITH_NOISE = Printed(
    "hospital_days_with_noise",
    f"{CHAPTER}, Fig. 9: uncorrelated noise on DH with a tenth of its variance",
    dict.fromkeys(("Original", "Error", "Released"), AMOUNT),
    {
        "Original": MEDICAL.columns["DH"],
        "Error": [2, 1, -10, 3, 5, 8, 4, -11, -2, -3, 3],
        "Released": [5, 2, 30, 10, 7, 11, 9, 49, 5, 7, 8],
    },
)

MEDICAL_SWAPPED = Printed(
    "medical_swapped",
    f"{CHAPTER}, Fig. 10: Disease, DH, Chol and Temp swapped between records that agree on Sex and "
    "MarStat (3 with 5, 7 with 8, 9 with 10)",
    MEDICAL.attributes,
    dict(MEDICAL.columns)
    | _columns(
        ["Disease", "DH", "Chol", "Temp"],
        [
            ("Hypertension", 3, 260, 35.2),
            ("Obesity", 1, 170, 37.7),
            ("Hypertension", 2, 190, 35.3),
            ("Obesity", 7, 280, 37.4),
            ("Chest pain", 40, 200, 38.1),
            ("Short breath", 3, 185, 38.2),
            ("Obesity", 60, 290, 39.8),
            ("Short breath", 5, 200, 36.5),
            ("Obesity", 10, 300, 40.1),
            ("Chest pain", 7, 170, 37.6),
            ("Short breath", 5, 200, 36.9),
        ],
    ),
)

MEDICAL_RANK_SWAPPED = Printed(
    "medical_rank_swapped",
    f"{CHAPTER}, Fig. 11: Temp rank-swapped, Chol microaggregated in groups of equal Disease",
    MEDICAL.attributes,
    dict(MEDICAL.columns)
    | {
        "Chol": [225, 260, 185, 260, 225, 195, 195, 260, 185, 260, 195],
        "Temp": [35.3, 37.4, 38.2, 37.7, 35.2, 38.1, 36.9, 40.1, 37.6, 39.8, 36.5],
    },
)

DISCHARGES = Printed(
    "discharges",
    f"{SCIENCE} Table S2, spellings made uniform",
    {
        "Hospital": KEY,
        "Age": NUMBER_KEY,
        "Gender": KEY,
        "Ethnicity": KEY,
        "Race": KEY,
        "Zip code": ZIP,
        "County": KEY,
        "Admission quarter": {"role": "key", "kind": "ordinal", "order": [1, 2, 3, 4]},
        "Length of stay": NUMBER_KEY,
        "Charges": AMOUNT,
        "Diagnosis": CONDITION,
    },
    {
        "Hospital": ["Cedars-Sinai"] * 6,
        "Age": [42, 35, 52, 70, 57, 61],
        "Gender": ["Male", "Male", "Male", "Female", "Male", "Male"],
        "Ethnicity": ["Non-Hispanic"] * 3 + ["Hispanic"] + ["Non-Hispanic"] * 2,
        "Race": ["White", "White", "Black", "White", "White", "White"],
        "Zip code": ["93722", "93611", "93561", "93560", "93555", "93551"],
        "County": ["Fresno", "Fresno", "Kern", "Kern", "Kern", "Los Angeles"],
        "Admission quarter": [1, 2, 2, 2, 4, 2],
        "Length of stay": [33, 47, 13, 1, 2, 2],
        "Charges": [505785, 1083683, 252303, 107179, 34392, 24846],
        "Diagnosis": [
            "Pneumonia",
            "Meningitis",
            "Necrosis",
            "Breast Cancer",
            "Kidney Cancer",
            "Stomach Cancer",
        ],
    },
)

DISCHARGES_3_ANONYMOUS = Printed(
    "discharges_3_anonymous",
    f"{SCIENCE} Table S6; the first age range corrected from [42-52], spellings made uniform",
    dict.fromkeys(list(DISCHARGES.columns)[:9], KEY) | {"Charges": AMOUNT, "Diagnosis": CONDITION},
    dict(DISCHARGES.columns)
    | {
        "Age": ["[35-52]"] * 3 + ["[57-70]"] * 3,
        "Gender": ["Male"] * 3 + ["[Male, Female]"] * 3,
        "Ethnicity": ["Non-Hispanic"] * 3 + ["[Hispanic, Non-Hispanic]"] * 3,
        "Race": ["[White, Black]"] * 3 + ["White"] * 3,
        "Zip code": ["[93561-93722]"] * 3 + ["[93551-93560]"] * 3,
        "County": ["[Fresno, Kern]"] * 3 + ["[Kern, Los Angeles]"] * 3,
        "Admission quarter": ["[1-2]"] * 3 + ["[2-4]"] * 3,
        "Length of stay": ["[13-47]"] * 3 + ["[1-2]"] * 3,
    },
)

NATIONALITIES = {
    "European": ["Catalan", "French", "Greek", "Italian", "Russian", "Spanish"],
    "Asian": ["Chinese", "Indian", "Japanese"],
}
CONDITIONS = Printed(
    "conditions",
    f"{SURVEY}, Table 1",
    {
        "SS number": {"role": "identifier", "kind": "nominal"},
        "Age": NUMBER_KEY | {"hierarchy": {"intervals": {"start": 0, "widths": [10]}}},
        "Zip code": ZIP,
        "Nationality": KEY | {"hierarchy": {"tree": {"Any": NATIONALITIES}}},
        "Condition": CONDITION,
    },
    _columns(
        ["SS number", "Age", "Zip code", "Nationality", "Condition"],
        [
            ("1234-12-1234", 25, "23053", "Russian", "Heart Disease"),
            ("2345-23-2345", 26, "23068", "Catalan", "Heart Disease"),
            ("3456-34-3456", 21, "23068", "French", "Viral Infection"),
            ("4567-45-4567", 27, "23053", "Italian", "Viral Infection"),
            ("5678-56-5678", 49, "44853", "Indian", "AIDS"),
            ("6789-67-6789", 43, "44853", "Chinese", "Heart Disease"),
            ("7890-78-7890", 47, "44850", "Japanese", "Viral Infection"),
            ("8901-89-8901", 49, "44850", "Indian", "Viral Infection"),
            ("9012-90-9012", 32, "33153", "Spanish", "AIDS"),
            ("0123-12-0123", 38, "33153", "French", "AIDS"),
            ("4321-43-4321", 34, "33168", "Greek", "AIDS"),
            ("5432-54-5432", 35, "33168", "French", "AIDS"),
        ],
    ),
)

CONDITIONS_4_ANONYMOUS = Printed(
    "conditions_4_anonymous",
    f"{SURVEY}, Table 2",
    dict(CONDITIONS.attributes) | {"Age": KEY, "Zip code": KEY, "Nationality": KEY},
    dict(CONDITIONS.columns)
    | {
        "SS number": ["*"] * 12,
        "Age": ["[20-30)"] * 4 + ["[40-50)"] * 4 + ["[30-40)"] * 4,
        "Zip code": ["230**"] * 4 + ["448**"] * 4 + ["331**"] * 4,
        "Nationality": ["European"] * 4 + ["Asian"] * 4 + ["European"] * 4,
    },
)

PRINTED: dict[str, Printed] = {
    printed.name: printed for printed in list(globals().values()) if isinstance(printed, Printed)
}

"""Hospital discharges with nine keys, in the shape of California's public discharge data.

The attributes, their codes and the sizes of their correlations follow Sánchez, Martínez &
Domingo-Ferrer, "How to Avoid Reidentification with Proper Anonymization", Science 351:1274 (2016),
supplementary Tables S1 and S4. No record is real: every attribute is drawn, given the ones before
it, from a *ladder*, an array in which a value fills as many slots as its probability asks for. One
random slot number and one lookup a value keep four million records a matter of seconds.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Codes = npt.NDArray[np.uint16]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# Counties (numbered 1 to 58 by the alphabet) with their thousands of inhabitants. Regions run from
# south to north as ZIP codes do, so the numbers of counties and ZIP codes correlate only weakly.
REGIONS: dict[str, dict[int, int]] = {
    "Los Angeles": {19: 9819},
    "South": {37: 3095, 13: 175, 33: 2190, 36: 2035, 30: 3010},
    "Central": {56: 823, 42: 424, 40: 270, 15: 840, 54: 442, 16: 153, 10: 930, 20: 151, 27: 415}
    | {14: 19, 26: 14},
    "Bay": {38: 805, 41: 718, 1: 1510, 7: 1049, 21: 252, 48: 413, 28: 136},
    "North": {43: 1782, 44: 262, 35: 55, 39: 685, 50: 514, 24: 256, 22: 18, 55: 55, 5: 46, 3: 38}
    | {34: 1419, 57: 201, 31: 348, 9: 181, 29: 99, 51: 95, 58: 72, 49: 484, 23: 88, 17: 65}
    | {12: 135, 8: 29, 6: 21, 4: 220},
    "Mountains": {45: 177, 52: 63, 11: 28, 53: 14, 47: 45, 25: 10, 18: 35, 32: 20, 46: 3, 2: 1},
}
FIRST_ZIP = (90_000, 92_000, 93_000, 94_000, 95_000, 96_000, 97_000)
COUNTIES = np.array([county for region in REGIONS.values() for county in region])
PEOPLE = np.array([people for region in REGIONS.values() for people in region.values()])
REGION_OF = np.repeat(np.arange(len(REGIONS)), [len(region) for region in REGIONS.values()])

PEOPLE_PER_ZIP, PEOPLE_PER_HOSPITAL = 21, 85  # In thousands.
# Centres that serve the whole state are numbered after the last county. They draw more than half of
# those treated away, which brings the correlation of hospital and county numbers down to 0.81.
REFERRAL_CENTRES = 690_001 + np.arange(12)
PEOPLE_OF_CENTRES = 55_000
NEAREST, IN_COUNTY, AWAY = 0.65, 0.25, 0.1

AGES = np.arange(86)
BANDS = np.searchsorted((1, 15, 51, 65), AGES, side="right")
AGE_POINTS = (0, 1, 2, 10, 16, 24, 35, 50, 65, 75, 84, 85)
# Relative frequencies at AGE_POINTS (linear between them): newborns spike, 85 means "85 or more".
AGE_SHAPES = (
    (210, 14, 5, 4, 7, 19, 14, 6, 5, 4, 3, 12),
    (85, 5, 2, 2, 4, 9, 11, 16, 21, 22, 21, 115),
    (130, 8, 4, 3, 6, 13, 13, 12, 14, 13, 12, 60),
)
HISPANIC_BY_REGION = (0.35, 0.27, 0.33, 0.16, 0.19, 0.08)
WOMEN_BY_BAND = (0.488, 0.45, 0.66, 0.475, 0.545)
# White, black, native American, Asian or Pacific, other, unknown; by ethnicity, the young first.
RACES_BY_ETHNICITY = (
    ((40, 1, 0.4, 1, 55, 2.6), (44, 1, 0.4, 1, 52, 1.6)),
    ((71, 11, 0.5, 12, 4, 1.5), (76, 9, 0.4, 10.5, 3, 1.1)),
    ((34, 5, 0.4, 8, 22, 30.6), (42, 5, 0.4, 8, 16, 28.6)),
)
YOUNG = 3  # Age bands below this one count as young in RACES_BY_ETHNICITY.

SUFFIXES = ("00", "01", "10", "20", "80", "90")
# Chapter: its three-character categories and its relative frequency in each age band.
CHAPTERS: dict[str, tuple[str, tuple[float, ...]]] = {
    "Infections": ("008 038 042 053", (5, 8, 4, 7, 8)),
    "Neoplasms": ("151 153 162 189 191", (1, 5, 4, 11, 8)),
    "Endocrine": ("250 276 278", (4, 7, 5, 6, 5)),
    "Blood": ("280 282 285", (1, 4, 2, 2, 2)),
    "Mental": ("291 295 296 303", (0.1, 8, 12, 6, 2)),
    "Nervous": ("331 340 345 348", (3, 6, 3, 3, 3)),
    "Circulatory": ("410 414 427 428 434 440", (1, 2, 6, 22, 30)),
    "Respiratory": ("466 486 491 493 518", (25, 26, 5, 9, 13)),
    "Digestive": ("530 540 560 562 574 577", (5, 13, 12, 13, 11)),
    "Genitourinary": ("584 585 590 592 599", (5, 4, 5, 6, 7)),
    "Childbirth": ("642 644 648 654 656 664", (0, 0, 75, 0, 0)),
    "Skin": ("682 696 707", (3, 3, 3, 2, 2)),
    "Musculoskeletal": ("715 722 724 730", (0.5, 3, 4, 9, 7)),
    "Congenital": ("745 747 753", (8, 3, 0.5, 0.3, 0.1)),
    "Perinatal": ("765 769 770 774", (50, 0.1, 0, 0, 0)),
    "Symptoms": ("780 786 789", (5, 6, 5, 6, 6)),
    "Injury": ("808 820 823 850 996 998", (2, 12, 9, 9, 11)),
    "Liveborn": ("V30 V31", (900, 0, 0, 0, 0)),
    "Aftercare": ("V54 V57 V58", (0.5, 4, 3, 5, 5)),
}
DIAGNOSES = {
    chapter: {category: [category + suffix for suffix in SUFFIXES] for category in words.split()}
    for chapter, (words, _) in CHAPTERS.items()
}
DIAGNOSIS_CODES = [c for chapter in DIAGNOSES.values() for codes in chapter.values() for c in codes]


def _runs(sizes: Ints) -> tuple[Ints, Ints]:
    """Return the owner of each member and its place in the run, for runs of the given sizes."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return owner, np.arange(len(owner)) - (np.cumsum(sizes) - sizes)[owner]


ZIP_COUNTY, ZIP_PLACE = _runs(np.maximum(1, PEOPLE // PEOPLE_PER_ZIP))
HOSPITAL_COUNTY, HOSPITAL_PLACE = _runs(np.maximum(1, PEOPLE // PEOPLE_PER_HOSPITAL))
# A hospital's number begins with its county's, except for the centres that serve the whole state.
HOSPITAL_IDS = np.concatenate(
    [100_001 + 10_000 * COUNTIES[HOSPITAL_COUNTY] + HOSPITAL_PLACE, REFERRAL_CENTRES]
)


def _zip_codes() -> Ints:
    """Spread the ZIP codes of each region evenly over the region's range, county after county."""
    region, place = _runs(np.bincount(REGION_OF[ZIP_COUNTY]))
    first, count = np.array(FIRST_ZIP), np.bincount(region)
    codes: Ints = first[region] + 1 + place * np.diff(first)[region] // count[region]
    return codes


def _hospital_tree() -> dict[str, dict[str, list[int]]]:
    """Group the hospitals by county and region, the referral centres apart."""
    ids = HOSPITAL_IDS.tolist()
    tree = {
        region: {f"County {c}": [i for i in ids if i // 10_000 == 10 + c] for c in counties}
        for region, counties in REGIONS.items()
    }
    return tree | {"Statewide": {"Referral centres": REFERRAL_CENTRES.tolist()}}


ATTRIBUTES: dict[str, dict[str, object]] = {
    "oshpd_id": {
        "role": "key",
        "kind": "nominal",
        "hierarchy": {"tree": {"California": _hospital_tree()}},
    },
    "age_yrs": {
        "role": "key",
        "kind": "continuous",
        "hierarchy": {"intervals": {"start": 0, "widths": [5, 10, 20, 40]}},
    },
    "sex": {"role": "key", "kind": "nominal", "hierarchy": {"tree": {"Any sex": [1, 2, 3]}}},
    "ethncty": {
        "role": "key",
        "kind": "nominal",
        "hierarchy": {"tree": {"Any ethnicity": [1, 2, 3]}},
    },
    "race": {
        "role": "key",
        "kind": "nominal",
        "hierarchy": {"tree": {"Any race": {"White": [1], "Not white": [2, 3, 4, 5, 6]}}},
    },
    "patzip": {"role": "key", "kind": "nominal", "hierarchy": {"prefix": 5}},
    "patcnty": {
        "role": "key",
        "kind": "nominal",
        "hierarchy": {"tree": {"California": {r: list(codes) for r, codes in REGIONS.items()}}},
    },
    "los": {
        "role": "key",
        "kind": "continuous",
        "hierarchy": {"intervals": {"start": 0, "widths": [3, 6, 30, 90]}},
    },
    "adm_qtr": {
        "role": "key",
        "kind": "ordinal",
        "order": [1, 2, 3, 4],
        "hierarchy": {"tree": {"Year": {"First half": [1, 2], "Second half": [3, 4]}}},
    },
    "charge": {"role": "confidential", "kind": "continuous"},
    "diag_p": {
        "role": "confidential",
        "kind": "nominal",
        "hierarchy": {"tree": {"All diagnoses": DIAGNOSES}},
    },
}


def table(n: int, rng: np.random.Generator) -> pa.Table:
    """Return `n` hospital discharges.

    >>> table(3, np.random.default_rng(0)).shape
    (3, 11)
    """
    zips = _draw(_zip_ladder(), np.zeros(n, np.uint16), rng)
    county = ZIP_COUNTY[zips]
    hospital = _draw(_hospital_ladder(), zips, rng)
    ethnicity = _draw(_ethnicity_ladder(), REGION_OF[county], rng)
    age = _draw(_age_ladder(), ethnicity, rng)
    band = BANDS[age]
    sex = _draw(_sex_ladder(), band, rng)
    race = _draw(_race_ladder(), 2 * ethnicity + (band >= YOUNG), rng)
    diagnosis = _draw(_diagnosis_ladder(), 2 * band + (sex == 1), rng)
    los = _length_of_stay(age, rng)
    columns = {
        "oshpd_id": _ints(HOSPITAL_IDS[hospital]),
        "age_yrs": _ints(age),
        "sex": _ints(sex + 1),
        "ethncty": _ints(ethnicity + 1),
        "race": _ints(race + 1),
        "patzip": pa.array(_zip_codes().astype(str)).take(pa.array(zips)),
        "patcnty": _ints(COUNTIES[county]),
        "los": _ints(los),
        "adm_qtr": _ints(rng.integers(1, 5, n, dtype=np.uint8)),
        "charge": pa.array(_charge(los, rng)),
        "diag_p": pa.array(DIAGNOSIS_CODES).take(pa.array(diagnosis)),
    }
    return pa.table(columns)


def _ints(values: npt.NDArray[np.integer]) -> pa.Array:
    return pa.array(values.astype(np.int32))


def _ladder(weights: npt.ArrayLike, slots: int) -> Codes:
    """Return, for each row of weights, `slots` values, each as often as its weight asks for."""
    cumulated = np.cumsum(np.atleast_2d(np.asarray(weights, np.float64)), axis=1)
    steps = np.rint(cumulated / cumulated[:, -1:] * slots).astype(np.int64)
    rows, values = steps.shape
    filled = np.diff(steps, prepend=0, axis=1).ravel()
    return np.repeat(np.tile(np.arange(values, dtype=np.uint16), rows), filled).reshape(rows, slots)


def _draw(ladder: Codes, row: npt.NDArray[np.integer], rng: np.random.Generator) -> Codes:
    """Draw one value for each record from the given row of a ladder."""
    slot = rng.integers(0, ladder.shape[1], len(row), dtype=np.uint16)
    values: Codes = ladder[row, slot]
    return values


@cache
def _zip_ladder() -> Codes:
    # Within a county ZIP codes differ in size, and the large ones do not lie side by side.
    rank = (7 * ZIP_PLACE) % np.bincount(ZIP_COUNTY)[ZIP_COUNTY]
    return _ladder(_share(PEOPLE, ZIP_COUNTY, 1 / np.sqrt(1 + rank)), 65_536)


@cache
def _hospital_ladder() -> Codes:
    """Send patients to the nearest hospital, to one of their county, or away."""
    centres = np.full(len(REFERRAL_CENTRES), len(COUNTIES))
    of_county = np.append(HOSPITAL_COUNTY, centres)
    rank = np.append(HOSPITAL_PLACE, np.zeros_like(centres))
    size = _share(np.append(PEOPLE, PEOPLE_OF_CENTRES), of_county, (1 + rank) ** -0.7)
    at_home = (ZIP_COUNTY[:, None] == of_county) * size
    weights = IN_COUNTY * at_home / at_home.sum(axis=1, keepdims=True) + AWAY * size / size.sum()
    weights[np.arange(len(ZIP_COUNTY)), _nearest_hospital()] += NEAREST
    return _ladder(weights, 1024)


def _share(totals: Ints, owner: Ints, size: Floats) -> Floats:
    """Share each owner's total among its members in proportion to their size."""
    return size * (totals / np.bincount(owner, size))[owner]


def _nearest_hospital() -> Ints:
    """Return the hospital that lies where each ZIP code lies along its county."""
    zips, hospitals = np.bincount(ZIP_COUNTY), np.bincount(HOSPITAL_COUNTY)
    first = np.cumsum(hospitals) - hospitals
    return first[ZIP_COUNTY] + ZIP_PLACE * hospitals[ZIP_COUNTY] // zips[ZIP_COUNTY]


@cache
def _ethnicity_ladder() -> Codes:
    return _ladder([(share, 0.97 - share, 0.03) for share in HISPANIC_BY_REGION], 4096)


@cache
def _age_ladder() -> Codes:
    return _ladder([np.interp(AGES, AGE_POINTS, shape) for shape in AGE_SHAPES], 16_384)


@cache
def _sex_ladder() -> Codes:
    return _ladder([(0.999 - women, women, 0.001) for women in WOMEN_BY_BAND], 4096)


@cache
def _race_ladder() -> Codes:
    return _ladder(np.reshape(RACES_BY_ETHNICITY, (6, 6)), 4096)


@cache
def _diagnosis_ladder() -> Codes:
    """Weigh the codes by age band and sex: two rows a band, the second one for women."""
    bands = range(BANDS.max() + 1)
    return _ladder(
        [_code_weights(band, woman) for band in bands for woman in (False, True)], 16_384
    )


def _code_weights(band: int, woman: bool) -> Floats:
    """Share each chapter's frequency among its codes, the first ones most often."""
    weights = []
    for chapter, (categories, frequency) in CHAPTERS.items():
        rank = 1 / np.arange(1, 1 + len(SUFFIXES) * len(categories.split()))
        possible = woman or chapter != "Childbirth"
        weights.append(possible * frequency[band] * rank / rank.sum())
    return np.concatenate(weights)


def _length_of_stay(age: Codes, rng: np.random.Generator) -> Ints:
    """Draw skewed days in hospital that grow a little with age; newborns mostly stay 2 or 3."""
    newborn = age == 0
    mean, spread = np.where(newborn, 1, 1 + 0.004 * age), np.where(newborn, 0.4, 0.95)
    days = np.exp(mean + spread * rng.standard_normal(len(age)))
    return np.minimum(days, 365).astype(np.int64)


def _charge(los: Ints, rng: np.random.Generator) -> Ints:
    """Draw log-normal charges in dollars that grow with the stay; one in ten exceeds 100,000."""
    return np.rint(np.exp(rng.normal(8.68, 0.8, len(los))) * (1 + los)).astype(np.int64)

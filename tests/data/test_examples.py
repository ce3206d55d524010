"""The generated data sets keep what they promise; the printed ones add up as they should."""

from collections.abc import Iterator
from datetime import date
from itertools import pairwise
from types import ModuleType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tacita.data.examples import census, firms, patients, survey, toy
from tacita.data.examples.printed import MEDICAL, PRINTED, Printed

GENERATORS = [patients, firms, census, survey, toy]
ROLES = {"identifier", "key", "confidential", "non_confidential", "weight", "household", "stratum"}
KINDS = {"continuous", "ordinal", "nominal", "set_valued", "date"}
NINE_KEYS = list(patients.ATTRIBUTES)[:9]

each_generator = pytest.mark.parametrize(
    "module", GENERATORS, ids=lambda m: m.__name__.split(".")[-1]
)
each_printed = pytest.mark.parametrize("printed", PRINTED.values(), ids=lambda p: p.name)


def made(module: ModuleType, n: int, seed: int = 1) -> pa.Table:
    return module.table(n, np.random.default_rng(seed))


@pytest.fixture(scope="module")
def discharges() -> pd.DataFrame:
    return made(patients, 200_000).to_pandas()


@pytest.fixture(scope="module")
def enterprises() -> pd.DataFrame:
    return made(firms, 50_000).to_pandas()


@pytest.fixture(scope="module")
def persons() -> pd.DataFrame:
    frame = made(survey, 20_000).to_pandas()
    return frame.assign(age=2023 - pd.to_datetime(frame["birth_date"]).dt.year)


# What every generator promises


@each_generator
@pytest.mark.parametrize("n", [0, 1, 1000])
def test_shape_and_names(module: ModuleType, n: int):
    table = made(module, n)
    assert table.num_rows == n
    assert table.column_names == list(module.ATTRIBUTES)


@each_generator
def test_same_types_whatever_the_size(module: ModuleType):
    assert made(module, 0).schema == made(module, 1000).schema
    assert not any(
        pa.types.is_dictionary(t) or pa.types.is_null(t) for t in made(module, 0).schema.types
    )


@each_generator
def test_no_column_is_blank_even_in_one_record(module: ModuleType):
    for seed in range(50):
        assert all(column.null_count == 0 for column in made(module, 1, seed).columns)


@each_generator
def test_deterministic_in_the_seed(module: ModuleType):
    assert made(module, 1000, seed=7).equals(made(module, 1000, seed=7))
    assert not made(module, 1000, seed=7).equals(made(module, 1000, seed=8))


@each_generator
def test_declarations_are_well_formed(module: ModuleType):
    table = made(module, 1000)
    for name, said in module.ATTRIBUTES.items():
        roles = [said["role"]] if isinstance(said["role"], str) else said["role"]
        assert set(roles) <= ROLES
        assert said["kind"] in KINDS
        if said["kind"] == "ordinal":
            assert set(table[name].drop_null().to_pylist()) <= set(said["order"])


@each_generator
def test_hierarchies_cover_the_values(module: ModuleType):
    table = made(module, 5000)
    for name, said in module.ATTRIBUTES.items():
        if "hierarchy" in said:
            assert_covers(said["hierarchy"], table[name].drop_null().to_pylist())
        else:
            assert said["role"] != "key"


@each_printed
def test_printed_hierarchies_cover_the_values(printed: Printed):
    assert list(printed.columns) == list(printed.attributes)
    for name, said in printed.attributes.items():
        if "hierarchy" in said:
            assert_covers(said["hierarchy"], printed.columns[name])


def assert_covers(hierarchy: dict, values: list) -> None:
    [(way, of)] = hierarchy.items()
    if way == "tree":
        paths = list(walk(of))
        leaves = [path[-1] for path in paths]
        assert len({path[0] for path in paths}) == 1
        assert len({len(path) for path in paths}) == 1
        assert len(set(leaves)) == len(leaves)
        assert set(values) <= set(leaves)
    elif way == "prefix":
        assert all(isinstance(value, str) and len(value) == of for value in values)
    elif way == "intervals":
        assert all(wide % narrow == 0 < narrow < wide for narrow, wide in pairwise(of["widths"]))
        assert min(values) >= of["start"]
    else:
        assert all(isinstance(value, date) for value in values)


def walk(node: object, above: tuple = ()) -> Iterator[tuple]:
    if isinstance(node, dict):
        for label, below in node.items():
            yield from walk(below, (*above, label))
    else:
        yield from ((*above, leaf) for leaf in node)


def skewness(values: pd.Series) -> float:
    return float(values.skew())


# Patients


@pytest.mark.parametrize(
    ("one", "other", "correlation"),
    [
        ("oshpd_id", "patcnty", 0.81),
        ("ethncty", "age_yrs", 0.36),
        ("race", "age_yrs", -0.2),
        ("ethncty", "race", -0.33),
        ("los", "age_yrs", 0.118),
        ("ethncty", "patzip", 0.134),
        ("adm_qtr", "los", 0),
    ],
)
def test_patients_correlate_as_published(
    discharges: pd.DataFrame, one: str, other: str, correlation: float
):
    found = discharges[one].astype(int).corr(discharges[other].astype(int))
    assert found == pytest.approx(correlation, abs=0.03)


def test_patients_live_in_nested_places(discharges: pd.DataFrame):
    assert (discharges.groupby("patzip")["patcnty"].nunique() == 1).all()
    assert discharges["patcnty"].nunique() > 50
    assert 1500 < discharges["patzip"].nunique() < 2000
    assert discharges["oshpd_id"].between(100_000, 999_999).all()
    away = discharges["oshpd_id"] // 10_000 - 10 != discharges["patcnty"]
    assert away.mean() == pytest.approx(0.1, abs=0.02)


def test_hospital_numbers_are_distinct():
    assert len(set(patients.HOSPITAL_IDS.tolist())) == len(patients.HOSPITAL_IDS)


def test_patients_are_unique_over_the_nine_keys(discharges: pd.DataFrame):
    repeated = discharges.duplicated(NINE_KEYS, keep=False)
    assert 1 - repeated.mean() > 0.95
    assert repeated.any()


def test_patients_ages(discharges: pd.DataFrame):
    age = discharges["age_yrs"]
    assert (age.min(), age.max()) == (0, 85)
    assert 0.08 < (age == 0).mean() < 0.15
    assert (age == 85).mean() > 2 * (age == 84).mean()


def test_patients_stays_and_charges(discharges: pd.DataFrame):
    assert discharges["los"].between(0, 365).all()
    assert skewness(discharges["los"]) > 3
    assert discharges["charge"].min() > 0
    assert (discharges["charge"] > 100_000).mean() == pytest.approx(0.1, abs=0.01)
    assert discharges["charge"].corr(discharges["los"]) > 0.4


def test_only_women_of_15_to_50_give_birth(discharges: pd.DataFrame):
    births = discharges[discharges["diag_p"].str[:2].isin(["64", "65", "66"])]
    assert 0.05 < len(births) / len(discharges) < 0.2
    assert (births["sex"] == 2).all()
    assert births["age_yrs"].between(15, 50).all()


def test_only_newborns_are_liveborn(discharges: pd.DataFrame):
    newborn = discharges["age_yrs"] == 0
    liveborn = discharges["diag_p"].str.startswith("V3")
    assert not (liveborn & ~newborn).any()
    assert liveborn[newborn].mean() > 0.8


# Firms


def test_firms_are_identified_and_held(enterprises: pd.DataFrame):
    assert enterprises["firm_id"].is_unique
    members = enterprises.groupby("holding")["firm_id"].transform("count")
    assert (members == 1).mean() == pytest.approx(0.6, abs=0.02)
    assert members.max() == 8


def test_firms_sizes_agree(enterprises: pd.DataFrame):
    limits = [0, 9, 49, 249, np.inf]
    classes = pd.cut(enterprises["employees"], limits, labels=firms.SIZE_CLASSES)
    assert (classes.astype(str) == enterprises["size_class"]).all()
    assert enterprises["employees"].min() >= 1


def test_firms_money(enterprises: pd.DataFrame):
    assert skewness(enterprises["employees"]) > 10
    assert skewness(enterprises["turnover"]) > 10
    assert enterprises["turnover"].min() >= 1
    assert 0.15 < (enterprises["profit"] < 0).mean() < 0.35
    assert 0.4 < (enterprises["investments"] == 0).mean() < 0.7


def test_a_few_firms_dominate_their_cells(enterprises: pd.DataFrame):
    cells = enterprises.groupby(["nace", "region"])["turnover"]
    assert 0.1 < (cells.max() > 0.5 * cells.sum()).mean() < 0.7


def test_firms_weights(enterprises: pd.DataFrame):
    assert enterprises["weight"].min() >= 1
    assert (enterprises.loc[enterprises["size_class"] == "250+", "weight"] == 1).all()
    assert enterprises.loc[enterprises["size_class"] == "1-9", "weight"].min() > 10


def test_nace_codes_nest_by_their_characters():
    for _, section, division, group, code in walk(firms.ATTRIBUTES["nace"]["hierarchy"]["tree"]):
        assert code.startswith(group)
        assert group.startswith(division)
        assert division.startswith(section)


# Census


def test_census_is_positive_skewed_and_correlated():
    frame = made(census, 20_000).to_pandas()
    assert frame.shape[1] == 13
    assert frame.min().min() >= 1
    assert (frame.skew() > 1).all()
    correlations = frame.corr().to_numpy()[np.triu_indices(13, 1)]
    assert correlations.min() > -0.03
    assert correlations.min() < 0.05
    assert 0.9 < correlations.max() <= 0.96


def test_half_of_the_census_is_key():
    roles = [said["role"] for said in census.ATTRIBUTES.values()]
    assert all("confidential" in role for role in roles)
    assert sum("key" in role for role in roles) == 6


# Survey


def test_households_are_coherent(persons: pd.DataFrame):
    by_household = persons.groupby("household")
    for shared in ("region", "urban", "weight", "stratum"):
        assert (by_household[shared].nunique() == 1).all()
    assert by_household.size().between(1, 7).all()
    assert by_household.size().nunique() == 7


def test_strata_are_region_by_urban(persons: pd.DataFrame):
    assert (persons["stratum"] == persons["region"] + " " + persons["urban"]).all()
    assert persons["stratum"].nunique() == 36
    assert persons["weight"].min() >= 1


def test_every_household_has_an_adult(persons: pd.DataFrame):
    assert persons.groupby("household")["age"].max().min() >= 20
    assert persons["age"].between(0, 99).all()
    assert 0.1 < (persons["age"] < 16).mean() < 0.35


def test_children_are_single_pupils_without_income(persons: pd.DataFrame):
    children = persons[persons["age"] < 16]
    assert (children["marital_status"] == "single").all()
    assert set(children["occupation"].dropna()) == {"child or student"}
    assert (children["income"].dropna() == 0).all()
    assert set(children["education"].dropna()) == {"none", "primary"}


def test_married_persons_live_with_their_partner(persons: pd.DataFrame):
    married = persons[persons["marital_status"].isin(survey.WITH_PARTNER)]
    assert (married.groupby("household").size() == 2).all()
    assert (married.groupby("household")["marital_status"].nunique() == 1).all()


def test_survey_missing_values(persons: pd.DataFrame):
    missing = persons.isna().mean()
    assert missing["income"] == pytest.approx(0.05, abs=0.01)
    assert 0.02 < missing["education"] < 0.05
    assert 0.02 < missing["occupation"] < 0.05
    assert missing.drop(["income", "education", "occupation"]).max() == 0


@pytest.mark.parametrize("module", [survey, toy])
def test_languages_are_sets(module: ModuleType):
    for spoken in made(module, 500)["languages"].to_pylist():
        assert spoken
        assert len(set(spoken)) == len(spoken)


def test_education_pays(persons: pd.DataFrame):
    adults = persons[persons["age"] >= 30]
    medians = adults.groupby("education")["income"].median()
    assert medians["master"] > medians["upper secondary"] > medians["primary"]


# Toy


def test_toy_has_every_role_and_kind():
    said = toy.ATTRIBUTES.values()
    assert {s["role"] for s in said} == ROLES
    assert {s["kind"] for s in said} == KINDS


def test_toy_values():
    frame = made(toy, 1000).to_pandas()
    assert frame["id"].is_unique
    assert frame["age"].between(0, 99).all()
    assert frame["zip"].str.startswith("0").any()
    assert (pd.to_datetime(frame["born"]).dt.year == 2023 - frame["age"]).all()
    assert frame["weight"].min() >= 1
    missing = frame.isna().mean()
    assert missing[["education", "region", "income"]].between(0.01, 0.08).all()
    assert missing.drop(["education", "region", "income"]).max() == 0


def test_toy_households_are_coherent():
    frame = made(toy, 1000).to_pandas()
    for shared in ("zip", "region", "stratum", "weight"):
        assert (frame.groupby("household")[shared].nunique() <= 1).all()


# Printed tables


def printed_frame(name: str) -> pd.DataFrame:
    return PRINTED[name].table().to_pandas()


@each_printed
def test_printed_tables_have_a_source_and_equal_columns(printed: Printed):
    assert PRINTED[printed.name] is printed
    assert printed.source
    assert printed.table().num_rows == len(next(iter(printed.columns.values())))


@pytest.mark.parametrize(
    ("name", "records"),
    [
        ("salary", 15),
        ("medical", 11),
        ("discharges", 6),
        ("discharges_3_anonymous", 6),
        ("conditions", 12),
        ("conditions_4_anonymous", 12),
    ],
)
def test_printed_records(name: str, records: int):
    assert PRINTED[name].table().num_rows == records


def test_salary_above_100000():
    assert (printed_frame("salary")["Salary"] > 100_000).sum() == 5


@pytest.mark.parametrize(
    ("name", "value", "how"),
    [("salary_sums", "Salary", "sum"), ("salary_counts", "Count", "count")],
)
def test_salary_tables_follow_from_the_records(name: str, value: str, how: str):
    grid = printed_frame(name).pivot(index="Sector", columns="Region", values=value)
    made = printed_frame("salary").pivot_table(
        index="Sector",
        columns="Region",
        values="Salary",
        aggfunc=how,
        margins=True,
        margins_name="Total",
    )
    pd.testing.assert_frame_equal(grid, made, check_dtype=False, check_names=False)


def test_suppressed_salary_cells_follow_from_the_margins():
    cells = printed_frame("salary_sums_suppressed").set_index(["Sector", "Region"])["Salary"]
    unknown = cells.index[cells.isna()].tolist()
    assert unknown == [("IT", "BCN"), ("Fin", "BCN"), ("Fin", "TGN")]
    assert cells["IT", "Total"] - cells["IT", "TGN"] == 852_000


def test_feasibility_interval_of_the_first_cell():
    cells = printed_frame("feasibility").set_index(["Attribute 2", "Attribute 1"])["Value"]
    row, below = cells["1", "Total"], cells["2", "Total"]
    column = cells["Total", "1"] - cells["3", "1"]
    assert (column - min(below, column), min(row, column)) == (3, 6)
    assert cells.isna().sum() == 4


def test_medical_hospital_days():
    days = printed_frame("medical")["DH"]
    assert days.mean() == 13
    assert days.var(ddof=0) == pytest.approx(328.36, abs=0.005)


def test_medical_counts_by_sex_and_disease():
    counts = printed_frame("medical").groupby(["Disease", "Sex"]).size()
    assert counts.to_dict() == {
        ("Chest pain", "M"): 2,
        ("Hypertension", "F"): 1,
        ("Hypertension", "M"): 1,
        ("Obesity", "F"): 2,
        ("Obesity", "M"): 2,
        ("Short breath", "F"): 2,
        ("Short breath", "M"): 1,
    }


def test_medical_types():
    types = MEDICAL.table().schema
    assert types.field("DoB").type == pa.date32()
    assert types.field("ZIP").type == pa.string()


def test_microaggregated_cholesterol_is_the_mean_by_disease():
    frame = printed_frame("medical")
    means = frame.groupby("Disease")["Chol"].transform("mean")
    assert means.tolist() == PRINTED["medical_rank_swapped"].columns["Chol"]


def test_rank_swapping_keeps_the_temperatures():
    released = PRINTED["medical_rank_swapped"].columns["Temp"]
    assert sorted(released) == sorted(MEDICAL.columns["Temp"])
    assert max(abs(a - b) for a, b in zip(released, MEDICAL.columns["Temp"], strict=True)) <= 0.49


def test_swapping_exchanges_whole_blocks():
    swapped = [0, 1, 4, 3, 2, 5, 7, 6, 9, 8, 10]
    for name in ("Disease", "DH", "Chol", "Temp"):
        expected = [MEDICAL.columns[name][place] for place in swapped]
        assert PRINTED["medical_swapped"].columns[name] == expected


def test_non_perturbed_version_follows_from_the_medical_records():
    released, original = printed_frame("medical_non_perturbed"), printed_frame("medical")
    top = original["DH"].astype(str).where(original["DH"] <= 30, ">30")
    bottom = original["Chol"].astype(str).where(original["Chol"] >= 195, "<195")
    fever = pd.cut(original["Temp"], [0, 36.95, 38.95, 50], labels=["nf", "f", "hf"]).astype(str)
    assert released["DH"].tolist() == top.tolist()
    assert released["Chol"].tolist() == bottom.tolist()
    assert released["Temp"].tolist() == fever.tolist()
    assert released["ZIP"].tolist()[:10] == (original["ZIP"].str[:4] + "*").tolist()[:10]


def test_resampled_cholesterol_is_the_average_of_the_ranked_samples():
    samples = printed_frame("cholesterol_samples")
    averages = np.sort(samples[["S1", "S2", "S3", "S4"]].to_numpy(), axis=0).mean(axis=1)
    places = np.argsort(np.argsort(samples["S1"].to_numpy(), kind="stable"))
    assert averages[places].tolist() == samples["Released"].tolist()
    assert samples["S1"].tolist() == MEDICAL.columns["Chol"]


def test_noise_keeps_the_mean_of_the_hospital_days():
    noise = printed_frame("hospital_days_with_noise")
    assert (noise["Original"] + noise["Error"] == noise["Released"]).all()
    assert noise["Released"].mean() == 13


@pytest.mark.parametrize(
    ("name", "k"), [("discharges_3_anonymous", 3), ("conditions_4_anonymous", 4)]
)
def test_anonymous_versions_are_k_anonymous(name: str, k: int):
    said = PRINTED[name].attributes
    keys = [attribute for attribute in said if said[attribute]["role"] == "key"]
    assert printed_frame(name).groupby(keys).size().min() == k


def test_generalized_discharges_contain_the_original_ages():
    ages = PRINTED["discharges"].columns["Age"]
    ranges = PRINTED["discharges_3_anonymous"].columns["Age"]
    for age, text in zip(ages, ranges, strict=True):
        low, high = map(int, text.strip("[]").split("-"))
        assert low <= age <= high
    assert ranges[0] == "[35-52]"


def test_generalized_conditions_follow_from_the_hierarchies():
    original, released = PRINTED["conditions"], PRINTED["conditions_4_anonymous"]
    tree = original.attributes["Nationality"]["hierarchy"]["tree"]
    continent = {leaf: parent for _, parent, leaf in walk(tree)}
    decades = [f"[{age // 10 * 10}-{age // 10 * 10 + 10})" for age in original.columns["Age"]]
    assert released.columns["Nationality"] == [
        continent[n] for n in original.columns["Nationality"]
    ]
    assert released.columns["Zip code"] == [
        code[:3] + "**" for code in original.columns["Zip code"]
    ]
    assert released.columns["Age"] == decades

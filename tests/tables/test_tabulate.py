"""Tables of microdata: printed examples, stored references, and every cell recomputed by hand."""

from __future__ import annotations

import csv
import gzip
import re
import shutil
from dataclasses import fields, replace
from fractions import Fraction
from itertools import product
from math import floor
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.declaration import Declaration
from tacita.data.examples.printed import MEDICAL, SALARY, SALARY_COUNTS, SALARY_SUMS
from tacita.data.hierarchies.intervals import Intervals
from tacita.data.hierarchies.tree import Tree
from tacita.data.read import declarations_of, declare
from tacita.errors import HierarchyError, InputError, ParameterError
from tacita.tables.tabulate import tabulate

SHARED = Path(__file__).parents[3] / "shared" / "data" / "tables"


def printed(example):
    """Return the data set of a printed table."""
    return ta.example(example.name)


def cell(table, **codes):
    """Return what a table shows in a cell."""
    return float(table.cells.shown[table.row(**codes)])


# -- printed examples ---------------------------------------------------------------------------


@pytest.mark.parametrize(("golden", "value"), [(SALARY_COUNTS, None), (SALARY_SUMS, "Salary")])
def test_the_salary_tables_are_those_of_the_course_notes(golden, value):
    table = tabulate(printed(SALARY), ["Sector", "Region"], value=value)
    expected = golden.table().to_pylist()
    assert len(table) == len(expected)
    for row in expected:
        number = row[value or "Count"]
        assert cell(table, Sector=row["Sector"], Region=row["Region"]) == number
    assert table.system().decimals == 0


def test_the_salary_table_knows_the_largest_contributions():
    table = tabulate(printed(SALARY), ["Sector", "Region"], value="Salary")
    row = table.row(Sector="IT", Region="BCN")
    assert table.cells.largest[row].tolist() == [500000, 320000, 32000]
    assert table.cells.largest[0].tolist() == [500000, 320000, 300000]
    assert table.cells.contributors[row] == table.cells.frequency[row] == 3
    assert table.cells.total[row] == 852000


def test_the_tables_of_respondents_with_a_disease_are_those_of_figure_1_as_corrected():
    data, by = printed(MEDICAL), ["Sex", "Disease"]
    counts = tabulate(data, by, empty="possible")
    diseases = ["Hypertension", "Obesity", "Chest pain", "Short breath", "Total"]
    grid = [[cell(counts, Sex=s, Disease=d) for d in diseases] for s in ("M", "F", "Total")]
    assert grid == [[1, 2, 2, 1, 6], [1, 2, 0, 2, 5], [2, 4, 2, 3, 11]]
    percent = tabulate(data, by, statistic="percentage")
    corrected = {"M": 54.5, "F": 45.5}
    for sex, expected in corrected.items():
        assert round(cell(percent, Sex=sex), 1) == expected
    assert round(cell(percent, Disease="Short breath"), 1) == 27.3
    means = tabulate(data, by, value="DH", statistic="mean")
    assert (cell(means, Sex="M"), cell(means, Sex="F"), cell(means)) == (11.5, 14.8, 13)
    assert cell(means, Sex="F", Disease="Obesity") == 30.5
    columns = [round(cell(means, Disease=disease), 2) for disease in diseases[:4]]
    assert columns == [2.5, 19.5, 23.5, 4.33]


# -- every cell by hand -------------------------------------------------------------------------

PLACES = {"a": ("n", "x"), "b": ("n", "y"), "c": ("s", "x"), "d": ("s", "y")}
PROVINCES = Tree.from_nested({"all": {"n": ["a", "b"], "s": ["c", "d"]}})
MARKETS = Tree.from_nested({"all": {"x": ["a", "c"], "y": ["b", "d"]}})
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "place": st.sampled_from(["a", "b", "c", "d", None]),
            "kind": st.sampled_from([2, 10, None]),
            "x": st.sampled_from([-4.5, -0.1, 0.0, 0.1, 0.2, 3.0, 12.25, None]),
            "y": st.sampled_from([0.0, 1.0, 2.5]),
            "w": st.sampled_from([0.2, 1.0, 1.5, 2.4]),
            "who": st.sampled_from(["p", "q", None]),
            "ask": st.sampled_from(["0", "1", "2", None]),
        }
    ),
    min_size=1,
    max_size=12,
)
TYPES = {"kind": pa.int64(), "x": pa.float64(), "y": pa.float64(), "w": pa.float64()}


def dataset(records, *, weighted=False):
    """Make a data set of records; places have a hierarchy of their own."""
    names = ["place", "kind", "x", "y", "w", "who", "ask"]
    columns = {n: pa.array([r[n] for r in records], TYPES.get(n, pa.string())) for n in names}
    said = declarations_of(role={"w": "weight"} if weighted else {}, hierarchy={"place": PROVINCES})
    return declare(pa.table(columns), said)


def is_in(record, place, kind):
    """Tell whether a record is in a cell."""
    held = "(missing)" if record["place"] is None else record["place"]
    above = {"all", held, *PLACES.get(held, ())}
    told = "(missing)" if record["kind"] is None else str(record["kind"])
    return place in above and kind in ("Total", told)


def exact(number):
    return Fraction(str(number or 0))


def by_hand(rows, *, weighted, holdings, represented):
    """Return value, contributors, total of sizes, sizes, and the largest that ask."""
    weight = [exact(r["w"]) if weighted else Fraction(1) for r in rows]
    values = [exact(r["x"]) * w for r, w in zip(rows, weight, strict=True)]
    if holdings:
        groups: dict[object, list[int]] = {}
        for i, r in enumerate(rows):
            groups.setdefault(r["who"] or i, []).append(i)
        sizes = [abs(sum(values[i] for i in held)) for held in groups.values()]
        asks = [{rows[i]["ask"] for i in held} for held in groups.values()]
        often, total = [1] * len(sizes), sum(sizes)
    else:
        sizes, asks = [abs(v) for v in values], [{r["ask"]} for r in rows]
        often, total = [1] * len(rows), sum(sizes)
        if represented:
            sizes = [abs(exact(r["x"])) for r in rows]
            often = [max(1, floor(w + Fraction(1, 2))) for w in weight]
    ranked = sorted((s for s, n in zip(sizes, often, strict=True) for _ in range(n)), reverse=True)
    asked = [
        max((s for s, a in zip(sizes, asks, strict=True) if level in a), default=0)
        for level in ("1", "2")
    ]
    return sum(values), sum(often), total, ranked, asked, sum(weight)


@settings(max_examples=60, deadline=None)
@given(RECORDS, st.booleans(), st.booleans(), st.booleans())
def test_every_cell_is_what_filtering_the_records_gives(records, weighted, holdings, represented):
    represented &= weighted and not holdings
    table = tabulate(
        dataset(records, weighted=weighted),
        ["place", "kind"],
        value="x",
        contributor="who" if holdings else None,
        cost="y",
        request="ask",
        hierarchies={"place": [MARKETS]},
        weighting="represented" if represented else "respondents",
    )
    place_codes = {
        "all",
        *PLACES,
        "n",
        "s",
        "x",
        "y",
        *(["(missing)"] if any(r["place"] is None for r in records) else []),
    }
    assert set(table.dimensions[0].codes) == place_codes
    listed = {table.codes_of(row): row for row in range(len(table))}
    for codes in product(*(d.codes for d in table.dimensions)):
        rows = [r for r in records if is_in(r, *codes)]
        assert (codes in listed) == bool(rows)
        if not rows:
            continue
        found, row = table.cells, listed[codes]
        value, contributors, total, ranked, asked, frequency = by_hand(
            rows, weighted=weighted, holdings=holdings, represented=represented
        )
        assert found.value[row] == float(value)
        assert found.contributors[row] == contributors
        assert found.total[row] == float(total)
        assert found.largest[row].tolist() == [float(s) for s in [*ranked, 0, 0, 0][:3]]
        assert found.asked[row].tolist() == [float(a) for a in asked]
        assert found.frequency[row] == float(frequency)
        costs = (exact(r["y"]) * (exact(r["w"]) if weighted else 1) for r in rows)
        assert found.cost[row] == float(sum(costs))
    table.system()


@settings(max_examples=30, deadline=None)
@given(RECORDS, st.booleans())
def test_means_ratios_and_medians_are_those_of_the_records(records, weighted):
    records[0]["x"] = 3.0  # of nothing there is no median
    data = dataset(records, weighted=weighted)

    def shown(statistic, **more):
        return tabulate(data, ["place", "kind"], value="x", statistic=statistic, **more)

    mean, ratio = shown("mean"), shown("ratio", denominator="y")
    middle = shown("median")
    for row in range(len(mean)):
        rows = [r for r in records if is_in(r, *mean.codes_of(row))]
        weights = [exact(r["w"]) if weighted else Fraction(1) for r in rows]
        known = [
            (exact(r["x"]), w) for r, w in zip(rows, weights, strict=True) if r["x"] is not None
        ]
        value = sum(x * w for x, w in known)
        base = sum(exact(r["y"]) * w for r, w in zip(rows, weights, strict=True))
        assert _nearly(ratio.cells.shown[row], value / base if base else None)
        assert _nearly(mean.cells.shown[row], value / sum(w for _, w in known) if known else None)
    held = [middle.codes_of(row) for row in range(len(middle))]
    for codes in (mean.codes_of(row) for row in range(len(mean))):
        known = [r for r in records if is_in(r, *codes) and r["x"] is not None]
        assert (codes in held) == bool(known)
        if known:
            expected = _median(
                [(r["x"], exact(r["w"]) if weighted else Fraction(1)) for r in known]
            )
            assert middle.cells.value[held.index(codes)] == pytest.approx(float(expected))


def _nearly(found, expected):
    return np.isnan(found) if expected is None else found == pytest.approx(float(expected))


def _median(pairs):
    half, reached, ordered = sum(w for _, w in pairs) / 2, Fraction(0), sorted(pairs)
    for i, (x, w) in enumerate(ordered):
        reached += w
        if reached >= half:
            return (exact(x) + exact(ordered[i + 1][0])) / 2 if reached == half else exact(x)
    raise AssertionError


def same(one, other):
    """Tell whether two tables are equal in every column of every cell."""
    assert [d.codes for d in one.dimensions] == [d.codes for d in other.dimensions]
    assert np.array_equal(one.places, other.places)
    for part in fields(one.cells):
        mine, theirs = getattr(one.cells, part.name), getattr(other.cells, part.name)
        assert np.array_equal(mine, theirs, equal_nan=mine.dtype != object), part.name
    return True


@settings(max_examples=20, deadline=None)
@given(RECORDS, st.randoms(use_true_random=False))
def test_the_order_of_the_records_means_nothing(records, random):
    records[0]["x"] = 3.0
    shuffled = random.sample(records, len(records))
    for options in ({"contributor": "who"}, {"request": "ask"}, {"statistic": "median"}):
        one, other = (
            tabulate(dataset(r, weighted=True), ["kind", "place"], value="x", **options)
            for r in (records, shuffled)
        )
        assert same(one, other)


# -- engines --------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"value": "profit"},
        {"value": "turnover", "contributor": "holding", "shadow": "profit"},
        {"value": "turnover", "statistic": "median"},
        {"value": "profit", "statistic": "mean", "cost": "employees"},
    ],
)
def test_a_scan_makes_the_table_of_the_data_set(engine, options, tmp_path):
    firms = ta.example("firms", 400)
    pq.write_table(firms.to_arrow(), tmp_path / "firms.parquet")
    own = {name: firms.attribute(name).hierarchy for name in ("nace", "region")}
    scan = ta.scan(
        tmp_path / "firms.parquet", roles={"weight": "weight"}, hierarchies=own, engine=engine
    )
    assert same(
        tabulate(scan, ["nace", "region"], **options),
        tabulate(firms, ["nace", "region"], **options),
    )


# -- blanks, empty cells, hierarchies -------------------------------------------------------------


def test_blanks_are_a_category_or_left_out():
    data = declare(pa.table({"place": ["a", None, "b"], "x": [1, 2, 4]}), {})
    with_blanks = tabulate(data, ["place"], value="x")
    assert with_blanks.dimensions[0].codes == ("Total", "a", "b", "(missing)")
    assert with_blanks.dimensions[0].missing == {"(missing)"}
    assert with_blanks.cells.value.tolist() == [7, 1, 4, 2]
    without = tabulate(data, ["place"], value="x", missing="exclude")
    assert without.cells.value.tolist() == [5, 1, 4]


def test_missing_codes_of_a_file_are_categories_of_their_own():
    said = {"place": Declaration(missing=("97", "99"))}
    data = declare(pa.table({"place": ["a", "97", "99", "97", None]}), said)
    named = replace(data.attribute("place").meaning, missing_codes=("97", "99"))
    data = replace(
        data,
        attributes={"place": replace(data.attribute("place"), meaning=named)},
        missing_reasons={"place": np.array([0, 1, 2, 1, 0], np.int32)},
    )
    table = tabulate(data, ["place"])
    counts = dict(zip(table.dimensions[0].codes, table.cells.value.tolist(), strict=True))
    assert counts == {"Total": 5, "a": 1, "97": 2, "99": 1, "(missing)": 1}


def test_suppressed_values_count_and_contribute_nothing():
    data = declare(
        pa.table({"place": ["a", "a", "b"], "x": pa.array([1.0, 9.0, 4.0])}),
        {"x": Declaration(suppressed=(9.0,))},
    )
    table = tabulate(data, ["place"], value="x", statistic="mean")
    assert table.cells.value.tolist() == [5, 1, 4]
    assert table.cells.frequency.tolist() == [3, 2, 1]
    assert table.cells.shown.tolist() == [2.5, 1, 4]


def test_codes_come_in_their_order():
    data = declare(
        pa.table({"n": [10, 9, 2], "size": ["small", "large", "small"], "t": ["b", "10", "9"]}),
        {"size": Declaration(kind="ordinal", order=("small", "large"))},
    )
    table = tabulate(data, ["n", "size", "t"])
    assert [d.codes[1:] for d in table.dimensions] == [
        ("2", "9", "10"),
        ("small", "large"),
        ("10", "9", "b"),
    ]


def test_numbers_are_laid_over_intervals():
    data = declare(pa.table({"age": [1, 12, 15]}), {"age": Declaration(hierarchy=Intervals([10]))})
    table = tabulate(data, ["age"])
    assert sorted(table.cells.value.tolist()) == [1, 1, 1, 1, 2, 3]


def test_a_ragged_hierarchy_counts_nothing_twice():
    tree = Tree.from_nested({"all": ["x", {"b": ["y", "z"]}, {"c": {"d": ["u"]}}]})
    data = declare(pa.table({"k": list("xyzuu")}), {"k": Declaration(hierarchy=tree)})
    table = tabulate(data, ["k"])
    counts = dict(zip(table.dimensions[0].codes, table.cells.value.tolist(), strict=True))
    assert counts == {"all": 5, "x": 1, "b": 2, "y": 1, "z": 1, "c": 2, "d": 2, "u": 2}


def test_possible_cells_are_listed_as_zeros():
    data = declare(pa.table({"a": ["p", "q"], "b": ["r", "s"], "x": [-1, 2]}), {})
    table = tabulate(data, ["a", "b"], value="x", empty="possible")
    assert len(table) == 9
    row = table.row(a="p", b="s")
    assert (table.cells.value[row], table.cells.frequency[row]) == (0, 0)
    assert table.cells.largest[row].tolist() == [0, 0, 0]
    assert (table.cells.lower_bound == -np.inf).all()
    table.system()


def test_percentages_add_up_along_the_attribute_said():
    data = declare(pa.table({"a": list("ppq"), "b": list("rss"), "x": [1, 3, 4]}), {})
    table = tabulate(data, ["a", "b"], value="x", statistic="percentage", denominator="b")
    assert cell(table, a="p", b="r") == 25
    assert cell(table, a="q") == 100
    whole = tabulate(data, ["a", "b"], value="x", statistic="percentage")
    assert cell(whole, a="q") == 50


def test_sums_of_any_doubles_add_up():
    rng = np.random.default_rng(3)
    data = declare(
        pa.table({"a": rng.integers(0, 5, 500).astype(str), "x": rng.normal(size=500) * 1e6}), {}
    )
    table = tabulate(data, ["a"], value="x")
    numbers = data.numbers("x")
    assert table.cells.value[0] == pytest.approx(sum(map(Fraction, numbers)), rel=1e-15)
    assert table.system().decimals is None


def test_a_sum_of_very_many_digits_is_exact():
    data = declare(pa.table({"a": ["p"] * 3, "x": [2.0**52, 1.0, -(2.0**52)]}), {})
    assert tabulate(data, ["a"], value="x").cells.value.tolist() == [1, 1]


# -- stored references ----------------------------------------------------------------------------


def reference(name):
    """Read the cells that somebody else tabulated."""
    with gzip.open(SHARED / "derived_jj" / f"{name}.cells.csv.gz", "rt") as file:
        return list(csv.DictReader(file))


def assert_equals_reference(table, rows):
    """Compare value, frequency, contributors and the three largest of every cell."""
    names = list(rows[0])[: len(table.dimensions)]
    held = {table.codes_of(row): row for row in range(len(table))}
    for expected in rows:
        row = held.get(tuple(expected[name].strip() for name in names))
        wanted = [float(expected[k]) for k in ("value", "freq", "units", "max1", "max2", "max3")]
        if row is None:
            assert not any(wanted)
            continue
        c = table.cells
        found = [c.value[row], c.frequency[row], c.contributors[row], *c.largest[row]]
        assert found == pytest.approx(wanted, rel=1e-12)


@pytest.fixture(scope="module")
def tau_test(tmp_path_factory):
    """The test data of tau-ARGUS, without their weights."""
    if not SHARED.exists():
        pytest.skip("the reference data are not here")
    folder = tmp_path_factory.mktemp("tau")
    for name in ("Tau_TestW.rda", "region2.hrc", "region.cdl"):
        shutil.copy(SHARED / "tauargus" / name, folder)
    packed = (SHARED / "tauargus" / "tau_testW.asc.gz").read_bytes()
    (folder / "tau_testW.asc").write_bytes(gzip.decompress(packed))
    return ta.read(folder / "tau_testW.asc", roles={"Wgt": "non_confidential"})


@pytest.mark.parametrize(
    ("name", "by"),
    [("simple2d_p15", ["Size", "Region"]), ("tauW_IS_p10", ["IndustryCode", "Size"])],
)
def test_tau_argus_test_data_give_the_stored_cells(tau_test, name, by):
    table = tabulate(tau_test, by, value="Var2")
    assert_equals_reference(table, reference(name))
    assert table.system().decimals == 2


@pytest.fixture(scope="module")
def enterprises(tmp_path_factory):
    """Enterprises of several records each; municipalities without their ambiguous hierarchy."""
    if not SHARED.exists():
        pytest.skip("the reference data are not here")
    folder, source = tmp_path_factory.mktemp("ent"), SHARED / "checkTauArgus" / "enterprise"
    for name in ("example_enterprise.asc", "nace_divisions.hrc", "KohStatReg.hrc"):
        shutil.copy(source / name, folder)
    text = (source / "example_enterprise.rda").read_text(encoding="latin-1")
    plain = re.sub(r"(mun 16.*?<RECODEABLE>\s*\n).*?(turnover)", r"\1\2", text, flags=re.DOTALL)
    (folder / "example_enterprise.rda").write_text(plain, encoding="latin-1")
    return ta.read(folder / "example_enterprise.asc")


@pytest.mark.parametrize("attribute", ["act", "region"])
def test_holdings_give_the_stored_cells(enterprises, attribute):
    table = tabulate(enterprises, [attribute, "product"], value="turnover", contributor="h_id")
    assert_equals_reference(table, reference(f"ent_{attribute}_product_p10h"))


# -- what a person can get wrong ------------------------------------------------------------------

SMALL = {"place": ["a", "b"], "x": [1.0, 2.0], "word": ["u", "v"], "Total": ["Total", "z"]}


@pytest.mark.parametrize(
    ("by", "options", "error", "words"),
    [
        (["plac"], {}, InputError, "Did you mean `place`"),
        ([], {}, InputError, "none was given"),
        ("place", {}, ParameterError, "a list of attributes"),
        (["place", "place"], {}, InputError, "spans the table twice"),
        (["place"], {"value": "word"}, InputError, "its kind is nominal"),
        (["place"], {"value": "y"}, InputError, "no attribute `y`"),
        (["place"], {"contributor": "firm"}, InputError, "no attribute `firm`"),
        (["place"], {"request": "wish"}, InputError, "no attribute `wish`"),
        (["place"], {"statistic": "mean"}, ParameterError, "needs one"),
        (["place"], {"statistic": "count", "value": "x"}, ParameterError, "A count has no value"),
        (["place"], {"statistic": "modus"}, ParameterError, "A table shows"),
        (["place"], {"statistic": "ratio", "value": "x"}, ParameterError, "needs a `denominator`"),
        (["place"], {"denominator": "x"}, ParameterError, "Only ratios and percentages"),
        (["place"], {"statistic": "percentage", "denominator": "x"}, ParameterError, "spans the"),
        (["place"], {"largest": -1}, ParameterError, "0 or more"),
        (["place"], {"missing": "drop"}, ParameterError, "category or exclude"),
        (["place"], {"empty": "yes"}, ParameterError, "structural or possible"),
        (["place"], {"request": "word", "request_codes": "12"}, ParameterError, "one or two"),
        (["place"], {"hierarchies": {"x": []}}, ParameterError, "does not span"),
        (["place"], {"hierarchies": {"place": [MARKETS]}}, HierarchyError, "does not cover 'q'"),
        (["Total"], {}, InputError, "say another one as `total`"),
        (
            ["place"],
            {"statistic": "median", "value": "x", "empty": "possible"},
            ParameterError,
            "no median",
        ),
    ],
)
def test_mistakes_are_told_in_a_sentence(by, options, error, words):
    columns = SMALL | ({"place": ["a", "q"]} if "hierarchies" in options else {})
    with pytest.raises(error, match=words):
        tabulate(declare(pa.table(columns), {}), by, **options)


def test_no_records_make_no_table():
    data = declare(pa.table({"a": pa.array([], pa.string())}), {})
    with pytest.raises(InputError, match="no records to tabulate"):
        tabulate(data, ["a"])
    blank = declare(pa.table({"a": pa.array([None], pa.string())}), {})
    with pytest.raises(InputError, match="Let missing values be a category"):
        tabulate(blank, ["a"], missing="exclude")


def test_without_values_there_is_no_median():
    data = declare(pa.table({"a": ["p"], "x": pa.array([None], pa.float64())}), {})
    with pytest.raises(InputError, match="No value of `x` is known"):
        tabulate(data, ["a"], value="x", statistic="median")


def test_too_many_possible_cells_are_refused():
    data = declare(pa.table({name: np.arange(400).astype(str) for name in "abc"}), {})
    with pytest.raises(ParameterError, match="would have 64,481,201"):
        tabulate(data, ["a", "b", "c"], empty="possible")


def test_sets_do_not_span_a_table():
    data = declare(pa.table({"a": [["x"], ["y", "z"]]}), {})
    with pytest.raises(InputError, match="holds sets"):
        tabulate(data, ["a"])


def test_a_scan_of_text_cannot_be_added_up(tmp_path):
    (tmp_path / "t.csv").write_text("a,x\np,1\n")
    with pytest.raises(InputError, match="its kind is nominal"):
        tabulate(ta.scan(tmp_path / "t.csv"), ["a"], value="x")


def test_wrong_weights_are_refused_wherever_records_are(tmp_path):
    pq.write_table(pa.table({"a": ["p"], "w": [-1.0]}), tmp_path / "t.parquet")
    with pytest.raises(InputError, match="must be above 0"):
        tabulate(ta.scan(tmp_path / "t.parquet", roles={"w": "weight"}), ["a"])


# -- what the data may be ------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "microdata"])
def test_data_frames_are_tabulated_like_microdata(kind):
    rows = pa.table({"town": ["a", "a", "b"], "records": [5, 2, 4]})
    data = {
        "pandas": rows.to_pandas(),
        "polars": pl.from_arrow(rows),
        "pyarrow": rows,
        "microdata": ta.read(rows),
    }[kind]
    assert ta.tabulate(data, ["town"], value="records").cells.value.tolist() == [11, 7, 4]


def test_an_ordered_column_of_a_frame_keeps_its_order():
    sizes = pd.Categorical(["small", "large"], categories=["small", "large"], ordered=True)
    table = tabulate(pd.DataFrame({"size": sizes}), ["size"])
    assert table.dimensions[0].codes == ("Total", "small", "large")


@pytest.mark.parametrize("data", ["firms.csv", Path("firms.csv")])
def test_a_path_is_to_be_read_first(data):
    with pytest.raises(InputError, match=r"found the path 'firms.csv'. Read it first"):
        tabulate(data, ["town"])


def test_what_is_no_data_is_refused():
    with pytest.raises(InputError, match="found NoneType"):
        tabulate(None, ["town"])


def test_attributes_may_come_one_by_one():
    data = pa.table({"town": ["a", "b"]})
    assert len(tabulate(data, (name for name in ["town"]))) == 3


# -- hierarchies as people say them --------------------------------------------------------------


def test_a_hierarchy_is_said_like_anywhere_else(tmp_path):
    data = pa.table({"town": ["a", "b", "c"]})
    file = tmp_path / "coast.csv"
    file.write_text("a;sea;all\nb;sea;all\nc;land;all\n")
    tree = Tree.from_nested({"all": {"sea": ["a", "b"], "land": ["c"]}})
    said = [tree, [tree], {"tree": {"all": {"sea": ["a", "b"], "land": ["c"]}}}, file, [str(file)]]
    found = {
        tabulate(data, ["town"], hierarchies={"town": one}).dimensions[0].codes for one in said
    }
    assert found == {("all", "sea", "a", "b", "land", "c")}


def test_what_is_no_hierarchy_is_refused():
    with pytest.raises(HierarchyError, match="should be a hierarchy, the path of its file"):
        tabulate(pa.table({"town": ["a"]}), ["town"], hierarchies={"town": 5})


# -- blanks --------------------------------------------------------------------------------------


def test_blanks_for_several_reasons_may_share_a_code():
    data = ta.read(pa.table({"town": ["a", None, None], "pay": [1, 2, 4]}))
    town = data.attributes["town"]
    meaning = replace(town.meaning, missing_codes=("99",))
    data = replace(
        data,
        attributes={**data.attributes, "town": replace(town, meaning=meaning)},
        missing_reasons={"town": np.array([0, 0, 1], np.int8)},
    )
    table = tabulate(data, ["town"], value="pay")
    assert [table.codes_of(row) for row in range(len(table))] == [("Total",), ("a",), ("99",)]
    assert table.cells.value.tolist() == [7, 1, 6]
    assert table.cells.largest[2].tolist() == [4, 2, 0]


def test_a_value_that_is_spelled_like_a_blank_is_refused():
    data = pa.table({"town": ["(missing)", "a", None]})
    with pytest.raises(InputError, match=r"holds the value '\(missing\)', .* code of its blanks"):
        tabulate(data, ["town"])
    assert tabulate(data, ["town"], missing="exclude").cells.value.tolist() == [2, 1, 1]


# -- empty cells and requests --------------------------------------------------------------------


def test_a_percentage_of_nothing_is_unknown_in_empty_cells_too():
    data = pa.table({"town": ["a", "b"], "sex": ["f", "m"], "pay": [5, 0]})
    table = tabulate(
        data,
        ["town", "sex"],
        value="pay",
        statistic="percentage",
        denominator="town",
        empty="possible",
    )
    assert np.isnan(cell(table, town="a", sex="m"))
    assert cell(table, town="b", sex="f") == 0


def test_without_requests_nothing_is_known_of_who_asked():
    data = pa.table({"town": ["a", "b"], "pay": [5, 3], "asks": ["1", "0"]})
    assert np.isnan(tabulate(data, ["town"], value="pay").cells.asked).all()
    asked = tabulate(data, ["town"], value="pay", request="asks", empty="possible").cells.asked
    assert asked.tolist() == [[5, 0], [5, 0], [0, 0]]


def test_requests_in_codes_that_nobody_named_are_refused():
    data = pa.table({"town": ["a", "b"], "pay": [5, 3], "asks": ["yes", "no"]})
    with pytest.raises(InputError, match="`asks` should be 1 or 2 where protection is asked for"):
        tabulate(data, ["town"], value="pay", request="asks")
    for codes in (["yes"], ["never"]):
        tabulate(data, ["town"], value="pay", request="asks", request_codes=codes)
    nobody = data.set_column(2, "asks", pa.array(["0", None]))
    assert not tabulate(nobody, ["town"], value="pay", request="asks").cells.asked.any()

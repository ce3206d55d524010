"""One suite for every engine: the same questions, the same answers."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.engines import open_records
from tacita.engines.records import in_order
from tacita.engines.weights import sum_weights
from tacita.errors import InputError, OutputError, ParameterError, TacitaError

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")

# What an engine cannot do, and what it says then. Everything else holds on all of them.
GAPS = {
    ("spark", "reads_arrow_files"): "Spark does not read Arrow files",
    ("spark", "keeps_nanoseconds"): "Spark keeps neither nanoseconds nor time zones",
    ("spark", "keeps_time_zones"): "Spark keeps neither nanoseconds nor time zones",
    ("spark", "keeps_line_ends_inside_quotes"): "Spark would change line ends inside quotes",
    ("duckdb", "writes_time_zones"): "DuckDB writes times with a zone as UTC; leave it out",
    ("spark", "writes_time_zones"): "Spark keeps neither nanoseconds nor time zones",
    ("duckdb", "tells_case_apart"): "differ only in case",
    ("spark", "tells_case_apart"): "differ only in case",
}
EXAMPLES = {"memory": 20, "duckdb": 12}

NAN = float("nan")
COLUMNS = {
    "age": (pa.int16(), [0, 1, -5, 32767, None]),
    'say "x"': (pa.float64(), [0.0, -0.0, 1.5, NAN, 1e300, None]),
    "zip`": (pa.string(), ["", "01", "1", "é", 'q"q', "a,b", " x ", "l\nm", "NA", None]),
    "dot.ted": (pa.bool_(), [True, False, None]),
    "b irth": (pa.date32(), [dt.date(1964, 9, 27), dt.date(1800, 1, 1), None]),
    "pay": (pa.decimal128(9, 2), [Decimal("1.10"), Decimal("-0.01"), None]),
    "small": (pa.float32(), [0.1, -0.0, 0.0, NAN, None]),
    "seen": (pa.timestamp("us"), [dt.datetime(2020, 1, 2, 3, 4, 5, 678_901), None]),
}
KEYS = list(COLUMNS)
WEIGHTS = st.floats(2**-8, 2**31)


@st.composite
def tables(draw):
    """Some records with every kind of value, and weights."""
    size = draw(st.integers(0, 12))
    columns = {
        name: pa.array(draw(st.lists(st.sampled_from(values), min_size=size, max_size=size)), kind)
        for name, (kind, values) in COLUMNS.items()
    }
    weights = draw(st.lists(WEIGHTS, min_size=size, max_size=size))
    return pa.table({**columns, "w": pa.array(weights, pa.float64())})


def many_cases(size=120):
    """One table in which most combinations of two or three values occur, some often."""
    rng = np.random.default_rng(5)
    columns = {
        name: pa.array([values[i] for i in rng.integers(0, len(values), size)], kind)
        for name, (kind, values) in COLUMNS.items()
    }
    return pa.table({**columns, "w": rng.uniform(2**-8, 2**31, size)})


@pytest.fixture
def explore(engine, law_settings):
    """A function that tries a law on generated tables.

    On Spark, where a question takes long, it tries one large table instead.
    """

    def tried(law):
        if engine == "spark":
            law(many_cases(), {"small", 'say "x"', "dot.ted"})
            law(many_cases(), {"zip`", "pay", "b irth"})
            return
        keys = st.sets(st.sampled_from(KEYS), min_size=1)
        law_settings(EXAMPLES[engine])(given(tables(), keys)(law))()

    return tried


@pytest.fixture(scope="module")
def stored(tmp_path_factory, opened):
    """A function that stores a table as a folder of two files and opens it."""

    def store(table):
        folder = tmp_path_factory.mktemp("records")
        middle = len(table) // 2
        pq.write_table(table.slice(0, middle), folder / "a.parquet")
        pq.write_table(table.slice(middle), folder / "b.parquet")
        return opened(folder)

    return store


def same(value):
    """A value as it is compared: what is not a number is blank, and there is one zero."""
    if isinstance(value, float):
        return None if math.isnan(value) else value + 0.0
    return value


def rows(table, names=None):
    """The rows of a table, in no order."""
    names = names or table.column_names
    return Counter(tuple(same(row[name]) for name in names) for row in table.to_pylist())


PEOPLE = pa.table(
    {
        "age": pa.array([30, 30, 41, 41, None, 30], pa.int32()),
        "zip": ["94138", "94138", "94141", "94142", None, "94138"],
        "sick": ["flu", "hiv", "flu", "flu", "flu", "flu"],
        "w": [1.5, 2.5, 1.0, 1.0, 1.0, 0.1],
    }
)


@pytest.fixture(scope="module")
def people(stored):
    """Six persons, on the engine."""
    return stored(PEOPLE)


# -- counting --------------------------------------------------------------------------------------


@pytest.mark.law
def test_classes_are_counted_as_by_hand(stored, explore):
    def law(table, chosen):
        keys = sorted(chosen)
        counted = stored(table).classes(keys).to_arrow()
        found = {tuple(row[k] for k in keys): row["count"] for row in counted.to_pylist()}
        assert len(found) == counted.num_rows
        assert found == dict(rows(table, keys))
        expected = [(k, COLUMNS[k][0]) for k in keys] + [("count", pa.int64())]
        assert counted.schema == pa.schema(expected)

    explore(law)


@pytest.mark.law
def test_weights_add_up_in_any_order(stored, explore):
    def law(table, chosen):
        keys = sorted(chosen)
        counted = stored(table).classes(keys, weight="w").to_arrow()
        exact = Counter()
        for row in table.to_pylist():
            exact[tuple(same(row[k]) for k in keys)] += Fraction(row["w"])
        for row in counted.to_pylist():
            total = exact[tuple(row[k] for k in keys)]
            assert abs(Fraction(row["weight"]) - total) <= total / 2**51

    explore(law)


def test_sums_of_weights_are_the_same_on_every_engine(stored):
    weights = np.random.default_rng(3).uniform(0.001, 3000, 20_000)
    ids = np.arange(20_000) % 3
    table = pa.table({"k": ids, "w": weights})
    back = table.take(pa.array(range(len(table) - 1, -1, -1)))
    sums = [in_order(stored(t).classes(["k"], weight="w").to_arrow(), ["k"]) for t in (table, back)]
    assert sums[0].equals(sums[1])
    assert sums[0].column("weight").to_pylist() == sum_weights(ids, weights, 3).tolist()
    for i, total in enumerate(sums[0].column("weight").to_pylist()):
        assert total == pytest.approx(math.fsum(weights[i::3]), rel=2**-51, abs=0)


def test_a_histogram_lists_values_in_order(people):
    found = people.histogram("zip")
    assert found.to_pylist() == [
        {"value": None, "count": 1},
        {"value": "94138", "count": 3},
        {"value": "94141", "count": 1},
        {"value": "94142", "count": 1},
    ]
    by = people.histogram("sick", by=["age"])
    assert by.column_names == ["age", "value", "count"]
    assert [tuple(row.values()) for row in by.to_pylist()] == [
        (None, "flu", 1),
        (30, "flu", 2),
        (30, "hiv", 1),
        (41, "flu", 2),
    ]


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
def test_what_is_not_a_number_is_blank_whatever_the_statistics_show(opened, tmp_path, kind):
    table = pa.table({"x": pa.array([1.5, 2.5, NAN, None], kind)})
    pq.write_table(table, tmp_path / "a.parquet")
    assert opened(tmp_path / "a.parquet").histogram("x").to_pylist() == [
        {"value": None, "count": 2},
        {"value": 1.5, "count": 1},
        {"value": 2.5, "count": 1},
    ]


def test_classes_are_records_in_turn(people):
    sizes = people.classes(["age", "zip"]).histogram("count")
    assert sizes.to_pylist() == [{"value": 1, "count": 3}, {"value": 3, "count": 1}]
    assert people.classes(["age"]).count() == 3


def test_no_records(stored):
    none = stored(PEOPLE.slice(0, 0))
    assert none.count() == 0
    assert none.classes(["age"], weight="w").to_arrow().num_rows == 0
    assert none.at_least(2, ["age"]).to_arrow().equals(PEOPLE.slice(0, 0))


# -- recoding --------------------------------------------------------------------------------------


@pytest.mark.law
def test_recoding_then_counting_is_counting_then_merging(stored, explore):
    def law(table, chosen):
        keys = sorted(chosen)
        records = stored(table)
        classes = records.classes(keys).to_arrow()
        labels = [f"group {i % 2}" if i % 3 else None for i in range(len(classes))]
        after = pa.table({keys[0]: pa.array(labels, pa.string()), "new": range(len(classes))})
        recoded = records.recode(classes.select(keys), after)
        assert recoded.names == [*table.column_names, "new"]
        merged = Counter()
        for label, row in zip(labels, classes.to_pylist(), strict=True):
            merged[label] += row["count"]
        counted = recoded.classes([keys[0]]).to_arrow().to_pylist()
        assert {row[keys[0]]: row["count"] for row in counted} == merged
        kept = [name for name in table.column_names if name != keys[0]]
        assert rows(recoded.select(kept).to_arrow()) == rows(table, kept)

    explore(law)


def test_a_mapping_replaces_and_adds(people):
    before = pa.table({"zip": ["94138", "94141", "94142", None], "age": [30, 41, 41, None]})
    after = pa.table({"zip": ["941**", "941**", "941**", None], "area": [1, 2, 2, 0]})
    found = people.recode(before, after)
    assert found.names == ["age", "zip", "sick", "w", "area"]
    expected = [(30, "941**", 1)] * 3 + [(41, "941**", 2)] * 2 + [(None, None, 0)]
    assert rows(found.to_arrow(), ["age", "zip", "area"]) == Counter(expected)


def test_a_combination_without_a_row_is_refused_or_becomes_blank(people):
    before, after = pa.table({"zip": ["94138", "94141", None]}), pa.table({"zip": ["a", "b", "c"]})
    with pytest.raises(InputError, match="no row for zip = 94142, which some records hold"):
        people.recode(before, after)
    blank = people.recode(before, after, complete=True).histogram("zip").to_pylist()
    assert blank[0] == {"value": None, "count": 1}


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ({"age": [30, 30]}, {"age": [1, 2]}, "age = 30 is there more than once"),
        ({"age": [None, None]}, {"age": [1, 2]}, "age = blank is there more than once"),
        ({"age": [30]}, {"age": [1, 2]}, "as many rows before as after; found 1 and 2"),
        ({"age": ["young"]}, {"age": [1]}, "holds string, and some of it cannot be int32"),
        ({"agee": [30]}, {"age": [1]}, "no attribute `agee` in the data. Did you mean `age`"),
        ({"age": [30]}, {"age": [["x"]]}, "makes `age` of list"),
        ({"age": [30]}, {}, "at least one attribute before and one after"),
    ],
)  # fmt: skip
def test_what_is_no_mapping(people, before, after, message):
    with pytest.raises(InputError, match=message):
        people.recode(pa.table(before), pa.table(after))


WHOLE = [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(), pa.int8(), pa.int16()]


def test_whole_numbers_of_every_type_are_mapped(stored):
    highest = {k: 2 ** (k.bit_width - pa.types.is_signed_integer(k)) - 1 for k in WHOLE}
    before = pa.table({str(k): pa.array([0, highest[k], None], k) for k in WHOLE})
    after = pa.table({str(k): pa.array([highest[k], 0, None], k) for k in WHOLE})
    named = after.append_column("name", pa.array(["low", "high", "none"]))
    found = stored(before).recode(before, named).to_arrow()
    assert found.schema == named.schema
    assert rows(found) == rows(named)


def test_days_are_mapped(stored):
    day = dt.date(2020, 2, 29)
    after = pa.table({"born": pa.array([day] * 3, pa.date64())})
    found = stored(PEOPLE).recode(pa.table({"age": [30, 41, None]}), after).to_arrow()
    assert found.schema.field("born").type == pa.date32()
    assert set(found.column("born").to_pylist()) == {day}


@pytest.mark.parametrize(
    ("ability", "kind"),
    [("keeps_nanoseconds", pa.timestamp("ns")), ("keeps_time_zones", pa.timestamp("us", "UTC"))],
)
def test_times_are_mapped(engine, people, ability, kind):
    times = pa.table({"t": pa.array([1, 2, 1_600_000_000_000_001], kind)})
    before = pa.table({"age": [30, 41, None]})
    if not _has_gap(engine, ability, lambda: people.recode(before, times)):
        found = people.recode(before, times).classes(["t"]).to_arrow()
        assert in_order(found, ["t"]).column("t").cast(kind).equals(times.column("t"))


@pytest.mark.law
def test_small_classes_are_dropped(stored, explore):
    def law(table, chosen):
        keys = sorted(chosen)
        sizes = rows(table, keys)
        kept = stored(table).at_least(2, keys).to_arrow()
        large = [sizes[tuple(same(row[k]) for k in keys)] >= 2 for row in table.to_pylist()]
        assert rows(kept) == rows(table.filter(pa.array(large, pa.bool_())))

    explore(law)


# -- in and out ------------------------------------------------------------------------------------


@pytest.mark.law
def test_what_is_written_reads_back(stored, tmp_path_factory, explore):
    def law(table, _):
        folder = tmp_path_factory.mktemp("out")
        records = stored(table)
        records.write(folder / "out.parquet")
        back = open_records(folder / "out.parquet", "memory")
        assert back.schema == table.schema
        assert rows(back.to_arrow()) == rows(table)

    explore(law)


@pytest.mark.law
def test_text_that_is_written_reads_back(stored, opened, tmp_path_factory, explore):
    names = ["age", "zip`", "dot.ted", "b irth", "pay", "small", "seen"]

    def law(table, chosen):
        folder = tmp_path_factory.mktemp("out")
        kept = sorted(chosen & set(names)) or ["age"]
        stored(table).select(kept).write(folder / "out.csv")
        open_records(_whole(table, folder), "memory").select(kept).write(folder / "memory.csv")
        expected = open_records(folder / "memory.csv", "memory").to_arrow()
        assert len(expected) == len(table)
        assert rows(opened(folder / "out.csv").to_arrow()) == rows(expected)
        assert rows(open_records(folder / "out.csv", "memory").to_arrow()) == rows(expected)

    explore(law)


def _whole(table, folder):
    pq.write_table(table, folder / "whole.parquet")
    return folder / "whole.parquet"


def test_numbers_written_as_text_are_the_same_numbers(stored, tmp_path):
    numbers = [0.1, 1e300, -5e-324, 123456789.123456789, 2.0, NAN, None]
    schema = pa.schema([("n", pa.int64()), ("x", pa.float64())])
    stored(pa.table({"n": range(7), "x": numbers}, schema)).write(tmp_path / "out.csv")
    out = tmp_path / "out.csv"
    parts = [ta.read(part).to_arrow() for part in (out.iterdir() if out.is_dir() else [out])]
    read = pa.concat_tables([part.cast(schema) for part in parts])
    assert in_order(read, ["n"]).column("x").to_pylist() == [*numbers[:5], None, None]


def test_fields_of_a_text_file_stay_as_written(opened, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b'zip;age;"a,b"\n01234; 5 ;"x""y"\n;NA;""\n1e3;1_000;"l\r\nm"\n')
    assert opened(path).to_arrow().to_pylist() == [
        {"zip": "01234", "age": " 5 ", "a,b": 'x"y'},
        {"zip": None, "age": "NA", "a,b": None},
        {"zip": "1e3", "age": "1_000", "a,b": "l\r\nm"},
    ]


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.csv", b'a\nx\n\n""\n\ny\n', [("x",), (None,), ("y",)]),
        ("a.csv", b"a\r\nx\r\n \r\n\r\n", [("x",), (" ",)]),
        ("a.csv", b'a\n\n"1\n2"\n\n', [("1\n2",)]),
        ("a.csv", b"a,b\n\n1,2\n\n", [("1", "2")]),
        ("a.tsv", b"a\tb\n1\t2\n\t\n \t \n", [("1", "2"), (None, None), (" ", " ")]),
        ("a.csv", b'a,b\r\n1,"2\n3"\r\n', [("1", "2\n3")]),
        ("a.csv", b'a,b\n1,"2\r3"\n4,"5\r\n6"\n', [("1", "2\r3"), ("4", "5\r\n6")]),
        ("a.csv", b'a,b\n#x,\\\n"a\\""b","#"\n', [("#x", "\\"), ('a\\"b', "#")]),
        ("a.csv", b'a,b\n"' + b"x" * 3_000_000 + b'",1\n', [("x" * 3_000_000, "1")]),
    ],
)  # fmt: skip
def test_text_files_are_read_alike(opened, tmp_path, name, content, expected):
    (tmp_path / name).write_bytes(content)
    assert rows(opened(tmp_path / name).to_arrow()) == Counter(expected)


@pytest.mark.parametrize("end", [b"\r\n", b"\r"])
def test_line_ends_inside_quotes(engine, opened, tmp_path, end):
    path = tmp_path / "a.csv"
    path.write_bytes(b'a,b\n1,"2\n3"\n'.replace(b"\n", end))
    if not _has_gap(engine, "keeps_line_ends_inside_quotes", lambda: opened(path)):
        assert opened(path).to_arrow().to_pylist() == [{"a": "1", "b": f"2{end.decode()}3"}]


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a")])
def test_columns_without_a_type_are_blank(opened, tmp_path, names):
    typed = pa.table({"n`": ["u", "v"], "k": [1, 2]})
    blank = pa.table({"n`": pa.nulls(2), "k": [3, 4]})
    for name, table in zip(names, (typed, blank), strict=True):
        pq.write_table(table, tmp_path / f"{name}.parquet")
    expected = [("u", 1), ("v", 2), (None, 3), (None, 4)]
    assert rows(opened(tmp_path).to_arrow()) == Counter(expected)
    alone = opened(tmp_path / f"{names[1]}.parquet")
    assert alone.histogram("n`").to_pylist() == [{"value": None, "count": 2}]


def test_names_that_look_like_patterns(opened, tmp_path):
    folder = tmp_path / "year=2020 [x]*?{a}"
    folder.mkdir()
    pq.write_table(PEOPLE, folder / "a'b[1]*.parquet")
    pq.write_table(PEOPLE, folder / "a'b11.parquet")
    assert opened(folder / "a'b[1]*.parquet").to_arrow().equals(PEOPLE)
    assert opened(folder).count() == 12
    assert opened(folder).names == PEOPLE.column_names


def test_a_pattern(opened, tmp_path):
    for name in ("a1.parquet", "a2.pq", "b1.parquet"):
        pq.write_table(PEOPLE, tmp_path / name)
    assert opened(tmp_path / "a*").count() == 12


@pytest.mark.parametrize("name", ["out.parquet", "out.csv"])
def test_what_was_written_before_is_replaced(stored, tmp_path, name):
    target = tmp_path / name
    stored(PEOPLE).write(target)
    stored(PEOPLE.slice(2)).write(target)
    assert open_records(target, "memory").count() == 4
    assert sorted(tmp_path.iterdir()) == [target]


def test_records_can_be_written_where_they_lie(opened, stored, tmp_path):
    stored(PEOPLE).write(tmp_path / "out.parquet")
    opened(tmp_path / "out.parquet").at_least(2, ["zip"]).write(tmp_path / "out.parquet")
    assert open_records(tmp_path / "out.parquet", "memory").count() == 3


def test_arrow_files(engine, opened, tmp_path):
    path = tmp_path / "a.feather"
    pyarrow.feather.write_feather(PEOPLE, str(path), compression="lz4")
    if not _has_gap(engine, "reads_arrow_files", lambda: opened(path)):
        assert opened(path).to_arrow().equals(PEOPLE)
        assert opened(path).classes(["age"]).count() == 3


@pytest.mark.parametrize(
    ("ability", "kind"),
    [("keeps_nanoseconds", pa.timestamp("ns")), ("keeps_time_zones", pa.timestamp("us", "UTC"))],
)
def test_times(engine, stored, ability, kind):
    table = pa.table({"t": pa.array([None, 1, 1_600_000_000_000_001], pa.int64()).cast(kind)})
    if not _has_gap(engine, ability, lambda: stored(table)):
        assert in_order(stored(table).to_arrow(), ["t"]).equals(table)


def test_time_zones_are_written_or_refused(engine, stored, tmp_path):
    table = pa.table({"t": pa.array([0, 3_600_000_000], pa.timestamp("us", "Europe/Berlin"))})
    target = tmp_path / "out.parquet"
    if not _has_gap(engine, "writes_time_zones", lambda: stored(table).write(target)):
        stored(table).write(target)
        assert pq.read_table(target).equals(table)


def test_names_that_differ_in_case(engine, stored):
    table = pa.table({"a": [1], "A": [2]})
    if not _has_gap(engine, "tells_case_apart", lambda: stored(table)):
        assert stored(table).to_arrow().equals(table)


def _has_gap(engine, ability, attempt):
    """Tell whether an engine cannot do something, and make sure that it says so."""
    if (engine, ability) not in GAPS:
        return False
    with pytest.raises((InputError, OutputError), match=GAPS[engine, ability]):
        attempt()
    return True


# -- what a person can get wrong -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "error", "message"),
    [
        (lambda r: r.classes(["agee"]), InputError, "no attribute `agee`.*Did you mean `age`"),
        (lambda r: r.classes([]), InputError, "none was given"),
        (lambda r: r.classes(["age", "age"]), InputError, "named twice"),
        (
            lambda r: r.classes(["age"], weight="sick"),
            InputError,
            "must hold numbers; it holds str",
        ),
        (lambda r: r.histogram("sik"), InputError, "Did you mean `sick`"),
        (lambda r: r.without(["zipp"]), InputError, "Did you mean `zip`"),
        (lambda r: r.select(["zipp"]), InputError, "Did you mean `zip`"),
        (lambda r: r.select([]), InputError, "none would be left"),
        (lambda r: r.at_least(2, []), InputError, "none was given"),
        (lambda r: r.at_least(0, ["age"]), ParameterError, "1 or more; found 0"),
    ],
)
def test_questions_that_cannot_be_answered(people, question, error, message):
    with pytest.raises(error, match=message):
        question(people)


def test_weights_that_are_none(stored):
    wrong = {"a": None, "b": 0.0, "c": -1.0, "d": NAN, "e": math.inf, "f": 3e9}
    records = stored(pa.table({name: pa.array([1.0, value]) for name, value in wrong.items()}))
    for name in wrong:
        with pytest.raises(InputError, match=rf"must be above 0.*`{name}` is "):
            records.classes(["a"], weight=name)


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1.0, NAN], "is not a number in some"),
        ([1.0, 2.0, NAN], "is not a number in some"),
        ([1.0, None], "is blank in some"),
    ],
)
def test_a_weight_that_the_statistics_of_a_file_do_not_show(opened, tmp_path, values, found):
    table = pa.table({"k": [1] * len(values), "w": pa.array(values, pa.float64())})
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(InputError, match=f"must be above 0.*`w` {found} records"):
        opened(tmp_path / "a.parquet").classes(["k"], weight="w")


def test_an_attribute_named_as_the_counts_are(stored):
    table = pa.table({"count": [1, 1], "value": [1, 2]})
    with pytest.raises(InputError, match="has the name of a column that counting makes"):
        stored(table).classes(["count"])
    assert stored(table).histogram("count").to_pylist() == [{"value": 1, "count": 2}]


@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_any_name_of_a_folder_can_be_written_and_read(people, opened, tmp_path, suffix):
    folder = tmp_path / "50% of a%20b #1 [x] {y} ?*"
    folder.mkdir()
    target = folder / f"out{suffix}"
    people.write(target)
    assert opened(target).count() == people.count()
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]
    assert [path.name for path in folder.iterdir()] == [target.name]


@pytest.mark.parametrize("name", ["out.xlsx", "missing/out.parquet", "folder.csv"])
def test_places_that_cannot_be_written(people, tmp_path, name):
    (tmp_path / "folder.csv" / "inner").mkdir(parents=True)
    with pytest.raises(OutputError) as caught:
        people.write(tmp_path / name)
    assert ".tacita-" not in str(caught.value)
    assert "cannot do this" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.csv"]


def test_names_that_a_header_cannot_hold(engine, stored, tmp_path):
    records = stored(pa.table({"a;b": [1], "c": [2]}))
    if engine == "memory":
        records.write(tmp_path / "a.csv")  # it quotes the whole header
        assert open_records(tmp_path / "a.csv", "memory").names == ["a;b", "c"]
        return
    with pytest.raises(OutputError, match="`a;b` holds a character that parts fields"):
        records.write(tmp_path / "a.csv")
    assert not list(tmp_path.iterdir())


def test_a_file_damaged_inside(engine, opened, tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"n": [str(i) for i in range(100_000)]}), path, compression="zstd")
    whole = path.read_bytes()
    path.write_bytes(whole[:500] + bytes(60_000) + whole[60_500:])
    with pytest.raises(TacitaError) as caught:
        opened(path).classes(["n"]).to_arrow()
    assert "\n" not in str(caught.value)
    assert "awaitResult" not in str(caught.value)

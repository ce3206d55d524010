"""What holds of every database: exact round trips, safe names, queries that only read."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from itertools import count

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.data.formats import Layout, read_contents, read_table, write_table
from tacita.data.formats.sql import complaint
from tacita.errors import InputError, OutputError

Place = tuple[str, str]
DATABASES = ["duckdb", "sqlite", "postgresql"]
INJECTIONS = [
    'people"; DROP TABLE people; --',
    "people; DROP TABLE people",
    "people' OR '1'='1",
    "main.people.name",
    "",
    ".",
    "people\0",
    "p" * 10_000,
]


@pytest.fixture(scope="module", params=DATABASES)
def database(request, tmp_path_factory) -> Callable[[], Place]:
    """A function that gives a database and the name of a table that is not in it yet."""
    numbers = count()
    folder = tmp_path_factory.mktemp("databases")
    if request.param != "postgresql":
        return lambda: (str(folder / f"{next(numbers)}.{request.param}"), "people")
    server = request.getfixturevalue("postgresql_server")
    return lambda: (server.address(), f"people {next(numbers)}")


# -- round trips -----------------------------------------------------------------------------------

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
MOMENTS = st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30))
VALUES = {
    **{
        kind: st.integers(-(2 ** (kind.bit_width - 1)), 2 ** (kind.bit_width - 1) - 1)
        for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64())
    },
    pa.uint8(): st.integers(0, 2**8 - 1),
    pa.uint32(): st.integers(0, 2**32 - 1),
    pa.float32(): st.floats(width=32, allow_nan=False),
    pa.float64(): st.floats(allow_nan=False),
    pa.string(): TEXT | st.sampled_from(["", "NULL", "'", '"', "\\", "a\r\nb", "😀", "1", "1.0"]),
    pa.bool_(): st.booleans(),
    pa.date32(): st.dates(),
    pa.timestamp("us"): MOMENTS,
    pa.timestamp("us", "UTC"): MOMENTS.map(lambda moment: moment.replace(tzinfo=dt.UTC)),
    pa.decimal128(15, 4): st.decimals(-(10**11) + 1, 10**11 - 1, places=4),
}
LISTS = {
    pa.list_(kind): st.lists(st.none() | VALUES[kind], max_size=4)
    for kind in (pa.string(), pa.int32(), pa.int64(), pa.float64(), pa.bool_(), pa.date32())
} | {
    pa.time64("us"): st.times(),
    pa.decimal128(38, 10): st.decimals(-(10**27), 10**27, places=10),
}
NAMES = st.sampled_from(
    [
        "select",
        "odd name",
        'a "quoted" one',
        "it's",
        "naïve",
        "名前",
        "x;--",
        "a.b",
        "rowid",
        "table",
    ]
) | TEXT.filter(lambda name: name.strip() and len(name.encode()) < 64)


@st.composite
def tables(draw: st.DrawFn, values: dict[pa.DataType, st.SearchStrategy]) -> pa.Table:
    names = draw(st.lists(NAMES, min_size=1, max_size=9, unique_by=str.lower))
    size = draw(st.integers(0, 6))
    columns = []
    for _ in names:
        kind = draw(st.sampled_from(list(values)))
        cells = draw(st.lists(st.none() | values[kind], min_size=size, max_size=size))
        columns.append(pa.array(cells, kind))
    return pa.table(columns, names=names)


def read_back(table: pa.Table, place: Place) -> pa.Table:
    write_table(table, place[0], table=place[1])
    return read_table(place[0], table=place[1])


@given(data=st.data())
@settings(max_examples=15)
def test_what_is_written_reads_back(database, data):
    place = database()
    has_lists = not place[0].endswith("sqlite")
    table = data.draw(tables(VALUES | LISTS if has_lists else VALUES))
    back = read_back(table, place)
    assert back.column_names == table.column_names
    assert back.cast(table.schema).equals(table)  # a wider type may hold the same numbers


def test_the_types_that_come_back(database):
    place = database()
    kept = {
        "whole": pa.array([2**62, None], pa.int64()),
        "float": pa.array([float("-inf"), 0.1]),
        "text": ["", None],
        "truth": [True, None],
        "day": [dt.date(1900, 2, 28), None],
        "time": pa.array([dt.datetime(2020, 2, 29, 23, 59, 59, 999_999), None], pa.timestamp("us")),
        "instant": pa.array([dt.datetime(1, 1, 1, tzinfo=dt.UTC), None], pa.timestamp("us", "UTC")),
        "money": pa.array([Decimal("-0.05"), None], pa.decimal128(15, 2)),
    }
    assert read_back(pa.table(kept), place).schema.equals(pa.table(kept).schema)


def test_a_table_without_records_keeps_its_types(database):
    types = [pa.int64(), pa.float64(), pa.string(), pa.bool_(), pa.date32(), pa.timestamp("us")]
    empty = pa.schema([(str(kind), kind) for kind in types]).empty_table()
    assert read_back(empty, database()).equals(empty)


def test_what_has_no_value_or_is_a_category_is_text(database):
    table = pa.table({"none": pa.nulls(2), "kind": pa.array(["u", "v"]).dictionary_encode()})
    wanted = pa.table({"none": pa.array([None, None], pa.string()), "kind": ["u", "v"]})
    assert read_back(table, database()).equals(wanted)


def test_many_records_keep_their_order(database):
    numbers = [(7919 * n) % 20_011 for n in range(20_011)]
    table = pa.table({"n": numbers, "s": [None] * 20_010 + ["late"]})
    assert read_back(table, database()).equals(table)


# -- what cannot be held ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (pa.array([b"x"]), "`c` holds binary"),
        (pa.array([{"a": 1}]), "`c` holds struct"),
        (pa.array([[["a"]]]), "`c` holds list"),
        (pa.array([1], pa.duration("s")), r"`c` holds duration\[s\]"),
        (pa.array([0], pa.timestamp("us", "Europe/Vienna")), "`c` holds timestamp.*Europe/Vienna"),
        (pa.array([2_932_897], pa.int32()).cast(pa.date32()), "`c` holds a time outside"),
        (pa.array(["1"]).cast(pa.decimal256(50, 2)), "`c` holds decimal256"),
    ],
)
def test_what_is_refused_on_writing(database, column, told):
    place, name = database()
    with pytest.raises(OutputError, match=told):
        write_table(pa.table({"c": column}), place, table=name)


# -- names -----------------------------------------------------------------------------------------


PEOPLE = pa.table({"name": ["ana", "ben"], "age": [30, 40]})


@pytest.fixture(scope="module")
def people(database) -> Place:
    """A table that no test may change."""
    place = database()
    write_table(PEOPLE, place[0], table=place[1])
    return place


def test_an_injection_is_no_table(people):
    place, real = people
    for name in INJECTIONS:
        with pytest.raises(InputError, match="has no table"):
            read_table(place, table=name)
        with pytest.raises(OutputError, match="Expected the name of a table"):
            write_table(PEOPLE, place, table=name)
    assert read_table(place, table=real).equals(PEOPLE)


def test_messages_stay_short(people):
    with pytest.raises(InputError) as told:
        read_table(people[0], table="p" * 10_000)
    assert len(str(told.value)) < 1_000


def test_a_near_name_is_told(people):
    place, real = people
    with pytest.raises(InputError, match=rf"Did you mean `{real}`\?"):
        read_table(place, table=real.replace("people", "peple"))


def test_a_table_that_exists_is_never_touched(people):
    place, real = people
    for name in (real, real.upper()):
        with pytest.raises(OutputError, match=f"has a table {real} already; choose another name"):
            write_table(pa.table({"other": [1]}), place, table=name)
    assert read_table(place, table=real).equals(PEOPLE)


def test_writing_needs_a_name(database):
    with pytest.raises(OutputError, match="say it with `table`"):
        write_table(pa.table({"a": [1]}), database()[0])


def test_a_second_table_and_which_one_is_read(database):
    place, name = database()
    for other in (name, f"{name} b"):
        write_table(pa.table({"a": [other]}), place, table=other)
    assert read_table(place, table=f"{name} b").to_pydict() == {"a": [f"{name} b"]}
    with pytest.raises(InputError, match=r"exactly one table: it has .*people.*Say which one"):
        read_table(place)


def test_a_column_name_with_a_nul_byte(database):
    place, name = database()
    with pytest.raises(OutputError, match="NUL"):
        write_table(pa.table({"a\0b": [1]}), place, table=name)


# -- queries ---------------------------------------------------------------------------------------


def quoted(people: Place) -> str:
    return f'"{people[1]}"'


@pytest.mark.parametrize("end", ["", " ; \n", " -- done"])
def test_a_query_is_read_in_its_order(people, end):
    query = f"SELECT age, name AS who FROM {quoted(people)} ORDER BY age DESC{end}"  # noqa: S608
    contents = read_contents(people[0], Layout(query=query))
    assert contents.table.to_pydict() == {"age": [40, 30], "who": ["ben", "ana"]}
    assert contents.found == {}


def test_queries_that_begin_otherwise(people):
    query = "WITH old AS (SELECT * FROM {} WHERE age > 35) SELECT name FROM old"
    assert read_table(people[0], query=query.format(quoted(people))).to_pydict() == {
        "name": ["ben"]
    }
    values = read_table(people[0], query="VALUES (1, 'a'), (2, 'b')")
    assert list(values.to_pydict().values()) == [[1, 2], ["a", "b"]]


NO_SELECTS = [
    "SELECT 1; DROP TABLE {}",
    "SELECT 1 AS a) AS records; DROP TABLE {}; --",
    "SELECT 1 AS a); DELETE FROM {}; SELECT (1",
    "DELETE FROM {}",
    "DELETE FROM {} RETURNING *",
    "UPDATE {} SET age = 0",
    "INSERT INTO {} VALUES ('eve', 1)",
    "DROP TABLE {}",
    "CREATE TABLE other AS SELECT 1 AS a",
    "WITH gone AS (DELETE FROM {} RETURNING *) SELECT * FROM gone",
    "COMMIT",
    "",
    ";",
    "SELECT nothing FROM {}",
    "SELEC 1",
    "SELECT 1 AS a) AS records\0",
    "SELECT '\ud800' AS a",
]


def test_queries_that_are_no_select(people):
    place, name = people
    for query in NO_SELECTS:
        with pytest.raises(InputError, match=r"(Cannot read|`query`: expected)") as told:
            read_table(place, query=query.format(quoted(people)))
        assert "\n" not in str(told.value)
    assert read_table(place, table=name).equals(PEOPLE)


def test_a_column_that_a_query_names_twice(people):
    with pytest.raises(
        InputError, match=r"the name `a` is given to (several columns|columns 1 and 2)"
    ):
        read_table(people[0], query="SELECT 1 AS a, 2 AS a")


# -- words -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("NOT_FOUND: Failed to prepare query: ERROR:  no such\nLINE 1: x", "no such"),
        ("IO: [libpq] Execution error [PGRES_FATAL_ERROR]: FATAL:  gone\n. SQLSTATE: 57P01", "gone"),
        ("IO: [libpq] PQgetCopyData() failed: server closed\n\tThis probably", "server closed"),
        ("INVALID_ARGUMENT: [SQLite] Failed to prepare query: near \"x\"\nquery: y", 'near "x"'),
        ("Parser Error: syntax error.", "Parser Error: syntax error"),
        ("", "ValueError"),
    ],
)  # fmt: skip
def test_the_first_line_of_a_complaint(said, told):
    assert complaint(ValueError(said)) == told

"""SQLite: one type a column, declared types, rows in their order."""

from __future__ import annotations

import datetime as dt
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from decimal import Decimal

import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.formats import Layout, read_contents, read_table, write_table
from tacita.errors import InputError, OutputError


@pytest.fixture
def made(tmp_path):
    """A function that runs SQL in a new database and gives its path."""

    def make(*statements: str):
        with closing(sqlite3.connect(tmp_path / "people.sqlite")) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
        return tmp_path / "people.sqlite"

    return make


def column(made, declared: str, *values: str):
    """Read a column of values given as SQL says them."""
    rows = ", ".join(f"({value})" for value in values)
    return read_contents(made(f"CREATE TABLE t (c {declared})", f"INSERT INTO t VALUES {rows}"))  # noqa: S608


@pytest.mark.parametrize(
    ("declared", "values", "kind", "read"),
    [
        ("INTEGER", ["1", "NULL"], pa.int64(), [1, None]),
        ("INTEGER", ["1.5", "2.5"], pa.float64(), [1.5, 2.5]),
        ("REAL", ["1", "NULL"], pa.float64(), [1.0, None]),
        ("VARCHAR(9)", ["1", "''"], pa.string(), ["1", ""]),
        ("", ["'a'", "NULL"], pa.string(), ["a", None]),
        ("", ["NULL"], pa.string(), [None]),
        ("DOUBLE", ["9e999"], pa.float64(), [float("inf")]),
        ("NUMERIC", ["1", "2.5"], pa.float64(), [1.0, 2.5]),
        ("NUMERIC", ["9007199254740993"], pa.int64(), [2**53 + 1]),
        ("DECIMAL(6, 2)", ["1", "2.05"], pa.decimal128(6, 2), [Decimal("1.00"), Decimal("2.05")]),
        ("NUMERIC(5)", ["12345"], pa.decimal128(5, 0), [Decimal(12345)]),
        ("BOOLEAN", ["0", "1", "NULL"], pa.bool_(), [False, True, None]),
        ("DATE", ["'2020-02-29'", "NULL"], pa.date32(), [dt.date(2020, 2, 29), None]),
        ("date", ["NULL"], pa.date32(), [None]),
        ("DATETIME", ["'2020-02-29 12:30:00.5'"], pa.timestamp("us"), [dt.datetime(2020, 2, 29, 12, 30, 0, 500_000)]),
        ("TIMESTAMP", ["'2020-02-29T12:30'"], pa.timestamp("us"), [dt.datetime(2020, 2, 29, 12, 30)]),
        ("TIMESTAMPTZ", ["'2020-02-29 12:30:00+02:00'"], pa.timestamp("us", "UTC"), [dt.datetime(2020, 2, 29, 10, 30, tzinfo=dt.UTC)]),
    ],
)  # fmt: skip
def test_types(made, declared, values, kind, read):
    contents = column(made, declared, *values)
    assert contents.table.column("c").type == kind
    assert contents.table.column("c").to_pylist() == read
    assert contents.warnings == ()


@pytest.mark.parametrize(
    ("declared", "values", "kind"),
    [
        ("DATE", ["'27.09.1964'", "'1964-09-27'"], pa.string()),
        ("DATE", ["'1964-13-27'"], pa.string()),
        ("DATE", ["2459000"], pa.int64()),
        ("TIMESTAMP", ["'noon'"], pa.string()),
        ("BOOLEAN", ["2"], pa.int64()),
        ("BOOLEAN", ["'yes'"], pa.string()),
        ("DECIMAL(6,2)", ["1.005"], pa.float64()),
        ("DECIMAL(3,2)", ["1234.0", "0.5"], pa.float64()),
        ("DECIMAL(6,2)", ["'many'"], pa.string()),
    ],
)
def test_what_does_not_mean_what_is_declared_stays_as_it_is(made, declared, values, kind):
    contents = column(made, declared, *values)
    assert contents.table.column("c").type == kind
    (warning,) = contents.warnings
    assert f"`c` is declared {declared}, but not all of its values are one" in warning


@pytest.mark.parametrize("many", [0, 5000])
@pytest.mark.parametrize(
    ("declared", "first", "other", "kinds"),
    [
        ("", "1", "'x'", "integer, and text"),
        ("", "1.5", "2", "real, and integer"),
        ("INTEGER", "1", "'x'", "integer, and text"),
        ("INTEGER", "1", "1.5", "integer, and real"),
        ("REAL", "1", "'x'", "real, and text"),
        ("TEXT", "1", "x'00'", "text, and blob"),
        ("DATE", "'2020-01-01'", "1", "text, and integer"),
    ],
)
def test_mixed_types(made, declared, first, other, kinds, many):
    values = ["NULL", first, *[first] * many, other]
    with pytest.raises(
        InputError, match=f"`c` mixes types: {kinds} at rowid {many + 3}\\. Correct"
    ):
        column(made, declared, *values)


def test_mixed_types_of_a_query_are_told_by_record(made):
    path = made("CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1), (2), (3)")
    query = "SELECT CASE a WHEN 3 THEN 'x' ELSE a END AS c FROM t"
    with pytest.raises(InputError, match="`c` mixes types: integer, and text at record 3"):
        read_table(path, query=query)
    union = "SELECT CAST(a AS REAL) AS c FROM t UNION ALL SELECT 9007199254740993"
    with pytest.raises(InputError, match="`c` mixes floats and whole numbers as large as 900719"):
        read_table(path, query=union)


def test_a_whole_number_that_no_float_holds(made):
    with pytest.raises(InputError, match="`c` mixes floats and whole numbers as large as 90071"):
        column(made, "NUMERIC", "0.5", "9007199254740993")


def test_values_that_begin_late(made):
    contents = column(made, "TEXT", *["NULL"] * 3000, "'late'")
    assert contents.table.column("c").null_count == 3000
    assert contents.table.column("c")[-1].as_py() == "late"


def test_bytes_are_not_read(made):
    with pytest.raises(InputError, match=r'Column `c` holds BLOB.*hex\("c"\)'):
        column(made, "BLOB", "x'00ff'")


def test_text_that_is_not_utf8(made):
    with pytest.raises(InputError, match="Column `c` holds text that is not UTF-8"):
        column(made, "TEXT", "CAST(x'e9' AS TEXT)")


def test_rows_come_in_their_order_whatever_is_indexed(made):
    path = made(
        "CREATE TABLE t (a INTEGER, b TEXT)",
        "CREATE INDEX all_of_it ON t (b, a)",
        "INSERT INTO t VALUES (1, 'z'), (2, 'y'), (3, 'x')",
    )
    assert read_table(path).column("a").to_pylist() == [1, 2, 3]


def test_tables_of_every_kind(made):
    path = made(
        "CREATE TABLE keyed (k TEXT PRIMARY KEY, n INTEGER) WITHOUT ROWID",
        "INSERT INTO keyed VALUES ('b', 1), ('a', 2)",
        "CREATE VIEW grown AS SELECT n + 1 AS n FROM keyed",
        "CREATE TABLE counted (n INTEGER PRIMARY KEY AUTOINCREMENT, twice AS (n * 2))",
        "INSERT INTO counted DEFAULT VALUES",
    )
    assert read_table(path, table="keyed").to_pydict() == {"k": ["a", "b"], "n": [2, 1]}
    assert read_table(path, table="main.grown").column("n").to_pylist() == [3, 2]
    assert read_table(path, table="counted").to_pydict() == {"n": [1], "twice": [2]}
    with pytest.raises(InputError, match="it has counted, grown, keyed"):
        read_table(path, table="sqlite_sequence")
    for schema in ("temp", "other"):
        with pytest.raises(OutputError, match=f"has no schema '{schema}' for tables"):
            write_table(pa.table({"a": [1]}), path, table=f"{schema}.t")


def test_a_query_keeps_what_columns_are_declared_as(made):
    path = made("CREATE TABLE t (d DATE, b BOOLEAN)", "INSERT INTO t VALUES ('2020-01-01', 1)")
    table = read_table(path, query="SELECT d, b FROM t WHERE b")
    assert table.schema.types == [pa.date32(), pa.bool_()]


@pytest.mark.parametrize("name", ["a b", "50%", "what?", "#1", "naïve"])
def test_a_file_of_any_name(tmp_path, name):
    table = pa.table({"a": [1]})
    write_table(table, tmp_path / f"{name}.sqlite", table="t")
    assert read_table(tmp_path / f"{name}.sqlite").equals(table)


def test_the_only_table_is_found(made):
    path = made("CREATE TABLE t (a)")
    assert read_contents(f"sqlite:///{path}").found == {"table": "t"}
    with pytest.raises(InputError, match="does not hold exactly one table: it has none"):
        read_contents(made("DROP TABLE t"), Layout())


def test_other_statements_do_not_hide_behind_a_select(made):
    path = made("CREATE TABLE t (a)", "INSERT INTO t VALUES (1)")
    with pytest.raises(InputError, match="expected one SELECT; found more statements"):
        read_table(path, query='SELECT 1 AS a) AS "records"; DELETE FROM t; --')
    with pytest.raises(InputError, match='near ";": syntax error'):
        read_table(path, query="SELECT 1; ATTACH 'other.sqlite' AS other")


@pytest.mark.parametrize(
    ("query", "name"), [("SELECT a, b, a FROM t", "a"), ("SELECT a, b, 3 AS A FROM t", "A")]
)
def test_repeated_names_of_a_query_are_refused(made, query, name):
    path = made("CREATE TABLE t (a INTEGER, b INTEGER)", "INSERT INTO t VALUES (1, 2)")
    with pytest.raises(InputError, match=f"the name `{name}` is given to several columns"):
        read_table(path, query=query)


def test_names_that_look_repeated_are_read(made):
    path = made('CREATE TABLE t (a INTEGER, "a:1" TEXT)', "INSERT INTO t VALUES (1, 'x')")
    assert read_table(path, query="SELECT * FROM t").to_pydict() == {"a": [1], "a:1": ["x"]}


def test_databases_that_cannot_be_opened(tmp_path):
    with pytest.raises(InputError, match=r"There is no database .*missing\.sqlite"):
        read_table(f"sqlite:///{tmp_path}/missing.sqlite")
    (tmp_path / "text.sqlite").write_text("a,b\n" * 5000)
    with pytest.raises(InputError, match=r"text\.sqlite: file is not a database"):
        read_table(tmp_path / "text.sqlite")
    with pytest.raises(OutputError, match=r"text\.sqlite: file is not a database"):
        write_table(pa.table({"a": [1]}), tmp_path / "text.sqlite", table="t")


def test_a_locked_database(made):
    path = made("CREATE TABLE t (a)")
    locking = (
        f"import sqlite3; c = sqlite3.connect({str(path)!r}); c.execute('BEGIN EXCLUSIVE'); "
        "print('locked', flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", locking], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"locked\n"
        with pytest.raises(InputError, match="database is locked"):
            read_table(path)
        with pytest.raises(OutputError, match="database is locked"):
            write_table(pa.table({"a": [1]}), path, table="more")
        other.communicate(b"\n")


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (pa.array([["a"]]), "`c` holds list"),
        (pa.array([float("nan")]), "`c` holds NaN, which SQLite makes missing"),
        (pa.array([2**63], pa.uint64()), "`c` holds uint64 with values that INTEGER of SQLite"),
        (
            pa.array([Decimal(1)], pa.decimal128(16, 2)),
            r"`c` holds decimal128\(16, 2\), which SQLite",
        ),
        (
            pa.array([1], pa.timestamp("ns")),
            r"`c` holds timestamp\[ns\] with values that TIMESTAMP",
        ),
        (pa.array([dt.time(12)]), r"`c` holds time64\[us\], which SQLite"),
    ],
)
def test_what_sqlite_cannot_hold(tmp_path, values, told):
    with pytest.raises(OutputError, match=told):
        write_table(pa.table({"c": values}), tmp_path / "new.sqlite", table="t")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_nothing(tmp_path, made):
    twins = pa.table([[1], [2]], names=["a", "A"])
    with pytest.raises(OutputError, match="duplicate column name: A"):
        write_table(twins, tmp_path / "new.db", table="t")
    with pytest.raises(OutputError, match="the folder"):
        write_table(twins, tmp_path / "nowhere" / "new.db", table="t")
    assert list(tmp_path.iterdir()) == []
    path = made("CREATE TABLE t (a)")
    with pytest.raises(OutputError, match="duplicate column name"):
        write_table(twins, path, table="twins")
    assert read_contents(path).found == {"table": "t"}


def test_a_full_disk(tmp_path, made):
    path = made("CREATE TABLE kept (a)")
    table = pa.table({"s": [str(n * n) for n in range(100_000)]})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**16, before[1]))
    try:
        for target in (path, tmp_path / "new.sqlite"):
            with pytest.raises(OutputError, match=rf"Cannot write .*{target.name}: .*(full|I/O)"):
                write_table(table, target, table="t")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert read_contents(path).found == {"table": "kept"}
    assert [file.name for file in tmp_path.iterdir()] == ["people.sqlite"]


def test_from_database_to_database(tmp_path):
    data = ta.example("patients", 50)
    address = f"sqlite:///{tmp_path}/patients.sqlite3"
    data.write(address, table="patients")
    again = ta.read(address, roles={"age_yrs": "key"})
    assert again.table.to_pydict() == data.table.to_pydict()

"""DuckDB: its own types, a sealed connection, and databases that cannot be opened."""

from __future__ import annotations

import datetime as dt
import resource
import subprocess
import sys
from decimal import Decimal

import duckdb
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.formats import Layout, read_contents, read_table, write_table
from tacita.data.frames import plain
from tacita.errors import InputError, OutputError


@pytest.fixture
def made(tmp_path):
    """A function that runs SQL in a new database and gives its path."""

    def make(*statements: str):
        with duckdb.connect(tmp_path / "people.duckdb") as connection:
            for statement in statements:
                connection.execute(statement)
        return tmp_path / "people.duckdb"

    return make


def column(made, value: str) -> pa.ChunkedArray:
    return read_table(made(f"CREATE TABLE t AS SELECT {value} AS c")).column("c")


@pytest.mark.parametrize(
    ("value", "kind", "read"),
    [
        ("'u'::ENUM('u', 'v')", pa.string(), "u"),
        ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::UUID", pa.string(), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
        ("'{\"a\": 1}'::JSON", pa.string(), '{"a": 1}'),
        ("99999999999999999999999999999999999999::HUGEINT", pa.decimal128(38, 0), Decimal("9" * 38)),
        ("7::UHUGEINT", pa.decimal128(38, 0), Decimal(7)),
        ("18446744073709551615::UBIGINT", pa.uint64(), 2**64 - 1),
        ("1.25::DECIMAL(18, 3)", pa.decimal128(18, 3), Decimal("1.250")),
        ("'2020-06-01 12:00+02'::TIMESTAMPTZ", pa.timestamp("us", "UTC"), dt.datetime(2020, 6, 1, 10, tzinfo=dt.UTC)),
        ("'2020-06-01'::TIMESTAMP_S", pa.timestamp("s"), dt.datetime(2020, 6, 1)),
        ("'12:34:56.7'::TIME", pa.time64("us"), dt.time(12, 34, 56, 700_000)),
        ("'-inf'::DOUBLE", pa.float64(), float("-inf")),
        ("['a', NULL]", pa.list_(pa.string()), ["a", None]),
        ("[1, 2]::INTEGER[2]", pa.list_(pa.int32()), [1, 2]),
        ("['u']::ENUM('u')[]", pa.list_(pa.string()), ["u"]),
        ("NULL", pa.string(), None),
    ],
)  # fmt: skip
def test_types(made, value, kind, read):
    found = column(made, value)
    assert plain(pa.table({"c": found})).schema.field("c").type == kind
    assert found.to_pylist() == [read]


def test_nan_stays_nan(made):
    assert str(column(made, "'nan'::DOUBLE")[0]) == "nan"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("'x'::BLOB", "BLOB"),
        ("{'a': 1}", r"STRUCT\(a INTEGER\)"),
        ("MAP {1: 2}", r"MAP\(INTEGER, INTEGER\)"),
        ("[[1]]", r"INTEGER\[\]\[\]"),
        ("INTERVAL 1 DAY", "INTERVAL"),
        ("'12:00:00+02'::TIMETZ", "TIME WITH TIME ZONE"),
        ("'101'::BIT", "BIT"),
    ],
)
def test_types_that_are_not_read(made, value, kind):
    with pytest.raises(InputError, match=rf'Column `c` holds {kind}; .*CAST\("c" AS VARCHAR\)'):
        column(made, value)


@pytest.mark.parametrize(
    "value", ["'infinity'::DATE", "'-infinity'::TIMESTAMP", "['infinity'::DATE]"]
)
def test_infinite_days(made, value):
    with pytest.raises(InputError, match=r"Column `c` holds a time outside .* no infinity"):
        column(made, value)


def test_a_whole_number_that_no_decimal_holds(made):
    with pytest.raises(InputError, match="Conversion Error: Could not cast value 1000"):
        column(made, "100000000000000000000000000000000000000::HUGEINT")


def test_units_of_time_come_back(tmp_path):
    table = pa.table({unit: pa.array([1], pa.timestamp(unit)) for unit in ("s", "ms", "us", "ns")})
    write_table(table, tmp_path / "t.ddb", table="times")
    assert read_table(tmp_path / "t.ddb").equals(table)


def test_schemas_and_views(made):
    path = made(
        "CREATE SCHEMA survey",
        "CREATE TABLE survey.people AS SELECT 1 AS a",
        "CREATE VIEW grown AS SELECT a + 1 AS a FROM survey.people",
    )
    assert read_table(path, table="survey.people").to_pydict() == {"a": [1]}
    assert read_table(path, table="main.grown").to_pydict() == {"a": [2]}
    with pytest.raises(InputError, match=r"no table 'people'; it has grown, survey\.people"):
        read_table(path, table="people")
    write_table(pa.table({"a": [3]}), path, table="survey.more")
    assert read_table(path, table="survey.more").to_pydict() == {"a": [3]}
    for schema in ("nowhere", "temp", "pg_catalog"):
        with pytest.raises(OutputError, match=f"has no schema '{schema}'"):
            write_table(pa.table({"a": [3]}), path, table=f"{schema}.more")


@pytest.mark.parametrize("name", ["main", "temp", "system", "select", "a b"])
def test_a_file_of_any_name(tmp_path, name):
    table = pa.table({"a": [1]})
    for target in ("records", "main"):
        write_table(table, tmp_path / f"{name}.duckdb", table=target)
        assert read_table(tmp_path / f"{name}.duckdb", table=target).equals(table)


def test_the_only_table_is_found(made):
    contents = read_contents(f"duckdb:///{made('CREATE TABLE t AS SELECT 1 AS a')}")
    assert contents.found == {"table": "t"}
    with pytest.raises(InputError, match="does not hold exactly one table: it has none"):
        read_contents(made("DROP TABLE t"), Layout())


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM '{}'",
        "SELECT * FROM read_csv('{}')",
        "SELECT * FROM read_text('{}')",
        "SELECT * FROM frame",
    ],
)
def test_a_query_sees_nothing_but_the_database(made, tmp_path, query):
    secret = tmp_path / "secret.csv"
    secret.write_text("a,b\n1,2\n")
    frame = pa.table({"a": [1]})
    with pytest.raises(InputError, match=r"(file system operations are disabled|does not exist)"):
        read_table(made("CREATE TABLE t AS SELECT 1 AS a"), query=query.format(secret))
    assert frame.num_rows == 1


def test_several_statements_are_told(made):
    path = made("CREATE TABLE t AS SELECT 1 AS a")
    with pytest.raises(InputError, match="expected one SELECT; found SELECT and then DROP"):
        read_table(path, query="SELECT 1; DROP TABLE t")
    with pytest.raises(InputError, match="expected one SELECT; found nothing"):
        read_table(path, query="-- nothing")


def test_names_that_differ_in_case_only(made):
    path = made("CREATE TABLE t AS SELECT 1 AS a")
    with pytest.raises(InputError, match="the name `a` is given to columns 1 and 3"):
        read_table(path, query="SELECT a, 2 AS b, 3 AS A FROM t")
    assert read_table(path, query="SELECT 1 AS é, 2 AS É").column_names == ["é", "É"]


def test_databases_that_cannot_be_opened(tmp_path):
    with pytest.raises(InputError, match=r"There is no database .*missing\.duckdb"):
        read_table(f"duckdb:///{tmp_path}/missing.duckdb")
    (tmp_path / "text.duckdb").write_text("a,b\n" * 5000)
    for act, wrong in ((read_table, InputError), (_write, OutputError)):
        with pytest.raises(wrong, match=r"text\.duckdb.*not a valid DuckDB database"):
            act(tmp_path / "text.duckdb")


def _write(path):
    write_table(pa.table({"a": [1]}), path, table="t")


def test_a_database_that_another_program_holds(made):
    path = made("CREATE TABLE t AS SELECT 1 AS a")
    holding = (
        f"import duckdb; c = duckdb.connect({str(path)!r}); print('held', flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", holding], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(InputError, match="Could not set lock on file"):
            read_table(path)
        other.communicate(b"\n")


def test_a_failed_write_leaves_nothing(tmp_path, made):
    twins = pa.table([[1], [2]], names=["a", "A"])
    with pytest.raises(OutputError, match="Cannot write"):
        write_table(twins, tmp_path / "new.duckdb", table="t")
    with pytest.raises(OutputError, match="the folder"):
        write_table(twins, tmp_path / "nowhere" / "new.duckdb", table="t")
    assert list(tmp_path.iterdir()) == []
    path = made("CREATE TABLE t AS SELECT 1 AS a")
    with pytest.raises(OutputError, match="Cannot write"):
        write_table(twins, path, table="twins")
    assert read_contents(path).found == {"table": "t"}


def test_a_full_disk(tmp_path):
    table = pa.table({"n": pa.array(range(300_000)), "s": [str(n * n) for n in range(300_000)]})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**18, before[1]))
    try:
        with pytest.raises(OutputError, match=r"Cannot write .*big\.duckdb"):
            write_table(table, tmp_path / "big.duckdb", table="t")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []


def test_from_database_to_database(tmp_path):
    data = ta.example("patients", 50)
    address = f"duckdb:///{tmp_path}/patients.duckdb"
    data.write(address, table="patients")
    again = ta.read(address, roles={"age_yrs": "key"})
    assert again.table.equals(data.table)
    assert again.origin.found == {"table": "patients"}

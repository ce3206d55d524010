"""PostgreSQL, with a real server: its types, its refusals, and a server that goes away."""

from __future__ import annotations

import datetime as dt
import json
import threading
import time
from decimal import Decimal

import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.formats import read_contents, read_table, write_table
from tacita.data.formats.postgresql import checked_address
from tacita.data.frames import plain
from tacita.errors import InputError, OutputError, PlanError

SECRETS = ("an open secret", "an%20open%20secret")


@pytest.fixture
def selected(postgresql_server):
    """A function that reads a value of PostgreSQL's as the column `c`."""
    place = postgresql_server.address()
    return lambda value: read_table(place, query=f"SELECT {value} AS c").column("c")


# -- types -----------------------------------------------------------------------------------------


TYPES = [
    ("1::int2", pa.int16(), 1),
    ("1::float4", pa.float32(), 1.0),
    ("'infinity'::float8", pa.float64(), float("inf")),
    ("'a'::char(3)", pa.string(), "a  "),
    ("'a'::varchar(3)", pa.string(), "a"),
    ("NULL::text", pa.string(), None),
    ("'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid", pa.string(), "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"),
    ("'{\"a\":1}'::json", pa.string(), '{"a":1}'),
    ("'{\"a\":1}'::jsonb", pa.string(), '{"a": 1}'),
    ("'-12.5'::numeric(10, 2)", pa.decimal128(10, 2), Decimal("-12.50")),
    ("'99999999999999999999999999999999999999'::numeric(38, 0)", pa.decimal128(38, 0), Decimal("9" * 38)),
    ("0.1::numeric", pa.float64(), 0.1),
    ("'12345678901234567000'::numeric", pa.float64(), 12345678901234567000.0),
    ("'-Infinity'::numeric", pa.float64(), float("-inf")),
    ("1.5::numeric(50, 2)", pa.float64(), 1.5),
    ("'2020-06-01 12:00+02'::timestamptz", pa.timestamp("us", "UTC"), dt.datetime(2020, 6, 1, 10, tzinfo=dt.UTC)),
    ("'12:34:56.7'::time", pa.time64("us"), dt.time(12, 34, 56, 700_000)),
    ("ARRAY['a', NULL]", pa.list_(pa.string()), ["a", None]),
    ("ARRAY[1, 2]", pa.list_(pa.int32()), [1, 2]),
    ("'{}'::int8[]", pa.list_(pa.int64()), []),
    ("ARRAY['{}']::jsonb[]", pa.list_(pa.string()), ["{}"]),
]  # fmt: skip


def test_types(postgresql_server):
    columns = ", ".join(f"{value} AS c{place}" for place, (value, _, _) in enumerate(TYPES))
    table = read_table(postgresql_server.address(), query=f"SELECT {columns}")
    assert plain(table).schema.types == [kind for _, kind, _ in TYPES]
    assert list(table.to_pylist()[0].values()) == [read for _, _, read in TYPES]


def test_enums_and_domains(postgresql):
    postgresql.run(
        "CREATE TYPE mood AS ENUM ('well', 'ill')",
        "CREATE DOMAIN grown AS int CHECK (value > 17)",
        "CREATE TABLE t (mood mood, moods mood[], age grown)",
        "INSERT INTO t VALUES ('ill', ARRAY['well', NULL]::mood[], 18), (NULL, NULL, NULL)",
    )
    found = {"mood": ["ill", None], "moods": [["well", None], None], "age": [18, None]}
    assert read_table(postgresql.address()).to_pydict() == found


def test_nan_stays_nan(selected):
    for kind in ("float8", "numeric", "numeric(5, 2)"):
        assert str(selected(f"'NaN'::{kind}")[0]) == "nan"


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("ROW(1, 'a')", "record"),
        ("'x'::bytea", "bytea"),
        ("'1 day'::interval", "interval"),
        ("'12:00+02'::timetz", "time with time zone"),
        ("'1.20'::money", "money"),
        ("'127.0.0.1'::inet", "inet"),
        ("'(1,2)'::point", "point"),
        ("4294967295::oid", "oid"),
        ("int4range(1, 2)", "int4range"),
        ("ARRAY[1.5]", r"numeric\[\]"),
        ("ARRAY[[1, 2], [3, 4]]", "arrays of arrays"),
    ],
)
def test_types_that_are_not_read(selected, value, kind):
    with pytest.raises(InputError, match=rf'Column `c` holds {kind}; .*in a query, .*"c"::text'):
        selected(value)


@pytest.mark.parametrize(
    "value",
    ["'infinity'::date", "'-infinity'::timestamp", "'0044-03-15 BC'::date", "'294276-12-31'::timestamp", "'24:00'::time"],
)  # fmt: skip
def test_times_that_cannot_be_used(selected, value):
    with pytest.raises(InputError, match="Column `c` holds a time outside"):
        selected(value)


def test_a_number_that_no_float_holds(selected):
    for number in (
        "0.1234567890123456789",
        "12345678901234567",
        "1e400",
        "1e-400",
        "1.2345678e-320",
    ):
        with pytest.raises(InputError, match=r'`c` holds numbers.*no float holds.*"c"::numeric\('):
            selected(f"'{number}'::numeric")
    assert selected("0.1234567890123456789::numeric(38, 19)").to_pylist() == [
        Decimal("0.1234567890123456789")
    ]


def test_numbers_without_a_sign_and_finer_times(postgresql):
    table = pa.table({"n": pa.array([2**64 - 1, None], pa.uint64())})
    write_table(table, postgresql.address(), table="n")
    assert read_table(postgresql.address(), table="n").column("n").to_pylist() == [2**64 - 1, None]
    finer = pa.table({"t": pa.array([1], pa.timestamp("ns"))})
    with pytest.raises(OutputError, match=r"`t` holds .* with values that timestamp of PostgreSQL"):
        write_table(finer, postgresql.address(), table="t")


# -- names and order -------------------------------------------------------------------------------


def test_schemas_and_views(postgresql):
    place = postgresql.address()
    postgresql.run(
        "CREATE SCHEMA survey",
        "CREATE TABLE survey.people AS SELECT 1 AS a",
        "CREATE VIEW grown AS SELECT a + 1 AS a FROM survey.people",
        "CREATE TABLE parted (a int) PARTITION BY RANGE (a)",
        "CREATE TABLE part PARTITION OF parted DEFAULT",
    )
    assert read_table(place, table="survey.people").to_pydict() == {"a": [1]}
    assert read_table(place, table="public.grown").to_pydict() == {"a": [2]}
    with pytest.raises(
        InputError, match=r"no table 'people'; it has grown, parted, survey\.people"
    ):
        read_table(place, table="people")
    write_table(pa.table({"a": [3]}), place, table="survey.more")
    assert read_table(place, table="survey.more").to_pydict() == {"a": [3]}
    for schema in ("nowhere", "pg_temp", "pg_catalog"):
        with pytest.raises(OutputError, match=f"has no schema '{schema}'"):
            write_table(pa.table({"a": [3]}), place, table=f"{schema}.more")


def test_the_only_table_is_found(postgresql):
    with pytest.raises(InputError, match="does not hold exactly one table: it has none"):
        read_contents(postgresql.address())
    postgresql.run("CREATE TABLE t AS SELECT 1 AS a")
    assert read_contents(postgresql.address()).found == {"table": "t"}


def test_names_that_would_be_cut_off(postgresql):
    long = pa.table({"é" * 32: [1]})
    with pytest.raises(OutputError, match="has a name of 64 bytes; PostgreSQL keeps 63"):
        write_table(long, postgresql.address(), table="t")
    nul = pa.table({"a": ["x\0y"]})
    with pytest.raises(OutputError, match="Column `a` holds text with a NUL byte"):
        write_table(nul, postgresql.address(), table="t")


def test_reading_does_not_write(postgresql):
    postgresql.run(
        "CREATE TABLE t AS SELECT 1 AS a",
        "CREATE FUNCTION spoil() RETURNS int LANGUAGE sql AS 'DELETE FROM t RETURNING 1'",
    )
    with pytest.raises(InputError, match=r'column "password" does not exist\.$'):
        read_table(postgresql.address(), query="SELECT password FROM t")
    with pytest.raises(InputError, match="cannot execute DELETE in a read-only transaction"):
        read_table(postgresql.address(), query="SELECT spoil() AS a")
    with pytest.raises(InputError, match="transaction read-write mode"):
        read_table(
            postgresql.address(), query="SELECT set_config('transaction_read_only', 'off', true)"
        )
    assert read_table(postgresql.address()).to_pydict() == {"a": [1]}


# -- failures --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"password": "a guess"}, "password authentication failed.*PGPASSWORD"),
        ({"user": "nobody"}, 'failed for user "nobody"'),
        ({"database": "nothing"}, 'database "nothing" does not exist.*Check the name'),
    ],
)
def test_who_is_not_let_in(postgresql_server, wrong, told):
    for act, error in ((read_table, InputError), (_write, OutputError)):
        with pytest.raises(error, match=told) as caught:
            act(postgresql_server.address(**wrong))
        assert not any(secret in str(caught.value) for secret in (*SECRETS, "a guess", "a%20guess"))


def _write(address):
    write_table(pa.table({"a": [1]}), address, table="t")


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("postgresql://ana:secret@127.0.0.1:1/x", "Connection refused.*Check the address"),
        ("postgresql://ana:secret@nowhere.invalid/x", "host name.*Check the name of the host"),
        ("postgresql://ana:secret@127.0.0.1:1/x?what=1", "invalid URI query parameter"),
        ("postgresql://ana:se/cret@127.0.0.1/x", "Expected an address like"),
        ("postgresql://ana:se%cret@127.0.0.1/x", "Expected an address like"),
        ("postgresql://ana:secret@[127.0.0.1/x", "Expected an address like"),
        ("postgresql://ana@127.0.0.1/x?password=secret", "`password` cannot be a parameter"),
        ("postgresql://ana@127.0.0.1/x?%70assword=secret", "`password` cannot be a parameter"),
    ],
)
def test_addresses_that_lead_nowhere(address, told):
    for act, error in ((read_table, InputError), (_write, OutputError)):
        with pytest.raises(error, match=told) as caught:
            act(address)
        assert "cret" not in str(caught.value)


def test_a_server_that_does_not_answer_is_not_waited_for():
    assert checked_address("postgresql://h/x", InputError) == "postgresql://h/x?connect_timeout=10"
    assert checked_address("postgresql://h/x?", InputError) == "postgresql://h/x?connect_timeout=10"
    assert checked_address("postgresql://h/x?sslmode=require", InputError).endswith(
        "&connect_timeout=10"
    )
    for address in (
        "postgresql://h/x?connect_timeout=3",
        "postgres://[::1]:1,b:2?connect_timeout=3",
    ):
        assert checked_address(address, InputError) == address


def test_tables_that_may_not_be_read_or_made(postgresql):
    postgresql.run(
        "CREATE SCHEMA closed",
        "CREATE TABLE public.hidden AS SELECT 1 AS a",
        user="postgres",
    )
    with pytest.raises(InputError, match="permission denied for table hidden"):
        read_table(postgresql.address(), table="hidden")
    with pytest.raises(OutputError, match="permission denied for schema closed"):
        write_table(pa.table({"a": [1]}), postgresql.address(), table="closed.t")
    postgresql.run("DROP SCHEMA closed", "DROP TABLE hidden", user="postgres")


def test_the_server_goes_away_while_it_is_read(postgresql):
    """The records have begun to stream when the reader's connection is ended."""
    slow = "SELECT n, repeat('x', 2000) AS s, pg_sleep(0.002)::text AS z FROM generate_series(1, 10000) n"
    ending = threading.Thread(target=_end_connections, args=(postgresql,))
    ending.start()
    with pytest.raises(InputError, match=r"Cannot read postgresql://ana@.*went away") as told:
        read_table(postgresql.address(), query=slow)
    ending.join()
    assert "\n" not in str(told.value)


def _end_connections(server):
    """End the connection that runs the slow query, as soon as some of its records were sent."""
    streaming = "FROM pg_stat_progress_copy WHERE tuples_processed > 20"
    while not server.run(f"SELECT pg_terminate_backend(pid) {streaming}", user="postgres"):
        time.sleep(0.01)


def test_a_failed_write_leaves_nothing(postgresql):
    postgresql.run("CREATE TABLE kept AS SELECT 1 AS a")
    wide = pa.table({f"c{n}": [1] for n in range(1601)})
    with pytest.raises(OutputError, match="tables can have at most 1600 columns"):
        write_table(wide, postgresql.address(), table="wide")
    assert read_contents(postgresql.address()).found == {"table": "kept"}


# -- from end to end -------------------------------------------------------------------------------

PLAN = """
data:
  source: {source}
  table: patients
  attributes:
    oshpd_id: {{role: identifier}}
    age_yrs: {{role: key}}
    sex: {{role: key}}
microdata:
  steps:
    - sample: 0.8
  measure: []
  waive: only what is written of the password is looked at
"""


def test_a_plan_runs_and_tells_no_password(postgresql, tmp_path, monkeypatch):
    data = ta.example("patients", 200)
    data.write(postgresql.address(), table="patients")
    again = ta.read(postgresql.address(), table="patients", roles={"age_yrs": "key"})
    assert again.table.equals(data.table)
    assert again.origin.source == f"postgresql://ana@127.0.0.1:{postgresql.port}/postgres"

    plan = tmp_path / "plan.yaml"
    plan.write_text(PLAN.format(source=postgresql.address()))
    with pytest.raises(PlanError, match="PGPASSWORD"):
        ta.run(plan, tmp_path / "out", seed=1)
    plan.write_text(PLAN.format(source=again.origin.source))
    monkeypatch.setenv("PGPASSWORD", SECRETS[0])
    ta.run(plan, tmp_path / "out", seed=1)
    written = [path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert written
    assert not any(secret.encode() in content for content in written for secret in SECRETS)
    evidence = json.loads((tmp_path / "out" / "internal" / "evidence.json").read_text())
    assert again.origin.source in json.dumps(evidence)
    assert ta.verify(tmp_path / "out", source=again.origin.source).holds

"""The files of a job: read back by the formats of tables, which know nothing of jobs."""

from __future__ import annotations

import csv
from itertools import product

import numpy as np
import pytest

from tacita.data.hierarchies.files import read_hierarchy
from tacita.tables.formats import read_table
from tacita.tables.status import Status

JOB = (
    '<OPENMICRODATA> "firms.asc"\n<OPENMETADATA> "firms.rda"\n'
    '<SPECIFYTABLE> "region""size"|"turnover"||\n<SAFETYRULE> {rules}\n<READMICRODATA>\n'
    "<SUPPRESS> OPT(1,1)\n<WRITETABLE> (1, {form}, {options}, {file})\n"
)
MATRIX = (
    '<OPENMICRODATA> "firms.asc"\n<OPENMETADATA> "firms.rda"\n'
    "<SPECIFYTABLE> {by}|<FREQ>||\n<SAFETYRULE> FREQ(3,20)\n<READMICRODATA>\n"
    '<WRITETABLE> (1, 1, , "m.csv")\n'
)


@pytest.fixture
def written(run, folder):
    """Run a job that protects a table and writes it; return the table and its file."""

    def writing(form, options="", rules="P(15)|FREQ(3,20)", file="out.txt"):
        done = run(JOB.format(rules=rules, form=form, options=options, file=file))
        return done.tables[0], folder / file

    return writing


def lines(path):
    with path.open(newline="") as file:
        return list(csv.reader(file))


def test_code_value_read_back(written, folder):
    one, path = written(3, "AS+")
    region = read_hierarchy(folder / "regions.hrc", leading="@")
    back = read_table(
        path,
        form="code_value",
        by=["region", "size"],
        hierarchies={"region": region},
        missing={"region": "99", "size": "99"},
    )
    assert len(back) == len(one.table)
    np.testing.assert_array_equal(back.cells.value, one.table.cells.value)
    np.testing.assert_array_equal(back.cells.status, one.table.cells.status)
    assert {3, 11} <= set(one.status_numbers().tolist())


def test_values_of_suppressed_cells_are_shown_only_with_their_statuses(written):
    one, path = written(3)
    told = {tuple(code.strip() for code in row[:2]): row[2] for row in lines(path)}
    hidden = one.table.cells.suppressed
    for row in range(len(one.table)):
        value = f"{one.table.cells.value[row]:.2f}"
        assert told[one.table.codes_of(row)] == ("x" if hidden[row] else value)
    assert sum(value == "-" for value in told.values()) == len(told) - len(one.table)


@pytest.mark.parametrize(
    ("form", "options", "first"),
    [
        (3, "FL+AS+", '"region","size","turnover","Status"'),
        (3, "FL+", '"region","size","turnover"'),
        (3, "FL-", '"Total","Total",'),
        (3, "QU-", "Total,Total,"),
        (2, "QU-FL-", "region,size,turnover"),
        (2, "AS+", '"region","size","turnover","Status"'),
    ],
)
def test_first_lines_and_quotes(written, form, options, first):
    _, path = written(form, options)
    assert path.read_text().startswith(first)


def test_empty_cells_are_left_out_if_the_job_says_so(written):
    one, path = written(2, "SE+AS+")
    rows = lines(path)[1:]
    assert len(rows) == len(one.table)
    assert all(row[-1] != "14" for row in rows)


def test_rows_and_columns(written):
    one, path = written(1)
    head, *rows, last = lines(path)
    assert [code.strip() for code in head] == ["", "Total", "2", "3", "10", "99"]
    assert [row[0].strip() for row in rows] == [code.strip() for code in one.codes()[0]]
    assert not last
    hidden = one.table.cells.suppressed
    for row, column in product(rows, range(1, 6)):
        codes = {"region": row[0].strip(), "size": head[column].strip()}
        if row[column] == "-":
            continue
        place = one.table.row(**codes)
        value = f"{one.table.cells.value[place]:.2f}"
        assert row[column] == ("x" if hidden[place] else value)


@pytest.mark.parametrize("size", [1, 3])
def test_rows_and_columns_of_one_attribute_and_of_layers(run, folder, size):
    by = ["size", "region", "sector"][:size]
    (one,) = run(MATRIX.format(by="".join(f'"{name}"' for name in by))).tables
    text = (folder / "m.csv").read_text()
    words = [word for row in csv.reader(text.splitlines()) for word in row if word.strip()]
    numbers = [int(word) for word in words if word.isdecimal()]
    shown = one.table.cells.value[~one.table.cells.suppressed]
    assert sum(word == "x" for word in words) == one.table.cells.suppressed.sum()
    assert set(shown.astype(int)) <= set(numbers)
    assert text.count("Var 1,") == (len(one.codes()[0]) if size == 3 else 0)


def test_intermediate_read_back_by_its_description(written):
    one, path = written(5, file="out.tab", rules="P(15,1)|FREQ(3,20)")
    back = read_table(path, form="tab", value="turnover")
    assert [d.name for d in back.dimensions] == ["region", "size"]
    table = one.table
    assert len(back) == len(table)
    for name in ("value", "frequency", "total", "cost", "status"):
        np.testing.assert_array_equal(getattr(back.cells, name), getattr(table.cells, name), name)
    np.testing.assert_array_equal(back.cells.largest, table.cells.largest[:, :2])
    hidden = table.cells.sensitive
    for name in ("lower_level", "upper_level"):
        found, wanted = (getattr(cells, name)[hidden] for cells in (back.cells, table.cells))
        np.testing.assert_allclose(found, np.maximum(wanted, 0.01), atol=0.005)
    back.system()


def test_intermediate_without_contributions_and_with_the_audit(written):
    one, path = written(5, "SO+AR+SE+", file="out.tab")
    rows = [line.split(";") for line in path.read_text().splitlines()]
    assert len(rows) == len(one.table)
    assert {len(row) for row in rows} == {2 + 6 + 6}
    described = path.with_suffix(".rda").read_text()
    assert "Top1" not in described
    assert "_Shadow" not in described
    assert "AuditRange" in described
    for row in rows:
        value, status, (low, high, width) = float(row[2]), row[5], map(float, row[8:11])
        assert width == pytest.approx(high - low, abs=0.011)
        assert (low < value < high) if status == "U" else low <= value or status == "S"


def test_holdings_in_the_intermediate_form(written, records):
    rules = "P(15)|P(0)|P(20,2)"
    one, path = written(5, file="out.tab", rules=rules)
    plain = path.read_text().splitlines()[0].split(";")
    _, path = written(5, "HI+", file="out.tab", rules=rules)
    of_holdings = path.read_text().splitlines()[0].split(";")
    assert int(plain[3]) == len(records)
    assert int(of_holdings[3]) == len({firm.holding for firm in records})
    assert (len(plain), len(of_holdings)) == (2 + 4 + 2 + 3, 2 + 4 + 3 + 3)
    assert one.respondents is not None


def test_jj_read_back(written):
    one, path = written(6, file="out.jj")
    back = read_table(path)
    np.testing.assert_array_equal(back.cells.value, one.table.cells.value)
    np.testing.assert_array_equal(back.cells.status, one.table.cells.status)
    assert back.cells.cost.max() == 20_000
    assert path.with_suffix(".jj.frq").is_file()


@pytest.mark.parametrize(
    ("rules", "flags"),
    [
        ("P(15)|FREQ(4,20)", {"F", "A", "D", "V"}),
        ("NK(2,80)", {"C", "D", "V"}),
        ("NK(1,60)", {"B", "D", "V"}),
        ("ZERO(5)", {"B", "D", "V"}),
    ],
)
def test_for_eurostat(written, rules, flags):
    one, path = written(4, rules=rules)
    rows = lines(path)
    assert len(rows) == len(one.table)
    assert {row[4] for row in rows} == flags
    cells = one.table.cells
    for row in rows:
        place = one.table.row(region=row[0].strip(), size=row[1].strip())
        assert (row[2], int(row[3])) == (f"{cells.value[place]:.2f}", cells.frequency[place])
        largest = np.nan_to_num(100 * cells.largest[place] / (cells.total[place] or np.inf))
        shares = [float(word) for word in row[5:]]
        wanted = {"F": largest[:2], "C": [largest[:2].sum()], "B": largest[:1]}
        np.testing.assert_allclose(shares, wanted.get(row[4], []), atol=0.051)
        assert (row[4] == "D") == (cells.status[place] == Status.SECONDARY)


def test_levels_for_eurostat(written):
    _, path = written(4, "HL+")
    depths = {row[0].strip(): row[1] for row in lines(path)}
    assert depths == {
        "Total": "0",
        "Nord": "1",
        "Sued": "1",
        "1": "2",
        "2": "2",
        "3": "2",
        "10": "2",
        "99": "1",
    }
    assert {row[3] for row in lines(path)} == {"0"}

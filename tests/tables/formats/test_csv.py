"""Tables in long form: what Tacita writes and what other programs write."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.hierarchies.tree import Tree
from tacita.errors import InputError, OutputError, ParameterError
from tacita.tables.cells import Cells
from tacita.tables.dimension import Dimension
from tacita.tables.formats import csv
from tacita.tables.ready import ready_table
from tacita.tables.status import Status

SHARED = Path(__file__).parents[4] / "shared" / "data" / "tables"
LONG = 10**12  # so that nothing else in a file is one of the values
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the reference data are not here")


def people(**columns):
    base = {"sex": ["Total", "f", "m"], "n": [7, 3, 4]}
    return pa.table({**base, **columns})


def statuses(source, **options):
    return csv.read(source, by=["sex"], value="n", **options).cells.status.tolist()


def same(one, other):
    """Tell whether two tables hold the same of every cell."""
    assert [d.name for d in one.dimensions] == [d.name for d in other.dimensions]
    assert [one.codes_of(row) for row in range(len(one))] == [
        other.codes_of(row) for row in range(len(other))
    ]
    for part in fields(Cells):
        np.testing.assert_array_equal(
            getattr(one.cells, part.name), getattr(other.cells, part.name)
        )
    return True


# -- what Tacita writes --------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "parquet", "tsv.gz"])
def test_everything_comes_back_from_the_internal_view(random_table, tmp_path, suffix):
    for seed in range(6):
        table = random_table(seed, dimensions=1 + seed % 3)
        rng = np.random.default_rng(seed)
        n = len(table)
        table = table.with_cells(
            shown=table.cells.value / 3,
            cost=rng.integers(1, 99, n) / 4,
            largest=rng.random((n, 2)),
            lower_level=np.where(table.cells.sensitive, rng.random(n), 0),
            upper_bound=np.where(rng.random(n) < 0.5, np.inf, 1e6),
            contributors=np.where(rng.random(n) < 0.3, np.nan, 2.0),
            reason=np.where(table.cells.suppressed, "p_percent", "").astype(object),
        )
        path = tmp_path / f"table.{suffix}"
        csv.write(table, path, view="internal")
        names = [dimension.name for dimension in table.dimensions]
        spans = {dimension.name: dimension for dimension in table.dimensions}
        assert same(csv.read(path, by=names, hierarchies=spans), table)


@given(st.integers(0, 2**32), st.integers(1, 3))
def test_the_public_view_holds_no_suppressed_value(
    random_table, given_away, tmp_path_factory, seed, dimensions
):
    table = random_table(seed, dimensions=dimensions, most=LONG)
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    csv.write(table, path)
    assert not given_away(table, path.read_text())


@given(st.integers(0, 2**32))
def test_the_public_view_does_not_depend_on_what_is_suppressed(random_table, seed):
    table = random_table(seed)
    hidden = table.cells.suppressed
    other = table.with_cells(
        value=np.where(hidden, 0.25, table.cells.value),
        shown=np.where(hidden, 0.25, table.cells.shown),
        frequency=np.where(hidden, 77, table.cells.frequency),
        status=np.where(hidden, Status.SENSITIVE, table.cells.status),
        reason=np.where(hidden, "dominance", ""),
    )
    assert csv.rows_of(table).equals(csv.rows_of(other))


def test_the_public_view_reads_back_as_what_a_reader_sees(salary, tmp_path):
    csv.write(salary, tmp_path / "salary.csv")
    assert (tmp_path / "salary.csv").read_text().splitlines()[:5] == [
        "Sector,Region,value,status",
        "Total,Total,1916000,shown",
        "Total,BCN,1566000,shown",
        "Total,TGN,350000,shown",
        "IT,Total,949000,shown",
    ]
    read = csv.read(tmp_path / "salary.csv", by=["Sector", "Region"])
    np.testing.assert_array_equal(read.cells.suppressed, salary.cells.suppressed)
    np.testing.assert_array_equal(read.cells.value, salary.published().cells.value)
    assert read.system().unknown.sum() == 3  # everything that is shown adds up


def test_means_are_shown_and_their_sums_are_not(tmp_path):
    span = Dimension.flat("sex", ["f", "m"])
    known = {"value": [60, 20, 40], "shown": [20, 10, 40], "frequency": [3, 2, 1]}
    table = ready_table("t", [span], {"sex": span.codes}, known, statistic="mean")
    assert csv.rows_of(table).to_pydict() == {
        "sex": ["Total", "f", "m"],
        "value": [20, 10, 40],
        "status": ["shown"] * 3,
    }


def test_an_attribute_called_like_a_column_is_refused():
    span = Dimension.flat("status", ["f"])
    table = ready_table("t", [span], {"status": span.codes}, {"value": [1, 1]})
    with pytest.raises(OutputError, match="rename it"):
        csv.rows_of(table)
    with pytest.raises(ParameterError, match="public or internal"):
        csv.rows_of(table, view="secret")


# -- what others write ---------------------------------------------------------------------------


def test_words_and_letters_of_other_programs_are_known():
    assert statuses(people(status=["safe", "sensitive", "secondary"])) == [0, 1, 2]
    assert statuses(people(sdcStatus=["z", "u", "x"])) == [3, 1, 2]
    assert statuses(people(Status=["V", "A", "D"])) == [0, 1, 2]
    assert statuses(people(Status=["P", "U", "M"])) == [3, 1, 2]
    assert statuses(people(primary=[False, True, False], suppressed=[False, True, True])) == [
        0,
        1,
        2,
    ]
    assert statuses(people(is_secret_prim=["FALSE", "TRUE", "FALSE"])) == [0, 1, 0]
    assert statuses(people(flag=["ok", "hid", "hid"]), columns={"status": "flag"},
                    words={"ok": "published", "HID": "sensitive"}) == [3, 1, 1]  # fmt: skip
    assert (
        statuses(people(status=["safe", "sensitive", "safe"]), columns={"status": None}) == [0] * 3
    )


def test_columns_of_other_programs_are_known():
    frame = people(N_OBS=[9, 4, 5], MAX=[3, 2, 3])
    cells = csv.read(frame, by=["sex"], value="n").cells
    assert cells.frequency.tolist() == [9, 4, 5]
    assert cells.largest.tolist() == [[3], [2], [3]]
    several = people(top1=[3, 2, 3], top2=[2, 1, 1])
    cells = csv.read(
        several, by=["sex"], value="n", columns={"largest": ["top1", "top2"], "cost": "n"}
    ).cells
    assert cells.largest.tolist() == [[3, 2], [2, 1], [3, 1]]
    assert cells.cost.tolist() == [7, 3, 4]


def test_blank_and_marked_values_are_suppressed():
    assert statuses(people(n=[7, None, None])) == [0, 2, 2]
    table = csv.read(people(n=["7.5", "x", ":"]), by=["sex"], value="n")
    assert table.cells.status.tolist() == [0, 2, 2]
    assert table.cells.reason.tolist() == ["", "not published", "not published"]
    assert table.cells.value[0] == 7.5
    primary = people(n=[7, None, None], primary=[0, 1, 0])
    assert statuses(primary) == [0, 1, 2]


def test_frames_of_any_kind_are_read():
    columns = {"sex": ["Total", "f", "m"], "n": [7.0, float("nan"), 4.0]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns)):
        assert statuses(frame) == [0, 2, 0]


def test_codes_stay_as_they_are_written(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("nace;n\nTotal;7,5\n01;3,5\n1;4\n")
    table = csv.read(path, by=["nace"], value="n")
    assert table.name == "t"
    assert table.dimensions[0].codes == ("Total", "01", "1")
    assert table.cells.value.tolist() == [7.5, 3.5, 4]


@pytest.mark.parametrize("kind", ["nested", "tree", "file", "several"])
def test_hierarchies_are_said_in_any_way(tmp_path, kind):
    nested = {"Total": {"A": ["a1", "a2"], "B": ["b1"]}}
    file = tmp_path / "h.hrc"
    file.write_text("A\n@a1\n@a2\nB\n@b1\n")
    said = {
        "nested": nested,
        "tree": Tree.from_nested(nested),
        "file": file,
        "several": [nested, {"Total": {"C": ["a1", "b1"], "D": ["a2"]}}],
    }[kind]
    frame = pa.table({"x": ["Total", "A", "a1", "a2", "B", "b1"], "n": [6, 3, 1, 2, 3, 3]})
    table = csv.read(frame, by=["x"], value="n", hierarchies={"x": said})
    assert len(table.dimensions[0].parents) == (2 if kind == "several" else 1)
    assert table.dimensions[0].depth(table.dimensions[0].place("a2")) == 2


@needs_shared
@pytest.mark.parametrize(
    ("file", "by", "cells"),
    [
        ("turnover_act_size", ["ACTIVITY", "SIZE"], 414),
        ("turnover_act_cj", ["ACTIVITY", "CJ"], 406),
        ("turnover_nuts_size", ["NUTS", "SIZE"], 460),
        ("turnover_nuts_cj", ["NUTS", "CJ"], 452),
    ],
)
def test_tables_of_rtauargus_add_up_along_their_hierarchies(file, by, cells):
    folder = SHARED / "rtauargus"
    trees = {"ACTIVITY": "activity_corr_table.csv", "NUTS": "nuts23_fr_corr_table.csv"}
    tree = _tree(folder / trees[by[0]])
    table = csv.read(folder / f"{file}.csv", by=by, value="TOT", hierarchies={by[0]: tree})
    listed = table.cells.reason != "not published"
    assert listed.sum() == cells
    assert not np.isnan(table.cells.frequency[listed]).any()
    assert table.cells.largest.shape[1] == 1
    rounded = table.with_cells(value=np.round(table.cells.value))
    assert _largest_gap(table) < 0.001
    assert _largest_gap(rounded) >= 1


@needs_shared
def test_primary_suppressions_of_rtauargus_are_read():
    file = SHARED / "rtauargus" / "datatest1.csv"
    by = ["treff", "cj", "type_distrib", "A10"]
    frame = arrow_csv.read_csv(file)
    kept = frame.filter(pa.array([code == "Total" for code in frame["treff"].to_pylist()]))
    source = kept if len(kept) else frame
    spans = {name: _flat(name, source[name].to_pylist()) for name in by}
    table = csv.read(source, by=by, value="pizzas_tot_abs", hierarchies=spans)
    expected = sum(source["is_secret_prim"].to_pylist())
    assert int(table.cells.sensitive.sum()) == expected
    assert expected > 0


def _flat(name, codes):
    return Dimension.flat(name, [code for code in dict.fromkeys(codes) if code != "Total"])


def _tree(path):
    """Make a tree of a file that goes from the top to the leaves, column by column."""
    with path.open() as file:
        next(file)
        paths = [line.strip().replace('"', "").split(",")[::-1] for line in file]
    return Tree(tuple((*path, "Total") for path in paths))


def _largest_gap(table):
    """Return by how much the relations between cells with values are off at most."""
    relations = table._relations()
    known = ~np.isnan(table.cells.value)
    whole = np.abs(relations)[:, np.flatnonzero(~known)].sum(axis=1) == 0
    return np.abs(relations @ np.nan_to_num(table.cells.value))[whole].max()


# -- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "options", "message"),
    [
        (people(status=["s", "q", "s"]), {}, r"says 'q' in row 2, which is no status"),
        (people(status=["s", "u", "s"], suppressed=[0, 0, 0]), {}, "contradicts .* row 2"),
        (people(primary=[0, 1, 0], suppressed=[0, 0, 1]), {}, "contradicts .* row 2"),
        (people(status=["z", "s", "s"], primary=[1, 0, 0]), {}, "contradicts .* row 1"),
        (people(n=[7, None, 4], status=["s", "z", "s"]), {}, "row 2 has no value"),
        (people(primary=["no", "maybe", "no"]), {}, "'maybe' in row 2; expected TRUE or FALSE"),
        (people(n=["7", "three", "4"]), {}, "holds 'three'; expected numbers"),
        (people(sex=["Total", None, "m"]), {}, "no code in row 2"),
        (people(sex=["All", "f", "m"]), {}, "no code 'Total' for its total"),
        (people(sex=["Total", "f", "f"]), {}, "listed twice"),
        (people(), {"totals": {"sex": "T"}}, "no code 'T'"),
        (people().slice(0, 0), {}, "The table is empty"),
        (people(), {"columns": {"cost": "costs"}}, "no column `costs`"),
        (people(a=[1, 1, 1]), {"columns": {"asked": "a"}}, "needs 2 columns"),
        (people(), {"hierarchies": {"sex": {"Total": ["f", "x"]}}}, "no code 'm'"),
    ],
)
def test_what_is_no_table_is_refused(frame, options, message):
    with pytest.raises(InputError, match=message):
        csv.read(frame, by=["sex"], value="n", **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": []}, "at least one attribute"),
        ({"columns": {"costs": "n"}}, "Did you mean `cost`"),
        ({"words": {"a": "unsafe"}, "columns": {"status": "n"}}, "A status is safe"),
        ({"delimiter": ";"}, "has no layout"),
    ],
)
def test_what_means_nothing_is_refused(options, message):
    with pytest.raises(ParameterError, match=message):
        csv.read(people(), **{"by": ["sex"], "value": "n", **options})


@pytest.mark.parametrize(
    ("column", "told"),
    [
        (["7", " 3 ", "4"], [7, 3, 4]),
        (["7", " x", ""], [7, None, None]),
    ],
)
def test_blanks_around_numbers_do_not_matter(column, told):
    frame = pa.table({"sex": ["Total", "f", "m"], "n": column, "freq": column})
    cells = csv.read(frame, by=["sex"], value="n").cells
    wanted = np.array(told, float)
    np.testing.assert_array_equal(cells.value, wanted)
    np.testing.assert_array_equal(cells.frequency, wanted)


def test_reasons_may_be_numbers():
    read = csv.read(people(reason=[0, 5, 11]), by=["sex"], value="n")
    assert read.cells.reason.tolist() == ["0", "5", "11"]


def test_the_levels_of_sdctable_are_read():
    rows = people(sdcStatus=["s", "u", "w"], LPL=[0, 1, 0], UPL=[0, 2, 0], SPL=[0, 3, 0])
    cells = csv.read(rows, by=["sex"], value="n").cells
    assert cells.status.tolist() == [Status.SAFE, Status.SENSITIVE, Status.SECONDARY]
    levels = (cells.lower_level[1], cells.upper_level[1], cells.sliding_level[1])
    assert levels == (1, 2, 3)


def test_the_code_of_a_total_may_be_a_number():
    frame = pa.table({"sex": [0, 1, 2], "n": [7, 3, 4]})
    assert csv.read(frame, by=["sex"], value="n", totals=0).dimensions[0].total == "0"


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({}, {"by": "sex"}, r"write \['sex'\]"),
        ({}, {"by": ["sex", "sex"]}, "`by` names `sex` twice"),
        (
            {},
            {"hierarchies": {"sexe": {"Total": ["f", "m"]}}},
            "`hierarchies` names `sexe`, .*`sex`",
        ),
        ({}, {"totals": {"s": "All"}}, "`totals` names `s`"),
        ({}, {"missing": {"s": "f"}}, "`missing` names `s`"),
        ({"a": [1] * 3, "b": [1] * 3}, {"columns": {"cost": ["a", "b"]}}, "one column; found a, b"),
        ({"n": [7, np.inf, 4]}, {}, "`n` holds inf in row 2"),
        ({"n": ["7", "3_0", "4"]}, {}, "`n` holds '3_0'; expected numbers"),
        ({"lpl": [0, 1, -1]}, {}, "Row 3: expected a lower level of 0 or more"),
        ({"status": list("psu"), "suppressed": [1, 0, 1]}, {}, "`suppressed` contradicts .* row 1"),
    ],
)
def test_slips_are_refused(columns, options, message):
    with pytest.raises((InputError, ParameterError), match=message):
        csv.read(people(**columns), **{"by": ["sex"], "value": "n", **options})

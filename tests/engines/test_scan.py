"""`scan`: what people hold, on the engines that need no cluster."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tacita as ta
from tacita.api.scan import scan
from tacita.data.hierarchies.prefix import Prefix
from tacita.errors import HierarchyError, InputError, ParameterError

ROLES = {"name": "identifier", "age": "key", "zip": "key", "sick": "confidential"}
HIERARCHIES = {"zip": Prefix(5), "age": {"intervals": {"widths": [10, 20]}}}
PEOPLE = pa.table(
    {
        "name": ["ana", "bo", "cy", "di", "eve", "fay"],
        "age": [30, 30, 41, 47, None, 30],
        "zip": ["94138", "94138", "94141", "94142", None, "94138"],
        "sick": ["flu", "hiv", "flu", "flu", "flu", "flu"],
        "w": [1.5, 2.5, 1.0, 1.0, 1.0, 0.5],
    }
)


@pytest.fixture
def path(tmp_path):
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    return tmp_path / "people.parquet"


@pytest.fixture(params=["memory", "duckdb"])
def people(path, request):
    return scan(path, roles=ROLES, hierarchies=HIERARCHIES, engine=request.param)


def test_what_a_scan_is(people):
    assert people.names == list(PEOPLE.column_names)
    assert people.keys == ["age", "zip"]
    assert people.count() == 6
    assert repr(people).splitlines()[:3] == [
        "Scan: 5 attributes",
        "  name  nominal     identifier",
        "  age   continuous  key",
    ]


def test_classes(people):
    found = people.classes()
    assert (len(found), found.size, found.smallest) == (4, 6, 1)
    assert found.records_below(2) == 3
    assert found.share_below(3) == Fraction(1, 2)
    assert found.to_arrow().to_pylist() == [
        {"age": None, "zip": None, "count": 1},
        {"age": 30, "zip": "94138", "count": 3},
        {"age": 41, "zip": "94141", "count": 1},
        {"age": 47, "zip": "94142", "count": 1},
    ]
    assert str(found).splitlines() == [
        "4 equivalence classes of 6 records over age, zip",
        "  smallest class       1",
        "  unique               3 records (50.00 %)",
        "  in classes below 3   3 records (50.00 %)",
        "  in classes below 5   6 records (100.00 %)",
        "  in classes below 10  6 records (100.00 %)",
    ]


def test_classes_are_those_of_a_data_set(people):
    whole = ta.read(PEOPLE, roles=ROLES).classes()
    assert sorted(whole.counts) == sorted(people.classes().to_arrow().column("count").to_pylist())
    assert len(people.classes(["sick"])) == 2


def test_weights(path):
    weighted = scan(path, roles={**ROLES, "w": "weight"}).classes(["sick"]).to_arrow()
    assert weighted.column("weight").to_pylist() == [5.0, 2.5]


def test_generalizing(people):
    masked = people.generalize({"zip": 2, "age": 1})
    assert masked.histogram("zip").to_pylist() == [
        {"value": None, "count": 1},
        {"value": "941**", "count": 5},
    ]
    assert masked.histogram("age").column("value").to_pylist() == [None, "[30,40)", "[40,50)"]
    assert masked.attributes["age"].kind == ta.Kind.NOMINAL
    assert masked.attributes["age"].is_a(ta.Role.KEY)
    assert len(masked.classes()) == 3


def test_levels_that_are_none(people):
    assert people.generalize({"zip": 0}).histogram("zip").num_rows == 4
    with pytest.raises(HierarchyError, match="levels 0 to 5; level 6 was asked for"):
        people.generalize({"zip": 6})
    with pytest.raises(HierarchyError, match="`sick` has no hierarchy"):
        people.generalize({"sick": 1})
    with pytest.raises(InputError, match="Did you mean `zip`"):
        people.generalize({"zipp": 1})


@pytest.mark.parametrize("level", ["1", True, 1.0, None])
def test_levels_that_are_no_numbers(people, level):
    with pytest.raises(ParameterError, match="The level of `zip` is a whole number, 0 or more"):
        people.generalize({"zip": level})


def test_levels_that_are_for_nothing(people):
    with pytest.raises(ParameterError, match="Say the level of each attribute, like"):
        people.generalize(["zip"])
    assert people.generalize({"zip": np.int64(5)}).histogram("zip").num_rows == 2


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_tree_over_true_and_false(tmp_path, engine):
    pq.write_table(pa.table({"b": [True, False, None]}), tmp_path / "a.parquet")
    said = {"b": {"tree": {"*": ["true", "false"]}}}
    people = scan(tmp_path / "a.parquet", hierarchies=said, engine=engine)
    assert people.generalize({"b": 1}).histogram("b").to_pylist() == [
        {"value": None, "count": 1},
        {"value": "*", "count": 2},
    ]


def test_recoding_by_the_classes(people):
    classes = people.classes().to_arrow()
    masked = classes.select(["age"]).set_column(0, "age", pa.array(["*"] * len(classes)))
    recoded = people.recode(classes.select(["age", "zip"]), masked.to_pandas())
    assert recoded.histogram("age").to_pylist() == [{"value": "*", "count": 6}]
    assert recoded.attributes["age"].roles == people.attributes["age"].roles
    with pytest.raises(InputError, match="no row for age = blank"):
        people.recode(pa.table({"age": [30, 41, 47]}), pa.table({"age": ["a", "b", "c"]}))


def test_small_classes_are_left_out(people):
    assert people.at_least(3).count() == 3
    assert people.at_least(5, ["sick"]).classes().smallest == 1
    assert people.at_least(5, ["sick"]).count() == 5


def test_identifiers_stay_behind_once_masked(people, tmp_path):
    assert "name" in people.to_arrow().column_names
    masked = people.at_least(2)
    assert masked.to_arrow().column_names == ["age", "zip", "sick", "w"]
    masked.write(tmp_path / "out.parquet")
    assert pq.read_schema(tmp_path / "out.parquet").names == ["age", "zip", "sick", "w"]
    assert people.without(["w"]).to_arrow().column_names == ["age", "zip", "sick"]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_numbers_and_dates_of_a_text_file(tmp_path, engine):
    path = tmp_path / "a.csv"
    path.write_text("age,born\n037,1964-09-27\n5,\n", encoding="utf-8")
    said = {"age": {"intervals": {"widths": [10]}}, "born": {"dates": ["year"]}}
    people = scan(
        path, kinds={"age": "continuous", "born": "date"}, hierarchies=said, engine=engine
    )
    assert people.to_arrow().column("age").to_pylist() == ["037", "5"]
    masked = people.generalize({"age": 1, "born": 1}).to_arrow()
    assert masked.to_pylist() == [
        {"age": "[30,40)", "born": "1964"},
        {"age": "[0,10)", "born": None},
    ]


def test_what_cannot_be_said_of_a_scan(path):
    with pytest.raises(InputError, match="`agee` is declared but not in the data"):
        scan(path, roles={"agee": "key"})
    with pytest.raises(ParameterError, match="`sick` is said to be ordinal"):
        scan(path, kinds={"sick": "ordinal"})
    with pytest.raises(InputError, match="No attribute has the role `key`"):
        scan(path).classes()
    with pytest.raises(InputError, match="to scan; found Table"):
        scan(PEOPLE)

from __future__ import annotations

import copy
import datetime as dt
import os
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.attribute import Kind, Role
from tacita.errors import InputError


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": ["a", "b", "c"],
            "age": [30, 31, 32],
            "pay": [1.5, np.nan, 3.0],
            "grade": pd.Categorical(["low", "high", "low"], ["low", "mid", "high"], ordered=True),
            "born": pd.to_datetime(["1990-01-01", "1991-02-03", None]),
        },
        index=["r1", "r2", "r3"],
    )


def test_pandas_comes_out_as_pandas_with_index_and_categories():
    data = ta.read(frame(), roles={"id": "identifier", "age": "key"})
    pd.testing.assert_frame_equal(data.to_native(), frame(), check_dtype=False)
    assert data.to_native()["grade"].dtype == frame()["grade"].dtype
    assert list(data.take(np.array([2, 0])).to_native().index) == ["r3", "r1"]


def test_masked_data_leave_identifiers_labels_and_lost_categories_behind():
    frame_ = frame().assign(sex=pd.Categorical(["f", "m", "f"]))
    data = ta.read(frame_, roles={"id": "identifier", "age": "key"})
    masked = data.apply(ta.TopCode("age", 31)).take(np.array([0, 2]))
    for out in (masked.to_native(), masked.to_pandas()):
        assert "id" not in out.columns
        assert list(out.index) == [0, 1]
        assert list(out["sex"].cat.categories) == ["f"]
    assert "id" not in masked.to_polars().columns
    assert "id" not in masked.to_arrow().column_names


def test_whole_numbers_stay_whole_and_names_stay_what_they_were():
    numbers = pd.DataFrame({0: pd.array([2**60 + 1, None, 3], "Int64"), "b": [True, None, False]})
    data = ta.read(numbers, roles={0: "key"})
    out = data.to_native()
    assert out[0].tolist()[0] == 2**60 + 1
    assert out[0].dtype == "Int64"
    assert out["b"].tolist()[::2] == [True, False]
    assert data.keys == ["0"]


def test_a_data_set_can_be_pickled_and_copied(toy):
    again = pickle.loads(pickle.dumps(toy))  # noqa: S301 - our own
    assert again.fingerprint() == toy.fingerprint() == copy.deepcopy(toy).fingerprint()
    assert again.classes().counts.tolist() == toy.classes().counts.tolist()


def test_the_fingerprint_does_not_hang_on_the_order_of_roles():
    script = (
        "import tacita as ta, pyarrow as pa;"
        "r = {'a': ['key', 'confidential', 'stratum']};"
        "print(ta.read(pa.table({'a': [1]}), roles=r).fingerprint())"
    )
    prints = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2, 3)
    }
    assert len(prints) == 1


def test_an_ordered_categorical_is_ordinal_in_its_order():
    attribute = ta.read(frame()).attribute("grade")
    assert attribute.kind is Kind.ORDINAL
    assert attribute.order == ("low", "mid", "high")


def test_polars_comes_out_as_polars():
    made = pl.DataFrame({"a": ["x", None], "b": [1, 2]})
    assert ta.read(made).to_native().equals(made)


def test_arrow_comes_out_as_arrow_and_every_kind_can_be_had():
    made = pa.table({"a": ["x", None], "b": [1, 2]})
    data = ta.read(made)
    assert data.to_native().equals(made)
    assert data.to_polars().to_arrow().column("b").to_pylist() == [1, 2]
    assert data.to_pandas()["b"].tolist() == [1, 2]


def test_kinds_follow_from_types_unless_said():
    table = pa.table({"n": [1], "x": [1.5], "t": ["a"], "d": [dt.date(2020, 1, 1)], "s": [["a"]]})
    kinds = [a.kind for a in ta.read(table).attributes.values()]
    assert kinds == [Kind.CONTINUOUS, Kind.CONTINUOUS, Kind.NOMINAL, Kind.DATE, Kind.SET_VALUED]
    assert ta.read(table, kinds={"n": "nominal"}).attribute("n").kind is Kind.NOMINAL


def test_an_attribute_may_hold_several_roles():
    data = ta.read(pa.table({"pay": [1]}), roles={"pay": ["key", "confidential"]})
    assert data.attribute("pay").roles == {Role.KEY, Role.CONFIDENTIAL}
    assert data.keys == data.confidential == ["pay"]


def test_missing_and_suppressed_codes_are_not_values_and_other_codes_are():
    data = ta.read(
        pa.table({"pay": ["-9", "*", "-999", "5"]}),
        kinds={"pay": "continuous"},
        missing={"pay": [-9]},
        suppressed={"pay": ["*"]},
    )
    assert data.column("pay").to_pylist() == [None, None, -999.0, 5.0]
    assert data.suppressed_in("pay").tolist() == [False, True, False, False]


def test_a_code_may_be_said_as_a_decimal_or_be_absent():
    data = ta.read(pa.table({"a": [-9, 5]}), missing={"a": [-9.0]}, suppressed={"a": ["*"]})
    assert data.column("a").to_pylist() == [None, 5]


def test_nan_is_missing():
    data = ta.read(pa.table({"x": [1.0, float("nan")]}))
    assert data.column("x").to_pylist() == [1.0, None]


def test_sets_are_parted_in_text():
    data = ta.read(pa.table({"s": ["a|b", None, "c"]}), kinds={"s": "set_valued"})
    assert data.column("s").to_pylist() == [["a", "b"], None, ["c"]]


@pytest.mark.parametrize(
    ("columns", "said", "message"),
    [
        (
            {"x": [1.0, float("inf")]},
            {},
            "`x` must hold finite numbers; 1 infinite found, .*record 2",
        ),
        ({"x": ["1", "b"]}, {"kinds": {"x": "continuous"}}, "record 2 holds 'b'"),
        ({"x": ["1", "b"]}, {"kinds": {"x": "date"}}, "`x` should hold a date"),
        ({"x": ["1"]}, {"kinds": {"x": "ordinal"}}, "give the order"),
        ({"x": ["1"]}, {"kinds": {"x": "ordinal"}, "orders": {"x": ["2"]}}, "does not list"),
        ({"x": ["1"]}, {"kinds": {"x": "nominal"}, "orders": {"x": ["1"]}}, "must be ordinal"),
        ({"x": [[1]]}, {"kinds": {"x": "nominal"}}, "must be set_valued"),
        ({"x": [1]}, {"kinds": {"x": "set_valued"}}, "expected lists or text"),
        ({"x": [1]}, {"kinds": {"x": "contnuous"}}, "Did you mean `continuous`"),
        ({"x": [1]}, {"roles": {"x": "kye"}}, "Did you mean `key`"),
        ({"x": [1]}, {"roles": {"X1": "key"}}, "`X1` is declared but not in the data"),
        ({"x": [None, None]}, {"roles": {"x": "key"}}, "blank in every record"),
        (
            {"x": [1, 0]},
            {"roles": {"x": "weight"}},
            r"above 0 and below 1e\+15; `x` is 0 in record 2",
        ),
        ({"x": [1, None]}, {"roles": {"x": "weight"}}, "above 0"),
        ({"x": ["a"]}, {"roles": {"x": "weight"}}, "must hold numbers"),
        ({"x": [1], "y": [1]}, {"roles": {"x": "weight", "y": "weight"}}, "One attribute at most"),
        ({"x": [{"a": 1}]}, {}, "holds struct"),
        ({"x": ["a"]}, {"hierarchies": {"x": {"prefix": -1}}}, "Attribute `x`: `prefix` takes"),
    ],
)
def test_what_does_not_fit_is_told_in_a_sentence(columns, said, message):
    with pytest.raises(InputError, match=message):
        ta.read(pa.table(columns), **said)


def test_names_must_be_unique_and_frames_must_be_frames():
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(InputError, match="`a` is there more than once"):
        ta.read(twice)
    with pytest.raises(InputError, match="found int"):
        ta.read(5)
    with pytest.raises(InputError, match="Collect a lazy frame"):
        ta.read(pl.LazyFrame({"a": [1]}))
    with pytest.raises(InputError, match="mixes types"):
        ta.read(pd.DataFrame({"a": [1, "x", dt.date(2020, 1, 1)]}))


def test_a_text_code_keeps_its_leading_zeros(tmp_path):
    file = tmp_path / "zips.csv"
    file.write_text("zip,n\n01234,1\n12345,2\n")
    data = ta.read(file, roles={"zip": "key"}, hierarchies={"zip": {"prefix": 5}})
    assert data.column("zip").to_pylist() == ["01234", "12345"]


def test_reading_files_gives_what_writing_wrote(tmp_path, toy):
    from tacita.data.formats import write_table

    for suffix in ("csv", "parquet"):
        file = tmp_path / f"toy.{suffix}"
        write_table(toy.table, file)
        said = {name: attribute.said for name, attribute in toy.attributes.items()}
        again = ta.read(
            file,
            roles={n: s["role"] for n, s in said.items()},
            kinds={n: a.kind.value for n, a in toy.attributes.items()},
            orders={n: a.order for n, a in toy.attributes.items() if a.order},
        )
        for name in toy.names:
            expected, found = toy.column(name), again.column(name)
            if again.attribute(name).kind is Kind.NOMINAL:  # codes are kept as they are written
                expected, found = expected.cast(pa.string()), found.cast(pa.string())
            assert found.to_pylist() == expected.to_pylist(), name


def test_the_data_set_prints_its_attributes(toy):
    shown = repr(toy)
    assert "300 records, 12 attributes" in shown
    assert "age" in shown
    assert "continuous" in shown
    wide = ta.read(pa.table({f"c{i}": [1] for i in range(100)}))
    assert "... and 60 more" in repr(wide)


def test_a_frame_library_that_is_not_installed_is_named(monkeypatch, toy):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ta.errors.MissingExtraError, match=r"pip install 'tacita\[frames\]'"):
        toy.to_polars()

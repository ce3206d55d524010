from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import InputError, OutputError, ParameterError
from tacita.mechanisms.cell_keys import perturbation_table
from tacita.tables.formats import p_table
from tacita.tables.perturb.keying.options import table_of_counts

STORED = Path(__file__).parents[4] / "shared" / "data" / "tables" / "tauargus"
HEADER = "i;j;p;v;p_int_ub\n"
SMALL = HEADER + "0;0;1;0;1\n1;0;0.5;-1;0.5\n1;2;0.5;1;1\n"


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.floats(0.1, 0.9), st.sampled_from([1, 2, 4, 10]))
def test_what_is_written_is_read(tmp_path_factory, largest, place, parts):
    path = tmp_path_factory.mktemp("p") / "p.txt"
    made = perturbation_table(largest, place * largest, parts=parts)
    for tables in ({"all": made}, {"even": made, "odd": perturbation_table(7, 2.0)}):
        p_table.write(tables, path)
        read = p_table.read(path)
        assert list(read) == list(tables)
        keys = np.random.default_rng(0).random(300)
        numbers = np.random.default_rng(1).integers(0, 20, 300).astype(float)
        for kind, table in tables.items():
            assert np.array_equal(read[kind].drawn(numbers, keys), table.drawn(numbers, keys))
    p_table.write({"all": made}, path)
    assert ("type" in path.read_text()) == (parts > 1)


def test_a_file_written_by_hand(tmp_path):
    path = tmp_path / "p.txt"
    path.write_text(SMALL.replace("i;j", '"i";"j"'))
    table = p_table.read(path)["all"]
    assert table.values.tolist() == [-1, 0, 1]
    assert table.numbers.tolist() == [0, 1]
    assert table.chances.tolist() == [[0, 1, 0], [0.5, 0, 0.5]]
    assert table.variances.tolist() == [0, 1]
    assert table.drawn(np.array([1.0, 9.0, 0.0]), np.array([0.4, 0.5, 0.7])).tolist() == [-1, 1, 0]


def test_a_table_of_magnitudes_is_none_of_counts(tmp_path):
    path = tmp_path / "p.txt"
    p_table.write({"all": perturbation_table(3, 1.0, parts=2)}, path)
    with pytest.raises(ParameterError, match="counts need one with whole noise"):
        table_of_counts(str(path))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("0;0;1;0;1\n", "line 1: expected the names of the columns"),
        (HEADER, "holds no probabilities"),
        (HEADER + "0;0;1;0\n", "line 2: expected 5 fields"),
        (HEADER + "0;0;one;0;1\n", "line 2: expected 5 fields, five of them numbers"),
        (HEADER + "0;0;1;2;1\n", "line 2: expected a number and what becomes of it"),
        (HEADER + "0;-1;1;-1;1\n", "neither below 0"),
        (HEADER + "1;1;1;0;1\n", "a row for the number 0"),
        (HEADER + "0;0;0.5;0;0.5\n", "must add up to 1; found 0.5"),
        (HEADER + "0;0;0.5;0;0.5\n0;1;0.5;1;0.9\n", "line 3: expected noise in ascending order"),
        (HEADER + "0;1;0.5;1;0.5\n0;0;0.5;0;1\n", "line 3: expected noise in ascending order"),
        ("i;j;p;v;u;type\n0;0;1;0;1;evn\n", "expected a type"),
    ],
)
def test_faults_are_told_with_their_line(tmp_path, text, sentence):
    path = tmp_path / "p.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=sentence):
        p_table.read(path)


def test_a_type_that_is_none_cannot_be_written(tmp_path):
    with pytest.raises(OutputError, match=r"Did you mean `?even"):
        p_table.write({"evn": perturbation_table(3, 1.0)}, tmp_path / "p.txt")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not STORED.is_dir(), reason="the reference data are not here")
@pytest.mark.parametrize(
    ("name", "largest", "variance"),
    [
        ("cellkey_freq/20160511_szenario_5a.txt", 5, 2.001),
        ("cellkey_freq/tau_testW_ptable.txt", 7, 4.0),
        ("cellkey_mag/ptab_freq.txt", 5, 3.0),
        ("cellkey_mag/ptab_savings_all.txt", 5, 1.0),
    ],
)
def test_stored_tables_have_mean_0_and_one_variance(name, largest, variance):
    table = p_table.read(STORED / name)["all"]
    assert table.largest == largest
    assert np.abs(table.chances @ table.values).max() < 1e-7
    assert np.abs(table.variances[1:] - variance).max() < 1e-4

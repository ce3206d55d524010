from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pyarrow as pa
import pytest

from tacita.errors import InputError, OutputError, ParameterError
from tacita.tables.formats import FORMATS, FORMS, jj, read_table, write_table
from tacita.tables.system import System
from tacita.tables.table import Table

SUFFIXES = {
    *(".jj", ".jj.gz", ".tab", ".sbs", ".xlsx", ".html"),
    *(".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet"),
}


def test_every_suffix_means_one_form():
    assert set(FORMATS) == SUFFIXES
    assert sum(len(form.suffixes) for form in FORMS.values()) == len(FORMATS)


@pytest.mark.parametrize("name", FORMS)
def test_every_form_has_its_module_and_its_sentence(name):
    assert find_spec(f"tacita.tables.formats.{FORMS[name].module}")
    assert FORMS[name].sentence.endswith(".")


@pytest.mark.parametrize(("name", "form"), [("s.JJ.GZ", None), ("s.jj", None), ("s.txt", "jj")])
def test_a_system_goes_out_and_comes_back(tmp_path, salary, name, form):
    write_table(salary, tmp_path / name, form=form)
    system = read_table(str(tmp_path / name), form=form)
    assert isinstance(system, System)
    assert np.array_equal(system.cells.value, salary.cells.value)
    write_table(system, tmp_path / name, form=form, costs="scaled")


@pytest.mark.parametrize(
    ("name", "form"),
    [("s.tab", None), ("s.sbs", None), ("s.csv", "intermediate"), ("s.txt", "code_value")],
)
def test_a_table_goes_out_and_comes_back(tmp_path, salary, name, form):
    options = {"suppressed": "shown"} if form == "code_value" else {}
    write_table(salary, tmp_path / name, form=form, **options)
    table = read_table(tmp_path / name, form=form)
    assert isinstance(table, Table)
    assert np.array_equal(table.cells.value, salary.cells.value)
    assert np.array_equal(table.cells.status, salary.cells.status)


def test_what_cannot_be_told(tmp_path, salary):
    with pytest.raises(InputError, match=r"expected a name ending in \.jj, .*say the `form` \(jj"):
        read_table(tmp_path / "s.txt")
    with pytest.raises(OutputError, match="expected a name ending in"):
        write_table(salary, tmp_path / "s")
    with pytest.raises(ParameterError, match=r"found 'code_vale'. Did you mean `code_value`"):
        read_table(tmp_path / "s.txt", form="code_vale")


def test_options_that_mean_nothing_are_refused(tmp_path, salary):
    with pytest.raises(ParameterError, match=r"`cost` is no option .*\(it has costs\).*`costs`"):
        write_table(salary, tmp_path / "s.jj", cost="scaled")
    with pytest.raises(ParameterError, match=r"`totals` is no option .*\(it has none\)"):
        read_table(tmp_path / "s.jj", totals="All")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "form", "option", "word"),
    [
        ("s.txt", "code_value", "suppressed", "hidden"),
        ("s.sbs", None, "suppressed", "Blank"),
        ("s.csv", None, "view", "private"),
        ("s.tab", None, "decimal", "."),
        ("s.jj", None, "costs", None),
    ],
)
def test_a_slip_in_a_word_writes_nothing(tmp_path, salary, name, form, option, word):
    with pytest.raises(ParameterError, match=f"`{option}` is \\w+ or \\w+; found"):
        write_table(salary, tmp_path / name, form=form, **{option: word})
    assert not list(tmp_path.iterdir())


def test_data_frames_are_read_as_files_of_columns():
    frame = pa.table({"sex": ["Total", "f"], "n": [7, 7]})
    assert len(read_table(frame, by=["sex"], value="n")) == 2
    with pytest.raises(ParameterError, match="A data frame has no `form`; found 'jj'"):
        read_table(frame, form="jj")
    with pytest.raises(ParameterError, match=r"`valu` is no option .*Did you mean `value`"):
        read_table(frame, by=["sex"], valu="n")
    with pytest.raises(ParameterError, match="`absent` is empty or unpublished; found 'gone'"):
        read_table(frame, by=["sex"], value="n", absent="gone")


@pytest.mark.parametrize("name", ["s.csv.gz", "s.tsv", "s.tsv.gz"])
def test_packed_and_tabbed_files_are_told_by_their_endings(tmp_path, salary, name):
    write_table(salary, tmp_path / name, view="internal")
    by = [dimension.name for dimension in salary.dimensions]
    read = read_table(tmp_path / name, by=by)
    assert np.array_equal(read.cells.value, salary.cells.value)


def test_options_that_are_needed_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(jj, "read", lambda path, *, by: by)
    with pytest.raises(ParameterError, match="needs the option `by`"):
        read_table(tmp_path / "s.jj")
    assert read_table(tmp_path / "s.jj", by="a") == "a"


def test_pages_and_workbooks_are_not_read(tmp_path):
    with pytest.raises(InputError, match="can be written but not read"):
        read_table(tmp_path / "s.html")


def test_a_system_has_no_attributes_to_list_its_cells_by(tmp_path, salary):
    with pytest.raises(OutputError, match=r"write it to a `\.jj` file"):
        write_table(salary.system(), tmp_path / "s.tab")

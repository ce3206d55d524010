"""The walk over delimited text against Python's own reader, as it is and compiled."""

from __future__ import annotations

import csv
import io
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels import scanning
from tacita.kernels.scanning import survey


@pytest.fixture(
    scope="module", params=[{}, {"numba": None}], ids=["as it is", "compiled"], autouse=True
)
def loaded(request):
    """Whether the compiler is loaded, which decides how short texts are walked over."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scanning, "sys", SimpleNamespace(modules=request.param))
        yield


def test_a_long_text_is_walked_over_by_compiled_code(monkeypatch):
    monkeypatch.setattr(scanning, "sys", SimpleNamespace(modules={}))
    scanning._compiled()
    monkeypatch.setattr(scanning, "_walk", None)
    text = np.full(scanning.SHORT + 1, ord("1"), np.uint8)
    with pytest.raises(TypeError):
        survey(text[1:], ord(","), 1)
    assert survey(text, ord(","), 1).line == 1


def walk(text, columns=2, delimiter=","):
    return survey(np.frombuffer(text.encode(), np.uint8), ord(delimiter), columns)


@given(st.text('a0,"\n\r', max_size=30))
def test_fields_and_lines_agree_with_python(text):
    reader = csv.reader(io.StringIO(text, newline=""))
    before, ragged = 0, (0, 0, 0)
    for record in reader:
        if record and len(record) != 2:
            ragged = before + 1, reader.line_num, len(record)
            break
        before = reader.line_num
    found = walk(text)
    if not found.unclosed:
        ended = text.endswith(("\n", "\r")) and found.ragged_end > ragged[1]
        assert (found.ragged, found.ragged_end - ended, found.ragged_fields) == ragged


def test_codes_are_found_by_column():
    found = walk('a,b,c\n1,"007",x\n2,3,+5\n', columns=3)
    assert found.codes.tolist() == [False, True, True]


def test_numbers_and_dates_are_no_codes():
    assert not walk("0,-0\n0.5,-0.5\n10,100\n,\n1e05,-\n 0, -0\n0987-01-31,0").codes.any()


def test_codes_end_with_their_field():
    for code in ("0x1", "012", "0123", "01234", "-01", " 01"):
        assert walk(f"{code},-0\n").codes.tolist() == [True, False]


def test_the_end_is_a_place():
    found = walk('a,b\n1,"x\ny')
    assert (found.line, found.field, found.unclosed) == (3, 1, 2)
    assert walk("").line == 1


def test_an_empty_last_field_counts():
    assert walk("a,b\n1,").ragged == 0
    assert walk("a,b\n1,2,").ragged_fields == 3

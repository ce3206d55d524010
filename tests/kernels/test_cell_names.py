"""The walk over a sheet against a regular expression."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacita.kernels.cell_names import extent

NAME = re.compile(rb"""r\s*=\s*["']([A-Za-z]+)(\d+)["']""")
parts = st.sampled_from(
    ["r", "=", '"', "'", " ", "\n", "\x0b", "A", "z", "XFD", "B7", "0", "12345678", "<c", 'r="C3"',
     "é", "@", "[", "`", "{"]
)  # fmt: skip


def found(text):
    return extent(np.frombuffer(text, np.uint8))


@given(st.lists(parts, max_size=30).map(lambda some: "".join(some).encode()))
def test_names_are_those_that_a_regular_expression_finds(text):
    names = NAME.findall(text)
    near = [(column, int(row)) for column, row in names if len(column) <= 3 and len(row) <= 7]
    seen = found(text)
    assert (seen.cells, seen.far) == (len(near), len(names) - len(near))
    if near:
        # Of two names that is the later which is longer, or else comes later in the alphabet.
        columns = sorted((column.upper() for column, _ in near), key=lambda one: (len(one), one))
        ends = [found(b'r="' + one + b'1"').columns[0] for one in (columns[0], columns[-1])]
        assert seen.columns == tuple(ends)
        assert seen.rows == (min(row for _, row in near), max(row for _, row in near))


def test_columns_are_counted():
    for name, number in {b"A": 1, b"z": 26, b"AA": 27, b"AZ": 52, b"BA": 53, b"XFD": 16384}.items():
        assert found(b"<c r='" + name + b"1048576'>").columns == (number, number)


def test_a_text_without_names_has_none():
    seen = found(b'<row r="1"><c t="s">A1</c></row>')
    assert (seen.cells, seen.far) == (0, 0)
    assert seen.columns[0] > seen.columns[1]

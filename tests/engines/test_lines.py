"""Quotes, line ends and long records of text files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.engines import lines
from tacita.engines.lines import Lines, lines_of
from tacita.errors import InputError

PATH = Path("a.csv")
FIELDS = st.text("ab ,\"'\n\r", max_size=4)


def look(text):
    return lines_of(PATH, np.frombuffer(text.encode(), np.uint8), ",")


def in_quotes(field):
    """A field as a careful program writes it."""
    return '"' + field.replace('"', '""') + '"' if set(field) & set(',"\n\r') else field


@pytest.fixture(params=[1, 2, 3, 2**24])
def block(request, monkeypatch):
    """The same look in small steps and in one."""
    monkeypatch.setattr(lines, "BLOCK", request.param)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@given(rows=st.lists(st.tuples(st.just("x"), FIELDS, FIELDS), min_size=1))
def test_what_a_careful_program_writes(end, rows):
    records = [",".join(map(in_quotes, row)) for row in rows]
    found = look("".join(record + end for record in records))
    texts = "".join(field for row in rows for field in row)
    assert found.multiline == bool(set("\r\n") & set(texts))
    assert found.ambiguous == (PATH if end != "\n" and "\r" in texts else None)
    longest = max(len(record) for record in records)
    assert longest <= found.longest <= longest + 2


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b\n"x" ,1\n', 2),
        ('a,b\n "z",2\n', 2),
        ('a,b\n1,2\n"z"w,2\n', 3),
        ('a,b\r\n1,5" pipe\r\n', 2),
        ('a,b\n"l\rm\r\nn\no",1\n"z" ,2\n', 6),
        ('"a" ,b\n', 1),
        ('a,b\n1,"2""" \n', 2),
    ],
)
def test_text_beside_quotes(text, line):
    with pytest.raises(InputError, match=f"^a.csv, line {line}: a quote stands beside other text"):
        look(text)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a\nb\r\n", "CRLF and others in LF"),
        ("a\r\nb\r", "CR and others in CRLF"),
        ('a\n"x\ny"\rb', "CR and others in LF"),
    ],
)
def test_lines_that_do_not_end_alike(text, kinds):
    with pytest.raises(InputError, match=f"some lines end in {kinds}, which"):
        look(text)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a,b\n1,2\n", Lines(4)),
        ("a\n\n\nbcd", Lines(4)),
        ('a\n"b\r\nc"\n', Lines(7, multiline=True)),
        ('a\r\n"b\r\nc"\r\n', Lines(8, multiline=True, ambiguous=PATH)),
        ('a\r\n"b\nc"\r\n', Lines(7, multiline=True)),
    ],
)
def test_what_is_found(text, found):
    assert look(text) == found


def test_records_that_look_like_blank_lines():
    assert look("a\tb\n\t\n1\t2\n").multiline
    assert look("a\n \n").multiline
    assert not look("a\r\n\r\n b \r\n").multiline


def test_several_files():
    assert Lines(3).and_those(Lines(2, multiline=True)) == Lines(3, multiline=True)
    assert Lines(3, ambiguous=PATH).and_those(Lines(9)) == Lines(9, ambiguous=PATH)

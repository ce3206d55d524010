"""Numbers in text keep every digit: as doubles where these hold them, as decimals, or as text."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tacita as ta
from tacita.data.formats import read_table, write_table
from tacita.data.formats.digits import GLANCE, may_lose_digits

WRITTEN = [
    (["1E50", "1E9"], pa.float64()),
    (["12345678901234567.89", "1.50", "NA"], pa.decimal128(19, 2)),
    (["-12345678901234567.89", " 7"], pa.decimal128(19, 2)),
    (["0.30000000000000004", "1"], pa.float64()),
    (["1.000000000000000056e-01", "2"], pa.float64()),  # as NumPy writes 0.1
    (["1.12345678901234567890", "nan"], pa.decimal128(21, 20)),
    ([".12345678901234567891", "5.", "-.5"], pa.decimal128(20, 20)),
    (["1e-400", "1"], pa.string()),
    (["1e400", "1"], pa.string()),
    (["5e-324", "1.5"], pa.float64()),
    (["1.2e-323", "1.5"], pa.string()),
    (["1.2345678901234567890123e5", "1.5"], pa.string()),
    (["123456789012345678901234567890123456789.5", "1"], pa.string()),
    (["12345678901234567.89", "inf"], pa.string()),
    (["007", "1"], pa.string()),
    (["+5", "1"], pa.string()),
    (["9223372036854775807", "1"], pa.int64()),
    (["9223372036854775808", "1"], pa.string()),
]


@pytest.mark.parametrize(("fields", "kind"), WRITTEN)
def test_numbers_are_of_a_type_that_holds_them(tmp_path, fields, kind):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n" + "".join(f"{field},1\n" for field in fields))
    column = read_table(path).column("x")
    if pa.types.is_decimal(kind) and "5." in fields:
        assert pa.types.is_decimal(column.type)
    else:
        assert column.type == kind


NUMBERS = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.from_regex(r"-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE]-?[0-9]{1,3})?", fullmatch=True),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers().map(str),
)


def value(held: object) -> Decimal:
    return Decimal(repr(held) if isinstance(held, float) else str(held))


def keeps(text: str, held: object) -> bool:
    """Tell whether a value is what is written, or a double that prints as it is written."""
    if held is None:
        return False
    number = Decimal(text)
    if not isinstance(held, float):
        return value(held) == number
    digits = len(number.as_tuple().digits)
    return number in (Decimal(repr(held)), Decimal(f"{held:.{digits - 1}e}"))


@pytest.mark.law
@given(numbers=st.lists(NUMBERS, min_size=1, max_size=4), comma=st.booleans())
@example(["12345678901234567.89"], True)
@example(["0.1", "12345678901234567.89"], False)
@example(["1e-400"], False)
@example(["00.5", "1"], False)
def test_no_digit_is_lost_on_the_way_in_and_out(tmp_path_factory, numbers, comma):
    folder: Path = tmp_path_factory.mktemp("n")
    sign = "," if comma else "."
    fields = [number.replace(".", sign) for number in numbers]
    (folder / "a.csv").write_text("x;y\n" + "".join(f"{field};z\n" for field in fields))
    held = ta.read(folder / "a.csv", delimiter=";", decimal=sign)
    for number, field, found in zip(numbers, fields, held.column("x").to_pylist(), strict=True):
        assert found == field or keeps(number, found), (field, found)
    write_table(held.to_arrow(), folder / "b.csv", delimiter=";", decimal=sign)
    again = ta.read(folder / "b.csv", delimiter=";", decimal=sign).column("x").to_pylist()
    for before, after in zip(held.column("x").to_pylist(), again, strict=True):
        assert before == after or value(before) == value(after)


@pytest.mark.parametrize("at", [GLANCE - 20, GLANCE - 8, GLANCE - 1, GLANCE])
def test_long_numbers_are_seen_wherever_a_look_ends(at):
    text = b"1,2\n" * (at // 4) + b"\n" * (at % 4) + b"1234567890123456" + b"\n1,2" * 30
    assert may_lose_digits(np.frombuffer(text, np.uint8))
    assert not may_lose_digits(np.frombuffer(text.replace(b"56\n", b"5\n"), np.uint8))


def test_a_column_of_decimals_counts_and_goes_out(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n12345678901234567.89,1\n0.5,2\n")
    data = ta.read(path)
    assert data.attribute("x").kind == "continuous"
    data.write(tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text() == "x,y\n12345678901234567.89,1\n0.50,2\n"

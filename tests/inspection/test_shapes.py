"""What values look like: valid ones are seen, plain numbers and words are not."""

import numpy as np
import pyarrow as pa
import pytest

from tacita.data.examples import GENERATED, generate
from tacita.inspection.names import meaning
from tacita.inspection.shapes import SHAPES, shape_of

VALID = {
    "UUIDs": [
        "123e4567-e89b-12d3-a456-426614174000",
        "00000000-0000-4000-8000-000000000001",
        "123E4567-E89B-12D3-A456-426614174001",
    ],
    "British postcodes": ["SW1A 1AA", "M1 1AE", "EC1A1BB"],
    "Dutch postcodes": ["1012 AB", "3511LX", "9711 AA"],
    "Canadian postcodes": ["K1A 0B1", "M5V3L9", "H0H 0H0"],
    "US ZIP+4 codes": ["02138-1234", "94105-0001", "10001-9999"],
    "Polish postcodes": ["00-950", "31-042", "80-001"],
    "Portuguese postcodes": ["1000-001", "4150-171", "8000-200"],
    "dates": ["1999-12-31", "2001-02-03", "1964-09-27"],
    "positions": ["41.1189,1.2445", "-33.8688, 151.2093", "40.4168;-3.7038"],
}
INVALID = ["SW1A", "0123 AB", "1999-31-12", "12.5", "hello", "12:30", "10-49"]


def spread(values):
    """More of the same: as many distinct values as a shape without a test needs."""
    return pa.array([value + " " * n for value in values for n in range(3)])


@pytest.mark.parametrize("what", VALID)
def test_valid_values_are_seen(what):
    assert shape_of(spread(VALID[what])).shape.what == what


@pytest.mark.parametrize("value", INVALID)
def test_invalid_values_have_no_shape_without_a_hint(value):
    assert not [shape.what for shape in SHAPES if not shape.hint and shape.matches(value)]


def test_other_dates_are_seen():
    for values in (
        ["31.12.1999", "1.2.2001"],
        ["12/31/1999", "02/28/64"],
        ["1999/12/31", "2001/1/2"],
    ):
        assert shape_of(spread(values)).shape.what == "dates"


def test_points_of_geographic_databases_are_positions():
    points = pa.array([f"POINT (1.24{n} 41.1{n})" for n in range(9)])
    assert shape_of(points).shape.what == "positions"


@pytest.mark.parametrize(
    ("name", "values", "what"),
    [
        ("zip", ["02138", "94105", "10001"], "postcodes"),
        ("plz", ["10115", "80331", "50667"], "postcodes"),
        ("diagnosis", ["A00", "C50.9", "E11.65"], "ICD-10 codes"),
        ("nace", ["G45.20", "C10.1", "J"], "codes of economic activities (NACE, ISIC)"),
        ("nuts", ["ES51", "NL32", "DE2"], "codes of regions (NUTS)"),
        ("birth_date", ["19640927", "19991231", "20010203"], "dates"),
        ("visit time", ["12:30", "07:15:00", "23:59"], "times of day"),
    ],
)
def test_a_name_makes_common_shapes_mean_something(name, values, what):
    concept = meaning(name).concept
    assert shape_of(pa.array(values), concept).shape.what == what
    unhinted = shape_of(pa.array(values))
    assert unhinted is None or unhinted.shape.what != what


@pytest.mark.parametrize("digits", range(4, 17))
def test_random_and_running_numbers_are_nothing(digits):
    rng = np.random.default_rng(digits)
    low = 10 ** (digits - 1)
    for numbers in (rng.integers(low, 10 * low, 3000), np.arange(low, low + 3000)):
        assert shape_of(pa.array(np.unique(numbers))) is None


@pytest.mark.parametrize("name", GENERATED)
def test_the_numbers_of_generated_data_are_not_taken_for_identifiers(name):
    table = generate(name, 3000).to_arrow()
    for column in table.column_names:
        if pa.types.is_integer(table[column].type) or pa.types.is_floating(table[column].type):
            values = table[column].combine_chunks().unique().drop_null()
            assert shape_of(values) is None, column


def test_a_share_of_wrong_values_is_told():
    values = [f"{n} AB" for n in range(1000, 1090)] + [f"unknown {n}" for n in range(10)]
    assert shape_of(pa.array(values)).told.startswith("90% of the distinct values are")


def test_half_of_the_values_are_too_few():
    values = [f"{n} AB" for n in range(1000, 1050)] + [f"unknown {n}" for n in range(50)]
    assert shape_of(pa.array(values)) is None


@pytest.mark.parametrize("values", [pa.array([], pa.string()), pa.array([1.5]), pa.array([True])])
def test_nothing_is_seen_in_what_is_not_text_or_whole_numbers(values):
    assert shape_of(values) is None

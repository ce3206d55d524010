from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.masking.compress import TALLEST

# Table K.1 of the JPEG standard (ITU-T T.81): the quantization of luminance.
LUMINANCE = np.array(
    [
        [16, 11, 10, 16, 24, 40, 51, 61],
        [12, 12, 14, 19, 26, 58, 60, 55],
        [14, 13, 16, 24, 40, 57, 69, 56],
        [14, 17, 22, 29, 51, 87, 80, 62],
        [18, 22, 37, 56, 68, 109, 103, 77],
        [24, 35, 55, 64, 81, 104, 113, 92],
        [49, 64, 78, 87, 103, 121, 120, 101],
        [72, 92, 95, 98, 112, 100, 103, 99],
    ]
)


def standard(shades, quality):
    """Do what the standard says to whole blocks of grays: transform, quantize, and back."""
    from scipy.fft import dctn, idctn

    rate = 5000 // quality if quality < 50 else 200 - 2 * quality
    steps = np.clip((LUMINANCE * rate + 50) // 100, 1, 255)
    out = np.empty(shades.shape)
    for top in range(0, shades.shape[0], 8):
        for left in range(0, shades.shape[1], 8):
            block = np.s_[top : top + 8, left : left + 8]
            found = np.rint(dctn(shades[block] - 128.0, norm="ortho") / steps) * steps
            out[block] = idctn(found, norm="ortho") + 128
    return np.clip(np.rint(out), 0, 255)


def read(values):
    return ta.read(pa.table({f"x{j}": column for j, column in enumerate(values.T)}))


def matrix(data):
    return np.column_stack([data.numbers(name) for name in data.names])


@pytest.mark.parametrize("quality", [10, 50, 75, 90])
def test_it_is_jpeg_as_the_standard_says(quality):
    """Grays are their own scale here; rounding may move a coefficient that lies between two."""
    shades = np.random.default_rng(0).integers(0, 256, (48, 16)).astype(float)
    shades[0], shades[1] = 0, 255
    released = matrix(
        read(shades).apply(ta.Compress([f"x{j}" for j in range(16)], quality=quality))
    )
    apart = np.abs(released - standard(shades, quality))
    assert np.median(apart) <= 1
    assert apart.mean() < 2
    assert np.abs(released - standard(shades, quality // 2)).mean() > 3 * apart.mean()


def smooth(records=200):
    steps = np.linspace(0, 1, records)
    return np.column_stack([1e6 * steps**2, -5 + np.sin(3 * steps), 40 * steps])


def test_lower_quality_loses_more_and_takes_less():
    data, spans = read(smooth()), np.ptp(smooth(), axis=0)
    errors, rates = [], []
    for quality in (5, 30, 95):
        safe = data.apply(ta.Compress(data.names, quality=quality))
        errors.append(np.abs((matrix(safe) - smooth()) / spans).mean())
        rates.append(safe.notes["compression_rate"])
    assert errors[0] > errors[1] > errors[2]
    assert rates[0] > rates[1] > rates[2]
    assert errors[2] < 0.01


def test_values_stay_within_their_range():
    data = read(np.random.default_rng(1).lognormal(size=(100, 5)))
    released = matrix(data.apply(ta.Compress(data.names, quality=20)))
    assert (released >= matrix(data).min(axis=0)).all()
    assert (released <= matrix(data).max(axis=0)).all()
    grays = (released - matrix(data).min(axis=0)) / np.ptp(matrix(data), axis=0) * 255
    np.testing.assert_allclose(grays, np.rint(grays), atol=1e-9)


def test_constants_and_blanks_stay():
    table = pa.table({"x": [5.0, 5.0, None], "y": [1.0, 2.0, 3.0], "z": pa.array([None] * 3, "f8")})
    safe = ta.read(table).apply(ta.Compress(["x", "y", "z"], quality=1))
    assert safe.column("x").to_pylist() == [5.0, 5.0, None]
    assert safe.column("z").null_count == 3


def test_more_records_than_an_image_is_tall():
    """Images do not reach into each other: a part alone has the same grays."""
    values = np.random.default_rng(2).integers(0, 256, (TALLEST + 40, 1)).astype(float)
    values[[0, 1, -2, -1], 0] = [0, 255, 0, 255]
    released = matrix(read(values).apply(ta.Compress("x0")))
    assert (released[TALLEST:] == matrix(read(values[TALLEST:]).apply(ta.Compress("x0")))).all()


def test_numbers_without_a_gray_are_refused():
    with pytest.raises(InputError, match="An image needs numbers whose distances are finite"):
        read(np.array([[-1.7e308], [1.7e308]])).apply(ta.Compress("x0"))

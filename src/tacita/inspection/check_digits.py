"""Codes that check themselves and number no person: one function a scheme.

Each takes the code as text of the scheme's own shape, with spaces and marks taken out and letters
in upper case, and looks only at what the shape leaves open. Numbers of persons are for the detector
of national numbers.
"""

from __future__ import annotations

from datetime import date

VIN_VALUES = dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ", (*range(1, 9), *range(1, 6), 7, 9, *range(2, 10)), strict=True)
)
VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def vin(number: str) -> bool:
    """Check a vehicle identification number: its ninth sign is a sum modulo 11, X for 10."""
    values = [int(sign) if sign.isdigit() else VIN_VALUES[sign] for sign in number]
    total = sum(a * b for a, b in zip(values, VIN_WEIGHTS, strict=True))
    return "0123456789X"[total % len("0123456789X")] == number[8]


def calendar_day(number: str) -> bool:
    """Check a day written as YYYYMMDD.

    >>> calendar_day("20240229"), calendar_day("20230229")
    (True, False)
    """
    try:
        date(int(number[:4]), int(number[4:6]), int(number[6:8]))
    except ValueError:
        return False
    return True

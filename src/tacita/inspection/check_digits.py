"""Numbers that check themselves: one function a scheme, true for a number that passes its test.

Each takes the number as text of the scheme's own shape, with spaces and marks taken out and
letters in upper case, and looks only at what the shape leaves open.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
HETU_LETTERS = "0123456789ABCDEFHJKLMNPRSTUVWXY"
# What a character at an odd place of a codice fiscale counts: 0 to 9, which are A to J, then K on.
ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
VIN_VALUES = dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ", (*range(1, 9), *range(1, 6), 7, 9, *range(2, 10)), strict=True)
)
VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
TEN, ELEVEN = 10, 11


def digits(number: str) -> list[int]:
    """Return the digits of a number, whatever stands between them."""
    return [int(sign) for sign in number if sign in "0123456789"]


def weighted(number: Sequence[int], weights: Sequence[int]) -> int:
    """Return the sum of digits, each times its weight."""
    return sum(a * b for a, b in zip(number, weights, strict=False))


def is_day(year: int, month: int, day: int) -> bool:
    """Tell whether there is such a day."""
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _is_day_of_two_digit_year(year: int, month: int, day: int) -> bool:
    return is_day(1900 + year, month, day) or is_day(2000 + year, month, day)


def luhn(number: str) -> bool:
    """Check a number by Luhn's test: every second digit from the right is doubled.

    >>> luhn("4539578763621486"), luhn("4539578763621487")
    (True, False)
    """
    backwards = digits(number)[::-1]
    doubled = sum(sum(divmod(2 * digit, TEN)) for digit in backwards[1::2])
    return (sum(backwards[::2]) + doubled) % TEN == 0


def card_number(number: str) -> bool:
    """Check a card number: 13 to 19 digits that pass Luhn's test."""
    return len(number) in range(13, 20) and luhn(number)


def iban(number: str) -> bool:
    """Check a bank account: letters as 10 to 35, country and check digits last, modulo 97."""
    turned = number[4:] + number[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1


def spanish_id(number: str) -> bool:
    """Check a Spanish DNI or NIE: the letter is the number modulo 23."""
    whole = number[:-1].translate(str.maketrans("XYZ", "012"))
    return DNI_LETTERS[int(whole) % 23] == number[-1]


def french_nir(number: str) -> bool:
    """Check a French NIR: its key completes the number to a multiple of 97."""
    whole = number[:-2].replace("2A", "19").replace("2B", "18")
    return 97 - int(whole) % 97 == int(number[-2:])


def french_nir_without_key(number: str) -> bool:
    """Check the month and the department of a French NIR of thirteen signs."""
    return 1 <= int(number[3:5]) <= 12 and number[5:7] != "00"  # noqa: PLR2004 - months


def codice_fiscale(number: str) -> bool:
    """Check an Italian codice fiscale: its last letter is a weighted sum modulo 26."""
    places = [int(sign) if sign.isdigit() else ord(sign) - ord("A") for sign in number[:-1]]
    return (sum(ODD[at] for at in places[::2]) + sum(places[1::2])) % 26 == ord(number[-1]) - 65


def german_tax_id(number: str) -> bool:
    """Check a German tax id: ISO 7064 (11, 10), and one digit stands two or three times."""
    *first, last = digits(number)
    most = max(first.count(digit) for digit in set(first))
    product = TEN
    for digit in first:
        product = 2 * ((digit + product) % TEN or TEN) % ELEVEN
    return (ELEVEN - product) % TEN == last and most in (2, 3)


def nhs_number(number: str) -> bool:
    """Check a British NHS number, modulo 11."""
    *first, last = digits(number)
    return (ELEVEN - weighted(first, range(10, 1, -1)) % ELEVEN) % ELEVEN == last


def dutch_bsn(number: str) -> bool:
    """Check a Dutch BSN by the eleven-test; one of eight digits begins with a zero."""
    signs = digits(number.zfill(9))
    return any(signs) and weighted(signs, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % ELEVEN == 0


def belgian_number(number: str) -> bool:
    """Check a Belgian national number: a date, and 97 less the rest, with a 2 before since 2000."""
    year, month, day = int(number[:2]), int(number[2:4]), int(number[4:6])
    keys = {97 - int(century + number[:9]) % 97 for century in ("", "2")}
    return int(number[9:]) in keys and _is_day_of_two_digit_year(year, month, day)


def swedish_number(number: str) -> bool:
    """Check a Swedish personnummer: a date (60 more for a co-ordination number), and Luhn."""
    signs = "".join(map(str, digits(number)))[-10:]
    year, month, day = int(signs[:2]), int(signs[2:4]), int(signs[4:6])
    return luhn(signs) and _is_day_of_two_digit_year(year, month, day % 60)


def norwegian_number(number: str) -> bool:
    """Check a Norwegian fodselsnummer: a date and two check digits, modulo 11."""
    signs = digits(number)
    day, month, year = int(number[:2]), int(number[2:4]), int(number[4:6])
    first = weighted(signs, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % ELEVEN
    second = weighted(signs, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % ELEVEN
    return first == second == 0 and _is_day_of_two_digit_year(year, month, day % 40)


def danish_cpr(number: str) -> bool:
    """Check the date of a Danish CPR number; since 2007 not all of them have a check digit."""
    day, month, year = int(number[:2]), int(number[2:4]), int(number[4:6])
    return _is_day_of_two_digit_year(year, month, day)


def finnish_hetu(number: str) -> bool:
    """Check a Finnish HETU: a date, and the number modulo 31 as a sign."""
    day, month, year = int(number[:2]), int(number[2:4]), int(number[4:6])
    sign = HETU_LETTERS[int(number[:6] + number[-4:-1]) % 31]
    return sign == number[-1] and _is_day_of_two_digit_year(year, month, day)


def polish_pesel(number: str) -> bool:
    """Check a Polish PESEL: a date whose month tells the century, and a weighted sum."""
    signs = digits(number)
    year, month, day = int(number[:2]), int(number[2:4]) % 20, int(number[4:6])
    total = weighted(signs, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1))
    return total % TEN == 0 and _is_day_of_two_digit_year(year, month, day)


def portuguese_nif(number: str) -> bool:
    """Check a Portuguese NIF, modulo 11; 10 and 11 are written 0."""
    *first, last = digits(number)
    check = ELEVEN - weighted(first, range(9, 1, -1)) % ELEVEN
    return (check if check < TEN else 0) == last


def brazilian_cpf(number: str) -> bool:
    """Check a Brazilian CPF: two check digits modulo 11; equal digits throughout are no number."""
    signs = digits(number)
    checks = [weighted(signs[:n], range(n + 1, 1, -1)) * TEN % ELEVEN % TEN for n in (9, 10)]
    return checks == signs[9:] and len(set(signs)) > 1


def swiss_ahv(number: str) -> bool:
    """Check a Swiss AHV number, an EAN-13."""
    return weighted(digits(number), (1, 3) * 7) % TEN == 0


def vin(number: str) -> bool:
    """Check a vehicle identification number: its ninth sign is a sum modulo 11, X for 10."""
    values = [int(sign) if sign.isdigit() else VIN_VALUES[sign] for sign in number]
    return "0123456789X"[weighted(values, VIN_WEIGHTS) % ELEVEN] == number[8]


def calendar_day(number: str) -> bool:
    """Check a day written as YYYYMMDD."""
    return is_day(int(number[:4]), int(number[4:6]), int(number[6:8]))


def ip_v6(number: str) -> bool:
    """Check an IPv6 address."""
    from ipaddress import AddressValueError, IPv6Address

    try:
        IPv6Address(number)
    except AddressValueError:
        return False
    return True

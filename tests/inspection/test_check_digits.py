"""Numbers that check themselves: made-up ones with digits computed here pass, others do not."""

from datetime import date, timedelta
from random import Random

import pyarrow as pa
import pytest

from tacita.inspection import check_digits as check
from tacita.inspection.shapes import shape_of

VIN_SIGNS = "ABCDEFGHJKLMNPRSTUVWXYZ0123456789"
VIN_ROWS = {1: "AJ1", 2: "BKS2", 3: "CLT3", 4: "DMU4", 5: "ENV5", 6: "FW6", 7: "GPX7", 8: "HY8"}
VIN_ROWS |= {9: "RZ9", 0: "0"}
ODD_SIGNS = {
    **dict(
        zip(
            ("0A", "1B", "2C", "3D", "4E", "5F", "6G", "7H", "8I", "9J"),
            (1, 0, 5, 7, 9, 13, 15, 17, 19, 21),
            strict=True,
        )
    ),
    **dict(
        zip(
            "KLMNOPQRSTUVWXYZ",
            (2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
            strict=True,
        )
    ),
}


def some(random, length, first="0123456789"):
    return random.choice(first) + "".join(random.choices("0123456789", k=length - 1))


def day(random):
    return date(1930, 1, 1) + timedelta(days=random.randrange(25_000))


def completed(body, is_right, ends="0123456789"):
    """Append the ending for which an equation holds; None when there is none."""
    return next((body + end for end in ends if is_right(body + end)), None)


def total(number, weights):
    return sum(int(sign) * weight for sign, weight in zip(number, weights, strict=True))


def doubled(number):
    """Luhn's sum, by its definition."""
    signs = [int(sign) for sign in reversed(number)]
    return sum(
        d if i % 2 == 0 else (2 * d if 2 * d < 10 else 2 * d - 9) for i, d in enumerate(signs)
    )


def card(random):
    return completed(some(random, 15, "45"), lambda n: doubled(n) % 10 == 0)


def iban(random):
    account = some(random, 18)
    rest = int(account + "131400") % 97  # DE00 at the end
    return f"DE{98 - rest:02d}{account}"


def dni(random):
    body = some(random, 8)
    return body + "TRWAGMYFPDXBNJZSQVHLCKE"[int(body) % 23]


def nie(random):
    body = some(random, 7)
    first = random.randrange(3)
    return "XYZ"[first] + body + "TRWAGMYFPDXBNJZSQVHLCKE"[int(f"{first}{body}") % 23]


def nir(random):
    body = (
        random.choice("12")
        + f"{random.randrange(100):02d}{random.randrange(1, 13):02d}"
        + some(random, 8)
    )
    return f"{body}{97 - int(body) % 97:02d}"


def corsican_nir(random):
    body = "1" + "7508" + "2B" + some(random, 6)
    return f"{body}{97 - int(body.replace('2B', '18')) % 97:02d}"


def codice_fiscale(random):
    letters = "".join(random.choices("BCDFGLMNPRST", k=6))
    body = f"{letters}{some(random, 2)}{random.choice('ABCDEHLMPRST')}{random.randrange(10, 32)}H{some(random, 3)}"
    odd = {sign: value for signs, value in ODD_SIGNS.items() for sign in signs}
    even = {sign: place for place, sign in enumerate("0123456789")} | {
        chr(65 + i): i for i in range(26)
    }
    whole = sum(odd[sign] if place % 2 == 0 else even[sign] for place, sign in enumerate(body))
    return body + chr(65 + whole % 26)


def german_tax_id(random):
    signs = random.sample("123456789", 9)
    body = "".join(signs) + random.choice(signs)  # one digit stands twice
    carried = 10
    for sign in body:
        carried = (int(sign) + carried) % 10
        carried = (carried or 10) * 2 % 11
    return body + str((11 - carried) % 10)


def nhs(random):
    return completed(some(random, 9), lambda n: total(n, range(10, 0, -1)) % 11 == 0)


def bsn(random):
    return completed(
        some(random, 8, "123456789"), lambda n: total(n, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0
    )


def belgian(random):
    born = day(random)
    body = f"{born:%y%m%d}{some(random, 3)}"
    return f"{body}{97 - int(('2' if born.year > 1999 else '') + body) % 97:02d}"


def swedish(random):
    return completed(f"{day(random):%y%m%d}{some(random, 3)}", lambda n: doubled(n) % 10 == 0)


def long_swedish(random):
    born = day(random)
    short = completed(f"{born:%y%m%d}{some(random, 3)}", lambda n: doubled(n) % 10 == 0)
    return f"{born:%Y%m%d}-{short[6:]}"


def norwegian(random):
    body = f"{day(random):%d%m%y}{some(random, 3)}"
    first = completed(body, lambda n: total(n, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11 == 0)
    return first and completed(
        first, lambda n: total(n, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0
    )


def cpr(random):
    return f"{day(random):%d%m%y}-{some(random, 4)}"


def hetu(random):
    body = f"{day(random):%d%m%y}"
    number = some(random, 3)
    return f"{body}-{number}{'0123456789ABCDEFHJKLMNPRSTUVWXY'[int(body + number) % 31]}"


def pesel(random):
    born = day(random)
    month = born.month + (20 if born.year > 1999 else 0)
    body = f"{born:%y}{month:02d}{born:%d}{some(random, 4)}"
    return completed(body, lambda n: total(n, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0)


def nif(random):
    body = some(random, 8, "123")
    check_digit = 11 - total(body, range(9, 1, -1)) % 11
    return body + str(check_digit if check_digit < 10 else 0)


def cpf(random):
    body = some(random, 9)
    for start in (10, 11):
        rest = total(body, range(start, 1, -1)) % 11
        body += str(0 if rest < 2 else 11 - rest)
    return body


def ahv(random):
    return completed("756" + some(random, 9), lambda n: total(n, (1, 3) * 6 + (1,)) % 10 == 0)


def vin(random):
    signs = random.choices(VIN_SIGNS, k=17)
    values = {sign: value for value, row in VIN_ROWS.items() for sign in row}
    weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
    rest = sum(values[s] * w for s, w in zip(signs, weights, strict=True)) % 11
    signs[8] = "X" if rest == 10 else str(rest)
    return "".join(signs)


SCHEMES = {
    card: (check.card_number, "card numbers", "J"),
    iban: (check.iban, "bank account numbers (IBAN)", "J"),
    dni: (check.spanish_id, "Spanish identity numbers (DNI, NIE)", "R"),
    nie: (check.spanish_id, "Spanish identity numbers (DNI, NIE)", "R"),
    nir: (check.french_nir, "French social security numbers (NIR)", "G"),
    corsican_nir: (check.french_nir, "French social security numbers (NIR)", "G"),
    codice_fiscale: (check.codice_fiscale, "Italian tax codes (codice fiscale)", "R"),
    german_tax_id: (check.german_tax_id, "German tax identification numbers", "R"),
    nhs: (check.nhs_number, "British NHS numbers", "I"),
    bsn: (check.dutch_bsn, "Dutch citizen numbers (BSN)", "R"),
    belgian: (check.belgian_number, "Belgian national numbers", "R"),
    swedish: (check.swedish_number, "Swedish personal numbers", "R"),
    long_swedish: (check.swedish_number, "Swedish personal numbers", "R"),
    norwegian: (check.norwegian_number, "Norwegian birth numbers", "R"),
    hetu: (check.finnish_hetu, "Finnish identity codes (HETU)", "R"),
    pesel: (check.polish_pesel, "Polish PESEL numbers", "R"),
    nif: (check.portuguese_nif, "Portuguese tax numbers (NIF)", "R"),
    cpf: (check.brazilian_cpf, "Brazilian CPF numbers", "R"),
    ahv: (check.swiss_ahv, "Swiss AHV numbers", "G"),
    vin: (check.vin, "vehicle identification numbers", "L"),
}
each_scheme = pytest.mark.parametrize("make", SCHEMES, ids=lambda make: make.__name__)


def made(make, count=200, seed=0):
    """Made-up numbers of a scheme; some beginnings have no right ending."""
    random = Random(seed)  # noqa: S311 - nothing is secret here
    drawn = (make(random) for _ in range(3 * count))
    return list(dict.fromkeys(number for number in drawn if number))[:count]


def spoilt(number):
    """The number with its last digit or letter another one."""
    last = number[-1]
    return number[:-1] + (
        str((int(last) + 1) % 10) if last.isdigit() else "A" if last != "A" else "B"
    )


@each_scheme
def test_right_digits_pass_and_others_do_not(make):
    is_right, _, _ = SCHEMES[make]
    for number in made(make):
        assert is_right(number.replace("-", ""))
        if make is not vin:  # its check digit stands in the middle
            assert not is_right(spoilt(number).replace("-", ""))


@each_scheme
def test_a_column_of_right_numbers_is_seen_for_what_it_is(make):
    _, what, letter = SCHEMES[make]
    seen = shape_of(pa.array(made(make)))
    assert (seen.shape.what, seen.shape.hipaa) == (what, letter)
    assert "100% of the distinct values" in seen.told
    assert "by chance" in seen.told


@each_scheme
def test_a_column_of_wrong_numbers_is_nothing(make):
    wrong = [
        spoilt(number) if make is not vin else number[:8] + "A" + number[9:]
        for number in made(make)
    ]
    assert shape_of(pa.array(wrong)) is None


@each_scheme
def test_three_right_numbers_may_be_chance(make):
    assert shape_of(pa.array(made(make)[:3])) is None


@pytest.mark.parametrize(
    ("is_right", "specimen"),
    [
        (check.luhn, "4539578763621486"),
        (check.spanish_id, "12345678Z"),
        (check.dutch_bsn, "111222333"),
        (check.iban, "GB29NWBK60161331926819"),
        (check.brazilian_cpf, "11144477735"),
        (check.vin, "11111111111111111"),
    ],
)
def test_the_specimens_that_the_schemes_print_pass(is_right, specimen):
    assert is_right(specimen)


def test_a_danish_number_has_a_date():
    assert check.danish_cpr("3112991234")
    assert not check.danish_cpr("3113991234")
    assert shape_of(pa.array(made(cpr))).shape.what == "Danish CPR numbers"


def test_equal_digits_are_no_cpf_and_zeros_no_bsn():
    assert not check.brazilian_cpf("11111111111")
    assert not check.dutch_bsn("000000000")


def test_the_check_of_a_german_tax_id_wants_a_digit_twice():
    assert not check.german_tax_id("12345678903")


@pytest.mark.parametrize(
    ("address", "right"), [("2001:db8::1", True), ("12:30:45", False), ("::", True)]
)
def test_ip_v6(address, right):
    assert check.ip_v6(address) is right

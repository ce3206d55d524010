"""Numbers that check themselves: made-up ones with digits computed here pass, others do not."""

from datetime import date, timedelta
from fractions import Fraction
from importlib import import_module
from random import Random
from string import ascii_uppercase

import pyarrow as pa
import pytest

from tacita.inspection import check_digits as check
from tacita.inspection.columns import column_of
from tacita.inspection.detectors import Values, detections
from tacita.inspection.detectors.chance import is_beyond_chance
from tacita.inspection.detectors.national_number import SCHEMES as SCHEMES_OF_PERSONS
from tacita.inspection.detectors.national_number import validator
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


def german_pension(random):
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
    born, place = day(random), random.randrange(26)
    body = f"{some(random, 2)}{born:%d%m%y}{place + 1:02d}{some(random, 2)}"
    products = [int(sign) * weight for sign, weight in zip(body, weights, strict=True)]
    last = sum(product // 10 + product % 10 for product in products) % 10
    return f"{body[:8]}{chr(65 + place)}{body[10:]}{last}"


def austrian(random):
    serial, born = some(random, 3, "123456789"), f"{day(random):%d%m%y}"
    last = total(serial + born, (3, 7, 9, 5, 8, 4, 2, 1, 6)) % 11
    return None if last > 9 else f"{serial}{last}{born}"


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
    card: ("stdnum.luhn", "card numbers", "J"),
    iban: ("stdnum.iban", "bank account numbers (IBAN)", "J"),
    dni: ("es.dni", "Spanish identity numbers (DNI, NIE)", "R"),
    nie: ("es.nie", "Spanish identity numbers (DNI, NIE)", "R"),
    nir: ("nir", "French social security numbers (NIR)", "G"),
    corsican_nir: ("fr.nir", "French social security numbers (NIR)", "G"),
    codice_fiscale: ("it.codicefiscale", "Italian tax codes (codice fiscale)", "R"),
    german_tax_id: ("de.idnr", "German tax identification numbers", "R"),
    german_pension: ("rvnr", "German pension insurance numbers", "G"),
    austrian: ("vnr", "Austrian social insurance numbers", "G"),
    nhs: ("gb.nhs", "British NHS numbers", "I"),
    bsn: ("nl.bsn", "Dutch citizen numbers (BSN)", "R"),
    belgian: ("be.nn", "Belgian national numbers", "R"),
    swedish: ("se.personnummer", "Swedish personal numbers", "R"),
    long_swedish: ("se.personnummer", "Swedish personal numbers", "R"),
    norwegian: ("no.fodselsnummer", "Norwegian birth numbers", "R"),
    hetu: ("fi.hetu", "Finnish identity codes (HETU)", "R"),
    pesel: ("pl.pesel", "Polish PESEL numbers", "R"),
    nif: ("pt.nif", "Portuguese tax numbers (NIF)", "R"),
    cpf: ("br.cpf", "Brazilian CPF numbers", "R"),
    ahv: ("ch.ssn", "Swiss AHV numbers", "G"),
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


def validate(make):
    name = SCHEMES[make][0]
    if name.startswith("stdnum."):
        return import_module(name).is_valid
    return validator(name)


def detected(values):
    return {one.what: one for one in detections(Values(column_of("x", pa.array(values))))}


@each_scheme
def test_right_digits_pass_and_others_do_not(make):
    is_right = validate(make)
    numbers = made(make)
    assert sum(map(is_right, numbers)) >= 0.7 * len(numbers)  # some have no such day or serial
    assert not any(is_right(spoilt(number)) for number in numbers)


@each_scheme
def test_a_column_of_right_numbers_is_detected_for_what_it_is(make):
    _, what, letter = SCHEMES[make]
    found = detected(made(make))
    assert found[what].hipaa == letter
    assert found[what].matches >= 0.7 * found[what].values


@each_scheme
def test_a_column_of_wrong_numbers_is_none_of_the_scheme(make):
    wrong = [spoilt(number) for number in made(make)]
    assert SCHEMES[make][1] not in detected(wrong)


@pytest.mark.parametrize("make", [nhs, bsn, nif, dni, card])
def test_two_right_numbers_may_be_chance(make):
    assert not detected([*made(make)[:2], *(f"v{n}" for n in range(9))])


@pytest.mark.parametrize("make", [nhs, bsn, card, pesel, german_tax_id, norwegian])
def test_five_right_numbers_among_other_values_are_beyond_chance(make):
    assert SCHEMES[make][1] in detected([*made(make)[:5], *["none"] * 40, *["ok", "yes", "no"] * 9])


def test_the_specimens_that_the_schemes_print_pass():
    for name, specimen in (
        ("es.dni", "12345678Z"),
        ("nl.bsn", "111222333"),
        ("br.cpf", "11144477735"),
        ("rvnr", "65 170839 J 003"),
        ("nino", "QQ 12 34 56 C".replace("QQ", "AB")),
    ):
        assert validator(name)(specimen)
    assert check.vin("11111111111111111")


def test_a_danish_number_has_a_date():
    assert validator("dk.cpr")("311299-1234")
    assert not validator("dk.cpr")("311399-1234")
    assert "Danish CPR numbers" in detected([cpr(Random(n)) for n in range(200)])  # noqa: S311


def test_vehicle_numbers_are_seen_by_their_check_digit():
    assert all(map(check.vin, made(vin)))
    assert shape_of(pa.array(made(vin))).shape.what == "vehicle identification numbers"
    wrong = [number[:8] + "A" + number[9:] for number in made(vin)]
    assert shape_of(pa.array(wrong)) is None
    assert shape_of(pa.array(made(vin)[:3])) is None


@pytest.mark.parametrize("scheme", SCHEMES_OF_PERSONS, ids=lambda one: f"{one.modules}-{one.forms}")
def test_chance_passes_no_more_numbers_than_a_scheme_says(scheme):
    random, drawn = Random(7), 4_000  # noqa: S311
    for form in scheme.forms.split("|") if scheme.chance else ():
        passing = sum(
            scheme.passes("".join(_sign(random, sign) for sign in form)) for _ in range(drawn)
        )
        assert not is_beyond_chance(passing, drawn, scheme.chance, Fraction(1, 10**4)), passing


def _sign(random, sign):
    return random.choice({"0": "0123456789", "A": ascii_uppercase}.get(sign, sign))

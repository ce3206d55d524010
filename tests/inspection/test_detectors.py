"""Detectors: what must not be released is found once among other values, and clean columns are."""

from __future__ import annotations

import re
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.data.examples import GENERATED, generate
from tacita.inspection.columns import column_of, columns_of
from tacita.inspection.detectors import Detection, Values, detections, detectors
from tacita.inspection.detectors.chance import is_beyond_chance

FILLERS = ["none", "ok", "n/a", None, ""]
REMARKS = [f"Name{n} Surname{n}, born 3.4.19{n % 90 + 10}" for n in range(40)]


def detected(values, name="x", **options):
    column = column_of(name, pa.array(values))
    return {one.detector: one for one in detections(Values(column, **options))}


@pytest.mark.parametrize(
    ("detector", "value"),
    [
        ("email", "ana.soler+x@mail.example.co.uk"),
        ("email", "please write to o'neil@example.com"),
        ("email", "<müller@büro.example>"),
        ("url", "https://example.org/p/4?x=1"),
        ("url", "siehe www.example.at/huber"),
        ("url", "facebook.com/ana.soler"),
        ("ip_address", "10.0.0.7"),
        ("ip_address", "from 192.0.2.17:8080"),
        ("ip_address", "2001:db8::1"),
        ("ip_address", "fe80::1:2:3"),
        ("device_address", "00:1a:2b:3c:4d:5e"),
        ("person_name", "Mr. O'Brien"),
        ("person_name", "Mr. O\u2019Brien called"),
        ("person_name", "Mrs de la Cruz"),
        ("telephone", "0664-123 45 67"),
        ("national_number", "DNI 12345678Z"),
        ("national_number", "DNI: 12345678-Z"),
        ("national_number", "NINO AB123456C"),
        ("national_number", "PESEL: 44051401359"),
        ("national_number", "SSN 123456789"),
        ("national_number", "her social security number: 123456789"),
        ("national_number", "BSN 111222333"),
        ("device_address", "00-1A-2B-3C-4D-5F"),
        ("iban", "AT61 1904 3002 3457 3201"),
        ("iban", "zahlt auf de89370400440532013000, bitte"),
        ("payment_card", "4539 5787 6362 1486"),
        ("payment_card", "3782-822463-10005"),
        ("telephone", "+43 664 1234567"),
        ("telephone", "0049 30 123456"),
        ("telephone", "+1 (202) 555-0147"),
        ("telephone", "0664 1234567"),
        ("telephone", "0664/1234567"),
        ("telephone", "0664.1234567"),
        ("telephone", "0664-1234567"),
        ("telephone", "0664\u00a01234567"),
        ("telephone", "\uff10\uff16\uff16\uff14 1234567"),
        ("telephone", "+43\u2011664\u2011123\u200b4567"),
        ("email", "x\uff20y.at"),
        ("email", "x\u200b@y.at"),
        ("telephone", "(02) 987 65 43"),
        ("telephone", "06 12 34 56 78"),
        ("telephone", "(775) 555-0123"),
        ("telephone", "775-555-0123"),
        ("telephone", "tel. 612345678"),
        ("telephone", "proszę dzwonić 601 234 567"),
        ("national_number", "123-45-6789"),
        ("national_number", "JG 10 37 59 A"),
        ("national_number", "RSSMRA85T10A562S"),
        ("national_number", "756.9217.0769.85"),
        ("national_number", "131052-308T"),
        ("national_number", "111.444.777-35"),
        ("person_name", "Frau Huber anrufen"),
        ("person_name", "spoke with Mrs. Jones"),
        ("person_name", "Mme Dupont absente"),
        ("person_name", "llamar a la Sra. García"),
        ("person_name", "dhr. Jansen"),
        ("person_name", "Pani Nowak"),
        ("person_name", "Anna Huber"),
        ("person_name", "HUBER, Hans-Peter"),
        ("postal_address", "Hauptstraße 12"),
        ("postal_address", "12 Main Street"),
        ("postal_address", "5 rue de la Paix"),
        ("postal_address", "Calle Mayor 5"),
        ("postal_address", "Via Roma 10"),
        ("postal_address", "ul. Długa 5"),
        ("postal_address", "Kerkstraat 12"),
        ("postal_address", "Storgatan 4"),
        ("birth_date", "A. H., born 3.4.1910"),
        ("birth_date", "geb. am 3. April 1910"),
        ("birth_date", "née le 03/04/1910"),
        ("birth_date", "DOB 1910-04-03"),
        ("birth_date", "(*3.4.1910)"),
        ("free_text", "She was told that her son had been found in Graz and is well."),
    ],
)
def test_a_single_value_among_others_is_detected(detector, value):
    found = detected([*FILLERS * 12, value])
    assert detector in found
    assert found[detector].matches == 1
    assert value not in found[detector].sentence


@pytest.mark.parametrize(
    "values",
    [
        ["01.02.2003", "31.12.1999", "1.4.2020", "2020-04-01", "04/28/64"],
        ["12:30", "07:15:00", "23:59:59.5"],
        ["1.2.3.4", "2.1.1.1", "12.1.1.2", "01.1.1.1"],
        ["0.25", "1,250.75", "100 000,50", "-3", "12 %"],
        ["G45.20", "C10.1", "47.11", "A00", "C50.9", "E11.65", "Z99.8"],
        ["Mr", "Mrs", "Ms", "Dr"],
        ["M 12", "M 14", "W 12", "Prof. of Physics"][:3],
        ["Machine operator", "Nurse", "Head of department", "Teacher (secondary)", "Koch/Köchin"],
        ["born 1946-1964", "born 1965-1980", "born after 1996"],
        ["New York", "San Francisco", "Los Angeles", "Frankfurt am Main", "Saint-Denis"],
        ["very good", "good", "don't know", "refused to answer", "not applicable"],
        ["100-200", "200-300", "300 and more", "[10, 20)", "[20, 30)"],
        ["9780306406157", "4006381333931", "5901234123457"],
        [f"A{n:02d}.{n % 10}" for n in range(60)],
        [f"Group {n}" for n in range(9)],
        ["true", "false"],
        [1.5, 2.5, 3.5] * 20,
        [True, False] * 20,
        [None] * 40,
        [],
    ],
)
def test_clean_columns_raise_nothing(values):
    assert not detected(values * 3)


@pytest.mark.parametrize(
    "value", ["assn 123456789", "SSN no 12345678", "PESEL 44051401358", "BSN:"]
)
def test_a_word_beside_a_number_that_is_none_says_nothing(value):
    assert "national_number" not in detected([value] + ["ok"] * 200)


@pytest.mark.parametrize(("name", "found"), [("ssn", True), ("patient_ssn", True), ("cost", False)])
def test_the_name_of_a_column_says_what_plain_digits_are(name, found):
    random = Random(1)  # noqa: S311
    values = [str(random.randrange(10**8, 10**9)) for _ in range(200)] + ["none"] * 200
    column = Values(column_of(name, pa.array(values)))
    assert ("national_number" in {one.detector for one in detections(column)}) is found


@pytest.mark.parametrize("digits", range(4, 17))
def test_random_and_running_numbers_are_no_numbers_of_persons(digits):
    random, low = Random(digits), 10 ** (digits - 1)  # noqa: S311
    for numbers in ([random.randrange(low, 10 * low) for _ in range(3000)], range(low, low + 3000)):
        assert not {"national_number", "payment_card", "telephone"} & set(detected(numbers))


@pytest.mark.parametrize("name", GENERATED)
@pytest.mark.parametrize("size", [60, 2000])
def test_of_generated_data_only_the_numbers_of_records_are_detected(name, size):
    data = generate(name, size)
    found = {
        one.detector
        for column in columns_of(data, data.names).values()
        for one in detections(Values(column))
    }
    assert found <= {"record_number", "household_number"}


def test_forty_remarks_with_names_and_dates_of_birth():
    assert "birth_date" in detected(REMARKS)


@pytest.mark.parametrize("count", [1, 3, 616])
def test_a_remark_with_a_name_and_a_number(count):
    found = detected(["Frau Huber anrufen 0664 1234567"] * count + ["keine"] * 700)
    assert {"person_name", "telephone"} <= set(found)


@pytest.mark.parametrize("count", [4, 40, 60])
def test_free_text_in_few_records(count):
    notes = [f"He was seen on ward {n} and his wife took him home" for n in range(count)]
    assert "free_text" in detected(notes)


def test_texts_that_every_record_has_another_one_of():
    assert "record_number" in detected([f"Name{n} Surname{n}" for n in range(40)])
    assert not detected([f"Name{n} Surname{n}" for n in range(10)] * 10)
    assert not detected([f"{n}.{n % 7},50 EUR"[:4] for n in range(40)])
    assert "person_name" in detected(["Huber", "Maier", "Gruber", "Bauer"] * 20, name="surname")


def test_numbers_of_records():
    assert "record_number" in detected(range(5000, 5616))
    assert "record_number" in detected([f"P-{n:04d}" for n in range(616)])
    assert "record_number" in detected([10_000 + 7 * n for n in range(100)])
    assert "record_number" in detected([f"{n * 7919 % 10**8:08d}" for n in range(1, 300)])
    assert not detected([n * n * 37 % 99_991 for n in range(300)])
    assert not detected(range(1950, 2020), name="birth_year")
    assert "record_number" not in detected(
        [10_000 + 7 * n for n in range(100)], in_source_order=False
    )


def test_numbers_of_households():
    sizes = [1, 2, 3, 4] * 40
    numbers = [100 + place for place, size in enumerate(sizes) for _ in range(size)]
    assert detected(numbers)["household_number"].matches == 160
    assert "household_number" in detected([f"HH{n}" for n in numbers])
    assert "household_number" not in detected(numbers[::7] + numbers[3::7], in_source_order=False)
    incomes = [n * n * 37 % 99_991 for n in numbers]
    assert not detected(incomes)


def test_values_of_declared_identifiers():
    persons = pa.array([f"HH-{n * n % 97:04d}" for n in range(97)])
    copied = [n * n % 97 for n in range(97)]
    found = detected(copied, identifiers={"household": persons})
    assert found["declared_identifier"].reason == "those of `household`"
    shifted = [(n * n + 1) % 97 for n in range(97)]
    assert not detected(shifted, identifiers={"household": persons})


def test_a_name_of_a_column_corroborates():
    assert "telephone" in detected([6641234567 + n for n in range(40)] * 2, name="telefon")
    assert "national_number" in detected(["111222333", "none"] * 9, name="bsn")
    assert "national_number" not in detected(["111222333", "none"] * 9)


# -- laws ------------------------------------------------------------------------------------------


@given(st.lists(st.text() | st.none()), st.integers(0, 100))
def test_a_planted_account_is_always_detected(values, place):
    planted = [*values[:place], "GB29 NWBK 6016 1331 9268 19", *values[place:]]
    assert "iban" in detected(planted)


@given(st.lists(st.text(), min_size=1))
def test_order_and_duplicates_do_not_matter_to_what_is_read_in_values(values):
    by_order = {"household_number", "record_number", "free_text"}  # which count records
    first = {k: v for k, v in detected(values).items() if k not in by_order}
    again = detected([*reversed(values), *values])
    assert first == {k: v for k, v in again.items() if k not in by_order}


ANY = st.sampled_from(
    [
        st.text(),
        st.from_regex(re.compile(r"[0-9A-Z +./()@:-]*", re.ASCII), fullmatch=True),
        st.integers(-(2**63), 2**63 - 1),
        st.floats(),
        st.booleans(),
        st.dates(),
        st.lists(st.text(), max_size=3),
    ]
).flatmap(lambda one: st.lists(one | st.none()))


@given(ANY)
def test_no_value_makes_a_detector_fail(values):
    assert all(isinstance(one, Detection) for one in detected(values).values())


@pytest.mark.parametrize(
    "value",
    ["\0", "a" * 10**6, "0" * 10**6, "a@" * 10**5, "1." * 10**5, "+" * 10**5, " " * 10**5 + "x 1",
     "Frau " * 10**5, "AB12" * 10**5, "00 " * 10**5, "\U0001f469" * 10**4, "x\0y ana@example.org"],
)  # fmt: skip
def test_huge_and_odd_texts_are_read(value):
    detected([value, "none"] * 30)


@given(st.integers(0, 60), st.integers(0, 60), st.fractions(0, 1, max_denominator=40))
def test_the_tail_of_the_binomial_is_exact(passing, tested, chance):
    from fractions import Fraction
    from math import comb

    limit = Fraction(1, 20)
    tail = sum(
        comb(tested, n) * chance**n * (1 - chance) ** (tested - n)
        for n in range(passing, tested + 1)
    )
    beyond = is_beyond_chance(passing, tested, chance, limit)
    above = passing > 0 and passing > tested * chance
    assert beyond == (above and chance < 1 and passing <= tested and tail <= limit)


def test_every_detector_has_its_words():
    for name, detector in detectors().items():
        assert re.fullmatch(r"[a-z_]+", name)
        assert detector.what
        assert detector.reference
        assert ">>>" in type(detector).__doc__

"""National identification numbers, by their check digits and dates."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from importlib import import_module
from typing import ClassVar, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tacita.inspection.detectors.base import Detection, Detector, Values, spread_sample
from tacita.inspection.detectors.chance import is_beyond_chance

CERTAIN = 2_000  # numbers that are tested where chance lets some of them pass
USUAL_LIMIT = Fraction(1, 10**7)  # of chance, where most values are such numbers
RARE_LIMIT = Fraction(1, 10**4)  # where a few stand among others, so that few were tried
MOST_WRONG = 4  # of so many numbers one must pass: running numbers pass more often than random ones
MOST_RARE = 20  # numbers that are few
MARKED_LIMIT = Fraction(1, 10)  # where the marks or letters already show the scheme
NAMED_LIMIT = Fraction(1, 3)  # where the column's name says a number of persons
NAMED = ("national_id", "health_plan", "respondent_number", "id", "medical_record")
LABEL = 40  # signs before a number in which its name may stand
CANDIDATE = "[0-9A-Za-z](?:[-+ ./]?[0-9A-Za-z]){7}"


class Scheme(NamedTuple):
    """A way to number people.

    Args:
        what: what its numbers are called, in the plural.
        modules: modules of python-stdnum, or functions of this module, that validate a number.
        forms: how it is written, 0 for a digit and A for a letter; parted by bars.
        chance: a bound for the share of other signs in these forms that pass by accident; 0 where
            only such numbers are written so.
        hipaa: the letter of the HIPAA identifier it is.
        marked: whether its marks and letters already show the scheme, so that one is enough.
    """

    what: str
    modules: str
    forms: str
    chance: Fraction
    hipaa: str = "R"
    marked: bool = False

    def passes(self, number: str) -> bool:
        """Tell whether a number passes the check of the scheme."""
        return any(validator(module)(number) for module in self.modules.split())


def _one_in(number: int) -> Fraction:
    return Fraction(1, number)


NEVER = Fraction(0)
ALWAYS = Fraction(1)
# The chances are bounds of what random signs in these forms give; a test draws them.
SCHEMES = (
    Scheme("US social security numbers", "ssn", "000-00-0000", NEVER, "G", marked=True),
    # Nine digits are anything, unless the words before them say what they are.
    Scheme("US social security numbers", "ssn", "000000000", ALWAYS, "G"),
    Scheme("British national insurance numbers", "nino", "AA 00 00 00 A", NEVER, "G", marked=True),
    Scheme("British national insurance numbers", "nino", "AA000000A", _one_in(8), "G"),
    Scheme(
        "British NHS numbers", "gb.nhs", "0000000000|000 000 0000|000-000-0000", _one_in(10), "I"
    ),
    Scheme(
        "German tax identification numbers",
        "de.idnr",
        "00 000 000 000",
        _one_in(200),
        "R",
        marked=True,
    ),
    Scheme("German tax identification numbers", "de.idnr", "00000000000", _one_in(200)),
    Scheme(
        "German pension insurance numbers",
        "rvnr",
        "00000000A000|00 000000 A 000|00 000000 A000",
        _one_in(200),
        "G",
        marked=True,
    ),
    Scheme(
        "Austrian social insurance numbers", "vnr", "0000 000000", _one_in(200), "G", marked=True
    ),
    Scheme("Austrian social insurance numbers", "vnr", "0000000000", _one_in(200), "G"),
    Scheme(
        "French social security numbers (NIR)",
        "fr.nir",
        "0 00 00 00 000 000 00|0 00 00 0A 000 000 00|000000A00000000",
        _one_in(90),
        "G",
        marked=True,
    ),
    Scheme("French social security numbers (NIR)", "nir", "000000000000000", _one_in(1000), "G"),
    Scheme(
        "French social security numbers without their key (NIR)",
        "nir_without_key",
        "0000000000000|0 00 00 00 000 000",
        _one_in(30),
        "G",
    ),
    Scheme(
        "French business numbers (SIREN, SIRET)",
        "fr.siren fr.siret",
        "000000000|000 000 000|00000000000000|000 000 000 00000",
        _one_in(9),
    ),
    Scheme("Spanish identity numbers (DNI, NIE)", "es.dni", "00000000A|00000000-A", _one_in(22)),
    Scheme(
        "Spanish identity numbers (DNI, NIE)",
        "es.nie",
        "A0000000A|A-0000000-A|A0000000-A",
        _one_in(150),
        "R",
        marked=True,
    ),
    Scheme(
        "Italian tax codes (codice fiscale)",
        "it.codicefiscale",
        "AAAAAA00A00A000A|AAA AAA 00A00 A000A",
        _one_in(40),
        "R",
        marked=True,
    ),
    Scheme("Dutch citizen numbers (BSN)", "nl.bsn", "000000000|0000.00.000", _one_in(10)),
    Scheme(
        "Belgian national numbers",
        "be.nn",
        "00.00.00-000.00|00.00.00-000-00|000000-000.00|000000-000-00",
        _one_in(300),
        "R",
        marked=True,
    ),
    Scheme("Belgian national numbers", "be.nn", "00000000000", _one_in(300)),
    Scheme(
        "Swedish personal numbers",
        "se.personnummer",
        "000000-0000|000000+0000|00000000-0000",
        _one_in(150),
        "R",
        marked=True,
    ),
    Scheme("Swedish personal numbers", "se.personnummer", "0000000000|000000000000", _one_in(150)),
    Scheme("Norwegian birth numbers", "no.fodselsnummer", "00000000000|000000 00000", _one_in(500)),
    Scheme("Danish CPR numbers", "dk.cpr", "000000-0000", _one_in(25)),
    Scheme("Danish CPR numbers", "dk.cpr", "0000000000", _one_in(25)),
    Scheme(
        "Finnish identity codes (HETU)",
        "fi.hetu",
        "000000-0000|000000+0000|000000A0000|000000-000A|000000+000A|000000A000A",
        _one_in(400),
        "R",
        marked=True,
    ),
    Scheme("Polish PESEL numbers", "pl.pesel", "00000000000", _one_in(45)),
    Scheme(
        "Czech and Slovak birth numbers",
        "cz.rc sk.rc",
        "000000/0000",
        _one_in(40),
        "R",
        marked=True,
    ),
    Scheme("Czech and Slovak birth numbers", "cz.rc", "0000000000", _one_in(45)),
    Scheme("Portuguese tax numbers (NIF)", "pt.nif", "000000000", _one_in(8)),
    Scheme("Brazilian CPF numbers", "br.cpf", "000.000.000-00", _one_in(90), "R", marked=True),
    Scheme("Brazilian CPF numbers", "br.cpf", "00000000000", _one_in(90)),
    Scheme("Swiss AHV numbers", "ch.ssn", "000.0000.0000.00", NEVER, "G", marked=True),
    Scheme("Swiss AHV numbers", "ch.ssn", "0000000000000", _one_in(1000), "G"),
    Scheme("Romanian personal numbers (CNP)", "ro.cnp", "0000000000000", _one_in(300)),
    Scheme("Croatian personal numbers (OIB)", "hr.oib", "00000000000", _one_in(9)),
    Scheme("Baltic personal codes", "ee.ik lt.asmens", "00000000000", _one_in(60)),
    Scheme("Latvian personal codes", "lv.pvn", "000000-00000", _one_in(12), "R"),
    Scheme("Bulgarian personal numbers (EGN)", "bg.egn", "0000000000", _one_in(70)),
    Scheme("Greek social security numbers (AMKA)", "gr.amka", "00000000000", _one_in(200), "G"),
    Scheme("Unique master citizen numbers (EMSO, JMBG)", "si.emso", "0000000000000", _one_in(150)),
    Scheme("Turkish identity numbers", "tr.tckimlik", "00000000000", _one_in(90)),
    Scheme(
        "Canadian social insurance numbers",
        "ca.sin",
        "000000000|000 000 000|000-000-000",
        _one_in(9),
        "G",
    ),
    Scheme("Irish personal public service numbers", "ie.pps", "0000000A|0000000AA", _one_in(20)),
    Scheme("Icelandic identity numbers", "is_.kennitala", "000000-0000|0000000000", _one_in(350)),
    Scheme("South African identity numbers", "za.idnr", "0000000000000", _one_in(500)),
    Scheme(
        "Mexican population codes (CURP)",
        "mx.curp",
        "AAAA000000AAAAAA00|AAAA000000AAAAAAA0",
        _one_in(90),
        "R",
        marked=True,
    ),
)


# What people write before such a number, by the first module of its scheme.
CALLED: Mapping[str, str] = {
    "ssn": "ssn|social security",
    "nino": "nino?|national insurance",
    "gb.nhs": "nhs",
    "de.idnr": "idnr|steuer-?id|steueridentifikationsnummer|tin",
    "rvnr": "rvnr|sv|svnr|sozialversicherungsnummer|rentenversicherungsnummer",
    "vnr": "svnr|sv|vsnr|sozialversicherungsnummer|versicherungsnummer",
    "fr.nir": "nir|insee|s[ée]curit[ée] sociale|s[ée]cu",
    "nir": "nir|insee|s[ée]curit[ée] sociale|s[ée]cu",
    "nir_without_key": "nir|insee|s[ée]curit[ée] sociale|s[ée]cu",
    "fr.siren": "siren|siret",
    "es.dni": "dni|nif",
    "es.nie": "nie",
    "it.codicefiscale": "cf|c\\.f|codice fiscale",
    "nl.bsn": "bsn|burgerservicenummer|sofinummer",
    "be.nn": "nn|niss|insz|rrn|rijksregisternummer|registre national",
    "se.personnummer": "personnummer|pnr",
    "no.fodselsnummer": "f[øo]dselsnummer|fnr",
    "dk.cpr": "cpr",
    "fi.hetu": "hetu|henkil[öo]tunnus",
    "pl.pesel": "pesel",
    "cz.rc": "r[čc]|r\\. ?[čc]|rodn[ée] [čc][íi]slo",
    "pt.nif": "nif|contribuinte",
    "br.cpf": "cpf",
    "ch.ssn": "ahv|avs",
    "ro.cnp": "cnp",
    "hr.oib": "oib",
    "ee.ik": "isikukood|asmens kodas",
    "lv.pvn": "personas kods",
    "bg.egn": "egn|егн",
    "gr.amka": "amka|αμκα",
    "si.emso": "em[šs]o|jmbg",
    "tr.tckimlik": "tckn|tc|t\\.c|kimlik",
    "ca.sin": "sin|nas",
    "ie.pps": "ppsn?",
    "is_.kennitala": "kennitala|kt",
    "za.idnr": "id",
    "mx.curp": "curp",
}


class NationalNumber(Detector):
    """Detects national identification numbers that pass the checks of their scheme.

    A number in a form that only the scheme has (`123-45-6789`, a codice fiscale) is enough, and so
    is one that passes with the word for it before it (`PESEL: 44051401359`). Of
    plain digits one in ten or eleven passes a check digit by accident; they count when more pass
    than chance explains: with a probability of less than 1 in 10,000,000 where most values are such
    numbers, of 1 in 10,000 where at most 20 stand among others, and of 1 in 3 where the column's
    name says a number of persons. The tail of the binomial is exact. A quarter must pass.

    >>> import pyarrow as pa
    >>> from tacita.inspection.columns import column_of
    >>> numbers = column_of("x", pa.array(["ok"] * 40 + ["123-45-6789"]))
    >>> NationalNumber().detect(Values(numbers)).what
    'US social security numbers'
    """

    name: ClassVar = "national_number"
    what: ClassVar = "national identification numbers"
    reference: ClassVar = "python-stdnum and the publications that its modules name"
    hipaa: ClassVar = "G"

    def detect(self, values: Values) -> Detection | None:
        """Return how many values pass the check of the scheme that chance explains least."""
        numbers, called = _numbers(values)
        found = (
            detection
            for scheme in numbers
            if (detection := _judged(values, scheme, numbers[scheme])) is not None
            or (detection := _judged_by_name(values, scheme, called[scheme])) is not None
        )
        return max(found, key=lambda one: one.matches, default=None)


def _judged(values: Values, scheme: Scheme, numbers: list[str]) -> Detection | None:
    """Return what is detected of a scheme, unless chance explains it."""
    tested = numbers if not scheme.chance else spread_sample(numbers, CERTAIN)
    passing = sum(map(scheme.passes, tested))
    if not passing:
        return None
    if scheme.chance and MOST_WRONG * passing < len(tested):
        return None
    limit = _limit(values, scheme, numbers)
    if scheme.chance and not is_beyond_chance(passing, len(tested), scheme.chance, limit):
        return None
    reason = ""
    if scheme.chance:
        by_chance = f"1 in {int(1 / scheme.chance)}"
        reason = (
            f"{passing:,} of {len(tested):,} tested pass their check, by chance {by_chance} would"
        )
    return Detection(
        NationalNumber.name,
        scheme.what,
        values.column.name,
        -(-passing * len(numbers) // len(tested)),
        max(len(values.texts), 1),
        scheme.hipaa,
        reason,
    )


def _judged_by_name(values: Values, scheme: Scheme, numbers: set[str]) -> Detection | None:
    """Return what is detected of numbers that the words before them call by their name."""
    passing = sum(map(scheme.passes, numbers))
    if not passing or MOST_WRONG * passing < len(numbers):
        return None
    return Detection(
        NationalNumber.name,
        scheme.what,
        values.column.name,
        passing,
        max(len(values.texts), 1),
        scheme.hipaa,
        "the words beside them say so",
    )


def _limit(values: Values, scheme: Scheme, numbers: list[str]) -> Fraction:
    """Return how probable an accident may be."""
    if scheme.marked:
        return MARKED_LIMIT
    if values.named(*NAMED):
        return NAMED_LIMIT
    return tail_limit(values, len(numbers))


def tail_limit(values: Values, numbers: int) -> Fraction:
    """Return how probable an accident may be: more where few stand among others."""
    is_rare = numbers < len(values.texts) and 2 * numbers <= values.column.filled
    return RARE_LIMIT if is_rare and numbers <= MOST_RARE else USUAL_LIMIT


def _numbers(values: Values) -> tuple[Mapping[Scheme, list[str]], Mapping[Scheme, set[str]]]:
    """Return the distinct numbers in the values by the schemes whose form they have.

    Of each scheme also those that the words before them, or the column's name, call so.
    The form of a value, its digits as 0 and its letters as A, is looked at once for all values that
    share it.
    """
    found: dict[Scheme, set[str]] = defaultdict(set)
    called: dict[Scheme, set[str]] = defaultdict(set)
    texts = values.texts.filter(_has_candidate(values.texts))
    if not len(texts):
        return {}, called
    forms = pc.replace_substring_regex(texts, "[0-9]", "0")
    forms = pc.dictionary_encode(pc.replace_substring_regex(forms, "[A-Za-z]", "A"))
    spans = [list(_spans(form)) for form in forms.dictionary.to_pylist()]
    for text, form in zip(texts.to_pylist(), forms.indices.to_pylist(), strict=True):
        for start, stop, schemes in spans[form]:
            for scheme in schemes:
                number = text[start:stop].upper()
                found[scheme].add(number)
                if start and _is_called(scheme, text[:start]):
                    called[scheme].add(number)
    called |= {s: found[s] for s in found if _is_called(s, f"{values.column.name}:")}
    return {scheme: sorted(found[scheme]) for scheme in SCHEMES if scheme in found}, called


def _is_called(scheme: Scheme, before: str) -> bool:
    """Tell whether the words before a number are those for its scheme."""
    words = CALLED[scheme.modules.partition(" ")[0]]
    return _words_before(words).search(before[-LABEL:].casefold()) is not None


@cache
def _words_before(words: str) -> re.Pattern[str]:
    number = r"(?:[\W_]{0,3}(?:number|nummer|num[ée]ro|n[úu]mero|numer|nr|no|n[°º]))?"
    return re.compile(rf"(?<![^\W_])(?:{words}){number}[\W_]{{1,4}}$")


def _has_candidate(texts: pa.Array) -> pa.Array:
    enough = pc.match_substring_regex(texts, "(?:[0-9][^0-9]*){5}")
    return pc.and_(enough, pc.match_substring_regex(texts, CANDIDATE))


def _spans(form: str) -> Iterator[tuple[int, int, list[Scheme]]]:
    for match in _all_forms().finditer(form):
        yield match.start(), match.end(), _schemes_by_form()[match.group()]


@cache
def _schemes_by_form() -> Mapping[str, list[Scheme]]:
    found: dict[str, list[Scheme]] = defaultdict(list)
    for scheme in SCHEMES:
        for form in scheme.forms.split("|"):
            found[form].append(scheme)
    return found


@cache
def _all_forms() -> re.Pattern[str]:
    """Return an expression for all forms, without a longer number around them."""
    forms = "|".join(map(re.escape, sorted(_schemes_by_form(), key=len, reverse=True)))
    return re.compile(rf"(?<![0A])(?<!0[.,])(?:{forms})(?![0A]|[.,/-]0)")


# -- validation ------------------------------------------------------------------------------------


@cache
def validator(name: str) -> Callable[[str], bool]:
    """Return what validates a number: a function of this module, or of a module of stdnum.

    >>> validator("nl.bsn")("111222333"), validator("nino")("AB123456C")
    (True, True)
    """
    if name in OWN:
        return OWN[name]
    checked: Callable[[str], bool] = import_module(f"stdnum.{name}").is_valid
    return checked


def _is_ssn(number: str) -> bool:
    """Check the form of a US social security number; the form is of nothing else.

    Numbers that were never issued count as well: whoever writes them means such a number.
    """
    signs = number.replace("-", "")
    area, group, serial = signs[:3], signs[3:5], signs[5:]
    return area != "000" and group != "00" and serial != "0000"


NINO = re.compile("[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z][0-9]{6}[A-D]")
NO_NINO = ("BG", "GB", "KN", "NK", "NT", "TN", "ZZ")


def _is_nino(number: str) -> bool:
    """Check a British national insurance number: its letters; it has no check digit."""
    signs = number.replace(" ", "")
    return NINO.fullmatch(signs) is not None and signs[:2] not in NO_NINO


RVNR_WEIGHTS = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)


def _is_rvnr(number: str) -> bool:
    """Check a German pension insurance number: a date, and weighted sums of digits modulo 10."""
    signs = number.replace(" ", "")
    day, month = int(signs[2:4]), int(signs[4:6])
    if not (1 <= day <= 31 and 1 <= month <= 12):  # noqa: PLR2004 - days and months
        return False
    digits = signs[:8] + f"{ord(signs[8]) - ord('A') + 1:02d}" + signs[9:11]
    products = (int(a) * b for a, b in zip(digits, RVNR_WEIGHTS, strict=True))
    return sum(product // 10 + product % 10 for product in products) % 10 == int(signs[11])


def _is_vnr(number: str) -> bool:
    """Check an Austrian social insurance number: its check digit, and a date of birth."""
    signs = number.replace(" ", "")
    day, month = int(signs[4:6]), int(signs[6:8])
    is_day = 1 <= day <= 31 and 1 <= month <= 15  # noqa: PLR2004 - 13 to 15 where days ran out
    return is_day and validator("at.vnr")(signs)


def _is_nir(number: str) -> bool:
    """Check a French NIR of fifteen digits: its first thirteen and its key."""
    return _is_nir_without_key(number[:13]) and validator("fr.nir")(number)


def _is_nir_without_key(number: str) -> bool:
    """Check the sex, the month and the department of a French NIR without its key."""
    signs = number.replace(" ", "")
    return signs[0] in "12" and "01" <= signs[3:5] <= "12" and "01" <= signs[5:7] <= "99"


OWN: dict[str, Callable[[str], bool]] = {
    "ssn": _is_ssn,
    "nino": _is_nino,
    "rvnr": _is_rvnr,
    "vnr": _is_vnr,
    "nir": _is_nir,
    "nir_without_key": _is_nir_without_key,
}

"""Telephone numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import ClassVar

from tacita.inspection.detectors.base import Detection, PatternDetector, Values, filtered

EDGE = r"(?<![\w.,+/-])"
END = r"(?![\w]|[.,/-][0-9])"
INTERNATIONAL = re.compile(rf"(?<![\w+])(?:\+|00)[1-9][0-9 ()./-]{{6,20}}[0-9]{END}")
# A trunk 0 with its area code, then blocks; between them a space, a slash or a bracket.
NATIONAL = re.compile(
    rf"{EDGE}(?:\(0[1-9][0-9]{{0,4}}\)[ /]?|0[1-9][0-9]{{0,4}}[ ]?[ /][ ]?)[1-9][0-9]{{1,8}}"
    rf"(?:[ -][0-9]{{2,6}}){{0,4}}{END}"
)
# A dot or hyphen alone parts codes and sections too: then all signs of a long number must follow.
POINTED = re.compile(
    rf"{EDGE}0[1-9][0-9]{{2,4}}[.-]"
    rf"(?:[1-9][0-9]{{5,8}}|[1-9][0-9]{{1,3}}(?: [0-9]{{2,4}}){{1,3}}){END}"
)
PAIRS = re.compile(rf"{EDGE}0[1-9](?:([ .])[0-9]{{2}})(?:\1[0-9]{{2}}){{3}}{END}")
NORTH_AMERICAN = re.compile(
    rf"{EDGE}(?:1[ .-])?(?:\([2-9][0-9]{{2}}\)[ .-]{{0,2}}|[2-9][0-9]{{2}}[.-])"
    rf"[2-9][0-9]{{2}}[ .-][0-9]{{4}}{END}"
)
# Countries without a trunk 0: Spain, Poland, Denmark, Norway; only beside a word for telephones.
CALLED = re.compile(
    r"\b(?:tel|phone|telephone|telefon|t[ée]l[ée]phone|tel[ée]fono|telefone|telefoon|mobile?|mobil|"
    r"m[óo]vil|handy|cell|cellulare|portable|kom[óo]rka|fax|call|ring|anruf\w*|ruf|appel\w*|"
    r"llama\w*|ligar|chiama\w*|dzwon\w*|bel(?:len)?|ring(?:a|e)?|whatsapp|sms)\b"
    r"[^0-9]{0,24}(?:[0-9][ ./()-]{0,2}){6,14}[0-9]" + END,
    re.IGNORECASE,
)
DIGITS = range(8, 16)
NATIONAL_DIGITS = range(8, 14)
POINTED_DIGITS = range(10, 14)
NAMED = ("phone", "fax")
FAX = "E"  # HIPAA counts them apart


class Telephone(PatternDetector):
    """Detects telephone numbers, anywhere in a value; one is enough.

    International ones begin with + or 00; national ones with a 0 that a space, a slash or brackets
    part from the rest, or a dot or hyphen where they have ten digits; French ones are five pairs;
    North American ones are written 3-3-4. Other ways of writing count beside a word such as `tel`
    or `call`, or in a column whose name says it.

    >>> told = ["Frau Huber 0664 1234567", "+34 977 55 80 00", "(775) 555-0123", "01.02.2003"]
    >>> [Telephone().matches(text) for text in told]
    [True, True, True, False]
    """

    name: ClassVar = "telephone"
    what: ClassVar = "telephone numbers"
    reference: ClassVar = "ITU-T E.123 and E.164; North American Numbering Plan"
    hipaa: ClassVar = "D"
    filter: ClassVar = r"[ /()+.:-]"

    def detect(self, values: Values) -> Detection | None:
        """Return how many values hold a number; the column's name may say that they are such."""
        if values.named(*NAMED):
            numbers = filtered(values.texts, r"^[+(]?(?:[0-9][ ./()-]*){6,15}$")
            found = self.detection(values, len(numbers)) if numbers else None
            return replace(found, hipaa=FAX) if found and values.named("fax") else found
        return super().detect(values)

    def candidates(self, values: Values) -> list[str]:
        """Return the texts with digits enough."""
        return [] if values.column.is_integer else filtered(values.with_digits, self.filter)

    def matches(self, text: str) -> bool:
        """Tell whether a value holds a telephone number."""
        for pattern, lengths in (
            (INTERNATIONAL, DIGITS),
            (NATIONAL, NATIONAL_DIGITS),
            (POINTED, POINTED_DIGITS),
            (PAIRS, NATIONAL_DIGITS),
            (NORTH_AMERICAN, NATIONAL_DIGITS),
        ):
            for found in pattern.finditer(text):
                if sum(sign.isdigit() for sign in found.group()) in lengths:
                    return True
        return CALLED.search(text) is not None

"""A meaning that a name can have, and the identifiers of HIPAA."""

from __future__ import annotations

from typing import NamedTuple

from tacita.data.attribute import Role

# The identifiers that the safe harbor of 45 CFR 164.514(b)(2)(i) has removed, by their letters.
HIPAA = {
    "A": "names",
    "B": "geographic subdivisions smaller than a state",
    "C": "dates except the year, and ages over 89",
    "D": "telephone numbers",
    "E": "fax numbers",
    "F": "electronic mail addresses",
    "G": "social security numbers",
    "H": "medical record numbers",
    "I": "health plan beneficiary numbers",
    "J": "account numbers",
    "K": "certificate and license numbers",
    "L": "vehicle identifiers and serial numbers",
    "M": "device identifiers and serial numbers",
    "N": "web addresses (URLs)",
    "O": "internet protocol (IP) addresses",
    "P": "biometric identifiers",
    "Q": "full-face photographs and comparable images",
    "R": "any other unique identifying number, characteristic or code",
}


def hipaa_mention(letter: str) -> str:
    """Return the mention of a HIPAA identifier in a sentence, or nothing.

    >>> hipaa_mention("F")
    ' (HIPAA F: electronic mail addresses)'
    """
    return f" (HIPAA {letter}: {HIPAA[letter]})" if letter else ""


class Concept(NamedTuple):
    """A meaning that a name can have.

    Args:
        name: what it is called here.
        what: what it is called in a sentence.
        role: the role of an attribute that means it.
        words: the words and phrases that mean it, parted by commas.
        hipaa: the letter of the HIPAA identifier it is, or nothing.
        coded: whether whole numbers are codes, not amounts.
        vague: whether the words say little unless they are all there is, or the values agree.
    """

    name: str
    what: str
    role: Role
    words: str
    hipaa: str = ""
    coded: bool = True
    vague: bool = False

"""Names of persons."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar

from tacita.inspection.detectors.base import Detection, Detector, Values, filtered, spread_sample
from tacita.inspection.detectors.word_lists import (
    GIVEN_NAMES,
    PLACE_WORDS,
    SMALL_TITLES,
    TITLES,
)

NAME = r"(?:[^\W\d_]['\u2019])?[^\W\d_][^\W\d_]+(?:['\u2019-][^\W\d_]+)*"
PARTICLES = (
    "van|von|vom|zu|zur|de|der|den|del|della|di|da|dos|das|do|du|le|la|ter|ten|al|el|bin|ibn"
)
UPPER = r"(?=[A-ZÀ-ÖØ-ÞĀ-Ž])"
TITLED = re.compile(
    rf"(?<![\w-])(?i:{TITLES})\.?\s(?:(?i:{TITLES})\.?\s)?(?:(?:{PARTICLES})\s){{0,3}}{UPPER}({NAME})"
)
WORD = re.compile(rf"{NAME}")
# Of letters that are words, too: `M 12`, `Via don Bosco`, `Dr. h. c.`; a name is longer.
SHORT_TITLES = re.compile(r"(?<![\w-])(?:[Mm]|[Ss]r|[Dd]on|[Dd]ona|[Pp]ani?|[Ss]ig|[Hh]r)\.?\s")
FEW = Fraction(1, 10)  # share of the values with a given and a family name
ENOUGH = 3  # values with both, in which case a smaller share is enough
SMALL_SHARE = Fraction(1, 200)
ALONE = Fraction(1, 2)  # share of the values that are single given names
FEWEST_ALONE = 4
LONGEST = 400  # signs in which a name is looked for


class PersonName(Detector):
    """Detects names of persons: a title with a name, or a known given name beside another name.

    A title such as `Frau`, `Mr` or `Mme` before a capitalised word is enough once. A given name of
    a list of some 670 beside a capitalised word counts when a tenth of the values show it, or three
    values and one in 200: towns and brands are called after people, too. A column whose values are
    single given names counts when half of them are on the list, or its name says names of persons.

    >>> from tacita.inspection.columns import column_of
    >>> import pyarrow as pa
    >>> remarks = column_of("x", pa.array(["none"] * 9 + ["Frau Huber anrufen"]))
    >>> PersonName().detect(Values(remarks)).matches
    1
    """

    name: ClassVar = "person_name"
    what: ClassVar = "names of persons"
    reference: ClassVar = "titles of 11 languages; frequent given names of national statistics"
    hipaa: ClassVar = "A"

    def detect(self, values: Values) -> Detection | None:
        """Return how many values hold a name, where there are enough of them."""
        some = spread_sample(filtered(values.long_texts, r"\p{Lu}\p{L}"))
        titled = sum(map(has_title, some))
        full = sum(map(has_full_name, some))
        if titled or _are_enough(full, len(values.words)):
            return self.detection(values, max(titled, full))
        single = filtered(values.words, r"^\p{L}[\p{L}'-]+$")
        if values.named("person_name") and len(single) >= FEWEST_ALONE:
            return self.detection(values, len(single), "as the name of the column says")
        given = sum(_folded(text) in GIVEN_NAMES for text in spread_sample(single))
        if given >= FEWEST_ALONE and given >= ALONE * len(values.words):
            return self.detection(values, given)
        return None


def _are_enough(full: int, values: int) -> bool:
    return full >= FEW * values > 0 or (full >= ENOUGH and full >= SMALL_SHARE * values)


def has_title(text: str) -> bool:
    """Tell whether a title stands before a name.

    >>> has_title("spoke with Mrs. Jones"), has_title("Mr or Mrs"), has_title("M 12")
    (True, False, False)
    """
    return any(
        not re.fullmatch(f"(?i:{TITLES})", found.group(1)) and _says_person(found)
        for found in TITLED.finditer(text[:LONGEST])
    )


def _says_person(found: re.Match[str]) -> bool:
    """Tell whether a title is one: it has a capital, and a full stop if it has few letters."""
    title = found.group()
    if title[0].islower():
        return title.split()[0].removesuffix(".") in SMALL_TITLES
    if SHORT_TITLES.match(title):
        return title[1] == "." or title.startswith(("Pan", "Sr", "Hr", "Sig"))
    return True


def has_full_name(text: str) -> bool:
    """Tell whether a known given name stands beside another capitalised word.

    >>> has_full_name("Anna Huber"), has_full_name("HUBER, Jean-Pierre"), has_full_name("New York")
    (True, True, False)
    """
    found = [*WORD.finditer(text[:LONGEST])]
    return any(
        _is_beside(text, one, other) and _are_a_name(one.group(), other.group())
        for one, other in pairwise(found)
    )


def _is_beside(text: str, one: re.Match[str], other: re.Match[str]) -> bool:
    return text[one.end() : other.start()] in (" ", ", ", "_", "  ")


def _are_a_name(one: str, other: str) -> bool:
    if not (one[0].isupper() and other[0].isupper()):
        return False
    folded = {_folded(one), _folded(other)}
    given = any(word.split("-")[0] in GIVEN_NAMES for word in folded)
    return given and len(folded) > 1 and PLACE_WORDS.isdisjoint(folded)


def _folded(word: str) -> str:
    parts = unicodedata.normalize("NFKD", word.casefold().replace("ł", "l").replace("ø", "o"))
    return "".join(part for part in parts if not unicodedata.combining(part))

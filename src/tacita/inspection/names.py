"""What the name of an attribute says: its words, compared with those of the vocabulary."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tacita.data.attribute import Role
from tacita.inspection.vocabulary import CONCEPTS, Concept, hipaa_mention
from tacita.inspection.vocabulary.identifiers import RESPONDENT_NUMBER
from tacita.inspection.vocabulary.words import (
    COMPOUND_HEADS,
    GROUPS,
    KINDS_OF,
    LINKS,
    NUMBERED,
    NUMBERING,
    NUMBERING_FIRST,
    OPINIONS,
    SUBJECTS,
    YES_OR_NO,
)

Phrase = tuple[str, ...]

LETTERS = re.compile(r"[^\W\d_]+")
# What Unicode does not take apart into a letter and its accent.
STROKES = str.maketrans({"ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th"})
VOWELS = re.compile(r"(?<!^)[aeiou]")
SHORTEST = 4  # letters of an abbreviation without vowels that still tells something
LONGEST = 5  # words of a phrase
BEFORE = 3  # letters before the last word of a compound, at least
ABBREVIATED = "nr"  # the one before which a single letter may stand


class Meant(NamedTuple):
    """What a name means.

    Args:
        concept: the meaning.
        plainly: whether the name says it and nothing else; a vague word must be plain to count.
        by: what says it: the name, or the label that the file gives the attribute.
    """

    concept: Concept
    plainly: bool
    by: str = "name"

    @property
    def told(self) -> str:
        """What the name means, in a sentence."""
        return f"Its {self.by} says {self.concept.what}{hipaa_mention(self.concept.hipaa)}."


def meaning(name: str, label: str | None = None) -> Meant | None:
    """Return what a name means or, where it means nothing or little, what its label does.

    >>> meaning("Geburtsdatum").concept.name, meaning("homePhone2").concept.name
    ('birth_date', 'phone')
    >>> meaning("page")

    A label that asks for an opinion says nothing: satisfaction with an income is no income.
    """
    found = _meant(name, "name")
    if not label or _asks_opinion(label) or (found is not None and not found.concept.vague):
        return found
    labelled = _meant(label, "label")
    return labelled if found is None or (labelled and not labelled.concept.vague) else found


def _asks_opinion(label: str) -> bool:
    return label.rstrip().endswith("?") and not OPINIONS.isdisjoint(words(label))


def words(name: str) -> Phrase:
    """Part a name into words without accents, case and number, leaving out words that only join.

    >>> words("dateOfBirth"), words("ADRESSE_Straße-2"), words("Año de nacimiento")
    (('date', 'birth'), ('adresse', 'strasse'), ('ano', 'nacimiento'))
    >>> words("Patientenname"), words("Kundennr"), words("caseno")
    (('patienten', 'name'), ('kunden', 'nr'), ('case', 'no'))
    """
    said, _ = _parted(name)
    return said


def _parted(name: str) -> tuple[Phrase, int]:
    """Return the words of a name, and how many of them stand before the first that only joins."""
    humps = [_folded(part) for run in LETTERS.findall(name) for part in _humps(run)]
    parts = [_singular(part) for word in humps for part in _compound(word)]
    said = tuple(part for part in parts if part not in LINKS)
    joins = [place for place, part in enumerate(parts) if part in LINKS and place]
    return (said, joins[0] if joins else len(said)) if said else (tuple(parts), len(parts))


def _humps(run: str) -> list[str]:
    """Part a run of letters where small ones turn to capitals, as in `homePhone` or `IPAddress`."""
    if not run.isascii():
        return [run]
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", run)


def _folded(word: str) -> str:
    parts = unicodedata.normalize("NFKD", word.casefold().translate(STROKES))
    return "".join(part for part in parts if not unicodedata.combining(part))


def _compound(word: str) -> Phrase:
    """Part a compound before its last word, and a known word from the `no` or `id` behind it."""
    for head in COMPOUND_HEADS:
        before = word.removesuffix(head)
        least = 1 if head == ABBREVIATED else BEFORE
        if len(word) > len(before) >= least and before not in LINKS:
            return before, head
    for end in NUMBERED:
        if word.endswith(end) and word.removesuffix(end) in SUBJECTS:
            return word.removesuffix(end), end
    return (word,)


def _singular(word: str) -> str:
    is_plural = len(word) > SHORTEST and word.endswith("s") and not word.endswith(("ss", "us"))
    return word[:-1] if is_plural else word


def _meant(name: str, by: str) -> Meant | None:
    """Find the meaning of the words that say most: no vague ones, a long phrase, the head.

    The head of `state_tax` is its last word, that of `age at diagnosis` stands before what joins.
    """
    said, head = _parted(name)
    phrases = _phrases()
    found = [
        (CONCEPTS[phrases[part]].vague, -len(part), stop > head, -stop, phrases[part], part)
        for part, stop in _parts(said)
        if part in phrases and not (_is_kind_of(said) and _identifies(phrases[part]))
    ]
    best = min(found, default=None)
    if _numbers_subjects(said, head) and (best is None or _gives_way(best[-2], best[-1], said)):
        return Meant(RESPONDENT_NUMBER, plainly=True, by=by)
    if best is None:
        return None
    known = {word for word in said if (word,) in phrases} | SUBJECTS | set(best[-1])
    return Meant(CONCEPTS[best[-2]], plainly=known.issuperset(said), by=by)


def _gives_way(place: int, phrase: Phrase, said: Phrase) -> bool:
    """Tell whether a meaning found in a part of a name says less than a number of persons."""
    return phrase != said and (CONCEPTS[place].vague or not _identifies(place))


def _identifies(place: int) -> bool:
    return CONCEPTS[place].role is Role.IDENTIFIER


def _is_kind_of(said: Phrase) -> bool:
    """Tell whether a name is about a kind or number of things, or has yes and no for an answer."""
    return len(said) > 1 and (said[-1] in KINDS_OF or said[0] in YES_OR_NO)


def _numbers_subjects(said: Phrase, head: int) -> bool:
    """Tell whether a name says the number of a person, as `employee_no` and `numero_client` do.

    What joins makes a count of it: `number of employees`.
    """
    if len(said) <= 1 or head < len(said) or not GROUPS.isdisjoint(said):
        return False
    last = said[-1] in NUMBERING and SUBJECTS.issuperset(said[:-1])
    return last or (said[0] in NUMBERING_FIRST and SUBJECTS.issuperset(said[1:]))


def _parts(said: Phrase) -> Iterator[tuple[Phrase, int]]:
    """Yield every run of words with its end, and every word that lost its vowels in full."""
    for stop in range(1, len(said) + 1):
        for start in range(max(0, stop - LONGEST), stop):
            yield said[start:stop], stop
        if len(said[stop - 1]) >= SHORTEST and said[stop - 1] in _abbreviations():
            yield _abbreviations()[said[stop - 1]], stop


@cache
def _phrases() -> dict[Phrase, int]:
    """Return the place among the concepts of every phrase; the first that has it keeps it."""
    found: dict[Phrase, int] = {}
    for place, concept in enumerate(CONCEPTS):
        for phrase in concept.words.split(","):
            found.setdefault(words(phrase), place)
    return found


@cache
def _abbreviations() -> dict[str, Phrase]:
    """Return single words by what is left of them without the vowels inside."""
    single = [phrase for phrase in _phrases() if len(phrase) == 1]
    short = {VOWELS.sub("", phrase[0]): phrase for phrase in reversed(single)}
    return {word: phrase for word, phrase in short.items() if (word,) not in _phrases()}

"""Free text: what people write in their own words, and nobody can check for what it gives away."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Ints
from tacita.inspection.detectors.base import Detection, Detector, Values, spread_sample
from tacita.inspection.detectors.word_lists import STATEMENT_WORDS

LOOKED_AT = 2_000  # distinct values that show how an attribute's text reads
SOME = 20  # distinct values below which only long ones or statements are free text
FILLER = 0.05  # share of the records from which on one of the most frequent values is a filler
FILLERS = 5  # fillers that are left out at most: `none`, `n/a`, `no remarks`
DISTINCT = 0.5  # share of the values that are distinct: labels of categories repeat
TIMES = 3  # records that may share a text, each of them, whatever share is distinct
FEW_STATEMENTS = 2  # long statements among values that otherwise repeat
STORY = 12  # words of a statement that is free text by itself
LONGEST = 2_000  # signs of a value that are read
WORDS = 4  # words of a value on average
LONG = 8  # words of a value that is no label
LONG_SHARE = 0.1  # share of the values that are so long, where the others are short replies
LETTERS = 2.5  # letters that make a word in scripts that do not part words
ONCE = 0.2  # share of the members of lists that stand in one list only, at most
LABELS = 500  # labels that a classification has at most
KNOWN = 0.9  # share of the words of labels that come in more than one
FOLLOWING = 0.6  # share of the words of labels that follow the word before as they mostly do

WORD = re.compile(r"(?<![\w@])[^\W\d_]+(?![\w@])")
# Letters of scripts without spaces: Thai, Lao, Burmese, Khmer, kana, Chinese.
UNPARTED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
)
ADDRESS = re.compile(r"\S*(?:://|@|www\.)\S*")  # whose parts are no words
NUMBER = re.compile(r"\d")
PARTING = re.compile(r"[|;]")


class FreeText(Detector):
    """Detects free text.

    Blanks are left out, and so are up to 5 of the most frequent values that 5 % of the records and
    at least 4 records have, which may be fillers such as `none`. What is left is free text when it
    is text and

    1. as many values are distinct as half of the records that have them, or none occurs more than
       3 times: labels of categories repeat;
    2. they have 4 words on average, or a tenth of them has 8, or half of them are short notes that
       name someone (a small word, a capitalised one and a number: `called Weber 12`). Fewer than 20
       distinct values, which may be labels, must have 8 words on average, or half of them must be
       statements: 4 words or more, with a verb or a pronoun among them. Underscores part words,
       and 2.5 letters are a word in scripts without spaces;
    3. they are no lists: over half of them parted by bars or semicolons, at most a fifth of the
       members in one list only;
    4. they are no labels: at most 500, without numbers and without capitals after the first word,
       nine in ten of the words in several labels, and six in ten words followed as they mostly are.

    Where other values repeat, those that at most 3 records share are looked at by themselves: two
    statements of 8 words or more among them are free text, or one of 12.

    >>> from tacita.inspection.columns import column_of
    >>> import pyarrow as pa
    >>> told = column_of("x", pa.array([f"fell from a ladder, hit step {i}" for i in range(20)]))
    >>> FreeText().detect(Values(told)).matches
    20
    >>> labels = column_of("x", pa.array(["fell from a ladder", "hit by a falling branch"] * 9))
    >>> FreeText().detect(Values(labels))
    """

    name: ClassVar = "free_text"
    what: ClassVar = "free text"
    reference: ClassVar = "45 CFR 164.514(b)(2); HHS guidance on de-identification, 2012, 3.10"

    def detect(self, values: Values) -> Detection | None:
        """Return how many values are free text, if they are."""
        column = values.column
        kind = column.values.type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            return None
        written = free_texts(column.values, values.counts)
        return self.detection(values, written, "in which anything may stand") if written else None


def free_texts(values: pa.Array, counts: Ints) -> int:
    """Return how many of the distinct values of a text column are free text.

    Args:
        values: the distinct values; missing ones and such of spaces alone do not matter.
        counts: how often each occurs.
    """
    kept = np.asarray(pc.not_equal(pc.utf8_trim_whitespace(values), ""), np.bool_)
    seldom = kept & (counts <= TIMES)
    kept[_fillers(np.where(kept, counts, 0))] = False
    if not kept.any():
        return 0
    if _are_rare(counts[kept]) and _is_prose(values.filter(pa.array(kept))):
        return int(kept.sum())
    rare = _some_texts(values.filter(pa.array(seldom)))
    told = sum(map(_is_long_statement, rare))
    return told if told >= FEW_STATEMENTS or any(map(_is_story, rare)) else 0


def _is_prose(values: pa.Array) -> bool:
    texts = _some_texts(values)
    return _reads_as_prose(texts) and not _are_lists(texts) and not _are_labels(texts, len(values))


def _some_texts(values: pa.Array) -> list[str]:
    """Return texts that show how all of them read, the same ones in whatever order they come."""
    texts: list[str] = values.to_pylist()
    some = (text[:LONGEST] for text in spread_sample(texts, LOOKED_AT))
    return [ADDRESS.sub(" ", text).replace("_", " ") for text in some]


def _fillers(counts: Ints) -> list[int]:
    """Return the places of the values that stand for nothing said: few, and in many records."""
    most = np.argsort(-counts, kind="stable")[:FILLERS].tolist()
    least = max(TIMES + 1, FILLER * counts.sum())
    return [place for place in most if counts[place] >= least]


def _are_rare(counts: Ints) -> bool:
    return bool(len(counts) >= DISTINCT * counts.sum() or counts.max() <= TIMES)


def _reads_as_prose(texts: list[str]) -> bool:
    lengths = np.array([_length(text) for text in texts])
    if len(texts) < SOME:
        stated = sum(map(_is_statement, texts))
        return bool(lengths.mean() >= LONG or 2 * stated >= len(texts))
    notes = sum(map(_names_someone, texts))
    return bool(
        lengths.mean() >= WORDS or np.mean(lengths >= LONG) >= LONG_SHARE or 2 * notes >= len(texts)
    )


def _is_statement(text: str) -> bool:
    """Tell whether something is said of somebody: a verb or a pronoun among several words."""
    words = WORD.findall(text)
    return len(words) >= WORDS and any(word.lower() in STATEMENT_WORDS for word in words)


def _is_long_statement(text: str) -> bool:
    return _length(text) >= LONG and _is_statement(text)


def _is_story(text: str) -> bool:
    said = sum(word.lower() in STATEMENT_WORDS for word in WORD.findall(text))
    return _length(text) >= STORY and said > 1


def _names_someone(text: str) -> bool:
    words = WORD.findall(text)
    named = any(a.islower() and b[0].isupper() for a, b in pairwise(words))
    return named and NUMBER.search(text) is not None


def _length(text: str) -> float:
    """Return the number of words, estimated where a script does not part them."""
    unparted = len(UNPARTED.findall(text))
    return len(WORD.findall(UNPARTED.sub(" ", text))) + unparted / LETTERS


def _are_lists(texts: list[str]) -> bool:
    """Tell whether most texts are parted by bars or semicolons into members that come again."""
    lists = [PARTING.split(text) for text in texts if PARTING.search(text)]
    if 2 * len(lists) <= len(texts):
        return False
    times = Counter(member.strip() for parts in lists for member in parts)
    once = sum(number == 1 for number in times.values())
    return once <= ONCE * times.total()


def _are_labels(texts: list[str], distinct: int) -> bool:
    """Tell whether texts are labels of a classification, in which nothing is said of anybody."""
    if distinct > LABELS or any(map(NUMBER.search, texts)):
        return False
    parted = [WORD.findall(text) for text in texts]
    if any(word[0].isupper() for words in parted for word in words[1:]):
        return False
    held = Counter(word for words in parted for word in set(words))
    known = sum(number > 1 for number in held.values())
    return known >= KNOWN * len(held) > 0 and _following(parted) >= FOLLOWING


def _following(parted: list[list[str]]) -> float:
    """Return the share of the words that follow the word before as words mostly follow it."""
    after: dict[str, Counter[str]] = defaultdict(Counter)
    for words in parted:
        for word, following in pairwise(words):
            after[word][following] += 1
    usual = sum(max(found.values()) for found in after.values())
    return usual / max(sum(found.total() for found in after.values()), 1)

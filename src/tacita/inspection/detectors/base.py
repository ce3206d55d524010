"""The shape of every detector: what it looks at, and what it reports."""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.classes import Ints
from tacita.inspection.columns import Column
from tacita.inspection.names import Meant, meaning, words
from tacita.inspection.vocabulary import hipaa_mention
from tacita.results import counted

NOT_ASCII = r"[^\x00-\x7f]"
UNSEEN = r"[\p{Cf}\x{034f}\x{115f}\x{1160}\x{3164}\x{fe00}-\x{fe0f}]"  # joiners, marks of direction
DASHES = r"[\p{Pd}\x{2212}\x{2043}]"
SPACES = r"[\p{Z}\t\n\r\x{0085}]+"
OTHER_DIGITS = r"[^\P{Nd}0-9]"
MOST_TESTED = 20_000  # distinct values that a detector reads with Python, where it needs many


@dataclass(frozen=True)
class Detection:
    """What a detector reports of a column.

    Args:
        detector: the name of the detector, as plans write it.
        what: what was detected, in the plural.
        column: the name of the column.
        matches: how many distinct values show it.
        values: how many distinct values there are.
        hipaa: the letter of the HIPAA identifier it is, or nothing.
        reason: why that cannot be an accident or why it matters, in a clause; may be empty.
    """

    detector: str
    what: str
    column: str
    matches: int
    values: int
    hipaa: str = ""
    reason: str = ""

    @property
    def sentence(self) -> str:
        """What was detected, without any value.

        >>> Detection("email", "e-mail addresses", "note", 3, 40, "F").sentence
        '3 of its 40 values hold e-mail addresses (HIPAA F: electronic mail addresses).'
        """
        of = f"{self.matches:,} of its {counted(self.values, 'value')}"
        hold = "holds" if self.matches == 1 else "hold"
        reason = f", {self.reason}" if self.reason else ""
        return f"{of} {hold} {self.what}{hipaa_mention(self.hipaa)}{reason}."


@dataclass(frozen=True, eq=False)
class Values:
    """The values of a column as detectors read them: each distinct one once.

    Args:
        column: the distinct values, with the records in the order of the source.
        identifiers: the values of declared identifiers and households in the same records.
        in_source_order: whether the order of the records is that of the source.
    """

    column: Column
    identifiers: Mapping[str, pa.Array] = field(default_factory=dict)
    in_source_order: bool = True

    @cached_property
    def texts(self) -> pa.Array:
        """The distinct values as text, trimmed and folded, without empty ones."""
        values, kind = self.column.values, self.column.values.type
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            values = values.flatten().drop_null()
        if not (_is_text(values.type) or pa.types.is_integer(values.type)):
            return pa.array([], pa.string())
        text = values.cast(pa.string())
        text = pc.unique(pc.utf8_trim_whitespace(folded(text) if _is_text(values.type) else text))
        return text.filter(pc.greater(pc.binary_length(text), 0))

    @cached_property
    def words(self) -> pa.Array:
        """The distinct values that are text; none where the column holds numbers."""
        return self.texts if not self.column.is_integer else self.texts.slice(0, 0)

    @cached_property
    def long_texts(self) -> pa.Array:
        """The text values of two words or more, in which somebody may be mentioned."""
        return self.words.filter(pc.match_substring_regex(self.words, r"\S[\s,_]+\S"))

    @cached_property
    def with_digits(self) -> pa.Array:
        """The values with six digits or more, in which a number may be."""
        return self.texts.filter(pc.match_substring_regex(self.texts, "(?:[0-9][^0-9]*){6}"))

    @cached_property
    def counts(self) -> Ints:
        """How many records have each distinct value of the column."""
        return self.column.counts[:-1]

    @cached_property
    def meant(self) -> Meant | None:
        """What the column's name means, if that is known."""
        return meaning(self.column.name, self.column.label)

    def named(self, *concepts: str) -> bool:
        """Tell whether the column's name means one of some concepts."""
        return self.meant is not None and self.meant.concept.name in concepts

    @cached_property
    def name_words(self) -> frozenset[str]:
        """The words of the column's name."""
        return frozenset(words(self.column.name))


class Detector(ABC):
    """Looks at the values of a column for one kind of content that must not be released.

    A detector never looks at declared roles: a key, a confidential attribute and a remark are read
    alike. What it reports depends on the set of values, not on their order, except where the order
    of the source itself gives something away.
    """

    name: ClassVar[str]  # as plans write it
    what: ClassVar[str]  # in the plural, for sentences
    reference: ClassVar[str]
    hipaa: ClassVar[str] = ""

    @abstractmethod
    def detect(self, values: Values) -> Detection | None:
        """Return what is detected in a column, or None."""

    def detection(self, values: Values, matches: int, reason: str = "") -> Detection:
        """Return a report on some of the values of a column."""
        total = max(len(values.texts), matches)
        return Detection(
            self.name, self.what, values.column.name, matches, total, self.hipaa, reason
        )


class PatternDetector(Detector):
    """A detector for which a single value of its pattern is enough."""

    filter: ClassVar[str]  # a regular expression (RE2) that every match passes; quick
    pattern: ClassVar[re.Pattern[str]]

    def detect(self, values: Values) -> Detection | None:
        """Return how many values show the pattern, if any does."""
        matches = len(self.matching(values))
        return self.detection(values, matches) if matches else None

    def matching(self, values: Values) -> list[str]:
        """Return the values that show the pattern."""
        return [text for text in self.candidates(values) if self.matches(text)]

    def candidates(self, values: Values) -> list[str]:
        """Return the values that the quick expression lets pass."""
        return filtered(values.words, self.filter)

    def matches(self, text: str) -> bool:
        """Tell whether a value shows the pattern."""
        return self.pattern.search(text) is not None


def folded(texts: pa.Array) -> pa.Array:
    """Return texts with one sign for all that look alike: wide letters, spaces, dashes, digits.

    Signs that nobody sees are left out, so that none of them hides a number or an address.

    >>> folded(pa.array(["0664\u00a01234\u20115678", "ana\uff20example.org"])).to_pylist()
    ['0664 1234-5678', 'ana@example.org']
    """
    if not pc.any(pc.match_substring_regex(texts, NOT_ASCII), min_count=1).as_py():
        return texts
    text = pc.utf8_normalize(texts, form="NFKC")
    text = pc.replace_substring_regex(text, UNSEEN, "")
    text = pc.replace_substring_regex(text, DASHES, "-")
    text = pc.replace_substring_regex(text, SPACES, " ")
    other = pc.match_substring_regex(text, OTHER_DIGITS)
    if not pc.any(other, min_count=1).as_py():
        return text
    rewritten = pa.array([_with_digits(one) for one in text.filter(other).to_pylist()], text.type)
    return pc.replace_with_mask(text, other, rewritten)


def _with_digits(text: str) -> str:
    """Return a text with its digits of other scripts as 0 to 9."""
    return "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in text)


def filtered(texts: pa.Array, expression: str) -> list[str]:
    """Return the texts in which a regular expression (RE2) is present."""
    if not len(texts):
        return []
    kept: list[str] = texts.filter(pc.match_substring_regex(texts, expression)).to_pylist()
    return kept


def spread_sample(texts: list[str], most: int = MOST_TESTED) -> list[str]:
    """Return at most so many texts, the same ones in whatever order they come.

    >>> spread_sample(["c", "a", "b"], 2)
    ['a', 'c']
    """
    if len(texts) <= most:
        return texts
    ordered = sorted(texts)
    return [ordered[at] for at in np.linspace(0, len(ordered) - 1, most).astype(np.int64)]


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))

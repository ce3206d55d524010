"""Pseudonymized: identifiers are digests, all of one length and of nothing but hex digits."""

from __future__ import annotations

from collections.abc import Iterator
from math import log

import pyarrow.compute as pc

from tacita.attacks.clues.guess import Guess, chance_of
from tacita.attacks.clues.values import worded
from tacita.data.dataset import Dataset
from tacita.results import counted

SHORTEST, ENOUGH = 16, 5
DIGESTS = {32: "128 bits", 40: "SHA-1", 64: "256 bits", 128: "512 bits"}


def look(data: Dataset) -> Iterator[Guess]:
    """Find pseudonyms; that words of letters and digits are hex digits throughout is no chance."""
    for name in worded(data):
        words = data.column(name).drop_null()
        length = _length(words)
        if length is None or len(words) < ENOUGH:
            continue
        different = len(words.unique())
        told = DIGESTS.get(length, f"{4 * length} bits")
        yield Guess(
            "pseudonymize",
            (name,),
            {"digits": length},
            f"{counted(different, 'different value')} of {length} hex digits each ({told})",
            chance_of(different * length * log(16 / 36)),
            narrows=""
            if different == len(words)
            else f"records of one respondent show: {different:,} in {len(words):,} records",
        )


def _length(words: object) -> int | None:
    """Return the length that all words have, if it is that of digests of hex digits."""
    lengths = pc.unique(pc.utf8_length(words)).to_pylist()
    if len(lengths) != 1 or lengths[0] < SHORTEST:
        return None
    hexadecimal = pc.all(pc.match_substring_regex(words, "^[0-9a-fA-F]+$")).as_py()
    letters = pc.any(pc.match_substring_regex(words, "[a-fA-F]")).as_py()
    return int(lengths[0]) if hexadecimal and letters else None

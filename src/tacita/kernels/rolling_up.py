"""Counted combinations of codes, packed into words, rolled up to coarser codes.

A combination is a column of 64-bit words in which every code has its own bits. Rolling up replaces
some of the codes by coarser ones and adds up the counts of the combinations that became equal, so
that nothing finer has to be looked at again. Combinations are numbered as they appear.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tacita.kernels.compile import frozen, kernel

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]

WORD_BITS = 64
BLOCK = 2**11  # combinations recoded at a time, so that their words stay in the cache
MULTIPLIER = np.uint64(0xD6E8FEB86659FD93)
HALF = np.uint64(32)


class Field(NamedTuple):
    """The bits that a code has: it is `(words[word] >> shift) & mask`."""

    word: int
    shift: int
    mask: int


class RolledUp(NamedTuple):
    """Combinations with coarser codes."""

    into: Places  # for each combination before: the number of the one that it became part of
    words: Words  # words by combinations
    counts: Ints


def fields_of(sizes: Sequence[int]) -> list[Field]:
    """Give codes below some sizes their bits, in as few words as their order allows.

    >>> fields_of([3, 1, 5])
    [Field(word=0, shift=0, mask=3), Field(word=0, shift=2, mask=0), Field(word=0, shift=2, mask=7)]
    """
    fields, word, used = [], 0, 0
    for size in sizes:
        bits = max(size - 1, 0).bit_length()
        if used + bits > WORD_BITS:
            word, used = word + 1, 0
        fields.append(Field(word, min(used, WORD_BITS - 1), 2**bits - 1))
        used += bits
    return fields


def packed(codes: Sequence[npt.NDArray[np.signedinteger]], fields: Sequence[Field]) -> Words:
    """Pack one array of codes a field into words.

    >>> packed([np.array([2, 0]), np.array([1, 1])], fields_of([3, 2]))
    array([[6, 4]], dtype=uint64)
    """
    words = np.zeros((fields[-1].word + 1, len(codes[0])), np.uint64)
    for code, field in zip(codes, fields, strict=True):
        words[field.word] |= code.astype(np.uint64) << np.uint64(field.shift)
    return words


def unpacked(words: Words, field: Field) -> Ints:
    """Return the codes that a field holds."""
    held: Words = (words[field.word] >> np.uint64(field.shift)) & np.uint64(field.mask)
    return held.astype(np.int64)


def roll_up(
    words: Words, counts: Ints, fields: Sequence[Field] = (), maps: Sequence[Ints] = ()
) -> RolledUp:
    """Replace codes and add up the counts of the combinations that became equal.

    >>> words = packed([np.array([0, 1, 2]), np.array([1, 1, 0])], fields_of([3, 2]))
    >>> rolled = roll_up(words, np.array([5, 1, 2]), fields_of([3]), [np.array([0, 0, 1])])
    >>> rolled.into, rolled.counts
    (array([0, 0, 1], dtype=int32), array([6, 2]))

    Args:
        words: words by combinations.
        counts: one for each combination.
        fields: those whose codes are replaced.
        maps: for each of them the new code of every code.
    """
    places = np.array(fields, np.uint64).reshape(-1, 3)
    starts = np.cumsum([0, *map(len, maps)])[:-1].astype(np.int64)
    flat = np.concatenate(maps).astype(np.uint64) if maps else np.zeros(0, np.uint64)
    size = words.shape[1]
    coarse, into = np.empty_like(words), np.empty(size, np.int32)
    slots = np.full(1 << max(2 * size - 1, 1).bit_length(), -1, np.int32)
    sums = np.empty(size, np.int64)
    total = _roll_up(
        frozen(words), frozen(counts, np.int64), places, starts, flat, slots, coarse, into, sums
    )
    return RolledUp(into, coarse[:, :total].copy(), sums[:total].copy())


def warm_up() -> None:
    """Compile the kernels of this module."""
    field = fields_of([2])
    roll_up(packed([np.arange(2)], field), np.ones(2, np.int64), field, [np.zeros(2, np.int64)])


@kernel
def _roll_up(
    words: Words,
    counts: Ints,
    places: Words,
    starts: Ints,
    flat: Words,
    slots: Places,
    coarse: Words,
    into: Places,
    sums: Ints,
) -> int:
    """Fill in what became of every combination; returns how many there are then.

    The new combinations are written over the room for recoded ones, which they never overtake.
    """
    found = 0
    block = np.empty((words.shape[0], BLOCK), np.uint64)
    for start in range(0, words.shape[1], BLOCK):
        stop = min(start + BLOCK, words.shape[1])
        block[:, : stop - start] = words[:, start:stop]
        _recode(block[:, : stop - start], places, starts, flat)
        for i in range(start, stop):
            at = _probe(slots, coarse, block, i - start)
            if slots[at] < 0:
                slots[at] = found
                for w in range(words.shape[0]):
                    coarse[w, found] = block[w, i - start]
                sums[found] = 0
                found += 1
            into[i] = slots[at]
            sums[slots[at]] += counts[i]
    return found


@kernel
def _recode(block: Words, places: Words, starts: Ints, flat: Words) -> None:
    """Replace the codes of some fields."""
    for f in range(places.shape[0]):
        word, shift, mask = places[f, 0], places[f, 1], places[f, 2]
        codes = flat[starts[f] :]
        gap = ~(mask << shift)
        for i in range(block.shape[1]):
            held = block[word, i]
            block[word, i] = (held & gap) | (codes[(held >> shift) & mask] << shift)


@kernel
def _probe(slots: Places, coarse: Words, block: Words, i: int) -> int:
    """Find the slot of a combination, or the free one where it belongs."""
    key = np.uint64(0)
    for w in range(block.shape[0]):
        key = (key ^ block[w, i]) * MULTIPLIER
        key = (key ^ (key >> HALF)) * MULTIPLIER
        key ^= key >> HALF
    last = slots.size - 1
    at = int(np.int64(key) & last)
    while slots[at] >= 0:
        same = True
        for w in range(block.shape[0]):
            same = same and coarse[w, slots[at]] == block[w, i]
        if same:
            break
        at = (at + 1) & last
    return at

"""Keyed numbers of every value: the same at every start, and nobody without the key can tell."""

from __future__ import annotations

from hashlib import blake2b
from itertools import repeat

import numpy as np
import pyarrow as pa

from tacita.arithmetic import log1p
from tacita.data.classes import Floats, Ints
from tacita.mechanisms.keyed import keyed_digests
from tacita.queries.public_classes import PublicClasses

BYTES = 8  # of a digest, that make one number
EACH = 64 // BYTES  # numbers in one digest


def uniforms(data: PublicClasses, name: str, key: bytes, many: int, version: int = 0) -> Floats:
    """Draw numbers from 0 to 1 for every value of an attribute, records in the order of classes.

    A value is known by the public attributes beside it, by what it is, and by how many such values
    stand before it, so that it has the same numbers when other records come or go, and no two
    values have the same.

    Args:
        data: the records.
        name: the attribute.
        key: the secret.
        many: how many numbers each value gets.
        version: how often the data changed; new values must not have the numbers of old ones.
    """
    words = pa.array(_words(data, name, version))
    digests = list(keyed_digests(words.to_pylist(), key))
    values = data.numbers(name)
    alike = np.asarray(words.dictionary_encode().indices).astype(np.int64)
    places = occurrences(alike[data.of_record], values)
    parts = zip(data.of_record.tolist(), values.tolist(), places.tolist(), strict=True)
    drawn = b"".join(_drawn(f"{value!r} {place}", digests[of], many) for of, value, place in parts)
    return _as_uniforms(drawn).reshape(-1, many)


def point_of_simplex(name: str, key: bytes, many: int) -> Floats:
    """Draw weights that add up to 1, evenly among all such weights.

    >>> point_of_simplex("salary", b"k" * 32, 3).sum().round(12)
    np.float64(1.0)
    """
    gaps = -log1p(-_as_uniforms(_drawn(name, key, many, b"weights")))
    weights: Floats = gaps / gaps.sum()
    return weights


def _drawn(word: str, key: bytes, many: int, person: bytes = b"") -> bytes:
    """Return the bytes of some numbers: as many digests as they need, each with its own salt."""
    sizes = [BYTES * min(EACH, many - before) for before in range(0, many, EACH)]
    return b"".join(
        blake2b(
            word.encode(), key=key, digest_size=size, person=person, salt=bytes([place])
        ).digest()
        for place, size in enumerate(sizes)
    )


def _as_uniforms(drawn: bytes) -> Floats:
    """Read digests as numbers strictly between 0 and 1."""
    whole = np.frombuffer(drawn, np.uint64) >> np.uint64(12)
    numbers: Floats = (whole.astype(np.float64) + 0.5) / 2.0**52
    return numbers


def _words(data: PublicClasses, name: str, version: int) -> list[str]:
    """Return what is public of every class, as one text each."""
    columns = [data.columns[one].of_classes().to_pylist() for one in sorted(data.columns)]
    rows = zip(*columns, strict=True) if columns else repeat((), len(data))
    return [f"{name} {version} {row!r}" for row in rows]


def occurrences(groups: Ints, values: Floats) -> Ints:
    """Count, before every value, those that are equal and in the same group.

    >>> occurrences(np.array([0, 0, 0, 1]), np.array([5.0, 7.0, 5.0, 5.0]))
    array([0, 0, 1, 0])
    """
    order = np.lexsort((values, groups))
    same = (np.diff(groups[order]) == 0) & (np.diff(values[order]) == 0)
    starts = np.flatnonzero(np.append(True, ~same)[: len(order)])
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order)) - np.repeat(
        starts, np.diff(np.append(starts, len(order)))
    )
    return places

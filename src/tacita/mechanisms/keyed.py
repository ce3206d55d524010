"""Keyed numbers: the same respondent, the same number, and nobody without the key can tell it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from hashlib import blake2b

import numpy as np

from tacita.errors import ParameterError

KEY_BYTES = 32
DIGEST_BYTES = 16  # two of a billion respondents share a digest with a chance below 1e-20
LEAST_SECRET = 16


def secret_key(method: str, key_from: str | None, rng: np.random.Generator) -> bytes:
    """Return a key: from an environment variable, or drawn from the run's generator.

    Args:
        method: the method that needs it, for the message.
        key_from: the environment variable that holds the secret, or None to draw a key.
        rng: where a key is drawn from.

    Raises:
        ParameterError: the variable is not set, or too short to be secret.
    """
    if key_from is None:
        return rng.bytes(KEY_BYTES)
    secret = os.environ.get(key_from, "")
    if len(secret) < LEAST_SECRET:
        found = "is too short to be secret" if secret else "is not set"
        raise ParameterError(
            f"`{method}` takes its key, {LEAST_SECRET} characters or more, from the "
            f"environment variable {key_from}, which {found}."
        )
    return blake2b(secret.encode(), digest_size=KEY_BYTES).digest()


def keyed_digests(words: Iterable[str], key: bytes) -> Iterator[bytes]:
    """Give BLAKE2b(key, word), 128 bits, of every word (RFC 7693).

    >>> [len(digest) for digest in keyed_digests(["ana", "ben"], b"k" * 32)]
    [16, 16]
    """
    return (blake2b(word.encode(), key=key, digest_size=DIGEST_BYTES).digest() for word in words)

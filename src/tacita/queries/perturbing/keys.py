"""Keys of the records behind a guard, and of sets of them."""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import Annotated

import numpy as np
from pydantic import Field

from tacita.data.classes import Ints
from tacita.mechanisms.cell_keys import Keys, record_keys, uniform
from tacita.mechanisms.keyed import KEY_BYTES, secret_key
from tacita.queries.cells import QuerySet
from tacita.queries.public_classes import PublicClasses

BYTES = 8
KeyFrom = Annotated[
    str | None,
    Field(
        description="The environment variable that holds the secret key, 16 characters or more. "
        "Without one a key is drawn when the database is opened, and noise is drawn anew when it "
        "is opened again.",
        min_length=1,
    ),
]


def noise_key(method: str, key_from: str | None) -> bytes:
    """Return the key that an environment variable holds, or one drawn from a secure source."""
    if key_from is None:
        return secrets.token_bytes(KEY_BYTES)
    return secret_key(method, key_from, np.random.default_rng())


class RecordKeys:
    """A secret key of every record, by which sets of records have keys.

    The key of a set is the sum of those of its records modulo 2^64: it does not depend on how the
    set was named, and without the secret nobody can tell it.

    Args:
        data: the records.
        secret: the secret key.
    """

    def __init__(self, data: PublicClasses, secret: bytes) -> None:
        self._data, self._secret = data, secret

    @cached_property
    def of_record(self) -> Keys:
        """The key of every record, in the order of the classes."""
        data = self._data
        places = data.of_record
        public = [column.of_classes().take(places) for column in data.columns.values()]
        return record_keys([*public, *data.hidden.values()], data.records, self._secret)

    @cached_property
    def _of_class(self) -> Keys:
        """The sum of the keys of every class."""
        added: Keys = np.add.reduceat(self.of_record, self._data.starts[:-1])
        return added

    def of_classes(self, members: QuerySet) -> int:
        """Return the key of all records that the public conditions choose."""
        return int(self._of_class[members.places].sum(dtype=np.uint64)) if len(self._data) else 0

    def of_rows(self, rows: Ints) -> int:
        """Return the key of some records."""
        return int(self.of_record[rows].sum(dtype=np.uint64))

    def uniform(self, about: str, set_key: int) -> float:
        """Return a number between 0 and 1 that belongs to a set, and to what it is drawn for."""
        return uniform(self._secret, about.encode(), set_key.to_bytes(BYTES, "big"))

"""Keyed pseudonyms for identifiers."""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.attribute import Kind, Role
from tacita.data.dataset import Dataset
from tacita.mechanisms.keyed import keyed_digests, secret_key
from tacita.method import AttributeName, Method
from tacita.preserved import Statistic, always
from tacita.validity import Change


class Pseudonymize(Method):
    """Replace an identifier by a keyed pseudonym: the same respondent, the same pseudonym.

    x' = BLAKE2b(key, x), 128 bits. Without the key nobody can compute or test a pseudonym; whoever
    has it can, so the key is as secret as the data. An unkeyed hash would not do: identifiers are
    few enough to try them all. The attribute is not an identifier afterwards.

    When not to use it: in public use files. Linkable records of one respondent raise the risk.

    >>> import tacita as ta
    >>> masked = ta.example("conditions").apply(ta.Pseudonymize("SS number"), seed=0)
    >>> len(masked.column("SS number")[0].as_py())
    32
    """

    applies_to: ClassVar = frozenset({Kind.NOMINAL, Kind.ORDINAL, Kind.CONTINUOUS})
    keeps: ClassVar = (always(Statistic.EQUALITY, simulated={"attribute": "zip"}),)
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = "ENISA, Pseudonymisation techniques and best practices, 2019; RFC 7693"
    missing: ClassVar = "Missing and suppressed values stay as they are."
    example: ClassVar = {"attribute": "id"}
    by_record: ClassVar = True
    public: ClassVar = frozenset({"attribute"})
    draws: ClassVar = True

    attribute: Annotated[AttributeName, Field(description="The identifier.")]
    _: KW_ONLY
    key_from: Annotated[
        str | None,
        Field(
            description="The environment variable that holds the secret key (text); without it a "
            "key is drawn from the run's generator, so that each seed has its own pseudonyms."
        ),
    ] = None

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:
        """Return the data with pseudonyms in place of the identifier."""
        key = secret_key(self.name, self.key_from, rng)
        attribute = data.attribute(self.attribute)
        encoded = pc.dictionary_encode(data.column(self.attribute))
        words = encoded.dictionary.cast(pa.string()).to_pylist()
        pseudonyms = [digest.hex() for digest in keyed_digests(words, key)]
        roles = attribute.roles - {Role.IDENTIFIER} or frozenset({Role.NON_CONFIDENTIAL})
        values = pa.array(pseudonyms, pa.string()).take(encoded.indices)
        return data.with_column(replace(attribute.recoded(), roles=roles), values)

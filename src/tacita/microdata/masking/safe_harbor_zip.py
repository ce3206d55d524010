"""US ZIP codes as the Safe Harbor of HIPAA allows them."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.dataset import Dataset
from tacita.data.hierarchies import some_of
from tacita.errors import InputError
from tacita.method import AttributeName, Method
from tacita.validity import Change

ZIP = r"^\d{3}$|^\d{5}(-?\d{4})?$"
ZERO = "000"
# The areas of three digits that held 20,000 people or fewer in the census of 2000, as the
# Department of Health and Human Services lists them in its guidance on de-identification (2012).
RESTRICTED = (
    *("036", "059", "063", "102", "203", "556", "692", "790", "821"),
    *("823", "830", "831", "878", "879", "884", "890", "893"),
)

Digits = Annotated[str, Field(pattern=r"^\d{3}$")]


class SafeHarborZip(Method):
    """Keep the first three digits of US ZIP codes, and `000` where few people live.

    94138 and 94138-1234 become 941. The Safe Harbor of HIPAA allows these digits if the area of all
    ZIP codes that begin with them holds more than 20,000 people by the current census; others
    become 000. The list of those is by default the one of the census of 2000, which the guidance of
    the Department of Health and Human Services prints: check whether a newer one applies. Whole
    numbers are read with the zeros that they lost in front.

    When not to use it: on postal codes of other countries; generalize them by a hierarchy.

    >>> import tacita as ta
    >>> import pandas as pd
    >>> people = ta.read(pd.DataFrame({"zip": ["94138", "03601-1234", "10001"]}))
    >>> people.apply(ta.SafeHarborZip("zip"), seed=0).column("zip").to_pylist()
    ['941', '000', '100']
    """

    applies_to: ClassVar = frozenset({Kind.NOMINAL, Kind.ORDINAL, Kind.CONTINUOUS})
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.RECODING})
    reference: ClassVar = "45 CFR 164.514(b)(2)(i)(B); HHS guidance on de-identification, 2012"
    missing: ClassVar = "Missing and suppressed values stay as they are."
    example: ClassVar = {"attribute": "zip"}
    by_record: ClassVar = True
    public: ClassVar = frozenset({"attribute", "restricted"})

    attribute: Annotated[AttributeName, Field(description="The attribute that holds ZIP codes.")]
    _: KW_ONLY
    restricted: Annotated[
        tuple[Digits, ...],
        Field(description="The three digits of areas with 20,000 people or fewer."),
    ] = RESTRICTED

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data with three digits of every ZIP code."""
        encoded = pc.dictionary_encode(data.column(self.attribute))
        codes = _codes(self.attribute, encoded.dictionary)
        digits = pc.utf8_slice_codeunits(codes, 0, len(ZERO))
        few = pc.is_in(digits, value_set=pa.array(self.restricted, pa.string()))
        values = pc.if_else(few, ZERO, digits).take(encoded.indices)
        return data.with_column(data.attribute(self.attribute).recoded(), values)


def _codes(name: str, values: pa.Array) -> pa.Array:
    """Return ZIP codes as text.

    Raises:
        InputError: some are none; the message names them.
    """
    codes = values.cast(pa.string())
    if not pa.types.is_string(values.type):
        whole = pc.replace_substring_regex(codes, r"\.0+$", "")
        long = pc.greater(pc.utf8_length(whole), 6)  # no ZIP code loses more than two zeros
        codes = pc.if_else(long, pc.utf8_lpad(whole, 9, "0"), pc.utf8_lpad(whole, 5, "0"))
    wrong = pc.invert(pc.match_substring_regex(codes, ZIP))
    if pc.any(wrong).as_py():
        found = values.cast(pa.string()).filter(wrong).to_pylist()
        raise InputError(
            f"`safe_harbor_zip` takes US ZIP codes of 5 or 9 digits; `{name}` holds "
            f"{some_of(found)}. Correct these, declare them missing, or drop the attribute."
        )
    return codes

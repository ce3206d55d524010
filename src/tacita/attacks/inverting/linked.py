"""Links that an intruder found, beside those of one who does not know the masking method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from tacita.attacks.baseline.naive import beside_naive, linked_naively
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.method import Method
from tacita.microdata.comparing.sampling import told
from tacita.microdata.risk.linking.links import Links
from tacita.results import Measurement, Number


def measured(
    method: Method,
    files: tuple[Dataset, Dataset],
    names: Sequence[str],
    rows: Ints,
    links: Links,
    way: str,
    figures: Mapping[str, Number | None],
    details: Mapping[str, object],
) -> Measurement:
    """Return the share of right links, with that of distance-based linkage of the same records.

    Args:
        method: the attack.
        files: the original and the protected data.
        names: the attributes the intruder knows.
        rows: the released records that were linked.
        links: what they were linked to.
        way: how, in words.
        figures: further numbers.
        details: further columns of the table of links.
    """
    share = links.expected / len(rows) if len(rows) else None
    return links.measurement(
        method,
        f"{links.told()} {way}{told(len(rows), links.records)}",
        {**beside_naive("linkage", share, linked_naively(*files, names, rows)), **figures},
        pa.table({"record": rows, **details, "probability": links.probability}),
    )

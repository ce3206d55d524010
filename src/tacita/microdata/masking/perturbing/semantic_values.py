"""Nominal attributes whose values move in meaning, and back into the data afterwards."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tacita.data.attribute import Kind
from tacita.data.classes import Ints
from tacita.data.dataset import Dataset
from tacita.method import AttributeNames
from tacita.microdata.comparing.semantics import Semantics
from tacita.microdata.masking.partitions.mixed import attribute_after

SEMANTIC = frozenset({Kind.NOMINAL, Kind.SET_VALUED})
Moved = Annotated[
    AttributeNames, Field(description="The attributes to perturb: categories or sets, each apart.")
]
Labels = Annotated[
    bool,
    Field(
        description="Whether labels of the hierarchy, or concepts of the ontology, that lie above "
        "values may be released too."
    ),
]


def with_nodes(data: Dataset, name: str, semantics: Semantics, nodes: Ints) -> Dataset:
    """Return the data with other values, or labels above them, of an attribute; -1 is blank."""
    values = semantics.take(nodes)
    return data.with_column(attribute_after(data, name, values), values)

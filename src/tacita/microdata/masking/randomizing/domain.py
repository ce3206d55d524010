"""Categories of an attribute, and what is drawn in their place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Attribute
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError, did_you_mean

MOST = 1_000  # categories; their probabilities are a million


@dataclass(frozen=True, eq=False)
class Domain:
    """The categories that an attribute may have.

    Args:
        attribute: the attribute.
        words: the categories as text.
        values: the categories in the type of the column.
        codes: the place of every record's category; -1 for a blank.
    """

    attribute: Attribute
    words: list[str]
    values: pa.Array
    codes: Ints

    @classmethod
    def of(cls, data: Dataset, name: str, words: Sequence[str] | None = None) -> Domain:
        """Code an attribute by some categories, by default those that occur, in ascending order.

        Raises:
            InputError: the attribute has other categories, or too many.
            ParameterError: a category is none that the attribute can have.
        """
        attribute, column = data.attribute(name), data.column(name)
        encoded = pc.dictionary_encode(column)
        met = encoded.dictionary.cast(pa.string()).to_pylist()
        known = sorted(met) if words is None else list(words)
        place = {word: code for code, word in enumerate(known)}
        for word in met:
            if word not in place:
                raise InputError(
                    f"`{name}` has the category {word!r}, which is none of those given "
                    f"({', '.join(known[:8])}).{did_you_mean(word, known)}"
                ).about(name)
        if len(known) > MOST:
            raise InputError(
                f"`{name}` has {len(known):,} categories, too many for a matrix (at most "
                f"{MOST:,}); recode it first."
            ).about(name)
        codes = np.array([*(place[word] for word in met), -1], np.int32)
        values = _typed(attribute, known, column.type)
        return cls(attribute, known, values, codes[np.asarray(encoded.indices.fill_null(-1))])

    def totals(self, weights: Floats) -> Floats:
        """Return the sum of weights in every category; blanks do not count."""
        there = self.codes >= 0
        totals = np.bincount(self.codes[there], weights[there], len(self.words))
        return np.asarray(totals, np.float64)

    def put_into(self, data: Dataset, codes: Ints) -> Dataset:
        """Return the data with other categories; -1 is a blank."""
        places = pa.array(codes, mask=codes < 0) if (codes < 0).any() else pa.array(codes)
        return data.with_column(self.attribute, self.values.take(places))


def _typed(attribute: Attribute, words: Sequence[str], kind: pa.DataType) -> pa.Array:
    try:
        values = pa.array(words, pa.string()).cast(kind)
    except pa.ArrowInvalid as error:
        raise ParameterError(
            f"`{attribute.name}` holds values of type {kind}; found a category that is none among "
            f"{', '.join(words[:8])}."
        ) from error
    for value in values.to_pylist() if attribute.order is not None else ():
        if value not in (attribute.order or ()):
            raise ParameterError(f"{value!r} is not in the order of `{attribute.name}`.")
    return values


def randomized(
    rows: np.ndarray[Any, Any], matrices: Sequence[tuple[Ints, Floats]], rng: np.random.Generator
) -> Ints:
    """Draw a category for every record.

    Args:
        rows: which row of all matrices each record belongs to; below 0 it stays blank.
        matrices: Markov matrices, each with the categories that its rows and columns are.
        rng: where chances come from.
    """
    from tacita.kernels.transitions import Transitions, draw

    places, chances = [], []
    for categories, matrix in matrices:
        for own, row in enumerate(matrix):
            # The category itself comes first, so that the draw is mostly done at once.
            order = np.append(own, np.delete(np.arange(len(row)), own))
            possible = order[row[order] > 0]
            places.append(categories[possible])
            chances.append(np.append(np.cumsum(row[possible])[:-1], 1.0))
    starts = np.append(0, np.cumsum([len(part) for part in places])).astype(np.int64)
    none: list[Floats] = [np.zeros(0)]
    table = Transitions(starts, np.concatenate(chances or none), np.concatenate(places or none))
    return np.asarray(draw(rows, table, rng))

"""Channels: categories as an intruder knows them, as they were released, and the chances between.

What was there is estimated from what was released by the expectation-maximization of Agrawal &
Aggarwal (Proc. PODS 2001), which never leaves the possible frequencies as an inverse matrix does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.arithmetic import log, product
from tacita.data.classes import Floats, Ints, Mask
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError
from tacita.microdata.comparing.representation import as_text
from tacita.microdata.masking.randomizing.domain import MOST
from tacita.microdata.masking.randomizing.markov import dense, retaining
from tacita.results import listed

STEPS = 20  # of the estimation; more would fit what chance did to rare combinations
MOST_CELLS = 20_000  # combinations of categories whose frequencies are estimated together
AT_ONCE = 2**22  # likelihoods computed at a time
TIE = 1e-9  # likelihoods that differ by less, in relation, are equal


@dataclass(frozen=True, eq=False)
class Channel:
    """An attribute of both files and with what probability each category becomes each other one.

    Args:
        name: the attribute.
        known: the category of every original record by its number; -1 for a blank.
        released: the category of every released record.
        chances: the Markov matrix, true categories by released ones.
    """

    name: str
    known: Ints
    released: Ints
    chances: Floats

    @classmethod
    def of(
        cls,
        original: Dataset,
        protected: Dataset,
        own: Ints,
        name: str,
        matrix: Mapping[str, Mapping[str, float]] | None,
        kept: float | None,
    ) -> Channel:
        """Code an attribute; without a matrix, a category is kept with one and the same chance.

        Raises:
            InputError: the attribute has too many categories for a matrix.
            ParameterError: the matrix lacks a category.
        """
        columns = [as_text(data.column(name)) for data in (original, protected)]
        words = _words(name, columns, matrix)
        known, released = (_coded(column, words) for column in columns)
        if matrix is not None:
            return cls(name, known, released, dense(matrix, words))
        there = (known[own] >= 0) & (released >= 0)
        same = int(np.count_nonzero(known[own][there] == released[there]))
        share = same / max(int(np.count_nonzero(there)), 1) if kept is None else kept
        return cls(name, known, released, retaining(len(words), share))

    @property
    def is_changed(self) -> bool:
        """Whether categories may be released as others."""
        return not np.array_equal(self.chances, np.eye(len(self.chances)))

    @cached_property
    def logs(self) -> Floats:
        """The logarithms of the chances, with a last row and a last column for blanks.

        What is blank stays blank. Where more is blank in the release, values were suppressed
        besides, each with the same chance.
        """
        there, shown = _filled(self.known), _filled(self.released)
        left = min(shown / there, 1.0) if there else 0.0
        size = len(self.chances)
        rows = np.zeros((size + 1, size + 1))
        rows[:size, :size], rows[:size, size], rows[size, size] = left * self.chances, 1 - left, 1.0
        return np.asarray(log(rows))

    @property
    def seen(self) -> Floats:
        """The chances with a last column for blanks, which every category may have become."""
        return np.pad(self.chances, ((0, 0), (0, 1)), constant_values=1.0)


def _filled(codes: Ints) -> float:
    """Return the share of values that are not blank."""
    return int(np.count_nonzero(codes >= 0)) / max(len(codes), 1)


def _words(
    name: str, columns: Sequence[pa.Array], matrix: Mapping[str, Mapping[str, float]] | None
) -> list[str]:
    met = sorted({word for column in columns for word in column.unique().drop_null().to_pylist()})
    if matrix is None and len(met) <= MOST:
        return met or [""]  # where all is blank, there is a category that nobody has
    if matrix is None:
        raise InputError(
            f"`{name}` has {len(met):,} categories, too many for a matrix (at most {MOST:,}); "
            "leave it out of `attributes`."
        ).about(name)
    missing = [word for word in met if word not in matrix]
    if missing:
        raise ParameterError(
            f"The matrix of `{name}` has no row for {listed(missing)}; give every category a row."
        )
    return list(matrix)


def _coded(column: pa.Array, words: Sequence[str]) -> Ints:
    places = pc.index_in(column, pa.array(words, pa.string())).fill_null(-1)
    return np.asarray(places, np.int64)


def likeliest(channels: Sequence[Channel], own: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Link released records to the respondents from whom they are likeliest to come.

    The likelihood of a respondent is the product over the attributes of the chances with which the
    known categories become the released ones.

    Args:
        channels: the attributes.
        own: the original record that each released one comes from.
        rows: the released records to link.

    Returns:
        of every record whether its own respondent is among the likeliest, and how many these are.
    """
    from tacita.kernels.grouping import group

    people = group([channel.known for channel in channels])
    asked = group([channel.released[rows] for channel in channels])
    right, guesses = np.zeros(len(rows), np.int64), np.ones(len(rows), np.int64)
    for part, near in _nearest(channels, people.first, rows[asked.first]):
        here = np.flatnonzero((asked.ids >= part.start) & (asked.ids < part.stop))
        place = asked.ids[here] - part.start
        right[here] = near[people.ids[own[rows[here]]], place]
        guesses[here] = (people.counts @ near)[place]
    return right, guesses


def _nearest(
    channels: Sequence[Channel], people: Ints, asked: Ints
) -> Iterator[tuple[range, Mask]]:
    """Tell which known combinations, the rows, are the likeliest of released ones, in parts."""
    step = max(AT_ONCE // max(len(people), 1), 1)
    for start in range(0, len(asked), step):
        part = asked[start : start + step]
        scores = np.zeros((len(people), len(part)))
        for channel in channels:
            scores += channel.logs[:, channel.released[part]][channel.known[people]]
        best = scores.max(axis=0, keepdims=True, initial=-np.inf)
        yield (
            range(start, start + len(part)),
            scores >= best - TIE * np.maximum(np.abs(best), 1.0),
        )


def likeliest_categories(channels: Sequence[Channel], rows: Ints) -> list[Ints]:
    """Return of every attribute the likeliest true categories of some released records.

    They are found from all attributes together, by Bayes' rule with frequencies estimated from the
    release; where the attributes combine in too many ways, from each attribute alone.
    """
    together = prod(len(channel.chances) for channel in channels) <= MOST_CELLS
    groups = [list(channels)] if together else [[channel] for channel in channels]
    return [guess for group in groups for guess in _guesses(group, rows)]


def _guesses(channels: Sequence[Channel], rows: Ints) -> Iterator[Ints]:
    truth = estimated_joint(channels)
    for place, channel in enumerate(channels):
        others = [other for other in channels if other is not channel]
        table = np.moveaxis(truth, place, -1)
        for axis, other in enumerate(others):
            table = _through(table, other.seen, axis)
        joint = table[tuple(other.released[rows] for other in others)]
        yield np.argmax(joint * channel.seen[:, channel.released[rows]].T, axis=1)


def estimated_joint(channels: Sequence[Channel]) -> Floats:
    """Estimate how often combinations were there before categories were changed.

    Every step t_k <- t_k sum_l p_kl t*_l / sum_i p_il t_i raises the likelihood of the released
    frequencies t*. Records with a blank do not count.
    """
    shape = tuple(len(channel.chances) for channel in channels)
    whole = np.all([channel.released >= 0 for channel in channels], axis=0)
    codes = np.ravel_multi_index([channel.released[whole] for channel in channels], shape)
    released = np.bincount(codes, minlength=prod(shape)).reshape(shape).astype(np.float64)
    truth = np.full(shape, 1 / max(prod(shape), 1))
    for _ in range(STEPS if released.any() else 0):
        expected = truth
        for axis, channel in enumerate(channels):
            expected = _through(expected, channel.chances, axis)
        ratio = np.divide(released, expected, out=np.zeros(shape), where=expected > 0)
        for axis, channel in enumerate(channels):
            ratio = _through(ratio, channel.chances.T, axis)
        truth = truth * ratio / released.sum()
    return truth


def _through(table: Floats, matrix: Floats, axis: int) -> Floats:
    """Send one axis of a table through a matrix."""
    turned = np.moveaxis(table, axis, -1)
    sent = product(turned.reshape(-1, table.shape[axis]), matrix)
    return np.moveaxis(sent.reshape(*turned.shape[:-1], -1), -1, axis)

"""Comparison: the agreement patterns of all pairs of a known and a released record.

Both files are collapsed to their distinct combinations first, and pairs are counted, not listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from tacita.data.classes import Ints, Mask
from tacita.microdata.risk.linking.agreement import Agreement, Places
from tacita.microdata.risk.linking.blocking import Blocks

if TYPE_CHECKING:
    from tacita.kernels.agreement import Codes, Rows, Spans


class Combinations(NamedTuple):
    """The distinct records of a file: their codes and blocks, how many there are, and whose."""

    codes: Places
    blocks: Ints
    counts: Ints
    of_record: Ints


class Patterns(NamedTuple):
    """For each distinct released record, how many pairs have which pattern.

    Args:
        levels: the distinct patterns: for each attribute the level of agreement.
        row: the distinct released record of each entry.
        pattern: the pattern of each entry.
        known: how many known records make it.
        pairs: how many pairs of records have each pattern.
    """

    levels: Ints
    row: Ints
    pattern: Ints
    known: Ints
    pairs: Ints


class Coded(Protocol):
    """An attribute in both files as codes below its size; -1 is a blank."""

    @property
    def known(self) -> Ints:
        """The code of every known value."""

    @property
    def released(self) -> Ints:
        """The code of every released value."""

    @property
    def size(self) -> int:
        """More than the highest code."""


@dataclass(frozen=True, eq=False)
class Collapsed:
    """The known and the released records as distinct combinations, in the order of their codes.

    Args:
        agreements: the attributes.
        passes: who is compared with whom.
    """

    agreements: Sequence[Coded]
    passes: Sequence[Blocks]

    @cached_property
    def known(self) -> Combinations:
        """The distinct known records."""
        return self._collapsed(
            [each.known for each in self.agreements], [each.known for each in self.passes]
        )

    @cached_property
    def released(self) -> Combinations:
        """The distinct released records."""
        return self._collapsed(
            [each.released for each in self.agreements], [each.released for each in self.passes]
        )

    def in_pass(self, place: int) -> tuple[Rows, Spans, Rows, Ints]:
        """Order the known combinations by their block in a pass, and say which each row meets."""
        from tacita.kernels.agreement import Rows, Spans

        order = np.argsort(self.known.blocks[:, place], kind="stable")
        blocks = self.known.blocks[order, place]
        wanted = self.released.blocks[:, place]
        begins, ends = (np.searchsorted(blocks, wanted, side) for side in ("left", "right"))
        # Records without a block meet nobody.
        spans = Spans(begins, np.where(wanted < 0, begins, ends))
        ours = Rows(self.released.codes, self.released.blocks[:, :place])
        return ours, spans, Rows(self.known.codes[order], self.known.blocks[order, :place]), order

    @cached_property
    def offsets(self) -> list[int]:
        """Where the codes of each attribute begin; behind them stands its blank."""
        sizes = [each.size + 1 for each in self.agreements]
        return [0, *accumulate(sizes)][:-1]

    def _collapsed(self, codes: list[Ints], blocks: list[Ints]) -> Combinations:
        from tacita.kernels.grouping import group

        groups = group([*codes, *blocks])
        # Whoever breaks ties or adds up shall not depend on the order of the records.
        order = np.lexsort([column[groups.first] for column in [*blocks, *codes]][::-1])
        first, place = groups.first[order], np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        sized = zip(codes, self.agreements, self.offsets, strict=True)
        flat = [
            begin + np.where(column < 0, each.size, column)[first] for column, each, begin in sized
        ]
        made = np.column_stack(flat).astype(np.int32)
        held = np.column_stack([ids[first] for ids in blocks])
        return Combinations(made, held, groups.counts[order], place[groups.ids])


@dataclass(frozen=True, eq=False)
class Comparison(Collapsed):
    """The known and the released records, ready to be compared.

    Args:
        agreements: how the values of each attribute agree.
        passes: who is compared with whom.
    """

    agreements: Sequence[Agreement]

    @cached_property
    def codes(self) -> Codes:
        """The codes of all attributes behind one another, each attribute's blank at its end."""
        from tacita.kernels.agreement import Codes

        ends, stretches, begun = [], [np.zeros(1, np.int64)], self.offsets
        for each, begin in zip(self.agreements, begun, strict=True):
            ends.append(begin + each.size)
            # The blank has no stretches: its end is that of the code before.
            stretches.append(stretches[-1][-1] + np.append(each.starts[1:], each.starts[-1]))
        lows, highs = (
            np.concatenate([part + begin for part, begin in zip(parts, begun, strict=True)])
            for parts in ([a.lows for a in self.agreements], [a.highs for a in self.agreements])
        )
        return Codes(
            np.array(ends, np.int64),
            np.concatenate(stretches),
            lows.astype(np.int32),
            highs.astype(np.int32),
        )

    def patterns(self) -> Patterns:
        """Count the patterns of all pairs that are compared."""
        from tacita.kernels.agreement import levels_of, pattern_values, tally
        from tacita.kernels.grouping import factorize

        columns, rows, sums, counts = len(self.agreements), [], [], []
        for place in range(len(self.passes)):
            ours, spans, others, order = self.in_pass(place)
            values = pattern_values(columns)
            found = tally(ours, spans, others, self.known.counts[order], self.codes, values)
            rows.append(np.repeat(np.arange(len(ours.codes)), np.diff(found.starts)))
            sums.append(found.sums)
            counts.append(found.counts)
        every = np.concatenate(sums)
        pattern, first = factorize(every)
        # Whoever reads levels reads an attribute at a time.
        levels = np.asfortranarray(levels_of(every[first], columns))
        row, known = np.concatenate(rows), np.concatenate(counts)
        # Doubles hold these counts exactly: they stay far below 2^53.
        pairs = np.bincount(pattern, known * self.released.counts[row], len(first))
        return Patterns(levels, row, pattern, known, pairs.astype(np.int64))

    def weights_of_pairs(self, own: Ints, values: Ints) -> tuple[Ints, Mask]:
        """Return what each released record and its own known record add up to.

        The second part tells whether the two are compared at all.

        Args:
            own: the known record that each released record comes from.
            values: what each level of each attribute adds.
        """
        from tacita.kernels.agreement import sums_of_pairs

        mine, theirs = self.released.of_record, self.known.of_record[own]
        ours, others = self.released.codes[mine], self.known.codes[theirs]
        blocks = self.released.blocks[mine]
        met = ((blocks == self.known.blocks[theirs]) & (blocks >= 0)).any(axis=1)
        return sums_of_pairs(ours, others, self.codes, values), met

    def pairs_from(self, values: Ints, least: int) -> tuple[Ints, Ints, Ints]:
        """List the pairs that add up to a number or more: released, known combination and sum."""
        from tacita.kernels.agreement import pairs_from

        parts = []
        for place in range(len(self.passes)):
            ours, spans, others, order = self.in_pass(place)
            row, other, total = pairs_from(ours, spans, others, self.codes, values, least)
            parts.append((row, order[other], total))
        row, other, total = (np.concatenate(part) for part in zip(*parts, strict=True))
        return row, other, total

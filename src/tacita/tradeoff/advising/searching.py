"""The search: many lines on small samples, the promising on larger ones, survivors on all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from tacita.errors import InputError
from tacita.tradeoff.advising.judging import Judge, Tried
from tacita.tradeoff.advising.lines import Line

SAMPLES = (1_000, 10_000, 100_000)
FEWEST = 4  # lines that survive a sample, and at least a third
SURVIVING = 3
FINER = 3  # times the room between two rungs is halved
REFINED = 3  # lines that are refined
HOPELESS = 1.25  # times the least loss so far that a line may cost and still fail
NOTHING = Line(())


@dataclass(eq=False)
class Standing:
    """How a line stands: the rung it needs, and what that costs.

    Args:
        line: the line.
        rung: the rung where the search goes on.
        best: the trial on the last sample that costs least of those that could meet the bound.
        strain: the lowest strain met on the last sample.
    """

    line: Line
    rung: int
    best: Tried | None = None
    strain: float = float("inf")

    @property
    def rank(self) -> tuple[bool, float, float]:
        """What lines are ordered by: those that could meet the bound first, by their loss."""
        return self.best is None, self.best.loss if self.best else 0.0, self.strain


def samples(records: int) -> list[int]:
    """Return the sizes of the nested samples, and last all records.

    >>> samples(500), samples(100_000)
    ([500], [1000, 10000, 100000])
    """
    return [*(size for size in SAMPLES if 2 * size <= records), records]


class Search:
    """Looks for the release with the least loss that meets all requirements.

    The strength of each line that just meets them is found on a sample; a third of the lines, those
    that cost least there, go on to the next, ten times larger one. On all records a strength must
    meet the requirements surely. Then steps are relaxed one by one, and strengths between the rungs
    are tried; at last the lines that had dropped out have their turn. Lines of slow methods are
    searched in the same way after the quick ones.

    Args:
        judge: what tries and judges.
        lines: the lines.
    """

    def __init__(self, judge: Judge, lines: Sequence[Line]) -> None:
        self.judge, self.lines = judge, list(lines)
        self.sizes = samples(len(judge.data))
        self.met: dict[Line, Tried] = {}  # the best of every line on all records
        self.best: Tried | None = None
        self._least: dict[int, float] = {}  # loss that could meet the bound, by records

    def run(self) -> Iterator[Tried]:
        """Yield ever better trials on all records."""
        everything = self.sizes[-1]
        nothing = self.judge.tried(NOTHING, (), everything)
        if nothing.trial is None:
            raise InputError(f"What is required, or the loss, cannot be measured: {nothing.reason}")
        if nothing.holds:
            self.best = self.met[NOTHING] = nothing
            yield nothing
            return
        for slow in (False, True):
            lines = [line for line in self.lines if line.is_slow is slow]
            # What is slow is slowest where it is strict: it climbs from the mildest rung.
            yield from self._searched([Standing(one, 1 if slow else one.height) for one in lines])

    def _searched(self, standing: list[Standing]) -> Iterator[Tried]:
        """Narrow lines down on the samples, and try on all records what survives, then the rest."""
        dropped: list[Standing] = []
        for size in self.sizes[:-1]:
            for one in standing:
                yield from self._tuned(one, size)
                if self.best is None and one.best is not None:
                    yield from self._answered(one.best)
            standing.sort(key=lambda one: one.rank)
            keep = max(FEWEST, ceil(len(standing) / SURVIVING))
            standing, dropped = standing[:keep], [*standing[keep:], *dropped]
        for one in standing:
            yield from self._tuned(one, self.sizes[-1])
        yield from self._improved()
        for one in dropped:
            yield from self._tuned(one, self.sizes[-1])
        if dropped:
            yield from self._improved()

    def _answered(self, one: Tried) -> Iterator[Tried]:
        """Try on all records what could do on a sample: a first answer, soon, to improve on."""
        records = self.sizes[-1]
        whole = self.judge.tried(one.line, one.positions, records)
        if self._meets(whole, records) and self._noted(whole, records):
            yield whole

    def _tuned(self, standing: Standing, records: int) -> Iterator[Tried]:
        """Find the mildest rung that meets the requirements, from where the line stood before."""
        line, found = standing.line, []
        low, high, rung = 0, line.height + 1, standing.rung
        step = line.height if standing.best is None and rung == line.height else 1
        while high - low > 1:
            one = self.judge.tried(line, line.at(rung), records)
            standing.strain = min(standing.strain, one.strain)
            if self._meets(one, records):
                high, better = rung, self._noted(one, records)
                self._least[records] = min(self._least.get(records, one.loss), one.loss)
                found.append(one)
                if better:
                    yield one
            elif one.trial and one.loss > HOPELESS * self._least.get(records, one.loss):
                break  # what is stricter costs more still
            else:
                low = rung
            rung, step = _next(low, high, line.height, step), 2 * step
        standing.best = min(found, key=lambda one: one.loss, default=None)
        standing.rung = min(high, line.height)

    def _meets(self, one: Tried, records: int) -> bool:
        """Tell whether a trial could meet the bound (a sample), or does so surely (all records)."""
        if records < self.sizes[-1]:
            return one.low <= 1
        return self.judge.is_sure(one.line, one.positions)

    def _noted(self, one: Tried, records: int) -> bool:
        """Keep what is best of its line on all records; tell whether it is best of all."""
        if records < self.sizes[-1]:
            return False
        if one.line not in self.met or one.loss < self.met[one.line].loss:
            self.met[one.line] = one
        if self.best is None or one.loss < self.best.loss:
            self.best = one
            return True
        return False

    def _improved(self) -> Iterator[Tried]:
        """Relax the steps of the best lines one by one, then try strengths between rungs."""
        ranked = sorted(self.met.values(), key=lambda one: one.loss)
        for one in ranked[:REFINED]:
            for place in range(len(one.line.ladders)):
                yield from self._relaxed(one.line, place)
            for place in range(len(one.line.ladders)):
                yield from self._finer(one.line, place)

    def _relaxed(self, line: Line, place: int) -> Iterator[Tried]:
        """Go down one ladder while the others stay, as long as the requirements are met."""
        if len(line.ladders) == 1:
            return
        step = 1
        while True:
            positions = self.met[line].positions
            lower = max(ceil(positions[place]) - step, 0)
            if lower >= positions[place]:
                return
            yield from self._attempt(line, positions, place, lower)
            if self.met[line].positions[place] != lower:
                return
            step *= 2

    def _finer(self, line: Line, place: int) -> Iterator[Tried]:
        """Halve the room between a rung that meets the requirements and the one below it."""
        high = self.met[line].positions[place]
        low = float(ceil(high) - 1)
        ladder = line.ladders[place]
        for _ in range(FINER):
            middle = (low + high) / 2
            if high <= 1 or ladder.strength(middle) in (ladder.strength(high), None):
                return
            yield from self._attempt(line, self.met[line].positions, place, middle)
            if self.met[line].positions[place] == middle:
                high = middle
            else:
                low = middle

    def _attempt(
        self, line: Line, positions: tuple[float, ...], place: int, at: float
    ) -> Iterator[Tried]:
        changed = (*positions[:place], float(at), *positions[place + 1 :])
        records = self.sizes[-1]
        one = self.judge.tried(line, changed, records)
        better = one.loss < self.met[line].loss and self._meets(one, records)
        if better and self._noted(one, records):
            yield one


def _next(low: int, high: int, height: int, step: int) -> int:
    """Return the rung to try next: ever farther while all met or all failed, else between."""
    if low and high <= height:
        return (low + high) // 2
    return max(high - step, (low + high) // 2, 1) if high <= height else min(low + step, height)

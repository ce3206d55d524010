"""`Copies`: several synthetic copies of one data set in a person's hands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, overload

import numpy as np
import pyarrow as pa

from tacita.api.microdata import Microdata, read
from tacita.api.seeds import fresh
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError
from tacita.method import Method
from tacita.microdata.synthesis.imputing.frame import effective_size
from tacita.microdata.synthesis.inference.analyses import Estimates, mean, regressions, share
from tacita.microdata.synthesis.inference.combining import Combined, Rule, combine
from tacita.microdata.synthesis.inference.copying import (
    SAMPLED,
    copy_folder,
    refuse_copying,
    refuse_number,
    rule_for,
    usual_copies,
)
from tacita.progress import progress
from tacita.release.copies import numbered
from tacita.release.execute import Outcome, derived

Analysis = Callable[[Dataset], "Estimates | tuple[float, float]"]


@dataclass(frozen=True, eq=False, repr=False)
class Copies(Sequence[Microdata]):
    """Synthetic copies of one data set, made by one method with different draws.

    Each copy is analysed as if it were real, and what they say is combined: estimates with
    variances that count what synthesis adds. Several copies tell an intruder more than one: judge
    the risk of releasing as many as there are.

    Args:
        method: what made them.
        original: the data that they are copies of.
        copies: the copies.
    """

    method: Method
    original: Dataset
    copies: tuple[Microdata, ...]

    @overload
    def __getitem__(self, place: int) -> Microdata: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Microdata]: ...

    def __getitem__(self, place: int | slice) -> Microdata | Sequence[Microdata]:
        return self.copies[place]

    def __len__(self) -> int:
        return len(self.copies)

    def __iter__(self) -> Iterator[Microdata]:
        return iter(self.copies)

    def __repr__(self) -> str:
        return f"{len(self)} copies by `{self.method.name}`, rule `{self.rule}`\n{self[0]!r}"

    @property
    def rule(self) -> Rule:
        """The combining rule that holds for copies made so."""
        return rule_for(self.method, is_synthetic=self[0].is_synthetic)

    def combine(self, analysis: Analysis, *, confidence: float = 0.95) -> Combined:
        """Analyse every copy and combine the estimates.

        Args:
            analysis: gives of a data set an estimate and its variance, or several as `Estimates`.
            confidence: the probability with which intervals cover.
        """
        return self._combined([analysis(copy) for copy in self], confidence)

    def mean(self, attribute: str, *, confidence: float = 0.95) -> Combined:
        """Estimate the mean of a continuous attribute."""
        return self.combine(lambda copy: mean(copy, attribute), confidence=confidence)

    def share(self, attribute: str, value: str, *, confidence: float = 0.95) -> Combined:
        """Estimate the share of the records that have a value of an attribute."""
        return self.combine(lambda copy: share(copy, attribute, value), confidence=confidence)

    def regression(
        self, target: str, given: str | Sequence[str], *, confidence: float = 0.95
    ) -> Combined:
        """Estimate a linear regression by least squares; categories are 0/1 columns.

        Args:
            target: the attribute that is predicted, a number.
            given: the attributes that predict it.
            confidence: the probability with which intervals cover.
        """
        names = [given] if isinstance(given, str) else list(given)
        return self._combined(regressions(self.copies, target, names), confidence)

    def _combined(
        self, found: Sequence[Estimates | tuple[float, float]], confidence: float
    ) -> Combined:
        made = [_as_estimates(one) for one in found]
        if len({one.names for one in made}) > 1:
            raise InputError("The analysis names other quantities in one copy than in another.")
        return combine(
            [one.values for one in made],
            [one.variances for one in made],
            rule=self.rule,
            names=made[0].names,
            ratio=float(np.mean([len(copy) for copy in self]))
            / max(effective_size(self.original), 1),
            sampled=self[0].steps[-1].notes.get(SAMPLED, 0.0),
            confidence=confidence,
        )

    def to_arrow(self, copy: str = "copy") -> pa.Table:
        """Return all records of all copies, with the number of the copy as one attribute more.

        Args:
            copy: the name of that attribute.
        """
        if copy in self[0].attributes:
            raise ParameterError(f"The data have an attribute `{copy}`; name the copy otherwise.")
        tables = [
            one.to_arrow().append_column(copy, pa.array(np.full(len(one), number + 1)))
            for number, one in enumerate(self)
        ]
        return pa.concat_tables(tables)

    def release(self, folder: str | PathLike[str], **options: Any) -> list[Outcome]:
        """Judge, attack and write every copy: `copy-1/public`, `copy-1/internal`, and so on.

        Args:
            folder: where to write; it must not be there yet, or be empty.
            options: what `Microdata.release` takes: `require`, `profile`, `format`, ...

        Raises:
            RequirementError: a copy fails a requirement; nothing was written.
        """
        from tacita.data.formats.atomic import atomic_folder

        if options.get("compare") is not None:  # all copies lie among the same other ways
            options = {**options, "seed": fresh(options.get("seed"))}
        with atomic_folder(Path(folder)) as written:
            return [
                copy.release(written / copy_folder(number + 1), **options)
                for number, copy in enumerate(self)
            ]


def synthesize(
    data: Any, method: Method, *, copies: int | None = None, seed: int | None = None
) -> Copies:
    """Make several synthetic copies of a data set, from which inference is valid.

    Args:
        data: microdata, or what `read` takes.
        method: a method of the family synthesis.
        copies: how many copies (1 or more); when left out, 20 of a method whose parameters are
            drawn anew for each, 5 of others. What combines few copies says how many would do.
        seed: where the randomness comes from; drawn anew when left out.

    >>> import tacita as ta
    >>> people = ta.example("survey", 400)
    >>> made = synthesize(people, ta.PartialImputation("income"), copies=3, seed=1)
    >>> made.rule, len(made.mean("income").names)
    ('partial', 1)

    Raises:
        ParameterError: the method makes no synthetic data, or spends a privacy budget.
    """
    refuse_copying(method)
    copies = usual_copies(method) if copies is None else copies
    refuse_number(copies)
    source, base = data if isinstance(data, Microdata) else read(data), fresh(seed)
    with progress(copies) as tell:
        made = []
        for number in range(copies):
            tell(f"copy {number + 1}")
            made.append(source.apply(method, seed=derived(base, number)))
    told = [_numbered(one, number + 1, copies) for number, one in enumerate(made)]
    return Copies(method, source.original, tuple(told))


def _numbered(copy: Microdata, number: int, of: int) -> Microdata:
    """Let a copy know which one it is, so that its release can say it."""
    *before, last = copy.steps
    last = numbered(last, number, of, is_synthetic=copy.is_synthetic)
    return replace(copy, steps=(*before, last))


def _as_estimates(found: Estimates | tuple[float, float]) -> Estimates:
    if isinstance(found, Estimates):
        return found
    value, variance = found
    return Estimates(("estimate",), np.array([float(value)]), np.array([float(variance)]))

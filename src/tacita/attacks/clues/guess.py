"""Guesses: which masking made a file, with which parameters, and what speaks for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log
from typing import Any

import pyarrow as pa

from tacita.data.dataset import Dataset
from tacita.errors import load_extra
from tacita.results import brief, listed

REPORTED = 1e-4  # what unmasked data show more often than this is no clue
STRONG = 1e-9
LEAST = 1e-300  # a double above 0; only deductions have no chance at all
COLUMNS = {
    "method": pa.string(),
    "attributes": pa.list_(pa.string()),
    "parameters": pa.string(),
    "strength": pa.string(),
    "chance": pa.float64(),
    "evidence": pa.string(),
    "narrows": pa.string(),
    "alternatives": pa.list_(pa.string()),
}


@dataclass(frozen=True, repr=False)
class Guess:
    """A masking that left clues in a file.

    Args:
        method: the masking, as plan files say it.
        attributes: the attributes it was applied to, together.
        parameters: its parameters, as far as the file shows them.
        evidence: what was seen, in words with numbers.
        chance: the probability with which attributes that were not masked so would show it, or a
            bound above it, by the assumption that the clue states; 0 where it follows from what
            is written; None where nobody can give one.
        narrows: what it tells of the original values.
        alternatives: other methods that leave the same clues.

    >>> Guess("round_values", ("pay",), {"base": 10}, "all are multiples of 10", 1e-12)
    round_values (base 10) of pay - strong: all are multiples of 10
    """

    method: str
    attributes: tuple[str, ...]
    parameters: Mapping[str, Any]
    evidence: str
    chance: float | None
    narrows: str = ""
    alternatives: tuple[str, ...] = ()

    @property
    def strength(self) -> str:
        """How strong it is in a word: certain, strong, likely, or a hint without a probability."""
        if self.chance is None:
            return "hint"
        if self.chance == 0:
            return "certain"
        return "strong" if self.chance <= STRONG else "likely"

    def __repr__(self) -> str:
        of = f" of {listed(self.attributes)}" if self.attributes else ""
        return f"{brief({self.method: self.parameters})}{of} - {self.strength}: {self.evidence}"

    def to_dict(self) -> dict[str, Any]:
        """Return the guess in plain types."""
        return {
            "method": self.method,
            "attributes": list(self.attributes),
            "parameters": dict(self.parameters),
            "strength": self.strength,
            "chance": self.chance,
            "evidence": self.evidence,
            "narrows": self.narrows,
            "alternatives": list(self.alternatives),
        }


@dataclass(frozen=True, repr=False)
class Guesses(Sequence[Guess]):
    """Which maskings left clues in a file; prints well and becomes a frame.

    Args:
        rows: the guesses.
        unseen: what leaves no clue in this file, and why, in sentences.
    """

    rows: tuple[Guess, ...]
    unseen: tuple[str, ...] = field(default=())

    def __getitem__(self, place: Any) -> Any:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Guess]:
        return iter(self.rows)

    def of(self, method: str) -> list[Guess]:
        """Return the guesses of a method, those that name it as an alternative last."""
        named = [row for row in self.rows if row.method == method]
        return named + [row for row in self.rows if method in row.alternatives]

    def about(self, attribute: str) -> list[Guess]:
        """Return the guesses about an attribute."""
        return [row for row in self.rows if attribute in row.attributes]

    def __repr__(self) -> str:
        lines = [repr(row) for row in self.rows] or ["No masking left a clue."]
        return "\n".join([*lines, *(f"Not seen: {told}" for told in self.unseen)])

    def to_dict(self) -> dict[str, Any]:
        """Return the guesses in plain types."""
        return {"guesses": [row.to_dict() for row in self.rows], "unseen": list(self.unseen)}

    def to_arrow(self) -> pa.Table:
        """Return the guesses in Arrow, one row each; parameters are written as a plan says them."""
        rows = [{**row.to_dict(), "parameters": _written(row.parameters)} for row in self.rows]
        return pa.table(
            {name: pa.array([row[name] for row in rows], kind) for name, kind in COLUMNS.items()}
        )

    def to_polars(self) -> Any:
        """Return the guesses as a Polars frame."""
        return load_extra("polars", "frames").from_arrow(self.to_arrow())

    def to_pandas(self) -> Any:
        """Return the guesses as a pandas frame."""
        load_extra("pandas", "frames")
        return self.to_arrow().to_pandas()


Look = Callable[[Dataset], Iterable[Guess]]


def chance_of(logarithm: float) -> float:
    """Return a probability from its logarithm; never 0, which is said of deductions only.

    >>> chance_of(-1e6), chance_of(0.5)
    (1e-300, 1.0)
    """
    return LEAST if logarithm < log(LEAST) else min(exp(logarithm), 1.0)


def _written(parameters: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in parameters.items())

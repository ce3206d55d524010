"""What a requirement that holds is worth: proven, withstood or not proven.

*Proven* is what a certificate shows that anybody can check: a privacy model, counts over the
released file, the feasibility intervals of a table, the loss between two files. *Withstood* is that
named attacks, estimates and detectors found too little on these data; another may find more. What
fails, or holds by a person's word alone, is not proven. The three are never merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from tacita.registry import method_named
from tacita.results import Verdict

WAIVED = ", waived"  # ends what is required of a detection that a plan allows by name


class Proof(StrEnum):
    """How the verdict on a requirement is known."""

    PROVEN = "proven"
    WITHSTOOD = "withstood"
    NOT_PROVEN = "not proven"


TOLD = frozenset({"proof", "proven", "withstood"})  # words that say how something is known


def proof_of(requirement: Mapping[str, Any], *, holds: bool, for_intruder: bool = False) -> Proof:
    """Tell how it is known that a requirement holds.

    Args:
        requirement: what is required, as evidence and statement say it.
        holds: whether it holds.
        for_intruder: whether risks were measured for an intruder of whom a plan tells.

    >>> str(proof_of({"k_anonymity": {"k": 3}}, holds=True))
    'proven'
    >>> str(proof_of({"exact_linkage": {"at_most": 0.1}}, holds=True))
    'withstood'
    >>> str(proof_of({"k_anonymity": {"k": 3}}, holds=False))
    'not proven'
    """
    (name,) = requirement
    if not holds or (name == "without" and str(requirement[name]).endswith(WAIVED)):
        return Proof.NOT_PROVEN
    if name == "protected":
        return Proof.PROVEN
    method = method_named(name)
    if method is None or method.estimates:
        return Proof.WITHSTOOD
    counted = method.family == "risk" and method.shown_by_release and not for_intruder
    proven = method.family in {"model", "utility"} or counted
    return Proof.PROVEN if proven else Proof.WITHSTOOD


def mark_of(requirement: Mapping[str, Any], *, holds: bool, for_intruder: bool = False) -> str:
    """Return the word that stands before a verdict: what fails is told so, whatever is known."""
    return proof_of(requirement, holds=holds, for_intruder=for_intruder) if holds else "FAILS"


def row_of(verdict: Verdict, *, for_intruder: bool = False) -> dict[str, Any]:
    """Return a verdict in plain types, with how it is known."""
    proof = proof_of(verdict.requirement, holds=verdict.holds, for_intruder=for_intruder)
    return {**verdict.to_dict(), "proof": proof.value}


def as_told(stated: Mapping[str, Any], computed: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was computed without how it is known, where versions before 0.4.0 did not say.

    >>> as_told({"held": 1}, {"held": 1, "proven": 1, "withstood": 0})
    {'held': 1}
    """
    return {word: one for word, one in computed.items() if word in stated or word not in TOLD}


@dataclass(frozen=True)
class Judged:
    """How many requirements there are, and how many of them hold, and how that is known.

    Args:
        required: how many there are.
        held: how many hold.
        proven: how many are proven.
        withstood: how many withstood attacks, estimates and detectors.
    """

    required: int
    held: int
    proven: int
    withstood: int

    @classmethod
    def of(cls, verdicts: Iterable[Verdict], *, for_intruder: bool = False) -> Self:
        """Count verdicts."""
        return cls.of_rows([row_of(one, for_intruder=for_intruder) for one in verdicts])

    @classmethod
    def of_rows(cls, rows: Sequence[Mapping[str, Any]]) -> Self:
        """Count verdicts in plain types."""
        proofs = [row["proof"] for row in rows]
        return cls(
            len(rows),
            sum(row["holds"] for row in rows),
            proofs.count(Proof.PROVEN),
            proofs.count(Proof.WITHSTOOD),
        )

    def to_dict(self) -> dict[str, int]:
        """Return the counts in plain types."""
        return {
            "required": self.required,
            "held": self.held,
            "proven": self.proven,
            "withstood": self.withstood,
        }

    @property
    def failed(self) -> int:
        """How many requirements fail."""
        return self.required - self.held

    @property
    def is_proven(self) -> bool:
        """Whether something is required, and all of it proven: only this is ever green."""
        return 0 < self.required == self.proven

    @property
    def sentence(self) -> str:
        """What follows, in words.

        >>> Judged(5, 5, 3, 2).sentence
        'All 5 requirements hold: 3 proven, 2 withstood named attacks.'
        >>> Judged(1, 1, 0, 1).sentence
        'The one requirement holds: it withstood named attacks.'
        >>> Judged(2, 1, 1, 0).sentence
        '1 of 2 requirements fails.'
        """
        if not self.required:
            return "Nothing is required."
        if self.failed:
            of = f"{self.failed} of {self.required} requirements"
            return f"{of} {'fails' if self.failed == 1 else 'fail'}."
        if self.required == 1:
            (known,) = self._known(("it is proven", "it withstood named attacks", "not proven"))
            return f"The one requirement holds: {known}."
        if self.is_proven:
            return f"All {self.required} requirements hold, each of them proven."
        counts = zip(self._counts, ("proven", "withstood named attacks", "not proven"), strict=True)
        parts = [f"{count} {word}" for count, word in counts if count]
        return f"All {self.required} requirements hold: {', '.join(parts)}."

    @property
    def _counts(self) -> tuple[int, int, int]:
        """Of what holds: proven, withstood, not proven."""
        return self.proven, self.withstood, self.held - self.proven - self.withstood

    def _known(self, words: Sequence[str]) -> list[str]:
        return [word for count, word in zip(self._counts, words, strict=True) if count]

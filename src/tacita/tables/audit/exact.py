"""What adding and subtracting published cells tells exactly: no bounds, nothing rounded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from tacita.data.classes import Floats, Ints, Mask
from tacita.data.decimals import decimals_of, in_units
from tacita.tables.system import System

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ZERO = Fraction(0)
FEW = 100  # unknown cells that Python eliminates in no time
SHORT = 6  # published cells that a person can follow adding up


@dataclass(frozen=True)
class Disclosure:
    """A suppressed cell and the published cells that give it away.

    Args:
        cell: its place in the system.
        value: what an intruder works out.
        terms: for each published cell that is used, its place and what it is multiplied by.
        known: the values of these cells.
        constant: what the relations themselves come to, 0 for sums.
    """

    cell: int
    value: Fraction
    terms: tuple[tuple[int, Fraction], ...]
    known: tuple[Fraction, ...]
    constant: Fraction

    @property
    def told(self) -> str:
        """The sum as a person would write it, empty cells left out; nothing if it is long.

        >>> terms = ((0, Fraction(1)), (2, Fraction(-1)))
        >>> values = (Fraction(949000), Fraction(97000))
        >>> Disclosure(1, Fraction(852000), terms, values, Fraction(0)).told
        '852,000 = 949,000 - 97,000'
        """
        factors = [factor for _, factor in self.terms]
        parts = [*zip(factors, self.known, strict=True), (Fraction(1), self.constant)]
        used = [(factor, value) for factor, value in parts if value]
        # What is added comes first, as one would do it by hand.
        used.sort(key=lambda part: part[0] * part[1] < 0)
        if len(used) > SHORT:
            return ""
        return f"{_shown(self.value)} = {_sum(used)}"


def exactly_disclosed(system: System) -> Mask:
    """Tell which unknown cells follow from published ones by adding and subtracting alone.

    That no cell can be negative is not used; feasibility intervals use it.

    >>> from scipy.sparse import csr_array
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.status import Status
    >>> cells = Cells.of([949000, 852000, 97000], status=[0, Status.SENSITIVE, 0])
    >>> system = System(cells, csr_array(np.array([[-1, 1, 1]])), np.zeros(1))
    >>> exactly_disclosed(system)
    array([False,  True, False])
    """
    columns = np.flatnonzero(system.unknown)
    unknown = system.relations[:, columns].tocsr()
    disclosed = np.zeros(len(system), bool)
    determined = _eliminating(len(columns))
    disclosed[columns] = determined(unknown.indptr, unknown.indices, unknown.data, len(columns))
    return disclosed


def _eliminating(columns: int) -> Callable[..., Mask]:
    """Choose how to eliminate: of few unknowns it is done before a kernel is compiled."""
    if columns <= FEW:
        from tacita.kernels.unbounded import determined_slowly

        return determined_slowly
    from tacita.kernels.elimination import determined

    return determined


def disclosed_values(system: System) -> dict[int, Fraction]:
    """Return what an intruder works out exactly, by cell."""
    return {found.cell: found.value for found in disclosures(system)}


def disclosures(system: System) -> list[Disclosure]:
    """Return every cell that follows from published ones, and how.

    The values of suppressed cells are not looked at: they come out.
    """
    from tacita.kernels.elimination import reduced

    wanted = exactly_disclosed(system)
    if not wanted.any():
        return []
    relations, order = _by_unknown(system)
    unknown = int(system.unknown.sum())
    solved = reduced(
        relations.indptr, relations.indices, relations.data, unknown, wanted[order[:unknown]]
    )
    value_of = _exact_values(system)
    found = []
    for place, pivot in enumerate(solved.pivots):
        entries = slice(solved.indptr[place], solved.indptr[place + 1])
        lead = int(solved.leads[place])
        used = zip(solved.indices[entries].tolist(), solved.data[entries].tolist(), strict=True)
        factors = {int(order[column]): Fraction(-value, lead) for column, value in used}
        found.append(_disclosure(int(order[pivot]), factors, len(system), value_of))
    return sorted(found, key=lambda disclosure: disclosure.cell)


def _by_unknown(system: System) -> tuple[csr_array, Ints]:
    """Return the relations with unknown cells, and where in the system each column is.

    Unknown cells come first, then known ones, then a column for each relation that does not come
    to 0.
    """
    from scipy.sparse import csr_array, hstack

    unknown = system.unknown
    order = np.concatenate([np.flatnonzero(unknown), np.flatnonzero(~unknown)])
    telling = np.flatnonzero(abs(system.relations) @ unknown.astype(np.int64))
    lifted = np.flatnonzero(system.rhs[telling])
    signs = np.full(len(lifted), -1, np.int64)
    ends = csr_array(
        (signs, (lifted, np.arange(len(lifted)))), shape=(len(telling), len(lifted)), dtype=np.int64
    )
    relations = hstack([system.relations[telling][:, order], ends], format="csr")
    return relations, np.concatenate([order, len(system) + telling[lifted]])


def _exact_values(system: System) -> Callable[[int], Fraction]:
    """Return how to look up what a published cell, or a relation, comes to."""
    numbers: Floats = np.concatenate([system.cells.value, system.rhs])
    numbers[: len(system)][system.unknown] = 0.0
    decimals = decimals_of(numbers)
    if decimals is None:
        return lambda place: Fraction(float(numbers[place]))
    units = in_units(numbers, decimals)
    return lambda place: Fraction(int(units[place]), 10**decimals)


def _disclosure(
    cell: int, factors: dict[int, Fraction], size: int, value_of: Callable[[int], Fraction]
) -> Disclosure:
    terms = tuple(sorted((place, factor) for place, factor in factors.items() if place < size))
    constant = sum((f * value_of(place) for place, f in factors.items() if place >= size), ZERO)
    known = tuple(value_of(place) for place, _ in terms)
    total = sum((factor * v for (_, factor), v in zip(terms, known, strict=True)), constant)
    return Disclosure(cell, total, terms, known, constant)


def _sum(parts: list[tuple[Fraction, Fraction]]) -> str:
    """Write a sum with its signs between the parts."""
    written = ""
    for factor, value in parts:
        sign = "-" if factor * value < 0 else "+"
        times = "" if abs(factor) == 1 else f"{_shown(abs(factor))} x "
        written += f" {sign} {times}{_shown(abs(value))}"
    return written.removeprefix(" + ").strip() or "0"


def _shown(value: Fraction) -> str:
    """Write a decimal with all its digits, and what is no decimal with those a double has."""
    return f"{Decimal(value.numerator) / value.denominator:,.15g}"

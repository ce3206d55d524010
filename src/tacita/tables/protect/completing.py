"""Completing a pattern that protects the parts of a table, but perhaps not the whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacita.data.classes import Mask
from tacita.tables.protect.attacker import Attacker
from tacita.tables.protect.greedy import greedy_pattern
from tacita.tables.protect.problem import Problem


def completed(problem: Problem, pattern: Mask) -> Mask:
    """Return a pattern with as many more cells as every level needs to be reached.

    Methods that look at one subtable after the other do not see what an intruder learns from
    several of them together. The levels that are missed are reached by the deviations of the whole
    table that cost least to add.

    Args:
        problem: the cells, relations and levels.
        pattern: the cells that are suppressed so far.

    Raises:
        ProtectionError: a level cannot be reached.
    """
    missed = [
        level
        for level, reached in zip(problem.levels, _reached(problem, pattern), strict=True)
        if not reached
    ]
    if not missed:
        return pattern
    rest = replace(
        problem,
        is_required=pattern,
        cost=np.where(pattern, 0.0, problem.cost),
        levels=tuple(missed),
    )
    return greedy_pattern(rest)


def _reached(problem: Problem, pattern: Mask) -> Mask:
    """Tell which levels a pattern reaches."""
    within = problem.only(np.flatnonzero(pattern))
    attacker = Attacker(within)
    attacker.open(np.ones(len(within)))
    reached = np.zeros(len(within.levels), bool)
    for number, level in enumerate(within.levels):
        if not reached[number]:
            deviation = attacker.reaching(level)
            if deviation is not None:
                reached |= within.reached(deviation)
                reached[number] = True
    return reached

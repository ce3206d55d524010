"""Running a plan that makes several synthetic copies, from which inference is valid."""

from __future__ import annotations

from dataclasses import replace

from tacita.data.dataset import Dataset
from tacita.microdata.synthesis.inference.copying import SAMPLED, CopyOf, rule_for
from tacita.release.comparing.beside import map_beside, ways_beside
from tacita.release.execute import Done, Outcome, assess, mask, read_source
from tacita.release.measuring import Tell
from tacita.release.plan import Plan

MORE_THAN_ONE = (
    "Several copies tell an intruder more than one: values can be averaged over them. The risks "
    "here are those of a single copy."
)


def execute_copies(plan: Plan, seed: int, tell: Tell = lambda _: None) -> Outcome:
    """Make, measure, attack and judge every copy that a plan asks for.

    The copies differ in what the generator draws and in nothing else: noise that differed between
    them could be averaged out.

    Returns:
        The outcome of the first copy, which holds those of all copies.
    """
    tell("reading")
    return protect_copies(plan, read_source(plan), seed, tell)


def protect_copies(
    plan: Plan, original: Dataset, seed: int, tell: Tell = lambda _: None
) -> Outcome:
    """Make every copy that a plan asks for of data that were read already."""
    ways = ways_beside(plan, original)
    made = []
    for number in range(plan.copies):
        masked, steps = mask(original, plan, seed, tell, copy=number)
        told = tuple(
            numbered(done, number + 1, plan.copies, is_synthetic=masked.is_synthetic)
            for done in steps
        )
        outcome = assess(plan, original, masked, told, tell, seed)
        made.append(replace(outcome, warnings=(*outcome.warnings, MORE_THAN_ONE)))
    made = map_beside(made, ways, seed, tell)
    return replace(made[0], copies=tuple(made))


def numbered(done: Done, number: int, of: int, *, is_synthetic: bool) -> Done:
    """Say of the step that draws which copy it made."""
    if done.method.family != "synthesis":
        return done
    rule = rule_for(done.method, is_synthetic=is_synthetic)
    return replace(done, copy=CopyOf(number, of, rule, done.notes.get(SAMPLED, 0.0)))

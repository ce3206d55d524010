"""The map of a release: other ways to mask the same data, with the release itself among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from zlib import crc32

import numpy as np

from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.release.comparing.against import reaching_as_far, scoring_against
from tacita.release.comparing.grid import Candidate, candidates
from tacita.release.comparing.risk_utility_map import RiskUtilityMap, map_of
from tacita.release.comparing.score_card import Scoring
from tacita.release.comparing.trial import Trial, scored
from tacita.release.execute import Outcome, derived, mask_again, without_identifiers
from tacita.release.measuring import Tell
from tacita.release.plan import Plan

OWN = "this release"


def ways_beside(plan: Plan, original: Dataset) -> list[Candidate]:
    """Return the ways to mask that a plan compares its own with; none if it compares nothing."""
    if plan.compare is None:
        return []
    with plan.placing("microdata", "compare"):
        return candidates(plan.compare.methods, without_identifiers(original))


def map_beside(
    outcomes: Sequence[Outcome],
    ways: Sequence[Candidate],
    seed: int,
    tell: Tell = lambda _: None,
) -> list[Outcome]:
    """Map other ways to mask the data of releases, and each release among them.

    All are tried on the same records: all of them, or a random sample as large as the plan says.

    Args:
        outcomes: one release, or several synthetic copies of the same data.
        ways: the other ways; the outcomes are returned as they are if there are none.
        seed: the run's; what the others draw comes from it, but is not what the release draws.
        tell: is told what is tried.

    Raises:
        ProtectionError: none of the other ways could be tried.
    """
    plan, original = outcomes[0].plan, outcomes[0].original
    if plan.compare is None or not ways:
        return list(outcomes)
    own = derived(seed, crc32(b"compare"))
    tried_on = _sampled(original, plan.compare.sample, own)
    by = scoring_against(plan.compare.by, reaching_as_far(outcomes[0].intruder, len(original)))
    with plan.placing("microdata", "compare"):
        others = map_of(without_identifiers(tried_on), ways, by=by, seed=own, tell=tell)
    made = []
    for outcome in outcomes:
        tell(OWN)
        found = _released(outcome, tried_on, by, seed)
        made.append(replace(outcome, compared=_joined(others, found)))
    return made


def _sampled(data: Dataset, size: int | None, seed: int) -> Dataset:
    """Return a random sample of the records, in their order; all if there are no more."""
    if size is None or size >= len(data):
        return data
    drawn = np.random.default_rng(seed).choice(len(data), size, replace=False)
    return data.take(np.sort(drawn))


def _released(outcome: Outcome, data: Dataset, by: Scoring, seed: int) -> Trial | str:
    """Measure the release itself, or a sample masked in the same steps; say why it cannot be."""
    steps, started = outcome.steps, perf_counter()
    try:
        protected = (
            outcome.protected
            if data is outcome.original
            else mask_again(
                data,
                [(one.method, one.seed) for one in steps],
                outcome.plan.format,
                outcome.plan.order,
            )
        )
        card = by.of(without_identifiers(data), protected)
    except (InputError, ParameterError, ProtectionError) as reason:
        return str(reason)
    return scored(
        card,
        [one.method for one in steps],
        OWN,
        records=len(data),
        seed=seed,
        started=started,
        setting={},
    )


def _joined(others: RiskUtilityMap, found: Trial | str) -> RiskUtilityMap:
    if isinstance(found, str):
        return replace(others, skipped=(*others.skipped, (OWN, found)))
    return replace(others, trials=(*others.trials, found), own=len(others))

"""Input perturbation: a guarded database that answers from a masked copy of its records."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from hashlib import blake2b
from typing import NamedTuple

from tacita.data.dataset import Dataset, new_lineage
from tacita.errors import ProtectionError
from tacita.method import Method
from tacita.queries.versions import own_order
from tacita.release.execute import Done, mask, read_source, without_identifiers
from tacita.release.plan import Plan, Until

SEED_BYTES = 16


class MaskedCopy(NamedTuple):
    """Records that are answered from.

    Attributes:
        data: the records.
        about: what was done to them, as everybody may know it; empty for nothing.
    """

    data: Dataset
    about: str


def masking_seed(key: bytes) -> int:
    """Return the seed of a masked copy: the same at every opening, and hidden without the key.

    >>> masking_seed(b"k" * 32) == masking_seed(b"k" * 32) != masking_seed(b"l" * 32)
    True
    """
    drawn = blake2b(key=key, digest_size=SEED_BYTES, person=b"masked input").digest()
    return int.from_bytes(drawn, "big")


def masked_copy(plan: Plan, seed: int) -> MaskedCopy:
    """Carry out the steps of a plan on its records, and check that what it requires holds.

    Records are put in order before they are masked, since a database gives them in any order.

    Raises:
        ProtectionError: a step would give another copy at every opening, or a requirement fails.
    """
    for place, step in enumerate(plan.steps):
        with plan.placing("microdata", "steps", place):
            _refuse_unrepeatable(step.rounds if isinstance(step, Until) else [[step]])
    original = read_source(plan)
    record = None if plan.queries is None else plan.queries.record
    # They are the source's records in another order, of which none was left out.
    ordered = replace(original.take(own_order(original, record)), rows=None, lineage=new_lineage())
    masked, steps = mask(ordered, plan, seed)
    for place, requirement in enumerate(plan.requirements):
        with plan.placing("microdata", "require", place):
            verdict = requirement.check(ordered, without_identifiers(masked))
            if not verdict.holds:
                raise ProtectionError(f"The masked copy cannot be guarded: {verdict.sentence}.")
    return MaskedCopy(masked, told(steps))


def told(steps: Iterable[Done]) -> str:
    """Return what was done to masked data, in a sentence with what may be told."""
    from tacita.release.evidence import public_step

    parts = []
    for step in map(public_step, steps):
        said = {**step["parameters"], **step.get("notes", {})}
        parts.append(step["method"] + (f" {json.dumps(said, default=str)}" if said else ""))
    return f"Computed on masked data, not on the true ones: {', '.join(parts)}."


def _refuse_unrepeatable(rounds: Iterable[Iterable[Method]]) -> None:
    for methods in rounds:
        for method in methods:
            if not method.repeatable:
                raise ProtectionError(
                    f"`{method.name}` draws other noise whenever it is carried out, which can be "
                    "averaged over openings; mask a file with it once, and guard that file."
                )

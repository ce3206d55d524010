"""Where the randomness of a call begins."""

from __future__ import annotations

import secrets

from tacita.errors import ParameterError, shown

SEED_BITS = 128


def fresh(seed: int | None) -> int:
    """Return a seed, drawn from the system's secure source when none is given."""
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool) or seed < 0):
        raise ParameterError(f"A seed is a whole number, 0 or more; found {shown(seed)}.")
    return secrets.randbits(SEED_BITS) if seed is None else seed

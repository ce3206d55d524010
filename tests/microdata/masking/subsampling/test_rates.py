from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from tacita.microdata.masking.subsampling.rates import optimal_rates


def lost(psi, phi, members, leaving):
    """What the rates add to squared errors, from its formula."""
    sizes = members.sum(axis=0)
    variance = (members * (1 / phi - 1)[:, None]).sum(axis=0)
    return float(((variance + (leaving * psi[:, None]).sum(axis=0) ** 2) / sizes).sum())


@pytest.mark.parametrize("seed", range(12))
def test_no_rates_within_the_bound_lose_less(seed):
    """Against a solver that knows neither the closed form in phi nor that the bound is reached."""
    rng = np.random.default_rng(seed)
    strata, categories = int(rng.integers(1, 5)), int(rng.integers(1, 6))
    members = rng.integers(1, 60, (strata, categories)).astype(float)
    leaving = np.ceil(members * rng.random(members.shape) * 0.3)
    bound = rng.choice([0.1, 0.3, 0.6, 1.0], strata)
    found = optimal_rates(members, leaving, bound)
    assert np.all((found.substitution >= 0) & (found.sampling <= 1 + 1e-12))
    assert np.all((1 - found.substitution) * found.sampling <= bound * (1 + 1e-12))
    least = lost(*found, members, leaving)
    tried = [
        minimize(
            lambda x: lost(x[:strata], x[strata:], members, leaving),
            np.concatenate([start * (1 - bound), bound / (1 - start * (1 - bound))]),
            bounds=[(0, 1)] * strata + [(1e-3, 1)] * strata,
            constraints={
                "type": "ineq",
                "fun": lambda x: bound - (1 - x[:strata]) * x[strata:],
            },
            method="SLSQP",
            options={"ftol": 1e-12, "maxiter": 300},
        )
        for start in (0.01, 0.5, 0.99)
    ]
    best = min(one.fun for one in tried if one.success)
    assert least <= best + 1e-6 * (1 + abs(best))
    assert least >= best - 1e-5 * (1 + abs(best))


def test_who_cannot_be_substituted_or_need_not_be_is_not():
    members = np.array([[5.0, 3.0], [40.0, 9.0]])
    found = optimal_rates(members, np.zeros((2, 2)), np.array([1.0, 1.0]))
    assert found.substitution.tolist() == [0, 0]
    assert found.sampling.tolist() == [1, 1]

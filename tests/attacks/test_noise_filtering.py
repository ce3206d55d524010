from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.attacks.noise_filtering import NoiseFiltering
from tacita.errors import InputError, ParameterError

CENSUS = Path(__file__).parents[3] / "shared" / "data" / "casc" / "Census.csv"


def keyed(matrix):
    names = [f"x{j}" for j in range(matrix.shape[1])]
    return ta.read(
        pa.table(dict(zip(names, matrix.T, strict=True))), roles=dict.fromkeys(names, "key")
    )


def dependent(records=500, width=5, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(records, 1)) * 2 + rng.normal(size=(records, width))


def measured(data, noise, **parameters):
    safe = data.apply(noise, seed=1)
    return NoiseFiltering(**parameters).measure(data, safe)


@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("alpha", [0.1, 0.5])
def test_correlated_noise_is_linked_more_than_naively(alpha, told):
    data = keyed(dependent())
    given = {"alpha": alpha} if told else {}
    noise = ta.AddNoise(data.names, alpha=alpha, kind="correlated")
    found = measured(data, noise, kind="correlated", **given)
    assert found.value > 1.3 * found.figures["naive_linkage"]
    assert found.figures["error"] < found.figures["naive_error"]


@pytest.mark.parametrize("alpha", [0.1, 1.0])
def test_the_transformation_of_kim_is_undone(alpha):
    data = keyed(dependent(width=8))
    noise = ta.KimNoise(data.names, alpha=alpha)
    parameters = {"kind": "correlated", "alpha": alpha}
    found = measured(data, noise, transformed=True, **parameters)
    assert found.value > 1.3 * found.figures["naive_linkage"]
    assert found.figures["error"] < found.figures["naive_error"]
    if alpha == 1:
        assert found.value > measured(data, noise, **parameters).value


@pytest.mark.parametrize("told", [True, False])
def test_multiplicative_noise_is_linked_by_logarithms(told):
    data = keyed(np.exp(dependent()))
    given = {"deviation": 0.5} if told else {}
    noise = ta.MultiplyNoise(data.names, deviation=0.5)
    found = measured(data, noise, kind="multiplicative", width=0.2, **given)
    assert found.value > 1.5 * found.figures["naive_linkage"]
    assert found.figures["guessed"] > 1.1 * found.figures["naive_guess"]


@pytest.mark.parametrize("estimate", ["bayes", "spectral"])
def test_uncorrelated_noise_is_filtered_out_of_dependent_values(estimate):
    data = keyed(dependent(width=8))
    noise = ta.AddNoise(data.names, alpha=1.0)
    found = measured(data, noise, alpha=1.0, estimate=estimate, width=0.1)
    assert found.figures["guessed"] > 1.3 * found.figures["naive_guess"]
    assert found.figures["error"] < 0.8 * found.figures["naive_error"]
    assert set(found.parts) == set(data.names)


def test_uncorrelated_noise_in_proportion_is_linked_as_by_distance():
    data = keyed(dependent())
    found = measured(data, ta.AddNoise(data.names, alpha=0.2), alpha=0.2)
    assert float(found.value) == pytest.approx(float(found.figures["naive_linkage"]), abs=0.02)


def test_noise_of_different_size_is_weighed_by_its_variance():
    matrix = dependent()
    rng = np.random.default_rng(5)
    data = keyed(matrix)
    safe = keyed(matrix + rng.normal(size=matrix.shape) * np.array([0.05, 0.05, 3, 3, 3]))
    told = {"x0": 0.0025, "x1": 0.0025, "x2": 9.0, "x3": 9.0, "x4": 9.0}
    found = NoiseFiltering(variance=told).measure(*ta.pair(data, safe, "position"))
    assert found.value > 3 * found.figures["naive_linkage"]


def test_published_variances_do_as_well_as_alpha():
    data = keyed(dependent())
    safe = data.apply(ta.AddNoise(data.names, alpha=0.3, kind="correlated"), seed=1)
    variance = safe.notes["variance"]
    one = NoiseFiltering(kind="correlated", variance=variance).measure(data, safe)
    other = NoiseFiltering(kind="correlated", alpha=0.3).measure(data, safe)
    assert float(one.value) == pytest.approx(float(other.value), abs=0.01)


def test_attributes_that_add_up_do_so_in_the_noise():
    matrix = dependent(width=3)
    data = keyed(np.column_stack([matrix, matrix.sum(axis=1)]))
    safe = data.apply(ta.AddNoise(data.names, alpha=0.3, kind="correlated"), seed=1)
    whole = NoiseFiltering(kind="correlated", alpha=0.3).measure(data, safe)
    part = NoiseFiltering(data.names[:3], kind="correlated", alpha=0.3).measure(data, safe)
    assert float(whole.value) == pytest.approx(float(part.value), abs=0.02)


@pytest.mark.skipif(not CENSUS.exists(), reason="the reference data are not here")
@pytest.mark.parametrize(
    ("method", "parameters", "naive", "attacked"),
    [
        ("cor", {"kind": "correlated", "alpha": 0.5}, 0.16, 0.33),
        ("kim", {"kind": "correlated", "alpha": 0.5, "transformed": True}, 0.16, 0.33),
        ("mult", {"kind": "multiplicative", "deviation": 0.25}, 0.46, 0.8),
    ],
)
def test_census(method, parameters, naive, attacked):
    names = ta.read(CENSUS).names
    data = ta.read(CENSUS, kinds=dict.fromkeys(names, "continuous"))
    noise = {
        "cor": ta.AddNoise(names, alpha=0.5, kind="correlated"),
        "kim": ta.KimNoise(names, alpha=0.5),
        "mult": ta.MultiplyNoise(names, deviation=0.25),
    }[method]
    found = NoiseFiltering(names, **parameters).measure(data, data.apply(noise, seed=0))
    assert found.figures["naive_linkage"] < naive
    assert found.value > attacked


def test_the_likelihood_by_hand():
    # With variances 0.1 and 1, (3, 0) lies 9 / 0.1 + 100 from (0, 10) and 0.25 / 0.1 + 3600 from
    # (2.5, 60); with 0.001 and 1000, 9000 + 0.1 from the one and 250 + 3.6 from the other.
    data = keyed(np.array([[0.0, 10.0], [2.5, 60.0]]))
    safe = keyed(np.array([[3.0, 0.0], [2.5, 60.0]]))
    found = NoiseFiltering(variance={"x0": 0.1, "x1": 1.0}).measure(
        *ta.pair(data, safe, "position")
    )
    assert found.value == 1
    found = NoiseFiltering(variance={"x0": 1e-3, "x1": 1e3}).measure(
        *ta.pair(data, safe, "position")
    )
    assert found.value == Fraction(1, 2)


def test_signs_and_zeros_are_never_mistaken():
    values = np.array([[5.0], [-5.0], [0.0], [7.0]])
    data, safe = keyed(values), keyed(values * np.array([[1.3], [1.4], [1.0], [0.8]]))
    found = NoiseFiltering(kind="multiplicative", deviation=0.3).measure(
        *ta.pair(data, safe, "position")
    )
    assert found.details["nearest"].to_pylist()[1:3] == [1, 2]


def test_blanks_are_not_guessed():
    matrix = dependent()
    matrix[::5, 0] = np.nan
    data = keyed(matrix)
    for kind in ("uncorrelated", "correlated"):
        noise = ta.AddNoise(data.names, alpha=0.1, kind=kind)
        found = measured(data, noise, kind=kind, alpha=0.1)
        assert 0 < found.value < 1
        assert 0 < found.figures["guessed"] < 1


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"alpha": 0.1, "variance": {"x0": 1.0}}, "one of `alpha` and `variance`"),
        ({"deviation": 0.1}, "one of `alpha` and `variance`"),
        ({"kind": "multiplicative", "alpha": 0.1}, "`deviation`"),
        ({"transformed": True}, "give `alpha` or `variance`"),
    ],
)
def test_what_does_not_fit_is_refused(parameters, said):
    with pytest.raises(ParameterError, match=said):
        NoiseFiltering(**parameters)


def test_ranges_hold_no_noise():
    data = ta.example("toy", 100)
    coarse = data.apply(ta.Recode("age", width=20), seed=0)
    with pytest.raises(InputError, match="numbers"):
        NoiseFiltering(["age"]).measure(data, coarse)

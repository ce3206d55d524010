"""What a method tells by choice is in the public statement only by choice."""

from __future__ import annotations

import pytest

import tacita as ta
from tacita.release.evidence import public_step
from tacita.release.execute import Done

SECRET = {
    ta.AddNoise: {"alpha": 0.1},
    ta.KimNoise: {"alpha": 0.1},
    ta.MultiplyNoise: {"deviation": 0.1},
    ta.NoiseOutliers: {"alpha": 0.1, "by": "quantile"},
}


@pytest.mark.parametrize("cls", SECRET, ids=lambda cls: cls.name)
def test_the_variance_of_noise_is_told_by_choice(cls):
    amount = next(iter(SECRET[cls]))
    for chosen in (False, True):
        method = cls("age", **SECRET[cls], tell_variance=chosen)
        masked = ta.example("toy", 50).apply(method, seed=0)
        said = public_step(Done(method, 0, masked.notes))
        assert (amount in said["parameters"]) is chosen
        assert said["parameters"]["attributes"] == ["age"]
        assert set(said.get("notes", {})) == ({"variance"} & set(masked.notes) if chosen else set())

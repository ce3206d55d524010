"""What classifiers learn from protected data."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tacita as ta
from tacita.errors import InputError
from tacita.microdata.utility.classification_accuracy import _Compared


def accuracy(original, protected, target=None, **parameters):
    return ta.ClassificationAccuracy(target, **parameters).measure(original, protected)


@pytest.fixture(scope="module")
def steps() -> pd.DataFrame:
    """A target that one attribute tells surely: x < 300 of 1,000 is a, the others are b."""
    x = np.random.default_rng(1).permutation(1000)
    return pd.DataFrame({"x": x.astype(float), "y": np.where(x < 300, "a", "b")})


@pytest.mark.parametrize("evaluator", ["cart", "boosted"])
def test_what_is_sure_is_learnt_and_lost_when_the_target_is_shuffled(steps, evaluator):
    shuffled = steps.assign(y=np.random.default_rng(2).permutation(steps["y"]))
    found = accuracy(ta.read(steps), ta.read(shuffled), "y", evaluator=evaluator)
    assert found.figures["accuracy_original"] > 0.98
    assert found.figures["majority"] == pytest.approx(0.7)
    assert 0.45 < found.figures["accuracy_protected"] < 0.75
    gap = found.figures["accuracy_original"] - found.figures["accuracy_protected"]
    assert found.value == pytest.approx(gap)
    assert found.figures["relative_loss"] == pytest.approx(gap / found.figures["accuracy_original"])
    assert found.interval.lower < found.value < found.interval.upper


def test_a_classifier_of_the_opposite_is_always_wrong(steps):
    swapped = steps.assign(y=np.where(steps["y"] == "a", "b", "a"))
    found = accuracy(*ta.pair(ta.read(steps), ta.read(swapped), "position"), "y")
    assert found.figures["accuracy_protected"] < 0.02


def test_better_protected_data_lose_nothing():
    """Noise taken out of the target makes the classifier better, not the loss negative."""
    rng = np.random.default_rng(4)
    x = rng.random(800)
    noisy = np.where((x > 0.5) ^ (rng.random(800) < 0.35), "a", "b")
    clean = np.where(x > 0.5, "a", "b")
    before, after = (ta.read(pd.DataFrame({"x": x, "y": y})) for y in (noisy, clean))
    found = accuracy(*ta.pair(before, after, "position"), "y")
    assert found.figures["accuracy_protected"] > found.figures["accuracy_original"]
    assert found.value == 0


def test_recoded_predictors_are_met_in_released_terms(steps):
    banded = steps.assign(x=[f"from {100 * (x // 100):.0f}" for x in steps["x"]])
    found = accuracy(*ta.pair(ta.read(steps), ta.read(banded), "position"), "y")
    assert found.figures["accuracy_protected"] == 1


def test_a_recoded_target_is_missed(toy):
    coarse = toy.apply(ta.Generalize("disease", level=1), seed=0)
    found = accuracy(toy, coarse, "disease")
    assert found.figures["accuracy_protected"] == 0
    assert found.value == found.figures["accuracy_original"]
    banded = toy.apply(ta.Generalize("age", level=1), seed=0)
    assert accuracy(toy, banded, "age").figures["accuracy_protected"] == 0


def test_numbers_are_cut_at_the_median_of_the_original():
    x = np.arange(400.0)
    before, after = (ta.read(pd.DataFrame({"x": x, "y": x + by})) for by in (0, 100))
    found = accuracy(*ta.pair(before, after, "position"), "y")
    assert found.figures["majority"] == pytest.approx(0.5)
    # After the shift, the quarter of the records just below the median are taken for larger.
    assert found.value == pytest.approx(0.25, abs=0.03)


def test_protected_records_of_a_fold_do_not_teach_how_to_predict_it():
    """One record of each of 40 leaves has nearly all the weight, and a label like a coin's.

    Whoever learnt from that record predicts it; without it nobody can. Of data of other sizes
    nobody knows which record it is, so that all teach.
    """
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(
        {
            "g": np.repeat(np.arange(40.0), 25),
            "y": rng.choice(["a", "b"], 1000),
            "w": np.where(np.arange(1000) % 25 == 0, 1e6, 1.0),
        }
    )
    data = ta.read(frame, roles={"w": "weight"})
    assert accuracy(data, data, "y").figures["accuracy_protected"] < 0.75
    other = ta.read(pd.concat([frame, frame.iloc[1:2]], ignore_index=True), roles={"w": "weight"})
    found = accuracy(data, other, "y")
    assert found.figures["accuracy_protected"] == pytest.approx(1, abs=1e-3)
    assert found.value == 0


def test_weights_count(steps):
    """All weight is on records whose protected target says the opposite."""
    heavy = steps.assign(w=np.where(steps["x"] >= 600, 1000.0, 1.0))
    wrong = steps.assign(y=np.where(steps["x"] >= 600, "a", steps["y"]))
    plain = accuracy(ta.read(steps), ta.read(wrong), "y")
    assert plain.value == pytest.approx(0.4, abs=0.03)
    weighted = accuracy(ta.read(heavy, roles={"w": "weight"}), ta.read(wrong), "y")
    assert weighted.value > 0.95


def test_the_interval_is_that_of_paired_answers():
    """Of 100 records 20 are right only before and 5 only after."""
    before = np.repeat([True, False, True], [20, 5, 75])
    after = np.repeat([False, True, True], [20, 5, 75])
    found = _Compared(before, after, np.zeros(100), np.ones(100))
    spread = np.sqrt(25 - 15**2 / 100) / 100
    assert found.loss == pytest.approx(0.15)
    interval = found.interval(1)
    assert interval.lower == pytest.approx(0.15 - 1.959964 * spread)
    assert interval.upper == pytest.approx(0.15 + 1.959964 * spread)
    assert found.interval(2).upper > interval.upper


def test_targets_by_default(toy, steps):
    assert list(accuracy(toy, toy).parts) == ["disease", "income"]
    three = steps.assign(z=list("pqrst") * 200)
    assert list(accuracy(ta.read(three), ta.read(three)).parts) == ["y"]
    numbers = ta.read(steps[["x"]].assign(v=steps["x"] ** 2))
    assert list(accuracy(numbers, numbers).parts) == ["x"]


def test_what_cannot_be_predicted_is_said(toy, steps):
    with pytest.raises(InputError, match="name another target"):
        accuracy(toy, toy, "id")
    with pytest.raises(InputError, match="only attribute"):
        accuracy(ta.read(steps[["y"]]), ta.read(steps[["y"]]))
    with pytest.raises(InputError, match="no attribute"):
        accuracy(toy, toy.without([n for n in toy.names if n not in ("id", "weight")]))
    with pytest.raises(InputError, match="do not come from"):
        accuracy(toy.take(np.arange(10)), toy.take(np.arange(20)))
    assert accuracy(toy.take(np.arange(0)), toy.take(np.arange(0))).value is None


def test_a_sample_is_told(steps):
    data = ta.read(steps)
    found = accuracy(data, data, "y", sample=200)
    assert found.value == 0
    assert "on a random sample of 200 of 1,000 records" in found.sentence


def test_a_predictor_that_was_left_out_is_missed_in_the_protected_data_only(steps):
    data = ta.read(steps.assign(z=1.0))
    found = accuracy(data, data.without(["x"]), "y")
    assert found.figures["accuracy_original"] > 0.9
    assert found.figures["accuracy_protected"] == found.figures["majority"] < 0.8


def test_a_target_that_was_left_out_is_missed_in_all_records(toy):
    for target in ("disease", None):
        found = accuracy(toy, toy.without(["disease"]), target)
        assert found.parts["disease"] == found.figures["accuracy_original"] > 0
        assert found.figures["accuracy_protected"] == 0


def test_new_categories_are_not_taken_for_rare_ones():
    """Of 100 categories, 50 are predicted as one; those of the protected data are all others."""
    codes = np.arange(2000) % 100
    before, after = (
        ta.read(pd.DataFrame({"x": codes, "y": [f"{word}{code:03}" for code in codes]}))
        for word in "cd"
    )
    assert accuracy(before, before, "y").value == 0
    found = accuracy(*ta.pair(before, after, "position"), "y")
    assert found.figures["majority"] == 0.5
    assert found.figures["accuracy_protected"] == 0


def test_the_order_of_the_records_does_not_matter():
    data = ta.example("toy", 400)
    masked = data.apply(ta.Recode("age", width=40), seed=0)
    order = np.random.default_rng(5).permutation(len(data))
    one = ta.ClassificationAccuracy("disease").measure(data, masked)
    other = ta.ClassificationAccuracy("disease").measure(data.take(order), masked.take(order))
    assert other.value == pytest.approx(one.value, abs=1e-12)

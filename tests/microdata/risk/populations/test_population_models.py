"""What the population models share: class sizes, the size of the population, Zayatz's estimate."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import hypergeom

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.risk.populations.pitman_model import pitman
from tacita.microdata.risk.populations.population_models import (
    ClassSizes,
    Estimate,
    population_of,
    share_of,
    zayatz,
)
from tacita.microdata.risk.populations.slide_negative_binomial import slide_negative_binomial

HISTOGRAMS = st.dictionaries(st.integers(1, 60), st.integers(1, 200), min_size=1, max_size=8)


def made(histogram: dict[int, int], population: int) -> ClassSizes:
    sizes = np.array(sorted(histogram))
    return ClassSizes(sizes, np.array([histogram[size] for size in sizes]), population)


def with_weights(weights: list[float]) -> object:
    frame = pa.table({"k": [str(place) for place in range(len(weights))], "w": weights})
    return ta.read(frame, roles={"k": "key", "w": "weight"})


@pytest.mark.numeric
@given(HISTOGRAMS, st.integers(1, 10_000))
def test_zayatz_is_its_printed_formula(histogram, more):
    """s_1 / n times s_1 h_1 / sum_j s_j h_j with hypergeometric h, by scipy.stats."""
    histogram = {1: 5, **histogram}
    records = sum(size * count for size, count in histogram.items())
    found = made(histogram, records + more)
    chances = {size: hypergeom(records + more, size, records).pmf(1) for size in histogram}
    below = sum(count * chances[size] for size, count in histogram.items())
    expected = histogram[1] * histogram[1] * chances[1] / below / records
    assert zayatz(found).share == pytest.approx(expected, rel=1e-8)


@pytest.mark.numeric
@given(HISTOGRAMS, st.integers(0, 10**7))
@example({1: 1, 2: 1}, 0)
@example({1: 29, 3: 2}, 1)
def test_every_estimate_is_between_nothing_and_the_sample_uniques(histogram, more):
    records = sum(size * count for size, count in histogram.items())
    found = made(histogram, records + more)
    for model in (zayatz, slide_negative_binomial, pitman):
        estimate = share_of(found, model)
        if estimate.share is None:
            assert estimate.why_not
        else:
            assert 0 <= estimate.share <= Fraction(histogram.get(1, 0), records)
    assert share_of(found, zayatz).share is not None


def test_a_sample_that_is_the_population_is_counted():
    found = made({1: 3, 4: 2}, 11)
    assert share_of(found, lambda _: Estimate(0.9)).share == Fraction(3, 11)


def test_without_sample_uniques_there_are_no_population_uniques():
    assert share_of(made({2: 3, 4: 2}, 1000), lambda _: Estimate(0.9)).share == 0


def test_more_population_than_sample_uniques_cannot_be():
    estimate = share_of(made({1: 3, 4: 2}, 1000), lambda _: Estimate(0.5, figures={"alpha": 2}))
    assert estimate.share is None
    assert estimate.figures == {"alpha": 2}


class TestThePopulation:
    def test_is_what_was_said(self):
        data = with_weights([2.0, 3.0])
        assert population_of(data, 2, 77, None) == 77
        assert population_of(data, 30_162, None, 0.01) == 3_016_200

    def test_is_the_population_beside_the_data(self):
        data = with_weights([2.0, 3.0])
        assert population_of(data.with_external(population=data), 2, None, None) == 2

    def test_is_the_sum_of_the_weights(self):
        assert population_of(with_weights([2.4, 3.3]), 2, None, None) == 6

    def test_has_to_be_known(self):
        data = with_weights([2.0, 3.0]).without(["w"])
        with pytest.raises(InputError, match="give `population_size`"):
            population_of(data, 2, None, None)

    def test_holds_the_sample(self):
        with pytest.raises(InputError, match="population of 1 cannot hold a sample of 2"):
            population_of(with_weights([0.5, 0.5]), 2, None, None)

    def test_is_said_once(self):
        with pytest.raises(ParameterError, match="not both"):
            population_of(with_weights([2.0]), 1, 5, 0.2)

    def test_needs_whole_weights(self):
        data = with_weights([2.0, 3.0])
        blank = data.with_column(data.attribute("w"), pa.array([2.0, None]))
        with pytest.raises(InputError, match=r"must be above 0 .*`w` is missing"):
            population_of(blank, 2, None, None)


@pytest.mark.parametrize(
    "method", [ta.PitmanUniqueness, ta.ZayatzUniqueness, ta.SnbUniqueness, ta.DankarUniqueness]
)
class TestEveryPopulationModel:
    def test_says_what_each_record_bears(self, method):
        data = ta.example("toy", 300)
        measured = method(["age", "zip", "education"], population_size=30_000).measure(data, data)
        alone = data.classes(["age", "zip", "education"]).size_of_record == 1
        assert not measured.per_record[~alone].any()
        assert measured.per_record.sum() == pytest.approx(measured.value * 300)
        assert measured.figures["population_uniques"] == pytest.approx(measured.value * 30_000)

    def test_says_why_it_is_not_valid(self, method):
        """All classes of one record: only Zayatz's model has an answer, 1."""
        data = ta.example("toy", 300)
        measured = method(population_size=30_000).measure(data, data)
        if measured.value is None:
            assert "not valid" in measured.sentence
            assert measured.figures["valid"] == 0
        else:
            assert measured.value == 1


def test_a_share_that_is_rounded_up_is_valid():
    # No class of three can leave one record here, so that every sample unique stays unique.
    found = ClassSizes(np.array([1, 3]), np.array([29, 2]), 36)
    assert share_of(found, zayatz).share == Fraction(29, 35)


@pytest.mark.parametrize("said", [{"population_size": 10**30}, {"fraction": 1e-300}, {}])
def test_no_population_is_larger_than_numbers_can_tell(said):
    data = with_weights([9e14, 9e14])
    with pytest.raises(InputError, match="more than 10\\^15 records"):
        ta.ZayatzUniqueness(**said).measure(data, data)

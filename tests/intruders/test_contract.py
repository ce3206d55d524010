"""What every risk measure and attack does with an intruder, whoever wrote it."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import tacita as ta
from tacita.data.dataset import Dataset
from tacita.errors import InputError, ParameterError
from tacita.intruders.measuring import MEASURED, Knowing
from tacita.intruders.uses import KNOWLEDGE
from tacita.intruders.view import with_keys
from tacita.method import Method
from tacita.registry import family
from tacita.results import Measurement
from tacita.validity import Use

ALL = [cls for name in MEASURED for cls in family(name).values()]
RECORDS = 120
KEYS = ("age", "zip", "education")
EXACT = ta.Intruder(KEYS)
WEAKER = {
    "fewer attributes": ta.Intruder(KEYS[:2]),
    "coarse": ta.Intruder(KEYS, {"age": {"rounded": 20}, "zip": {"prefix": 2}}),
    "wrong": ta.Intruder(KEYS, {name: {"wrong": 0.6} for name in KEYS}),
    "error": ta.Intruder(KEYS, {"age": {"absolute_error": 10}}),
    "missing": ta.Intruder(KEYS, {"age": {"missing": 0.5}}),
    "few respondents": ta.Intruder(KEYS, respondents=RECORDS // 2, in_file=0.5),
}
# What is drawn, learnt or estimated moves by chance; counts do not.
BY_CHANCE = 0.03
# Its share of right links is that of chance on these data, so that nothing can be below it.
AT_RANDOM = {"cluster_linkage"}


@pytest.fixture(scope="module")
def data() -> Dataset:
    toy = ta.example("toy", RECORDS)
    return toy.with_external(
        population=ta.example("toy", RECORDS), holdout=ta.example("toy", RECORDS, seed=1)
    )


@pytest.fixture(scope="module")
def releases(data: Dataset) -> dict[bool, Dataset]:
    """Return a release with its keys as they are, and one in which a key is perturbed.

    Who counts or compares exactly finds more on perturbed keys with coarse values, which agree all
    the same: every measure by exact agreement says not to use it there.
    """
    rng = np.random.default_rng(0)
    swapped = ta.RankSwap(["income"], p=5).mask(data, rng).without(["id"])
    return {False: swapped, True: ta.RankSwap(["age"], p=2).mask(swapped, rng)}


@pytest.fixture(scope="module")
def known(data: Dataset, releases: dict[bool, Dataset]) -> dict[bool, dict[str, Knowing]]:
    intruders = {"exact": EXACT, "one": ta.Intruder(["education"]), **WEAKER}
    return {
        perturbed: {said: Knowing(one, data, released) for said, one in intruders.items()}
        for perturbed, released in releases.items()
    }


@pytest.fixture
def protected(cls: type[Method], releases: dict[bool, Dataset]) -> Dataset:
    return releases[compares(cls)]


@pytest.fixture
def knowing(cls: type[Method], known: dict[bool, dict[str, Knowing]]) -> dict[str, Knowing]:
    return known[compares(cls)]


def compares(cls: type[Method]) -> bool:
    return cls.uses not in (Use.COUNTS, Use.PARTS)


def name_of(cls: type[Method]) -> str:
    return cls.name


def method_of(cls: type[Method]) -> Method:
    """Return the method with what its example says, but for what an intruder knows."""
    return cls(**{word: said for word, said in cls.example.items() if word not in KNOWLEDGE})


@cache
def value(knowing: Knowing, cls: type[Method]) -> float | None:
    """Return the value, None where the intruder can do nothing."""
    try:
        found = knowing.measure(method_of(cls))
    except (InputError, ParameterError):
        return None
    return None if found.value is None else float(found.value)


@pytest.mark.parametrize("cls", ALL, ids=name_of)
def test_a_weaker_intruder_never_gets_a_higher_risk(
    cls: type[Method], knowing: dict[str, Knowing]
) -> None:
    exact = value(knowing["exact"], cls)
    assert exact is not None, "it has nothing to do with these attributes"
    values = {said: value(knowing[said], cls) or 0.0 for said in WEAKER}
    assert {said: one for said, one in values.items() if one > exact + BY_CHANCE} == {}
    assert values["few respondents"] < exact or exact == 0


@pytest.mark.parametrize("cls", [c for c in ALL if c.uses is not Use.RELEASE], ids=name_of)
def test_no_measure_ignores_attributes_or_accuracy(
    cls: type[Method], knowing: dict[str, Knowing]
) -> None:
    exact = value(knowing["exact"], cls)
    assert exact, "it has nothing to do with these attributes"
    one = value(knowing["one"], cls)
    assert one is None or one < exact
    if cls.name not in AT_RANDOM:
        less = [value(knowing[said], cls) for said in ("coarse", "wrong", "error", "missing")]
        assert min(found or 0.0 for found in less) < exact


@pytest.mark.parametrize("cls", ALL, ids=name_of)
def test_an_exact_intruder_gets_the_numbers_of_the_measure_itself(
    cls: type[Method], data: Dataset, protected: Dataset
) -> None:
    method, data, protected = cls(**cls.example), with_keys(data, KEYS), with_keys(protected, KEYS)
    try:
        plain = method.measure(data, protected)  # type: ignore[attr-defined]
    except (InputError, ParameterError):
        with pytest.raises((InputError, ParameterError)):
            Knowing(ta.Intruder(), data, protected).measure(method)
        return
    assert same(Knowing(ta.Intruder(), data, protected).measure(method), plain)


def same(one: Measurement, other: Measurement) -> bool:
    records = [part.per_record for part in (one, other)]
    return one.to_dict() == other.to_dict() and np.array_equal(*records)  # type: ignore[arg-type]


@pytest.mark.parametrize("cls", [cls for cls in ALL if cls.uses is Use.COUNTS], ids=name_of)
def test_counts_are_multiplied_exactly(cls: type[Method], knowing: dict[str, Knowing]) -> None:
    exact = knowing["exact"].measure(cls(**cls.example))
    seldom = knowing["few respondents"].measure(cls(**cls.example))
    if cls.name == "household_risk":  # one known member is enough
        assert exact.value / 4 < seldom.value < exact.value
    elif isinstance(exact.value, Fraction):
        assert seldom.value == exact.value / 4
    elif exact.value is not None:
        assert seldom.value == pytest.approx(exact.value / 4)


@pytest.mark.parametrize("cls", ALL, ids=name_of)
@pytest.mark.parametrize("records", [0, 1, 2])
def test_few_records_are_no_trouble(cls: type[Method], records: int, data: Dataset) -> None:
    few = data.take(np.arange(records)).with_external(population=data, holdout=data)
    accuracy = {"age": {"rounded": 10, "wrong": 0.5}, "zip": {"prefix": 1, "missing": 0.5}}
    found = value(Knowing(ta.Intruder(KEYS, accuracy, respondents=3), few, few), cls)
    assert found is None or found >= 0


class UniquesByAnotherName(ta.Uniqueness):
    """The same measure, as somebody else might call it."""


@pytest.mark.parametrize("said", WEAKER)
def test_the_same_measure_under_another_name_gives_the_same_number(
    said: str, known: dict[bool, dict[str, Knowing]]
) -> None:
    measured, renamed = (
        known[False][said].measure(cls()) for cls in (ta.Uniqueness, UniquesByAnotherName)
    )
    assert renamed.name == "uniques_by_another_name"
    assert renamed.value == measured.value
    assert np.array_equal(renamed.per_record, measured.per_record)

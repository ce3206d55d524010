"""Every promise of every masking and synthesis method, simulated on data that refute promises.

The statistics are computed here from the released and the original values, independently of the
methods. What is promised exactly must agree up to rounding in every run; what is promised in
expectation may differ from the average over the runs by chance, of which a false alarm is less
likely than one in a million runs of all tests together, and by the order of 1 / n.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from scipy import stats

import tacita as ta
from tacita.app.forms import form_of_method
from tacita.data.attribute import Attribute, Kind, Role
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import ProtectionError, TacitaError
from tacita.method import THAT_MASK, Method
from tacita.preserved import Kept, Statistic, Trait, always, expected
from tacita.registry import described, methods
from tacita.release.evidence import public_step
from tacita.release.execute import Done

MASKING = [cls for cls in methods().values() if cls.family in THAT_MASK]
PROMISES = [(cls, promise) for cls in MASKING for promise in cls.keeps]
RECORDS = 240
RUNS = 40
SOME_RUNS = 2  # of what is promised in every run
ALARM = 1e-6 / 100_000  # for each number of each promise on each data set: there are fewer of them
ROUNDING = 1e-9
NOT_OF_VALUES = {"id", "household", "languages", "weight", "zip"}

# -- data that refute promises ---------------------------------------------------------------------


@cache
def base() -> Dataset:
    """Records without blanks, ties of numbers or weights: what hardly refutes anything."""
    toy = ta.example("toy", 2 * RECORDS).without(["id", "weight"])
    known = np.logical_and.reduce([np.asarray(toy.column(name).is_valid()) for name in toy.names])
    toy = replace(toy.take(np.flatnonzero(known)[:RECORDS]), rows=None)
    rng = np.random.default_rng(11)
    age = toy.numbers("age") + rng.uniform(-0.5, 0.5, len(toy))
    wealth = Attribute("wealth", frozenset({Role.CONFIDENTIAL}), Kind.CONTINUOUS)
    toy = replace_numbers(toy, age=age, income=toy.numbers("income") + rng.uniform(0, 1, len(toy)))
    assert len(toy) == RECORDS
    return toy.with_new_column(wealth, pa.array(np.abs(900 * age + rng.normal(0, 9000, len(toy)))))


def replace_numbers(data: Dataset, **columns: np.ndarray) -> Dataset:
    """Return data with other numbers; NaN is a blank."""
    for name, values in columns.items():
        array = pa.array(values, pa.float64(), mask=np.isnan(values))
        data = data.with_column(data.attribute(name), array)
    return data


def blanked(data: Dataset, gone: Mapping[str, np.ndarray]) -> Dataset:
    """Return data in which some values are missing."""
    for name, missing in gone.items():
        column = pc.if_else(
            pa.array(missing), pa.scalar(None, data.column(name).type), data.column(name)
        )
        data = data.with_column(data.attribute(name), column)
    return data


def skewed() -> Dataset:
    rng, data = np.random.default_rng(1), base()
    tail = np.exp(rng.normal(0, 1.5, len(data)))
    return replace_numbers(data, income=1000 * tail, wealth=50 * data.numbers("age") * tail**0.7)


def zero_inflated() -> Dataset:
    rng, data = np.random.default_rng(2), base()
    zeros = [rng.random(len(data)) < share for share in (0.5, 0.7)]
    income, wealth = (
        np.where(zero, 0.0, data.numbers(name))
        for zero, name in zip(zeros, ("income", "wealth"), strict=True)
    )
    return replace_numbers(data, income=income, wealth=wealth)


def tied() -> Dataset:
    data = base()
    return replace_numbers(
        data,
        age=np.round(data.numbers("age"), -1),
        income=np.round(data.numbers("income"), -4),
        wealth=np.where(data.numbers("wealth") > 40_000, 1.0, 0.0),
    )


def collinear() -> Dataset:
    data = base()
    return replace_numbers(data, wealth=data.numbers("income") - 100 * data.numbers("age"))


def with_blanks() -> Dataset:
    """Blanks that depend on values; every pattern of them is frequent."""
    rng, data = np.random.default_rng(3), base()
    income, age = data.numbers("income"), data.numbers("age")
    rich = (income > np.quantile(income, 0.6)) & (rng.random(len(data)) < 0.8)
    old = age > np.quantile(age, 0.7)
    return blanked(data, {"income": rich, "wealth": old, "education": rich & ~old, "region": old})


def with_rare_blanks() -> Dataset:
    """Some patterns of blanks that few records have, or one alone."""
    data, rows = with_blanks(), np.arange(RECORDS)
    gone = {"age": rows == np.nanargmax(data.numbers("age")), "wealth": rows % 97 == 0}
    return blanked(data, {**gone, "disease": rows % 61 == 0})


def weighted() -> Dataset:
    """Weights that depend on values: the rich stand for few."""
    data = base()
    weight = Attribute("weight", frozenset({Role.WEIGHT}), Kind.CONTINUOUS)
    is_poor = data.numbers("income") < np.quantile(data.numbers("income"), 0.4)
    return data.with_new_column(weight, pa.array(np.where(is_poor, 20.0, 1.0)))


def negative() -> Dataset:
    data = base()
    return replace_numbers(
        data, income=30_000 - data.numbers("income"), wealth=data.numbers("wealth") - 45_000
    )


def constant() -> Dataset:
    return replace_numbers(base(), wealth=np.full(RECORDS, 7.0))


def all_at_once() -> Dataset:
    """Skewed numbers, many of them 0 or negative, blanks and weights that depend on values."""
    data, blank = skewed(), with_blanks()
    income = data.numbers("income") * np.where(data.numbers("age") > 40, 1, -1)
    income[zero_inflated().numbers("income") == 0] = 0.0
    data = replace_numbers(data, income=income)
    names = ["income", "wealth", "education", "region"]
    data = blanked(data, {name: np.asarray(blank.column(name).is_null()) for name in names})
    weight = weighted()
    return data.with_new_column(weight.attribute("weight"), weight.column("weight"))


DATA: dict[Callable[[], Dataset], set[Trait]] = {
    skewed: set(),
    zero_inflated: {Trait.TIES},
    tied: {Trait.TIES},
    collinear: {Trait.COLLINEAR, Trait.NEGATIVE},
    with_blanks: {Trait.BLANKS},
    with_rare_blanks: {Trait.BLANKS, Trait.RARE_BLANKS},
    weighted: {Trait.WEIGHTS},
    negative: {Trait.NEGATIVE},
    constant: {Trait.CONSTANT, Trait.TIES, Trait.COLLINEAR},
    all_at_once: {Trait.BLANKS, Trait.TIES, Trait.NEGATIVE, Trait.WEIGHTS},
}

VARIED = (skewed, with_blanks, weighted)  # on which the parameters of methods are varied, too

# -- statistics: how far those of two files are apart ----------------------------------------------


class Compared:
    """Two files and the attributes of which a statistic is promised."""

    def __init__(self, method: Method, promise: Kept, before: Dataset, after: Dataset) -> None:
        self.method, self.before, self.after = method, before, after
        # Generators count the weights wherever there are some, unless they are told not to.
        self.weighted = getattr(method, "weighted", False) in (True, None)
        named = [name for word in promise.about for name in of_parameter(method, word)]
        shared = [name for name in before.names if name in after.attributes]
        self.names = [
            name
            for name in named or method.named_attributes() or shared
            if name not in before.with_role(Role.WEIGHT)
        ]

    def numbers(self, names: Sequence[str] = ()) -> list[str]:
        kinds = {name: self.before.attribute(name).kind for name in names or self.names}
        return [name for name, kind in kinds.items() if kind is Kind.CONTINUOUS]

    def categories(self) -> list[str]:
        kinds = {name: self.before.attribute(name).kind for name in self.names}
        return [name for name, kind in kinds.items() if kind in (Kind.ORDINAL, Kind.NOMINAL)]


def of_parameter(method: Method, word: str) -> list[str]:
    value = getattr(method, word)
    return [value] if isinstance(value, str) else list(value or ())


def weights_of(data: Dataset, used: bool) -> np.ndarray:
    return data.weight if used and data.weight is not None else np.ones(len(data))


def moments(data: Dataset, one: str, two: str, used: bool) -> tuple[float, float, float]:
    """Return the mean of an attribute, and with the next one the covariance of known pairs."""
    x, y, w = data.numbers(one), data.numbers(two), weights_of(data, used)
    both, known = ~np.isnan(x + y), ~np.isnan(x)
    mean = np.average(x[known], weights=w[known])
    centred = [v[both] - np.average(v[both], weights=w[both]) for v in (x, y)]
    # A weighted covariance by the same denominator n - 1 as that of as many records.
    share = both.sum() / max(both.sum() - 1, 1)
    return mean, np.average(centred[0] * centred[1], weights=w[both]) * share, np.nanstd(x)


def unit(data: Dataset, name: str) -> float:
    """Return by what deviations are divided: the standard deviation, or the value that all have."""
    values = data.numbers(name)
    return float(np.nanstd(values) or np.nanmax(np.abs(values)) or 1.0)


def means(both: Compared) -> Iterator[float]:
    for name in both.numbers():
        before, after = (
            moments(d, name, name, both.weighted)[0] for d in (both.before, both.after)
        )
        yield (after - before) / unit(both.before, name)


def totals(both: Compared) -> Iterator[float]:
    for name in both.numbers():
        before, after = (
            np.nansum(data.numbers(name) * weights_of(data, used=True))
            for data in (both.before, both.after)
        )
        size = np.nansum(weights_of(both.before, used=True))
        yield (after - before) / unit(both.before, name) / size


def covariances_of(both: Compared, pairs: Sequence[tuple[str, str]]) -> Iterator[float]:
    for one, two in pairs:
        before, after = (moments(d, one, two, both.weighted)[1] for d in (both.before, both.after))
        yield (after - before) / unit(both.before, one) / unit(both.before, two)


def variances(both: Compared) -> Iterator[float]:
    return covariances_of(both, [(name, name) for name in both.numbers()])


def covariances(both: Compared) -> Iterator[float]:
    return covariances_of(both, list(combinations(both.numbers(), 2)))


def correlations(both: Compared) -> Iterator[float]:
    for one, two in combinations(both.numbers(), 2):
        found = []
        for data in (both.before, both.after):
            cov, left, right = (
                moments(data, a, b, both.weighted)[1]
                for a, b in ((one, two), (one, one), (two, two))
            )
            found.append(cov / np.sqrt(left * right) if left * right > 0 else np.nan)
        yield found[1] - found[0] if not np.isnan(found[0]) else 0.0


def order(both: Compared) -> Iterator[float]:
    """How many neighbours by their original values lie the other way round afterwards."""
    for name in both.numbers():
        before = both.before.numbers(name)[paired_rows(both.before, both.after)]
        after = both.after.numbers(name)
        known = ~np.isnan(before + after)
        before, after = before[known], after[known]
        # Of equal values the largest must not be above the least of the next value.
        values, group = np.unique(before, return_inverse=True)
        least, most = np.full(len(values), np.inf), np.full(len(values), -np.inf)
        np.minimum.at(least, group, after)
        np.maximum.at(most, group, after)
        yield float(np.count_nonzero(least[1:] < most[:-1]))


def joint(data: Dataset, names: Sequence[str]) -> Counter[Any]:
    return Counter(map(repr, zip(*(data.column(name).to_pylist() for name in names), strict=True)))


def unlike(before: Counter[Any], after: Counter[Any]) -> float:
    return float(((before - after) + (after - before)).total())


def distributions(both: Compared) -> Iterator[float]:
    """By how much the number of records with each value changes, as a share of all."""
    for name in both.names:
        before, after = joint(both.before, [name]), joint(both.after, [name])
        for value in sorted(before):
            yield (after[value] - before[value]) / len(both.before)
        yield sum(after[value] for value in after.keys() - before) / len(both.before)


def shares(both: Compared) -> Iterator[float]:
    for name in both.categories():
        before, after = (weighted_shares(data, name) for data in (both.before, both.after))
        for value in sorted(before):
            yield after.get(value, 0.0) - before[value]


def weighted_shares(data: Dataset, name: str) -> dict[str, float]:
    values = np.array([repr(value) for value in data.column(name).to_pylist()])
    weights = weights_of(data, used=True)
    return {
        str(value): float(weights[values == value].sum() / weights.sum())
        for value in np.unique(values)
    }


def kept_values(both: Compared) -> Iterator[float]:
    """How many values are neither blank nor what they were, of attributes that are released."""
    rows = paired_rows(both.before, both.after)
    for name in both.after.names:
        if name in both.before.attributes and name not in both.before.with_role(Role.WEIGHT):
            before = both.before.column(name).take(pa.array(rows)).to_pylist()
            pairs = zip(before, both.after.column(name).to_pylist(), strict=True)
            yield float(sum(new is not None and new != old for old, new in pairs))


def equality(both: Compared) -> Iterator[float]:
    for name in both.names:
        columns = [data.column(name).to_pylist() for data in (both.before, both.after)]
        pairs = set(zip(*columns, strict=True))
        yield float(any(len(set(column)) != len(pairs) for column in columns))


def intervals(both: Compared) -> Iterator[float]:
    """How many dates lie otherwise to the first date of their respondent than they did."""
    whose = both.before.column(both.method.respondent).to_pylist()
    days = [
        {name: data.column(name).cast(pa.int32()).to_pylist() for name in both.names}
        for data in (both.before, both.after)
    ]
    moved: dict[Any, set[int]] = {}
    for row, one in enumerate(whose):
        for name in both.names:
            if days[0][name][row] is not None:
                moved.setdefault(one, set()).add(days[1][name][row] - days[0][name][row])
    yield float(any(len(found) > 1 for found in moved.values()))


def joint_distribution(both: Compared) -> Iterator[float]:
    yield unlike(joint(both.before, both.names), joint(both.after, both.names))


def tables(both: Compared) -> Iterator[float]:
    for names in combinations(both.names, both.method.t):
        yield unlike(joint(both.before, names), joint(both.after, names))


def records(both: Compared) -> Iterator[float]:
    yield len(both.after) - len(both.before)


def subgroup_means(both: Compared) -> Iterator[float]:
    labels = both.before.classes(both.names).of_record
    for name in both.numbers(both.method.named_attributes()):
        for label in np.unique(labels):
            rows = np.flatnonzero(labels == label)
            before, after = (
                moments(data.take(rows), name, name, both.weighted)[0]
                for data in (both.before, both.after)
            )
            yield (after - before) / unit(both.before, name)


def subgroup_covariances(both: Compared) -> Iterator[float]:
    labels = both.before.classes(both.names).of_record
    names = both.numbers(both.method.named_attributes())
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        part = Compared.__new__(Compared)
        part.before, part.after = both.before.take(rows), both.after.take(rows)
        part.weighted = both.weighted
        pairs = [(one, two) for one in names for two in names]
        whole = [unit(both.before, one) * unit(both.before, two) for one, two in pairs]
        own = [unit(part.before, one) * unit(part.before, two) for one, two in pairs]
        for found, size, small in zip(covariances_of(part, pairs), whole, own, strict=True):
            yield found * small / size


def coefficients(both: Compared) -> Iterator[float]:
    """How far fitted values move that least squares on the other attributes gives, categories as 0/1."""
    weights = np.sqrt(weights_of(both.before, both.weighted))[:, None]
    columns = [np.ones(len(both.before))]
    for name in both.names:
        if both.before.attribute(name).kind is Kind.CONTINUOUS:
            values = both.before.numbers(name)
            columns.append((values - values.mean()) / unit(both.before, name))
        else:
            words = np.array(both.before.column(name).to_pylist())
            columns += [(words == word).astype(float) for word in np.unique(words)[1:]]
    design = np.column_stack(columns)
    for name in both.method.named_attributes():
        before, after = (
            np.linalg.lstsq(design * weights, data.numbers(name)[:, None] * weights)[0][:, 0]
            for data in (both.before, both.after)
        )
        yield from design @ (after - before) / unit(both.before, name)


def signs(both: Compared) -> Iterator[float]:
    for name in both.numbers():
        before = both.before.numbers(name)[paired_rows(both.before, both.after)]
        differ = np.sign(before) != np.sign(both.after.numbers(name))
        yield float(np.count_nonzero(differ & ~np.isnan(before)))


def ratios(both: Compared) -> Iterator[float]:
    for one, two in combinations(both.numbers(), 2):
        (a, b), (c, d) = (
            [data.numbers(name) for name in (one, two)] for data in (both.before, both.after)
        )
        cross = np.abs(a * d - b * c) / np.maximum(np.abs(a * d) + np.abs(b * c), 1e-300)
        yield float(np.nanmax(cross))


def epsilon(both: Compared) -> Iterator[float]:
    """The guarantee that the release carries is of the epsilon that was asked for."""
    (guarantee,) = both.after.guarantees
    yield guarantee.epsilon - both.method.epsilon
    yield float(set(guarantee.attributes) != set(both.names))


COMPARED: dict[Statistic, Callable[[Compared], Iterator[float]]] = {
    Statistic.RECORDS: records,
    Statistic.MEANS: means,
    Statistic.TOTALS: totals,
    Statistic.VARIANCES: variances,
    Statistic.COVARIANCES: covariances,
    Statistic.CORRELATIONS: correlations,
    Statistic.ORDER: order,
    Statistic.DISTRIBUTIONS: distributions,
    Statistic.SHARES: shares,
    Statistic.VALUES: kept_values,
    Statistic.EQUALITY: equality,
    Statistic.INTERVALS: intervals,
    Statistic.SUBGROUP_COVARIANCES: subgroup_covariances,
    Statistic.JOINT_DISTRIBUTION: joint_distribution,
    Statistic.TABLES: tables,
    Statistic.SUBGROUP_MEANS: subgroup_means,
    Statistic.COEFFICIENTS: coefficients,
    Statistic.SIGNS: signs,
    Statistic.RATIOS: ratios,
    Statistic.EPSILON: epsilon,
}

# -- runs ------------------------------------------------------------------------------------------


def variants(cls: type[Method], promise: Kept, data: Dataset) -> Iterator[dict[str, Any]]:
    """Return parameters that the promise is made for: one, and what differs from it in a choice."""
    known = described(cls)["parameters"]
    given = {
        name: next(iter(value)) if isinstance(value, frozenset) else value
        for name, value in promise.given.items()
        if value != known[name].get("default")  # said alike, runs are shared by promises
    }
    plain = {**cls.example, **promise.simulated, **given}
    if "attributes" in {field.name for field in fields(cls)} and "attributes" in cls.example:
        plain["attributes"] = (
            plain["attributes"] if "attributes" in promise.simulated else widened(cls, plain, data)
        )
    yield plain
    for name, about in known.items():
        choices = about.get("enum", [False, True] if about.get("type") == "boolean" else [])
        for choice in choices:
            if choice != plain.get(name, about.get("default")) and name not in promise.given:
                yield {**plain, name: choice}


def widened(cls: type[Method], plain: Mapping[str, Any], data: Dataset) -> list[str]:
    """Return all attributes that the method may change, but those that its other parameters name."""
    other = repr({name: value for name, value in plain.items() if name != "attributes"})
    return [
        name
        for name, attribute in data.attributes.items()
        if attribute.kind in cls.applies_to
        and name not in NOT_OF_VALUES
        and f"'{name}'" not in other
    ]


@cache
def runs(cls: type[Method], said: str, source: Callable[[], Dataset], count: int) -> list[Dataset]:
    method, data = cls(**json.loads(said)), original(source)
    return [method.mask(data, np.random.default_rng([seed, 5])) for seed in range(count)]


original = cache(lambda source: source())


def deviations(
    cls: type[Method], promise: Kept, said: str, source: Callable[[], Dataset]
) -> np.ndarray:
    count = SOME_RUNS if promise.how == "exactly" else RUNS
    method, data = cls(**json.loads(said)), original(source)
    compare = COMPARED[promise.statistic]
    return np.array(
        [
            list(compare(Compared(method, promise, data, masked)))
            for masked in runs(cls, said, source, count)
        ]
    )


def broken(promise: Kept, found: np.ndarray) -> bool:
    """Tell whether deviations, runs by numbers, are more than a promise leaves room for."""
    if not found.size:
        return False
    if promise.how == "exactly":
        return bool((np.abs(found) > ROUNDING).any())
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    room = stats.t.isf(ALARM / 2, len(found) - 1) * error + 2 / RECORDS
    return bool((np.abs(found.mean(axis=0)) > room).any())


def promise_name(value: object) -> str:
    return value.name if isinstance(value, type) else str(value)


@pytest.mark.no_cover  # tests of the methods do, with fewer runs
@pytest.mark.filterwarnings("ignore:A blank that matches anything protects little")
@pytest.mark.parametrize(("cls", "promise"), PROMISES, ids=promise_name)
def test_keeps_what_it_promises(cls, promise):
    failures, tried = [], 0
    for source, traits in DATA.items():
        if traits & promise.unless:
            continue
        for number, parameters in enumerate(variants(cls, promise, original(source))):
            if number and source not in VARIED:
                continue
            said = json.dumps(parameters)
            try:
                found = deviations(cls, promise, said, source)
            except ProtectionError:
                continue  # what is refused breaks no promise
            except TacitaError:
                if not number and "weighted" not in promise.given:
                    raise
                continue
            tried += 1
            if broken(promise, found):
                worst = float(np.abs(found.mean(axis=0)).max())
                failures.append(f"{source.__name__}: {worst:.3g} with {said}")
    assert tried, "no data show the promise"
    assert not failures, f"{cls.name} does not keep {promise}: {failures}"


@pytest.mark.parametrize("cls", MASKING, ids=promise_name)
def test_every_promise_can_be_simulated(cls):
    for promise in cls.keeps:
        assert promise.statistic in COMPARED
        parameters = {field.name for field in fields(cls)}
        assert {*promise.given, *promise.about, *promise.simulated} <= parameters
        assert len(promise.unless & {Trait.BLANKS, Trait.RARE_BLANKS}) < 2, "one says the other"


def test_data_have_the_traits_that_they_are_for():
    for source, traits in DATA.items():
        data = source()
        columns = np.array([data.numbers(name) for name in ("age", "income", "wealth")])
        known = ~np.isnan(columns)
        assert (Trait.BLANKS in traits) == (not known.all())
        assert (Trait.RARE_BLANKS in traits) == (
            Counter(map(tuple, known.T.tolist())).most_common()[-1][1] < 4
        )
        assert (Trait.NEGATIVE in traits) == bool((columns[known] < 0).any())
        assert (Trait.WEIGHTS in traits) == (data.weight is not None)
        assert (Trait.CONSTANT in traits) == (np.nanstd(columns, axis=1).min() == 0)
        equal = any(len(np.unique(c[k])) < k.sum() for c, k in zip(columns, known, strict=True))
        assert (Trait.TIES in traits) == equal


def test_a_broken_promise_is_found():
    """Noise keeps neither variances nor, exactly, means; means in expectation it does."""
    said = json.dumps({"attributes": ["age", "income"], "alpha": 0.3})
    for promise, holds in (
        (expected(Statistic.MEANS), True),
        (always(Statistic.MEANS), False),
        (expected(Statistic.VARIANCES), False),
        (always(Statistic.DISTRIBUTIONS), False),
    ):
        assert broken(promise, deviations(ta.AddNoise, promise, said, skewed)) != holds


# -- where promises are shown ----------------------------------------------------------------------


def test_only_promises_of_the_chosen_parameters_are_made():
    noise = {
        kind: ta.AddNoise("age", alpha=0.1, kind=kind) for kind in ("correlated", "uncorrelated")
    }
    kept = {kind: {one.statistic for one in method.promises()} for kind, method in noise.items()}
    assert Statistic.COVARIANCES in kept["uncorrelated"] - kept["correlated"]
    assert Statistic.CORRELATIONS in kept["correlated"] - kept["uncorrelated"]


def test_what_hidden_parameters_keep_is_not_told_beside_the_data():
    """`others_only` stays in the house, so that what follows from it must stay there, too."""
    hidden = ta.BlankAndImpute("income", share=0.1)
    assert hidden.promises()
    assert public_step(Done(hidden, 1))["keeps"] == []
    told = ta.KimNoise("age", alpha=0.1)
    assert public_step(Done(told, 1))["keeps"] == [str(one) for one in told.promises()]


def test_forms_of_the_workbench_and_the_list_of_methods_say_it():
    for cls in MASKING:
        assert form_of_method(cls).keeps == tuple(map(str, cls.keeps))
        assert described(cls)["keeps"] == [str(one) for one in cls.keeps]

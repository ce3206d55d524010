"""What every generator keeps, whoever wrote it: kinds, rules, weights, blanks, sizes, refusals."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import fields

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.attribute import Kind, Role
from tacita.errors import ParameterError
from tacita.microdata.synthesis.making.rules import Rules
from tacita.registry import family, find, methods

GENERATORS = list(family("synthesis").values())
OF_KIND = {
    Kind.CONTINUOUS: "pay",
    Kind.ORDINAL: "school",
    Kind.NOMINAL: "marital",
    Kind.DATE: "born",
    Kind.SET_VALUED: "tongues",
}
CATEGORICAL = frozenset({Kind.ORDINAL, Kind.NOMINAL})
PUBLIC = {
    "epsilon": 200,
    "bounds": {"age": (16, 80), "pay": (0, 10_000), "born": ("1940-01-01", "2010-12-31")},
    "categories": {
        "marital": ["married", "single", "widowed"],
        "sex": ["female", "male"],
        "pregnant": ["no", "yes"],
    },
}
OPTIONS = {
    "ipso": {"given": "sex"},
    "microhybrid": {"k": 20},
    "smike": {"loss_at_most": 1, "threshold": 200, "model": "tree"},
    "multiple_imputation": {"model": "tree"},
    "partial_imputation": {"model": "tree"},
    "private_histogram": PUBLIC,
    "private_marginals": PUBLIC,
}
RULES = ["16 <= age <= 80", "age < 30 -> pay < 4000"]
LOGICAL = ["age < 25 -> marital != 'married'", "not (sex = 'male' and pregnant = 'yes')"]
KEEPING_STATISTICS = {"cholesky", "ipso", "latin_hypercube", "microhybrid"}  # and so no rules
# Figures 12 and 13: whether a technique applies to continuous and to categorical attributes.
FIGURES = {
    "bootstrap": (True, False),
    "cholesky": (True, False),
    "multiple_imputation": (True, True),
    "maximum_entropy": (True, True),
    "latin_hypercube": (True, True),
    "ipso": (True, False),
    "hybrid": (True, False),
    "randomized_response": (False, True),
    "blank_and_impute": (True, True),
    "smike": (True, True),
    "partial_imputation": (True, True),
}


@pytest.fixture(scope="module")
def people():
    """Six hundred respondents who keep the rules; those of 50 and more weigh nine times as much."""
    rng = np.random.default_rng(0)
    age = rng.integers(16, 81, 600)
    pay = np.where(age < 30, 2000, 3500) + rng.uniform(-900, 900, 600).round(1)
    marital = np.where(age < 25, "single", rng.choice(["single", "married", "widowed"], 600))
    sex = rng.choice(["female", "male"], 600)
    pregnant = np.where((sex == "female") & (rng.random(600) < 0.3), "yes", "no")
    sets = [["Catalan"], ["Catalan", "French"], ["Italian"]]
    tongues = [sets[place] for place in rng.choice(3, 600, p=[0.4, 0.4, 0.2])]
    table = pa.table(
        {
            "age": age,
            "pay": pa.array(pay, mask=rng.random(600) < 0.25),
            "school": rng.choice(["first", "second", "third"], 600),
            "marital": pa.array(marital, mask=rng.random(600) < 0.2),
            "sex": sex,
            "pregnant": pregnant,
            "born": pa.array((2026 - age - 1970) * 365, pa.int32()).cast(pa.date32()),
            "tongues": tongues,
            "weight": np.where(age < 50, 1.0, 9.0),
        }
    )
    return ta.read(
        table,
        roles={"weight": "weight", "marital": "key"},
        kinds={"tongues": "set_valued", "school": "ordinal"},
        orders={"school": ["first", "second", "third"]},
    )


def makes(cls, attributes, **options):
    """Return a generator of some attributes, with what it cannot do without."""
    needed = {
        option: {n: said[n] for n in said if n in attributes} if isinstance(said, dict) else said
        for option, said in OPTIONS.get(cls.name, {}).items()
    }
    return cls(attributes, **needed, **options)


def name_of(cls):
    return cls.name


def has(cls, parameter):
    return parameter in {field.name for field in fields(cls)}


def values(data, name):
    return {str(value) for value in data.column(name).drop_null().to_pylist()}


def is_full(cls):
    """Tell whether a generator makes records of nobody: it can make any number of them."""
    return has(cls, "records")


FULL = [cls for cls in GENERATORS if is_full(cls)]
PARTIAL = [cls for cls in GENERATORS if not is_full(cls)]


def test_there_are_all_that_the_literature_names():
    assert set(FIGURES) <= set(methods())
    assert {cls.name for cls in FULL} == {
        "bayesian_network",
        "bootstrap",
        "cholesky",
        "gaussian_copula",
        "latin_hypercube",
        "maximum_entropy",
        "multiple_imputation",
        "private_histogram",
        "private_marginals",
        "sequential_trees",
    }
    assert {cls.name for cls in PARTIAL} == {
        "hybrid",
        "ipso",
        "microhybrid",
        "partial_imputation",
        "smike",
    }


@pytest.mark.parametrize("name", FIGURES)
def test_applies_to_what_the_figures_say(name):
    kinds = find(name).applies_to
    assert (Kind.CONTINUOUS in kinds, kinds >= CATEGORICAL) == FIGURES[name]
    assert bool(kinds & CATEGORICAL) == FIGURES[name][1]


@pytest.mark.parametrize("cls", GENERATORS, ids=name_of)
class TestEveryGenerator:
    def test_a_refused_kind_names_a_method_that_takes_it(self, cls, people):
        for kind in set(Kind) - cls.applies_to:
            with pytest.raises(ParameterError) as refused:
                people.apply(makes(cls, [OF_KIND[kind]]), seed=1)
            instead = re.search(r"Use `(\w+)`", str(refused.value))
            assert instead, refused.value
            other = find(instead[1], ("synthesis",))
            assert kind in other.applies_to
            assert is_full(other) == is_full(cls)
            people.apply(makes(other, [OF_KIND[kind], "age"], **reporting(other)), seed=1)

    def test_makes_values_of_every_kind(self, cls, people):
        for kind in cls.applies_to:
            name = OF_KIND[kind]
            made = people.apply(makes(cls, [name], **reporting(cls)), seed=1)
            column = made.column(name)
            if kind is Kind.CONTINUOUS:
                assert pa.types.is_floating(column.type)
            else:
                assert column.type == people.column(name).type
            if kind in (Kind.ORDINAL, Kind.NOMINAL, Kind.SET_VALUED):
                assert values(made, name) <= values(people, name)
                assert len(values(made, name)) > 1
            assert column.to_pylist() != people.column(name).to_pylist()

    def test_keeps_rules_or_names_what_does(self, cls, people):
        rules = [*RULES, *(LOGICAL if cls.applies_to >= CATEGORICAL else ())]
        names = ["age", "pay", *(["marital", "sex", "pregnant"] if len(rules) > 2 else [])]
        if cls.name in KEEPING_STATISTICS:
            with pytest.raises(ParameterError) as refused:
                people.apply(makes(cls, names, rules=rules), seed=1)
            instead = re.search(r"cannot keep rules as well; use `(\w+)`", str(refused.value))
            cls = find(instead[1], ("synthesis",))
        made = people.apply(makes(cls, names, rules=rules, **reporting(cls)), seed=1)
        assert not Rules.about(people, rules).broken(made.table).any()
        assert len(made) == len(people) or not cls.repeatable

    def test_blanks_are_kept_modelled_or_left_out(self, cls, people):
        made = people.apply(makes(cls, ["pay"], **reporting(cls)), seed=1)
        blank, held = (np.asarray(data.column("pay").is_null()) for data in (made, people))
        if not made.is_synthetic:
            assert (blank == held).all()
            assert "stay" in cls.missing
        elif "synthetic records have none" in cls.missing:
            assert not blank.any()
        else:
            assert abs(blank.mean() - weighted_share(people, held, cls)) < 0.08

    def test_weights_count(self, cls, people):
        names = ["age", "pay"] if cls.name != "smike" else ["age"]
        made = people.apply(makes(cls, names, **reporting(cls)), seed=1)
        if not cls.repeatable:
            assert "weights are not used" in " ".join(cls.__doc__.split())
            assert not made.with_role(Role.WEIGHT)
            return
        assert made.weight.sum() == pytest.approx(people.weight.sum())
        if not made.is_synthetic:
            assert (made.weight == people.weight).all()
        there = ~np.isnan(made.numbers("age"))
        mean = np.average(made.numbers("age")[there], weights=made.weight[there])
        plain, wanted = (
            np.average(people.numbers("age"), weights=w) for w in (None, people.weight)
        )
        assert abs(mean - wanted) < 3 < (wanted - plain) / 2


def reporting(cls):
    """Let the few values of these data be drawn although they are respondents'."""
    return {"copies": "report"} if has(cls, "copies") else {}


def weighted_share(data, mask, cls):
    """Return the share of the population that some records stand for, as the generator sees it."""
    return float(np.average(mask, weights=data.weight if cls.repeatable else None))


@pytest.mark.parametrize("cls", FULL, ids=name_of)
@pytest.mark.parametrize("records", [20, 1500])
def test_any_number_of_records(cls, records, people):
    made = people.apply(makes(cls, ["age", "pay"], records=records, **reporting(cls)), seed=1)
    assert len(made) == records
    assert made.is_synthetic


@pytest.mark.parametrize("cls", PARTIAL, ids=name_of)
def test_partially_synthetic_records_are_respondents(cls, people):
    names = ["age", "pay"]
    made = people.apply(makes(cls, names), seed=1)
    assert (made.source_rows == np.arange(len(people))).all()
    for name in set(people.names) - set(names):
        assert made.column(name) == people.column(name)


@pytest.mark.parametrize("name", ["cholesky", "hybrid", "ipso", "latin_hypercube", "microhybrid"])
def test_weighted_totals_are_exactly_those_of_the_data(name, people):
    table = people.table.select(["age", "sex", "weight"])
    heavy = np.where(people.numbers("age") < 30, 20.0, 1.0)
    pay = np.random.default_rng(1).lognormal(7, 1, len(people)) * people.numbers("age")
    table = table.set_column(2, "weight", pa.array(heavy)).append_column("pay", pa.array(pay))
    data = ta.read(table, roles={"weight": "weight"})
    made = data.apply(makes(find(name), ["pay"]), seed=1)
    total = math.fsum(pay * heavy)
    assert math.fsum(made.numbers("pay") * made.weight) == pytest.approx(total, rel=1e-9)
    plain = data.apply(makes(find(name), ["pay"], weighted=False), seed=1)
    assert abs(math.fsum(plain.numbers("pay") * plain.weight) / total - 1) > 1e-5


def counted_copies(data, made, names):
    """Count, by hand, the synthetic records that agree with exactly one respondent."""
    held = Counter(zip(*(data.column(name).to_pylist() for name in names), strict=True))
    drawn = zip(*(made.column(name).to_pylist() for name in names), strict=True)
    return sum(held[record] == 1 for record in drawn)


@pytest.mark.parametrize("cls", FULL, ids=name_of)
def test_chance_copies_of_respondents_are_found(cls, people):
    names = ["age", "pay"] if Kind.NOMINAL not in cls.applies_to else ["age", "marital"]
    if not has(cls, "copies"):
        made = people.apply(makes(cls, names), seed=1)
        looked_for = (
            "copies of respondents are not looked for" in " ".join(cls.__doc__.split()).lower()
        )
        assert looked_for or not counted_copies(people, made, names)
        return
    few = people.take(np.arange(60))
    told = few.apply(makes(cls, names, copies="report"), seed=1)
    assert told.notes["copies_found"] == counted_copies(few, told, names)
    for choice in ("redraw", "remove"):
        made = few.apply(makes(cls, names, copies=choice), seed=1)
        assert not counted_copies(few, made, names)
    assert len(made) == len(told) - told.notes["copies_found"]

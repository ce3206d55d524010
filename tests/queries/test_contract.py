"""The contract that every policy and every attack on databases keeps, whoever wrote it."""

from __future__ import annotations

import json

import pytest

from tacita.errors import ParameterError
from tacita.method import ANY_KIND, OF_QUERIES, VERBS, Method
from tacita.queries.expanding import expand
from tacita.queries.language.parse import parse
from tacita.queries.public_classes import PublicClasses
from tacita.registry import described, from_plan, methods

ALL = [cls for cls in methods().values() if cls.family in OF_QUERIES]
POLICIES = [cls for cls in ALL if cls.family == "policy"]
QUESTIONS = (
    "SELECT count(*) FROM toy",
    "SELECT sum(income), avg(income) FROM toy WHERE region = 'Harbour'",
    "SELECT count(*) FROM toy WHERE income > 30000",
    "SELECT max(income), median(income) FROM toy",
    "SELECT region, sum(income) FROM toy GROUP BY ROLLUP(region)",
)


def name_of(cls: type[Method]) -> str:
    return cls.name


def example_of(cls: type[Method]) -> Method:
    return cls(**cls.example)


@pytest.mark.parametrize("cls", ALL, ids=name_of)
class TestEveryMethod:
    def test_has_one_verb_and_says_what_it_is(self, cls):
        assert sum(verb in cls.__dict__ for verb in VERBS) == 1
        assert cls.applies_to
        assert cls.applies_to <= ANY_KIND
        assert cls.missing.endswith(".")
        assert len(cls.reference) > 10
        assert ">>>" in cls.__doc__, "the docstring has no example"
        assert "When not to use it" in cls.__doc__

    def test_every_parameter_is_explained(self, cls):
        for name, about in described(cls)["parameters"].items():
            assert about.get("description"), f"`{name}` has no description"

    def test_is_frozen(self, cls):
        with pytest.raises(Exception, match="cannot assign"):
            example_of(cls).anything = None

    def test_round_trips_through_the_plan(self, cls):
        method = example_of(cls)
        assert from_plan(json.loads(json.dumps(method.to_plan()))) == method

    def test_refuses_unknown_parameters_with_a_hint(self, cls):
        with pytest.raises(ParameterError, match="no parameter `unheard_of`"):
            cls(**{**cls.example, "unheard_of": 1})


@pytest.mark.parametrize("cls", POLICIES, ids=name_of)
class TestEveryPolicy:
    @pytest.fixture
    def data(self, toy) -> PublicClasses:
        return PublicClasses.of(toy, "toy")

    def test_judging_changes_nothing_and_says_what_holds(self, cls, data):
        watcher = example_of(cls).watch(data)
        assert watcher.guarantee.endswith(".")
        assert watcher.simulatable in (True, False)
        for question in QUESTIONS:
            for cell in expand(parse(question, data), data):
                first = watcher.covers(cell), watcher.covers(cell) and watcher.allows(cell)
                again = watcher.covers(cell), watcher.covers(cell) and watcher.allows(cell)
                assert first == again

    def test_what_was_answered_is_answered_again(self, cls, data):
        watcher = example_of(cls).watch(data)
        for question in QUESTIONS:
            for cell in expand(parse(question, data), data):
                if watcher.covers(cell) and watcher.allows(cell):
                    watcher.learn(cell)
                    assert watcher.allows(cell), question

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.app.microdata import having, listed_in, moved, put, required_in, told
from tacita.errors import InputError
from tacita.release.plan import understood

PLAN = {"data": {"example": {"toy": 50}}, "tables": []}


@given(st.lists(st.integers(), min_size=1, unique=True), st.data())
def test_moving_loses_nothing_and_up_undoes_down(said, data):
    place = data.draw(st.integers(0, len(said) - 1))
    lower = moved(said, place, "down")
    assert sorted(lower) == sorted(said)
    if place < len(said) - 1:
        assert moved(lower, place + 1, "up") == said
        assert lower[place + 1] == said[place]
    without = moved(said, place, "remove")
    assert [*without[:place], said[place], *without[place:]] == said


@given(st.lists(st.integers(), max_size=5), st.integers())
def test_what_is_put_stands_at_its_place(said, one):
    assert put(said, one, None) == [*said, one]
    for place in range(len(said)):
        assert put(said, one, place) == [*said[:place], one, *said[place + 1 :]]
    with pytest.raises(InputError, match="no longer there"):
        put(said, one, len(said))


def test_parts_are_changed_without_touching_the_plan():
    changed = having(PLAN, steps=[{"sample": 0.5}], profile=None)
    assert listed_in(changed, "steps") == [{"sample": 0.5}]
    assert listed_in(PLAN, "steps") == []
    assert changed["microdata"] == {"steps": [{"sample": 0.5}]}
    assert having(changed, steps=None)["microdata"] == {}


def test_steps_and_requirements_are_named_as_people_name_them():
    plan = understood(
        "data: {example: {toy: 50}}\n"
        "microdata:\n"
        "  profile: scientific_use_file\n"
        "  steps:\n"
        "  - anonymize: {k_anonymity: 5}\n"
        "  - {until: {uniqueness: {at_most: 0.1}}, rounds: [{sample: 0.5}, {sample: 0.2}]}\n"
        "  require: [{uniqueness: {at_most: 0.05}}]\n",
        Path("plan.yaml"),
    )
    assert told(plan) == [
        "lattice (to k_anonymity (k 5))",
        "until uniqueness (at_most 0.1): 2 rounds",
    ]
    assert required_in(plan) == ["uniqueness (at_most 0.05)"]

from __future__ import annotations

import pytest

from tacita.app.choosing import chosen, requirement_in, step_in
from tacita.errors import ParameterError, TacitaError
from tacita.method import THAT_MASK
from tacita.registry import family, find, from_plan

ATTRIBUTES = [
    {"name": "age", "kind": "continuous", "roles": ["key"]},
    {"name": "sex", "kind": "nominal", "roles": ["key"]},
    {"name": "<b>", "kind": "nominal", "roles": []},
]
METHODS = [method for word in THAT_MASK for method in family(word).values()]


def sent(one) -> dict[str, list[str]]:
    """What the page would send of a form, as it is filled in."""
    form = {"method": [one.form.name]}
    for part in (one, *(model for model in one.models if model.form.name in one.taken)):
        form |= {entry.name: list(entry.texts) for entry in part.entries if entry.texts}
    return form | ({"to": list(one.taken)} if one.taken else {})


@pytest.mark.parametrize("method", METHODS, ids=lambda cls: cls.name)
def test_a_step_that_is_edited_and_not_changed_stays_what_it_was(method):
    step = method(**method.example)
    form = sent(chosen(method, ATTRIBUTES, step.parameters()))
    assert from_plan(step_in(form), THAT_MASK) == step


def test_only_attributes_of_fitting_kinds_can_be_chosen_but_what_is_chosen_stays():
    offered = {
        entry.field.name: entry.names for entry in chosen(find("add_noise"), ATTRIBUTES).entries
    }
    assert offered["attributes"] == ("age",)
    kept = chosen(find("add_noise"), ATTRIBUTES, {"attributes": ["gone"], "alpha": 0.1})
    assert kept.entries[0].names == ("gone", "age")


def test_what_a_method_goes_by_may_be_of_any_kind():
    offered = {entry.field.name: entry.names for entry in chosen(find("ipso"), ATTRIBUTES).entries}
    assert offered["attributes"] == ("age",)
    assert offered["given"] == ("age", "sex", "<b>")


def test_of_very_many_attributes_some_are_written_one_a_line():
    many = [{"name": f"a{i}", "kind": "continuous", "roles": []} for i in range(1000)]
    one = chosen(find("add_noise"), many, {"attributes": ["a7", "a9"], "alpha": 0.1})
    assert one.entries[0].is_listed
    form = {"method": ["add_noise"], "p:attributes:lines": ["a7\n\n a9 "], "p:alpha": ["0.1"]}
    assert step_in(form) == {"add_noise": {"attributes": ["a7", "a9"], "alpha": 0.1}}


def test_attributes_stay_in_the_order_in_which_they_were_said():
    said = {"attributes": ["sex"], "keep": ["<b>", "age"]}
    offered = {
        one.field.name: one.names for one in chosen(find("swap_data"), ATTRIBUTES, said).entries
    }
    assert offered["keep"] == ("<b>", "age", "sex")


def test_models_of_an_anonymization_are_filled_in_each_by_itself():
    form = {
        "method": ["lattice"],
        "to": ["k_anonymity", "l_diversity"],
        "m:k_anonymity:k": ["3"],
        "m:l_diversity:l": ["2"],
        "m:l_diversity:attribute": ["sex"],
        "m:t_closeness:t": ["0.2"],  # not chosen, so that it counts nothing
        "p:suppression_limit": ["0.1"],
    }
    assert step_in(form) == {
        "lattice": {
            "to": [{"k_anonymity": {"k": 3}}, {"l_diversity": {"l": 2, "attribute": ["sex"]}}],
            "suppression_limit": 0.1,
        }
    }


def test_anything_can_be_written_as_a_plan_writes_it():
    text = "until: {uniqueness: {at_most: 0.1}}\nrounds: [{sample: 0.5}]"
    assert step_in({"method": ["written"], "text": [text]})["rounds"] == [{"sample": 0.5}]


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({}, "Nothing is filled in"),
        ({"method": ["k_anonymity"]}, "of the family model"),
        ({"method": ["nothing"]}, "There is no method"),
        ({"method": ["sample"], "p:fraction": ["2"]}, "`fraction` of `sample`"),
        ({"method": ["lattice"]}, "needs its parameter `to`"),
        ({"method": ["written"], "text": ["{a: ["]}, "written as in a plan"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(form, sentence):
    with pytest.raises(TacitaError, match=sentence):
        step_in(form)


def test_requirements_take_bounds_where_they_are_measures():
    said = requirement_in({"method": ["uniqueness"], "at_most": ["0.05"], "at_least": [" "]})
    assert said == {"uniqueness": {"at_most": 0.05}}
    assert requirement_in({"method": ["k_anonymity"], "p:k": ["5"]}) == {"k_anonymity": {"k": 5}}
    with pytest.raises(ParameterError, match="should be a number such as"):
        requirement_in({"method": ["uniqueness"], "at_most": ["few"]})


def test_a_form_tells_when_not_to_use_a_method():
    one = chosen(find("rank_swap"), ATTRIBUTES)
    assert one.limits[0].startswith("When not to use it")
    assert all(not text.startswith("When not") for text in one.paragraphs)
    assert one.form.reference

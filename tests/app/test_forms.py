from __future__ import annotations

import pytest

from tacita.app.forms import filled, form_of_method
from tacita.errors import ParameterError
from tacita.registry import find, methods


@pytest.mark.parametrize("method", methods().values(), ids=lambda cls: cls.name)
def test_every_method_has_a_form_that_can_be_filled_in_with_its_example(method):
    form = form_of_method(method)
    assert form.summary
    assert form.text.startswith(form.summary)
    assert {field.name for field in form.fields if field.needed} <= set(method.example)
    fields = {
        field.name: [str(one) for one in said] if field.kind == "attributes" else [_written(said)]
        for field in form.fields
        if (said := _said(method, field.name)) is not None
    }
    assert method(**filled(method, fields)) == method(**method.example)


def _said(method, name):
    return method(**method.example).parameters().get(name)


def _written(said) -> str:
    from json import dumps

    return said if isinstance(said, str) else dumps(said)


def test_blanks_are_left_out_and_what_is_wrong_is_said_in_a_sentence():
    top = find("top_code")
    assert filled(top, {"attribute": ["age"], "above": ["60"]}) == {"attribute": "age", "above": 60}
    with pytest.raises(ParameterError, match="needs its parameter `above`"):
        filled(top, {"attribute": ["age"], "above": [" "]})
    with pytest.raises(ParameterError, match="should be written as in a plan"):
        filled(find("recode"), {"attribute": ["a"], "groups": ["{a: ["]})

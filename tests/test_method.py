from __future__ import annotations

from dataclasses import KW_ONLY
from typing import Annotated, ClassVar

import pytest
from pydantic import Field

from tacita.errors import ParameterError
from tacita.method import ANY_KIND, Method


class Asking(Method):
    """A method with a parameter that is yes or no and others that are not."""

    applies_to: ClassVar = ANY_KIND
    reference: ClassVar = "nobody"
    missing: ClassVar = "Nothing."

    k: Annotated[int, Field(description="A number.")] = 3
    _: KW_ONLY
    improve: Annotated[bool, Field(description="Yes or no.")] = False
    width: Annotated[int | bool | None, Field(description="Not only yes or no.")] = None


def test_yes_and_no_are_taken_where_they_are_asked_for():
    assert Asking(improve=True).improve is True
    assert Asking(improve=False).improve is False
    assert Asking(improve=True).to_plan() == {"asking": {"improve": True}}


@pytest.mark.parametrize("said", [{"k": True}, {"width": False}, {"improve": True, "k": False}])
def test_yes_and_no_are_refused_elsewhere(said):
    with pytest.raises(ParameterError, match=r"should be a number or a text; found (yes|no)"):
        Asking(**said)


def test_yes_by_position_is_refused_where_a_number_is_meant():
    with pytest.raises(ParameterError, match="`k` of `asking` should be a number or a text"):
        Asking(True)


@pytest.mark.parametrize("said", ["perhaps", 2, None, [True]])
def test_what_is_neither_yes_nor_no_is_refused(said):
    with pytest.raises(ParameterError, match="`improve` of `asking` should be yes or no; found"):
        Asking(improve=said)

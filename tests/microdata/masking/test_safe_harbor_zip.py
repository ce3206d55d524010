"""ZIP codes as HIPAA's Safe Harbor allows them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.data.read import declare
from tacita.errors import InputError, ParameterError
from tacita.microdata.masking.safe_harbor_zip import RESTRICTED

RNG = np.random.default_rng(0)


def masked(values, kind=None, **options):
    data = declare(pa.table({"zip": pa.array(values, kind)}), {})
    return ta.SafeHarborZip("zip", **options).mask(data, RNG).column("zip").to_pylist()


@given(st.lists(st.none() | st.integers(0, 99999)))
def test_three_digits_are_kept_where_many_people_live(codes):
    text = [None if code is None else f"{code:05d}" for code in codes]
    meant = [code and ("000" if code[:3] in RESTRICTED else code[:3]) for code in text]
    assert masked(text, pa.string()) == meant
    assert masked([code and f"{code}-1234" for code in text], pa.string()) == meant
    assert masked(codes, pa.int64()) == meant
    assert masked(codes, pa.float64()) == meant


def test_the_17_areas_of_the_census_of_2000():
    assert len(set(RESTRICTED)) == 17
    assert masked(["03601", "89399", "89201", "036"]) == ["000", "000", "892", "000"]


def test_the_list_can_be_said():
    assert masked(["94138", "03601"], restricted=["941"]) == ["000", "036"]
    with pytest.raises(ParameterError, match="restricted"):
        ta.SafeHarborZip("zip", restricted=["94"])


def test_numbers_of_nine_digits_keep_their_first_ones():
    assert masked([21341234, 941381234], pa.int64()) == ["021", "941"]


@pytest.mark.parametrize("wrong", ["9413", "SW1A 1AA", "941385", "94138-12"])
def test_other_codes_are_named(wrong):
    with pytest.raises(InputError, match=f"`zip` holds '{wrong}'"):
        masked(["94138", wrong])


@pytest.mark.parametrize("wrong", [110001, -94138])
def test_numbers_that_are_no_zip_codes_are_named_as_they_are(wrong):
    with pytest.raises(InputError, match=f"`zip` holds '{wrong}'"):
        masked([94138, wrong], pa.int64())

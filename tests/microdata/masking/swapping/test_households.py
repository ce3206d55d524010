from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.microdata.masking.swapping.households import Homes

PERSONS = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(0, 9)), st.sampled_from(["f", "m", None])),
    min_size=1,
    max_size=50,
)


@given(PERSONS)
def test_profiles_are_equal_where_members_agree_as_a_whole(persons):
    home, sex = zip(*persons, strict=True)
    columns = {"home": pa.array(home, pa.int64()), "sex": pa.array(sex, pa.string())}
    table = pa.table({**columns, "town": ["here"] * len(home)})
    data = ta.read(
        table, roles={"home": "household"}, kinds=dict.fromkeys(table.column_names, "nominal")
    )
    homes = Homes.of(data, ["town"])
    members: dict[int, Counter] = {}
    for record, number in enumerate(homes.of_record.tolist()):
        members.setdefault(number, Counter())[sex[record]] += 1
    for names, same in ((["sex"], lambda one: one), ([], lambda one: one.total())):
        profiles = homes.profiles(names)
        for one in range(len(homes)):
            for other in range(len(homes)):
                expected = same(members[one]) == same(members[other])
                assert (profiles[one] == profiles[other]) == expected


def test_a_household_is_told_by_the_first_member_with_a_value():
    table = pa.table({"home": [7, 7, 8, None], "town": [None, 1, None, 2]})
    data = ta.read(table, roles={"home": "household"}, kinds={"home": "nominal", "town": "nominal"})
    homes = Homes.of(data, ["town"])
    assert homes.teller.tolist() == [[1], [-1], [3]]
    assert homes.complete.tolist() == [True, False, True]
    assert homes.any_member(np.array([False, True, False, True])).tolist() == [True, False, True]
    assert homes.moved(np.array([2, 1, 0])).column("town").to_pylist() == [None, 2, None, 1]


def test_who_holds_what_is_shared_is_part_of_a_profile():
    columns = {"home": [0, 0, 1, 1, 2, 2], "town": ["a", None, "b", "b", None, "b"]}
    table = pa.table({**columns, "sex": list("fmfmfm")})
    data = ta.read(table, roles={"home": "household"}, kinds=dict.fromkeys(columns, "nominal"))
    homes = Homes.of(data, ["town"])
    of_none, of_sex = homes.profiles([]), homes.profiles(["sex"])
    assert of_none[0] == of_none[2] != of_none[1]
    assert len(set(of_sex.tolist())) == 3  # in 0 the woman holds it, in 2 the man

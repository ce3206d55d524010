from __future__ import annotations

from fractions import Fraction
from itertools import product

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError

ROW = st.tuples(st.sampled_from("fm"), st.sampled_from("ab"), st.sampled_from(["no", "yes"]))
ROWS = st.lists(ROW, min_size=1, max_size=24)
ROLES = {"sex": "key", "town": "key", "credit": "confidential"}


def read(rows) -> ta.Microdata:
    columns = zip(*rows, strict=True)
    table = dict(zip(ROLES, map(list, columns), strict=True))
    return ta.read(pa.table(table), roles=ROLES)


def rules(rows, *, decisions=("no", "yes")) -> dict[tuple[str, str, str], Fraction]:
    """Return the elift of every rule about a sex, in all towns (*) and in each."""
    found = {}
    for town, sex, credit in product("*ab", "fm", decisions):
        there = [r for r in rows if town in ("*", r[1])]
        mine = [r for r in there if r[0] == sex]
        having = sum(r[2] == credit for r in mine)
        if having and len(mine) < len(there):
            base = Fraction(sum(r[2] == credit for r in there), len(there))
            found[sex, town, credit] = Fraction(having, len(mine)) / base
    return found


@given(ROWS, ROWS, st.sampled_from([1.1, 1.25, 1.5, 2]))
def test_what_becomes_of_rules_is_that_of_filtered_records(rows, others, alpha):
    before, after = rules(rows), rules(others)
    bound = Fraction(str(alpha))
    bad, left = ({r for r, lift in some.items() if lift >= bound} for some in (before, after))
    measured = ta.DirectDiscrimination(alpha, "sex", support=0).measure(read(rows), read(others))
    union = bad | left
    assert measured.value == (Fraction(len(bad ^ left), len(union)) if union else 0)
    figures = measured.figures
    assert figures["highest_original"] == max(before.values(), default=0)
    assert figures["highest_protected"] == max(after.values(), default=0)
    assert (figures["rules_original"], figures["rules_protected"]) == (len(before), len(after))
    assert figures["discriminating_original"] == len(bad)
    assert figures["prevented"] == (Fraction(len(bad - left), len(bad)) if bad else None)
    safe = before.keys() - bad
    assert figures["preserved"] == (Fraction(len(safe - left), len(safe)) if safe else None)
    told = {
        (row["group"], row["context"], row["decision"]): (
            row["lift_original"],
            row["lift_protected"],
        )
        for row in measured.details.to_pylist()
    }
    assert told == {
        (f"sex = {s}", "" if t == "*" else f"town = {t}", f"credit = {c}"): tuple(
            None if one is None else pytest.approx(float(one))
            for one in (before.get((s, t, c)), after.get((s, t, c)))
        )
        for s, t, c in union
    }


@given(ROWS)
def test_by_default_every_key_is_protected_for_itself(rows):
    data = read(rows)
    single = [ta.DirectDiscrimination(1.2, key, support=0).measure(data, data) for key in ROLES][:2]
    measured = ta.DirectDiscrimination(1.2, support=0).measure(data, data)
    assert measured.figures["discriminating_original"] == sum(
        one.figures["discriminating_original"] for one in single
    )


@given(ROWS)
def test_the_model_holds_where_nothing_discriminates(rows):
    data = read(rows)
    found = ta.DirectDiscrimination(1.3, "sex", support=0).measure(data, data).figures
    verdict = ta.AlphaProtection(1.3, "sex", support=0).check(data)
    assert verdict.holds == (found["discriminating_original"] == 0)
    assert (verdict.value or 0) == found["highest_original"]


def test_a_lift_without_bound_has_no_number():
    rows = [("f", "a", "no"), ("f", "a", "no"), ("m", "a", "yes"), ("m", "a", "yes")]
    measured = ta.DirectDiscrimination(2, "sex", decision="no", lift="slift").measure(
        read(rows), read(rows)
    )
    assert measured.figures["highest_original"] is None
    assert measured.figures["discriminating_original"] == 2  # in town a and in all towns
    assert measured.value == 0


def test_a_group_that_is_generalized_away_is_decided_about_no_more():
    rows = [("f", "a", "no")] * 3 + [("m", "a", "yes")] * 3
    data = read(rows)
    measured = ta.DirectDiscrimination(1.5, "sex").measure(data, data.apply(ta.Drop("sex"), seed=0))
    assert (measured.value, measured.figures["prevented"]) == (1, 1)
    assert measured.sentence == (
        "the original data have 4 discriminating rules, the protected data 0; 0 in common"
    )


def test_a_misspelt_decision_is_refused():
    data = read([("f", "a", "no"), ("m", "a", "yes")])
    with pytest.raises(InputError, match="`decision` of `direct_discrimination` should be a value"):
        ta.DirectDiscrimination(decision="nope").measure(data, data)

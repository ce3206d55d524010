from __future__ import annotations

from fractions import Fraction
from itertools import product

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError

ROW = st.tuples(
    st.sampled_from("fm"),
    st.sampled_from("ab"),
    st.sampled_from("pq"),
    st.sampled_from(["no", "no", "yes"]),
)
ROWS = st.lists(ROW, min_size=1, max_size=24)
ROLES = {"sex": "key", "town": "key", "work": "key", "credit": "confidential"}
NAMES = list(ROLES)


def read(rows) -> ta.Microdata:
    table = dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))
    return ta.read(pa.table(table), roles=ROLES)


def having(rows, items):
    return [r for r in rows if all(r[NAMES.index(n)] == v for n, v in items.items())]


def share(rows, of):
    """Return conf(of -> rows), for rows that are a part of them."""
    return Fraction(len(rows), len(of)) if of else Fraction(0)


def lower_bounds(rows, credit="no") -> dict[tuple, tuple[Fraction, Fraction]]:
    """Return elb, from the four confidences, and the elift that it bounds."""
    found = {}
    items = [{}, *({n: v} for n, v in [("town", "a"), ("town", "b"), ("work", "p"), ("work", "q")])]
    pairs = [{**x, **y} for x, y in product(items[1:3], items[3:])]
    for sex, context, redline in product("fm", items, [*items[1:], *pairs]):
        if set(context) & set(redline) or len(context) + len(redline) > 2:
            continue
        b = having(rows, context)
        ab, db = having(b, {"sex": sex}), having(b, redline)
        abd, dbc, bc = (
            having(ab, redline),
            having(db, {"credit": credit}),
            having(b, {"credit": credit}),
        )
        if not abd or not dbc or len(ab) == len(b):
            continue
        beta1, beta2 = share(abd, ab), share(abd, db)
        gamma, delta = share(dbc, db), share(bc, b)
        elb = max(beta1 / beta2 * (beta2 + gamma - 1) / delta, Fraction(0))
        elift = share(having(ab, {"credit": credit}), ab) / delta
        found[sex, str(context), str(redline)] = elb, elift
    return found


@given(ROWS, st.sampled_from([1.1, 1.3, 2]))
def test_lower_bounds_are_those_of_the_four_confidences(rows, alpha):
    rows.append(("f", "a", "p", "no"))
    data, expected = read(rows), lower_bounds(rows)
    measured = ta.IndirectDiscrimination(alpha, "sex", decision="no", support=0).measure(data, data)
    assert measured.figures["rules_original"] == len(expected)
    highest = max((elb for elb, _ in expected.values()), default=0)
    assert measured.figures["highest_original"] == highest
    reaching = [elb for elb, _ in expected.values() if elb >= Fraction(str(alpha))]
    assert measured.figures["discriminating_original"] == len(reaching)
    assert all(elb <= elift for elb, elift in expected.values())


@given(ROWS)
def test_redlining_proves_no_more_than_there_is(rows):
    """A file without direct discrimination has no redlining rule either, in every context."""
    rows.append(("f", "a", "p", "no"))
    data = read(rows)
    direct = ta.DirectDiscrimination(1.2, "sex", decision="no", support=0).measure(data, data)
    found = ta.IndirectDiscrimination(1.2, "sex", decision="no", support=0).measure(data, data)
    assert found.figures["highest_original"] <= direct.figures["highest_original"]


# Nearly all of town a are women and are refused: the town stands for the sex.
REDLINED = [
    *[("f", "a", "p", "no")] * 9,
    ("m", "a", "p", "no"),
    *[("f", "b", "p", "yes")] * 1,
    *[("m", "b", "q", "yes")] * 9,
]


def test_redlining_is_left_where_the_group_is_not_released():
    data = read(REDLINED)
    without = data.apply(ta.Drop("sex"), seed=0)
    coarse = without.apply(ta.Drop("town"), seed=0).apply(ta.Drop("work"), seed=0)
    measure = ta.IndirectDiscrimination(1.5, "sex", decision="no")
    # elb = (0.9 / 0.9)(0.9 + 1 - 1) / 0.5 = 1.8: town a is refused, and nine in ten are women.
    assert measure.measure(data, without).figures["highest_protected"] == Fraction(9, 5)
    direct = ta.DirectDiscrimination(1.5, "sex", decision="no").measure(data, without)
    assert direct.figures["discriminating_protected"] == 0
    assert measure.measure(data, coarse).figures["discriminating_protected"] == 0
    assert measure.measure(data, coarse).figures["prevented"] == 1


def test_records_must_be_paired():
    data = read(REDLINED)
    with pytest.raises(InputError, match="Nobody knows which records belong together"):
        ta.IndirectDiscrimination(1.5, "sex").measure(data, read(REDLINED[::-1]))

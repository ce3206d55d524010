from __future__ import annotations

from collections import Counter, defaultdict
from decimal import Decimal, localcontext
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ParameterError

ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["p", "q", "r", None])), min_size=1, max_size=30
)


def read(rows) -> ta.Microdata:
    a, x = (list(part) for part in zip(*rows, strict=True))
    return ta.read(
        pa.table({"a": a, "x": pa.array(x, pa.string())}), roles={"a": "key", "x": "confidential"}
    )


def gains(rows) -> list[tuple[Fraction, Fraction]]:
    """Return (p - q) / q and q of every class and value that gains."""
    whole, classes = Counter(x for _, x in rows), defaultdict(list)
    for a, x in rows:
        classes[a].append(x)
    found = []
    for values in classes.values():
        for value, count in whole.items():
            p, q = Fraction(values.count(value), len(values)), Fraction(count, len(rows))
            if p > q:
                found.append(((p - q) / q, q))
    return found


def minus_ln(q: Fraction) -> Fraction:
    with localcontext(prec=60):
        return Fraction(-(Decimal(q.numerator) / Decimal(q.denominator)).ln())


@given(ROWS, st.sampled_from([0.2, 0.5, 1.0, 1.5, 4.0]))
def test_no_share_grows_by_more_than_beta_times_itself(rows, beta):
    verdict = ta.BetaLikeness(beta).check(read(rows))
    assert verdict.holds == all(gain <= Fraction(str(beta)) for gain, _ in gains(rows))
    assert verdict.value == max((gain for gain, _ in gains(rows)), default=0)


@given(ROWS, st.sampled_from([0.2, 0.5, 1.0, 1.5, 4.0]))
def test_the_enhanced_kind_also_binds_frequent_values(rows, beta):
    verdict = ta.BetaLikeness(beta, kind="enhanced").check(read(rows))
    assert verdict.holds == all(
        gain <= min(Fraction(str(beta)), minus_ln(q)) for gain, q in gains(rows)
    )


def test_a_frequent_value_may_not_become_certain():
    """Three quarters to certainty is a third more: little for beta, more than -ln(3/4) = 0.288."""
    rows = [(0, "p")] * 4 + [(1, "p")] * 2 + [(1, "q")] * 2
    assert ta.BetaLikeness(1).check(read(rows)).value == 1
    verdict = ta.BetaLikeness(1, kind="enhanced").check(read(rows))
    assert not verdict
    assert "add more than min(1, -ln share) times the whole file's shares of x" in verdict.sentence


def test_a_single_value_is_certain_beforehand():
    assert ta.BetaLikeness(0.1, kind="enhanced").check(read([(0, "p"), (1, "p")]))


def test_a_tie_is_allowed_and_exact():
    """From a tenth to three tenths is twice more; 0.3 / 0.1 is less than 3 in doubles."""
    rows = [(0, "p")] * 3 + [(0, "q")] * 7
    model = ta.BetaLikeness(2, distribution={"p": 0.1, "q": 0.9})
    assert model.check(read(rows)).value == 2
    assert model.check(read(rows)).holds
    less = ta.BetaLikeness(1.9999999999999998, distribution={"p": 0.1, "q": 0.9})
    assert not less.check(read(rows))


def test_beta_is_above_0():
    with pytest.raises(ParameterError, match="`beta` of `beta_likeness`"):
        ta.BetaLikeness(0)

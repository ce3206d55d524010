from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.queries.cells import QuerySet
from tacita.queries.private.moments import FINE, ClampedSums, Moment

pytestmark = pytest.mark.numeric

BOUNDS = {"pay": (0.0, 60.0), "debt": (-5.0, 5.0)}
PAY = Moment(("pay",), ("pay",))


def test_values_beyond_bounds_count_as_the_bounds_and_blanks_as_nothing(firms):
    everybody = QuerySet(firms, firms.sizes > 0)
    total = ClampedSums(BOUNDS).over(PAY, everybody) * PAY.unit(BOUNDS)
    assert total == 50 + 32.5 + 60 + 28 + 45 + 15 + 0


def test_a_set_named_by_a_confidential_attribute_is_summed_record_by_record(firms):
    some = firms.numbers("debt") > 1
    rich = QuerySet(firms, firms.sizes > 0, some)
    sums = ClampedSums(BOUNDS)
    assert sums.over(PAY, rich) * PAY.unit(BOUNDS) == 32.5 + 60 + 45 + 15 + 0
    assert sums.over(Moment((), ("pay",)), rich) == 5
    assert sums.over(Moment(), rich) == 5


def test_products_are_of_records_in_which_both_are_known(firms):
    both = Moment(("pay", "debt"), ("pay", "debt"), centred=True)
    everybody = QuerySet(firms, firms.sizes > 0)
    found = ClampedSums(BOUNDS).over(both, everybody) * both.unit(BOUNDS)
    pay = np.array([50, 32.5, 60, 45, 15, 0])
    debt = np.array([-3.0, 4, 5, 2, 5, 3])
    assert found == pytest.approx(((pay - 30) / 30 * debt / 5).sum(), abs=6 / FINE)


@given(
    st.lists(st.none() | st.floats(-1e9, 1e9), min_size=1, max_size=20),
    st.floats(-1e6, 0),
    st.floats(1, 1e6),
    st.booleans(),
)
def test_no_record_contributes_more_than_the_limits(made, values, low, high, centred):
    data = made([("IT", "BCN", one, 1.0) for one in values])
    bounds = {"pay": (low, high)}
    for factors in (("pay",), ("pay", "pay")) if centred else (("pay",),):
        moment = Moment(factors, ("pay",), centred)
        found = moment.of_records(data, bounds)
        least, most = moment.limits(bounds)
        assert found.dtype == np.int64
        assert least <= found.min()
        assert found.max() <= most

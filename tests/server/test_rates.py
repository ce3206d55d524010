from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from tacita.server import rates as rates_module
from tacita.server.rates import Rates


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_who_waits_as_told_may_go_on():
    clock = Clock()
    rates = Rates(4, 1000, clock)
    assert [rates.take("ana") for _ in range(4)] == [0, 0, 0, 0]
    wait = rates.take("ana")
    assert wait == 0.25
    clock.now += wait
    assert rates.wait("ana") == 0
    assert rates.take("ana") == 0
    assert rates.take("ana") == 0.25


def test_what_everybody_together_may_do_is_limited_too():
    clock = Clock()
    rates = Rates(10, 3, clock)
    assert [rates.take(f"user {i}") for i in range(3)] == [0, 0, 0]
    assert rates.take("another") == 1 / 3
    clock.now += 1 / 3 + 1e-9
    assert rates.take("another") == 0  # nothing was taken from it while all had to wait


def test_less_than_one_request_a_second():
    clock = Clock()
    rates = Rates(0.1, 100, clock)
    assert (rates.take("ana"), rates.take("ana")) == (0, 10)


@given(
    rate=st.floats(0.1, 20),
    steps=st.lists(st.tuples(st.floats(0, 2), st.sampled_from("ab")), max_size=60),
)
def test_nobody_gets_more_than_the_rate(rate, steps):
    clock = Clock()
    rates = Rates(rate, 1e9, clock)
    taken = {"a": [], "b": []}
    for pause, caller in steps:
        clock.now += pause
        if rates.take(caller) == 0:
            taken[caller].append(clock.now)
    for times in taken.values():
        for first, begun in enumerate(times):
            for last, ended in enumerate(times[first:], first):
                assert last - first + 1 <= max(1, rate) + rate * (ended - begun) + 1e-6


def test_who_rests_is_forgotten_and_who_does_not_is_not(monkeypatch):
    monkeypatch.setattr(rates_module, "MOST", 10)
    clock = Clock()
    rates = Rates(1, 1e9, clock)
    for i in range(9):
        rates.take(f"user {i}")
    clock.now += 5
    rates.take("busy")
    assert rates._buckets.keys() == {"busy", rates_module.EVERYBODY}
    assert rates.take("busy") == 1


def test_fifty_at_once_get_what_there_is():
    rates = Rates(20, 1e9, Clock())
    with ThreadPoolExecutor(50) as threads:
        waits = list(threads.map(lambda _: rates.take("ana"), range(50)))
    assert waits.count(0) == 20

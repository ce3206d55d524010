from __future__ import annotations

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.server.settings import Settings
from tacita.server.ticks import on_ticks, until_tick


@given(worked=st.floats(0, 100), tick=st.floats(0.001, 10))
def test_the_next_tick_is_a_multiple_and_less_than_a_tick_away(worked, tick):
    rest = until_tick(worked, tick)
    assert 0 <= rest <= tick + 1e-9
    ticks = (worked + rest) / tick
    assert abs(ticks - round(ticks)) < 1e-6 * max(1, ticks)


def test_a_block_ends_at_a_tick_however_it_ends():
    async def work(wrong: bool) -> None:
        async with on_ticks(0.05):
            if wrong:
                raise KeyError

    for wrong in (False, True):
        begun = time.monotonic()
        if wrong:
            with pytest.raises(KeyError):
                asyncio.run(work(wrong))
        else:
            asyncio.run(work(wrong))
        assert time.monotonic() - begun >= 0.05


@pytest.mark.parametrize(
    ("sql", "status"), [("count", 200), ("small count", 200), ("SELECT *", 400), ("crash", 500)]
)
def test_answers_refusals_and_failures_are_held_alike(serve, guard, sql, status):
    with serve(guard, settings=Settings(tick=0.1)).client() as client:
        begun = time.monotonic()
        reply = client.post("/query", json={"sql": sql})
        assert reply.status_code == status
        assert time.monotonic() - begun >= 0.1

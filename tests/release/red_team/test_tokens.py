"""Laws of tokens: a secret is recognized wherever it stands, however it is written."""

from __future__ import annotations

import datetime as dt

from hypothesis import assume, given
from hypothesis import strategies as st

from tacita.release.red_team.looking import Secrets
from tacita.release.red_team.process import request_for
from tacita.release.red_team.tokens import as_secret, canonical, words

BETWEEN = st.sampled_from([" ", "\n", ", ", "<", '"', " (", "; "])


CANARIES = st.lists(st.text(min_size=3, max_size=12), min_size=2, max_size=8).map(" ".join)


@given(CANARIES, st.text(max_size=60), st.text(max_size=60), BETWEEN)
def test_a_canary_is_recognized_in_any_text(canary, before, after, between):
    secret = as_secret(canary)
    assume(secret is not None)  # most are surprising enough
    request = request_for([], {"words": {secret: "a secret"}})
    reverse = {"<": ">"}.get(between, between)
    assert Secrets(request).in_text(before + between + canary + reverse + after) == {"a secret"}


@given(st.text(max_size=40))
def test_words_of_words_are_the_same(text):
    assert words(" ".join(words(text))) == words(text)


@given(st.one_of(st.integers(-(10**15), 10**15), st.floats(allow_nan=False, allow_infinity=False)))
def test_numbers_have_one_spelling(number):
    assert canonical(number) == canonical(float(number))
    if 1e-4 < abs(number) < 1e15:
        assert canonical(repr(number)) == canonical(number)


def test_other_types():
    assert canonical(dt.datetime(2031, 1, 2)) == canonical(dt.date(2031, 1, 2)) == "2031-01-02"
    assert canonical(b"Anna") == canonical("ANNA ") == "anna"
    assert canonical(float("nan")) == ""


def test_chance_is_no_secret():
    for usual in ("0000000000", "1000000000", "111111111111", "2031-01-02", "disclosure", "true"):
        assert as_secret(usual) is None

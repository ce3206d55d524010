from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import ProtectionError
from tacita.microdata.anonymize.promises import broken_records
from tacita.microdata.comparing.coverage import coverage

TREE = {"tree": {"any": {"pq": ["p", "q"], "rs": ["r", "s"]}}}
SHAPES = ("random", "equal", "distinct", "one huge class", "blanks")


def drawn(seed, records, shape):
    """Draw records of three keys, one of each kind of scale, with two confidential attributes."""
    rng = np.random.default_rng(seed)
    if shape == "distinct":
        numbers = rng.permutation(records)
    else:
        numbers = rng.integers(0, 1 if shape == "equal" else 6, records)
    letters = rng.choice(list("pqrs"), records)
    words = rng.choice(["one", "two", "three"], records)
    if shape == "equal":
        letters[:], words[:] = "p", "one"
    if shape == "one huge class":
        huge = rng.random(records) < 0.9
        numbers[huge], letters[huge], words[huge] = 3, "r", "two"
    blank = rng.random((3, records)) < (0.3 if shape == "blanks" else 0)
    blank[:, :1] = False  # a key that is blank throughout is refused when it is read
    table = pa.table(
        {
            "number": pa.array(numbers, mask=blank[0]),
            "letter": pa.array(letters, mask=blank[1]),
            "word": pa.array(words, mask=blank[2]),
            "illness": rng.choice(["flu", "cold", "gout"], records, p=[0.5, 0.3, 0.2]),
            "income": rng.integers(0, 5, records),
        }
    )
    roles = dict.fromkeys(("number", "letter", "word"), "key")
    roles |= {"illness": "confidential", "income": "confidential"}
    return ta.read(table, roles=roles, hierarchies={"letter": TREE})


def models(choice, k):
    return {
        "size": [ta.KAnonymity(k)],
        "values": [ta.KAnonymity(k), ta.LDiversity(2, "illness")],
        "closeness": [ta.TCloseness(0.4, "illness"), ta.TCloseness(0.4, "income")],
        "whole file": [ta.AverageRisk(0.4), ta.LDiversity(2, "illness")],
        "parts of keys": [ta.KAnonymity(k, keys=["letter"]), ta.KAnonymity(2)],
    }[choice]


CHOICES = ("size", "values", "closeness", "whole file", "parts of keys")
WAYS = (
    {"mondrian": {}},
    {"mondrian": {"mode": "relaxed"}},
    {"mondrian": {"cut": "information_gain", "target": "income"}},
    {"mondrian": {"released": "hierarchy"}},
    {"local_recoding": {}},
    {"local_recoding": {"suppression_limit": 0.2}},
    {"local_recoding": {"starts": "cuts", "measure": "granularity"}},
)


@settings(max_examples=50)
@given(
    st.integers(0, 10**6),
    st.integers(0, 60),
    st.sampled_from(SHAPES),
    st.sampled_from(CHOICES),
    st.integers(2, 5),
    st.sampled_from(WAYS),
)
def test_what_is_given_out_passes_the_checks(seed, records, shape, choice, k, way):
    data, wanted = drawn(seed, records, shape), models(choice, k)
    ((by, options),) = way.items()
    try:
        safe = data.anonymize(*wanted, by=by, seed=0, **options)
    except ProtectionError:
        assert broken_records(without_keys(data), wanted).any()  # nothing reaches it
        return
    assert all(model.check(safe).holds for model in wanted)
    assert records - len(safe) == safe.suppressed <= options.get("suppression_limit", 0) * records
    for name in data.keys:  # every released value may stand for the original one
        cover = coverage(data, safe, name)
        assert (cover.holds | np.isnan(cover.own)).all()


def without_keys(data):
    """Blank all keys, so that there is one class."""
    for name in data.keys:
        data = data.with_column(data.attribute(name), pa.nulls(len(data), data.column(name).type))
    return data

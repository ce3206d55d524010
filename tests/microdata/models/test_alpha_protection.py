from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, combinations, product
from math import inf

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError, ProtectionError
from tacita.microdata.anonymize.generalizing.levels import at_levels
from tacita.microdata.anonymize.promises import allowed_records, without_broken

KEYS = ["sex", "town", "work"]
ROLES = {**dict.fromkeys(KEYS, "key"), "credit": "confidential"}
HIERARCHIES = {
    "town": {"tree": {"all": {"north": ["a", "b"], "south": ["c", "d"]}}},
    "work": {"tree": {"any": {"office": ["p", "q"], "field": ["r"]}}},
}
ROW = st.tuples(
    st.sampled_from(["f", "m", None]),
    st.sampled_from(["a", "b", "c", "d"]),
    st.sampled_from(["p", "q", "r"]),
    st.sampled_from(["no", "yes", "late"]),
)
ROWS = st.lists(ROW, min_size=1, max_size=30)
ALPHAS = st.sampled_from([1.01, 1.2, 1.5, 2, 3])


def read(rows) -> ta.Microdata:
    """Make data of rows; somebody is of a known sex, as nothing can be matched on blanks alone."""
    if all(sex is None for sex, *_ in rows):
        rows[0] = ("f", *rows[0][1:])
    columns = zip(*rows, strict=True)
    names = [*KEYS, "credit"]
    table = {n: pa.array(list(c), pa.string()) for n, c in zip(names, columns, strict=True)}
    return ta.read(pa.table(table), roles=ROLES, hierarchies=HIERARCHIES)


def rows_of(data) -> list[tuple]:
    return list(zip(*(data.column(n).to_pylist() for n in [*KEYS, "credit"]), strict=True))


def itemsets(rows: list[tuple], names: list[str], most: int) -> Iterator[dict[str, str | None]]:
    """Give the combinations of values of up to so many attributes, the empty one first."""
    for chosen in chain.from_iterable(combinations(names, k) for k in range(min(most, 3) + 1)):
        values = [sorted({r[KEYS.index(n)] for r in rows}, key=str) for n in chosen]
        for combination in product(*values):
            yield dict(zip(chosen, combination, strict=True))


def among(rows: list[tuple], items: dict[str, str | None]) -> list[tuple]:
    return [r for r in rows if all(r[KEYS.index(n)] == v for n, v in items.items())]


def every_lift(
    rows: list[tuple],
    protected: list[str],
    *,
    decision: str | None = None,
    lift: str = "elift",
    support: Fraction = Fraction(0),
    length: int = 9,
) -> Iterator[Fraction | float]:
    """Give the lift of every rule by filtering the records, value by value."""
    others = [key for key in KEYS if key not in protected]
    decisions = {r[-1] for r in rows} if decision is None else {decision}
    for context, group in product(
        itemsets(rows, others, length), list(itemsets(rows, protected, 9))[1:]
    ):
        there = among(rows, context)
        mine = among(there, group)
        rest = there if lift == "elift" else [r for r in there if r not in mine]
        for value in decisions if len(mine) < len(there) else ():
            with_it = sum(r[-1] == value for r in mine)
            if with_it and with_it >= support * len(rows):
                base = Fraction(sum(r[-1] == value for r in rest), len(rest))
                yield Fraction(with_it, len(mine)) / base if base else inf


@settings(max_examples=60)
@given(
    ROWS,
    ALPHAS,
    st.sampled_from([["sex"], ["sex", "town"], ["work"]]),
    st.sampled_from(["elift", "slift"]),
    st.sampled_from([0, 0.1, 0.25]),
    st.sampled_from([None, 0, 1]),
)
def test_the_highest_lift_is_that_of_all_rules(rows, alpha, protected, lift, support, length):
    data = read(rows)
    found = list(
        every_lift(
            rows,
            protected,
            lift=lift,
            support=Fraction(str(support)),
            length=9 if length is None else length,
        )
    )
    model = ta.AlphaProtection(alpha, protected, lift=lift, support=support, length=length)
    verdict = model.check(data)
    assert verdict.holds == all(one < Fraction(str(alpha)) for one in found)
    if not found:
        assert verdict.value is None
    elif max(found) == inf:
        assert (verdict.value, verdict.holds) == (None, False)
    else:
        assert verdict.value == max(found)


@given(ROWS, ALPHAS)
def test_only_the_decision_that_is_bad_to_get_counts(rows, alpha):
    rows.append(("f", "a", "p", "no"))
    found = list(every_lift(rows, ["sex"], decision="no"))
    model = ta.AlphaProtection(alpha, "sex", decision="no", support=0)
    assert model.check(read(rows)).holds == all(one < Fraction(str(alpha)) for one in found)


def test_what_fails_is_said():
    rows = [("f", "a", "p", "no")] * 3 + [("f", "a", "p", "yes")] + [("m", "a", "p", "yes")] * 4
    verdict = ta.AlphaProtection(1.5, "sex", decision="no", length=0).check(read(rows))
    assert str(verdict) == (
        "FAILS: 1 rule reaches a lift of 1.5; the worst group, sex = f, has credit = no 2 times as "
        "often as all there"
    )
    assert verdict.worst == {
        "sex": "f",
        "count": 4,
        "attribute": "credit",
        "decision": "no",
        "level": 2.0,
    }
    compared = ta.AlphaProtection(1.5, "sex", decision="no", lift="slift").check(read(rows))
    assert "infinitely more often than all others there" in compared.sentence
    assert compared.worst["level"] is None


@pytest.mark.parametrize(("alpha", "holds"), [(1.2, False), (1.2000000000001, True)])
def test_exactly_alpha_reaches_it(alpha, holds):
    """3 of 5 among 5 of 10: 1.2, which no double is."""
    rows = [("f", "a", "p", c) for c in ["no"] * 3 + ["yes"] * 2]
    rows += [("m", "a", "p", c) for c in ["no"] * 2 + ["yes"] * 3]
    model = ta.AlphaProtection(alpha, "sex", decision="no")
    assert model.check(read(rows)).holds == holds


# -- in the lattice --------------------------------------------------------------------------------


def node_levels():
    heights = {"sex": 1, "town": 2, "work": 2}
    for levels in product(*(range(heights[name] + 1) for name in KEYS)):
        yield dict(zip(KEYS, levels, strict=True))


@settings(max_examples=25)
@given(
    st.integers(0, 10**6),
    ALPHAS,
    st.sampled_from(["elift", "slift"]),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from([["sex"], ["town"]]),
)
def test_the_lattice_is_k_anonymous_and_protective_at_the_least_loss(
    seed, alpha, lift, limit, protected
):
    """Every node is tried by hand; what it leaves out and loses, measured without the lattice."""
    rng = np.random.default_rng(seed)
    draw = [["f", "m"], list("abcd"), list("pqr"), ["no", "no", "yes"]]
    rows = list(zip(*(rng.choice(values, 24).tolist() for values in draw), strict=True))
    data = read(rows)
    said = {"decision": "no", "lift": lift, "support": 0.05}
    models = [ta.KAnonymity(2), ta.AlphaProtection(alpha, protected, **said)]
    losses = []
    for levels in node_levels():
        released = without_broken(at_levels(data, levels), models)
        left_out = len(data) - len(released)
        if left_out <= allowed_records(limit, len(data)):
            loss = ta.GeneralizationLoss().measure(data, released).value
            losses.append(loss)
    anonymize = ta.Lattice(models, suppression_limit=limit)
    if not losses:
        with pytest.raises(ProtectionError):
            data.apply(anonymize)
        return
    safe = data.apply(anonymize)
    assert safe.notes["optimal"]
    assert safe.notes["loss"] == pytest.approx(min(losses), rel=1e-9, abs=1e-12)
    assert ta.KAnonymity(2).check(safe).holds
    found = every_lift(rows_of(safe), protected, decision="no", lift=lift, support=Fraction(1, 20))
    assert all(one < Fraction(str(alpha)) for one in found)


def test_merging_classes_may_raise_a_lift():
    """Within towns nobody is treated differently; over both, whoever lives in the strict one is."""
    rows = [("f", "a", "p", "no")] * 8 + [("m", "a", "p", "no")] * 2
    rows += [("f", "b", "p", "yes")] * 2 + [("m", "b", "p", "yes")] * 8
    apart = ta.AlphaProtection(1.5, "sex", keys=["sex", "town"], decision="no")
    lifts = {
        length: list(every_lift(rows, ["sex"], decision="no", length=length)) for length in (0, 9)
    }
    assert max(lifts[0]) == Fraction(8, 5)
    assert not apart.check(read(rows))
    joined = at_levels(read(rows), {"town": 2})
    assert apart.check(joined).value == Fraction(8, 5)
    assert not getattr(ta.AlphaProtection, "merging_keeps", False)


def test_keys_that_only_other_models_look_at_are_no_contexts():
    rows = [("f", "a", "p", "no"), ("m", "b", "p", "no"), ("f", "b", "q", "yes")] * 4
    rows += [("m", "a", "q", "yes")] * 4
    model = ta.AlphaProtection(1.2, "sex", keys=["sex", "work"], decision="no")
    safe = read(rows).apply(ta.Lattice([ta.KAnonymity(2), model]), seed=0)
    assert model.check(safe).holds
    assert safe.levels["town"] == 0


@pytest.mark.parametrize("algorithm", [ta.Mondrian, ta.LocalRecoding])
def test_algorithms_that_recode_locally_refuse_it(algorithm):
    data = read([("f", "a", "p", "no"), ("m", "b", "q", "yes")] * 3)
    with pytest.raises(ParameterError, match="Use `lattice` or `datafly`"):
        data.apply(algorithm([ta.AlphaProtection(1.2, "sex")]))


def test_datafly_reaches_it():
    rows = [("f", "a", "p", "no")] * 3 + [("m", "b", "q", "yes")] * 5 + [("m", "c", "r", "no")] * 2
    model = ta.AlphaProtection(1.3, "sex", decision="no")
    safe = read(rows).apply(ta.Datafly([ta.KAnonymity(2), model]), seed=0)
    assert model.check(safe).holds


PLAN = """\
data:
  source: loans.csv
  attributes:
    sex: key
    town: {role: key, hierarchy: {tree: {all: {north: [a, b], south: [c, d]}}}}
    credit: confidential
microdata:
  steps:
    - anonymize:
        to:
          - k_anonymity: 2
          - alpha_protection: {alpha: 1.25, protected: sex, decision: "no"}
  require:
    - k_anonymity: 2
    - alpha_protection: {alpha: 1.25, protected: sex, decision: "no"}
"""


def test_a_plan_releases_what_is_both_and_anybody_can_verify_it(tmp_path):
    """Women are refused in town a and men in b; in the north nobody is refused more often."""
    rows = ["f,a,no"] * 3 + ["m,a,yes"] * 3 + ["f,b,yes"] * 3 + ["m,b,no"] * 3
    rows += ["f,c,yes", "m,c,yes", "f,d,no", "m,d,no"] * 2
    (tmp_path / "loans.csv").write_text("\n".join(["sex,town,credit", *rows]) + "\n")
    (tmp_path / "plan.yaml").write_text(PLAN)
    ta.run(tmp_path / "plan.yaml", tmp_path / "out", seed=1)
    released = (tmp_path / "out/public/data.csv").read_text().splitlines()[1:]
    assert sorted({line.split(",")[1] for line in released}) == ["north", "south"]
    verification = ta.verify(tmp_path / "out")
    assert any("alpha_protection" in line.what for line in verification.lines), str(verification)
    assert ta.verify(tmp_path / "out", source=tmp_path / "loans.csv").holds


# -- what cannot be asked for ----------------------------------------------------------------------


def test_a_misspelt_decision_is_refused():
    data, model = read([("f", "a", "p", "no")] * 2), ta.AlphaProtection(1.2, "sex", decision="nope")
    for use in (model.check, lambda data: data.anonymize(ta.KAnonymity(2), model, by="lattice")):
        with pytest.raises(InputError, match="`decision` of `alpha_protection` should be a value"):
            use(data)


def test_a_decision_that_is_a_key_may_be_generalized():
    """Who is refused credit is released as anybody, so that nothing can be mined of it."""
    rows = [("f", "a", "p", "no")] * 3 + [("m", "a", "p", "yes")] * 3
    table = read(rows).to_arrow()
    roles = {**ROLES, "credit": ["key", "confidential"]}
    model = ta.AlphaProtection(1.2, "sex", "credit", decision="no")
    safe = ta.read(table, roles=roles).anonymize(ta.KAnonymity(2), model, by="lattice")
    assert model.check(safe).holds
    assert safe.notes["optimal"]


def test_protected_attributes_are_keys():
    data = read([("f", "a", "p", "no"), ("m", "a", "p", "no")])
    with pytest.raises(InputError, match="names `sex`, which is not among the keys town"):
        ta.AlphaProtection(1.2, "sex", keys=["town"]).check(data)


def test_too_many_contexts_need_a_length():
    names = [f"k{i}" for i in range(14)]
    table = pa.table({**{name: [0, 1] for name in names}, "credit": ["no", "yes"]})
    data = ta.read(table, roles={**dict.fromkeys(names, "key"), "credit": "confidential"})
    with pytest.raises(ParameterError, match="say as `length` how many values"):
        ta.AlphaProtection(1.2, "k0").check(data)
    assert ta.AlphaProtection(5, "k0", length=2).check(data).holds


def test_alpha_is_above_1():
    with pytest.raises(ParameterError, match="`alpha` of `alpha_protection`"):
        ta.AlphaProtection(1, "sex")

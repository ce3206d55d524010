"""Groups under differential privacy: declared, and there whoever is in them."""

from __future__ import annotations

import json
import tracemalloc
from collections import Counter
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.attacks.queries.intruding.intruder import Target
from tacita.attacks.queries.intruding.register import Register
from tacita.errors import LedgerError, ParameterError, QueryError
from tacita.queries.guard import Guard
from tacita.queries.ledger.ledger import open_ledger
from tacita.queries.opening import Followed, Guarding
from tacita.queries.policies.private_answers import PrivateAnswers
from tacita.queries.public_classes import PublicClasses

ROLES = {
    "sex": "key",
    "region": "key",
    "age": "key",
    "town": "key",
    "job": "confidential",
    "pay": "confidential",
}
KINDS = {"sex": pa.string(), "region": pa.string(), "age": pa.int64(), "town": pa.string(),
         "job": pa.string(), "pay": pa.float64()}  # fmt: skip
SEXES, REGIONS, AGES, JOBS = ["f", "m"], ["n", "s", "w"], [20, 30, 40, 50], ["cook", "nurse"]
GROUPS = {"sex": SEXES, "region": REGIONS, "age": AGES, "job": JOBS}
SURE = 1e9  # an epsilon under which answers are exact


def people(rows) -> ta.Microdata:
    columns = dict(zip(ROLES, zip(*rows, strict=True), strict=True)) if rows else {}
    arrays = {name: pa.array(columns.get(name, []), kind) for name, kind in KINDS.items()}
    return ta.read(pa.table(arrays), roles=ROLES)


def classes(rows) -> PublicClasses:
    return PublicClasses.of(people(rows), "people")


def drawn(seed: int, number: int) -> list[tuple]:
    rng = np.random.default_rng(seed)
    return [
        (
            str(rng.choice(SEXES)),
            str(rng.choice(REGIONS)),
            int(rng.choice(AGES)),
            f"t{rng.integers(9)}",
            str(rng.choice([*JOBS, "smith"])),
            float(rng.integers(0, 100)),
        )
        for _ in range(number)
    ]


def private(epsilon=1.0, **more) -> PrivateAnswers:
    said = {"share_each": 0.01, "groups": GROUPS, **more}
    return PrivateAnswers(epsilon, {"pay": (0.0, 100.0), "age": (0.0, 100.0)}, **said)


# -- what groups there are -------------------------------------------------------------------------


def test_every_declared_group_has_a_row_whether_anybody_is_in_it_or_not():
    data = classes([("f", "n", 30, "t1", "cook", 5.0)] * 3)
    answer = Guard(data, [private(SURE)]).ask(
        "SELECT sex, region, count(*) FROM people GROUP BY sex, region", user="ana"
    )
    assert answer.rows == tuple(
        (sex, region, 3 * (sex == "f" and region == "n")) for sex, region in product(SEXES, REGIONS)
    )


ROWS = drawn(3, 60)


@pytest.mark.parametrize(
    ("groups", "of"),
    [
        ("ROLLUP(sex, region)", lambda row: (row[0], row[1])),
        ("CUBE(region, sex)", lambda row: (row[1], row[0])),
        ("CUBE(age // 20, sex)", lambda row: (row[2] // 20, row[0])),
        ("ROLLUP(region, upper(region), sex)", lambda row: (row[1], row[1].upper(), row[0])),
        ("CUBE(job, sex)", lambda row: (row[4], row[0])),
        (
            "ROLLUP(CASE WHEN age > 30 THEN 'old' WHEN age > 90 THEN 'dead' ELSE 'young' END, sex)",
            lambda row: ("old" if row[2] > 30 else "young", row[0]),
        ),
        (
            "CUBE(CASE WHEN pay > 50 THEN 'rich' ELSE 'poor' END, region)",
            lambda row: ("rich" if row[5] > 50 else "poor", row[1]),
        ),
    ],
)
@pytest.mark.parametrize("where", ["", "WHERE sex = 'f'", "WHERE pay < 80 AND region <> 'w'"])
def test_groups_and_margins_are_those_of_an_independent_count(groups, of, where):
    data = classes(ROWS)
    places = groups[groups.index("(") + 1 : -1]
    names = ("CASE" in places and places.rsplit(", ", 1)) or places.split(", ")
    sql = f"SELECT {', '.join(names)}, count(*), sum(pay) FROM people {where} GROUP BY {groups}"  # noqa: S608
    answer = Guard(data, [private(SURE)]).ask(sql, user="ana")
    chosen = [
        row
        for row in ROWS
        if (row[0] == "f" or "sex = " not in where)
        and ((row[1] != "w" and row[5] < 80) or "pay <" not in where)
        and (row[4] in JOBS or "job" not in groups)
    ]
    counts, sums = Counter(), Counter()
    for row in chosen:
        for kept in product([True, False], repeat=len(names)):
            key = tuple(value if keep else None for value, keep in zip(of(row), kept, strict=True))
            counts[key] += 1
            sums[key] += row[5]
    found = {row[: len(names)]: row[len(names) :] for row in answer.rows}
    assert len(found) == len(answer.rows)
    for key, (count, total) in found.items():
        assert count == counts[key]
        assert total == pytest.approx(sums[key], abs=1e-3)
    if groups.startswith("CUBE"):
        assert set(counts) <= set(found)


def test_impossible_combinations_of_one_attribute_are_no_groups():
    data = classes(ROWS)
    sql = "SELECT age, age // 20, count(*) FROM people GROUP BY 1, 2"
    answer = Guard(data, [private(SURE)]).ask(sql, user="ana")
    assert [row[:2] for row in answer.rows] == [(age, age // 20) for age in AGES]


def test_what_a_query_says_of_an_attribute_declares_it():
    data = classes(ROWS)
    sql = "SELECT town, count(*) FROM people WHERE town IN ('t1', 'nowhere') GROUP BY town"
    answer = Guard(data, [private(SURE)]).ask(sql, user="ana")
    there = sum(row[3] == "t1" for row in ROWS)
    assert answer.rows == (("nowhere", 0), ("t1", there))


def test_categories_with_their_values_written_out_declare_themselves():
    table = people(ROWS).to_arrow()
    tree = {"any": {"north": ["n"], "south": ["s", "w", "z"]}}
    data = ta.read(
        table,
        roles=ROLES,
        kinds={"age": "ordinal"},
        orders={"age": [10, *AGES]},
        hierarchies={"region": {"tree": tree}},
    )
    guard = Guard(PublicClasses.of(data, "people"), [PrivateAnswers(SURE)])
    for name, values in (("region", ["n", "s", "w", "z"]), ("age", [10, *AGES])):
        answer = guard.ask(f"SELECT {name}, count(*) FROM people GROUP BY {name}", user="ana")  # noqa: S608
        assert [row[0] for row in answer.rows] == values
    with pytest.raises(QueryError, match="grouped by 'sex' only where its values are known"):
        guard.ask("SELECT sex, count(*) FROM people GROUP BY sex", user="ana")


def test_a_hierarchy_made_from_the_values_declares_nothing():
    made = {"town": {"frequencies": {"levels": 2}}}
    data = ta.read(people(ROWS).to_arrow(), roles=ROLES, hierarchies=made)
    sql = "SELECT town, count(*) FROM people GROUP BY town"
    with pytest.raises(QueryError, match="'town' only where its values are known"):
        Guard(PublicClasses.of(data, "people"), [PrivateAnswers(SURE)]).ask(sql, user="ana")


def test_values_that_occur_may_be_taken_to_be_known_and_the_guarantee_says_so():
    policy = private(SURE, groups={"town": "public"})
    guard = Guard(classes(ROWS), [policy])
    answer = guard.ask("SELECT town, count(*) FROM people GROUP BY town", user="ana")
    assert [row[0] for row in answer.rows] == sorted({row[3] for row in ROWS})
    assert "Which values of `town` occur" in answer.guarantees["private_answers"]
    assert "occur" not in Guard(classes(ROWS), [private()]).policies[0]["guarantee"]


def test_a_blank_is_a_group_if_it_is_declared():
    rows = [(None, "n", 30, "t1", "cook", 5.0), ("x", "n", 30, "t1", "cook", 5.0), *ROWS]
    count = sum(row[0] == "f" for row in ROWS)
    sql = "SELECT sex, count(*) FROM people GROUP BY ROLLUP(sex) ORDER BY grouping(sex), sex"
    found = {
        blank: Guard(classes(rows), [private(SURE, groups={"sex": ["f", "m", *blank]})]).ask(
            sql, user="ana"
        )
        for blank in ((), (None,))
    }
    assert found[()].rows == (("f", count), ("m", 60 - count), (None, 60))
    assert found[None,].rows == (("f", count), ("m", 60 - count), (None, 1), (None, 61))


def test_curators_see_how_many_records_are_in_no_declared_group():
    guard = Guard(classes(ROWS), [private(groups={"region": ["n", "s"], "sex": SEXES})])
    away = sum(row[1] == "w" for row in ROWS)
    told = guard.session()["evidence"]["private_answers"]
    assert told == {"records_in_no_declared_group": {"region": away}}


def test_other_groups_are_shown_by_a_threshold_or_refused_with_a_sentence():
    rows = [("f", "n", 30, "rare", "cook", 1.0), *[("f", "n", 30, "big", "cook", 1.0)] * 3000]
    sql = "SELECT town, count(*) FROM people GROUP BY town"
    guard = Guard(classes(rows), [private(20.0, delta=1e-6, share_each=0.2)])
    answer = guard.ask(sql, user="ana")
    assert [row[0] for row in answer.rows] == ["big"]
    assert answer.cost["private_answers"]["delta"] == "1/10000000"  # a fifth of the half
    with pytest.raises(QueryError, match=r"'town' only where .* declares them \(`groups`"):
        Guard(classes(rows), [private()]).ask(sql, user="ana")


def test_the_view_lists_declared_values_and_no_others():
    view = Guard(classes(ROWS), [private()]).view
    assert view["public"]["sex"]["values"] == SEXES
    assert "values" not in view["public"]["town"]


# -- how many --------------------------------------------------------------------------------------


def test_too_many_groups_are_refused_before_any_memory_is_used():
    many = {"sex": [f"s{at}" for at in range(1000)], "region": [f"r{at}" for at in range(1000)]}
    guard = Guard(classes(ROWS), [private(groups=many)])
    sql = "SELECT sex, region, count(*) FROM people GROUP BY sex, region"
    with pytest.raises(QueryError):
        guard.ask(sql, user="ana")
    tracemalloc.start()
    try:
        with pytest.raises(QueryError, match="at most 100,000"):
            guard.ask(sql.replace("count", "COUNT"), user="ana")
        assert tracemalloc.get_traced_memory()[1] < 5e6
    finally:
        tracemalloc.stop()


def test_a_hundred_thousand_groups_are_answered():
    many = {"sex": [f"s{at}" for at in range(500)], "region": [f"r{at}" for at in range(200)]}
    rows = [("s7", "r9", 20, "t", "cook", 1.0)] * 5
    guard = Guard(classes(rows), [private(SURE, groups=many)])
    answer = guard.ask("SELECT sex, region, count(*) FROM people GROUP BY 1, 2", user="ana")
    assert len(answer.rows) == 100_000
    assert [row for row in answer.rows if row[2]] == [("s7", "r9", 5)]


# -- nothing else tells ----------------------------------------------------------------------------

conditions = st.sampled_from(
    [
        "sex = 'f'",
        "sex = 'x'",
        "town = 't1'",
        "town = 'nowhere'",
        "town IN ('t1', 't2', 'nowhere')",
        "age > 30",
        "age = 99",
        "region IN ('n', 'w') AND sex <> 'm'",
        "pay > 50",
        "job = 'cook'",
        "job = 'nobody'",
        "(town = 't3' OR pay < 10)",
        "age + pay > 60",
        "town LIKE 't%'",
    ]
)
statistics = st.sampled_from(
    [
        "count(*)",
        "sum(pay)",
        "avg(pay)",
        "median(pay)",
        "var_pop(age)",
        "corr(age, pay)",
        "max(pay)",
        "count(DISTINCT town)",
        "count(town)",
    ]
)
groupings = st.sampled_from(
    [
        "",
        "sex",
        "sex, region",
        "ROLLUP(region, sex)",
        "CUBE(sex, job)",
        "GROUPING SETS((sex), (region, age))",
        "age // 20",
        "upper(sex)",
        "town",
        "ROLLUP(town, sex)",
        "CASE WHEN pay > 50 THEN 'rich' ELSE 'poor' END",
        "CASE WHEN town = 't1' THEN 'here' END, sex",
        "town = 't1'",
        "1 + 1",
        "pay",
    ]
)
policies = st.sampled_from(
    [
        private(),
        private(delta=1e-6),
        private(None, rho=0.5),
        private(neighbours="add_remove", groups={"sex": SEXES}),
        private(delta=1e-6, noise="analytic_gaussian", share_each=0.2, groups={}),
        private(delta=1e-6, noise="laplace", private_categories=["job"], groups={"sex": SEXES}),
        private(share_each=0.6),
    ]
)


@st.composite
def statements(draw) -> str:
    asked = draw(st.lists(statistics, min_size=1, max_size=3, unique=True))
    where = draw(st.lists(conditions, max_size=3))
    by = draw(groupings)
    order = draw(st.sampled_from(["", " ORDER BY 1", " ORDER BY 1 DESC"])) if by else ""
    names = [f"{by} AS g"] if by and "(" not in by and "," not in by else []
    text = f"SELECT {', '.join([*names, *asked])} FROM people"  # noqa: S608
    text += f" WHERE {' AND '.join(where)}" if where else ""
    text += f" GROUP BY {by}" if by else ""
    return text + (order if names else "")


def told(guard: Guard, sql: str, *, groups_are_public: bool) -> list:
    """Return all that an analyst sees of a query, and all that a ledger keeps, but for noise."""
    seen = []
    for act in (
        lambda: guard.explain(sql, user="ana"),
        lambda: guard.ask(f"EXPLAIN PRIVACY {sql}", user="ana").rows,
        lambda: guard.cost([sql, sql], user="ana"),
        lambda: shape(guard.ask(sql, user="ana"), groups_are_public=groups_are_public),
        lambda: guard.left("ana"),
        lambda: guard.view,
        lambda: guard.policies,
    ):
        try:
            seen.append(act())
        except QueryError as error:
            seen.append(str(error))
    return seen


def shape(answer, *, groups_are_public: bool) -> list:
    """Return what is not noise in an answer; which secret groups are shown is."""
    told = [answer.columns, answer.statistics, answer.cost, answer.left, answer.guarantees]
    if groups_are_public:
        labels = [
            tuple(value for value, yes in zip(row, answer.statistics, strict=True) if not yes)
            for row in answer.rows
        ]
        bounded = [[one is None for one in row] for row in answer.intervals]
        told += [labels, answer.refused, bounded]
    return told


def entries(ledger) -> list:
    return [
        (one.kind, {k: v for k, v in one.content.items() if k not in ("commitment", "nonce")})
        for one in ledger.entries()
    ][1:]


def compared(here, there, policy, asked, folder) -> None:
    seen = []
    for number, rows in enumerate((here, there)):
        with open_ledger(folder / f"{number}.db", b"k" * 32) as ledger:
            guard = Guard(classes(rows), [policy], ledger=ledger)
            open_groups = not policy.delta
            seen.append([told(guard, sql, groups_are_public=open_groups) for sql in asked])
            seen[-1].append(entries(ledger))
    assert seen[0] == seen[1]


@pytest.mark.numeric
@given(
    policy=policies,
    asked=st.lists(statements(), min_size=1, max_size=3),
    sizes=st.tuples(st.integers(1, 30), st.integers(0, 30)),
    seed=st.integers(0, 1000),
)
def test_nothing_but_noise_depends_on_the_data(policy, asked, sizes, seed, tmp_path_factory):
    """Neighbours, and data with nothing in common but the schema, look the same."""
    here = drawn(seed, sizes[0])
    folder = tmp_path_factory.mktemp("l")
    (folder / "near").mkdir()
    (folder / "far").mkdir()
    other = [("x", "y", -5, "elsewhere", "pilot", 1e9)]
    compared(here, here[1:] + other, policy, asked, folder / "near")
    compared(here, drawn(seed + 1, sizes[1]) or other, policy, asked, folder / "far")


# -- the attack that this is about -----------------------------------------------------------------


def test_membership_of_eighty_people_is_decided_by_chance():
    """Of 80 people half are in the data; rows, prices and what is left are the same for all."""
    rng = np.random.default_rng(7)
    everybody = list(product(SEXES, REGIONS, AGES, [f"t{at}" for at in range(9)]))
    chosen = [everybody[at] for at in rng.permutation(len(everybody))[:80]]
    data = classes([(*one, "cook", 10.0) for one in chosen[:40]])
    guard = Guard(data, [private(share_each=0.001)])
    seen = []
    for sex, region, age, town in chosen:
        sql = (
            f"SELECT sex, count(*) AS n FROM people WHERE sex = '{sex}' "  # noqa: S608
            f"AND region = '{region}' "
            f"AND age = {age} AND town = '{town}' GROUP BY sex"
        )
        price = guard.explain(sql, user="ana")["private_answers"]
        left = guard.left("ana")["epsilon"]
        answer = guard.ask(sql, user="ana")
        paid = round(left - answer.left["epsilon"], 9)
        seen.append(json.dumps([len(answer.rows), answer.cost, price["error of count(*)"], paid]))
    assert len(set(seen)) == 1  # so that any rule is right about 40 of 80


def victims() -> list[tuple[PublicClasses, Target]]:
    found = []
    for seed in range(5):
        data = classes(drawn(seed, 30))
        register = Register.of(data)
        found.append((data, Target(next(register.unique()), "pay", register)))
    return found


@pytest.mark.parametrize("attack", [ta.GroupMembership(), ta.PriceOracle()])
@pytest.mark.parametrize("policy", [private(share_each=0.001), private(delta=1e-6)])
def test_attacks_by_rows_and_prices_fail(attack, policy):
    for data, target in victims():
        outcome = attack.attack(Guard(data, [policy]), target)
        assert outcome.asked > 4
        assert not outcome.succeeded


# -- ledgers ---------------------------------------------------------------------------------------


def guarding(*chain) -> Guarding:
    return Guarding("people", list(chain))


def test_old_ledgers_open_and_the_guarantee_says_what_was_told_before(tmp_path):
    sql = 'SELECT "sex" AS "sex", count(*) AS "count(*)" FROM "people" GROUP BY "sex"'
    data = people(ROWS)
    with open_ledger(tmp_path / "l.db", b"k" * 32) as ledger:
        Followed(data, guarding(private()), ledger)
        paid = {
            "user": "ana",
            "query": sql,
            "allowed": "c0",
            "cells": 2,
            "refused": 0,
            "version": 0,
        }
        cost = {
            "epsilon": "1/10",
            "neighbours": "change_one",
            "bound": "1 record of a respondent, promised, not enforced",
        }
        ledger.append("debit", paid | {"costs": {"private_answers": cost}}).wait()
        ledger.append("answer", paid | {"commitment": "", "nonce": ""}).wait()
    for groups in (GROUPS, {}, {"sex": ["f", "m", "x"]}):
        with open_ledger(tmp_path / "l.db", b"k" * 32) as ledger:
            guard = Followed(data, guarding(private(groups=groups)), ledger).guard
            assert guard.left("ana") == {"epsilon": 0.9}
            assert "from before groups were declared" in guard.policies[0]["guarantee"]
            assert guard.session()["queries"] == 1


def test_what_was_taken_to_be_known_stays_in_the_guarantee(tmp_path):
    data = people(ROWS)
    for groups, known in (({"sex": "public"}, True), ({"sex": SEXES}, True)):
        with open_ledger(tmp_path / "l.db", b"k" * 32) as ledger:
            guard = Followed(data, guarding(private(groups=groups)), ledger).guard
            guard.ask("SELECT sex, count(*) FROM people GROUP BY sex", user="ana")
            assert ("Which values of `sex` occur" in guard.policies[0]["guarantee"]) is known


def test_policies_with_a_memory_need_the_groups_of_that_time(tmp_path):
    data = people(ROWS)
    sums = {"statistics": ["sum"]}
    sql = "SELECT sex, sum(pay), count(*) FROM people GROUP BY sex"
    audit = ta.Audit(statistics=["count"])
    with open_ledger(tmp_path / "l.db", b"k" * 32) as ledger:
        guard = Followed(data, guarding(private(**sums), audit), ledger).guard
        assert [row[0] for row in guard.ask(sql, user="ana").rows] == SEXES
    with open_ledger(tmp_path / "l.db", b"k" * 32) as ledger:
        assert Followed(data, guarding(private(**sums), audit), ledger).guard.session()["queries"]
    with open_ledger(tmp_path / "l.db", b"k" * 32) as ledger:
        other = private(**sums, groups={"sex": ["m", "x"]})
        with pytest.raises(LedgerError, match="for other declared groups"):
            Followed(data, guarding(other, audit), ledger)


# -- parameters ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ({"sxe": SEXES}, "`sxe`, which is no public attribute.*Did you mean `sex`"),
        ({"pay": [1, 2]}, "`pay`, which is no public attribute and no confidential category"),
        ({"sex": []}, "lists no value of `sex`"),
        ({"age": ["old"]}, "lists values of `age` that it cannot have: it holds int64"),
        ({"sex": "hierarchy"}, "needs for `sex` a list of its values.*found 'hierarchy'"),
        ({"sex": "men"}, "needs for `sex` a list of its values"),
        ({"job": "public"}, "needs for `job` a list of its values"),
        ({"age": list(range(100_001))}, "at most 100,000 values"),
    ],
)
def test_groups_that_cannot_be_are_said_in_a_sentence(groups, said):
    with pytest.raises(ParameterError, match=said):
        private(groups=groups).watch(classes(ROWS))


def test_a_plan_says_them():
    plan = private(groups={"sex": ["f", None], "age": "public"}).to_plan()
    assert json.loads(json.dumps(plan)) == plan
    assert plan["private_answers"]["groups"] == {"sex": ["f", None], "age": "public"}

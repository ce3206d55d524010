from __future__ import annotations

import csv
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import HierarchyError, ParameterError, ProtectionError
from tacita.microdata.anonymize.generalizing.levels import at_levels
from tacita.microdata.anonymize.promises import allowed_records, without_broken

SHARED = Path(__file__).parents[4] / "shared"
CITIES = {"any": {"north": ["a", "b", "c"], "south": ["d", "e"]}}
MODELS = {
    "k": lambda: [ta.KAnonymity(3)],
    "two key sets": lambda: [ta.KAnonymity(4, keys=["city"]), ta.KAnonymity(2)],
    "distinct": lambda: [ta.KAnonymity(2), ta.LDiversity(2)],
    "recursive": lambda: [ta.LDiversity(2, kind="recursive", c=2.0)],
    "close": lambda: [ta.KAnonymity(2), ta.TCloseness(0.3, "ill", distance="equal")],
    "key and confidential": lambda: [ta.KAnonymity(2), ta.LDiversity(2, "city")],
    "average": lambda: [ta.AverageRisk(0.3)],
    "map": lambda: [ta.KMap(4)],
    "presence": lambda: [ta.DeltaPresence(0.0, 0.7)],
}


def people(seed: int, records: int, *, blanks: bool = False, spread: int = 5) -> ta.Microdata:
    """Draw records with a tree, intervals and a key without a hierarchy."""
    rng = np.random.default_rng(seed)
    columns = {
        "city": rng.choice(list("abcde")[:spread], records),
        "age": rng.integers(20, 20 + 3 * spread, records),
        "sex": rng.choice(["f", "m"], records),
        "ill": rng.choice(["flu", "cold", "none"], records, p=[0.2, 0.3, 0.5]),
    }
    gone = rng.random((4, records)) < 0.15 * blanks
    gone[:, 0] = False
    table = pa.table(
        {
            name: pa.array(values, mask=mask)
            for (name, values), mask in zip(columns.items(), gone, strict=True)
        }
    )
    return ta.read(
        table,
        roles={"city": "key", "age": "key", "sex": "key", "ill": "confidential"},
        hierarchies={"city": {"tree": CITIES}, "age": {"intervals": {"widths": [5, 10]}}},
    )


def nodes(data):
    heights = {"city": 2, "age": 3, "sex": 1}
    ranges = [range(heights[name] + 1) for name in data.keys]
    return [dict(zip(data.keys, levels, strict=True)) for levels in product(*ranges)]


def cost(original, released, measure, mean):
    """Return the cost of a release by the measures that know nothing of lattices."""
    if measure == "loss":
        return ta.GeneralizationLoss(mean=mean).measure(original, released).value
    if measure == "precision":
        return ta.PrecisionLoss().measure(original, released).value
    if measure == "discernibility":
        return float(ta.Discernibility().measure(original, released).figures["dm"])
    if measure == "average_class_size":
        return float(ta.AverageClassSize().measure(original, released).figures["aecs"])
    if measure == "non_uniform_entropy":
        return ta.NonUniformEntropy().measure(original, released).figures["bits"]
    rows = zip(released.classes().of_record, released.column("ill").to_pylist(), strict=True)
    by_class: dict[int, Counter[str]] = {}
    for group, value in rows:
        by_class.setdefault(group, Counter())[value] += 1
    hits = sum(counts.most_common(1)[0][1] for counts in by_class.values())
    return (len(original) - hits) / len(original)


def brute_force(data, models, limit, measure, mean):
    """Try every node; return the least cost, and the levels that reach it, the lowest first."""
    found = []
    for levels in nodes(data):
        released = without_broken(at_levels(data, levels), models)
        left_out = len(data) - len(released)
        if left_out <= allowed_records(limit, len(data)):
            worth = cost(data, released, measure, mean)
            found.append((worth, sum(levels.values()), left_out, tuple(levels.values())))
    if not found:
        return None
    least = min(worth for worth, *_ in found)
    ties = [rest for worth, *rest in found if worth <= least * (1 + 1e-11) + 1e-15]
    return least, min(ties)


MEASURES = [
    ("loss", "geometric"),
    ("loss", "arithmetic"),
    ("precision", "geometric"),
    ("discernibility", "geometric"),
    ("average_class_size", "geometric"),
    ("non_uniform_entropy", "geometric"),
    ("accuracy", "geometric"),
]


def lattice(models, limit, measure, mean="geometric", **options):
    target = "ill" if measure == "accuracy" else None
    return ta.Lattice(
        models, suppression_limit=limit, measure=measure, mean=mean, target=target, **options
    )


def is_as_brute_force(data, models, limit, measure, mean):
    expected = brute_force(data, models, limit, measure, mean)
    if expected is None:
        with pytest.raises(ProtectionError, match="Even with every key fully generalized"):
            data.apply(lattice(models, limit, measure, mean))
        return
    safe = data.apply(lattice(models, limit, measure, mean))
    least, (height, left_out, levels) = expected
    assert safe.notes["optimal"]
    assert safe.notes["loss"] == pytest.approx(least, rel=1e-9, abs=1e-12)
    assert safe.notes["bound"] == safe.notes["loss"]
    assert (sum(safe.levels.values()), safe.suppressed) == (height, left_out)
    assert tuple(safe.levels.values()) == levels
    assert len(safe) == len(data) - left_out
    assert all(model.check(safe).holds for model in models)
    assert cost(data, safe, measure, mean) == pytest.approx(least, rel=1e-9, abs=1e-12)


@settings(max_examples=20)
@given(
    st.integers(0, 10**6),
    st.integers(1, 40),
    st.sampled_from(list(MODELS)),
    st.sampled_from([0.0, 0.1, 0.4]),
    st.sampled_from(MEASURES),
    st.booleans(),
    st.sampled_from([1, 3, 5]),
)
def test_the_optimum_is_that_of_brute_force(seed, records, which, limit, measure, blanks, spread):
    data = people(seed, records, blanks=blanks, spread=spread)
    data = data.with_external(population=people(seed + 1, 90, blanks=blanks))
    is_as_brute_force(data, MODELS[which](), limit, *measure)


@pytest.mark.parametrize("table", ["equal", "distinct", "huge"])
def test_odd_files_are_solved_as_well(table):
    columns = {
        "equal": {"city": ["a"] * 9, "sex": ["f"] * 9},
        "distinct": {"city": list("abcde"), "sex": list("vwxyz")},
        "huge": {"city": ["a"] * 30 + ["b", "d"], "sex": ["f"] * 31 + ["m"]},
    }[table]
    roles = {"city": "key", "sex": "key"}
    data = ta.read(pa.table(columns), roles=roles, hierarchies={"city": {"tree": CITIES}})
    for limit in (0.0, 0.1, 1.0):
        is_as_brute_force(data, [ta.KAnonymity(2)], limit, "loss", "geometric")


@settings(max_examples=12)
@given(st.integers(0, 10**6), st.sampled_from(["k", "distinct", "recursive"]), st.booleans())
def test_without_a_measure_all_minimal_nodes_are_found(seed, which, may_leave_out):
    data, models, limit = people(seed, 25), MODELS[which](), 0.2 * may_leave_out
    allowed = allowed_records(limit, len(data))
    good = {}
    for levels in nodes(data):
        left_out = len(data) - len(without_broken(at_levels(data, levels), models))
        if left_out <= allowed:
            good[tuple(levels.values())] = left_out
    minimal = [
        node
        for node in good
        if not any(o != node and all(a <= b for a, b in zip(o, node, strict=True)) for o in good)
    ]
    if not minimal:
        return
    safe = data.apply(lattice(models, limit, None))
    minimal.sort(key=lambda node: (sum(node), good[node], node))
    assert [tuple(levels.values()) for levels in safe.notes["minimal"]] == minimal
    assert tuple(safe.levels.values()) == minimal[0]
    assert safe.suppressed == good[minimal[0]]


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 12))
def test_a_search_that_is_stopped_gives_the_best_so_far_and_a_bound(seed, limit):
    data = people(seed, 60)
    best = data.apply(lattice(ta.KAnonymity(2), 0.1, "loss")).notes
    stopped = data.apply(lattice(ta.KAnonymity(2), 0.1, "loss", node_limit=limit)).notes
    assert stopped["nodes_checked"] <= limit
    assert stopped["bound"] <= best["loss"] * (1 + 1e-12)
    assert best["loss"] <= stopped["loss"] * (1 + 1e-12)
    assert not stopped["optimal"] or stopped["loss"] == pytest.approx(best["loss"])


def test_a_time_limit_stops_the_search():
    safe = people(3, 60).apply(lattice(ta.KAnonymity(2), 0.1, "loss", time_limit=1e-9))
    assert safe.notes["nodes_checked"] == 1
    assert set(safe.levels.values()) == {1, 2, 3}


def test_importance_moves_the_loss_to_other_keys():
    data = people(0, 60)
    even, weighed = (
        data.apply(lattice(ta.KAnonymity(5), 0.0, "loss", importance=said))
        for said in (None, {"city": 1000})
    )
    assert weighed.levels["city"] < even.levels["city"]
    losses = ta.GeneralizationLoss().measure(data, weighed).parts
    shares = np.array([1000, 1, 1]) / 1002
    expected = np.exp(shares @ np.log1p(list(losses.values()))) - 1
    assert weighed.notes["loss"] == pytest.approx(expected)
    huge = lattice(ta.KAnonymity(3), 0.0, "loss", importance=dict.fromkeys(data.keys, 1e308))
    assert data.apply(huge).loss == pytest.approx(data.anonymize(ta.KAnonymity(3)).loss)


def test_a_key_without_a_hierarchy_is_kept_or_tells_nothing():
    data = ta.read(pa.table({"sex": ["f", None, "m"]}), roles={"sex": "key"})
    safe = data.apply(lattice(ta.KAnonymity(2), 0.0, "loss"))
    assert safe.column("sex").to_pylist() == ["*"] * 3
    assert safe.notes["loss"] == 1


def test_a_key_that_is_confidential_is_judged_as_it_is_released():
    table = pa.table({"city": ["a", "b", "a", "b"], "sex": ["f", "f", "m", "m"]})
    data = ta.read(
        table,
        roles={"city": ["key", "confidential"], "sex": "key"},
        hierarchies={"city": {"tree": CITIES}},
    )
    models = (ta.KAnonymity(2), ta.LDiversity(2))
    safe = data.anonymize(*models)
    assert safe.levels == {"city": 0, "sex": 1}  # with all cities `north`, their values are one
    assert all(model.check(safe).holds for model in models)


@pytest.mark.parametrize("by", ["lattice", "datafly", "mondrian", "local_recoding"])
def test_without_a_key_beside_the_confidential_attribute_there_is_nothing_to_do(by):
    data = ta.read(pa.table({"ill": ["flu", "cold"]}), roles={"ill": ["key", "confidential"]})
    with pytest.raises(ParameterError, match="no key beside the confidential attribute"):
        data.anonymize(ta.LDiversity(2), by=by)


def test_the_population_is_generalized_alike():
    data = people(1, 20).with_external(population=people(2, 200))
    safe = data.apply(lattice([ta.KMap(3), ta.DeltaPresence(0.0, 0.6)], 0.0, "loss"))
    population = safe.external.population
    assert set(population.column("city").to_pylist()) >= set(safe.column("city").to_pylist())
    assert ta.KMap(3).check(safe).holds
    assert ta.DeltaPresence(0.0, 0.6).check(safe).holds


def test_values_that_a_hierarchy_misses_are_named():
    table = pa.table({"city": ["a", "z", "a"]})
    data = ta.read(table, roles={"city": "key"}, hierarchies={"city": {"tree": CITIES}})
    with pytest.raises(HierarchyError, match="`city`: The hierarchy does not cover 'z'"):
        data.anonymize(ta.KAnonymity(2), by="lattice")


class Crossing:
    """Levels that do not nest."""

    height = 2

    def labels(self, values, level):
        return pa.array([str(value % (level + 1)) for value in values.to_pylist()])

    def specification(self):
        return {}


def test_levels_that_do_not_nest_are_refused():
    table = pa.table({"x": [0, 1, 2, 3, 4, 5]})
    data = ta.read(table, roles={"x": "key"}, hierarchies={"x": Crossing()})
    with pytest.raises(HierarchyError, match="level 2 of its hierarchy tells values apart that"):
        data.anonymize(ta.KAnonymity(2), by="lattice")


def test_the_impossible_says_why_and_what_would_do():
    data = people(0, 30)
    with pytest.raises(ProtectionError, match=r"30 of 30 records break .*reaches 30 there\.$"):
        data.apply(lattice(ta.KAnonymity(31), 0.0, "loss"))
    with pytest.raises(ProtectionError, match=r"l_diversity \(l 9.*reaches 3 there"):
        data.apply(lattice(ta.LDiversity(9, "ill"), 0.0, "loss"))
    blank = people(4, 30, blanks=True)
    with pytest.raises(ProtectionError, match="`suppression_limit` of") as told:
        blank.apply(lattice(ta.KAnonymity(6), 0.0, "loss"))
    enough = float(str(told.value).split("`suppression_limit` of ")[1].split()[0])
    assert blank.apply(lattice(ta.KAnonymity(6), enough, "loss")).suppressed <= enough * 30


def test_a_search_stopped_too_early_says_so():
    data = people(0, 30)
    model = ta.TCloseness(0.0, "ill", distribution={"flu": 1, "cold": 1, "none": 1})
    with pytest.raises(ProtectionError, match="before the search stopped; raise `node_limit`"):
        data.apply(lattice(model, 0.1, "loss", node_limit=1))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"measure": "accuracy"}, "`target` of `lattice` goes with"),
        ({"target": "ill"}, "`target` of `lattice` goes with"),
        ({"measure": "precision", "mean": "arithmetic"}, "goes with the measure loss only"),
        ({"measure": None, "importance": {"age": 2}}, "`importance` of `lattice` goes with"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, told):
    with pytest.raises(ParameterError, match=told):
        ta.Lattice(ta.KAnonymity(2), **options)


def test_importance_names_keys():
    data = people(0, 30)
    with pytest.raises(ParameterError, match="names `ill`, which is not among the keys"):
        data.apply(lattice(ta.KAnonymity(2), 0.0, "loss", importance={"ill": 1}))
    nothing = {"city": 0, "age": 0, "sex": 0}
    with pytest.raises(ParameterError, match="must be above 0 for some key"):
        data.apply(lattice(ta.KAnonymity(2), 0.0, "loss", importance=nothing))


def test_too_many_nodes_are_refused():
    codes = [f"{number:012d}" for number in range(3)]
    names = [f"key{number}" for number in range(9)]
    data = ta.read(
        pa.table(dict.fromkeys(names, codes)),
        roles=dict.fromkeys(names, "key"),
        hierarchies={name: {"prefix": 12} for name in names},
    )
    with pytest.raises(ParameterError, match="a lattice of 10,604,499,373 nodes"):
        data.anonymize(ta.KAnonymity(2), by="lattice")


# -- the optima of ARX ----------------------------------------------------------------------------

METRICS = {
    "loss": ("loss", "geometric"),
    "loss_am": ("loss", "arithmetic"),
    "dm": ("discernibility", "geometric"),
    "aecs": ("average_class_size", "geometric"),
    "entropy_mono": ("non_uniform_entropy", "geometric"),
}


def arx_rows(name):
    file = SHARED / "reference" / "arx.csv"
    rows = list(csv.DictReader(file.read_text().splitlines())) if file.exists() else []
    return [row for row in rows if row["dataset"] == name and row["local_recoding"] == "none"]


@cache
def adult():
    folder = SHARED / "data" / "adult"
    keys = arx_rows("adult")[0]["qi_order"].split("|")
    names = [*keys, "occupation"]
    return ta.read(
        folder / "adult.csv",
        roles={**dict.fromkeys(keys, "key"), "occupation": "confidential"},
        kinds=dict.fromkeys(names, "nominal"),
        hierarchies={name: folder / f"adult_hierarchy_{name}.csv" for name in names},
    )


def arx_models(data, privacy):
    jobs = dict(Counter(data.column("occupation").to_pylist()))
    known = {
        "k=5": ta.KAnonymity(5),
        "l=3": ta.LDiversity(3),
        "cl=4:3": ta.LDiversity(3, kind="recursive", c=4.0),
        "t=0.2": ta.TCloseness(0.2, distance="equal", distribution=jobs),
        "ht=0.2": ta.TCloseness(0.2, distance="hierarchical", distribution=jobs),
    }
    return [known[word] for word in privacy.split("+")]


# Two rows take seconds each, as models that are not steady rule out little; they agree, too.
QUICK = [
    row
    for row in arx_rows("adult")
    if not ("t=" in row["privacy"] and row["suppression_limit"] == "0.04")
]


@pytest.mark.skipif(not QUICK, reason="the reference data are not here")
@pytest.mark.parametrize(
    "row", QUICK, ids=lambda row: f"{row['privacy']} {row['suppression_limit']} {row['metric']}"
)
def test_levels_records_and_score_are_those_of_arx(row):
    data = adult()
    measure, mean = METRICS[row["metric"]]
    safe = data.anonymize(
        *arx_models(data, row["privacy"]),
        by="lattice",
        suppression_limit=float(row["suppression_limit"]),
        measure=measure,
        mean=mean,
    )
    levels = dict(zip(row["qi_order"].split("|"), row["optimum_levels"].split("|"), strict=True))
    assert safe.levels == {name: int(level) for name, level in levels.items()}
    assert safe.suppressed == int(row["suppressed"])
    assert safe.notes["loss"] == pytest.approx(float(row["score"]), rel=1e-8)
    assert len(safe.classes()) == int(row["classes"])

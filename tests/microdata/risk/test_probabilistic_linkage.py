from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.microdata.risk.exact_linkage import ExactLinkage
from tacita.microdata.risk.probabilistic_linkage import ProbabilisticLinkage

SHARED = Path(__file__).parents[4] / "shared"
LETTERS = np.array(list("abcdefghijklmnoprstuvz"))


def keyed(**columns: object) -> ta.Microdata:
    return ta.read(pa.table(columns), roles=dict.fromkeys(columns, "key"))


def measured(original: ta.Microdata, protected: ta.Microdata, **parameters: object):
    return ProbabilisticLinkage(**parameters).measure(*ta.pair(original, protected, "position"))


def classical(original: ta.Microdata, protected: ta.Microdata, **parameters: object):
    return measured(original, protected, model="classical", **parameters)


def people(n: int, seed: int = 0) -> ta.Microdata:
    rng = np.random.default_rng(seed)
    surnames = ["".join(rng.choice(LETTERS, 8)) for _ in range(n // 3)]
    return keyed(
        surname=[surnames[place] for place in rng.integers(0, len(surnames), n)],
        born=pa.array(rng.integers(0, 20_000, n).astype("datetime64[D]")),
        sex=rng.choice(["f", "m"], n),
        zip=[f"{code:05}" for code in rng.integers(1, 40, n)],
    )


def misspelt(data: ta.Microdata, share: float, seed: int = 1) -> ta.Microdata:
    rng = np.random.default_rng(seed)
    words = data.column("surname").to_pylist()
    for place in np.flatnonzero(rng.random(len(words)) < share):
        at = rng.integers(1, len(words[place]))
        words[place] = words[place][:at] + str(rng.choice(LETTERS)) + words[place][at + 1 :]
    return data.with_column(data.attribute("surname"), pa.array(words))


@pytest.mark.numeric
@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from("xyz")), min_size=2, max_size=12))
@example([(0, "y")] * 2 + [(1, "x")] + [(1, "y")] * 4)
def test_a_copy_is_linked_one_in_the_class(rows):
    data = keyed(a=[a for a, _ in rows], b=[b for _, b in rows])
    expected = sum(Fraction(1, Counter(rows)[row]) for row in rows) / len(rows)
    assert measured(data, data).value == expected == ExactLinkage().measure(data, data).value


def test_recoding_is_followed():
    data = ta.example("toy", 200)
    masked = data.apply(ta.Recode("age", width=10)).apply(ta.Generalize("zip", level=2))
    expected = ExactLinkage(keys=["age", "zip"]).measure(data, masked).value
    assert measured(data, masked, attributes=["age", "zip"]).value == expected


def test_unrelated_files_are_linked_by_chance():
    data = people(300)
    other = data.take(np.random.default_rng(4).permutation(300))
    shuffled = keyed(**{name: other.column(name) for name in other.names})
    found = measured(data, shuffled, similarity=0.9)
    assert float(found.value) < 0.03


def test_partial_agreement_helps_with_misspelt_names():
    data = people(400).without(["born"])
    masked = misspelt(data, 0.7)
    sure, partly = classical(data, masked), classical(data, masked, similarity=0.85)
    assert float(partly.value) > float(sure.value) + 0.2
    levels = {(row["attribute"], row["level"]): row for row in partly.details.to_pylist()}
    surname = [levels["surname", level]["weight"] for level in ("agree", "partly", "disagree")]
    assert surname == sorted(surname, reverse=True)
    # Seven in ten names are misspelt, a few of them into the same letter.
    assert levels["surname", "agree"]["m"] == pytest.approx(0.33, abs=0.08)


def test_more_noise_leaves_fewer_links():
    rng = np.random.default_rng(0)
    x, y, z = rng.normal(size=(3, 300))
    data = keyed(x=x, y=y, z=z)
    shares = []
    for noise in (0.05, 0.3, 3.0):
        dx, dy, dz = noise * rng.normal(size=(3, 300))
        shares.append(float(measured(data, keyed(x=x + dx, y=y + dy, z=z + dz)).value))
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.5
    assert shares[2] < 0.05


def test_thresholds_sort_the_pairs_out():
    data = people(200)
    found = classical(data, misspelt(data, 0.2)).figures
    assert found["pairs"] == 200 * 200 == found["links"] + found["clerical"] + found["non_links"]
    assert found["false_links"] <= 20
    assert found["links"] - found["false_links"] > 150
    assert found["t1"] < found["t2"]
    strict = classical(data, misspelt(data, 0.2), false_link_rate=0, false_nonlink_rate=0).figures
    assert (strict["t1"], strict["t2"], strict["clerical"]) == (None, None, 200 * 200)
    given = classical(data, data, t1=-1000, t2=1000).figures
    assert (given["links"], given["non_links"], given["clerical"]) == (0, 0, 200 * 200)
    every = classical(data, data, t2=-1000).figures
    assert every["links"] == 200 * 200
    assert every["false_links"] == 200 * 199


def test_blocks_leave_the_links_that_they_keep():
    data = people(300)
    masked = misspelt(data, 0.3)
    whole, blocked = classical(data, masked), classical(data, masked, blocking="zip")
    assert blocked.figures["pairs"] == sum(
        n * n for n in Counter(data.column("zip").to_pylist()).values()
    )
    assert blocked.figures["not_compared"] == 0
    assert float(blocked.value) == pytest.approx(float(whole.value), abs=0.03)
    lost = classical(data, masked, blocking="surname")
    assert lost.figures["not_compared"] > 60
    either = classical(data, masked, blocking=["surname", "zip"], agreeing="any")
    assert either.figures["not_compared"] == 0
    assert blocked.figures["pairs"] < either.figures["pairs"] < 300 * 300


@pytest.mark.parametrize("assignment", ["greedy", "optimal"])
def test_one_to_one_links_of_a_copy_are_right(assignment):
    data = people(150)
    found = measured(data, data, assignment=assignment)
    assert found.value == measured(data, data).value
    assert found.figures["right_links"] == 150 * found.value


def test_one_to_one_links_are_not_worse_where_records_compete():
    data = people(300).without(["born"])
    masked = misspelt(data, 0.5)
    best = float(measured(data, masked, similarity=0.85).value)
    for assignment in ("greedy", "optimal"):
        found = measured(data, masked, similarity=0.85, assignment=assignment)
        assert float(found.value) > best - 0.02


@pytest.mark.parametrize("parameters", [{"matches": "estimated"}, {"nonmatches": "all_pairs"}])
def test_other_ways_to_estimate_find_the_same_links(parameters):
    data = people(250)
    masked = misspelt(data, 0.3)
    known = classical(data, masked, similarity=0.9)
    found = classical(data, masked, similarity=0.9, **parameters)
    assert float(found.value) == pytest.approx(float(known.value), abs=0.03)
    assert found.figures["share_of_matches"] == pytest.approx(1 / 250, rel=0.5)


def test_a_sample_estimates_the_share_of_all():
    data = people(600)
    masked = misspelt(data, 0.8).without(["born"])
    whole, part = classical(data, masked), classical(data, masked, sample=150)
    assert part.interval.lower <= float(whole.value) <= part.interval.upper
    assert part.per_record is None
    assert part.figures["pairs"] == 150 * 600
    assert "a random sample of 150 of 600 records" in part.sentence


def test_records_and_attributes_that_are_not_released_are_left_out():
    data = people(120)
    masked = data.without(["zip"]).take(np.array([5, 3, 99]))
    found = ProbabilisticLinkage(attributes=["zip", "born", "surname"]).measure(data, masked)
    assert found.per_record.tolist() == [1, 1, 1]
    assert found.details["attribute"].unique().to_pylist() == ["born", "surname"]


def test_a_blank_adds_no_weight():
    data = keyed(a=["x", "y", "z", None], b=[1, 2, 3, 4])
    gone = data.with_column(data.attribute("a"), pa.array([None, "y", None, None]))
    assert measured(data, gone).value == 1
    unknown = data.with_column(data.attribute("b"), pa.array([None] * 4, pa.int64()))
    # The fourth respondent's value is blank to the intruder: nothing speaks for or against.
    assert measured(data, unknown).per_record.tolist() == [1, 1, 1, 0.25]


def test_what_cannot_be_compared_is_said_in_a_sentence():
    data = keyed(a=[1, 2])
    with pytest.raises(InputError, match="Name others in `attributes`"):
        classical(data, data.without(["a"]), attributes=["a"])
    many = keyed(**{f"a{place}": [1, 2] for place in range(32)})
    with pytest.raises(InputError, match="At most 31 attributes can be compared, found 32"):
        classical(many, many)


def test_thresholds_the_wrong_way_round_are_refused():
    with pytest.raises(ParameterError, match=r"`t1` should be at most `t2`; found 3\.0 and 2\.0"):
        ProbabilisticLinkage(model="classical", t1=3, t2=2)


def test_noise_of_a_tenth_on_reference_data():
    """Other systems link 36 % (Euclidean) to 67 % (Gower) of these records by distance."""
    masked = SHARED / "reference/sdcmicro/Tarragona_addNoise_additive10_seed123.csv"
    if not masked.exists():
        pytest.skip("the reference data are not here")
    tables = [pa.csv.read_csv(path) for path in (SHARED / "data/casc/Tarragona.csv", masked)]
    original, noisy = (
        ta.read(table, roles=dict.fromkeys(tables[0].column_names, "key")) for table in tables
    )
    found = classical(original, noisy)
    assert 0.3 < float(found.value) < 0.67
    assert classical(original, original).value == ExactLinkage().measure(original, original).value


def heavy_tailed(n: int, seed: int = 0) -> ta.Microdata:
    """Return five correlated log-normal attributes, of which one is often 0."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    columns = {name: np.exp(0.8 * common + rng.normal(size=n)) for name in "abcde"}
    columns["e"][rng.random(n) < 0.4] = 0
    return keyed(**columns)


def fellegi_sunter_of_ranks(original: ta.Microdata, protected: ta.Microdata) -> float:
    """Link by six levels of rank differences, weights by expectation-maximization of all pairs."""
    levels = []
    for name in original.names:
        ranks = []
        for data in (protected, original):
            values = data.numbers(name)
            order = np.sort(values)
            first, behind = (np.searchsorted(order, values, side) for side in ("left", "right"))
            ranks.append((first + behind) / (2 * len(values)))
        apart = np.abs(ranks[0][:, None] - ranks[1][None, :])
        levels.append(np.searchsorted([1e-9, 0.01, 0.03, 0.06, 0.15], apart))
    n = len(original)
    u = [np.bincount(each.ravel(), minlength=6) / n**2 for each in levels]
    m = [np.array([0.5, 0.2, 0.15, 0.1, 0.04, 0.01]) for _ in levels]
    for _ in range(30):
        tables = [np.log(ours / theirs.clip(1e-9)) for ours, theirs in zip(m, u, strict=True)]
        weights = sum(table[each] for table, each in zip(tables, levels, strict=True))
        odds = np.exp(weights) / (n - 1)
        match = odds / (1 + odds)
        m = [
            (np.bincount(each.ravel(), match.ravel(), 6) + 1e-3) / (match.sum() + 6e-3)
            for each in levels
        ]
    best = weights >= weights.max(axis=1, keepdims=True) - 1e-9
    return float((np.diag(best) / best.sum(axis=1)).mean())


@pytest.mark.parametrize(
    "masking",
    [ta.RankSwap(list("abcde"), p=5), ta.Microaggregate(list("abcde"), together=3, k=3)],
    ids=lambda masking: masking.name,
)
def test_graded_levels_link_masked_numbers(masking):
    data = heavy_tailed(500)
    masked = data.apply(masking, seed=2)
    other = fellegi_sunter_of_ranks(data, masked)
    found = measured(data, masked)
    assert other > 0.6
    assert float(found.value) > other - 0.02
    assert float(found.value) - 0.1 < found.figures["claimed"] < float(found.value) + 0.02
    assert float(classical(data, masked).value) < float(found.value) - 0.2


def test_learned_weights_serve_every_assignment():
    data = heavy_tailed(300)
    masked = data.apply(ta.RankSwap(list("abcde"), p=10), seed=2)
    shares = {
        how: float(measured(data, masked, assignment=how).value)
        for how in ("best", "greedy", "optimal", "likeliest")
    }
    assert min(shares.values()) > 0.75
    # That nobody is linked twice tells rivals apart.
    assert min(shares["optimal"], shares["likeliest"]) > shares["best"] + 0.05


def test_the_order_of_records_does_not_matter():
    data = heavy_tailed(200)
    masked = data.apply(ta.RankSwap(list("abcde"), p=15), seed=2)
    turn = np.random.default_rng(5).permutation(200)
    found = measured(data, masked)
    turned = measured(data.take(turn), masked.take(turn))
    assert turned.value == found.value
    assert turned.per_record.tolist() == found.per_record[turn].tolist()
    assert turned.figures["claimed"] == pytest.approx(found.figures["claimed"], abs=1e-9)


def test_what_belongs_to_one_model_is_refused_with_the_other():
    with pytest.raises(ParameterError, match="Only the classical model takes `days, t1`"):
        ProbabilisticLinkage(days=3, t1=0)
    with pytest.raises(ParameterError, match="`likeliest` is of the model `learned`"):
        ProbabilisticLinkage(model="classical", assignment="likeliest")


@pytest.mark.parametrize(("masking", "least"), [("rank_swap", 0.97), ("microaggregate", 0.97)])
def test_tarragona_is_linked(masking, least):
    path = SHARED / "data/casc/Tarragona.csv"
    if not path.exists():
        pytest.skip("the public data are not here")
    table = pa.csv.read_csv(path)
    data = ta.read(table, roles=dict.fromkeys(table.column_names, "key"))
    steps = {
        "rank_swap": ta.RankSwap(data.names, p=5),
        "microaggregate": ta.Microaggregate(data.names, together=3, k=3),
    }
    assert float(measured(data, data.apply(steps[masking], seed=1)).value) > least


def test_a_tree_of_one_level_is_climbed():
    towns = {"tree": {"all": ["a", "b", "c"]}}
    table = pa.table({"town": ["a", "b", "c", "a"], "age": [20.0, 40.0, 60.0, 80.0]})
    data = ta.read(table, roles={"town": "key", "age": "key"}, hierarchies={"town": towns})
    coarse = data.with_column(data.attribute("town"), pa.array(["all"] * 4))
    found = ta.ProbabilisticLinkage().measure(data, coarse)
    assert found.value == 1


def collinear(n: int, seed: int = 0) -> ta.Microdata:
    """Return six numbers, half of them nearly sums of others."""
    rng = np.random.default_rng(seed)
    a, b, c = np.exp(rng.normal(size=(3, n)))
    sums = {"d": a + b, "e": b + c, "f": a + b + c}
    rest = {name: each * (1 + 0.02 * rng.normal(size=n)) for name, each in sums.items()}
    return keyed(a=a, b=b, c=c, **rest)


def linked_by(
    method: type, data: ta.Microdata, masked: ta.Microdata, names: list[str] | None = None
) -> float:
    pair = ta.pair(data, masked, "position")
    return float(method(names, sample=None).measure(*pair).value)


def by_the_noise_itself(data: ta.Microdata, masked: ta.Microdata) -> float:
    """Link each record to the nearest one, noise measured by the covariance that it has."""
    known, released = (
        np.column_stack([side.numbers(name) for name in side.names]) for side in (data, masked)
    )
    turn = np.linalg.inv(np.linalg.cholesky(np.cov(released - known, rowvar=False)))
    apart = ((released @ turn.T)[:, None, :] - (known @ turn.T)[None]) ** 2
    return float((apart.sum(axis=2).argmin(axis=1) == np.arange(len(known))).mean())


def test_noise_that_is_correlated_as_the_data_are_is_learned():
    data = collinear(400)
    masked = data.apply(ta.AddNoise(data.names, alpha=0.1, kind="correlated"), seed=3)
    found = linked_by(ProbabilisticLinkage, data, masked)
    assert found > linked_by(ta.DistanceLinkage, data, masked) + 0.2
    assert found > by_the_noise_itself(data, masked) - 0.02


def test_clusters_of_all_attributes_are_linked_as_well_as_by_distance():
    data = heavy_tailed(500)
    masked = data.apply(ta.Microaggregate(data.names, k=5), seed=3)
    found = linked_by(ProbabilisticLinkage, data, masked)
    assert found <= 1 / 5
    assert found > linked_by(ta.DistanceLinkage, data, masked)


@pytest.mark.parametrize(
    "masking",
    [ta.Microaggregate(["a"], k=3), ta.RoundValues(["a"], base=0.01), ta.Resample(["a"])],
    ids=lambda masking: masking.name,
)
def test_one_attribute_is_linked_as_well_as_by_ranks(masking):
    data = keyed(a=np.exp(np.random.default_rng(2).normal(size=300)))
    masked = data.apply(masking, seed=3)
    by_ranks = linked_by(ta.RankLinkage, data, masked, ["a"])
    assert by_ranks > 0.3
    assert linked_by(ProbabilisticLinkage, data, masked, ["a"]) > by_ranks - 0.02


def test_errors_that_do_not_depend_on_one_another_are_weighed_one_by_one():
    data = heavy_tailed(400)
    masked = data.apply(ta.RankSwap(data.names, p=10), seed=3)
    best = max(linked_by(method, data, masked) for method in (ta.DistanceLinkage, ta.RankLinkage))
    assert linked_by(ProbabilisticLinkage, data, masked) > best + 0.1


@pytest.mark.parametrize(
    ("masking", "parameters"),
    [
        (ta.AddNoise, {"alpha": 0.1, "kind": "correlated"}),
        (ta.Microaggregate, {"k": 3}),
        (ta.Microaggregate, {"k": 7}),
    ],
    ids=["correlated noise", "clusters of 3", "clusters of 7"],
)
def test_census_is_linked_better_than_by_distance(masking, parameters):
    path = SHARED / "data/casc/Census.csv"
    if not path.exists():
        pytest.skip("the public data are not here")
    table = pa.csv.read_csv(path)
    data = ta.read(table, roles=dict.fromkeys(table.column_names, "key"))
    masked = data.apply(masking(data.names, **parameters), seed=1)
    assert linked_by(ProbabilisticLinkage, data, masked) > linked_by(
        ta.DistanceLinkage, data, masked
    )

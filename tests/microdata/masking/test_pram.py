from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import InputError, ParameterError, ProtectionError

MATRIX = {"a": {"a": 0.5, "b": 0.5}, "b": {"b": 1.0}, "c": {"a": 0.25, "c": 0.75}}


def read(values, **others):
    return ta.read(pa.table({"x": pa.array(values), **others}), kinds={"x": "nominal"})


def counts(data, words, weights=None):
    column = np.array(data.column("x").to_pylist())
    weights = np.ones(len(data)) if weights is None else weights
    return np.array([weights[column == word].sum() for word in words])


def matrix_of(data, name="x", place=0):
    """Return the matrix of the notes as an array, its rows in ascending order."""
    found = data.notes["matrices"][name][place]["matrix"]
    return np.array(
        [[found[one].get(other, 0.0) for other in sorted(found)] for one in sorted(found)]
    )


def test_a_given_matrix_is_applied_as_it_is():
    """Transitions of 30,000 records lie within 3 standard errors of their probabilities."""
    values = np.repeat(list("abc"), 10_000)
    safe = read(values).apply(ta.Pram("x", matrix=MATRIX), seed=2)
    released = np.array(safe.column("x").to_pylist())
    for word, row in MATRIX.items():
        for other in "abc":
            p = row.get(other, 0.0)
            share = np.mean(released[values == word] == other)
            assert abs(share - p) <= 3 * np.sqrt(p * (1 - p) / 10_000)
    assert safe.notes["matrices"]["x"] == [{"matrix": MATRIX}]


@given(
    st.lists(st.sampled_from("abcd"), max_size=60).map(lambda some: ["a", *some, "d"]),
    st.floats(0, 1),
    st.booleans(),
)
def test_no_category_is_kept_less_than_said(values, least, invariant):
    safe = read(values).apply(ta.Pram("x", minimum_diagonal=least, invariant=invariant), seed=1)
    matrix = matrix_of(safe)
    assert np.diag(matrix).min() >= least - 1e-12
    np.testing.assert_allclose(matrix.sum(axis=1), 1)
    assert set(safe.column("x").to_pylist()) <= set(values)
    if invariant:
        before = counts(read(values), sorted(set(values)))
        np.testing.assert_allclose(before @ matrix, before, atol=1e-9)


def test_without_a_word_a_category_is_kept_in_four_of_five_cases():
    safe = read(list("abc") * 5).apply(ta.Pram("x"), seed=1)
    np.testing.assert_allclose(matrix_of(safe), np.eye(3) * 0.7 + 0.1)


@pytest.mark.parametrize("given_", [{"minimum_diagonal": 0.6}, {"matrix": MATRIX}])
@pytest.mark.parametrize("weighted", [False, True])
def test_invariant_pram_keeps_expected_frequencies(given_, weighted):
    """The mean frequencies of 400 releases lie within 3 standard errors of the original ones."""
    values = np.repeat(list("abc"), [400, 90, 10])
    weights = np.random.default_rng(0).uniform(1, 5, 500)
    data = ta.read(pa.table({"x": values, "w": weights}), roles={"w": "weight"})
    method = ta.Pram("x", invariant=True, weighted=weighted, **given_)
    rng, used = np.random.default_rng(7), weights if weighted else None
    found = np.array([counts(method.mask(data, rng), "abc", used) for _ in range(400)])
    error = found.std(axis=0, ddof=1) / 20
    assert (error > 0).all()
    assert (np.abs(found.mean(axis=0) - counts(data, "abc", used)) < 3 * error).all()


def test_alpha_scales_the_change():
    whole, half = (
        matrix_of(read(list("aaab")).apply(ta.Pram("x", alpha=alpha, invariant=True), seed=1))
        for alpha in (1, 0.5)
    )
    np.testing.assert_allclose(half, whole / 2 + np.eye(2) / 2)


def test_strata_have_matrices_of_their_own():
    values = list("aab") * 40 + list("ccd") * 40
    data = read(values, s=pa.array(["one"] * 120 + ["two"] * 120))
    safe = data.apply(ta.Pram("x", minimum_diagonal=0.2, invariant=True, within="s"), seed=1)
    released = safe.column("x").to_pylist()
    assert set(released[:120]) == {"a", "b"}
    assert set(released[120:]) == {"c", "d"}
    told = safe.notes["matrices"]["x"]
    assert [one["within"] for one in told] == [{"s": "one"}, {"s": "two"}]
    np.testing.assert_allclose([80, 40] @ matrix_of(safe, place=1), [80, 40])


def test_within_strata_the_frequencies_of_each_are_expected_to_stay():
    values = np.repeat(["a", "b", "a", "b"], [150, 50, 20, 80])
    data = read(values, s=pa.array(np.repeat([1, 2], [200, 100])))
    method, rng = ta.Pram("x", invariant=True, within="s"), np.random.default_rng(3)
    found = []
    for _ in range(400):
        released = np.array(method.mask(data, rng).column("x").to_pylist())
        found.append([np.sum(released[:200] == "a"), np.sum(released[200:] == "a")])
    error = np.std(found, axis=0, ddof=1) / 20
    assert (np.abs(np.mean(found, axis=0) - [150, 20]) < 3 * error).all()


def test_where_nothing_can_change_nothing_is_released_as_changed():
    """Strata of one record each would release the data as they are."""
    data = read(list("aabb"), s=pa.array([1, 1, 2, 3]))
    assert "b" in data.apply(ta.Pram("x", minimum_diagonal=0), seed=1).column("x").to_pylist()[:2]
    with pytest.raises(ProtectionError, match="one category in every stratum of s"):
        data.apply(ta.Pram("x", within="s"), seed=1)
    with pytest.raises(ProtectionError, match="it has one category; give"):
        read(["a", "a"]).apply(ta.Pram("x"), seed=1)
    other = {"a": {"b": 1.0}, "b": {"b": 1.0}}
    safe = read(["a", "a"]).apply(ta.Pram("x", matrix=other), seed=1)
    assert safe.column("x").to_pylist() == ["b", "b"]


def test_a_stratum_of_blanks_has_nothing_to_change():
    data = read(["a", "b", None], s=pa.array(["one", "one", None]))
    safe = data.apply(ta.Pram("x", invariant=True, within="s"), seed=1)
    assert safe.column("x")[2].as_py() is None
    assert safe.notes["matrices"]["x"][1] == {"within": {"s": None}, "matrix": {}}


def test_blanks_stay_and_types_too():
    data = read([1, None, 2, 3, None] * 20)
    safe = data.apply(ta.Pram("x", minimum_diagonal=0), seed=1)
    assert safe.column("x").type == pa.int64()
    assert safe.column("x").is_null().equals(data.column("x").is_null())


def test_a_matrix_may_release_what_nobody_has():
    matrix = {"a": {"a": 0.5, "new": 0.5}, "new": {"new": 1.0}}
    released = read(["a"] * 200).apply(ta.Pram("x", matrix=matrix), seed=1).column("x")
    assert set(released.to_pylist()) == {"a", "new"}


def test_several_attributes_are_changed_apart(toy):
    safe = toy.apply(ta.Pram(["disease", "education"], minimum_diagonal=0.5), seed=1)
    assert set(safe.notes["matrices"]) == {"disease", "education"}
    changed = [
        np.asarray(pa.compute.not_equal(safe.column(name), toy.column(name)).fill_null(False))
        for name in ("disease", "education")
    ]
    assert 0.4 < changed[0].mean() < 0.6
    assert abs(np.corrcoef(changed)[0, 1]) < 3 / np.sqrt(300)


def test_matrices_are_told_by_choice_only():
    assert "matrices" not in ta.Pram("x").told()
    assert "matrices" in ta.Pram("x", tell_matrix=True).told()
    assert not {"matrix", "minimum_diagonal", "alpha"} & ta.Pram.public


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"matrix": {"a": {"a": 0.9}}},
            "Row 'a' of `matrix` of `pram` must sum to 1; it sums to 0.9",
        ),
        ({"matrix": {"a": {"b": 1}}}, "releases 'b', which has no row itself"),
        ({"matrix": {"a": {"a": 1.5}}}, "less than or equal to 1"),
        ({"matrix": MATRIX, "minimum_diagonal": 0.5}, "one of `matrix` and `minimum_diagonal`"),
        ({"matrix": MATRIX, "within": "s"}, "the same in all strata"),
        ({"weighted": True}, "`weighted` of `pram` is for invariant"),
        ({"within": "x"}, "names `x`, which is changed itself"),
        ({"alpha": 0}, "greater than 0"),
    ],
)
def test_parameters_that_contradict_are_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        ta.Pram("x", **parameters)


def test_a_matrix_is_for_one_attribute():
    with pytest.raises(ParameterError, match="is for one attribute; found 2"):
        ta.Pram(["x", "y"], matrix=MATRIX)


def test_data_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="`x` has the category 'd', which is none of those given"):
        read(list("ad")).apply(ta.Pram("x", matrix=MATRIX))
    with pytest.raises(ParameterError, match="needs sampling weights"):
        read(list("ab")).apply(ta.Pram("x", invariant=True, weighted=True))


def test_sdcmicros_invariant_matrix():
    """Roof of sdcMicro's test data, with the diagonal that it drew and alpha 0.5."""
    words, frequencies = ["2", "4", "5", "6", "9"], [814, 3697, 19, 34, 16]
    diagonal = [
        *(0.98296120869927106, 0.98741508265957234, 0.8572279069572688),
        *(0.96608952521346514, 0.92834910377860069),
    ]
    matrix = {
        word: {other: p if other == word else (1 - p) / 4 for other in words}
        for word, p in zip(words, diagonal, strict=True)
    }
    data = read(np.repeat(words, frequencies))
    found = matrix_of(data.apply(ta.Pram("x", matrix=matrix, invariant=True, alpha=0.5), seed=1))
    np.testing.assert_allclose(
        found[0],
        [
            *(0.98431456857771893, 0.011241453253983303, 0.0015719701557878846),
            *(0.0016438190711635173, 0.0012281889413462634),
        ],
        rtol=1e-12,
    )
    np.testing.assert_allclose(
        np.diag(found)[1:],
        [0.99463087079257928, 0.71907761115628244, 0.82447800377850577, 0.72312761074758936],
        rtol=1e-12,
    )

import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import brentq

import tacita as ta
from tacita.errors import ParameterError, ProtectionError
from tacita.microdata.synthesis.maximizing_entropy.coding import Coding
from tacita.microdata.synthesis.maximizing_entropy.constraints import Constraints
from tacita.microdata.synthesis.maximizing_entropy.tables import fitted_table
from tacita.microdata.synthesis.maximizing_entropy.tilting import tilted
from tacita.microdata.synthesis.maximum_entropy import MaximumEntropy


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], 600)
    age = rng.uniform(20, 70, 600)
    wage = 1000 + 20 * age + 300 * (sex == "m") + rng.normal(size=600) * 200
    region = np.where(rng.random(600) < 0.3 + 0.3 * (sex == "m"), "north", "south")
    return ta.read(pa.table({"sex": sex, "region": region, "age": age, "wage": wage}))


def test_the_die_of_jaynes():
    """A die whose mean is 4.5: the probabilities are geometric, as Jaynes found."""
    faces = np.arange(1.0, 7.0)
    weights = tilted(faces[None, :], np.array([4.5]), np.zeros(6), 1e-12)

    def mean_less(rate):
        powers = rate**faces
        return (faces * powers).sum() / powers.sum() - 4.5

    powers = brentq(mean_less, 1.0, 3.0) ** faces
    np.testing.assert_allclose(weights, powers / powers.sum(), atol=1e-9)
    np.testing.assert_allclose(weights[[0, 5]], [0.05435, 0.34749], atol=1e-5)
    assert tilted(faces[None, :], np.array([6.5]), np.zeros(6), 1e-12) is None


def test_the_table_of_largest_entropy_is_independent_given_what_is_shared():
    codes = np.random.default_rng(0).integers(0, 2, (3, 500))
    codes[1] = np.where(np.arange(500) % 3 > 0, codes[0], codes[1])
    table = fitted_table(codes, [2, 2, 2], [(0, 1), (1, 2)], None)
    counts = np.zeros((2, 2, 2))
    np.add.at(counts, tuple(codes), 1 / 500)
    expected = counts.sum(axis=2)[:, :, None] * counts.sum(axis=0)[None]
    np.testing.assert_allclose(table, expected / counts.sum(axis=(0, 2))[None, :, None])


def test_constraints_are_met_by_the_weighted_points(people):
    made = people.apply(MaximumEntropy(bounds={"age": (20, 70)}), seed=0)
    assert made.notes["largest_error"] < 1e-6
    # Pairs of categories, two moments of two numbers, their product, means by two categories.
    assert made.notes["constraints"] == 4 + 4 + 1 + 4


def test_functions_are_moments_and_margins(people):
    coding = Coding.of(people, people.names)
    constraints = Constraints(coding.sizes, [(0, 1)], 2, relations=True)
    means = constraints.targets(coding.sample, None)[0]
    assert len(means) == constraints.count(2)
    sex, region = (np.asarray(people.column(name)) for name in ("sex", "region"))
    assert np.isclose(means[0], np.mean((sex == "f") & (region == "north")))
    assert np.isclose(means[8], np.corrcoef(people.numbers("age"), people.numbers("wage"))[0, 1])


def test_records_keep_statistics_on_average(people):
    made = people.apply(MaximumEntropy(records=20_000), seed=0)
    for name in ("age", "wage"):
        one, other = people.numbers(name), made.numbers(name)
        assert abs(one.mean() - other.mean()) < 0.03 * one.std()
        assert np.isclose(one.std(), other.std(), rtol=0.03)
    slopes = [np.corrcoef(d.numbers("age"), d.numbers("wage"))[0, 1] for d in (people, made)]
    assert np.isclose(*slopes, atol=0.02)
    shares = [
        np.mean((np.asarray(d.column("sex")) == "m") & (np.asarray(d.column("region")) == "north"))
        for d in (people, made)
    ]
    assert np.isclose(*shares, atol=0.01)


def test_bounds_and_rules_hold_beside_the_constraints(people):
    method = MaximumEntropy(
        bounds={"age": (20, 70), "wage": (1000, 4000)},
        moments=4,
        rules=["age < 30 -> wage < 2500"],
    )
    made = people.apply(method, seed=0)
    age, wage = made.numbers("age"), made.numbers("wage")
    assert age.min() >= 20
    assert age.max() <= 70
    assert (wage[age < 30] < 2500).all()
    assert made.notes["largest_error"] < 1e-6
    assert made.notes["broke_rules"] == 0
    # Four moments say that ages are uniform rather than normal.
    assert np.isclose(np.mean((age - age.mean()) ** 4) / age.var() ** 2, 1.8, atol=0.2)


def test_blanks_are_as_frequent_as_they_were(people):
    age = np.where(np.arange(600) % 5 == 0, np.nan, people.numbers("age"))
    data = people.with_column(people.attribute("age"), pa.array(age, from_pandas=True))
    made = data.apply(MaximumEntropy(["age", "sex"], records=5000), seed=0)
    assert abs(np.isnan(made.numbers("age")).mean() - 0.2) < 0.01
    assert made.notes["largest_error"] < 1e-6


def test_weighted_statistics_are_kept(people):
    weights = np.where(np.asarray(people.column("sex")) == "m", 3.0, 1.0)
    table = people.table.append_column("w", pa.array(weights))
    data = ta.read(table, roles={"w": "weight"})
    made = data.apply(MaximumEntropy(["sex", "wage"], weighted=True, records=5000), seed=0)
    share = weights[weights == 3.0].sum() / weights.sum()
    assert abs(np.mean(np.asarray(made.column("sex")) == "m") - share) < 0.01
    mean = np.average(people.numbers("wage"), weights=weights)
    assert abs(made.numbers("wage").mean() - mean) < 0.05 * people.numbers("wage").std()


def test_says_what_cannot_be(people):
    for options, said in (
        ({"moments": 3}, "`age` has none"),
        ({"bounds": {"sex": (0, 1)}}, "of numbers it models; `sex`"),
        ({"margins": [["age"]]}, "of categories it models; `age`"),
    ):
        with pytest.raises(ParameterError, match=said):
            people.apply(MaximumEntropy(**options), seed=0)
    with pytest.raises(ParameterError, match="a low below a high"):
        MaximumEntropy(bounds={"age": (3, 2)})
    with pytest.raises(ProtectionError, match="widen the bounds"):
        people.apply(MaximumEntropy("age", bounds={"age": (0, 25)}), seed=0)
    many = ta.read(pa.table({"a": [str(n) for n in range(800)], "b": np.arange(800.0)}))
    with pytest.raises(ParameterError, match="use `bayesian_network`"):
        many.apply(MaximumEntropy(), seed=0)

from __future__ import annotations

from datetime import date
from fractions import Fraction
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

import tacita as ta
from tacita.errors import ParameterError, ProtectionError
from tacita.mechanisms.private.accounting import epsilon_of, rho_within
from tacita.mechanisms.private.mechanisms import Gaussian
from tacita.microdata.synthesis import private_marginals
from tacita.microdata.synthesis.measuring_marginals.answers import GRID, Answers, Ledger
from tacita.microdata.synthesis.measuring_marginals.domain import Declared, Domain

WORK = ("none", "part", "full")
SAID = {"bounds": {"age": (0, 99)}, "categories": {"sex": ("f", "m"), "work": WORK}}


def people(records, seed=0):
    """Age, sex and work, of which work depends on both; one in ten does not say its work."""
    rng = np.random.default_rng(seed)
    age, male = rng.integers(18, 90, records), rng.random(records) < 0.5
    work = np.where(age > 65, 0, np.where(rng.random(records) < 0.3 + 0.6 * male, 2, 1))
    silent = rng.random(records) < 0.1
    words = pa.array(np.array(WORK)[work], mask=silent)
    return ta.read(pa.table({"age": age, "sex": np.where(male, "m", "f"), "work": words}))


def synthesize(data, seed=1, **said):
    options = {"epsilon": 1.0, **SAID, **said}
    return ta.PrivateMarginals(**options).mask(data, np.random.default_rng(seed))


class Deaf:
    """Noise that does not listen: its answers are the same whatever the records are."""

    def __init__(self, monkeypatch):
        self.heard = []
        monkeypatch.setattr(Gaussian, "noised", lambda _, *said: self.noised(*said))
        monkeypatch.setattr(Gaussian, "chosen", lambda _, *said: self.chosen(*said))

    def noised(self, numbers, scale):
        self.heard.append(list(numbers))
        rng = np.random.default_rng(len(self.heard))
        return rng.integers(0, 500, len(numbers)).tolist()

    def chosen(self, scores, sensitivity, cost):
        self.heard.append(list(scores))
        return len(self.heard) % len(scores)


@pytest.fixture
def quick(monkeypatch):
    """Fit in few steps, where it does not matter how well."""
    monkeypatch.setattr(private_marginals, "STEPS", 3)
    monkeypatch.setattr(private_marginals, "LAST_STEPS", 3)


@pytest.fixture
def deaf(monkeypatch, quick):
    return Deaf(monkeypatch)


def test_records_are_looked_at_through_private_answers_only(deaf):
    made = []
    for data in (people(300), people(50, seed=9), people(0)):
        deaf.heard.clear()
        made.append(synthesize(data))
    prints = {one.fingerprint() for one in made}
    assert len(prints) == 1
    assert len({str(one.notes) for one in made}) == 1


def test_a_record_more_moves_all_that_the_noise_hears_by_one_record(deaf):
    data = people(60)
    synthesize(data)
    before = list(deaf.heard)
    deaf.heard.clear()
    synthesize(data.take(np.arange(59)))
    assert len(before) == len(deaf.heard) > 3
    for one, other in zip(before, deaf.heard, strict=True):
        apart = np.abs(np.array(one) - np.array(other))
        assert apart.sum() == 1 or (apart.max() <= GRID and len(apart) == 6), "counts or scores"


@pytest.mark.usefixtures("quick")
def test_all_of_the_budget_is_spent_and_no_more():
    data = people(100)
    domain = Domain.of("private_marginals", data, data.names, Declared(*SAID.values(), None, 16))
    ledger = Ledger(rho_within(1.0, 1e-9))
    private_marginals.learn(domain, Answers(domain.codes(data), domain.sizes, ledger), 2)
    assert isinstance(ledger.spent, Fraction)
    assert ledger.spent == ledger.budget
    assert epsilon_of(float(ledger.budget), 1e-9) <= 1.0


@pytest.mark.usefixtures("quick")
def test_the_accounts_are_told_and_the_model_verifies_them():
    safe = synthesize(people(200), epsilon=0.5, delta=1e-7)
    told = safe.notes["privacy"]
    assert (told["epsilon"], told["delta"], told["neighbours"]) == (0.5, 1e-7, "add-remove")
    assert told["rho"] == told["spent"] == float(rho_within(0.5, 1e-7))
    assert sum(one["rho"] for one in told["answers"]) == pytest.approx(told["rho"])
    assert [one["measured"] for one in told["answers"][:3]] == [["age"], ["sex"], ["work"]]
    for one in told["answers"]:
        if "scale" in one:
            assert one["scale"] == pytest.approx((2 * one["rho"]) ** -0.5)
    assert ta.DifferentialPrivacy(0.5, delta=1e-7).check(safe).holds
    assert not ta.DifferentialPrivacy(0.49, delta=1e-7).check(safe).holds
    assert not ta.DifferentialPrivacy(0.5, delta=1e-8).check(safe).holds


@pytest.mark.usefixtures("quick")
def test_the_noise_does_not_come_from_the_seed():
    data = people(200)
    one, other = (synthesize(data, seed=1) for _ in range(2))
    assert one.fingerprint() != other.fingerprint()


def test_pairs_are_kept_as_well_as_the_noise_allows():
    data = people(20_000)
    # Work is known by age and sex together, so that pairs alone do not do for the three of them.
    safe = synthesize(data, epsilon=2.0, records=len(data))
    shuffled = ta.read(
        pa.table(
            {
                name: data.column(name).take(
                    pa.array(np.random.default_rng(at).permutation(20_000))
                )
                for at, name in enumerate(data.names)
            }
        )
    )
    near, far = (
        ta.TotalVariation().measure(data, one).figures["pairs_mean"] for one in (safe, shuffled)
    )
    assert near < 0.03
    assert far > 0.1
    assert safe.column("work").null_count / len(safe) == pytest.approx(0.1, abs=0.02)


def test_with_hardly_any_noise_triples_are_those_of_the_data():
    data = people(4_000)
    safe = synthesize(data, epsilon=500.0, degree=3, records=len(data), bounds={"age": (18, 89)})
    cells = []
    for one in (data, safe):
        old = pa.array(one.numbers("age") > 65)
        known = pa.table({"old": old, "sex": one.column("sex"), "work": one.column("work")})
        cells.append({tuple(r.values())[:3]: r["old_count"] for r in counted(known)})
    both = cells[0].keys() | cells[1].keys()
    assert sum(abs(cells[0].get(c, 0) - cells[1].get(c, 0)) for c in both) / 2 / 4_000 < 0.02


def counted(table):
    grouped = table.group_by(["old", "sex", "work"]).aggregate([("old", "count")])
    return grouped.select(["old", "sex", "work", "old_count"]).to_pylist()


@pytest.mark.usefixtures("quick")
def test_the_number_of_records_is_the_noisy_one_or_the_wanted_one():
    data = people(5_000)
    assert len(synthesize(data, records=17)) == 17
    many = {len(synthesize(data, degree=1)) for _ in range(8)}
    assert len(many) > 1
    assert all(abs(one - 5_000) < 1_000 for one in many)


def test_rules_are_kept_and_read_without_the_data():
    data = people(2_000)
    safe = synthesize(data, rules=["age < 30 -> work != 'none'", "18 <= age <= 79"], records=800)
    ages, work = safe.numbers("age"), np.array(safe.column("work").to_pylist())
    assert 18 <= np.nanmin(ages) <= np.nanmax(ages) <= 79
    assert not ((ages < 30) & (work == "none")).any()
    assert safe.notes["broke_rules"] > 0
    # A category that nobody has is known by the domain; one that it lacks is not.
    only_men = data.take(np.flatnonzero(np.array(data.column("sex").to_pylist()) == "m"))
    assert set(synthesize(only_men, rules=["sex != 'f'"]).column("sex").to_pylist()) <= {"m", None}
    with pytest.raises(ParameterError, match="`x` is no value of `sex`"):
        synthesize(data, rules=["sex != 'x'"])


@pytest.mark.usefixtures("quick")
def test_the_domain_says_whether_there_are_blanks():
    data = people(3_000)
    known = data.take(np.flatnonzero(data.column("work").is_valid()))
    for said in ({"blanks": []}, {"blanks": ["age"]}):
        assert synthesize(data, **said).column("work").null_count == 0
        assert synthesize(known, **said).column("sex").null_count == 0
    assert synthesize(data, blanks="work").column("work").null_count > 0
    assert synthesize(data).column("work").null_count > 0


@pytest.mark.usefixtures("quick")
def test_a_file_without_blanks_gets_none(chance):
    # By noise alone a count of no blanks is noticed with P(z > 3), for each of three attributes.
    data, looks = people(600), 40
    known = data.take(np.flatnonzero(data.column("work").is_valid()))
    made = [synthesize(known, epsilon=0.3, records=200, degree=1) for _ in range(looks)]
    noticed = sum(one.column(name).null_count > 0 for one in made for name in one.names)
    assert chance.allows_up_to(stats.binom(looks * 3, stats.norm.sf(2.9)), noticed)


@pytest.mark.usefixtures("quick")
def test_records_that_the_domain_leaves_out_move_nothing(deaf):
    data = people(60)
    synthesize(data, blanks=[])
    before = list(deaf.heard)
    deaf.heard.clear()
    synthesize(data.take(np.flatnonzero(data.column("work").is_valid())), blanks=[])
    assert len(before) > 3
    assert before == deaf.heard


@pytest.mark.usefixtures("quick")
def test_weights_identifiers_and_reasons_do_not_come_along():
    toy = ta.example("toy", 200)
    safe = toy.apply(ta.PrivateMarginals(["region"], epsilon=1, records=50), seed=1)
    assert safe.names == ["region"]
    assert safe.is_synthetic
    assert not safe.missing_reasons
    assert not safe.suppressed_cells


@pytest.mark.usefixtures("quick")
def test_every_kind_but_sets_of_values():
    toy = ta.example("toy", 300)
    names = ["age", "education", "region", "born", "income", "disease", "stratum"]
    safe = toy.apply(
        ta.PrivateMarginals(
            names,
            epsilon=5,
            bounds={
                "age": (0, 120),
                "born": (date(1900, 1, 1), date(2030, 1, 1)),
                "income": (0, 1e6),
            },
            categories={"stratum": ["A", "B", "C"]},
            records=100,
        ),
        seed=1,
    )
    assert safe.names == names
    for name in names:
        assert safe.column(name).type == toy.column(name).type
    with pytest.raises(ParameterError, match="`languages` is set_valued"):
        toy.apply(ta.PrivateMarginals(["languages"], epsilon=1), seed=1)


def test_days_and_categories_go_through_a_plan():
    method = ta.PrivateMarginals(
        epsilon=1,
        bounds={"born": (date(1900, 1, 1), date(2030, 1, 1)), "age": (0, 120)},
        categories={"code": (1, 2), "word": ("1", "x"), "flag": (True, False)},
    )
    assert type(method)(**method.parameters()) == method


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"bounds": {"age": (9, 3)}}, "lowest and a higher value for `age`"),
        (
            {"bounds": {"age": (date(2020, 1, 1), date(2019, 1, 1))}},
            "a lowest and a higher value for `age`",
        ),
        ({"categories": {"sex": ("m", "m")}}, "each once"),
        ({"epsilon": 0}, "greater than 0"),
        ({"delta": 0}, "greater than 0"),
        ({"degree": 4}, "less than or equal to 3"),
    ],
)
def test_refuses_what_cannot_be_meant(said, message):
    with pytest.raises(ParameterError, match=message):
        ta.PrivateMarginals(**{"epsilon": 1.0, **said})


@pytest.mark.usefixtures("quick")
def test_refuses_a_privacy_that_no_noise_gives():
    with pytest.raises(ParameterError, match="choose larger ones"):
        synthesize(people(20), epsilon=1e-9, delta=1e-300)


def test_refuses_data_that_were_changed_by_looking_at_them():
    mixed = people(50).apply(ta.RankSwap("age", p=10), seed=1)
    with pytest.raises(ProtectionError, match="after `rank_swap`"):
        synthesize(mixed)


@pytest.mark.usefixtures("quick")
def test_a_model_stays_computable_with_many_attributes(monkeypatch):
    monkeypatch.setattr(private_marginals, "CELLS", 600)
    rng = np.random.default_rng(0)
    names = [f"x{at}" for at in range(5)]
    table = pa.table({name: rng.integers(0, 8, 400) for name in names})
    data = ta.read(table, kinds=dict.fromkeys(names, "nominal"))
    everything = dict.fromkeys(names, tuple(range(8)))
    domain = Domain.of("private_marginals", data, names, Declared({}, everything, None, 2))
    ledger = Ledger(Fraction(50))
    asked = Answers(domain.codes(data), domain.sizes, ledger)
    model = private_marginals.learn(domain, asked, 2).model
    assert model.tree.cells(model.sizes) <= 600
    assert {len(one) for one in model.weights} == {1, 2}
    assert len(model.weights) < 5 + len(list(combinations(names, 2)))

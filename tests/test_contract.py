"""The contract that every registered method for microdata keeps, whoever wrote it.

That of the methods for tables is in `tables/test_contract.py`.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import fields, replace
from importlib import import_module
from pkgutil import iter_modules

import numba
import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita import kernels
from tacita.data.attribute import Kind, Role
from tacita.data.dataset import FROM_NOBODY, Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import InputError, ParameterError, ProtectionError, TacitaError
from tacita.kernels import grouping
from tacita.kernels.compile import thread_count
from tacita.method import OF_QUERIES, OF_TABLES, THAT_MASK, VERBS, Method
from tacita.registry import described, from_plan, methods
from tacita.results import Measurement, Verdict
from tacita.validity import Change, Use

ALL = [cls for cls in methods().values() if cls.family not in OF_TABLES | OF_QUERIES]
MASKING = [cls for cls in ALL if cls.family in THAT_MASK]
OTHERS = [cls for cls in ALL if cls not in MASKING]
FINER = 32  # times less work is worth a thread here than it is elsewhere
PIECES = ("BLOCK", "FEW", "GRAIN", "PIECE")  # what kernels call the work that is worth one


@pytest.fixture(scope="module")
def toy() -> Dataset:
    """Three hundred records, with the data from outside that some measures compare with."""
    return beside(ta.example("toy", 300))


@pytest.fixture(scope="module")
def torn(toy: Dataset) -> Dataset:
    """The same records with hardly a value left where it was."""
    swaps = ta.Pram(["education", "region"], minimum_diagonal=0.1)
    noise = ta.AddNoise(["age", "income"], alpha=1000)
    return toy.apply(swaps, seed=1).apply(noise, seed=1)


@pytest.fixture(scope="module")
def many() -> Dataset:
    """Enough records for two threads to share the counting."""
    return beside(ta.example("toy", 2 * grouping.BLOCK // FINER))


@pytest.fixture
def finer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let kernels cut their work into small pieces, so that few records are shared by threads."""
    for name in (module.name for module in iter_modules(kernels.__path__)):
        if name != "__main__":
            module = import_module(f"{kernels.__name__}.{name}")
            for piece in set(PIECES) & set(vars(module)):
                monkeypatch.setattr(module, piece, -(-getattr(module, piece) // FINER))


def beside(data: Dataset) -> Dataset:
    return data.with_external(population=data, holdout=ta.example("toy", 300, seed=1))


def name_of(cls: type[Method]) -> str:
    return cls.name


def says(cls: type[Method], attribute: str) -> bool:
    """Tell whether a method says something itself and does not leave it to `Method`."""
    return any(attribute in vars(one) for one in cls.__mro__[: cls.__mro__.index(Method)])


def example_of(cls: type[Method]) -> Method:
    return cls(**cls.example)


def use(method: Method, data: Dataset, seed: int = 4) -> object:
    """Do what the method's family does."""
    if hasattr(method, "mask"):
        return method.mask(data, np.random.default_rng(seed))
    if hasattr(method, "check"):
        return method.check(data)
    return method.measure(data, data)


def comparable(result: object) -> object:
    if isinstance(result, Dataset):
        return result.fingerprint()
    assert isinstance(result, Measurement | Verdict)
    per_record = getattr(result, "per_record", None)
    return result.to_dict(), None if per_record is None else per_record.tolist()


def with_constant_columns(data: Dataset) -> Dataset:
    """Make every attribute the same in all records."""
    first = pa.array(np.zeros(len(data), np.int64))
    table = data.table.take(first).combine_chunks()
    return replace(data, table=table)


@pytest.mark.parametrize("cls", ALL, ids=name_of)
class TestEveryMethod:
    def test_has_one_verb_and_says_what_it_is(self, cls):
        assert [verb for verb in VERBS if verb in cls.__dict__], "no verb"
        assert sum(verb in cls.__dict__ for verb in VERBS) == 1
        assert cls.applies_to
        assert cls.applies_to <= set(Kind)
        assert cls.missing.endswith(".")
        assert len(cls.reference) > 10
        assert ">>>" in cls.__doc__, "the docstring has no example"

    def test_every_parameter_is_explained(self, cls):
        for name, about in described(cls)["parameters"].items():
            assert about.get("description"), f"`{name}` has no description"
        assert cls.public <= {field.name for field in fields(cls)}

    def test_says_whether_it_draws(self, cls, toy):
        if hasattr(cls, "mask"):
            one, other = (use(example_of(cls), toy, seed).fingerprint() for seed in (1, 2))
            assert (one != other) == cls.draws

    def test_is_frozen(self, cls):
        with pytest.raises(Exception, match="cannot assign"):
            example_of(cls).anything = None

    def test_never_mutates_its_input(self, cls, toy):
        before = toy.fingerprint()
        use(example_of(cls), toy)
        assert toy.fingerprint() == before

    def test_is_deterministic_under_a_seed(self, cls, toy):
        # A copy has no classes counted yet.
        one, two = (comparable(use(example_of(cls), replace(toy))) for _ in range(2))
        assert one == two or not cls.repeatable  # by chance noise may be the same twice

    @pytest.mark.no_cover  # the other tests of a method do
    def test_threads_do_not_show(self, cls, many, finer):
        results = []
        for threads in (1, 2):
            numba.set_num_threads(threads)
            assert thread_count(None, len(many), grouping.BLOCK) == threads, (
                "too few records to spread"
            )
            results.append(comparable(use(example_of(cls), replace(many))))
        # Noise that cannot be seeded may be the same twice by chance.
        assert results[0] == results[1] or not cls.repeatable

    @pytest.mark.parametrize("records", [1, 2])
    def test_survives_very_few_records(self, cls, records, toy):
        """An algorithm may say that its promise cannot be kept; nothing else may be raised."""
        with contextlib.suppress(ProtectionError):
            use(example_of(cls), toy.take(np.arange(records)))

    def test_survives_empty_data(self, cls, toy):
        use(example_of(cls), toy.take(np.arange(0)))

    def test_survives_constant_columns(self, cls, toy):
        """An algorithm may say that its promise cannot be kept; nothing else may be raised."""
        with contextlib.suppress(ProtectionError):
            use(example_of(cls), with_constant_columns(toy))

    def test_survives_missing_and_suppressed_values(self, cls, toy):
        blank = toy
        for name in toy.names:
            attribute = toy.attribute(name)
            if "weight" in attribute.roles:
                continue
            mask = np.arange(len(toy)) % 3 == 0
            column = pa.array(
                [
                    None if gone else value
                    for gone, value in zip(mask, toy.column(name).to_pylist(), strict=True)
                ],
                toy.column(name).type,
            )
            blank = blank.with_column(attribute, column, mask)
        use(example_of(cls), blank)

    def test_round_trips_through_the_plan(self, cls):
        method = example_of(cls)
        said = json.loads(json.dumps(method.to_plan()))
        assert from_plan(said) == method

    def test_refuses_unknown_parameters_with_a_hint(self, cls):
        wrong = "".join(field.name for field in fields(cls)[:1])[:-1] + "x"
        with pytest.raises(ParameterError, match=f"no parameter `{wrong}`"):
            cls(**{**cls.example, wrong: 1})

    def test_refuses_kinds_it_does_not_apply_to(self, cls, toy):
        tried = 0
        for kind in set(Kind) - cls.applies_to:
            name = next(n for n, a in toy.attributes.items() if a.kind is kind)
            method = naming(cls, name)
            if method is not None:
                tried += 1
                with pytest.raises(TacitaError, match=name):
                    use(method, toy)
        assert tried or cls.applies_to == set(Kind) or naming(cls, "age") is None

    def test_refuses_an_attribute_that_is_not_there(self, cls, toy):
        method = naming(cls, "agee")
        if method is not None:
            with pytest.raises(TacitaError, match="Did you mean `age`"):
                use(method, toy)


def naming(cls: type[Method], attribute: str) -> Method | None:
    """Return the example method aimed at another attribute, if it names attributes."""
    for place in ("attribute", "attributes", "keys", "by"):
        if place in {field.name for field in fields(cls)}:
            value = attribute if place == "attribute" else [attribute]
            extra = {"design": "stratified"} if place == "by" else {}
            return cls(**{**cls.example, **extra, place: value})
    return None


@pytest.mark.parametrize("cls", MASKING, ids=name_of)
class TestEveryMasking:
    def test_says_what_it_keeps(self, cls):
        """Or that it keeps nothing, by an empty tuple; `test_preserved.py` simulates it."""
        assert "keeps" in vars(cls)
        assert isinstance(cls.keeps, tuple)

    def test_blanks_stay_blank(self, cls, toy):
        masked = use(example_of(cls), toy)
        assert isinstance(masked, Dataset)
        # Records that come from nobody have no blank to keep.
        for name in () if masked.is_synthetic else set(masked.names) & set(toy.attributes):
            before = np.asarray(toy.column(name).is_null())[masked.source_rows]
            after = np.asarray(masked.column(name).is_null())
            assert (after[before]).all(), f"a blank of {name} was filled"

    def test_records_come_from_respondents_or_from_nobody(self, cls, toy):
        """Fully synthetic records have no source, and nothing pairs them with respondents."""
        masked = use(example_of(cls), toy)
        if masked.is_synthetic:
            assert cls.family == "synthesis"
            assert (masked.source_rows == FROM_NOBODY).all()
            assert not set(masked.with_role(Role.IDENTIFIER) + masked.with_role(Role.HOUSEHOLD))
            with pytest.raises(InputError, match="come from nobody"):
                paired_rows(toy, masked)
        else:
            assert set(masked.source_rows) <= set(range(len(toy)))
            assert len(paired_rows(toy, masked)) == len(masked)

    def test_keeps_the_data_coherent(self, cls, toy):
        masked = use(example_of(cls), toy)
        assert list(masked.attributes) == masked.table.column_names
        assert len(masked.source_rows) == len(masked)
        for name, attribute in masked.attributes.items():
            assert attribute.name == name
            if attribute.order is not None:
                values = set(masked.column(name).drop_null().to_pylist())
                assert values <= set(attribute.order)

    def test_says_what_it_does_to_values(self, cls, toy):
        assert says(cls, "changes")
        assert cls.changes <= set(Change)
        masked = use(example_of(cls), toy)
        assert masked.is_synthetic == (Change.SYNTHESIS in cls.changes)
        if masked.is_synthetic or Change.SAMPLING in cls.changes:
            return
        assert sorted(masked.source_rows) == list(range(len(toy))), "it leaves records out"
        if not cls.changes:
            assert masked.take(np.argsort(masked.source_rows)).table.equals(toy.table)

    def test_what_only_recodes_gives_nobody_the_value_of_another(self, cls, toy):
        """Alike values stay alike, or the released ones say of how many records they tell."""
        masked = use(example_of(cls), toy)
        if not cls.changes <= {Change.RECODING, Change.SAMPLING}:
            return
        for name in set(masked.names) & set(toy.names):
            before = toy.column(name).take(pa.array(masked.source_rows)).to_pylist()
            after = masked.column(name).to_pylist()
            own, known = set(map(str, before)), {}
            for old, new in zip(map(str, before), map(str, after), strict=True):
                if new in own and new not in (old, "None"):
                    assert known.setdefault(old, new) == new, f"{name}: {old} became {new}"

    def test_goes_out_as_the_frame_that_came_in(self, cls, toy):
        for made in (toy.to_pandas(), toy.to_polars()):
            attributes = toy.attributes.values()
            data = ta.read(
                made,
                roles={a.name: a.roles for a in attributes},
                kinds={a.name: a.kind for a in attributes},
                orders={a.name: a.order for a in attributes if a.order},
                hierarchies={a.name: a.hierarchy for a in attributes if a.hierarchy},
            )
            out = data.apply(example_of(cls), seed=4).to_native()
            assert type(out) is type(made)
            expected = toy.apply(example_of(cls), seed=4).to_arrow()
            assert list(out.columns) == expected.column_names
            assert len(out) == len(expected)


@pytest.mark.parametrize("cls", [c for c in OTHERS if c.family != "model"], ids=name_of)
class TestEveryMeasure:
    def test_says_what_it_survives_and_what_it_uses(self, cls):
        if cls.family in ("risk", "attack"):
            assert says(cls, "valid_after")
            assert says(cls, "uses")
            assert cls.valid_after <= set(Change)
            assert isinstance(cls.uses, Use)

    def test_says_a_number_and_a_sentence(self, cls, toy):
        measured = use(example_of(cls), toy)
        assert isinstance(measured, Measurement)
        assert measured.name == cls.name
        assert measured.value is not None
        assert measured.sentence

    def test_what_the_release_shows_does_not_need_the_original(self, cls, toy, patients):
        if cls.shown_by_release:
            method = example_of(cls)
            assert method.measure(patients, toy).value == method.measure(toy, toy).value

    def test_its_number_lies_where_it_says(self, cls, toy, torn):
        """A requirement cannot bound it elsewhere, so that no number may be there."""
        least, most = cls.lies_between
        for protected in (toy, torn):
            value = example_of(cls).measure(toy, protected).value
            assert value is None or least <= value <= most

    def test_losing_nothing_costs_nothing(self, cls, toy):
        if cls.family == "utility":
            assert abs(use(example_of(cls), toy).value) < 1e-12


@pytest.mark.parametrize("cls", [c for c in OTHERS if c.family == "model"], ids=name_of)
class TestEveryModel:
    def test_says_what_it_survives(self, cls):
        assert says(cls, "valid_after")
        assert cls.valid_after <= set(Change)

    def test_gives_a_verdict_and_its_worst_class(self, cls, toy):
        verdict = use(example_of(cls), toy)
        assert isinstance(verdict, Verdict)
        assert verdict.holds or verdict.worst
        assert str(verdict)

"""The contract that every registered method for tables keeps, whoever wrote it."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.errors import InputError, ParameterError
from tacita.mechanisms.sensitivity.contributions import Judgement
from tacita.method import ANY_TABLE, OF_TABLES, VERBS, Method, TableKind
from tacita.registry import described, from_plan, methods
from tacita.results import Measurement
from tacita.tables.formats import read_table, write_table
from tacita.tables.judging import contributions_of, judge
from tacita.tables.linked import LinkedTables
from tacita.tables.perturb.applied import perturbed
from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.protect.suppression import Suppression
from tacita.tables.status import Status
from tacita.tables.table import Table
from tacita.tables.tabulate import tabulate

ALL = [cls for cls in methods().values() if cls.family in OF_TABLES]
RULES = [cls for cls in ALL if cls.family == "rule"]
WAYS = [cls for cls in ALL if cls.family == "protection"]
PERTURBATIONS = [cls for cls in ALL if cls.family == "perturbation"]
MEASURES = [cls for cls in ALL if cls not in (*RULES, *WAYS, *PERTURBATIONS)]


SECRET = b"a secret of sixteen bytes"


def name_of(cls: type[Method]) -> str:
    return cls.name


def example_of(cls: type[Method]) -> Method:
    return cls(**cls.example)


@pytest.fixture(scope="module")
def magnitudes() -> Table:
    """Turnover of generated firms, the sensitive cells suppressed."""
    table = tabulate(
        ta.example("firms", 400),
        ["nace", "region"],
        value="turnover",
        contributor="holding",
        request="size_class",
        request_codes=["50-249"],
    )
    return judge(table, [ta.PPercent(15), ta.MinimumFrequency(3)])


@pytest.fixture(scope="module")
def counts() -> Table:
    """Numbers of generated firms, the small ones suppressed."""
    table = tabulate(ta.example("firms", 120).without(["weight"]), ["region", "size_class"])
    return judge(table, [ta.MinimumFrequency(3)])


def numbers_in(details: pa.Table) -> list[list[float]]:
    """Return the columns that are no text, which may name attributes."""
    return [c.to_pylist() for c in details.columns if not pa.types.is_string(c.type)]


@pytest.fixture(scope="module")
def two_way() -> Table:
    """Numbers of generated patients by two attributes, of which one has a hierarchy."""
    return judge(
        tabulate(ta.example("patients", 400), ["race", "ethncty"]), [ta.MinimumFrequency(5)]
    )


@pytest.fixture(scope="module")
def keyed_counts() -> Table:
    """Numbers of generated patients with record keys, by two attributes; one has a hierarchy."""
    table = tabulate(ta.example("patients", 200), ["race", "ethncty"], keys=SECRET)
    return judge(table, [ta.MinimumFrequency(3)])


@pytest.fixture(scope="module")
def keyed_magnitudes() -> Table:
    """Turnover of generated firms with record keys."""
    firms = ta.example("firms", 60).without(["weight"])
    table = tabulate(firms, ["size_class"], value="turnover", keys=SECRET)
    return judge(table, [ta.PPercent(5)])


def perturbable(cls: type[Method], counts: Table, magnitudes: Table) -> Table:
    return counts if TableKind.FREQUENCY in cls.applies_to else magnitudes


def linked_with_margin(table: Table) -> LinkedTables:
    """Link a table with the one of the attribute that is its last, whose cells it has as well."""
    *others, last = table.dimensions
    rows = np.flatnonzero((table.places[:, : len(others)] == 0).all(axis=1))
    margin = replace(
        table,
        name="margin",
        dimensions=(last,),
        places=table.places[rows, len(others) :],
        cells=table.cells.take(rows),
    )
    return LinkedTables((table, margin))


def table_for(cls: type[Method], counts: Table, magnitudes: Table) -> Table:
    return magnitudes if TableKind.MAGNITUDE in cls.applies_to else counts


@pytest.mark.parametrize("cls", ALL, ids=name_of)
class TestEveryMethod:
    def test_has_one_verb_and_says_what_it_is(self, cls):
        assert sum(verb in cls.__dict__ for verb in VERBS) == 1
        assert cls.applies_to
        assert cls.applies_to <= ANY_TABLE
        assert cls.missing.endswith(".")
        assert len(cls.reference) > 10
        assert ">>>" in cls.__doc__, "the docstring has no example"

    def test_every_parameter_is_explained(self, cls):
        for name, about in described(cls)["parameters"].items():
            assert about.get("description"), f"`{name}` has no description"
        assert cls.public <= {field.name for field in fields(cls)}

    def test_is_frozen(self, cls):
        with pytest.raises(Exception, match="cannot assign"):
            example_of(cls).anything = None

    def test_round_trips_through_the_plan(self, cls):
        method = example_of(cls)
        assert from_plan(json.loads(json.dumps(method.to_plan()))) == method

    def test_refuses_unknown_parameters_with_a_hint(self, cls):
        wrong = "".join(field.name for field in fields(cls)[:1])[:-1] + "x"
        with pytest.raises(ParameterError, match=f"no parameter `{wrong}`"):
            cls(**{**cls.example, wrong: 1})


@pytest.mark.parametrize("cls", RULES, ids=name_of)
class TestEveryRule:
    def test_judges_every_cell(self, cls, counts, magnitudes):
        table = table_for(cls, counts, magnitudes)
        judged = example_of(cls).judge(contributions_of(table))
        assert isinstance(judged, Judgement)
        for column in (judged.sensitive, judged.upper_level, judged.lower_level):
            assert len(column) == len(table)
        safe = ~judged.sensitive
        assert not judged.upper_level[safe].any()
        assert not judged.lower_level[safe].any()
        assert (judged.upper_level >= 0).all()

    def test_the_order_of_cells_does_not_matter(self, cls, counts, magnitudes):
        cells = contributions_of(table_for(cls, counts, magnitudes))
        order = np.random.default_rng(1).permutation(len(cells))
        turned = replace(
            cells,
            **{
                part.name: getattr(cells, part.name)[order]
                for part in fields(cells)
                if part.name not in ("group", "siblings")
            },
            group={name: column[order] for name, column in cells.group.items()},
            siblings={name: column[order] for name, column in cells.siblings.items()},
        )
        one, other = example_of(cls).judge(cells), example_of(cls).judge(turned)
        assert other.sensitive.tolist() == one.sensitive[order].tolist()
        assert other.upper_level.tolist() == one.upper_level[order].tolist()


@pytest.mark.parametrize("cls", MEASURES, ids=name_of)
class TestEveryMeasure:
    def test_says_a_number_and_a_sentence(self, cls, counts, magnitudes):
        table = table_for(cls, counts, magnitudes)
        measured = example_of(cls).measure(table, table.published())
        assert isinstance(measured, Measurement)
        assert (measured.name, measured.family) == (cls.name, cls.family)
        assert measured.sentence
        assert measured.value is None or isinstance(measured.value, Fraction | float | int)
        assert measured.value is None or cls.lies_between[0] <= measured.value

    def test_is_deterministic_and_changes_nothing(self, cls, counts, magnitudes):
        table = table_for(cls, counts, magnitudes)
        before = table.to_arrow()
        one, other = (example_of(cls).measure(table, table.published()).to_dict() for _ in range(2))
        assert one == other
        assert table.to_arrow().equals(before)

    def test_tells_the_same_of_attributes_by_any_name(self, cls, counts, magnitudes):
        table = table_for(cls, counts, magnitudes)
        details = example_of(cls).measure(table, table.published()).details
        first, *others = table.dimensions
        for name in set(details.column_names) - {dimension.name for dimension in table.dimensions}:
            other = replace(table, dimensions=(replace(first, name=name), *others))
            found = example_of(cls).measure(other, other.published()).details
            assert found.num_columns == details.num_columns
            assert numbers_in(found) == numbers_in(details)

    def test_losing_nothing_costs_nothing(self, cls, counts, magnitudes):
        table = table_for(cls, counts, magnitudes)
        open_table = table.with_cells(status=np.zeros(len(table), np.int8))
        if cls.family == "table utility":
            assert example_of(cls).measure(open_table, open_table).value == 0

    def test_measures_perturbed_tables_or_says_why_not(self, cls, two_way):
        made, _ = perturbed(two_way, ta.RandomRounding(5), np.random.default_rng(1))
        try:
            measured = example_of(cls).measure(two_way, made.published())
        except (InputError, ParameterError) as reason:
            assert str(reason).endswith(".")  # noqa: PT017 - it need not be raised
            return
        assert measured.to_dict() == example_of(cls).measure(two_way, made.published()).to_dict()
        least, most = cls.lies_between
        assert measured.value is None or least <= measured.value <= most

    def test_looks_at_tables_only(self, cls):
        frame = ta.example("toy", 5).to_pandas()
        with pytest.raises(InputError, match="looks at tables; found a DataFrame"):
            example_of(cls).measure(frame, frame)


@pytest.mark.parametrize("cls", WAYS, ids=name_of)
class TestEveryWayToProtect:
    def test_protects_every_sensitive_cell_and_says_what_it_cost(self, cls, two_way):
        found = example_of(cls).protect(two_way.system())
        assert isinstance(found, Suppression)
        assert found.audit.is_safe
        assert found.bound <= found.cost + 1e-9
        before, after = two_way.cells.status, found.system.cells.status
        assert (after[two_way.cells.sensitive] == Status.SENSITIVE).all()
        assert ((before == after) | (after == Status.SECONDARY)).all()

    def test_is_deterministic(self, cls, two_way):
        one, other = (example_of(cls).protect(two_way.system()) for _ in range(2))
        assert one.system.cells.status.tolist() == other.system.cells.status.tolist()

    def test_never_costs_less_than_the_optimum(self, cls, two_way):
        least = ta.OptimalSuppression().protect(two_way.system())
        assert least.is_optimal
        assert example_of(cls).protect(two_way.system()).cost >= least.cost - 1e-9

    def test_a_table_without_sensitive_cells_stays_as_it_is(self, cls, two_way):
        open_table = two_way.with_cells(status=np.zeros(len(two_way), np.int8))
        found = example_of(cls).protect(open_table.system())
        assert (found.secondary.size, found.cost, found.is_optimal) == (0, 0.0, True)


@pytest.mark.parametrize("cls", PERTURBATIONS, ids=name_of)
class TestEveryPerturbation:
    def made(self, cls, tables, seed=1):
        return perturbed(tables, example_of(cls), np.random.default_rng(seed))

    def test_gives_every_cell_a_value_or_an_interval(self, cls, keyed_counts, keyed_magnitudes):
        table = perturbable(cls, keyed_counts, keyed_magnitudes)
        _, found = self.made(cls, table)
        assert isinstance(found, Perturbation)
        assert len(found.value) == len(table)
        assert found.loss >= 0
        assert found.bound is None or found.bound <= found.loss * (1 + 1e-9)
        wide = found.is_interval
        assert not wide.any() or (found.upper - found.lower)[wide].min() > 0

    def test_what_a_reader_is_said_to_know_is_true(self, cls, keyed_counts, keyed_magnitudes):
        table = perturbable(cls, keyed_counts, keyed_magnitudes)
        made, found = self.made(cls, table)
        true = found.system.cells.value
        if found.lower is not None:
            assert (found.lower <= true).all()
            assert (true <= found.upper).all()
        assert (made.cells.lower_bound <= true).all()
        assert (true <= made.cells.upper_bound).all()

    def test_the_same_seed_gives_the_same_values(self, cls, keyed_counts, keyed_magnitudes):
        table = perturbable(cls, keyed_counts, keyed_magnitudes)
        one, other, another = (self.made(cls, table, seed)[1].value for seed in (1, 1, 2))
        if cls.repeatable:
            assert np.array_equal(one, other, equal_nan=True)
        if cls.repeatable and not cls.draws:
            assert np.array_equal(one, another, equal_nan=True)

    def test_changes_nothing_that_was_handed_in(self, cls, keyed_counts, keyed_magnitudes):
        table = perturbable(cls, keyed_counts, keyed_magnitudes)
        before = table.to_arrow()
        self.made(cls, table)
        assert table.to_arrow().equals(before)

    def test_says_which_totals_do_not_add_up(self, cls, keyed_counts, keyed_magnitudes):
        _, found = self.made(cls, perturbable(cls, keyed_counts, keyed_magnitudes))
        relations, value = found.system.relations.toarray(), found.value
        gross = abs(relations) @ np.abs(value)
        off = np.flatnonzero(np.abs(relations @ value) > 1e-9 * gross)
        assert found.not_additive.tolist() == off.tolist()
        assert found.is_additive == (not off.size)

    def test_nothing_of_the_truth_is_published(self, cls, keyed_counts, keyed_magnitudes):
        table = perturbable(cls, keyed_counts, keyed_magnitudes)
        made, _ = self.made(cls, table)
        cells = made.published().cells
        for name in ("frequency", "contributors", "total", "asked", "cell_key"):
            assert np.isnan(getattr(cells, name)).all(), name
        assert cells.largest.shape[1] == 0
        assert not cells.lower_level.any()
        assert not cells.upper_level.any()
        assert not cells.sensitive.any()
        assert set(cells.reason) == {""}
        assert made.perturbed_by == cls.name

    def test_linked_tables_agree_or_it_says_why_not(self, cls, keyed_counts, keyed_magnitudes):
        tables = linked_with_margin(perturbable(cls, keyed_counts, keyed_magnitudes))
        try:
            made, found = self.made(cls, tables)
        except (InputError, ParameterError) as reason:
            assert str(reason).endswith(".")  # noqa: PT017 - it need not be raised
            return
        for table, places in zip(made, tables.places, strict=True):
            assert np.array_equal(table.cells.shown, found.value[places], equal_nan=True)

    def test_cells_that_are_read_again_are_those_written(
        self, cls, keyed_counts, keyed_magnitudes, tmp_path
    ):
        table, _ = self.made(cls, perturbable(cls, keyed_counts, keyed_magnitudes))
        dimensions = {dimension.name: dimension for dimension in table.dimensions}
        write_table(table, tmp_path / "table.csv")
        read = read_table(
            tmp_path / "table.csv",
            by=list(dimensions),
            hierarchies=dimensions,
            statistic=table.statistic,
        )
        assert np.allclose(read.cells.shown, table.cells.shown, rtol=0, atol=0, equal_nan=True)
        wide = table.cells.suppressed
        assert np.array_equal(read.cells.lower_bound[wide], table.cells.lower_bound[wide])
        assert np.array_equal(read.cells.upper_bound[wide], table.cells.upper_bound[wide])

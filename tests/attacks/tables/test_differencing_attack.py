"""The differencing attack between versions and between periods."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.attacks.tables.differencing_attack import DifferencingAttack
from tacita.errors import InputError, ParameterError
from tacita.tables.dimension import Dimension
from tacita.tables.linked import LinkedTables
from tacita.tables.ready import ready_table
from tacita.tables.status import Status
from tacita.tables.table import Table

pytestmark = pytest.mark.numeric

Sets = dict[str, str]  # a code and its leaves, one letter each
OLD: Sets = {"north": "abc", "south": "de"}
NEW: Sets = {"coast": "ab", "inland": "cde"}
FREQUENCY = dict(zip("abcde", [4, 5, 2, 6, 3], strict=True))
VALUE = dict(zip("abcde", [40, 13, 7, 25, 15], strict=True))


def areas(name: str, sets: Sets, hidden: str = "abcde", **more: float) -> Table:
    """Return a table of areas in which single leaves and what else is said are suppressed."""
    span = Dimension.from_nested("area", {"Total": {code: list(sets[code]) for code in sets}})
    held = {"Total": "".join(sets.values()), **sets, **{leaf: leaf for leaf in "abcde"}}
    codes = list(span.codes)
    columns = {
        "value": [sum(VALUE[leaf] for leaf in held[c]) + more.get(c, 0.0) for c in codes],
        "frequency": [float(sum(FREQUENCY[leaf] for leaf in held[c])) for c in codes],
        "status": [Status.SECONDARY if c in hidden.split() + list(hidden) else 0 for c in codes],
    }
    return ready_table(name, [span], {"area": codes}, columns, variable="turnover")


def seen(*tables: Table) -> LinkedTables:
    return LinkedTables(tuple(table.published() for table in tables))


def test_areas_that_overlap_disclose_the_few_between() -> None:
    """North less coast is c, and so is inland less south: 7, of two respondents."""
    tables = areas("old", OLD), areas("new", NEW)
    found = DifferencingAttack().measure(LinkedTables(tables), seen(*tables))
    assert found.details is not None
    assert found.details.to_pylist() == [
        {
            "table": "old",
            "area": "c",
            "respondents": 2.0,
            "value": 7.0,
            "error_percent": 0.0,
            "from": "new (area inland) less old (area south): 47 - 40",
        }
    ]
    assert found.value == Fraction(1, 5)  # the five leaves; other differences are published
    assert found.figures["disclosed_exactly"] == 1


def test_a_suppressed_cell_that_another_version_publishes_is_read_there() -> None:
    tables = areas("first", OLD, "abcde north"), areas("revised", OLD, "bcde")
    found = DifferencingAttack().measure(LinkedTables(tables), seen(*tables))
    assert found.details is not None
    rows = {row["area"]: row for row in found.details.to_pylist()}
    assert rows["north"]["from"] == "published in revised (area north)"
    assert rows["north"]["value"] == 60
    assert rows["a"]["from"] == "published in revised (area a)"
    assert set(rows) == {"north", "a"}


def test_an_unpublished_group_must_be_small() -> None:
    """North less a leaves b and c, seven respondents that no code stands for."""
    table = areas("t", OLD, "bcde")
    assert DifferencingAttack(n=7).measure(table, table.published()).value == 0
    found = DifferencingAttack(n=8).measure(table, table.published())
    assert found.details is not None
    assert [(r["area"], r["value"]) for r in found.details.to_pylist()] == [("north", 20.0)]


def test_two_hierarchies_of_one_table_are_compared() -> None:
    trees = [
        [(leaf, code, "Total") for code, leaves in sets.items() for leaf in leaves]
        for sets in (OLD, NEW)
    ]
    span = Dimension.of_trees("area", trees)
    held = {"Total": "abcde", **OLD, **NEW, **{leaf: leaf for leaf in "abcde"}}
    columns = {
        "value": [float(sum(VALUE[leaf] for leaf in held[c])) for c in span.codes],
        "frequency": [float(sum(FREQUENCY[leaf] for leaf in held[c])) for c in span.codes],
        "status": [Status.SECONDARY if c in FREQUENCY else Status.SAFE for c in span.codes],
    }
    table = ready_table("t", [span], {"area": list(span.codes)}, columns, variable="v")
    found = DifferencingAttack().measure(table, table.published())
    assert found.details is not None
    assert found.details["area"].to_pylist() == ["c"]


def test_a_code_that_means_something_else_in_the_other_version_is_not_the_same() -> None:
    """North loses c: the two norths differ by its two respondents."""
    moved = {"north": "ab", "south": "cde"}
    tables = areas("old", OLD), areas("new", moved)
    found = DifferencingAttack().measure(LinkedTables(tables), seen(*tables))
    assert found.details is not None
    assert found.details["area"].to_pylist() == ["c"]
    assert found.details["value"].to_pylist() == [7.0]


def test_codes_without_parts_are_understood_from_the_other_version() -> None:
    """The new version lists no leaves; the old one knows what a and b are."""
    flat = Dimension.flat("area", ["north", "d", "e"])
    columns = {"value": [100, 60, 25, 15], "frequency": [20, 11, 6, 3]}
    codes = {"area": ["Total", "north", "d", "e"]}
    new = ready_table("new", [flat], codes, columns, variable="turnover")
    tables = areas("old", OLD, "abcde north"), new
    found = DifferencingAttack().measure(LinkedTables(tables), seen(*tables))
    assert found.details is not None
    assert found.details["area"].to_pylist() == ["north", "d", "e"]


def test_tables_about_other_variables_are_not_compared() -> None:
    tables = areas("old", OLD), replace(areas("new", NEW), variable="profit")
    assert DifferencingAttack().measure(LinkedTables(tables), seen(*tables)).value == 0


def test_a_changed_value_gives_an_estimate() -> None:
    true = areas("old", OLD), areas("new", NEW)
    changed = areas("old", OLD), areas("new", NEW, inland=3.5)
    found = DifferencingAttack().measure(LinkedTables(true), seen(*changed))
    assert found.details is not None
    assert found.details["error_percent"].to_pylist() == [50.0]
    assert found.figures["disclosed_nearly"] == 1


def test_nothing_follows_from_nothing() -> None:
    everything = "abcde north south Total"
    tables = areas("old", OLD, everything), areas("new", NEW, everything + " coast inland")
    assert DifferencingAttack().measure(LinkedTables(tables), seen(*tables)).value == 0
    assert (
        DifferencingAttack(between="periods").measure(LinkedTables(tables), seen(*tables)).value
        == 0
    )


def test_medians_have_no_differences() -> None:
    old, new = (replace(areas(*one), statistic="median") for one in (("old", OLD), ("new", NEW)))
    for between in ("versions", "periods"):
        attack = DifferencingAttack(between=between)
        assert attack.measure(LinkedTables((old, new)), seen(old, new)).value == 0
    shown = replace(areas("new", NEW, "bcde"), statistic="median")
    found = DifferencingAttack().measure(LinkedTables((old, shown)), seen(old, shown))
    assert found.details is not None
    assert found.details["area"].to_pylist() == ["a"]


def test_groups_of_unknown_size_are_disclosed_only_as_suppressed_cells() -> None:
    tables = [
        table.with_cells(frequency=np.full(len(table), np.nan))
        for table in (areas("old", OLD, "bcde"), areas("new", NEW))
    ]
    found = DifferencingAttack(n=100).measure(LinkedTables(tables), seen(*tables))
    assert found.details is not None
    assert [(r["area"], r["respondents"]) for r in found.details.to_pylist()] == [
        ("a", None),
        ("b", None),
        ("c", None),
    ]


# -- periods ---------------------------------------------------------------------------------------


def period(name: str, frequency: list[float], value: list[float], **more: object) -> Table:
    town = Dimension.flat("town", ["s", "t", "u"])
    codes = {"town": ["Total", "s", "t", "u"]}
    columns = {
        "value": [sum(value), *value],
        "frequency": [sum(frequency), *frequency],
        **more,
    }
    return ready_table(name, [town], codes, columns, variable="turnover")


def test_who_came_between_two_periods_is_estimated_by_the_growth() -> None:
    before = period("2024", [9, 8, 7], [90.0, 80.0, 70.0])
    after = period("2025", [10, 8, 4], [97.5, 81.0, 40.0])
    tables = before, after
    attack = DifferencingAttack(between="periods")
    found = attack.measure(LinkedTables(tables), seen(*tables))
    assert found.details is not None
    assert found.details.to_pylist() == [
        {
            "table": "2025",
            "town": "Total",
            "respondents": 2.0,
            "value": 21.5,
            "error_percent": None,
            "from": "2 contributors left between 2024 and 2025",
        },
        {
            "table": "2025",
            "town": "s",
            "respondents": 1.0,
            "value": 7.5,
            "error_percent": None,
            "from": "1 contributor came between 2024 and 2025",
        },
    ]
    assert found.value == Fraction(2, 4)
    assert found.parameters == {"between": "periods"}
    assert DifferencingAttack(between="periods", n=4).measure(
        LinkedTables(tables), seen(*tables)
    ).value == Fraction(3, 4)


def test_a_cell_suppressed_in_a_period_is_not_compared() -> None:
    status = [Status.SAFE, Status.SENSITIVE, Status.SECONDARY, Status.SAFE]
    before = period("2024", [9, 8, 7], [90.0, 80.0, 70.0], status=status)
    after = period("2025", [10, 8, 7], [97.5, 81.0, 70.0])
    attack = DifferencingAttack(between="periods")
    found = attack.measure(LinkedTables((before, after)), seen(before, after))
    assert found.figures["compared"] == 2
    assert found.details is not None
    assert found.details["town"].to_pylist() == ["Total"]


def test_periods_and_parameters_are_explained() -> None:
    table = period("2024", [9, 8, 7], [90.0, 80.0, 70.0])
    with pytest.raises(InputError, match="at least two tables; found one"):
        DifferencingAttack(between="periods").measure(table, table)
    with pytest.raises(ParameterError, match=r"`between` .* 'versions' or 'periods'"):
        DifferencingAttack(between="years")
    other = LinkedTables((table, period("2025", [9, 8, 7], [9.0, 8.0, 7.0])))
    strange = LinkedTables((table, period("2026", [9, 8, 7], [9.0, 8.0, 7.0])))
    with pytest.raises(InputError, match=r"`2026` is not among the original ones \(2024, 2025\)"):
        DifferencingAttack(between="periods").measure(other, strange)


# -- against all pairs -----------------------------------------------------------------------------

LEAVES = "abcd"


@st.composite
def versions(draw: st.DrawFn) -> list[Table]:
    """Draw microdata over area x sex, and two tables with areas put together in two ways."""
    inner = {
        key: (draw(st.integers(0, 3)), draw(st.integers(0, 20))) for key in product(LEAVES, "fm")
    }
    return [draw(version(name, inner)) for name in ("one", "two")]


@st.composite
def version(draw: st.DrawFn, name: str, inner: dict[tuple[str, str], tuple[int, int]]) -> Table:
    cut = draw(st.sets(st.sampled_from(LEAVES), min_size=1, max_size=3))
    parts = {f"{name}1": sorted(cut), f"{name}2": sorted(set(LEAVES) - cut)}
    spans = [Dimension.from_nested("area", {"Total": parts}), Dimension.flat("sex", "fm")]
    keys = list(product(spans[0].codes, spans[1].codes))
    below = [[inner[leaf] for leaf in about(*key, parts)] for key in keys]
    hidden = draw(st.sets(st.sampled_from(keys), max_size=len(keys)))
    return ready_table(
        name,
        spans,
        {"area": [area for area, _ in keys], "sex": [sex for _, sex in keys]},
        {
            "value": [float(sum(value for _, value in held)) for held in below],
            "frequency": [float(sum(count for count, _ in held)) for held in below],
            "status": [Status.SENSITIVE if key in hidden else Status.SAFE for key in keys],
        },
        variable="v",
    )


def about(area: str, sex: str, parts: dict[str, list[str]]) -> frozenset[tuple[str, str]]:
    """Return the combinations of leaves that a cell is about."""
    areas = LEAVES if area == "Total" else parts.get(area, [area])
    return frozenset(product(areas, "fm" if sex == "Total" else sex))


def by_all_pairs(tables: list[Table], n: int) -> dict[frozenset[tuple[str, str]], float]:
    """Subtract every published cell from every other, and keep what a group of leaves is worth."""
    shown, hidden = {}, set()
    for table in tables:
        span = table.dimensions[0]
        parts = {span.codes[s.whole]: [span.codes[p] for p in s.parts] for s in span.sums}
        for row in range(len(table)):
            key = about(*table.codes_of(row), parts)
            if table.cells.suppressed[row]:
                hidden.add(key)
            else:
                shown[key] = table.cells.value[row], table.cells.frequency[row]
    found = {key: shown[key][0] for key in hidden & shown.keys()}
    for whole, part in product(shown, shown):
        group = whole - part
        if part < whole and group not in shown:
            value, count = np.subtract(shown[whole], shown[part])
            if group in hidden or 0 < count < n:
                found[group] = value
    return found


@given(versions(), st.integers(2, 5))
def test_it_finds_what_all_pairs_of_published_cells_tell(tables: list[Table], n: int) -> None:
    attack = DifferencingAttack(n=n)
    found = attack.measure(LinkedTables(tuple(tables)), seen(*tables))
    expected = by_all_pairs(tables, n)
    assert found.details is not None
    assert sorted(found.details["value"].to_pylist()) == sorted(expected.values())
    assert all(row["error_percent"] == 0 for row in found.details.to_pylist())
    turned = tuple(reversed(tables))
    assert attack.measure(LinkedTables(turned), seen(*turned)).value == found.value

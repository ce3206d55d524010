"""Amounts with noise by cell keys, against the definition followed cell by cell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tacita.data.read import declarations_of, declare
from tacita.errors import InputError, ParameterError
from tacita.mechanisms.cell_keys import perturbation_table
from tacita.tables.cells import Cells
from tacita.tables.formats import cell_key_tags, p_table
from tacita.tables.perturb.cell_key_magnitudes import CellKeyMagnitudes
from tacita.tables.status import Status
from tacita.tables.system import System
from tacita.tables.tabulate import tabulate

pytestmark = pytest.mark.numeric

STORED = Path(__file__).parents[4] / "shared" / "data" / "tables" / "tauargus" / "cellkey_mag"
SECRET = b"sixteen bytes or more"


def drawn(lines, number, key):
    """Return the noise of a number by the lines (i, j, upper bound) of a table, interpolated."""

    def noise(row):
        return next(j - i for i, j, above in lines if i == row and key < above)

    rows = sorted({i for i, _, _ in lines})
    if number >= rows[-1]:
        return noise(rows[-1])
    below = max(row for row in rows if row <= number)
    above = min(row for row in rows if row > number)
    share = (number - below) / (above - below)
    return (1 - share) * noise(below) + share * noise(above)


def lines_of(table):
    return [
        (number, number + noise, above)
        for number, row, upper in zip(table.numbers, table.chances, table.cumulated, strict=True)
        for noise, chance, above in zip(table.values, row, upper, strict=True)
        if chance > 0
    ]


def deviation_of(lines):
    last = max(i for i, _, _ in lines)
    noise, bounds = zip(*((j - i, above) for i, j, above in lines if i == last), strict=True)
    chances = np.diff([0.0, *bounds])
    return np.sqrt(sum(c * v * v for c, v in zip(chances, noise, strict=True)))


def by_definition(value, largest, key, *, large, small, share, large_share, point, power, fading,
                  digits, extra=0.0, same_key=False):  # fmt: skip
    """Follow the cell-key method of tau-ARGUS for one cell, keys as texts of digits."""

    def shifted(text):
        return text[1:] + text[0]

    def size_of(x):
        if point is None or x < point:
            return share
        flex = (2 * point / (x + point)) ** power
        return large_share * (1 + (share * x - large_share * point) / (large_share * point) * flex)

    both = share * np.sqrt(sum(e * e for e in (1, *fading)))
    separation = 0.0 if small is None else deviation_of(small) / both
    text = f"{key:.{digits}f}"[2:]
    sign, x = np.sign(value), abs(value)
    for j, part in enumerate((1.0, *fading)):
        xj = largest[j]
        if j == 0:
            text = text if same_key else shifted(text)
            more = extra if xj >= separation else 0.0
            unit = xj * size_of(xj) if xj >= separation else 1.0
            if x < unit:
                xj, unit = x / share, x
                unit = 1.0 if xj < separation else unit
            used = small if xj < separation else large
            v = drawn(used, x / unit, float(f"0.{text}")) if unit > 0 else 0.0
            x = max(x + unit * np.sign(v) * (more + abs(v)), 0.0)
        elif xj >= separation and xj > 0:
            unit = part * xj * size_of(xj)
            if x < unit:
                xj, unit = x / (part * share), x
            if xj >= separation and unit > 0:
                text = shifted(text)
                x += unit * drawn(large, x / unit, float(f"0.{text}"))
    return sign * x


def without_relations(cells, digits=None):
    return System(cells, csr_array((0, len(cells)), dtype=np.int64), np.zeros(0), digits=digits)


def random_cells(rng, n=40):
    largest = -np.sort(-rng.lognormal(3, 2, (n, 3)) * rng.integers(0, 2, (n, 3)), axis=1)
    rest = rng.lognormal(2, 2, n) * rng.integers(0, 2, n) - rng.integers(0, 3, n)
    value = largest.sum(axis=1) + rest
    return Cells.of(
        value,
        cell_key=rng.integers(0, 10**8, n) / 1e8,
        largest=largest,
        frequency=rng.integers(1, 20, n),
        status=rng.choice([Status.SAFE, Status.SENSITIVE], n),
        lower_bound=np.full(n, -np.inf),
    )


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32),
    st.sampled_from([None, 20.0, 500.0]),
    st.sampled_from([None, 0.5, 2.0]),
    st.sampled_from([(), (0.5,), (0.5, 0.2)]),
    st.sampled_from([0.0, 2.0]),
    st.booleans(),
)
def test_noise_is_that_of_the_definition(seed, point, small_variance, fading, extra, same_key):
    rng = np.random.default_rng(seed)
    cells = random_cells(rng)
    said = {"share": 0.3, "large_share": 0.03, "power": 3.0, "fading": fading}
    method = CellKeyMagnitudes(
        **said,
        flex_point=point,
        largest=4,
        variance=1.2,
        small_variance=small_variance,
        digits=8,
        extra=extra,
        same_key=same_key,
    )
    told = method.perturb(without_relations(cells), rng)
    large = lines_of(perturbation_table(4, 1.2, parts=2))
    small = small_variance and lines_of(perturbation_table(4, small_variance, parts=2))
    for row in range(len(cells)):
        more = extra if cells.sensitive[row] else 0.0
        slow = by_definition(
            cells.value[row], cells.largest[row], cells.cell_key[row], large=large, small=small,
            point=point, digits=8, extra=more, same_key=same_key, **said,
        )  # fmt: skip
        assert told.value[row] == pytest.approx(slow, rel=1e-9, abs=1e-9), row
    assert (np.sign(told.value) * np.sign(cells.value) >= 0).all()


@pytest.mark.skipif(not STORED.is_dir(), reason="the reference data are not here")
@pytest.mark.parametrize("over", ["contributions", "records"])
def test_stored_records_and_tables_of_noise_give_what_the_definition_gives(over):
    tags = cell_key_tags.read(STORED / "microdata.rda")
    said = dict(tags.magnitudes["Savings"])
    assert tags.keys_over == {"Savings": "contributions"}
    rows = [line.split(";") for line in (STORED / "microdata.csv").read_text().split()]
    sex, age, _, savings, _, keys = map(np.array, zip(*rows, strict=True))
    amounts, units = savings.astype(float), np.rint(keys.astype(float) * 1e8).astype(np.int64)
    data = pa.table({"Sex": sex, "Age": age, "Savings": amounts, "Key": keys.astype(float)})
    table = tabulate(data, ["Sex", "Age"], value="Savings", keys="Key", keys_over=over)
    told = CellKeyMagnitudes(**said).perturb(table.system(), np.random.default_rng())
    large, small = map(stored_lines, (said.pop("p_table"), said.pop("small_table")))
    options = {name: said[name] for name in ("share", "large_share", "power", "fading", "digits")}
    for row in range(len(table)):
        one, other = table.codes_of(row)
        chosen = ((one == "Total") | (sex == one)) & ((other == "Total") | (age == other))
        counted = chosen & ((amounts != 0) if over == "contributions" else True)
        key = int(units[counted].sum()) % 10**8 / 1e8
        top = -np.sort(-amounts[chosen])[:3]
        slow = by_definition(amounts[chosen].sum(), top, key, large=large, small=small,
                             point=said["flex_point"], **options)  # fmt: skip
        assert told.value[row] == pytest.approx(round(slow), abs=1e-6)
    assert len(table) > 20
    assert (told.change != 0).mean() > 0.5


def stored_lines(path):
    lines = [line.split(";") for line in Path(path).read_text().splitlines()[1:]]
    return [(float(i), float(j), float(above)) for i, j, _, _, above, _ in lines]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0, 1, 3, 12]), st.booleans())
@example(seed=1126363301, digits=1, is_weighted=False)  # the turnover of every town is whole
def test_a_cell_has_the_same_noise_in_any_table(seed, digits, is_weighted):
    rng = np.random.default_rng(seed)
    n = 60
    data = pa.table(
        {
            "town": rng.choice(["a", "b"], n),
            "sector": rng.choice(["x", "y", "z"], n),
            "turnover": np.round(rng.lognormal(4, 2, n), digits) * rng.integers(0, 2, n),
            "weight": np.round(rng.uniform(1, 3, n), 2),
        }
    )
    roles = declarations_of(role={"weight": "weight"} if is_weighted else {})
    method = CellKeyMagnitudes(0.2, fading=(0.5,), flex_point=100.0, large_share=0.02)
    for over in ("records", "contributions"):
        keyed = {"value": "turnover", "keys": SECRET, "keys_over": over}
        both = tabulate(declare(data, roles), ["town", "sector"], **keyed)
        one = tabulate(declare(data, roles), ["town"], **keyed)
        backwards = tabulate(
            declare(data.take(np.arange(n)[::-1]), roles), ["sector", "town"], **keyed
        )
        in_both, alone, turned = (
            method.perturb(table.system(), rng).value for table in (both, one, backwards)
        )
        for town in one.dimensions[0].codes:
            assert in_both[both.row(town=town)] == alone[one.row(town=town)]
            assert in_both[both.row(town=town)] == turned[backwards.row(town=town)]


def test_published_values_have_the_digits_of_the_records_or_those_that_are_said():
    firms = pa.table({"town": ["a", "a", "b"], "turnover": [512.25, 20.5, 300.0]})
    both, alone = (tabulate(t, ["town"], value="turnover", keys=SECRET) for t in (firms, firms[2:]))

    def published(table, decimals=None):
        method = CellKeyMagnitudes(0.1234567, decimals=decimals)
        value = method.perturb(table.system(), np.random.default_rng()).value
        return value[table.row(town="b")]

    assert round(published(both), 2) == published(both) != round(published(both))
    assert round(published(alone)) == published(alone)
    assert published(both, 3) == published(alone, 3) != published(alone)


def test_the_mean_and_the_value_may_be_what_noise_is_a_share_of():
    cells = Cells.of([100.0], cell_key=[0.9999], frequency=[4], largest=[[70.0]])
    most = perturbation_table(5, 1.0, parts=2).values[-1]
    expected = {"largest": 70, "mean": 25, "value": 100}
    for magnifier, base in expected.items():
        method = CellKeyMagnitudes(0.1, magnifier=magnifier, same_key=True)
        change = method.perturb(without_relations(cells), np.random.default_rng()).change[0]
        assert 0 < change <= most * 0.1 * base
        assert change / (0.1 * base) == pytest.approx(round(2 * change / (0.1 * base)) / 2)


def test_even_and_odd_cells_have_tables_of_their_own(tmp_path):
    path = tmp_path / "p.txt"
    tables = {"even": perturbation_table(2, 1.0), "odd": perturbation_table(6, 4.0)}
    p_table.write(tables, path)
    n = 400
    rng = np.random.default_rng(0)
    cells = Cells.of(np.full(n, 1000.0), cell_key=rng.random(n), frequency=np.arange(n),
                     largest=np.full((n, 1), 100.0))  # fmt: skip
    method = CellKeyMagnitudes(0.1, p_table=str(path), parity=True)
    change = np.abs(method.perturb(without_relations(cells), rng).change / 10)
    assert change[::2].max() == pytest.approx(2)
    assert change[1::2].max() > 3
    with pytest.raises(ParameterError, match="no perturbation table of the type `all`"):
        CellKeyMagnitudes(0.1, p_table=str(path)).perturb(without_relations(cells), rng)
    unknown = without_relations(Cells.of([5.0], cell_key=[0.5], largest=[[5.0]]))
    with pytest.raises(InputError, match="number of contributors"):
        method.perturb(unknown, rng)


def test_published_cells_and_zeros_stay_and_digits_are_those_of_the_table():
    cells = Cells.of(
        [100.0, 0.0, 50.0],
        cell_key=[0.9, np.nan, 0.9],
        largest=np.full((3, 1), 33.0),
        status=[Status.PUBLISHED, 0, 0],
    )
    method = CellKeyMagnitudes(0.0371)
    told = method.perturb(without_relations(cells, digits=0), np.random.default_rng())
    assert told.value[:2].tolist() == [100, 0]
    assert told.value[2] != 50
    assert told.value[2] == round(told.value[2])


def test_what_must_be_known_is_named():
    system = without_relations(Cells.of([5.0], cell_key=[0.5], largest=[[5.0]]))
    rng = np.random.default_rng()
    with pytest.raises(ParameterError, match=r"2 largest .* `largest=2`"):
        CellKeyMagnitudes(0.1, fading=(0.5,)).perturb(system, rng)
    unknown = without_relations(Cells.of([5.0], cell_key=[0.5], largest=[[np.nan]]))
    with pytest.raises(InputError, match="needs the largest contributions"):
        CellKeyMagnitudes(0.1).perturb(unknown, rng)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"parity": True}, "needs a `p_table`"),
        ({"magnifier": "mean", "fading": (0.5,)}, "`fading` is for further contributions"),
        ({"flex_point": 10.0, "large_share": 0.5}, "must not be above `share`"),
        ({"small_table": "s.txt", "small_variance": 1.0}, "`small_variance`"),
        ({"small_variance": 99.0}, "variance must be above"),
        ({"fading": (2.0,)}, "less than or equal to 1"),
    ],
)
def test_parameters_that_do_not_fit(options, sentence):
    with pytest.raises(ParameterError, match=sentence):
        CellKeyMagnitudes(0.1, **options)


def test_keys_over_contributions_need_a_value():
    data = pa.table({"a": ["x", "y"], "key": [0.25, 0.5], "v": [0, 3]})
    with pytest.raises(ParameterError, match="no contributions of 0"):
        tabulate(data, ["a"], keys="key", keys_over="contributions")
    with pytest.raises(ParameterError, match="records or contributions; found"):
        tabulate(data, ["a"], value="v", keys="key", keys_over="all")
    table = tabulate(data, ["a"], value="v", keys="key", keys_over="contributions")
    assert table.cells.cell_key.tolist() == [0.5, 0.0, 0.5]

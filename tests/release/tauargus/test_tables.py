"""Tables of records: every cell as a slow and plain addition makes it, every rule at its level."""

from __future__ import annotations

import csv
from collections import defaultdict
from itertools import product

import numpy as np
import pytest

OPEN = '<OPENMICRODATA> "firms.asc"\n<OPENMETADATA> "firms.rda"\n'
UP = {
    "region": lambda f: [f.region, {"1": "Nord", "2": "Nord", "99": None}.get(f.region, "Sued")],
    "size": lambda f: [f.size],
    "sector": lambda f: [f.sector, f.sector[0]],
}


def added_up(records, by, amount=lambda firm: firm.cents, whom=id):
    """Add up contributions in every cell: {codes: {contributor: amount}}."""
    cells = defaultdict(lambda: defaultdict(int))
    for firm in records:
        above = [[code for code in UP[name](firm) if code] + ["Total"] for name in by]
        for codes in product(*above):
            cells[codes][whom(firm)] += amount(firm)
    return cells


def job(by, rules, response="turnover", more=""):
    said = "".join(f'"{name}"' for name in by)
    value = response if response == "<FREQ>" else f'"{response}"'
    return f"{OPEN}<SPECIFYTABLE> {said}|{value}||\n<SAFETYRULE> {rules}\n<READMICRODATA>\n{more}"


def numbers(one):
    """Return the status number of every cell that is not empty, by its codes."""
    told = one.status_numbers().tolist()
    return {one.table.codes_of(row): told[row] for row in range(len(one.table))}


def found(cells, is_sensitive):
    return {codes for codes, held in cells.items() if is_sensitive(sorted(held.values())[::-1])}


def sensitive(one, *which):
    return {codes for codes, number in numbers(one).items() if number in (which or range(3, 10))}


def p_percent(p, n=1):
    return lambda sizes: 100 * sum(sizes[n + 1 :]) < p * sizes[0]


def dominance(n, k):
    return lambda sizes: 100 * sum(sizes[:n]) > k * sum(sizes)


@pytest.mark.parametrize(
    "by", [("region", "size"), ("size", "sector"), ("sector", "region", "size")]
)
def test_values_and_every_combination_of_codes(run, folder, records, by):
    text = job(by, "P(10)", more='<WRITETABLE> (1, 3, AS+, "out.txt")\n')
    (one,) = run(text).tables
    cells = added_up(records, by)
    with (folder / "out.txt").open(newline="") as file:
        rows = {tuple(code.strip() for code in row[:-2]): row for row in csv.reader(file)}
    codes = {
        "region": ["Total", "Nord", "1", "2", "Sued", "3", "10", "99"],
        "size": ["Total", "2", "3", "10", "99"],
        "sector": ["Total", "A", "A01", "A02", "B", "B11", "B12"],
    }
    assert list(rows) == list(product(*(codes[name] for name in by)))
    for cell, row in rows.items():
        wanted = f"{sum(cells[cell].values()) / 100:.2f}" if cell in cells else "-"
        assert row[-2] == wanted
        assert (row[-1] == "14") == (cell not in cells)
    assert len(one.table) == len(cells)


@pytest.mark.parametrize(
    ("rules", "is_sensitive", "number"),
    [
        ("P(15)", p_percent(15), 3),
        ("P(15,2)", p_percent(15, 2), 3),
        ("P(15,50,1)", p_percent(30), 3),
        ("NK(1,70)", dominance(1, 70), 3),
        ("NK(2,85)|NK(0,0)", dominance(2, 85), 3),
        ("FREQ(4,20)", lambda sizes: len(sizes) < 4, 5),
        ("ZERO(1)", lambda sizes: not any(sizes), 6),
    ],
)
def test_rules_about_respondents(run, records, rules, is_sensitive, number):
    (one,) = run(job(("region", "size"), rules)).tables
    wanted = found(added_up(records, ("region", "size")), is_sensitive)
    assert wanted
    assert sensitive(one) == sensitive(one, number) == wanted


@pytest.mark.parametrize(
    ("rules", "is_sensitive", "number"),
    [
        ("P(0,0)|P(0,0)|P(90,1)", p_percent(90), 3),
        ("NK(0,0)|NK(0,0)|NK(2,50)|NK(0,0)", dominance(2, 50), 3),
        ("FREQ(0,0)|FREQ(4,20)", lambda sizes: len(sizes) < 4, 5),
    ],
)
def test_rules_about_holdings(run, records, rules, is_sensitive, number):
    (one,) = run(job(("region", "size"), rules)).tables
    cells = added_up(records, ("region", "size"), whom=lambda firm: firm.holding)
    wanted = found(cells, is_sensitive)
    assert wanted != found(added_up(records, ("region", "size")), is_sensitive)
    assert sensitive(one, number) == wanted


def test_rules_at_both_levels_and_dominance_goes_before_frequency(run, records):
    (one,) = run(job(("region", "size"), "FREQ(4,20)|P(0)|P(0)|P(20,1)")).tables
    few = found(added_up(records, ("region", "size")), lambda sizes: len(sizes) < 4)
    holdings = added_up(records, ("region", "size"), whom=lambda firm: firm.holding)
    dominated = found(holdings, p_percent(20))
    assert few - dominated
    assert few & dominated
    assert (sensitive(one, 3), sensitive(one, 5)) == (dominated, few - dominated)


def test_requests(run, records):
    (one,) = run(job(("region", "size"), "REQ(1,1,3,20)")).tables
    cells = added_up(records, ("region", "size"))
    asked = added_up([f for f in records if f.asks == "1"], ("region", "size"))
    large = {
        codes
        for codes, held in asked.items()
        if 100 * max(held.values()) > sum(cells[codes].values()) or len(cells[codes]) < 3
    }
    assert sensitive(one, 4) == large
    (without,) = run(job(("region", "size"), "REQ(1,1,20)")).tables
    assert sensitive(without, 4) <= large


def test_cells_on_missing_codes(run):
    (judged,) = run(job(("size",), "FREQ(50,20)|MIS(0)")).tables
    (safe,) = run(job(("size",), "FREQ(50,20)|MIS(1)")).tables
    assert ("99",) in sensitive(judged)
    assert sensitive(safe) == sensitive(judged) - {("99",)}


def test_weights_count_only_if_the_job_says_so(run, records):
    (plain,) = run(job(("size",), "FREQ(4,20)")).tables
    (weighted,) = run(job(("size",), "FREQ(4,20)|WGT(1)")).tables
    cents = sum(firm.cents for firm in records)
    assert plain.table.cells.value[0] == cents / 100
    heavy = sum(firm.cents * firm.weight for firm in records) / 100
    assert weighted.table.cells.value[0] == pytest.approx(heavy, rel=1e-12)


def test_counts_have_no_decimals(run, records):
    (one,) = run(job(("region",), "FREQ(3,20)", response="<FREQ>")).tables
    counts = {codes: len(held) for codes, held in added_up(records, ("region",)).items()}
    held = {one.table.codes_of(row): v for row, v in enumerate(one.table.cells.value)}
    assert held == counts
    assert (one.decimals, one.table.variable) == (0, None)


def test_shadow_cost_and_power(run, records):
    text = f'{OPEN}<SPECIFYTABLE> "size"|"turnover"|"staff"|"staff",0.5\n<SAFETYRULE> NK(1,50)\n'
    (one,) = run(f"{text}<READMICRODATA>\n").tables
    staff = added_up(records, ("size",), amount=lambda firm: firm.staff)
    for row in range(len(one.table)):
        total = sum(staff[one.table.codes_of(row)].values())
        assert one.table.cells.total[row] == total
        assert one.table.cells.cost[row] == pytest.approx(total**0.5)


@pytest.mark.parametrize(("said", "column"), [("-1", "frequency"), ("-2", None), ("-1,0", None)])
def test_costs_that_are_no_variable(run, said, column):
    text = f'{OPEN}<SPECIFYTABLE> "size"|"turnover"||{said}\n<SAFETYRULE> NK(1,50)\n'
    (one,) = run(f"{text}<READMICRODATA>\n").tables
    cells = one.table.cells
    wanted = {
        "-1": cells.frequency,
        "-2": np.ones(len(cells)),
        "-1,0": np.log(np.maximum(cells.frequency, 1)),
    }
    np.testing.assert_array_equal(cells.cost, wanted[said])
    assert column is None or cells.cost[0] == getattr(cells, column)[0]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (job(("regio",), "P(10)"), "line 5: .* no variable `regio`. Did you mean `region`"),
        (job(("size",), "P(10)", response="<FREQ>"), "`p_percent` applies to magnitude tables"),
        (job(("size",), "NK(1,100)"), "line 5: .*`k`"),
        (job(("size",), "P(10)", response="sector"), "`sector` must hold numbers"),
        (job(("size",), "FREQ(2.5,1)"), "FREQ needs a whole number of contributors; found 2.5"),
    ],
)
def test_what_cannot_be_tabulated_is_told_with_its_line(refused, text, sentence):
    import re

    assert re.search(sentence, refused(text))


def test_tags_that_rules_need(refused, folder):
    described = (folder / "firms.RDA").read_text()
    for tag, rules in (
        ("HOLDING", "P(0)|P(0)|P(10)"),
        ("REQUEST", "REQ(10,10,0,10)"),
        ("WEIGHT", "P(10)|WGT(1)"),
    ):
        (folder / "firms.RDA").write_text(described.replace(f"<{tag}>", "<NUMERIC>"))
        assert f"names no <{tag}>" in refused(job(("size",), rules))

"""Recodes: hierarchies cut, codes put together, in every table that the variable spans."""

from __future__ import annotations

from collections import defaultdict

import pytest

OPEN = '<OPENMICRODATA> "firms.asc"\n<OPENMETADATA> "firms.rda"\n'
TWO = (
    f'{OPEN}<SPECIFYTABLE> "region""size"|"turnover"||\n<SAFETYRULE> NK(1,60)|FREQ(3,20)\n'
    '<SPECIFYTABLE> "size""sector"|"turnover"||\n<SAFETYRULE> P(0)|P(0)|P(30)\n<READMICRODATA>\n'
)


def values(one):
    return {one.table.codes_of(row): v for row, v in enumerate(one.table.cells.value.tolist())}


def statuses(one):
    told = one.status_numbers().tolist()
    return {one.table.codes_of(row): told[row] for row in range(len(one.table))}


def test_a_level_is_cut_and_everything_above_it_stays(run):
    plain, _ = run(TWO).tables
    cut, _ = run(TWO + "<RECODE> 1, REGION, 1\n").tables
    assert cut.codes()[0] == ["Total", "Nord", "Sued", "99"]
    kept = {codes for codes in values(plain) if codes[0] in ("Total", "Nord", "Sued", "99")}
    assert values(cut) == {codes: values(plain)[codes] for codes in kept}
    assert statuses(cut) == {codes: statuses(plain)[codes] for codes in kept}
    assert cut.table.system().relations.shape[0] < plain.table.system().relations.shape[0]


def test_a_level_below_the_deepest_changes_nothing(run):
    plain, _ = run(TWO).tables
    same, _ = run(TWO + "<RECODE> 1, region, 2\n").tables
    assert values(same) == values(plain)


def test_codes_whose_parts_go(run, folder):
    (folder / "Cut.GRC").write_text("<TREERECODE>\nSued\n\n")
    cut, _ = run(TWO + '<RECODE> 1, region, "cut.grc"\n').tables
    assert cut.codes()[0] == ["Total", "Nord", " 1", " 2", "Sued", "99"]


def by_new_size(records, new):
    cells = defaultdict(list)
    for firm in records:
        for code in (new.get(firm.size, firm.size), "Total"):
            cells[code].append(firm.cents)
    return cells


@pytest.mark.parametrize(
    ("file", "new", "codes"),
    [
        ("1: 2-3\n", {"2": "1", "3": "1"}, ["Total", " 1", "10", "99"]),
        ("1:2,10\n", {"2": "1", "10": "1"}, ["Total", " 1", " 3", "99"]),
        ("x: -3\ny: 10-\n", {"2": "x", "3": "x", "10": "y"}, ["Total", " x", " y", "99"]),
        ("10: 2\n", {"2": "10"}, ["Total", " 3", "10", "99"]),
        (
            "smaller : 2 , 77\n<CODELIST> a.cdl\n",
            {"2": "smaller"},
            ["Total", "      3", "     10", "smaller", "     99"],
        ),
    ],
)
def test_codes_are_put_together_in_every_table(run, folder, records, file, new, codes):
    (folder / "size.grc").write_text(file)
    one, other = run(TWO + "<RECODE> 1, size, size.grc\n").tables
    cells = by_new_size(records, new)
    for table, axis in ((one, 1), (other, 0)):
        totals = {c[axis]: v for c, v in values(table).items() if c[1 - axis] == "Total"}
        assert totals == {code: sum(held) / 100 for code, held in cells.items()}
        table.table.system()
    assert one.codes()[1] == codes


def test_what_recoded_cells_hold_is_found_in_the_records_again(run, folder, records):
    (folder / "size.grc").write_text("1: 2-3\n")
    one, _ = run(TWO + "<RECODE> 1, size, size.grc\n").tables
    row = one.table.row(size="1")
    cents = sorted(firm.cents for firm in records if firm.size in "23")[::-1]
    assert one.table.cells.largest[row].tolist() == [cents[0] / 100, cents[1] / 100]
    assert one.table.cells.frequency[row] == len(cents)


@pytest.mark.parametrize(
    ("variable", "file", "sentence"),
    [
        ("size", "1 2-3\n", "line 1: expected a new code and old ones"),
        ("size", "1: 2\n2: 2-3\n", "line 2: the code '2' is to become '2' and '1'"),
        ("size", "1: 2,\n", "line 1: expected a code or a range of codes; found nothing"),
        ("size", "<TREERECODE>\n2\n", "line 1: expected new codes; found <TREERECODE>"),
        ("region", "1: 2-3\n", "line 1: expected <TREERECODE>"),
        ("region", "<TREERECODE>\nNord\nOst\n", "line 3: the variable has no code 'Ost'"),
    ],
)
def test_a_recode_that_cannot_be_understood(refused, folder, variable, file, sentence):
    (folder / "r.grc").write_text(file)
    told = refused(TWO + f"<RECODE> 1, {variable}, r.grc\n")
    assert "job.arb, line 8: " in told
    assert sentence in told


def test_what_cannot_be_recoded(refused):
    assert "only a variable with a hierarchy" in refused(TWO + "<RECODE> 1, size, 1\n")
    assert "`sector` does not span table 1" in refused(TWO + "<RECODE> 1, sector, 1\n")
    assert "there is no table 3; there are 2" in refused(TWO + "<RECODE> 3, size, 1\n")
    assert "there is no file no.grc" in refused(TWO + "<RECODE> 1, size, no.grc\n")

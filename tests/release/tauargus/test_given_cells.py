"""A-priori files with all the words of tau-ARGUS."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.tables.status import Status

TABLE = (
    '<OPENMICRODATA> "firms.asc"\n<OPENMETADATA> "firms.rda"\n'
    '<SPECIFYTABLE> "region""size"|"turnover"||\n<SAFETYRULE> FREQ(4,20)|MAN(35)\n<READMICRODATA>\n'
)


@pytest.fixture
def given(run, folder):
    def giving(text, *flags):
        (folder / "a.hst").write_text(text)
        more = "".join(f", {flag}" for flag in flags)
        return run(f'{TABLE}<APRIORI> "a.hst", 1, ";"{more}\n').tables[0]

    return giving


def status(one, **codes):
    return int(one.status_numbers()[one.table.row(**codes)])


def test_statuses(given):
    one = given(' 10; 3;s\nNord;;u\n"";;P\n1;"2";m\n2;2;ML\n')
    assert status(one, region="10", size="3") == 2
    assert status(one, region="Nord") == 9
    assert status(one) == 10
    assert status(one, region="1", size="2") == status(one, region="2", size="2") == 12
    row = one.table.row(region="Nord")
    level = 0.35 * one.table.cells.value[row]
    assert one.table.cells.upper_level[row] == pytest.approx(level)


def test_a_cell_that_a_rule_found_and_somebody_gives_is_manual(given):
    assert status(given("1;2;pl;0\n"), region="10", size="3") == 5
    assert status(given("10;3;u\n"), region="10", size="3") == 9


def test_numbers(given):
    one = given("1;2;c;7\n1;3;w;8,5\n10;3;pl;11;12\n1;10;pl;4\nNord;;ab;1;9999999\n")
    cells, row = one.table.cells, one.table.row
    assert cells.cost[row(region="1", size="2")] == 7
    assert cells.cost[row(region="1", size="3")] == 8.5
    levels = np.column_stack([cells.lower_level, cells.upper_level])
    assert levels[row(region="10", size="3")].tolist() == [11, 12]
    assert levels[row(region="1", size="10")].tolist() == [4, 4]
    place = row(region="Nord")
    assert (cells.lower_bound[place], cells.upper_bound[place]) == (1, 9_999_999)


def test_lines_that_cannot_be_followed_are_passed_over_and_counted(run, folder):
    (folder / "a.hst").write_text("77;2;s\n1;2;zz\n10;3;p\n1;2;c\n1;2;s\n")
    done = run(f'{TABLE}<APRIORI> "a.hst", 1, ";"\n')
    assert "line 6: 1 line of a.hst followed, 4 passed over" in done.log
    assert status(done.tables[0], region="1", size="2") == 2
    assert status(done.tables[0], region="10", size="3") == 5


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("77;2;s", "`region` has no code '77'"),
        ("1;2;zz", "expected 2 codes and s, u, p, m, c, pl or ab"),
        ("1;s", "expected 2 codes and s, u, p, m, c, pl or ab"),
        ("1;2;c", "expected numbers after `c`"),
        ("1;2;ab;1;2", "outside of these bounds"),
        ("10;3;p", "is to be published"),
    ],
)
def test_lines_that_cannot_be_followed_are_named_if_errors_count(refused, folder, line, sentence):
    (folder / "a.hst").write_text(f"1;2;s\n{line}\n")
    told = refused(f'{TABLE}<APRIORI> "a.hst", 1, ";", 0\n')
    assert "job.arb, line 6: " in told
    assert "a.hst, line 2" in told
    assert sentence in told


def test_codes_that_mean_the_same_are_given_together(run, folder):
    (folder / "regions.hrc").write_text("Nord\n@ 1\n@ 2\nSued\n@Sued3\n@@ 3\nOst\n@10\n")
    (folder / "a.hst").write_text("Sued3;;s\nOst;2;u\n")
    for flags, others in (("0, 1", [2, 2, 2, 9]), ("0, 0", [1, 2, 1, 1])):
        (one,) = run(f'{TABLE}<APRIORI> "a.hst", 1, ";", {flags}\n').tables
        found = [status(one, region=code) for code in ("Sued", "Sued3", "3")]
        assert [*found, status(one, region="10", size="2")] == others


def test_what_is_given_counts_when_the_table_is_protected(run, folder):
    (folder / "a.hst").write_text("1;2;p\n1;3;p\n")
    one = run(f'{TABLE}<APRIORI> "a.hst", 1, ";"\n<SUPPRESS> OPT(1,1)\n').tables[0]
    for size in ("2", "3"):
        assert one.table.cells.status[one.table.row(region="1", size=size)] == Status.PUBLISHED
    assert (one.table.cells.status == Status.SECONDARY).any()

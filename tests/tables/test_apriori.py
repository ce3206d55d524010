"""What is given of cells beforehand, and its files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import InputError, OutputError, ParameterError
from tacita.mechanisms.sensitivity.minimum_frequency import MinimumFrequency
from tacita.tables.apriori import Given, read_apriori, with_given, with_waivers, write_apriori
from tacita.tables.dimension import Dimension
from tacita.tables.judging import judge
from tacita.tables.ready import ready_table
from tacita.tables.status import Status
from tacita.tables.table import Table

SHARED = Path(__file__).parents[3] / "shared" / "data" / "tables"


@pytest.fixture
def table() -> Table:
    """Five cells; (b, y) is empty."""
    codes = {"r": ["Total", "Total", "a", "a", "b"], "s": ["Total", " x", "Total", " x", "Total"]}
    return ready_table(
        "t",
        [Dimension.flat("r", ["a", "b"]), Dimension.flat("s", [" x", " y"])],
        codes,
        {"value": [100.0, 100.0, 60.0, 60.0, 40.0], "frequency": [9, 9, 2, 2, 7]},
        variable="v",
        absent="empty",
    )


def read(tmp_path: Path, text: str, **said: str) -> list[Given]:
    path = tmp_path / "given.hst"
    path.write_text(text)
    return read_apriori(path, **said)


class TestFiles:
    """Reading and writing."""

    @pytest.mark.parametrize("mark", [";", ",", "\t", "|"])
    def test_the_separator_is_found_out(self, tmp_path: Path, mark: str) -> None:
        lines = ["a; x;s", 'a;"";u', "b; y;p", "a; x;c;12.5", "a; x;pl;3", "a; x;pl;3;4"]
        found = read(tmp_path, "\n".join(line.replace(";", mark) for line in lines))
        assert found == [
            Given(("a", " x"), "safe"),
            Given(("a", ""), "unsafe"),
            Given(("b", " y"), "protected"),
            Given(("a", " x"), cost=12.5),
            Given(("a", " x"), levels=(3, 3)),
            Given(("a", " x"), levels=(3, 4)),
        ]

    def test_a_code_may_look_like_a_status(self, tmp_path: Path) -> None:
        assert read(tmp_path, "s;u;p\nc;pl;s\n") == [
            Given(("s", "u"), "protected"),
            Given(("c", "pl"), "safe"),
        ]

    def test_a_decimal_comma(self, tmp_path: Path) -> None:
        assert read(tmp_path, "a;x;c;1,5\n")[0].cost == 1.5

    def test_a_separator_can_be_said(self, tmp_path: Path) -> None:
        assert read(tmp_path, "a#x#s\n", separator="#") == [Given(("a", "x"), "safe")]

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("a;x;s\na;x;q\n", r"line 2: expected codes and then s, u, p.*a \| x \| q"),
            ("a;x;s\n\na;x;c;-1\n", "line 3: expected a number of 0 or more; found '-1'"),
            ("a;x;pl;1_000\n", "line 1: expected a number of 0 or more; found '1_000'"),
            ("a;x;pl;many\n", "line 1: expected a number of 0 or more; found 'many'"),
            ("\n", "is empty"),
        ],
    )
    def test_lines_that_say_nothing(self, tmp_path: Path, text: str, problem: str) -> None:
        with pytest.raises(InputError, match=problem):
            read(tmp_path, text)

    def test_a_separator_is_one_character(self, tmp_path: Path) -> None:
        with pytest.raises(ParameterError, match="one character; found '--'"):
            read(tmp_path, "a--x--s\n", separator="--")

    def test_a_field_longer_than_any_code(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="line 1: expected codes"):
            read(tmp_path, f"{'a' * 200_000};x;s\n")

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="There is no file"):
            read_apriori(tmp_path / "none.hst")

    def test_no_folder(self, tmp_path: Path) -> None:
        with pytest.raises(OutputError):
            write_apriori([], tmp_path / "none" / "given.hst")

    @pytest.mark.skipif(not SHARED.exists(), reason="the reference data are not here")
    def test_a_file_of_tau_argus(self) -> None:
        found = read_apriori(SHARED / "checkTauArgus" / "enterprise" / "test_3a.hst")
        assert len(found) == 15
        assert found[:2] == [Given(("", ""), "protected"), Given(("RegA", ""), "protected")]


codes = st.text(
    st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp"), blacklist_characters="\x85"),
    min_size=0,
    max_size=5,
)
numbers = st.floats(0, 1e15)
facts = st.one_of(
    st.builds(Given, st.tuples(codes, codes), st.sampled_from(["safe", "unsafe", "protected"])),
    st.builds(lambda c, cost: Given(c, cost=cost), st.tuples(codes, codes), numbers),
    st.builds(
        lambda c, low, high: Given(c, levels=(low, high)), st.tuples(codes, codes), numbers, numbers
    ),
)


@given(said=st.lists(facts, min_size=1), mark=st.sampled_from([";", ",", "\t"]))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, said: list[Given], mark: str) -> None:
    path = tmp_path_factory.mktemp("apriori") / "given.hst"
    write_apriori(said, path, separator=mark)
    assert read_apriori(path, separator=mark) == said


class TestOnATable:
    """Statuses, costs and levels."""

    def test_unsafe(self, table: Table) -> None:
        cells = with_given(table, [Given(("a", " x"), "unsafe")], margin=10).cells
        row = table.row(r="a", s=" x")
        assert (cells.status[row], cells.reason[row]) == (Status.SENSITIVE, "given")
        assert (cells.lower_level[row], cells.upper_level[row]) == (6, 6)
        assert cells.sensitive.sum() == 1

    def test_levels_and_cost_replace_others(self, table: Table) -> None:
        said = [
            Given(("a", " x"), "unsafe"),
            Given(("a", " x"), levels=(70, 5)),
            Given(("a", " x"), cost=3),
        ]
        cells = with_given(table, said).cells
        row = table.row(r="a", s=" x")
        assert (cells.lower_level[row], cells.upper_level[row], cells.cost[row]) == (60, 5, 3)

    def test_protected(self, table: Table) -> None:
        cells = with_given(table, [Given(("", ""), "protected")]).cells
        assert (cells.status[0], cells.reason[0]) == (Status.PUBLISHED, "given")

    def test_a_waiver_before_and_after_judging(self, table: Table) -> None:
        rule, waived = MinimumFrequency(3), [Given(("a", ""), "safe")]
        before = judge(with_given(table, waived), rule)
        after = with_given(judge(table, rule), waived)
        for made in (before, after):
            row = made.row(r="a")
            assert (made.cells.status[row], made.cells.reason[row]) == (Status.SAFE, "waiver")
            assert made.cells.upper_level[row] == 0
            assert made.cells.sensitive.sum() == 1
        np.testing.assert_array_equal(before.cells.status, after.cells.status)

    def test_waivers_of_contributors(self, table: Table) -> None:
        judged = judge(with_waivers(table, [("a", ""), ("a", "x")]), MinimumFrequency(3))
        assert not judged.cells.sensitive.any()

    def test_a_waiver_lets_a_sensitive_cell_be_published(self, table: Table) -> None:
        said = [Given(("a", ""), "safe"), Given(("a", ""), "protected")]
        cells = judge(with_given(table, said), MinimumFrequency(3)).cells
        row = table.row(r="a")
        assert (cells.status[row], cells.reason[row]) == (Status.PUBLISHED, "waiver")

    def test_blanks_around_codes_are_looked_through(self, table: Table) -> None:
        cells = with_given(table, [Given(("a ", "x"), "unsafe")]).cells
        assert cells.status[table.row(r="a", s=" x")] == Status.SENSITIVE

    def test_empty_cells_are_published_anyway(self, table: Table) -> None:
        said = [Given(("b", " y"), "protected"), Given(("b", " y"), "safe")]
        assert not with_given(table, said).cells.status.any()


class TestContradictions:
    """What cannot be all true is refused."""

    def test_unknown_codes(self, table: Table, tmp_path: Path) -> None:
        said = read(tmp_path, "a; x;s\nAA; x;u\n")
        with pytest.raises(InputError, match=r"line 2: `r` has no code 'AA'\."):
            with_given(table, said)
        assert not with_given(table, said, unknown="skip").cells.sensitive.any()

    def test_too_many_codes(self, table: Table, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"line 1: expected 2 codes \(r, s\); found 1 \(a\)"):
            with_given(table, read(tmp_path, "a;u\n"))

    def test_an_empty_cell_cannot_be_unsafe(self, table: Table) -> None:
        with pytest.raises(InputError, match="Nobody contributes to the cell b,  y"):
            with_given(table, [Given(("b", " y"), "unsafe")])

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("a; x;u\na; x;s\n", r"status unsafe \(.*line 1\) and status safe \(.*line 2\)"),
            ("a;x;p\na; x;u\n", r"status protected \(.*line 1\) and status unsafe"),
            ("a; x;c;1\nb;;u\na; x;c;2\n", r"cost 1.0 \(.*line 1\) and cost 2.0 \(.*line 3\)"),
            ("a; x;pl;1\na; x;pl;1;2\n", "levels 1 and 1 .* and levels 1 and 2"),
        ],
    )
    def test_two_lines(self, table: Table, tmp_path: Path, text: str, problem: str) -> None:
        with pytest.raises(InputError, match=problem):
            with_given(table, read(tmp_path, text))

    def test_the_same_twice_is_no_contradiction(self, table: Table) -> None:
        said = [Given(("a", " x"), "unsafe"), Given(("a", " x"), cost=2.0)] * 2
        assert with_given(table, said).cells.sensitive.sum() == 1

    def test_a_sensitive_cell_that_is_to_be_published(self, table: Table) -> None:
        judged = judge(table, MinimumFrequency(3))
        with pytest.raises(InputError, match=r"\(r a\) is to be published .* is sensitive"):
            with_given(judged, [Given(("a", ""), "protected")])

    def test_numbers_below_zero(self, table: Table) -> None:
        with pytest.raises(InputError, match=r"0 or more; found -1 for \(a\)"):
            Given(("a",), levels=(1, -1))
        with pytest.raises(ParameterError, match="`margin` should be"):
            with_given(table, [], margin=-1)

    def test_a_published_cell_that_is_to_be_unsafe(self, table: Table) -> None:
        published = with_given(table, [Given(("a", ""), "protected")])
        with pytest.raises(InputError, match="given as unsafe, and is to be published"):
            with_given(published, [Given(("a", ""), "unsafe")])

"""A table as HTML: what is drawn, and what must not be there."""

from __future__ import annotations

from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import InputError, OutputError, ParameterError
from tacita.tables.dimension import Dimension
from tacita.tables.formats import html
from tacita.tables.ready import ready_table
from tacita.tables.status import Status

LONG = 10**12  # so that nothing else in a file is one of the values


class Page(HTMLParser):
    """The grids of a page, as rows of (class, text, title)."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[list[str]]] = []
        self.titles: list[str] = []
        self._in = ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        said = dict(attrs)
        self._in = said.get("class", tag) if tag == "span" else tag
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append([said.get("class", ""), "", said.get("title", "")])
        if tag == "summary":
            self.titles.append("")

    def handle_data(self, data):
        if self._in == "bdi" and self.titles and not self.titles[-1]:
            self.titles[-1] = data
        elif self._in in ("td", "th", "bdi", "sign") and self.rows:
            self.rows[-1][-1][1] += data.strip()


@pytest.fixture(scope="module")
def firms():
    nace = Dimension.from_nested("nace", {"Total": {"A": ["A1", "A2"], "B": ["B1"]}})
    region = Dimension.flat("region", ["n", "s"])
    empty = {("B", "s"), ("B1", "s")}
    codes = [(a, b) for a in nace.codes for b in region.codes if (a, b) not in empty]
    leaves = {("A1", "n"): 1000.5, ("A1", "s"): 20, ("A2", "n"): 300, ("A2", "s"): 4000}
    leaves[("B1", "n")] = 50
    below = {"Total": "A1 A2 B1", "A": "A1 A2", "B": "B1"}
    value = [
        sum(
            leaves.get((x, y), 0)
            for x in below.get(a, a).split()
            for y in {"Total": "n s"}.get(b, b).split()
        )
        for a, b in codes
    ]
    status = [
        {("A1", "s"): Status.SENSITIVE, ("A2", "s"): Status.SECONDARY, ("B", "n"): 3}.get(c, 0)
        for c in codes
    ]
    primary = np.array(status) == Status.SENSITIVE
    return ready_table(
        "firms",
        [nace, region],
        {"nace": [a for a, _ in codes], "region": [b for _, b in codes]},
        {
            "value": value,
            "status": status,
            "reason": np.where(primary, "p_percent", "").astype(object),
            "frequency": np.arange(len(codes)) + 1,
            "lower_level": np.where(primary, 5.0, 0),
            "upper_level": np.where(primary, 7.5, 0),
        },
        variable="turnover",
    )


def audit_of(table, **changed):
    n = len(table)
    found = {
        "lower": table.cells.value - 3,
        "upper": np.full(n, np.inf),
        "disclosed": np.zeros(n, bool),
        "is_protected": np.ones(n, bool),
    }
    return SimpleNamespace(**{**found, **changed})


def test_the_public_view_is_the_grid_with_marks(firms):
    page = Page(html.fragment(firms))
    assert [[text for _, text, _ in row] for row in page.rows] == [
        ["nace / region", "Total", "n", "s"],
        ["Total", "5,370.5", "1,350.5", "4,020.0"],
        ["A", "5,320.5", "1,300.5", "4,020.0"],
        ["A1", "1,020.5", "1,000.5", "x"],
        ["A2", "4,300.0", "300.0", "x"],
        ["B", "50.0", "50.0", "-"],
        ["B1", "50.0", "50.0", "-"],
    ]
    assert page.rows[3][3] == page.rows[4][3]  # primary and secondary look alike
    assert [row[0][0] for row in page.rows[1:]] == ["total", "total", "", "", "total", ""]


def test_rows_are_indented_by_their_depth(firms):
    text = html.fragment(firms)
    depths = [text.split(f"<bdi>{code}</bdi>")[0][-3] for code in ("A", "A1", "B1")]
    assert depths == ["1", "2", "2"]


def test_the_internal_view_tells_everything_of_a_cell(firms):
    page = Page(html.fragment(firms, view="internal", audit=audit_of(firms)))
    kind, text, title = page.rows[3][3]
    assert (kind, text) == ("sensitive", "20.0\N{BLACK CIRCLE}")
    assert title.splitlines() == [
        "(nace A1, region s): 20.0",
        "sensitive: primary suppression, by p_percent",
        "frequency: 9",
        "contributors: 9",
        "must be possible: 15.0 to 27.5",
        "is possible: 17.0 to no limit",
        "verdict: protected",
    ]
    assert page.rows[4][3][:2] == ["secondary", "4,000.0\N{WHITE CIRCLE}"]
    assert page.rows[5][2][:2] == ["published", "50.0\N{BLACK DIAMOND}"]
    assert page.rows[1][1][:2] == ["safe", "5,370.5"]


@pytest.mark.parametrize(
    ("found", "verdict", "numbers"),
    [
        ("disclosed", "can be worked out exactly", "exactly: 1; protected less than required: 1"),
        ("weak", "protected less than required", "exactly: 0; protected less than required: 1"),
    ],
)
def test_cells_that_are_not_protected_stand_out(firms, found, verdict, numbers):
    row = firms.row(nace="A1", region="s")
    weak = np.arange(len(firms)) == row
    audit = audit_of(firms, is_protected=~weak, disclosed=weak & (found == "disclosed"))
    text = html.fragment(firms, view="internal", audit=audit)
    kind, shown, title = Page(text).rows[3][3]
    assert (kind, shown) == ("sensitive exposed", "20.0\N{BLACK CIRCLE}!")
    assert title.endswith(f"verdict: {verdict}")
    assert numbers in text


@given(st.integers(0, 2**32), st.integers(1, 4))
def test_the_public_view_holds_no_suppressed_value(random_table, given_away, seed, dimensions):
    table = random_table(seed, dimensions=dimensions, most=LONG)
    assert not given_away(table, html.fragment(table).replace(",", ""))


@given(st.integers(0, 2**32), st.integers(1, 3))
def test_the_public_view_does_not_depend_on_what_is_suppressed(random_table, seed, dimensions):
    table = random_table(seed, dimensions=dimensions)
    hidden = table.cells.suppressed
    other = table.with_cells(
        value=np.where(hidden, 0.25, table.cells.value),
        shown=np.where(hidden, 0.25, table.cells.shown),
        status=np.where(hidden, Status.SENSITIVE, table.cells.status),
        reason=np.where(hidden, "dominance", ""),
        upper_level=np.where(hidden, 9.0, 0),
    )
    assert html.fragment(table) == html.fragment(other)


@given(st.integers(0, 2**32), st.integers(1, 3))
def test_every_cell_is_drawn_once(random_table, seed, dimensions):
    table = random_table(seed, dimensions=dimensions)
    page = Page(html.fragment(table, view="internal"))
    titles = [cell[2].partition(": ")[0] for row in page.rows for cell in row if cell[2]]
    assert sorted(titles) == sorted(map(table.name_of, range(len(table))))


def test_further_attributes_have_a_grid_for_each_code():
    spans = [Dimension.flat(name, [f"{name}1", f"{name}2"]) for name in "abc"]
    codes = [(x, y, z) for x in spans[0].codes for y in spans[1].codes for z in spans[2].codes]
    table = ready_table(
        "cube",
        spans,
        {name: [code[axis] for code in codes] for axis, name in enumerate("abc")},
        {"value": np.arange(27.0)},
    )
    page = Page(html.fragment(table))
    assert page.titles == ["b: Total", "b: b1", "b: b2"]
    grid = [[cell[1] for cell in row] for row in page.rows[5:8]]  # b1, below its headings
    assert grid == [["Total", "3", "4", "5"], ["a1", "12", "13", "14"], ["a2", "21", "22", "23"]]


def test_means_are_told_with_what_adds_up_and_fractions_are_not_rounded_away():
    span = Dimension.flat("sex", ["f", "m"])
    known = {"value": [60, 20, 40], "shown": [20, 10, 40], "status": [0, 1, 2]}
    table = ready_table(
        "t",
        [span],
        {"sex": span.codes},
        {**known, "upper_level": [0, 2.4, 0], "frequency": [3.5, 2, 1.5]},
        statistic="mean",
    )
    rows = Page(html.fragment(table, view="internal")).rows
    assert rows[1][1][2].splitlines() == [
        "(the grand total): 20",
        "adds up as: 60",
        "frequency: 3.5",
        "contributors: 3.5",
    ]
    assert "must be possible: 20 to 22.40" in rows[2][1][2]


def test_very_large_tables_are_cut_and_say_so():
    span = Dimension.flat("a", [str(code) for code in range(20_000)])
    table = ready_table("long", [span], {"a": span.codes}, {"value": np.ones(len(span))})
    text = html.fragment(table)
    assert "Drawn are the first 10,000 of 20,001 cells" in text
    assert len(Page(text).rows) == 10_001


def test_codes_are_text_and_never_markup():
    span = Dimension.flat("<i>", ["<script>alert(1)</script>"])
    table = ready_table("<b>", [span], {"<i>": span.codes}, {"value": [1, 1], "status": [0, 1]})
    for view in ("public", "internal"):
        text = html.fragment(table, view=view)
        assert "<script" not in text
        assert "<i>" not in text


def test_labels_stand_beside_their_codes():
    flat = Dimension.flat("sex", ["1"])
    span = Dimension("sex", flat.codes, flat.parents, {"1": "women"})
    table = ready_table("people", [span], {"sex": span.codes}, {"value": [4, 4]}, statistic="count")
    assert [row[0][1] for row in Page(html.fragment(table)).rows] == ["sex", "Total", "1 women"]


def test_the_page_needs_nothing_beside_it(firms, tmp_path):
    html.write(firms, tmp_path / "firms.html")
    text = (tmp_path / "firms.html").read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert html.fragment(firms).strip() in text
    for word in ("<script", "http:", "https:", "src=", "@import", "url("):
        assert word not in text


def test_what_cannot_be_drawn_is_refused(firms, tmp_path):
    with pytest.raises(ParameterError, match="internal view"):
        html.fragment(firms, audit=audit_of(firms))
    with pytest.raises(ParameterError, match="internal or public"):
        html.fragment(firms, view="secret")
    with pytest.raises(InputError, match="Audit this table"):
        html.fragment(firms, view="internal", audit=audit_of(firms, lower=np.zeros(2)))
    with pytest.raises(OutputError, match="folder"):
        html.write(firms, tmp_path / "nowhere" / "firms.html")

"""Who states other versions gains nothing: a page of other bytes has to say the same."""

from __future__ import annotations

import re
import shutil
from html import escape
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.data.formats import write_table
from tacita.release import made_with
from tacita.release.report.sentences import difference, tokens_of
from tacita.release.verify import Line, Status

PLAN = """
data:
  source: toy.csv
  attributes: {id: identifier, household: household, age: key, zip: key, income: confidential}
microdata:
  steps:
    - drop: {attributes: [id, household]}
    - anonymize: {to: {k_anonymity: 3}}
  require: [{k_anonymity: 3}]
"""


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sentences")
    write_table(ta.example("toy", 300, seed=2).table, folder / "toy.csv")
    (folder / "plan.yaml").write_text(PLAN)
    ta.run(folder / "plan.yaml", folder / "out", seed=5)
    return folder / "out"


@pytest.fixture
def stated(monkeypatch):
    """State that other versions of some packages made what is verified."""

    def stating(*names: str) -> None:
        here = made_with.version_of
        monkeypatch.setattr(
            made_with, "version_of", lambda name: "9.9" if name in names else here(name)
        )

    return stating


def line_of(folder: Path, what: str, **how) -> Line:
    """Return what is said of a file itself; that it is not the one listed is said before."""
    return [one for one in ta.verify(folder, **how).lines if one.what == what][-1]


def spaced(page: str) -> str:
    return page.replace("</p>", "\n</p>").replace('class="verdict', "class='verdict", 1).replace(
        "</span> ", "</span>\n"
    ).replace("class='verdict good\"", "class='verdict good'")  # fmt: skip


def moved(page: str) -> str:
    (drawn,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)[:1]
    return page.replace(drawn, re.sub(r'(translate\(|[" ]d=")', r"\g<1>1", drawn))


def relabelled(page: str) -> str:
    (drawn,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)[:1]
    label = re.search(r"<text[^>]*>([^<]+)</text>", drawn)
    assert label is not None
    return page.replace(drawn, drawn.replace(f">{label[1]}<", ">invented<", 1))


@pytest.mark.parametrize(
    ("packages", "tamper", "status"),
    [
        (("jinja2",), spaced, Status.NOT_PROVEN),
        (("jinja2",), moved, Status.WRONG),
        (("vl-convert-python",), moved, Status.NOT_PROVEN),
        (("vl-convert-python",), relabelled, Status.WRONG),
        (("numpy", "pyarrow"), spaced, Status.WRONG),
        (("tacita",), relabelled, Status.NOT_PROVEN),
        *(
            (("jinja2", "vl-convert-python"), tamper, Status.WRONG)
            for tamper in (
                lambda page: page.replace("proven", "sworn"),
                lambda page: page.replace("300", "900"),
                lambda page: page.replace("</body>", "<!-- k is 50 --></body>"),
                lambda page: page.replace("</body>", "<p hidden>k is 50</p></body>"),
                lambda page: page.replace("<body", "<body title='k is 50'"),
                lambda page: page + "k is 50",
                lambda page: page.replace("verdict good", "verdict warn", 1),
            )
        ),
    ],
)
def test_a_public_page_that_says_something_else_is_wrong_under_any_versions(
    release, stated, tmp_path, packages, tamper, status
):
    shutil.copytree(release / "public", tmp_path / "public")
    file = tmp_path / "public" / "report.html"
    before = file.read_text()
    file.write_text(tamper(before))
    assert file.read_text() != before
    assert line_of(tmp_path / "public", "public/report.html").status is Status.WRONG
    stated(*packages)
    assert line_of(tmp_path / "public", "public/report.html").status is status


def test_the_report_of_the_house_is_compared_word_for_word_with_the_source(
    release, stated, tmp_path
):
    shutil.copytree(release.parent, tmp_path / "all")
    folder, source = tmp_path / "all" / "out", tmp_path / "all" / "toy.csv"
    file = folder / "internal" / "report.html"
    before = file.read_text()
    stated("jinja2")
    file.write_text(spaced(before))
    assert line_of(folder, "internal/report.html", source=source).status is Status.NOT_PROVEN
    file.write_text(before.replace("proven", "sworn"))
    found = line_of(folder, "internal/report.html", source=source)
    assert found.status is Status.WRONG
    assert "sworn" in found.sentence


TEXT = st.text("ab <>&\"'1é", min_size=1, max_size=12).filter(str.strip)


@st.composite
def pages(draw, depth: int = 3) -> str:
    """Draw a piece of a page."""
    if depth == 0 or draw(st.booleans()):
        return escape(draw(TEXT))
    name = draw(st.sampled_from(["p", "div", "td", "svg", "g", "text"]))
    value = escape(draw(TEXT))
    inside = "".join(draw(st.lists(pages(depth - 1), max_size=3)))
    return f'<{name} title="{value}">{inside}</{name}>'


@given(pages(), st.booleans())
@settings(max_examples=150, deadline=None)
def test_spaces_quotes_and_escapes_say_nothing(page, redrawn):
    other = page.replace("<p ", "<p\n  ").replace("&#x27;", "&apos;").replace("&gt;", ">")
    other = other.replace("é", "&eacute;")
    assert difference(other.encode(), page.encode(), redrawn=redrawn) == ""


@given(pages(), st.booleans(), st.data())
@settings(max_examples=150, deadline=None)
def test_every_other_letter_says_something_else(page, redrawn, data):
    places = [at for at, letter in enumerate(page) if letter in "abé1" and _is_said(page, at)]
    if not places:
        return
    at = data.draw(st.sampled_from(places))
    other = page[:at] + "z" + page[at + 1 :]
    assert difference(other.encode(), page.encode(), redrawn=redrawn)
    assert tokens_of(other, redrawn=redrawn) != tokens_of(page, redrawn=redrawn)


def _is_said(page: str, at: int) -> bool:
    """Tell whether a letter is of a text or a value, and not of a tag, attribute or escape."""
    before = page[:at]
    in_tag = before.rfind("<") > before.rfind(">")
    in_escape = "&" in page[max(0, at - 6) : at]
    return not in_escape and (not in_tag or before[before.rfind("<") :].count('"') == 1)


def test_what_is_no_text_is_told():
    assert difference(b"\xff", b"<p>", redrawn=False) == "it is not UTF-8"

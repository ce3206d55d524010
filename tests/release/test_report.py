from __future__ import annotations

import datetime as dt
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as ta
from tacita.release import evidence
from tacita.release.execute import Outcome, assess, carry_out
from tacita.release.plan import DataPlan, Plan
from tacita.release.profile import PROFILES
from tacita.release.report import internal_report, plots, public_report, write_report
from tacita.release.report.content import content
from tacita.release.report.counts import _Grid
from tacita.release.report.facts import Audience, internal_facts, public_facts
from tacita.release.report.html import html
from tacita.release.report.model import Report
from tacita.release.report.pdf import pdf
from tacita.release.report.told import Facts
from tacita.release.requirement import Requirement
from tacita.results import Measurement, Measures, Verdict

SEED = 5_318_008_271_828
RUN = {
    "written": "2031-02-03T04:05:06+00:00",
    "seconds": 12.34,
    "tacita": "9.8.7",
    "python": "3.11.0",
    "packages": {"numpy": "2.0"},
    "threads": 4,
    "input": {"key": "deadbeefkey", "hmac_sha256": "cafebabehash"},
}
# What an intruder could use: each must stand in the internal report and never in the public one.
INTERNAL_ONLY = {
    "the name of the source": "secret-source",
    "a parameter that is not public": "SECRET_VARIABLE",
    "a note of a step": "note-sentinel",
    "a part of a measure": "part-sentinel",
    "the sentence of a measure": "entence-sentinel",
    "why something was not measured": "reason-sentinel",
    "the worst class": "worst-sentinel",
    "a warning of the run": "warning-sentinel",
    "the number of original records": "1,237",
    "what became of the records": "left out",
    "a risk before masking": "0.8765",
    "a value before rounding": "0.4321",
}
# What stays in the evidence: in no report at all.
NOWHERE = ("deadbeefkey", "cafebabehash", str(SEED), f"{SEED:,}")
CAPPED = ("987654", "987,654", "988k")

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    '#eval("1")',
    '#read("/etc/passwd")',
    "$x$",
    "\\",
    '"',
    "*bold*",
    "_",
    "@ref",
    "`tick`",
    "new\nline",
    "\N{GRINNING FACE}",
    "\N{RIGHT-TO-LEFT OVERRIDE}\N{ARABIC LETTER MEEM}abc",
    "{{ 7 * 7 }}{% raw %}",
    "\x00\x1b",
    "long" * 100,
]


def outcome_of(data, protected=None, require=(), **plan) -> Outcome:
    required = tuple(Requirement.of(said) for said in require)
    protected = data if protected is None else protected
    said = Plan(plan.pop("data", DataPlan()), (), required, **plan)
    return assess(said, data, protected, getattr(protected, "steps", ()))


def build(outcome: Outcome, run, audience: Audience) -> Report:
    """Return the report for an audience."""
    if audience is Audience.INTERNAL:
        return internal_report(outcome, run)
    return public_report(evidence.statement(outcome, {}, run), outcome.protected)


def facts(outcome: Outcome, run, audience: Audience) -> Facts:
    """Return what an audience may be told."""
    if audience is Audience.INTERNAL:
        return internal_facts(outcome, run)
    return public_facts(evidence.statement(outcome, {}, run), outcome.protected)


def write_reports(outcome: Outcome, run, public: Path, internal: Path) -> None:
    for audience, folder in ((Audience.PUBLIC, public), (Audience.INTERNAL, internal)):
        write_report(build(outcome, run, audience), folder)


def both(outcome: Outcome, run=RUN) -> dict[Audience, str]:
    """Render both audiences in both formats, and return the pages."""
    reports = {audience: build(outcome, run, audience) for audience in Audience}
    for report in reports.values():
        assert pdf(report).startswith(b"%PDF")
    return {audience: html(report) for audience, report in reports.items()}


@pytest.fixture
def text_of(need) -> Callable[[Path], str]:
    """Gives the text of a PDF as a reader sees it."""
    command = [need("pdftotext"), "-layout", "-enc", "UTF-8"]

    def read(file: Path) -> str:
        made = subprocess.run([*command, str(file), "-"], capture_output=True, check=True)
        return made.stdout.decode().replace("\u200b", "")

    return read


class Page(HTMLParser):
    """The tags of a page and the words between them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    def all(self, *names: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name in names]


@pytest.fixture(scope="module")
def guarded() -> Outcome:
    """A run in which everything that must not get out carries a name."""
    rng = np.random.default_rng(1)
    income = rng.integers(10_000, 80_000, 1237)
    income[7] = 987_654
    columns = {"id": [f"p{i}" for i in range(1237)], "age": rng.integers(20, 60, 1237) // 10 * 10}
    data = ta.read(
        pa.table({**columns, "income": income}),
        roles={"id": "identifier", "age": "key", "income": "confidential"},
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SECRET_VARIABLE", "a key of sixteen characters")
        masked, named = carry_out(data, ta.Pseudonymize("id", key_from="SECRET_VARIABLE"), SEED)
    masked, capped = carry_out(masked, ta.TopCode("income", 70_000), SEED)
    masked = masked.take(np.arange(1200))
    capped = replace(capped, notes={"levels": {"age": "note-sentinel"}})
    data = replace(data, origin=replace(data.origin, source="secret-source.csv"))
    plan = Plan(DataPlan(), (), (Requirement.of(ta.KAnonymity(3)),))
    return _with_names(assess(plan, data, masked, (named, capped)))


def _with_names(outcome: Outcome) -> Outcome:
    made = Measurement("means", "utility", 0.4321, "sentence-sentinel", {"part-sentinel": 0.5})
    risk = Measurement("uniqueness", "risk", 0.0123, "sentence-sentinel")
    failed = Verdict(
        {"uniqueness": {"at_most": 0.01}}, False, 0.0123, "no", {"zip": "worst-sentinel"}
    )
    return replace(
        outcome,
        before=Measures([replace(risk, value=0.8765)]),
        measures=Measures([made, risk]),
        skipped=(("correlations", "reason-sentinel"),),
        verdicts=(*outcome.verdicts, failed),
        warnings=("warning-sentinel",),
    )


@pytest.fixture(scope="module")
def written(guarded, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("release")
    for name in Audience:
        (folder / name).mkdir()
    write_reports(guarded, RUN, folder / "public", folder / "internal")
    return folder


def test_both_audiences_get_a_page_and_a_pdf(written):
    for audience in Audience:
        assert {file.name for file in (written / audience).iterdir()} == {
            "report.html",
            "report.pdf",
        }


@pytest.mark.parametrize("what", INTERNAL_ONLY)
def test_the_public_is_never_told(written, guarded, what):
    secret = INTERNAL_ONLY[what]
    assert secret not in (written / "public" / "report.html").read_text()
    assert secret not in json.dumps(asdict(facts(guarded, RUN, Audience.PUBLIC)))
    assert secret in (written / "internal" / "report.html").read_text()


def test_neither_pdf_tells_more_than_its_page(written, text_of):
    public, internal = (text_of(written / name / "report.pdf") for name in Audience)
    for secret in (*INTERNAL_ONLY.values(), *NOWHERE, *CAPPED):
        assert secret not in public
    assert "note-sentinel" in internal
    assert "worst-sentinel" in internal


def test_capped_values_do_not_come_back(written):
    page = (written / "public" / "report.html").read_text()
    assert not [secret for secret in CAPPED if secret in page]


def test_seeds_and_keys_are_in_no_report(written):
    for audience in Audience:
        page = (written / audience / "report.html").read_text()
        assert not [secret for secret in NOWHERE if secret in page]
        assert "seed" not in page.lower()


def test_the_public_is_told_what_the_file_shows_itself(written):
    text = Page((written / "public" / "report.html").read_text()).text
    assert "Released although 1 of 2 requirements fails." in text
    assert "1,200 records are released after 2 masking steps." in text
    assert "70,000" in text  # a parameter that top coding declares public
    assert "0.012" in text  # a risk with two digits
    assert "more than 0.1" in text  # a loss as coarse as can be
    assert "0.43" not in text
    assert "shared by at least" in text
    assert "1 requirement is not met." in text


def test_the_house_is_told_verdicts_with_their_sentences(written, guarded):
    text = Page((written / "internal" / "report.html").read_text()).text
    for verdict in guarded.verdicts:
        assert verdict.sentence[1:] in text
    assert "37 (2.99%) were left out." in text
    assert "0.8765" in text
    assert "0.0123" in text


def test_public_measures_are_coarse(guarded):
    told = facts(guarded, RUN, Audience.PUBLIC)
    assert [(m.value, m.band) for m in told.measures] == [(None, "more than 0.1"), (0.012, "")]
    assert not any(m.parts or m.sentence or m.compared for m in told.measures)
    assert told.distributions == ()
    assert told.sizes[1] is None
    assert dict(told.run) == {"tacita": "9.8.7", "written": RUN["written"]}


@pytest.mark.parametrize(
    ("verdicts", "sentence", "state"),
    [
        ([], "Nothing was required of this release, so nothing is promised.", "warn"),
        ([True], "The one requirement holds: it is proven.", "good"),
        ([True, True, True], "All 3 requirements hold, each of them proven.", "good"),
        ([False], "Released although 1 requirement fails.", "bad"),
        ([True, False, False], "Released although 2 of 3 requirements fail.", "bad"),
    ],
)
def test_the_banner_says_the_verdict_in_one_sentence(guarded, verdicts, sentence, state):
    judged = tuple(Verdict({"k_anonymity": {"k": 2}}, holds, 2, "so") for holds in verdicts)
    report = content(facts(replace(guarded, verdicts=judged), RUN, Audience.PUBLIC))
    assert (report.verdict, report.state) == (sentence, state)


# -- hostile input -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hostile() -> Outcome:
    table = pa.table([pa.array(HOSTILE)] * len(HOSTILE), names=HOSTILE)
    data = ta.read(table, roles=dict.fromkeys(HOSTILE[:4], "key"))
    groups = {HOSTILE[0]: [HOSTILE[1]], HOSTILE[3]: HOSTILE[4:]}
    masked = data.apply(ta.Recode(HOSTILE[0], groups=groups), seed=0)
    return outcome_of(data, masked, [ta.KAnonymity(3, keys=tuple(HOSTILE[:2]))])


def test_hostile_names_and_values_are_text_and_nothing_else(hostile):
    for page in both(hostile).values():
        parsed = Page(page)
        assert not parsed.all("script", "img", "iframe", "object", "link", "foreignobject")
        assert not [a for _, a in parsed.tags if any(name.startswith("on") for name in a)]
        assert "<script>alert(1)</script>" in parsed.text
        assert "{{ 7 * 7 }}" in parsed.text
        assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", page)


def test_typst_sets_hostile_names_as_text(hostile, text_of, tmp_path):
    file = tmp_path / "report.pdf"
    file.write_bytes(pdf(build(hostile, RUN, Audience.INTERNAL)))
    text = text_of(file)
    for name in ('#eval("1")', "$x$", "*bold*", "@ref", "`tick`", "<script>alert(1)</script>"):
        assert name in text
    assert "root:" not in text


# -- the page ------------------------------------------------------------------------------------


def test_pages_stand_alone_and_load_nothing(written):
    for audience in Audience:
        page = (written / audience / "report.html").read_text()
        parsed = Page(page)
        loads = [a.get(name) for _, a in parsed.tags for name in ("src", "href", "xlink:href")]
        assert all(load.startswith("#") for load in loads if load is not None)
        assert "url(" not in page
        assert "@import" not in page
        assert "http" not in re.sub("http-equiv", "", page)


def test_pages_are_accessible(written):
    for audience in Audience:
        parsed = Page((written / audience / "report.html").read_text())
        assert parsed.all("html")[0]["lang"] == "en"
        levels = [int(tag[1]) for tag, _ in parsed.tags if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        drawings = [a for _, a in parsed.tags if a.get("role") == "img"]
        assert len(drawings) == len(parsed.all("svg"))
        assert all(a["aria-label"] for a in drawings)
        names = [a["id"] for _, a in parsed.tags if "id" in a]
        assert len(names) == len(set(names))


# -- the same again ------------------------------------------------------------------------------


def test_the_same_run_gives_the_same_bytes(guarded, written, tmp_path):
    for name in Audience:
        (tmp_path / name).mkdir()
    plots._drawn.cache_clear()
    write_reports(guarded, RUN, tmp_path / "public", tmp_path / "internal")
    for audience in Audience:
        for file in ("report.html", "report.pdf"):
            assert (tmp_path / audience / file).read_bytes() == (
                written / audience / file
            ).read_bytes()


def test_what_is_drawn_again_is_as_it_was():
    """However many were drawn before: names that are made up on the way are made up anew."""
    bars = {"mark": {"type": "bar", "clip": True}, "data": {"values": [{"n": 1}, {"n": 2}]}}
    bars["encoding"] = {"x": {"field": "n", "type": "quantitative"}}
    first = plots.svg(bars, "age")
    drawn = plots._drawn.cache_info().misses
    assert plots.svg(bars, "age") == first
    assert plots._drawn.cache_info().misses == drawn
    plots._drawn.cache_clear()
    assert plots.svg(bars, "age") == first
    assert plots.svg({**bars, "width": 90}, "age") != first
    assert plots.svg(bars, "zip") == first.replace('"age-', '"zip-').replace("#age-", "#zip-")


def test_only_the_run_block_differs_between_runs(guarded):
    later = {**RUN, "written": "2032-01-01T00:00:00+00:00", "seconds": 99.0, "threads": 64}
    block = re.compile('<section id="run">.*?</section>', re.DOTALL)
    for audience in Audience:
        first, second = (html(build(guarded, run, audience)) for run in (RUN, later))
        assert first != second
        assert block.sub("", first) == block.sub("", second)


# -- all kinds of data ---------------------------------------------------------------------------


def test_data_without_records_are_reported():
    pages = both(outcome_of(ta.example("toy", 0), require=[ta.KAnonymity(2)]))
    assert all("undefined" in page for page in pages.values())
    assert all("The data have no records." in page for page in pages.values())


def test_one_record_is_reported():
    data = ta.read(pa.table({"a": [1], "b": ["x"]}), roles={"a": "key"})
    assert "1 record is released" in both(outcome_of(data))[Audience.PUBLIC]


def test_data_without_keys_have_no_classes():
    pages = both(outcome_of(ta.read(pa.table({"a": [1, 2], "b": ["x", None]}))))
    for page in pages.values():
        assert "not measured" in page
        assert 'id="class-sizes"' not in page


def test_every_kind_of_attribute_is_drawn():
    day = dt.date
    data = ta.read(
        pa.table(
            {
                "k": ["x", "y", "x"],
                "set": [["a", "b"], ["b"], None],
                "born": [day(1980, 1, 1), day(2001, 5, 5), None],
                "when": [dt.datetime(2020, 1, 1, 3), None, None],
                "constant": [3.5, 3.5, 3.5],
                "flag": [True, False, None],
                "huge": [1e300, -1e300, 5.0],
                "blank": pa.array([None] * 3, pa.float64()),
                "nothing": pa.array([None] * 3, pa.string()),
            }
        ),
        roles={"k": "key", "set": "key"},
    )
    masked = data.apply(ta.TopCode("born", "1999-12-31"), seed=0)
    parsed = Page(both(outcome_of(data, masked))[Audience.INTERNAL])
    drawn = [a["id"] for a in parsed.all("figure") if a["id"].startswith("distribution")]
    assert len(drawn) == 7
    assert "9 attributes, keys first; 2 are not drawn" in parsed.text


def test_a_number_that_became_a_category_is_drawn_twice():
    data = ta.read(pa.table({"age": [1, 12, 23, 99]}), roles={"age": "key"})
    outcome = outcome_of(data, data.apply(ta.Recode("age", width=10), seed=0))
    (shown,) = facts(outcome, RUN, Audience.INTERNAL).distributions
    assert not shown.together
    assert shown.after.labels == ("[0,10)", "[10,20)", "[20,30)", "[90,100)")
    assert "continuous \N{RIGHTWARDS ARROW} ordinal" in both(outcome)[Audience.INTERNAL]


def test_far_values_do_not_squeeze_a_histogram():
    values = np.concatenate([np.linspace(0, 1, 1000), [1e6]])
    outcome = outcome_of(ta.read(pa.table({"a": values})))
    (shown,) = facts(outcome, RUN, Audience.INTERNAL).distributions
    assert shown.before.cut
    assert shown.before.edges[-1] < 2
    assert sum(shown.before.shares) == pytest.approx(1)


LARGEST = sys.float_info.max


@pytest.mark.parametrize(
    "values",
    [
        [0.3, 0.1 + 0.2],
        [10**18] * 3,
        [-(10**18)] * 3,
        [2**53, 2**53 - 1],
        [LARGEST, LARGEST],
    ],
)
def test_numbers_too_near_one_another_for_bins_share_one(values):
    outcome = outcome_of(ta.read(pa.table({"a": values})))
    (shown,) = facts(outcome, RUN, Audience.INTERNAL).distributions
    assert shown.before.shares == shown.after.shares == (1.0,)
    assert -LARGEST <= shown.before.edges[0] < shown.before.edges[1] <= LARGEST


@pytest.mark.parametrize("values", [[1e308, -1e308], [0.0, LARGEST], [-LARGEST, LARGEST]])
def test_numbers_too_far_apart_for_bins_are_cut(values):
    outcome = outcome_of(ta.read(pa.table({"a": values})))
    (shown,) = facts(outcome, RUN, Audience.INTERNAL).distributions
    assert shown.before.cut
    assert shown.before.shares[0] == shown.before.shares[-1] == 0.5


NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**63), 2**63 - 1)


@given(st.lists(NUMBERS.map(float), min_size=1))
@settings(deadline=None)
def test_a_histogram_counts_every_number(values):
    numbers = np.array(values)
    drawn = _Grid.over(numbers, numbers).histogram(numbers, dates=False)
    assert sum(drawn.shares) == pytest.approx(1)
    assert all(low < high for low, high in pairwise(drawn.edges))
    assert np.isfinite(drawn.edges).all()


def test_numbers_without_bins_are_released(tmp_path):
    columns = {
        "near": [0.3, 0.1 + 0.2],
        "large": [10**18] * 2,
        "far": [1e308, -1e308],
        "wide": [0.0, 0.7 * LARGEST],
    }
    ta.read(pa.table(columns)).release(tmp_path / "out", force=True, waive="a test")
    assert len(list((tmp_path / "out").rglob("report.pdf"))) == 2
    pages = [file.read_text() for file in (tmp_path / "out").rglob("report.html")]
    assert len(pages) == 2
    assert not any("NaN" in page for page in pages)


def test_shares_of_class_sizes_are_of_records():
    data = ta.read(pa.table({"a": [1, 2, 2, *[3] * 3, *[4] * 4]}), roles={"a": "key"})
    (after, before) = facts(outcome_of(data), RUN, Audience.INTERNAL).sizes
    assert after == before == pytest.approx((0.1, 0.2, 0.7, 0, 0, 0, 0, 0))


@pytest.mark.no_cover  # which would take as long again
def test_ten_thousand_attributes_do_not_make_a_gigantic_report():
    columns = {f"a{i}": pa.array([i % 3, 1, 2], pa.int8()) for i in range(10_000)}
    kinds = dict.fromkeys(columns, "nominal")
    outcome = outcome_of(ta.read(pa.table(columns), roles={"a0": "key"}, kinds=kinds))
    pages = both(outcome)
    assert all("and 9,940 more" in page for page in pages.values())
    assert max(len(page) for page in pages.values()) < 200_000


def test_a_profile_is_explained_to_the_house(patients):
    profile = PROFILES["scientific_use_file"]
    outcome = replace(outcome_of(patients), plan=Plan(DataPlan(), profile=profile))
    pages = both(outcome)
    assert profile.audience in pages[Audience.INTERNAL]
    assert profile.audience not in pages[Audience.PUBLIC]


def test_nothing_heavy_is_imported_before_a_report_is_written():
    code = (
        "import sys, tacita.release.report as _; "
        "sys.exit(bool({'vl_convert', 'typst', 'jinja2'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

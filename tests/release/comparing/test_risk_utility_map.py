"""Risk-utility maps: what is tried, drawn, written."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacita as ta
from tacita.errors import OutputError, ParameterError, ProtectionError
from tacita.release.comparing.trial import Trial, masked_by
from tacita.release.report.map_drawing import COLORS, SHAPES, STAR, look, looks

SHARED = Path(__file__).parents[4] / "shared"
CENSUS = SHARED / "data" / "casc" / "Census.csv"
NUMBERS = ["age", "income"]
GRIDS = [
    {"rank_swap": {"attributes": NUMBERS, "p": [2, 20, 60]}},
    {"add_noise": {"attributes": NUMBERS, "alpha": [0.1, 1.0]}},
    {"top_code": {"attribute": "age", "above": [1000]}},
]
MEASURED = {"risk": "interval_disclosure", "loss": "il1s"}


@pytest.fixture(scope="module")
def found() -> ta.RiskUtilityMap:
    return ta.risk_utility_map(ta.example("toy", 80), GRIDS, **MEASURED)


def made(points: list[tuple[float, float]]) -> ta.RiskUtilityMap:
    """Return a map of points on one line each."""
    trials = [
        Trial((), f"line <{place}>", risk, loss, None, {"m": risk}, 10, 0, 0.0)
        for place, (risk, loss) in enumerate(points)
    ]
    return ta.RiskUtilityMap(tuple(trials))


def test_what_axes_are_called_is_never_markup():
    told = "<script>alert(1)</script>"
    trials = made([(0.1, 0.2), (0.2, 0.1)]).trials
    drawn = ta.RiskUtilityMap(trials, (told, "loss"), ((told, told),))
    for text in (drawn.to_html(), drawn.to_svg()):
        assert "<script" not in text
        assert "&lt;script" in text


def test_one_line_a_method_and_one_point_a_value(found):
    assert found.lines == ["rank_swap", "add_noise", "top_code"]
    assert [trial.line for trial in found.trials].count("rank_swap") == 3
    assert found.axes == ("interval_disclosure", "il1s")


def test_the_front_and_the_ranking(found):
    for trial in found.trials:
        beaten = any(
            other.risk <= trial.risk
            and other.loss <= trial.loss
            and (other.risk, other.loss) != (trial.risk, trial.loss)
            for other in found.trials
        )
        assert found.is_on_front(trial) is not beaten
    scores = [trial.score for trial in found.ranking]
    assert scores == sorted(scores)
    assert len(found.ranking) == len(found)


def test_the_same_seed_gives_the_same_map(found):
    again = ta.risk_utility_map(ta.example("toy", 80), GRIDS, **MEASURED)
    assert again.trials == found.trials
    other = ta.risk_utility_map(ta.example("toy", 80), GRIDS, **MEASURED, seed=1)
    assert other.trials != found.trials


def test_what_cannot_be_tried_is_told():
    grids = [*GRIDS, {"top_code": {"attribute": "agee", "above": [70]}}]
    found = ta.risk_utility_map(ta.example("toy", 80), grids, **MEASURED)
    assert [label for label, _ in found.skipped] == ["top_code (attribute agee, above 70)"]
    assert "no attribute `agee`" in str(found)
    assert "no attribute `agee`" in found.to_html()
    with pytest.raises(ProtectionError, match="could be tried: There is no attribute `agee`"):
        ta.risk_utility_map(ta.example("toy", 80), grids[3:], **MEASURED)


@pytest.mark.parametrize(
    "given",
    [
        {"risk": "uniqueness"},
        {"loss": "il1s"},
        {"risk": "uniqueness", "loss": "il1s", "by": ta.Score()},
    ],
)
def test_risk_and_loss_are_said_once_and_together(given):
    with pytest.raises(ParameterError, match="`risk` and `loss`"):
        ta.risk_utility_map(ta.example("toy", 20), GRIDS, **given)


def test_the_map_becomes_data(found, tmp_path):
    table = found.to_arrow()
    assert table.column_names[:6] == ["label", "line", "score", "risk", "loss", "on_front"]
    assert table["interval_disclosure"].to_pylist() == table["risk"].to_pylist()
    assert found.to_pandas().shape == found.to_polars().shape == (6, len(table.column_names))
    for suffix in ("csv", "parquet", "json"):
        found.write(tmp_path / f"map.{suffix}")
    assert pq.read_table(tmp_path / "map.parquet").equals(table)
    assert len((tmp_path / "map.csv").read_text().splitlines()) == 7
    told = json.loads((tmp_path / "map.json").read_text())
    assert [one["on_front"] for one in told["trials"]] == table["on_front"].to_pylist()


def test_components_never_hide_the_columns_of_the_map():
    assert "risk (measure)" in (
        ta.RiskUtilityMap((Trial((), "a", 1, 2, 3, {"risk": 9.0}, 1, 0, 0.0),))
        .to_arrow()
        .column_names
    )


def test_the_map_is_drawn(found, tmp_path):
    for suffix in ("svg", "png"):
        found.write(tmp_path / f"map.{suffix}")
    drawing = (tmp_path / "map.svg").read_text()
    assert drawing.startswith("<svg")
    for trial in found.trials:
        assert f'aria-label="{trial.label()}"' in drawing
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
    assert len(found.to_png(scale=1)) < len(found.to_png(scale=3))


def test_lines_look_different():
    looks = [look(place) for place in range(len(COLORS) * len(SHAPES))]
    assert len(set(looks)) == len(looks)


def test_the_page_ties_points_and_rows_together(found):
    page = found.to_html()
    assert "<script" not in page
    assert not re.search(r"(src|href)=[\"']?(http|//)", page)
    for place, trial in enumerate(found.trials):
        assert f'<a href="#trial-{place}" data-trial="{place}"' in page
        assert f'<tr id="trial-{place}"' in page
        assert trial.label() in page
    assert page.count("on the front</small>") == len(found.front)
    assert len(re.findall(r'<path data-line="\d+"', page)) == len(found.lines)


def test_names_cannot_act_in_the_page_or_the_drawing():
    drawn = made([(1.0, 2.0), (2.0, 1.0), (3.0, 3.0)])
    for written in (drawn.to_html(), drawn.to_svg()):
        assert "line <0>" not in written
        assert "line &lt;0&gt;" in written


def test_trials_without_a_score_are_ranked_by_their_loss():
    drawn = made([(1.0, 2.0), (2.0, 1.0), (3.0, 3.0)])
    assert [trial.loss for trial in drawn.ranking] == [1.0, 2.0, 3.0]
    assert "line &lt;1&gt; has the lowest loss, 1." in drawn.to_html()


def test_a_map_of_one_point_is_drawn():
    assert made([(0.0, 0.0)]).to_svg().startswith("<svg")


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12),
    st.integers(0, 11),
)
def test_a_release_is_beaten_or_on_the_front(points, place):
    drawn = replace(made([(float(a), float(b)) for a, b in points]), own=place % len(points))
    own = drawn.trials[drawn.own]
    assert bool(drawn.better) is not drawn.is_on_front(own)
    for trial in drawn.better:
        assert trial.risk <= own.risk
        assert trial.loss <= own.loss
        assert trial is not own


def test_a_release_is_drawn_as_a_star_and_named():
    drawn = made([(1.0, 2.0), (2.0, 1.0), (3.0, 3.0)])
    own = replace(drawn, own=1)
    assert [looks(own)[place] == looks(drawn)[place] for place in range(3)] == [True, False, True]
    assert looks(own)[1][1] == STAR
    named = ">line &lt;1&gt;</text>"  # once in the legend, and once beside the star
    assert (drawn.to_svg().count(named), own.to_svg().count(named)) == (1, 2)
    assert "★" in own.to_html()
    assert "★" not in drawn.to_html()
    assert own.to_dict() == {**drawn.to_dict(), "own": 1}
    assert drawn.better == ()


def test_other_formats_are_refused(found, tmp_path):
    with pytest.raises(OutputError, match=r"found 'map\.gif'"):
        found.write(tmp_path / "map.gif")
    assert list(tmp_path.iterdir()) == []


def test_the_page_opens_without_complaint(found, tmp_path, chromium):
    found.write(tmp_path / "map.html")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    profile = [f"--user-data-dir={tmp_path / 'profile'}", "--host-resolver-rules=MAP * ~NOTFOUND"]
    seen = subprocess.run(
        [chromium, *options, *profile, "--dump-dom", (tmp_path / "map.html").as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert "All trials, best first" in seen.stdout
    assert [line for line in seen.stderr.splitlines() if "CONSOLE" in line] == []


@pytest.mark.skipif(not CENSUS.exists(), reason="the reference data are not here")
def test_good_performers_on_census():
    grids = [
        {"rank_swap": {"p": [15]}},
        {"microaggregate": {"together": [1, 3], "k": 10}},
        {"add_noise": {"alpha": [0.1]}},
    ]
    found = ta.risk_utility_map(ta.read(CENSUS), grids, seed=1)
    best, next_best, *others = [trial.label() for trial in found.ranking]
    assert best == "rank_swap (p 15)"
    assert next_best == "microaggregate (k 10, together 3)"
    assert len(others) == 2


def test_risks_are_those_of_an_intruder():
    """Each is what the measure comes to for the intruder on data that the same steps mask."""
    data = ta.example("toy", 120)
    ways = {"rank_swap": {"attributes": ["age", "income"], "p": [5, 40]}}
    who = {"attributes": ["age"], "respondents": 0.5}
    measured = {"risk": "distance_linkage", "loss": "il1s"}
    found = ta.risk_utility_map(data, ways, **measured, intruder=who, seed=3)
    worst = ta.risk_utility_map(data, ways, **measured, seed=3)
    assert found.axes == ("distance_linkage of the intruder", "il1s")
    for one, other in zip(found.trials, worst.trials, strict=True):
        masked = masked_by(data, one.methods, 3)
        risk = ta.disclosure_risk(data, masked, measures=["distance_linkage"], intruder=who)
        assert one.risk == float(risk[0].value) < other.risk
        assert one.loss == other.loss
    own = ta.CustomScore("distance_linkage", "il1s")
    assert ta.risk_utility_map(data, ways, by=own, intruder=who, seed=3).axes == found.axes


def test_the_score_says_itself_what_is_known():
    with pytest.raises(ParameterError, match="says itself what is `known`"):
        ta.risk_utility_map(ta.example("toy", 60), intruder={"attributes": ["age"]})

"""The strongest attack: which one it is, how it was chosen, where its share lies."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from scipy.stats import beta

import tacita as ta
from tacita.release.report.content import content
from tacita.release.report.facts import internal_facts
from tacita.release.strongest import links_records, strongest

MEASURES = ["exact_linkage", "distance_linkage", "rank_linkage", "uniqueness"]


@pytest.fixture(scope="module")
def data() -> ta.Microdata:
    return ta.example("toy", 300)


@pytest.fixture(scope="module")
def swapped(data: ta.Microdata) -> ta.Microdata:
    return data.apply(ta.RankSwap(["age"], p=15), seed=1)


@pytest.fixture(scope="module")
def found(data: ta.Microdata, swapped: ta.Microdata) -> ta.Measures:
    return ta.disclosure_risk(data, swapped, measures=MEASURES)


def test_it_is_the_largest_share_of_linked_records(found: ta.Measures) -> None:
    best = strongest(found)
    shares = {one.name: one.value for one in found}
    assert set(shares) == set(MEASURES) - {"uniqueness"}
    assert best.attack.value == max(shares.values())
    assert [one.name for one in best.others] == sorted(
        set(shares) - {best.attack.name}, key=shares.get, reverse=True
    )


def test_a_larger_number_that_is_no_share_of_links_is_never_it(found: ta.Measures) -> None:
    """Neither an estimate nor a count of combinations is an attack, however large."""
    uniques = replace(found[0], name="uniqueness", value=1)
    assert strongest([*found, uniques]).attack.name != "uniqueness"
    assert strongest([uniques]) is None


@pytest.mark.parametrize("pending", [(), ("cluster_linkage", "noise_filtering", "suda2")])
def test_its_interval_holds_for_all_together(found: ta.Measures, pending: tuple[str, ...]) -> None:
    best = strongest(found, pending)
    many = 3 + sum(map(links_records, pending))
    tail = 0.05 / many / 2
    right, records = float(best.attack.value) * 300, 300
    assert best.interval.lower == pytest.approx(beta.ppf(tail, right, records - right + 1))
    assert best.interval.upper == pytest.approx(beta.ppf(1 - tail, right + 1, records - right))
    assert len(best.pending) == many - 3


def test_what_an_intruder_seldom_holds_is_as_much_less(
    data: ta.Microdata, swapped: ta.Microdata, found: ta.Measures
) -> None:
    seldom = ta.disclosure_risk(data, swapped, measures=MEASURES, intruder={"respondents": 0.25})
    less, full = strongest(seldom), strongest(found)
    assert less.attack.value == full.attack.value / 4
    assert less.interval.upper == pytest.approx(full.interval.upper / 4)


@pytest.fixture(scope="module")
def released(swapped: ta.Microdata, tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("strongest") / "out"
    return swapped.release(folder, waive="an example"), folder


def test_the_evidence_says_it_and_what_does_not_apply(released) -> None:
    outcome, folder = released
    told = json.loads((folder / "internal" / "evidence.json").read_text())
    assert told["strongest_attack"]["name"] == strongest(outcome.measures).attack.name
    reasons = {row["name"]: row["reason"] for row in told["not_measured"]}
    assert reasons["uniqueness"].startswith("not applicable after rank_swap of keys (age)")
    assert "uniqueness" not in {row["name"] for row in told["measures"]}
    public = json.loads((folder / "public" / "statement.json").read_text())
    assert "uniqueness" not in {row["name"] for row in public["measures"]}


def test_the_report_opens_with_it(released) -> None:
    outcome, _ = released
    report = content(internal_facts(outcome, {}))
    numbers = {number.label: number for number in report.numbers}
    assert numbers["Uniqueness"].value == "not applicable"
    best = strongest(outcome.measures)
    assert best.attack.name.split("_")[0] in numbers["Strongest attack"].hint
    (risk,) = [section for section in report.sections if section.key == "risk"]
    assert str(best) in risk.blocks[0].text

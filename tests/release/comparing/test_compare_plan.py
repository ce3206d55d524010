"""What a plan compares its masking with: read, counted, and refused with line and field."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacita as ta
from tacita.errors import PlanError
from tacita.method import THAT_MASK
from tacita.registry import family, find
from tacita.release.comparing.compare_plan import SAMPLE, ComparePlan
from tacita.release.comparing.grid import USUAL, candidates, count_ways
from tacita.release.comparing.score import CustomScore, Score
from tacita.release.plan import read_plan


def read(tmp_path: Path, said: str) -> ComparePlan | None:
    """Read a plan whose `compare` stands on line 5, as an indented block."""
    lines = "".join(f"    {line}\n" for line in said.splitlines())
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "data:\n  example: {toy: 60}\nmicrodata:\n  steps: [{drop: region}]\n  compare:\n" + lines
    )
    return read_plan(plan).compare


def test_a_plan_that_says_nothing_compares_nothing(tmp_path):
    plan = tmp_path / "plan.yaml"
    for said in ("", "microdata: {steps: []}", "microdata:"):
        plan.write_text(f"data: {{example: {{toy: 60}}}}\n{said}\n")
        assert read_plan(plan).compare is None


def test_what_is_left_out_is_usual(tmp_path):
    found = read(tmp_path, "")
    usual = sum(count_ways({name: given}) for name, given in USUAL.items())
    assert found == ComparePlan(None, usual, Score(), SAMPLE)
    assert usual == len(candidates(None, ta.example("toy", 60)))


def test_methods_measures_and_samples_are_read(tmp_path):
    found = read(
        tmp_path,
        "methods:\n  - rank_swap: {p: [5, 10], attributes: [age]}\n"
        "  - [{microaggregate: {k: [3, 5]}}, {add_noise: {alpha: [0.1, 0.2, 0.3]}}]\n"
        "  - shuffle\n"
        "risk: [uniqueness, {exact_linkage: {}}]\nloss: il1s\nsample: all",
    )
    assert found is not None
    assert (found.ways, found.sample) == (2 + 6 + 1, None)
    assert isinstance(found.by, CustomScore)
    assert found.by.axes == ("uniqueness, exact_linkage", "il1s")


def test_the_score_is_read(tmp_path):
    found = read(
        tmp_path,
        "methods: {rank_swap: {p: 5}}\nby: {attributes: [income], known: age, sample: 50}\nsample: 9",
    )
    assert found is not None
    assert found.by == Score(["income"], known="age", sample=50)
    assert (found.ways, found.sample) == (1, 9)


@pytest.mark.parametrize(
    ("said", "line", "sentence"),
    [
        ("method: {}", 6, r"field `microdata\.compare\.method`: unknown; expected methods, risk"),
        ("methods: []", 6, r"expected methods with lists of values .* found \[\]"),
        ("methods: 5", 6, r"expected methods with lists of values .* found 5"),
        ("methods:\n  rank_swapp: {p: [5]}", 7, r"methods\.rank_swapp`: .*mean `?rank_swap"),
        ("methods:\n  rank_swap: {p: [5, 500]}", 7, r"methods\.rank_swap`: .*`p`"),
        ("methods:\n  shuffle:\n  rank_swap: {q: [5]}", 8, r"methods\.rank_swap`: .*`q`"),
        ("methods:\n  - k_anonymity: 3", 7, r"methods\[0\]\.k_anonymity`: .*k_anonymity"),
        ("methods:\n  - rank_swap: {p: 5}\n    add_noise: {}", 7, "Expected one method with its"),
        ("methods:\n  - 5", 7, r"methods\[0\]`: Expected a method, or a list of steps; found 5"),
        ("risk: uniqueness", 6, r"compare\.risk`: A map needs `risk` and `loss` together"),
        ("loss: il1s", 6, r"compare\.loss`: A map needs `risk` and `loss` together"),
        ("risk: il1s\nloss: il1s", 6, r"compare\.risk`: .*il1s"),
        ("risk: uniqueness\nloss: [il1s, uniqueness]", 7, r"compare\.loss\[1\]`: .*uniqueness"),
        ("risk: uniqueness\nloss: 7", 7, r"compare\.loss`: .*7"),
        ("risk: uniqueness\nloss: il1s\nby: {}", 5, "either `risk` and `loss` or `by`"),
        ("by: {knwon: [age]}", 6, r"by\.knwon`: unknown; .*Did you mean `?known"),
        ("by: 4", 6, "field `microdata.compare.by`: expected the fields attributes, known"),
        ("by: {known: 4}", 6, r"by\.known`: `known` of the score are the names .* found 4"),
        ("by: {attributes: []}", 6, r"`attributes` of the score are the names of .* found \[\]"),
        ("by: {sample: 0}", 6, "`sample` of the score is a number of records, 1 or more; found 0"),
        ("by: {weights: {IL: 1}}", 6, "`weights` should say how much IL, DLD, PLD, ID count"),
        ("sample: 0", 6, "expected a number of records, 1 or more, or `all`; found 0"),
        ("sample: true", 6, "expected a number of records, 1 or more, or `all`; found True"),
        ("sample: some", 6, "expected a number of records, 1 or more, or `all`; found 'some'"),
    ],
)
def test_what_cannot_be_is_refused_where_it_stands(tmp_path, said, line, sentence):
    with pytest.raises(
        PlanError, match=rf"plan\.yaml, line {line}, field `microdata\.compare"
    ) as e:
        read(tmp_path, said)
    with pytest.raises(PlanError, match=sentence):
        raise e.value
    assert "\n" not in str(e.value)


@pytest.mark.parametrize("name", [name for word in THAT_MASK for name in family(word)])
def test_ways_are_counted_without_data(name):
    """Attributes that nobody names yet are no reason to refuse a method."""
    given = {word: v for word, v in find(name).example.items() if word != "attributes"}
    assert count_ways({name: given}) == 1
    assert count_ways([{name: given}, {name: given}]) == 1

"""`tacita attack FILE`: guesses without the original, attacks with it, sentences for mistakes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import tacita as ta

RunCli = Callable[..., Any]
PAY = ["total_income", "adjusted_income", "earnings", "wage"]
BY_POSITION = ("--pair-by", "position")
ROLES = [part for name in PAY for part in ("--role", f"{name}=key")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Releases of two files, and the files."""
    folder = tmp_path_factory.mktemp("releases")
    census, toy = ta.example("census", 300), ta.example("toy", 200)
    census.write(folder / "census.csv")
    census.apply(ta.Microaggregate(PAY, k=3, together=2)).write(folder / "averaged.csv")
    for seed in (1, 2):
        swapped = census.apply(ta.RankSwap(PAY, p=10), seed=seed)
        swapped.write(folder / f"swapped{seed}.csv")
    toy.write(folder / "toy.parquet")
    boxes = toy.apply(ta.Mondrian([{"k_anonymity": {"k": 4}}]))
    boxes.write(folder / "boxes.parquet")
    return folder


def test_a_release_alone(folder: Path, run_cli: RunCli) -> None:
    ran = run_cli("attack", folder / "averaged.csv")
    assert ran.code == 0
    for part in (
        "300 records, 13 attributes.",
        "microaggregate (k 3",
        "What that tells of the original",
        "Not seen: swapped",
        "uniqueness",
        "Note: No attribute is a key",
    ):
        assert part in ran.out
    assert "Attacks with the original" not in ran.out


def test_the_same_for_programs(folder: Path, run_cli: RunCli) -> None:
    found = run_cli("attack", folder / "averaged.csv", "--json").json
    blocks = {tuple(one["attributes"]): one["parameters"]["k"] for one in found["guesses"]}
    assert blocks == {("total_income", "adjusted_income"): 3, ("earnings", "wage"): 3}
    assert {one["strength"] for one in found["guesses"]} == {"strong"}
    assert set(found["keys"]) == set(PAY)
    assert "attacks" not in found


def test_attacks_stand_beside_naive_linkage(folder: Path, run_cli: RunCli) -> None:
    files = folder / "swapped1.csv", "--original", folder / "census.csv", *BY_POSITION
    found = run_cli("attack", *files, *ROLES, "--json").json
    attacks = {one["name"]: one for one in found["attacks"]}
    naive = attacks["distance_linkage"]["value"]
    assert found["keys"] == PAY
    assert attacks["rank_swap_intersection"]["value"] > naive > 0
    assert attacks["rank_linkage"]["naive"] == naive
    assert "holdout" in found["not_run"]["membership_inference"]
    shown = run_cli("attack", *files, *ROLES, "--only", "rank_swap_intersection")
    assert "Attacks with the original" in shown.out
    assert "rank_linkage" not in shown.out
    assert "paired by `position`" in " ".join(shown.out.split())


def test_attacks_that_find_nothing_to_undo_are_not_run(folder: Path, run_cli: RunCli) -> None:
    files = folder / "averaged.csv", "--original", folder / "census.csv"
    only = "--only", "minimality", "--only", "suppression_reconstruction"
    found = run_cli("attack", *files, *ROLES, *only, "--json").json
    assert [one["name"] for one in found["attacks"]] == ["distance_linkage"]
    assert "was suppressed" in found["not_run"]["suppression_reconstruction"]
    same = folder / "census.csv", "--original", folder / "census.csv"
    plain = run_cli("attack", *same, *ROLES, *only, "--json").json
    assert "no key was generalized" in plain["not_run"]["minimality"]


def test_what_means_nothing_after_the_guessed_masking_is_not_measured(
    folder: Path, run_cli: RunCli
) -> None:
    averaged = folder / "averaged.csv"
    alone = run_cli("attack", averaged, *ROLES, "--json").json
    for name in ("uniqueness", "prosecutor_risk"):
        assert "not applicable after microaggregate of keys" in alone["not_measured"][name]
        assert name not in {one["name"] for one in alone["risks"]}
    assert "Not measured: uniqueness: not applicable" in run_cli("attack", averaged, *ROLES).out
    whole = averaged, "--original", folder / "census.csv", "--only", "minimality"
    found = run_cli("attack", *whole, *ROLES, "--json").json
    assert "a perturbation of keys" in found["not_run"]["minimality"]


def test_a_name_may_hold_the_sign_of_roles(tmp_path: Path, run_cli: RunCli) -> None:
    file = tmp_path / "odd.csv"
    file.write_text("a=b,c\n1,x\n2,y\n3,y\n")
    found = run_cli("attack", file, "--role", "a=b=key", "--role", "c=confidential", "--json").json
    assert (found["keys"], found["confidential"]) == (["a=b"], ["c"])


def test_earlier_releases_add_to_it(folder: Path, run_cli: RunCli) -> None:
    found = run_cli(
        "attack", folder / "swapped1.csv", "--original", folder / "census.csv", *ROLES,
        "--earlier", folder / "swapped2.csv", "--only", "distance_linkage", *BY_POSITION, "--json",
    ).json  # fmt: skip
    alone, _, together = found["attacks"]
    assert together["name"] == "several_releases"
    assert together["value"] > alone["value"] == together["naive"]
    assert any("The same pairs the earlier releases" in note for note in found["notes"])


@pytest.fixture(scope="module")
def shuffled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A file of 13 numbers and a copy in another order, of which nothing is masked."""
    folder = tmp_path_factory.mktemp("shuffled")
    frame = ta.example("census", 400).to_pandas()
    frame.to_csv(folder / "before.csv", index=False)
    frame.sample(frac=1, random_state=2).to_csv(folder / "after.csv", index=False)
    return folder / "before.csv", folder / "after.csv"


LINKED = ("--only", "exact_linkage", "--only", "distance_linkage", "--json")


def test_another_order_hides_nobody(shuffled: tuple[Path, Path], run_cli: RunCli) -> None:
    before, after = shuffled
    for said in ((), ("--pair-by", "assignment")):
        found = run_cli("attack", after, "--original", before, *said, *LINKED).json
        assert {one["name"]: one["value"] for one in found["attacks"]} == {
            "exact_linkage": 1,
            "distance_linkage": 1,
        }
        assert any("400 of 400 agree in all" in note for note in found["notes"])
    wrong = run_cli("attack", after, "--original", before, *BY_POSITION, *LINKED).json
    assert all(one["value"] < 0.05 for one in wrong["attacks"])


def test_an_identifier_in_both_files_pairs_them(tmp_path: Path, run_cli: RunCli) -> None:
    frame = ta.example("census", 300).to_pandas().assign(person=np.arange(300) + 1000)
    frame.to_csv(tmp_path / "before.csv", index=False)
    swapped = ta.read(frame).apply(ta.RankSwap(PAY, p=15), seed=1).to_pandas()
    swapped.to_csv(tmp_path / "straight.csv", index=False)
    mixed = swapped.sample(frac=0.5, random_state=1)
    swapped.loc[sorted(mixed.index)].to_csv(tmp_path / "straight.csv", index=False)
    mixed.to_csv(tmp_path / "mixed.csv", index=False)

    def shares(file: str, *said: str) -> list[float]:
        files = tmp_path / file, "--original", tmp_path / "before.csv"
        found = run_cli("attack", *files, *ROLES, *said, *LINKED).json
        assert any("paired by `person`" in note for note in found["notes"])
        return [one["value"] for one in found["attacks"]]

    by_name = shares("mixed.csv", "--pair-by", "person")
    assert by_name == shares("mixed.csv", "--role", "person=identifier")
    assert by_name == shares("straight.csv", "--pair-by", "person")
    assert 0 < by_name[0] < 1


def test_a_release_made_here_knows_its_records(tmp_path: Path, run_cli: RunCli) -> None:
    source = tmp_path / "source.csv"
    ta.example("census", 200).write(source)
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        f"data:\n  source: {source}\n  attributes:\n    wage: {{role: key}}\n"
        "    earnings: {role: key}\n"
        "microdata:\n  waive: a test\n  steps:\n    - add_noise: {attributes: [wage], alpha: 0.3}\n"
        "release: {}\n"
    )
    out = tmp_path / "release"
    assert run_cli("run", plan, "--out", out, "--seed", "4").code == 0
    released = next((out / "public").glob("data.*"))
    attack = released, "--original", source, "--role", "wage=key", "--role", "earnings=key"
    found = run_cli("attack", *attack, "--pair-by", out / "internal", *LINKED).json
    numbers = pq.read_table(out / "internal" / "records.parquet").column("source_record")
    own = np.asarray(numbers) - 1
    roles = {"wage": "key", "earnings": "key"}
    before, after = ta.read(source, roles=roles), ta.read(released, roles=roles)
    straight = ta.read(before.take(own).table, roles=roles)
    expected, again = (
        ta.disclosure_risk(file, after, measures=["distance_linkage"], pair_by=by)[0].value
        for file, by in ((straight, "position"), (before, out))
    )
    assert 0.05 < float(expected) == float(again) == found["attacks"][0]["value"]


def test_intervals_are_read_beside_the_numbers_they_were(folder: Path, run_cli: RunCli) -> None:
    found = run_cli(
        "attack", folder / "boxes.parquet", "--original", folder / "toy.parquet", "--json",
        "--only", "exact_linkage",
    ).json  # fmt: skip
    assert "age" in found["keys"]
    whole = next(one for one in found["guesses"] if "to" in one["parameters"])
    assert whole["parameters"]["to"] == [{"k_anonymity": {"k": 4}}]
    assert {one["name"] for one in found["attacks"]} == {"exact_linkage", "distance_linkage"}
    assert {one["name"]: one["value"] for one in found["risks"]}["uniqueness"] == 0


def test_a_plan_says_what_attributes_are(folder: Path, tmp_path: Path, run_cli: RunCli) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        f"data:\n  source: {folder / 'census.csv'}\n  attributes:\n"
        "    wage: {role: key}\n    earnings: {role: confidential}\n    dropped: {role: key}\n"
        "microdata:\n  steps: []\nrelease: {}\n"
    )
    found = run_cli("attack", folder / "averaged.csv", "--plan", plan, "--json").json
    assert (found["keys"], found["confidential"]) == (["wage"], ["earnings"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--attribute", "wage"], "`--attribute` means nothing for a file"),
        (["--role", "wage"], "like age=key; found 'wage'"),
        (["--role", "wage=kee"], "Did you mean `key`?"),
        (["--role", "wag=key"], "Did you mean `wage`?"),
        (["--earlier", "x.csv"], "`--earlier` needs the original data"),
        (["--only", "minimality"], "`--only` needs the original data"),
        (["--original", "nowhere.csv"], "There is no file nowhere.csv"),
        (["--original", "CENSUS", "--only", "minimalty"], "There is no method `minimalty`"),
        (["--original", "TOY"], "The release has 300 records and the original 200"),
        (["--original", "TOY", "--pair-by", "position"], "so that their position cannot pair them"),
        (["--original", "CENSUS", "--pair-by", "wag"], "`pair_by` names `wag`, which is not in"),
        (["--pair-by", "position"], "`--pair-by` needs the original data"),
    ],
)
def test_mistakes_are_told(
    folder: Path, run_cli: RunCli, options: list[str], sentence: str
) -> None:
    files = {"CENSUS": str(folder / "census.csv"), "TOY": str(folder / "toy.parquet")}
    said = [files.get(part, part) for part in options]
    ran = run_cli("attack", folder / "averaged.csv", *said)
    assert ran.code == 1
    assert ran.out == ""
    assert sentence in ran.err


def test_files_and_servers_are_not_mixed_up(folder: Path, run_cli: RunCli) -> None:
    ran = run_cli("attack", "http://127.0.0.1:1", "--original", folder / "census.csv")
    assert (ran.code, "means nothing for a server" in ran.err) == (1, True)
    ran = run_cli("attack", "http://127.0.0.1:1")
    assert (ran.code, "needs the confidential attribute" in ran.err) == (1, True)
    assert run_cli("attack", folder / "nothing.csv").code == 1


def test_words_for_missing_values_are_blanks(tmp_path: Path, run_cli: RunCli) -> None:
    """R writes NA where a value was suppressed, among categories and codes alike."""
    rng = np.random.default_rng(5)
    sex, job, area = rng.integers(1, 3, 600), rng.integers(1, 8, 600), rng.integers(1, 9, 600)
    rows = list(zip(sex.tolist(), job.tolist(), area.tolist(), strict=True))
    counts = Counter(rows)
    lines = [f"{a},{'NA' if counts[a, b, c] < 5 else b},{c}" for a, b, c in rows]
    for name, body in (("safe", lines), ("true", [f"{a},{b},{c}" for a, b, c in rows])):
        text = "\n".join(["sex,relat,area", *body])
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    roles = [part for name in ("sex", "relat", "area") for part in ("--role", f"{name}=key")]
    alone = run_cli("attack", tmp_path / "safe.csv", *roles, "--json").json
    (guess,) = [one for one in alone["guesses"] if one["method"] == "local_suppression"]
    assert guess["attributes"] == ["relat"]
    assert f"{sum(n for n in counts.values() if n < 5)} blanks" in guess["evidence"]
    files = tmp_path / "safe.csv", "--original", tmp_path / "true.csv"
    both = run_cli("attack", *files, *roles, "--only", "suppression_reconstruction", "--json").json
    assert [one["name"] for one in both["attacks"]][1:] == ["suppression_reconstruction"]

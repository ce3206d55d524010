"""`tacita map`: many ways to mask, risk against loss."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.advise import as_plans_say
from tacita.cli.options import Json, Overwrite, Threads, consent
from tacita.cli.options import refuse_target as refuse_written
from tacita.errors import InputError, ParameterError, shown

if TYPE_CHECKING:
    from tacita.data.dataset import Dataset
    from tacita.intruders.intruder import Intruder
    from tacita.method import Method
    from tacita.release.comparing.compare_plan import ComparePlan
    from tacita.release.comparing.risk_utility_map import RiskUtilityMap
    from tacita.release.comparing.score_card import Scoring

PLANS = (".yaml", ".yml")
Source = Annotated[str, typer.Argument(help="The data, or a plan (YAML) that says where they are.")]
Try = Annotated[
    list[str] | None,
    typer.Option(
        "--try",
        help="A method as plans say it, with lists of values: 'rank_swap: {p: [5, 10]}'; a list of "
        "them is one step after the other. What is usual when left out.",
    ),
]
Key = Annotated[list[str] | None, typer.Option(help="A key attribute, where no plan says it.")]
Risk = Annotated[
    list[str] | None,
    typer.Option(help="A risk to measure, as plans say it, instead of the score's; with --loss."),
]
Loss = Annotated[list[str] | None, typer.Option(help="A loss to measure; with --risk.")]
Who = Annotated[
    str | None,
    typer.Option(
        "--intruder",
        help="For whom --risk is measured, as plans say it: 'health/neighbour' or "
        "'{respondents: 0.2}'; that of the plan when left out.",
    ),
]
Out = Annotated[
    list[Path] | None,
    typer.Option(help="A file to write: .html, .svg, .png, .csv, .parquet or .json."),
]
Seed = Annotated[int, typer.Option(min=0, help="Where the randomness of the trials comes from.")]


def map(  # noqa: A001 - the field's word, and the command's name
    source: Source,
    tried: Try = None,
    key: Key = None,
    risk: Risk = None,
    loss: Loss = None,
    who: Who = None,
    out: Out = None,
    seed: Seed = 0,
    threads: Threads = None,
    overwrite: Overwrite = False,
    json: Json = False,
) -> None:
    """Try ways to mask data, and map what they risk against what they cost.

    Without --risk and --loss, the score of Domingo-Ferrer and Torra measures them. A plan's own
    steps are tried beside the others, which are those that it compares with (`compare`), if any.
    """
    from tacita.cli.printing import print_json
    from tacita.release.comparing.against import scoring_against
    from tacita.release.comparing.risk_utility_map import refuse_target, risk_utility_map
    from tacita.threads import use_threads

    use_threads(threads)
    for file in out or ():
        refuse_target(file)
        refuse_written(file, [source], consent(overwrite))
    data, steps, compare, intruder = _read(source, key or [])
    found = risk_utility_map(
        data,
        _asked(tried or (), steps, compare),
        by=scoring_against(_scoring(risk, loss, compare), None if who is not None else intruder),
        intruder=None if who is None else as_plans_say("--intruder", who),
        seed=seed,
    )
    for file in out or ():
        found.write(file)
    print_json(found.to_dict()) if json else _show(found, out or ())


def _scoring(
    risk: Sequence[str] | None, loss: Sequence[str] | None, compare: ComparePlan | None
) -> Scoring:
    from tacita.release.comparing.score import scoring_of

    risks, losses = ([_said(text) for text in side] if side else None for side in (risk, loss))
    return scoring_of(risks, losses, compare.by if compare and not (risk or loss) else None)


def _read(
    source: str, keys: Sequence[str]
) -> tuple[Dataset, list[Method], ComparePlan | None, Intruder | None]:
    """Read data, and what a plan has for them: its steps, what they lie beside, who attacks."""
    from tacita.api.microdata import read
    from tacita.method import Method
    from tacita.release.execute import intruder_of, read_source
    from tacita.release.plan import read_plan

    if not source.lower().endswith(PLANS):
        return read(source, roles=dict.fromkeys(keys, "key")), [], None, None
    if keys:
        raise ParameterError("A plan says itself which attributes are keys; leave out --key.")
    plan = read_plan(Path(source))
    steps = [step for step in plan.steps if isinstance(step, Method)]
    if len(steps) < len(plan.steps):
        raise InputError(
            f"The plan {source} masks until a risk is met, which is no point of a map; take the "
            "`until` out of its steps."
        )
    data = read_source(plan)
    return data, steps, plan.compare, intruder_of(plan, data)


def _asked(
    tried: Sequence[str], steps: list[Method], compare: ComparePlan | None
) -> list[Any] | None:
    from tacita.release.comparing.grid import USUAL, entries

    beside = compare.methods if compare else None
    if not tried and not steps and beside is None:
        return None
    asked = [_said(text) for text in tried] or entries(USUAL if beside is None else beside)
    return [*([steps] if steps else []), *asked]


def _said(text: str) -> Any:
    import yaml

    from tacita.plain_yaml import read_yaml

    try:
        said = read_yaml(text)
    except yaml.YAMLError:
        said = None
    if not isinstance(said, str | dict | list) or not said:
        raise ParameterError(
            f"Expected a method as plans say it, such as 'rank_swap: {{p: [5, 10]}}'; "
            f"found {shown(text)}."
        )
    return said


def _show(found: RiskUtilityMap, files: Sequence[Path]) -> None:
    from tacita.cli.printing import print_table, say
    from tacita.results import show

    rows = [
        (
            trial.label(),
            show(trial.score),
            show(trial.risk),
            show(trial.loss),
            "front" if found.is_on_front(trial) else "",
        )
        for trial in found.ranking
    ]
    risk, loss = found.axes
    print_table("Lowest score first", ("", "score", risk, loss, ""), rows)
    for label, why in found.skipped:
        say(f"Note: {label} was not tried: {why}")
    for file in files:
        say(f"The map is in {file}.")

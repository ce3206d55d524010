"""Risk-utility maps: many ways to mask tried on the same data, risk against loss."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tacita.data.dataset import Dataset
from tacita.errors import (
    InputError,
    OutputError,
    ParameterError,
    ProtectionError,
    load_extra,
    shown,
)
from tacita.progress import progress
from tacita.release.comparing.against import scoring_against
from tacita.release.comparing.grid import Asked as AskedMethod
from tacita.release.comparing.grid import Candidate, candidates
from tacita.release.comparing.score import Asked as AskedMeasure
from tacita.release.comparing.score import Score, scoring_of
from tacita.release.comparing.score_card import Scoring
from tacita.release.comparing.trial import Trial, try_methods
from tacita.release.measuring import Tell
from tacita.release.pareto import pareto_front
from tacita.results import counted, show

if TYPE_CHECKING:
    from tacita.intruders.said import Said

TABLES, DRAWINGS = (".csv", ".parquet"), (".svg", ".png", ".html", ".json")
SHOWN = 20  # trials that a printed map lists


@dataclass(frozen=True, repr=False)
class RiskUtilityMap:
    """What many ways to mask risk and cost, on the same data.

    It tells of the original data and of how they may have been masked: keep it in the house.

    Args:
        trials: what was tried, in the order of lines and along each line.
        axes: what risk and loss are, in words.
        skipped: what could not be tried, and why.
        own: the place among the trials of the release that the others lie beside, if there is one.
    """

    trials: tuple[Trial, ...]
    axes: tuple[str, str] = ("risk", "loss")
    skipped: tuple[tuple[str, str], ...] = ()
    own: int | None = None

    def __len__(self) -> int:
        return len(self.trials)

    @cached_property
    def front(self) -> tuple[Trial, ...]:
        """The trials that no other one beats in both risk and loss, by risk ascending."""
        points = [(trial.risk, trial.loss) for trial in self.trials]
        return tuple(self.trials[place] for place in pareto_front(points))

    @cached_property
    def ranking(self) -> tuple[Trial, ...]:
        """The trials from the lowest score, which is best, on; those without one by their loss."""
        return tuple(sorted(self.trials, key=_place))

    @property
    def lines(self) -> list[str]:
        """The lines of the map, in the order in which they were asked for."""
        return list(dict.fromkeys(trial.line for trial in self.trials))

    def is_on_front(self, trial: Trial) -> bool:
        """Tell whether no other trial beats one in both risk and loss."""
        return any(trial is one for one in self.front)

    def is_own(self, trial: Trial) -> bool:
        """Tell whether a trial is the release that the others lie beside."""
        return self.own is not None and trial is self.trials[self.own]

    @property
    def better(self) -> tuple[Trial, ...]:
        """The trials that beat the release beside which they lie, from the lowest score on."""
        if self.own is None:
            return ()
        own = self.trials[self.own]
        return tuple(trial for trial in self.ranking if _beats(trial, own))

    def __repr__(self) -> str:
        width = max((len(trial.label()) for trial in self.trials), default=0)
        head = f"{'':<{width}}  {'score':>8}  {'risk':>8}  {'loss':>8}"
        lines = [
            f"{trial.label():<{width}}  {show(trial.score):>8}  {show(trial.risk):>8}  "
            f"{show(trial.loss):>8}{'  on the front' if self.is_on_front(trial) else ''}"
            for trial in self.ranking[:SHOWN]
        ]
        more = len(self) - len(lines)
        rest = [f"... and {counted(more, 'trial')} more"] if more > 0 else []
        gone = [f"{label}: not tried: {why}" for label, why in self.skipped]
        return "\n".join([head, *lines, *rest, *gone])

    def to_dict(self) -> dict[str, Any]:
        """Return the map in plain types."""
        return {
            "axes": {"risk": self.axes[0], "loss": self.axes[1]},
            "trials": [
                {**trial.to_dict(), "on_front": self.is_on_front(trial)} for trial in self.trials
            ],
            "skipped": [{"label": label, "reason": why} for label, why in self.skipped],
            **({} if self.own is None else {"own": self.own}),
        }

    def to_arrow(self) -> pa.Table:
        """Return the trials in Arrow, one row each, with every component of the score."""
        names = list(dict.fromkeys(name for trial in self.trials for name in trial.measures))
        columns: dict[str, pa.Array] = {
            "label": pa.array([trial.label() for trial in self.trials], pa.string()),
            "line": pa.array([trial.line for trial in self.trials], pa.string()),
            "score": pa.array([trial.score for trial in self.trials], pa.float64()),
            "risk": pa.array([trial.risk for trial in self.trials], pa.float64()),
            "loss": pa.array([trial.loss for trial in self.trials], pa.float64()),
            "on_front": pa.array(map(self.is_on_front, self.trials), pa.bool_()),
        }
        for name in names:
            found = [trial.measures.get(name) for trial in self.trials]
            columns[_free(name, columns)] = pa.array(found, pa.float64())
        steps = [json.dumps([m.to_plan() for m in trial.methods]) for trial in self.trials]
        columns["steps"] = pa.array(steps, pa.string())
        columns["records"] = pa.array([trial.records for trial in self.trials], pa.int64())
        columns["seconds"] = pa.array([trial.seconds for trial in self.trials], pa.float64())
        return pa.table(columns)

    def to_polars(self) -> Any:
        """Return the trials as a Polars frame."""
        return load_extra("polars", "frames").from_arrow(self.to_arrow())

    def to_pandas(self) -> Any:
        """Return the trials as a pandas frame."""
        load_extra("pandas", "frames")
        return self.to_arrow().to_pandas()

    def to_svg(self) -> str:
        """Return the map drawn as SVG."""
        from tacita.release.report.map_drawing import svg

        return svg(self)

    def to_png(self, scale: float = 2.0) -> bytes:
        """Return the map drawn as PNG, so many pixels for each of its points."""
        from tacita.release.report.map_drawing import png

        return png(self, scale)

    def to_html(self) -> str:
        """Return a page with the map and its table: no script, no network, all in one file."""
        from tacita.release.comparing.page import page

        return page(self)

    def write(self, target: str | PathLike[str]) -> None:
        """Write the map: drawn (.svg, .png, .html) or as data (.csv, .parquet, .json)."""
        from tacita.data.formats import write_table
        from tacita.data.formats.atomic import atomic_file

        path = Path(target)
        refuse_target(path)
        if path.suffix.lower() in TABLES:
            write_table(self.to_arrow(), path)
            return
        content = self._drawn(path.suffix.lower())
        with atomic_file(path) as temporary:
            temporary.write_bytes(content)

    def _drawn(self, suffix: str) -> bytes:
        if suffix == ".png":
            return self.to_png()
        if suffix == ".json":
            return json.dumps(self.to_dict(), indent=2, allow_nan=False).encode()
        return (self.to_svg() if suffix == ".svg" else self.to_html()).encode()


def refuse_target(path: Path) -> None:
    """Refuse a file that no map can be written to, by its suffix."""
    if path.suffix.lower() not in (*DRAWINGS, *TABLES):
        raise OutputError(
            f"A map is written as one of {', '.join((*DRAWINGS, *TABLES))}; "
            f"found {shown(path.name)}."
        )


def _beats(one: Trial, other: Trial) -> bool:
    """Tell whether a trial is as good as another in risk and loss, and better in one of them."""
    mine, others = (one.risk, one.loss), (other.risk, other.loss)
    return mine[0] <= others[0] and mine[1] <= others[1] and mine != others


def _place(trial: Trial) -> tuple[bool, float, str]:
    value = trial.loss if trial.score is None else trial.score
    return trial.score is None, value, trial.label()


def _free(name: str, taken: Mapping[str, Any]) -> str:
    return name if name not in taken else f"{name} (measure)"


def risk_utility_map(
    data: Any,
    methods: Mapping[str, Any] | Sequence[AskedMethod | Sequence[AskedMethod]] | None = None,
    *,
    risk: AskedMeasure | Sequence[Any] | None = None,
    loss: AskedMeasure | Sequence[Any] | None = None,
    by: Scoring | None = None,
    intruder: Said | None = None,
    seed: int = 0,
) -> RiskUtilityMap:
    """Try ways to mask data, and map what they risk against what they cost.

    Args:
        data: the data before masking: microdata or a data frame.
        methods: what to try, as plans say it, with lists of values:
            `{"rank_swap": {"p": [5, 10, 15]}, "add_noise": {"alpha": [0.1, 0.2]}}`; or a list of
            methods, of such grids, or of lists of these, which are steps one after the other. What
            is usual for continuous attributes when left out.
        risk: the risk to measure, or several with or without weights, instead of `by`.
        loss: the loss to measure, likewise.
        by: the score that measures risk and loss; that of Domingo-Ferrer and Torra when left out.
        intruder: for whom risks are measured: an `Intruder`, a scenario (`health/neighbour`), or
            as a plan says it; with `risk` and `loss`, or a score of one's own.
        seed: where the randomness of every trial comes from.

    >>> import tacita as ta
    >>> grid = {"rank_swap": {"attributes": ["age", "income"], "p": [5, 40]}}
    >>> found = risk_utility_map(ta.example("toy", 200), grid)
    >>> [trial.label() for trial in found.front]
    ['rank_swap (p 40)', 'rank_swap (p 5)']
    """
    from tacita.data.read import as_dataset

    before = as_dataset(data)
    scoring = scoring_of(risk, loss, by)
    if intruder is not None:
        scoring = _attacked(scoring, intruder, before)
    asked = candidates(methods, before)
    with progress(len(asked)) as tell:
        return map_of(before, asked, by=scoring, seed=seed, tell=tell)


def _attacked(scoring: Scoring, intruder: Said, data: Dataset) -> Scoring:
    from tacita.intruders.said import as_intruder

    if isinstance(scoring, Score):
        raise ParameterError(
            "The score of Domingo-Ferrer and Torra says itself what is `known`; give `risk` and "
            "`loss` to measure for an intruder."
        )
    return scoring_against(scoring, as_intruder(intruder).of(data))


def map_of(
    data: Dataset,
    ways: Sequence[Candidate],
    *,
    by: Scoring,
    seed: int,
    tell: Tell = lambda _: None,
) -> RiskUtilityMap:
    """Try every way to mask on the same data, and map what they risk and cost.

    Raises:
        ProtectionError: none of them could be tried.
    """
    trials: list[Trial] = []
    skipped: list[tuple[str, str]] = []
    for one in ways:
        tell(one.label())
        found = _tried(data, one, by, seed)
        if isinstance(found, Trial):
            trials.append(found)
        else:
            skipped.append(found)
    if not trials:
        raise ProtectionError(f"None of what was asked for could be tried: {skipped[0][1]}")
    return RiskUtilityMap(tuple(trials), by.axes, tuple(skipped))


def _tried(data: Dataset, one: Candidate, scoring: Scoring, seed: int) -> Trial | tuple[str, str]:
    """Try a candidate; say why where it cannot be tried on these data."""
    try:
        return try_methods(
            data, one.methods, by=scoring, seed=seed, line=one.line, setting=one.setting
        )
    except (InputError, ParameterError, ProtectionError) as reason:
        return one.label(), str(reason)

"""The experiment of "How to Avoid Reidentification with Proper Anonymization", on generated data.

Sanchez, Martinez & Domingo-Ferrer (Science 351:1274, 2016) protect California's hospital discharges
in several ways and measure what is left of risk and utility. Here the discharges are generated, so
that anybody can run it again; numbers are of their size, not theirs.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import pyarrow as pa

from tacita.api.experiment import stages
from tacita.api.keyed_text import write_keyed_text
from tacita.data.dataset import Dataset
from tacita.data.formats import write_table
from tacita.data.formats.atomic import atomic_folder, refuse_place
from tacita.errors import ParameterError
from tacita.progress import progress

STEPS = 1 + 1 + len(stages.KNOWN) + len(stages.protections()) + 1 + 2 * len(stages.RESOLUTIONS) + 1
TABLES = ("correlations", "uniqueness", "protections", "grid")


def experiment(
    out: str | PathLike[str],
    *,
    records: int = stages.RECORDS,
    seed: int = 0,
    unique_in: stages.UniqueIn = "keys",
    with_data: bool = False,
) -> Mapping[str, Any]:
    """Run the experiment; write a page with its figures, and its numbers as CSV and JSON.

    Args:
        out: the folder to write, which appears complete or not at all.
        records: how many discharges are generated.
        seed: where they, and what is regenerated, come from.
        unique_in: what the records masked in PD were unique in: all `keys`, or the attributes that
            the masking `steps` name; the paper can be read either way.
        with_data: also write the data sets of Table S10, as keyed text.

    Returns:
        the numbers: `correlations` (Tables S4, S5) and their `agreement`, `uniqueness` (Figure
        S3), `protections` (Figures S4, S7), `grid` (Figures S5, S6).
    """
    if records < stages.FEWEST:
        raise ParameterError(
            f"`records` of the experiment must be {stages.FEWEST} or more; found {records}."
        )
    folder = Path(out)
    refuse_place(folder)
    begun = time.perf_counter()
    with progress(STEPS) as tell, atomic_folder(folder) as fresh:

        def keep(data: Dataset, file: str) -> None:
            if with_data:
                write_keyed_text(data, fresh / file)

        tell("generating, masking, regenerating")
        made = stages.discharges(records, seed, unique_in)
        found = {"records": records, "seed": seed, "unique_in": unique_in}
        found |= _found(made, tell, keep)
        tell("writing")
        _write(fresh, found, time.perf_counter() - begun)
    return found


def _found(
    made: stages.Discharges, tell: Callable[[str], None], keep: Callable[[Dataset, str], None]
) -> dict[str, Any]:
    keep(made.regenerated, "SPD_dataset.txt")
    tell("correlations")
    correlations = stages.correlations(made)
    return {
        "masked_by_step": list(made.masked.notes["masked_by_step"]),
        "correlations": correlations,
        "agreement": stages.agreement(correlations),
        "uniqueness": stages.uniqueness(made, tell),
        "protections": stages.compared(made, tell, keep),
        "grid": stages.grid(made.regenerated, tell),
    }


def _write(folder: Path, found: Mapping[str, Any], seconds: float) -> None:
    from tacita.api.experiment.page import page

    for name in TABLES:
        write_table(_table(found[name]), folder / f"{name}.csv")
    numbers = json.dumps(found, indent=2, allow_nan=False)
    (folder / "numbers.json").write_text(numbers, encoding="utf-8")
    (folder / "report.html").write_text(page(found, seconds), encoding="utf-8")


def _table(rows: Sequence[stages.Row]) -> pa.Table:
    """Put rows into columns; one of which nothing is known is one of numbers."""
    table = pa.Table.from_pylist(list(rows))
    types = [pa.float64() if pa.types.is_null(kind) else kind for kind in table.schema.types]
    return table.cast(pa.schema(list(zip(table.column_names, types, strict=True))))

"""Loading what measures need before somebody waits for them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from tacita.app.hands.work import Memory, Work
from tacita.app.telling import log_failure

RECORDS = 200  # of the file that is read and measured
STEPS = ({"rank_swap": {"attributes": ["age_yrs"], "p": 10}}, {"local_suppression": {"k": 2}})


def warm_up() -> None:
    """Read, mask and measure a small file of made-up patients, which loads all that it takes."""
    from tacita.app.hands.tasks import measure
    from tacita.data.examples import generate
    from tacita.data.formats.contents import Contents
    from tacita.data.formats.csv import write
    from tacita.data.formats.layout import UNSAID

    try:
        with TemporaryDirectory() as place:
            write(Contents(generate("patients", RECORDS).table), Path(place) / "small.csv", UNSAID)
            measure.run(_work(Path(place)))
    except Exception as error:  # noqa: BLE001 - without it, the first measures take longer
        log_failure("Warming up failed", error)


def _work(place: Path) -> Work:
    keys = dict.fromkeys(("age_yrs", "sex", "race"), "key")
    plan: dict[str, Any] = {
        "data": {"source": "small.csv", "attributes": keys},
        "microdata": {"steps": list(STEPS)},
    }
    arguments = {"plan": plan, "sample": True}
    return Work(yaml.safe_dump(plan), place / "plan.yaml", 1, arguments, lambda _: None, Memory())

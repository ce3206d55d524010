"""Advice: the masking that meets a bound on the risk at the least loss, searched for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacita.app.hands.asked import as_asked, plainly
from tacita.app.hands.work import Work
from tacita.errors import ProtectionError
from tacita.release.report.map_drawing import specification
from tacita.release.report.plots import CONFIG, INK
from tacita.tradeoff.advising import Advice, advising

LOOK = {
    **CONFIG,
    "padding": 5,
    "legend": {"labelColor": INK, "title": None, "orient": "bottom", "columns": 3},
}


class _Enough(Exception):  # noqa: N818 - no error: the person has seen enough
    """Ends a search with the best so far."""


def run(work: Work) -> dict[str, Any]:
    """Return the recommendation with its reasons, and a map of what was tried."""
    work = as_asked(work)
    with plainly(work):
        best = _searched(work, Path(work.arguments["enough"]))
    return {
        **best.to_dict(),
        "tables": [
            {"title": title, "columns": list(columns), "rows": [list(row) for row in rows]}
            for title, (columns, rows) in best.tables().items()
        ],
        "attributes": {name: dict(said) for name, said in best.setting.said.items()},
        "map": {
            "config": LOOK,
            "background": "transparent",
            **specification(best.map(), legend=True),
        },
    }


def _searched(work: Work, enough: Path) -> Advice:
    """Search until everything is tried, the time is over, or a file says that it is enough."""
    asked, best = work.arguments["asked"], None

    def tell(said: str) -> None:
        if enough.exists():
            raise _Enough
        work.tell(said)

    try:
        for better in advising(
            work.original,
            require=asked["require"] or None,
            loss=asked["loss"] or None,
            intruder=work.plan.intruder,
            time_limit=asked["time_limit"],
            seed=work.seed,
            tell=tell,
        ):
            best = better
    except _Enough:
        pass
    finally:
        enough.unlink(missing_ok=True)
    if best is None:
        raise ProtectionError("Nothing was found yet that meets the requirements; search longer.")
    return best

"""Whether released data show an identifier that the Safe Harbor of HIPAA has removed."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.data.dataset import Dataset
from tacita.inspection.checklist import KNOWLEDGE, RULE
from tacita.inspection.columns import columns_of
from tacita.inspection.looking import decide
from tacita.inspection.safe_harbor import Remedy
from tacita.inspection.vocabulary import HIPAA
from tacita.results import Verdict


def safe_harbor_verdicts(released: Dataset) -> Iterator[Verdict]:
    """Judge the names and values of released attributes as `tacita safe-harbor` does a source."""
    clean = True
    for one in decide(columns_of(released, released.names).values()):
        about = one.safe_harbor
        if about is None or about.remedy is Remedy.KEEP:
            continue
        clean = False
        what = f"{about.letter}: {HIPAA[about.letter]}"
        told = f"`{one.column.name}` shows {what}; it must be {about.remedy}. {about.why}"
        yield Verdict({"without": f"HIPAA {what}"}, False, None, told.strip().removesuffix("."))
    if clean:
        told = f"no name or value shows one of the 18 identifiers. {KNOWLEDGE}"
        yield Verdict({"without": f"identifiers of {RULE}"}, True, None, told.removesuffix("."))

"""Whether released data show an identifier that the Safe Harbor of HIPAA has removed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from tacita.data.dataset import Dataset
from tacita.inspection.checklist import KNOWLEDGE, RULE
from tacita.inspection.columns import Column, columns_of
from tacita.inspection.looking import decide
from tacita.inspection.safe_harbor import Remedy
from tacita.inspection.vocabulary import HIPAA
from tacita.method import Method
from tacita.microdata.masking.safe_harbor_zip import SafeHarborZip
from tacita.results import Verdict

# What 164.514(e)(2) lets stay: places, dates, and other unique numbers that it does not name.
OF_LIMITED_DATA = frozenset({"B", "C", "R"})
THREE = 3  # digits of a ZIP code that may stay


def safe_harbor_verdicts(released: Dataset, methods: Iterable[Method]) -> Iterator[Verdict]:
    """Judge the names and values of released attributes as `tacita safe-harbor` does a source.

    Args:
        released: the data as they would be released.
        methods: the masking that was carried out: a plan may name other areas of few people.
    """
    clean = True
    listed = {one.attribute: one.restricted for one in methods if isinstance(one, SafeHarborZip)}
    for one in decide(columns_of(released, released.names).values()):
        about = one.safe_harbor
        if about is None or about.remedy is Remedy.KEEP:
            continue
        if about.remedy is Remedy.ZIP and _are_masked(one.column, listed.get(one.column.name)):
            continue
        clean = False
        what = f"{about.letter}: {HIPAA[about.letter]}"
        told = f"`{one.column.name}` shows {what}; it must be {about.remedy}. {about.why}"
        yield Verdict({"without": f"HIPAA {what}"}, False, None, told.strip().removesuffix("."))
    if clean:
        told = (
            "no name of an attribute says one of the 18 identifiers, and the detectors find none "
            f"in the values. {KNOWLEDGE}"
        )
        yield Verdict({"without": f"identifiers of {RULE}"}, True, None, told.removesuffix("."))


def direct_identifier_verdicts(released: Dataset) -> Iterator[Verdict]:
    """Judge whether released attributes show a direct identifier of 45 CFR 164.514(e)(2).

    Its letters are those of the Safe Harbor but for dates, places and other unique numbers; street
    addresses are found by the detectors that look at every release.

    Args:
        released: the data as they would be released.
    """
    clean = True
    for one in decide(columns_of(released, released.names).values()):
        about = one.safe_harbor
        if about is None or about.remedy is Remedy.KEEP or about.letter in OF_LIMITED_DATA:
            continue
        clean = False
        what = HIPAA[about.letter]
        told = f"`{one.column.name}` shows {what}, a direct identifier; it must be dropped"
        yield Verdict({"without": f"direct identifiers: {what}"}, False, None, told)
    if clean:
        told = "no attribute shows a direct identifier of 45 CFR 164.514(e)(2)"
        yield Verdict({"without": "direct identifiers"}, True, None, told)


def _are_masked(column: Column, restricted: tuple[str, ...] | None) -> bool:
    """Tell whether ZIP codes are three digits each, by the list of areas that the plan gives."""
    if restricted is None:
        return False
    values = column.values.cast(pa.string()).to_pylist()
    return all(len(value) == THREE and value not in restricted for value in values)

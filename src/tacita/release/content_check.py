"""Whether released values hold what must not be released, whatever their roles declare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from tacita.data.attribute import Role
from tacita.data.dataset import Dataset
from tacita.data.pairing import paired_rows
from tacita.errors import ParameterError, did_you_mean, shown
from tacita.inspection.columns import columns_of
from tacita.inspection.detectors import Detection, Values, detections, detectors
from tacita.method import Method
from tacita.microdata.masking.pseudonymize import Pseudonymize
from tacita.results import Verdict

Allowed = Mapping[str, tuple[str, ...]]
NUMBERS = ("record_number", "household_number")  # expected of new numbers and of pseudonyms
COPIED = "declared_identifier"


def content_verdicts(
    original: Dataset, protected: Dataset, methods: Iterable[Method], allowed: Allowed
) -> Iterator[Verdict]:
    """Judge every released column by all detectors; what the plan allows by name holds.

    Args:
        original: the data as they were read.
        protected: the data as they would be released.
        methods: the masking that was carried out; pseudonyms number records by intent.
        allowed: the names of detectors whose detections a plan allows, by column.
    """
    expected: dict[str, tuple[str, ...]] = dict.fromkeys(
        protected.with_role(Role.HOUSEHOLD), NUMBERS
    )
    expected |= {
        step.attribute: (*NUMBERS, COPIED) for step in methods if isinstance(step, Pseudonymize)
    }
    for name, found in contents(original, protected).items():
        for detection in found:
            if detection.detector in expected.get(name, ()):
                continue
            yield _verdict(detection, is_allowed=detection.detector in allowed.get(name, ()))


def contents(original: Dataset, protected: Dataset) -> dict[str, tuple[Detection, ...]]:
    """Return what the detectors report of every released column, read in the source's order."""
    if not len(protected):
        return {}
    rows, is_synthetic = protected.source_rows, protected.is_synthetic
    ordered = protected.take(np.argsort(rows, kind="stable"))
    identifiers = {} if is_synthetic else _identifiers(original, ordered)
    return {
        name: detections(Values(column, identifiers, in_source_order=not is_synthetic))
        for name, column in columns_of(ordered, ordered.names).items()
    }


def _identifiers(original: Dataset, protected: Dataset) -> dict[str, pa.Array]:
    """Return the identifiers and households of the source in the records that are released."""
    names = [*original.with_role(Role.IDENTIFIER), *original.with_role(Role.HOUSEHOLD)]
    if not names:
        return {}
    rows = pa.array(paired_rows(original, protected))
    return {name: original.column(name).take(rows) for name in names}


def _verdict(detection: Detection, *, is_allowed: bool) -> Verdict:
    column, name = detection.column, detection.detector
    what = f"{name} in {column}"
    told = f"`{column}`: {detection.sentence.removesuffix('.')}"
    if is_allowed:
        told += f"; the plan allows `{name}` there by name, so a person answers for it"
        return Verdict({"without": f"{what}, waived"}, True, None, told)
    told += f"; drop it, recode it, or say `allow: {{{column}: [{name}]}}` if that is wrong"
    return Verdict({"without": what}, False, None, told)


def read_allowed(spec: Any) -> Allowed:
    """Read which detections a plan allows: the names of detectors, by column.

    >>> read_allowed({"remark": ["free_text"], "site": "url"})
    {'remark': ('free_text',), 'site': ('url',)}

    Raises:
        ParameterError: something else was given, or there is no such detector.
    """
    if spec is None:
        return {}
    if not isinstance(spec, Mapping):
        raise ParameterError(
            f"`allow` should be like {{remark: [free_text]}}; found {shown(spec)}."
        )
    return {str(column): tuple(_detectors_named(names)) for column, names in spec.items()}


def _detectors_named(names: Any) -> Iterator[str]:
    for name in names if isinstance(names, list | tuple) else [names]:
        if not isinstance(name, str) or name not in detectors():
            known = ", ".join(detectors())
            raise ParameterError(
                f"`allow` takes names of detectors ({known}); found {shown(name)}."
                f"{did_you_mean(str(name), detectors())}"
            )
        yield name


def refuse_unknown_columns(allowed: Allowed, original: Dataset) -> None:
    """Refuse to allow something in a column that the data do not have.

    Raises:
        ParameterError: there is no such column.
    """
    for column in allowed:
        if column not in original.names:
            hint = did_you_mean(column, original.names)
            raise ParameterError(f"`allow` names `{column}`, which the data do not have.{hint}")

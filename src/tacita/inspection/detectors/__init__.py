"""Detectors: content in the values of a column that must not be released; one file a detector."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Mapping
from functools import cache

from tacita.inspection.detectors.base import Detection, Detector, Values

__all__ = ["Detection", "Detector", "Values", "detections", "detectors"]


@cache
def detectors() -> Mapping[str, Detector]:
    """Return every detector by its name, as plans write it.

    >>> sorted(detectors())[:3]
    ['birth_date', 'declared_identifier', 'device_address']
    """
    names = [f"{__name__}.{module.name}" for module in pkgutil.iter_modules(__path__)]
    members = [member for name in names for member in vars(importlib.import_module(name)).values()]
    classes = {
        member
        for member in members
        if inspect.isclass(member) and issubclass(member, Detector) and not _is_abstract(member)
    }
    return {cls.name: cls() for cls in sorted(classes, key=lambda cls: cls.name)}


def _is_abstract(cls: type[Detector]) -> bool:
    return inspect.isabstract(cls) or not hasattr(cls, "name")


def detections(values: Values) -> tuple[Detection, ...]:
    """Return what all detectors report of a column.

    >>> import pyarrow as pa
    >>> from tacita.inspection.columns import column_of
    >>> notes = column_of("note", pa.array(["none"] * 50 + ["write to ana@example.org"]))
    >>> [one.detector for one in detections(Values(notes))]
    ['email']
    """
    found = (detector.detect(values) for detector in detectors().values())
    return tuple(one for one in found if one is not None)

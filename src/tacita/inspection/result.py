"""What an inspection gives back: findings that print well, become frames and become a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tacita.data.attribute import Kind, Role
from tacita.data.declaration import Declaration
from tacita.errors import did_you_mean, load_extra
from tacita.inspection.combinations import Combination
from tacita.inspection.detectors import Detection
from tacita.inspection.predictions import Prediction
from tacita.inspection.safe_harbor import Concern
from tacita.results import counted, percent

if TYPE_CHECKING:
    from tacita.inspection.checklist import SafeHarbor

ATTRIBUTES = ("attribute", "role", "kind", "distinct", "unique", "why")
COMBINATIONS = ("attributes", "unique", "distinction", "separation")
PREDICTIONS = ("attribute", "gives away", "lambda")
Row = tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """What was found of one attribute.

    Args:
        name: the attribute.
        roles: the roles that are proposed.
        kind: the kind that is proposed.
        reasons: why, in sentences.
        distinct: the number of distinct values, blanks left out.
        unique: the share of records whose value no other record has.
        separation: the share of pairs of records that differ.
        blank: the number of records without a value.
        order: the categories of an ordinal attribute in ascending order.
        hierarchy: how the values of a key could generalize, as plans say it.
        missing: words that stand for a missing value.
        separator: what parts the members of a set-valued attribute in text.
        free_text: whether the values are free text.
        respondent: whether it numbers or names respondents, and several records share a value.
        warnings: what a person should look at, in sentences.
        safe_harbor: what it is to the Safe Harbor of HIPAA, if anything.
        detections: what its values hold that must not be released.
    """

    name: str
    roles: tuple[Role, ...]
    kind: Kind
    reasons: tuple[str, ...]
    distinct: int
    unique: Fraction
    separation: Fraction
    blank: int = 0
    order: tuple[Any, ...] | None = None
    hierarchy: Mapping[str, Any] | None = None
    missing: tuple[str, ...] = ()
    separator: str | None = None
    free_text: bool = False
    respondent: bool = False
    warnings: tuple[str, ...] = ()
    safe_harbor: Concern | None = None
    detections: tuple[Detection, ...] = ()

    @property
    def is_key(self) -> bool:
        """Whether the attribute is proposed as a key."""
        return Role.KEY in self.roles

    def declared(self) -> dict[str, Any]:
        """Return what a plan says of the attribute."""
        roles = [role.value for role in self.roles]
        said = {
            "role": roles[0] if len(roles) == 1 else roles,
            "kind": self.kind.value,
            "order": None if self.order is None else list(self.order),
            "hierarchy": self.hierarchy,
            "missing": list(self.missing) or None,
            "separator": self.separator,
        }
        return {word: value for word, value in said.items() if value is not None}

    def declaration(self) -> Declaration:
        """Return what would be said of the attribute in Python."""
        return Declaration(**self.declared())

    def row(self) -> Row:
        """Return the finding as a line of a table."""
        roles = ", ".join(self.roles)
        return (
            self.name,
            roles,
            self.kind.value,
            f"{self.distinct:,}",
            percent(self.unique),
            " ".join(self.reasons),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the finding in plain types."""
        return {
            "name": self.name,
            **self.declared(),
            "role": [role.value for role in self.roles],
            "reasons": list(self.reasons),
            "warnings": list(self.warnings),
            "free_text": self.free_text,
            "detections": {one.detector: one.matches for one in self.detections},
            "respondent": self.respondent,
            "distinct": self.distinct,
            "unique": float(self.unique),
            "separation": float(self.separation),
            "blank": self.blank,
        }


@dataclass(frozen=True, repr=False)
class Inspection:
    """What an intruder would see in a file, and what to propose against it.

    Args:
        records: the number of records.
        attributes: what was found of each attribute, in the order of the file.
        combinations: which attributes together single records out; exact on all records.
        predictions: which attributes give a key away; exact on all records.
        warnings: what a person should look at, and what was not tried, in sentences.
        source: the path or address the data came from; None for data in memory.
        layout: how the source is laid out, as plans say it.
        suppression: the share of records that no generalization of the keys can keep.
    """

    records: int
    attributes: tuple[Finding, ...]
    combinations: tuple[Combination, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    warnings: tuple[str, ...] = ()
    source: str | None = None
    layout: Mapping[str, Any] = field(default_factory=dict)
    suppression: float = 0.0

    def __getitem__(self, name: str) -> Finding:
        found = {finding.name: finding for finding in self.attributes}
        if name not in found:
            raise KeyError(f"There is no attribute {name}.{did_you_mean(name, found)}")
        return found[name]

    def with_role(self, role: Role | str) -> list[str]:
        """Return the names of the attributes for which a role is proposed."""
        return [finding.name for finding in self.attributes if role in finding.roles]

    def declarations(self) -> dict[str, Declaration]:
        """Return what is proposed for every attribute, as `read` takes it."""
        return {finding.name: finding.declaration() for finding in self.attributes}

    def tables(self) -> dict[str, tuple[Row, list[Row]]]:
        """Return what was found as tables of text: by title, the columns and the rows."""
        combined: list[Row] = [
            (", ".join(c.attributes), percent(c.unique), share(c.distinction), share(c.separation))
            for c in self.combinations
        ]
        told: list[Row] = [(p.attribute, p.key, share(p.strength)) for p in self.predictions]
        return {
            "Attributes": (ATTRIBUTES, [finding.row() for finding in self.attributes]),
            "Combinations that single records out": (COMBINATIONS, combined),
            "Attributes that give a key away": (PREDICTIONS, told),
        }

    def __repr__(self) -> str:
        size = f"{counted(self.records, 'record')}, {counted(len(self.attributes), 'attribute')}"
        parts = [size]
        for title, (columns, rows) in self.tables().items():
            if rows:
                parts.append("\n".join([title, *aligned([columns, *rows])]))
        parts += [f"Note: {warning}" for warning in self.warnings]
        return "\n\n".join(parts)

    def to_arrow(self) -> pa.Table:
        """Return the findings in Arrow, one row an attribute."""
        kinds = {
            "name": pa.string(),
            "role": pa.list_(pa.string()),
            "kind": pa.string(),
            "distinct": pa.int64(),
            "blank": pa.int64(),
            "unique": pa.float64(),
            "separation": pa.float64(),
            "reasons": pa.list_(pa.string()),
            "warnings": pa.list_(pa.string()),
        }
        rows = [finding.to_dict() for finding in self.attributes]
        return pa.table(
            {name: pa.array([row[name] for row in rows], kind) for name, kind in kinds.items()}
        )

    def to_polars(self) -> Any:
        """Return the findings as a Polars frame."""
        return load_extra("polars", "frames").from_arrow(self.to_arrow())

    def to_pandas(self) -> Any:
        """Return the findings as a pandas frame."""
        load_extra("pandas", "frames")
        return self.to_arrow().to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Return everything in plain types, for JSON."""
        return {
            "records": self.records,
            "source": self.source,
            "layout": dict(self.layout),
            "attributes": [finding.to_dict() for finding in self.attributes],
            "combinations": [
                {
                    "attributes": list(found.attributes),
                    "unique": float(found.unique),
                    "distinction": float(found.distinction),
                    "separation": float(found.separation),
                }
                for found in self.combinations
            ],
            "predictions": [
                {"attribute": p.attribute, "key": p.key, "lambda": float(p.strength)}
                for p in self.predictions
            ],
            "warnings": list(self.warnings),
        }

    def plan(self, folder: str | PathLike[str] = ".") -> str:
        """Return a plan file that protects the data, with the reasons in comments.

        Args:
            folder: where the plan will lie; the path of the source starts there.
        """
        from tacita.inspection.plan import plan_text

        return plan_text(self, Path(folder))

    def safe_harbor(self) -> SafeHarbor:
        """Return what the Safe Harbor of HIPAA asks for: a checklist, and a plan that does it."""
        from tacita.inspection.checklist import SafeHarbor

        return SafeHarbor(self)


def share(number: Fraction) -> str:
    """Return a share to four digits, cut off and not rounded: only 1 is 1.

    >>> share(Fraction(99999, 100000)), share(Fraction(1))
    ('0.9999', '1.0000')
    """
    return f"{int(number * 10_000) / 10_000:.4f}"


def aligned(rows: list[Row]) -> list[str]:
    """Lay out rows in columns; the last one is as long as it is."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]) - 1)]
    return [
        "  ".join([*(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=False)), row[-1]])
        for row in rows
    ]

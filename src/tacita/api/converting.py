"""The same data in another format, or a sentence on what the other format would change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Unpack

from tacita.api.microdata import Microdata, read
from tacita.data.formats import Format, LayoutOptions, format_of, is_address, shown_place
from tacita.data.formats.atomic import staged_files
from tacita.data.formats.fidelity import Change, changes
from tacita.data.formats.reading_report import ReadingReport, reading_report, summary
from tacita.data.formats.replacing import Consent, refuse_existing, refuse_source
from tacita.errors import OutputError, TacitaError
from tacita.results import counted, listed

MOST_SHOWN = 5  # changes that a message tells
IN_FILES = ("duckdb", "sqlite")  # databases that are files, and hold other tables


@dataclass(frozen=True)
class Conversion:
    """What was converted.

    Args:
        target: where it was written.
        records: the number of records.
        attributes: the names of the attributes.
        changes: values that the target holds otherwise, the first of each attribute.
        unlabelled: attributes whose labels or missing codes the target does not hold.
        warnings: what a person should check about how the source was read.
        reading: which values of the source are spelled otherwise when they are written again.

    >>> Conversion("b.csv", 2, ("zip", "age"))
    2 records, 2 attributes.
    """

    target: str
    records: int
    attributes: tuple[str, ...]
    changes: tuple[Change, ...] = ()
    unlabelled: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    reading: ReadingReport = field(default_factory=lambda: ReadingReport(""))

    def notes(self) -> Iterator[str]:
        """Give what a person should know, one sentence each."""
        yield from self.warnings
        yield from summary(self.reading)
        if self.unlabelled:
            names = listed(self.unlabelled)
            yield f"labels and missing codes of {names} have no place in {self.target}."
        for change in self.changes:
            yield f"{self.target} does not hold {change}."

    def __repr__(self) -> str:
        size = f"{counted(self.records, 'record')}, {counted(len(self.attributes), 'attribute')}."
        return "\n".join([*(f"Note: {note}" for note in self.notes()), size])

    def to_dict(self) -> dict[str, Any]:
        """Return it in plain types."""
        return {
            "target": self.target,
            "records": self.records,
            "attributes": list(self.attributes),
            "changes": [change.to_dict() for change in self.changes],
            "unlabelled": list(self.unlabelled),
            "warnings": list(self.warnings),
            "reading": self.reading.to_dict()["columns"],
        }


def convert(
    source: str | PathLike[str],
    target: str | PathLike[str],
    *,
    to_table: str | None = None,
    overwrite: bool | Consent = False,
    accept_loss: bool = False,
    **layout: Unpack[LayoutOptions],
) -> Conversion:
    r"""Write data in another format; what is written is read back and compared before it appears.

    Nothing is protected by it. Values have to come back as they were: of the same kind (number,
    text, date, ...) and equal, missing where they were missing. Labels and missing codes are kept
    as far as the format can hold them, and the result names the attributes that lose theirs.

    Args:
        source: a data file, or the address of a database.
        target: the file to write, whose suffix says the format, or the address of a database.
        to_table: the table to make in a database.
        overwrite: whether a file that is there may be replaced, or what asks a person.
        accept_loss: whether to write although some values will be read back otherwise.
        layout: how the source is laid out, as `read` takes it.

    Raises:
        OutputError: the target is the source, is there already, or cannot hold a value.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.csv").write_text("zip,age\n01234,7\n,8\n")
    ...     convert(f"{folder}/a.csv", f"{folder}/b.parquet")
    2 records, 2 attributes.
    """
    into_database = _is_database(target)
    if not into_database:
        _refuse_target(source, target, layout.get("metadata"), overwrite)
    data = read(source, **layout)
    writing = _into_database if into_database else _into_file
    with writing(data, target, to_table, overwrite) as back:
        found = _compared(data, back, shown_place(target))
        if found.changes and not accept_loss:
            raise OutputError(_refusal(found))
    return replace(found, reading=reading_report(source, **layout))


def _is_database(target: str | PathLike[str]) -> bool:
    chosen = format_of(target)
    return is_address(target) or (chosen is not None and chosen.module in IN_FILES)


def _refuse_target(
    source: str | PathLike[str],
    target: str | PathLike[str],
    metadata: str | PathLike[str] | None,
    overwrite: bool | Consent,
) -> None:
    """Refuse a target before anything is read, where that is known."""
    refuse_source(target, [place for place in (source, metadata) if place is not None])
    if not callable(overwrite):  # a person is asked once, when there is something to write
        refuse_existing(target, overwrite=overwrite)


@contextmanager
def _into_file(
    data: Microdata, target: str | PathLike[str], to_table: str | None, overwrite: bool | Consent
) -> Iterator[Microdata]:
    """Write a file that appears when the block ends well; give what is read back of it."""
    given: LayoutOptions = {} if to_table is None else {"table": to_table}
    with staged_files(
        Path(target), lambda file: refuse_existing(file, overwrite=overwrite)
    ) as draft:
        data.write(draft, **given)
        yield _read_back(draft, target)


@contextmanager
def _into_database(
    data: Microdata, target: str | PathLike[str], to_table: str | None, _: bool | Consent
) -> Iterator[Microdata]:
    """Add a table to a database when the block ends well; give what is read back of a like one."""
    given: LayoutOptions = {} if to_table is None else {"table": to_table}
    chosen = format_of(target)
    if chosen is None or chosen.module not in IN_FILES:
        # A server has no second place for a trial: what it holds is compared afterwards.
        data.write(target, **given)
        yield _read_back(target, target, **given)
        return
    with TemporaryDirectory() as folder:
        trial = Path(folder) / f"trial.{_suffix(chosen)}"
        data.write(trial, **given)
        yield _read_back(trial, target, **given)
    data.write(target, **given)


def _suffix(chosen: Format) -> str:
    return "duckdb" if chosen.module == "duckdb" else "sqlite"


def _read_back(
    written: str | PathLike[str], target: str | PathLike[str], **layout: Unpack[LayoutOptions]
) -> Microdata:
    try:
        return read(written, **layout)
    except TacitaError as error:
        said = str(error).replace(str(written), shown_place(target))
        raise OutputError(
            f"{shown_place(target)} would not be read back as it is written: {said}"
        ) from error


def _compared(data: Microdata, back: Microdata, target: str) -> Conversion:
    if len(back) != len(data):
        raise OutputError(
            f"{target} cannot hold these records: {len(data):,} are written and {len(back):,} "
            "come back; choose another format, such as Parquet."
        )
    return Conversion(
        target,
        len(data),
        tuple(data.names),
        tuple(changes(data.to_arrow(), back.to_arrow())),
        tuple(_unlabelled(data, back)),
        data.origin.warnings,
    )


def _unlabelled(data: Microdata, back: Microdata) -> Iterator[str]:
    """Give the attributes whose value labels or reasons for missing values do not come back."""
    for name in data.names:
        if name not in back.names:
            continue
        meaning, now = data.attribute(name).meaning, back.attribute(name).meaning
        labels = dict(meaning.value_labels) == dict(now.value_labels)
        reasons = _reasons(data, name) == _reasons(back, name)
        if not (labels and reasons):
            yield name


def _reasons(data: Microdata, name: str) -> Sequence[Any]:
    """Return the missing code of every value that has one."""
    if name not in data.missing_reasons:
        return []
    codes = (None, *data.attribute(name).meaning.missing_codes)
    held = [codes[place] for place in data.missing_reasons[name].tolist()]
    return held if any(code is not None for code in held) else []


def _refusal(found: Conversion) -> str:
    told = "; ".join(map(str, found.changes[:MOST_SHOWN]))
    more = len(found.changes) - MOST_SHOWN
    others = f", and {counted(more, 'more attribute')}" if more > 0 else ""
    return (
        f"{found.target} cannot hold every value as it is: {told}{others}. Write Parquet, which "
        "holds them, or accept the loss (`accept_loss`, on the command line `--accept-loss`)."
    )

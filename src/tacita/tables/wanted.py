"""What is to be tabulated: whether it fits the data, and what it asks of an engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from os import PathLike
from typing import Any, Literal, get_args

import pyarrow as pa

from tacita.data.attribute import Attribute, Kind, Role
from tacita.data.read import as_dataset
from tacita.engines.contributions import Amount, Breakdown
from tacita.engines.memory import MemoryRecords
from tacita.engines.records import VALUE, Records
from tacita.errors import InputError, ParameterError, did_you_mean, shown
from tacita.mechanisms.cell_keys import as_shares, record_keys
from tacita.mechanisms.keyed import KEY_BYTES, LEAST_SECRET
from tacita.tables.table import REPRESENTED, Statistic, Weighting

REQUEST_CODES = ("1", "2")
NO_REQUEST = "0"
KeysOver = Literal["records", "contributions"]


@dataclass(frozen=True, eq=False)
class Source:
    """Records to tabulate.

    Args:
        records: the records.
        attributes: what each column means.
        reasons: for spanning attributes that say why values are missing, the column that does.
    """

    records: Records
    attributes: Mapping[str, Attribute]
    reasons: Mapping[str, str]

    @property
    def weight(self) -> str | None:
        """The attribute that holds the sampling weights."""
        held = (n for n, attribute in self.attributes.items() if attribute.is_a(Role.WEIGHT))
        return next(held, None)

    def with_keys(self, secret: bytes) -> Source:
        """Return the records with a last column that holds the key of each.

        Raises:
            ParameterError: the secret is short, or the records are not in memory.
        """
        if len(secret) < LEAST_SECRET:
            raise ParameterError(
                f"`keys` as a secret needs {LEAST_SECRET} bytes or more; found {len(secret)}."
            )
        if not isinstance(self.records, MemoryRecords):
            raise ParameterError(
                "A secret gives keys to records in memory only; write the keys of records on an "
                "engine into an attribute, and name it as `keys`."
            )
        table = self.records.table
        columns = [table.column(name).combine_chunks() for name in self.attributes]
        key = blake2b(secret, digest_size=KEY_BYTES).digest()
        shares = as_shares(record_keys(columns, table.num_rows, key))
        name = _unused("record key", table.column_names)
        return replace(self, records=MemoryRecords(table.append_column(name, pa.array(shares))))


@dataclass(frozen=True, eq=False)
class Wanted:
    """What is to be tabulated, as `tabulate` says."""

    source: Source
    by: tuple[str, ...]
    value: str | None
    statistic: Statistic
    denominator: str | None
    contributor: str | None
    shadow: str | None
    cost: str | None
    largest: int
    request: str | None = None
    keys: Amount | None = None
    weighting: Weighting = "respondents"

    def check(self) -> None:
        """Refuse what does not fit the data or does not go together."""
        if not self.by:
            raise InputError("Say which attributes span the table; none was given.")
        repeated = next((name for name in self.by if self.by.count(name) > 1), None)
        if repeated is not None:
            raise InputError(f"`{repeated}` spans the table twice; name it once.").about(repeated)
        for name in (*self.by, self.contributor):
            self._attribute(name)
        for name in (self.value, self.shadow, self.cost):
            self._check_numbers(name)
        if isinstance(self.largest, bool) or not isinstance(self.largest, int) or self.largest < 0:
            raise ParameterError(
                f"`largest` is a number of contributions, 0 or more; found {shown(self.largest)}."
            )
        self._check_statistic()
        self._check_weighting()

    def _check_weighting(self) -> None:
        if self.weighting not in get_args(Weighting):
            raise ParameterError(
                f"`weighting` is {' or '.join(get_args(Weighting))}; found {shown(self.weighting)}."
            )
        if self.weighting != REPRESENTED:
            return
        if self.source.weight is None:
            raise InputError(
                "`weighting: represented` lets records stand for as many respondents as their "
                "sampling weights say; no attribute has the role `weight`. Declare it, or leave "
                "`weighting` out."
            )
        if self.contributor is not None:
            raise ParameterError(
                f"A contributor that is named (`{self.contributor}`) counts once, whatever the "
                "weights; leave out `weighting: represented`, or `contributor`."
            )

    def _check_statistic(self) -> None:
        if (self.value is None) != (self.statistic == "count") and self.statistic != "percentage":
            found = "none" if self.value is None else f"`{self.value}`"
            raise ParameterError(
                "A count has no value, and every other statistic but a percentage needs one; found "
                f"the statistic {self.statistic} and the value {found}."
            )
        if self.statistic == "ratio":
            if self.denominator is None:
                raise ParameterError("A ratio needs a `denominator`; name the attribute.")
            self._check_numbers(self.denominator)
        elif self.statistic == "percentage":
            if self.denominator not in (None, *self.by):
                raise ParameterError(
                    f"Percentages add up to 100 along an attribute that spans the table "
                    f"({', '.join(self.by)}); found {shown(self.denominator)}."
                )
        elif self.denominator is not None:
            raise ParameterError(
                f"Only ratios and percentages have a `denominator`; the statistic is "
                f"{self.statistic}."
            )

    def _attribute(self, name: str | None) -> Attribute | None:
        if name is None:
            return None
        known = self.source.attributes
        if name not in known:
            raise InputError(
                f"There is no attribute `{name}` in the data.{did_you_mean(name, known)}"
            ).about(name)
        return known[name]

    def _check_numbers(self, name: str | None) -> None:
        attribute = self._attribute(name)
        if attribute is not None and attribute.kind is not Kind.CONTINUOUS:
            raise InputError(
                f"`{name}` must hold numbers to be added up; its kind is {attribute.kind}."
            ).about(attribute.name)

    def asking(self, request: str, codes: Sequence[str]) -> Wanted:
        """Return what is wanted with the requests for protection as levels 0, 1 and 2."""
        self._attribute(request)
        if not isinstance(codes, list | tuple) or not 1 <= len(codes) <= len(REQUEST_CODES):
            raise ParameterError(
                f"`request_codes` are the codes for one or two levels; found {shown(codes)}."
            )
        held = self.source.records.histogram(request).column(VALUE).combine_chunks()
        level = {str(code): place for place, code in enumerate(codes, start=1)}
        told = held.cast(pa.string()).to_pylist()
        if codes is REQUEST_CODES:  # nobody said which
            _refuse_other_codes(request, level, told)
        levels = [level.get(code, 0) for code in told]
        column = _unused(f"{request} level", self.source.records.names)
        after = pa.table({column: pa.array(levels, pa.int64())})
        records = self.source.records.recode(pa.table({request: held}), after, complete=True)
        return replace(self, source=replace(self.source, records=records), request=column)

    def keyed(self, keys: str | bytes, over: KeysOver) -> Wanted:
        """Return what is wanted with the keys of records, held by an attribute or made by a secret.

        Args:
            keys: the attribute, or the secret.
            over: whether all records have keys, or only those with a value.
        """
        if over not in get_args(KeysOver):
            raise ParameterError(
                f"`keys_over` is {' or '.join(get_args(KeysOver))}; found {shown(over)}."
            )
        if over == "contributions" and self.value is None:
            raise ParameterError(
                "A table of counts has no contributions of 0; leave `keys_over` at records."
            )
        where = self.value if over == "contributions" else None
        if isinstance(keys, bytes):
            source = self.source.with_keys(keys)
            return replace(self, source=source, keys=Amount(source.records.names[-1], "key", where))
        self._check_numbers(keys)
        return replace(self, keys=Amount(keys, "key", where))

    @property
    def breakdown(self) -> Breakdown:
        """The question to the engine."""
        amounts = [Amount()]
        amounts += [Amount(name) for name in (self.value, self.cost) if name is not None]
        amounts += [Amount(self.value, "known")] if self.statistic == "mean" else []
        amounts += [Amount(self.denominator)] if self.statistic == "ratio" else []
        if self.shadow is not None:
            amounts.append(Amount(self.shadow, "size" if self.contributor is None else "value"))
        amounts += [self.keys] if self.keys is not None else []
        return Breakdown(
            (*self.by, *self.source.reasons.values()),
            tuple(dict.fromkeys(amounts)),
            self.shadow,
            self.source.weight,
            self.contributor,
            self.request,
            self.largest,
            self.weighting == REPRESENTED,
        )


def spanning_names(by: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the attributes that are to span a table."""
    if isinstance(by, str):
        raise ParameterError(f"`by` is a list of attributes; write [{shown(by)}].")
    return tuple(by)


def source_of(data: Any, by: Sequence[str]) -> Source:
    """Return the records of some data, with columns that say why spanning values are missing.

    Args:
        data: microdata, a data frame, or a scan: records on an engine with their attributes.
        by: the attributes that span the table.

    Raises:
        InputError: the data are something else.
    """
    if isinstance(getattr(data, "records", None), Records):
        return Source(data.records, data.attributes, {})
    if isinstance(data, str | PathLike):
        raise InputError(
            "A table is made of microdata, a data frame or a scan; found the path "
            f"{shown(str(data))}. Read it first, with `read` or `scan`."
        )
    data = as_dataset(data)
    table, columns = data.table, {}
    for name in by:
        if name in data.missing_reasons:
            columns[name] = _unused(f"{name} reason", table.column_names)
            table = table.append_column(columns[name], pa.array(data.missing_reasons[name]))
    return Source(MemoryRecords(table), data.attributes, columns)


def _refuse_other_codes(request: str, codes: Iterable[str], held: Sequence[str | None]) -> None:
    """Refuse requests in codes of their own; nobody would be protected."""
    others = [code for code in held if code not in (None, NO_REQUEST)]
    if others and not set(codes) & set(held):
        raise InputError(
            f"`{request}` should be {' or '.join(codes)} where protection is asked for; found "
            f"{', '.join(map(shown, others[:5]))}. Say the codes as `request_codes`."
        ).about(request)


def _unused(name: str, names: Sequence[str]) -> str:
    while name in names:
        name += " "
    return name

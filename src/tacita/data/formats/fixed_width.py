"""Data files of tau-ARGUS and mu-ARGUS: `.asc` with the `.rda` file that describes it.

What the description says goes with the data: `<RECODEABLE>` makes a key attribute (of mu-ARGUS'
variables, those with an identification level above 0), `<WEIGHT>` the weight, `<HOLDING>` and
`<HOUSE_ID>` the household; `<CODELIST>` gives labels, `<HIERLEVELS>` and `<HIERCODELIST>` the
hierarchy. Codes are text without the blanks around them. `<NUMERIC>` variables and weights are
numbers as they are written (`<DECIMALS>` moves no point): int64 when none has a point and no
decimals are announced, else float64. A blank field is missing, and so are the codes that the
description names; which of them it was stays known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import accumulate, chain, product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Role
from tacita.data.codebook import Code, Meaning
from tacita.data.declaration import Declaration
from tacita.data.formats import rda
from tacita.data.formats.atomic import atomic_file
from tacita.data.formats.contents import Contents, Reasons
from tacita.data.formats.fields import Lines, fields_of
from tacita.data.formats.layout import Layout
from tacita.data.formats.rda import Description, Variable
from tacita.data.hierarchies import Hierarchy, build, some_of
from tacita.data.hierarchies.files import hrc
from tacita.data.hierarchies.prefix import Prefix
from tacita.data.hierarchies.tree import Tree
from tacita.errors import InputError, OutputError
from tacita.threads import threads

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
EXACT = 2.0**53  # from here on a double skips integers
TOTAL = "Total"  # what ARGUS calls the root of a hierarchy


def read(path: Path, layout: Layout, text: frozenset[str]) -> Contents:
    """Read a data file by its description.

    Args:
        path: the data file.
        layout: its encoding and its description (`metadata`), by default the `.rda` file of the
            same name beside it.
        text: variables that are read as codes although they are described as numbers.

    """
    described = rda.read_description(_description_of(path, layout.metadata), layout.encoding)
    lines = Lines.of(path, layout.encoding, skipped=int(described.has_header))
    reader = _Reader(described, layout.encoding)
    parse = partial(_values, lines, text)
    with ThreadPoolExecutor(threads()) as pool:
        columns = pool.map(parse, described.variables, fields_of(lines, described))
        for variable, (column, reasons) in zip(described.variables, columns, strict=True):
            reader.take(variable, column, reasons)
    return reader.contents()


def _description_of(path: Path, said: str | None) -> Path:
    """Find the description of a data file."""
    if said is not None:
        if not Path(said).is_file():
            raise InputError(f"There is no description {said} of {path}; name an `.rda` file.")
        return Path(said)
    found = rda.find(path.parent, f"{path.stem}.rda")
    if found is None:
        raise InputError(
            f"{path} needs a description: there is no {path.stem}.rda in {path.parent.resolve()}. "
            "Put it there or name it (`metadata`)."
        )
    return found


# --- values


def _values(
    lines: Lines, text: frozenset[str], variable: Variable, field: pa.Array
) -> tuple[pa.Array, Reasons | None]:
    """Return the values that are written in a field, and why some are missing."""
    column, reasons = _without_codes(variable, pc.ascii_trim_whitespace(field))
    if variable.is_numeric and variable.name not in text:
        column = _numbers(lines, variable, column)
    return column, reasons


class _Reader:
    """Gathers what a data file and its description say of each variable."""

    def __init__(self, described: Description, encoding: str | None) -> None:
        self.described, self.encoding = described, encoding
        self.columns: dict[str, pa.Array] = {}
        self.codebook: dict[str, Meaning] = {}
        self.reasons: dict[str, Reasons] = {}
        self.said: dict[str, Declaration] = {}
        self.warnings = list(described.warnings)

    def take(self, variable: Variable, column: pa.Array, reasons: Reasons | None) -> None:
        """Take over a variable, its values, and why some are missing."""
        name = variable.name
        if reasons is not None:
            self.reasons[name] = reasons
        self.columns[name] = column
        self.codebook[name] = self._meaning(variable, column)
        if said := self._declared(variable, column):
            self.said[name] = Declaration(**said)

    def contents(self) -> Contents:
        """Return all that was gathered."""
        return Contents(
            pa.table(self.columns),
            self.codebook,
            self.reasons,
            self.said,
            {"metadata": self.described.path.name},
            tuple(self.warnings),
        )

    def _meaning(self, variable: Variable, column: pa.Array) -> Meaning:
        numeric = not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type)
        labels = {_code(code, numeric): label for code, label in self._labels(variable).items()}
        strange = [code for code in _distinct(column) if code not in labels] if labels else []
        if strange:
            self.warnings.append(
                f"The code list {variable.word('CODELIST')} of `{variable.name}` lacks "
                f"{some_of(strange)}."
            )
        return Meaning(
            value_labels=labels,
            missing_codes=tuple(_code(code, numeric) for code in variable.missing),
            properties={tag: words for tag, words in variable.tags.items() if tag in rda.KEPT},
        )

    def _labels(self, variable: Variable) -> dict[str, str]:
        name = variable.word("CODELIST")
        if name is None:
            return {}
        path = rda.find(self.described.path.parent, name)
        if path is None:
            self.warnings.append(
                f"{self.described.path}: there is no code list {name}, so the codes of "
                f"`{variable.name}` have no labels."
            )
            return {}
        return rda.read_codelist(path, self.encoding)

    def _declared(self, variable: Variable, column: pa.Array) -> dict[str, Any]:
        roles = {
            Role.KEY: variable.is_key,
            Role.WEIGHT: "WEIGHT" in variable.tags,
            Role.HOUSEHOLD: bool({"HOLDING", "HOUSE_ID"} & set(variable.tags)),
        }
        said: dict[str, Any] = {}
        if any(roles.values()):
            said["role"] = [role for role, holds in roles.items() if holds]
        if hierarchy := self._hierarchy(variable, column):
            said["hierarchy"] = hierarchy
        return said

    def _hierarchy(
        self, variable: Variable, column: pa.Array
    ) -> Hierarchy | Mapping[str, Any] | None:
        if file := variable.word("HIERCODELIST"):
            found = rda.find(self.described.path.parent, file)
            path = str(found or (self.described.path.parent / file).resolve())
            options = {"leading": variable.word("HIERLEADSTRING"), "root": variable.word("TOTCODE")}
            return {"file": {"path": path, **{key: said for key, said in options.items() if said}}}
        codes = [str(code) for code in _distinct(column)] if variable.levels else []
        if not codes:
            return None
        if short := [code for code in codes if len(code) != variable.length]:
            self.warnings.append(
                f"`{variable.name}` has no hierarchy: its levels count {variable.length} "
                f"characters, and the codes {some_of(short)} have others."
            )
            return None
        return _by_levels(variable, codes)


def _distinct(column: pa.Array) -> list[Code]:
    """Return the codes that occur."""
    codes: list[Code] = pc.drop_null(pc.unique(column)).to_pylist()
    return codes


def _by_levels(variable: Variable, codes: Sequence[str]) -> Hierarchy:
    """Make the hierarchy in which the first characters of a code are its parent."""
    *lengths, whole = accumulate(variable.levels)
    root = variable.word("TOTCODE")
    if root is None and set(variable.levels) == {1}:
        return Prefix(whole)
    inner = list(reversed(lengths))
    return Tree(tuple((code, *(code[:n] for n in inner), root or TOTAL) for code in codes))


def _without_codes(variable: Variable, field: pa.Array) -> tuple[pa.Array, Reasons | None]:
    """Make blank fields and codes for missing values null; tell which code it was."""
    reasons = np.zeros(len(field), np.int32)
    for place, code in enumerate(variable.missing, start=1):
        reasons[np.asarray(pc.equal(field, code))] = place
    missing = pc.or_(pc.equal(field, ""), pa.array(reasons > 0))
    if pc.any(missing).as_py():
        field = pc.if_else(missing, pa.scalar(None, field.type), field)
    return field, reasons if variable.missing else None


def _numbers(lines: Lines, variable: Variable, field: pa.Array) -> pa.Array:
    """Return the numbers that are written in a field."""
    if _holds_words(field):
        _refuse_words(lines, variable, field)
    if not variable.number("DECIMALS"):
        try:
            return field.cast(pa.int64())
        except pa.ArrowInvalid:
            pass  # a point, or more digits than an integer has
    try:
        numbers = field.cast(pa.float64())
    except pa.ArrowInvalid:
        _refuse_words(lines, variable, field)
        numbers = pc.utf8_ltrim(field, "+").cast(pa.float64())  # a sign that Arrow does not know
    _refuse_digits(lines, variable, field, numbers)
    return numbers


def _holds_words(field: pa.Array) -> bool:
    """Tell whether there is a character above 9: Arrow takes 0x1F and nan for numbers."""
    characters = field.buffers()[2]
    return characters is not None and bool((np.frombuffer(characters, np.uint8) > ord("9")).any())


def _refuse_words(lines: Lines, variable: Variable, field: pa.Array) -> None:
    for record in np.flatnonzero(~_matches(field, NUMBER))[:1]:
        place = f", columns {variable.start} to {variable.stop}" if variable.start else ""
        lines.refuse(
            record,
            f"expected a number in `{variable.name}`{place}; found {field[int(record)].as_py()!r}. "
            "Correct it, or name it as a missing code in the description.",
        )


def _refuse_digits(lines: Lines, variable: Variable, field: pa.Array, numbers: pa.Array) -> None:
    """Refuse whole numbers that a double may not hold exactly."""
    large = np.asarray(pc.fill_null(pc.greater_equal(pc.abs(numbers), EXACT), False))
    if large.any():
        for record in np.flatnonzero(large & _matches(field, "^-?[0-9]+$"))[:1]:
            lines.refuse(
                record,
                f"`{variable.name}` holds {field[int(record)].as_py()}, which has too many digits "
                "for a number; declare the attribute nominal to read it as text.",
            )


def _matches(field: pa.Array, pattern: str) -> Any:
    return np.asarray(pc.fill_null(pc.match_substring_regex(field, pattern), True))


def _code(code: str, numeric: bool) -> Code:
    """Return a code as the type that the values have."""
    if numeric and re.match(NUMBER, code):
        number = float(code)
        return int(number) if number.is_integer() else number
    return code


# --- writing

WIDEST = 255  # characters of a field that ARGUS has room for
WIDEST_NUMBER = 40  # characters of a number that is not absurdly large or small
MOST_LEVELS = 10
LEADING = "@"
NEVER_TEXT = "^$|^[ \t-\r]|[ \t-\r]$|[\r\n\x00\x1a\ufeff]"


@dataclass(frozen=True)
class _Written:
    """A column as it is written.

    Args:
        variable: its description.
        cells: its fields, each as wide as the variable is long.
        labels: the code list beside it.
        tree: the hierarchy file beside it.
    """

    variable: Variable
    cells: pa.Array
    labels: Mapping[str, str]
    tree: Tree | None


def write(contents: Contents, path: Path, layout: Layout) -> None:  # noqa: ARG001
    """Write a data file with its description and, where there are any, code lists and hierarchies.

    The files appear together or not at all. Fields are as wide as their longest value; numbers are
    the shortest text that reads back equal, without exponents; dates, times and true/false are text
    and read back as such. Missing values get a code that is no value, nines by preference, or the
    codes that the data came with. Of the roles, key, weight and household are told; of the
    hierarchies, trees and prefixes.

    Args:
        contents: what to write.
        path: the data file; its description gets the same name and ends in `.rda`.
        layout: nothing yet.

    """
    columns = list(_columns(contents, path.stem))
    with ExitStack() as stack:  # what is entered last gets its name first, so the data come last
        data, description = (
            stack.enter_context(atomic_file(file)) for file in (path, path.with_suffix(".rda"))
        )
        for column in columns:
            _write_beside(stack, path.parent, column)
        description.write_bytes(rda.encoded(rda.said(column.variable for column in columns)))
        data.write_bytes(_records([column.cells for column in columns]))


def _write_beside(stack: ExitStack, folder: Path, column: _Written) -> None:
    if name := column.variable.word("CODELIST"):
        file = stack.enter_context(atomic_file(folder / name))
        file.write_bytes(rda.encoded(rda.said_codes(column.labels)))
    if column.tree is not None:
        name = column.variable.tags["HIERCODELIST"][0]
        file = stack.enter_context(atomic_file(folder / name))
        hrc.write(column.tree, file, leading=LEADING)


def _records(cells: Sequence[pa.Array]) -> bytes:
    records = pc.binary_join_element_wise(*cells, _text(" "))
    lines = pc.binary_join_element_wise(records, _text(""), _text("\n"))
    raw = b"" if not len(lines) else lines.buffers()[2].to_pybytes()
    return raw if raw.isascii() else rda.encoded(raw.decode())


def _columns(contents: Contents, stem: str) -> Iterator[_Written]:
    table = contents.table
    if not table.num_columns:
        raise OutputError("A fixed-width file needs at least one column; found none.")
    start, names = 1, _file_names(stem.replace('"', "_"), table.column_names)
    for name, column in zip(table.column_names, table.columns, strict=True):
        _refuse_name(name)
        written = _written(contents, name, column, start, names[name])
        yield written
        start = written.variable.stop + 2  # a blank between the fields


def _refuse_name(name: str) -> None:
    if not name.strip() or re.search(r'["\r\n\ufeff]|^//', name):
        raise OutputError(
            f"A variable cannot be named {name!r} in a description: it may not be blank and hold "
            "no quotes or line ends. Rename it."
        )


def _file_names(stem: str, names: Sequence[str]) -> dict[str, str]:
    """Name the files beside the data after the variables, all differently in any case."""
    plain = [re.sub(r"\W+", "_", name) for name in names]
    folded = [name.lower() for name in plain]
    return {
        name: f"{stem}_{short}" if folded.count(low) == 1 else f"{stem}_{place}_{short}"
        for place, (name, short, low) in enumerate(zip(names, plain, folded, strict=True), start=1)
    }


def _written(
    contents: Contents, name: str, column: pa.ChunkedArray, start: int, file: str
) -> _Written:
    """Bring a column into the form that it is written in."""
    meaning, said = contents.meaning(name), contents.said.get(name, Declaration())
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    values = _cells(name, column)
    cells, missing = _filled(name, values, meaning, contents.reasons.get(name), column.type)
    width = _width(cells, missing)
    tags = _tags(column.type, values, said, meaning)
    labels = {_shown(code): label.strip() for code, label in meaning.value_labels.items()}
    if labels:
        _refuse_labels(name, labels)
        tags["CODELIST"] = (f"{file}.cdl",)
    hierarchy = build(said.hierarchy) if isinstance(said.hierarchy, Mapping) else said.hierarchy
    outline, tree = _hierarchy_tags(hierarchy, values, width, f"{file}.hrc")
    variable = Variable(name, start, width, missing, {**tags, **outline})
    return _Written(variable, pc.utf8_lpad(cells, width), labels, tree)


def _width(cells: pa.Array, missing: Sequence[str]) -> int:
    longest = pc.max(pc.utf8_length(cells)).as_py() or 0
    return max(1, longest, *map(len, missing))


def _tags(
    kind: pa.DataType, values: pa.Array, said: Declaration, meaning: Meaning
) -> dict[str, tuple[str, ...]]:
    roles = said.role or frozenset()
    tags: dict[str, tuple[str, ...]] = {"RECODEABLE": ()} if Role.KEY in roles else {}
    if _is_number(kind):
        tags["WEIGHT" if Role.WEIGHT in roles else "NUMERIC"] = ()
        if not pa.types.is_integer(kind):
            tags["DECIMALS"] = (str(_decimals(values)),)
    if Role.HOUSEHOLD in roles:
        tags["HOLDING"] = ()
    return tags | {tag: words for tag, words in meaning.properties.items() if tag in rda.KEPT}


def _is_number(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind))


def _decimals(values: pa.Array) -> int:
    """Count the digits after the point of the number that has the most, 1 at least."""
    point = pc.find_substring(values, ".")
    after = pc.subtract(pc.subtract(pc.utf8_length(values), point), 1)
    return max(1, pc.max(pc.if_else(pc.less(point, 0), 0, after)).as_py() or 0)


def _hierarchy_tags(
    hierarchy: Hierarchy | None, values: pa.Array, width: int, file: str
) -> tuple[dict[str, tuple[str, ...]], Tree | None]:
    """Say a hierarchy by the lengths of its codes where they are its levels, else by a file."""
    levels = _levels(hierarchy, values)
    root = {"TOTCODE": (hierarchy.paths[0][-1],)} if isinstance(hierarchy, Tree) else {}
    if levels and sum(levels) == width and len(levels) <= MOST_LEVELS:
        return {"HIERARCHICAL": (), "HIERLEVELS": tuple(map(str, levels)), **root}, None
    if not isinstance(hierarchy, Tree):
        return {}, None
    outline = {"HIERARCHICAL": (), "HIERCODELIST": (file,), "HIERLEADSTRING": (LEADING,)}
    return outline | root, hierarchy


def _levels(hierarchy: Hierarchy | None, values: pa.Array) -> tuple[int, ...]:
    """Return how many characters each level adds to its code, if that is all a hierarchy says."""
    if isinstance(hierarchy, Prefix):
        other = pc.any(pc.not_equal(pc.utf8_length(values), hierarchy.length)).as_py()
        return () if other else (1,) * hierarchy.length
    if not isinstance(hierarchy, Tree):
        return ()
    lengths = {tuple(len(label) for label in path[-2::-1]) for path in hierarchy.paths}
    nested = all(path[0].startswith(label) for path in hierarchy.paths for label in path[1:-1])
    if len(lengths) > 1 or not nested:
        return ()
    steps = tuple(np.diff([0, *lengths.pop()]).tolist())
    return steps if min(steps) > 0 else ()


# --- values as text


def _cells(name: str, column: pa.ChunkedArray) -> pa.Array:
    """Write the values of a column as text; what cannot be read back is refused."""
    types, kind = pa.types, column.type
    if types.is_floating(kind):
        return _positional(name, _finite(name, column))
    if types.is_decimal(kind):
        return _positional(name, column)
    strange = (types.is_nested, types.is_binary, types.is_duration, types.is_interval)
    if any(test(kind) for test in strange):
        raise OutputError(
            f"Column `{name}` holds {kind}, which a fixed-width file cannot; leave it out or use "
            "Parquet."
        )
    cells = _joined(column.cast(pa.large_string()))
    return cells if types.is_integer(kind) else _checked_text(name, cells)


def _text(value: str) -> pa.Scalar:
    return pa.scalar(value, pa.large_string())


def _joined(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _checked_text(name: str, cells: pa.Array) -> pa.Array:
    odd = pc.match_substring_regex(cells, NEVER_TEXT)
    if pc.any(odd).as_py():
        raise OutputError(
            f"Column `{name}` holds the text {cells.filter(odd)[0].as_py()!r}; blanks around a "
            "value, line ends and empty text do not stay in a fixed-width file. Recode it."
        )
    if (pc.max(pc.utf8_length(cells)).as_py() or 0) > WIDEST:
        raise OutputError(
            f"Column `{name}` holds text of more than {WIDEST} characters, which is too wide for a "
            "field; shorten it or use Parquet."
        )
    return cells


def _finite(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    column = column.cast(pa.float64())
    if pc.any(pc.is_inf(column)).as_py():
        raise OutputError(
            f"Column `{name}` holds an infinite number, which a fixed-width file cannot; recode it."
        )
    return pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)


def _positional(name: str, column: pa.ChunkedArray) -> pa.Array:
    """Write numbers with a point and without exponents."""
    cells = _joined(column.cast(pa.large_string()))
    raised = pc.fill_null(pc.match_substring(cells, "e", ignore_case=True), False)
    if pc.any(raised).as_py():
        plain = [f"{Decimal(text):f}" for text in cells.filter(raised).to_pylist()]
        cells = pc.replace_with_mask(cells, raised, pa.array(plain, cells.type))
    whole = pc.match_substring_regex(cells, "^-?[0-9]+$")
    cells = pc.if_else(whole, pc.binary_join_element_wise(cells, _text("0"), _text(".")), cells)
    longest = pc.max(pc.utf8_length(cells)).as_py() or 0
    if longest > WIDEST_NUMBER:
        raise OutputError(
            f"Column `{name}` holds a number that takes {longest} characters without an exponent, "
            f"and {WIDEST_NUMBER} is the most; scale it or use Parquet."
        )
    return cells


# --- missing values


def _filled(
    name: str, values: pa.Array, meaning: Meaning, reasons: Reasons | None, kind: pa.DataType
) -> tuple[pa.Array, tuple[str, ...]]:
    """Put codes where values are missing; return the codes too."""
    missing = np.asarray(values.is_null())
    why = np.where(missing, 0 if reasons is None else reasons, 0)
    codes = _known_codes(name, meaning, set(why.tolist()) - {0})
    for code in codes.values():
        _refuse_code(name, values, code)
    unexplained = missing & (why == 0)
    if unexplained.any() and len(codes) < rda.MOST_MISSING:
        codes[0] = _free_code(name, values, set(codes.values()), numeric=_is_number(kind))
    cells = values
    for place, code in codes.items():
        put = pa.array(missing & (why == place))
        cells = pc.if_else(put, pa.scalar(code, cells.type), cells)
    return pc.fill_null(cells, ""), tuple(codes.values())


def _known_codes(name: str, meaning: Meaning, used: set[int]) -> dict[int, str]:
    """Return the codes that the data came with, by their places; a description has room for two."""
    codes = {place: _shown(code) for place, code in enumerate(meaning.missing_codes, start=1)}
    if len(codes) > rda.MOST_MISSING:
        codes = {place: code for place, code in codes.items() if place in used}
    if len(codes) > rda.MOST_MISSING:
        raise OutputError(
            f"Values of `{name}` are missing for {len(codes)} reasons, and a description names two "
            "codes; recode the reasons or use Parquet."
        )
    return codes


def _refuse_code(name: str, values: pa.Array, code: str) -> None:
    if not code.strip() or re.search('["\r\n]', code):
        raise OutputError(f"A description cannot name the missing code {code!r} of `{name}`.")
    if pc.any(pc.equal(values, code)).as_py():
        raise OutputError(
            f"Column `{name}` holds the value {code}, which is also its code for a missing value; "
            "recode one of them."
        )


def _free_code(name: str, values: pa.Array, taken: set[str], *, numeric: bool) -> str:
    """Choose a code that is no value: nines as wide as the values are, if it can be."""
    characters = "987654321" if numeric else "987654321XZ"
    widths = range(_width(values, ()), WIDEST + 1)
    for width, character in product(widths, characters):
        code = character * width
        if code not in taken and not pc.any(pc.equal(values, code)).as_py():
            return code
    raise OutputError(
        f"There is no code left for the missing values of `{name}`; shorten its values."
    )


def _shown(code: Code) -> str:
    """Write a code as text; whole numbers go without a point.

    >>> _shown(99.0), _shown(0.5), _shown("x")
    ('99', '0.5', 'x')
    """
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)


def _refuse_labels(name: str, labels: Mapping[str, str]) -> None:
    for text in chain.from_iterable(labels.items()):
        if re.search("[\r\n\ufeff]", text):
            raise OutputError(
                f"The labels of `{name}` hold {text!r}, but a code list has one line a code; "
                "remove the line end."
            )

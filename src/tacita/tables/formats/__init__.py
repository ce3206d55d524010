"""Files of tables: a name's ending, or a word, says how a file is read and written.

To add a format, write one module beside these with `read(path, **options)` and `write(table, path,
**options)`, all options keyword-only, and name it in ``FORMS`` below: one file and one line. Files
are written through ``tacita.data.formats.atomic``: they appear complete or not at all.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from tacita.errors import InputError, OutputError, ParameterError, did_you_mean, shown
from tacita.tables.system import System
from tacita.tables.table import Table

__all__ = ["FORMATS", "FORMS", "Form", "form_of", "read_table", "write_table"]


class Form(NamedTuple):
    """A kind of file that holds a table.

    Args:
        module: the module beside this one that reads and writes it.
        sentence: what it is.
        suffixes: the endings of names that mean it; none where it must be named.
        reads: whether it can be read.
        writes: whether it can be written.
    """

    module: str
    sentence: str
    suffixes: tuple[str, ...] = ()
    reads: bool = True
    writes: bool = True


FORMS: Mapping[str, Form] = {
    "jj": Form("jj", "Cells and relations as solvers read them.", (".jj", ".jj.gz")),
    "tab": Form("tab", "A table of tau-ARGUS with its description.", (".tab",)),
    "sbs": Form("sbs", "A table for transmission to Eurostat.", (".sbs",)),
    "intermediate": Form("intermediate", "Everything that tau-ARGUS keeps of a table."),
    "code_value": Form("code_value", "The cells of tau-ARGUS with their statuses."),
    "csv": Form(
        "csv",
        "One row a cell in any delimited or columnar file.",
        (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet"),
    ),
    "sdmx": Form("sdmx", "SDMX-CSV with observation and confidentiality status."),
    "excel": Form("excel", "A workbook with marked suppressions.", (".xlsx",), reads=False),
    "html": Form("html", "A page that shows the pattern.", (".html",), reads=False),
}
FORMATS: Mapping[str, Form] = MappingProxyType(
    {suffix: form for form in FORMS.values() for suffix in form.suffixes}
)


def read_table(source: Any, *, form: str | None = None, **options: Any) -> Table | System:
    """Read a table from a file or a data frame.

    Args:
        source: the path of a file, or a data frame with one row a cell.
        form: what kind of file it is, one of ``FORMS``; told by its ending when left out.
        options: what else is said of it; each kind knows its own.

    Raises:
        InputError: the file cannot be read; the message says the line.
        ParameterError: an option means nothing for this kind of file, or is lacking.
    """
    chosen = form_of(source, form)
    if not chosen.reads:
        raise InputError(f"{source} can be written but not read; keep the table in another form.")
    read = import_module(f"{__name__}.{chosen.module}").read
    _check_options(read, chosen, options)
    made: Table | System = read(source, **options)
    return made


def write_table(
    table: Table | System, path: str | PathLike[str], *, form: str | None = None, **options: Any
) -> None:
    """Write a table to a file, which appears complete or not at all.

    Args:
        table: the table.
        path: the file; one that exists is replaced.
        form: what kind of file it is to be, one of ``FORMS``; told by its ending when left out.
        options: what else is said of it; each kind knows its own.

    Raises:
        OutputError: the file cannot be written.
        ParameterError: an option means nothing for this kind of file, or is lacking.

    >>> import numpy as np
    >>> from tempfile import TemporaryDirectory
    >>> from tacita.tables.cells import Cells
    >>> from tacita.tables.dimension import Dimension
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> people = Table("people", (sex,), np.array([[0], [1], [2]]), Cells.of([7, 3, 4]))
    >>> with TemporaryDirectory() as folder:
    ...     write_table(people, f"{folder}/people.tab")
    ...     read_table(f"{folder}/people.tab")
    people.tab: 3 cells over sex, 0 sensitive
    """
    file = Path(path)
    chosen = _chosen(file, form, OutputError)
    if not chosen.writes:
        raise OutputError(f"{file} can be read but not written; choose another form.")
    if isinstance(table, System) and chosen.module != "jj":
        raise OutputError(
            "A system of relations has no attributes to list its cells by; write it to a `.jj` "
            "file, or write its tables one by one."
        )
    write = import_module(f"{__name__}.{chosen.module}").write
    _check_options(write, chosen, options)
    write(table, file, **options)


def form_of(source: Any, form: str | None = None) -> Form:
    """Return the kind of a file that is to be read; a data frame is read as a file of columns.

    Raises:
        InputError: its ending does not say it.
        ParameterError: there is no such form, or a data frame does not have it.
    """
    if isinstance(source, str | PathLike):
        return _chosen(Path(source), form, InputError)
    if form not in (None, "csv"):
        raise ParameterError(f"A data frame has no `form`; found {shown(form)}. Leave it out.")
    return FORMS["csv"]


def _chosen(path: Path, form: str | None, wrong: type[InputError | OutputError]) -> Form:
    if form is not None:
        if form not in FORMS:
            raise ParameterError(
                f"`form` must be one of {', '.join(FORMS)}; found {form!r}."
                f"{did_you_mean(str(form), FORMS)}"
            )
        return FORMS[form]
    name = path.name.lower()
    fitting = [suffix for suffix in FORMATS if name.endswith(suffix)]
    if not fitting:
        raise wrong(
            f"Cannot tell the form of the table {path}: expected a name ending in "
            f"{', '.join(FORMATS)}. Choose such a name, or say the `form` ({', '.join(FORMS)})."
        )
    return FORMATS[max(fitting, key=len)]


def _check_options(
    function: Callable[..., Any], chosen: Form, options: Mapping[str, object]
) -> None:
    """Refuse options that cannot matter, and ask for those that must be given."""
    known = {
        name: option
        for name, option in inspect.signature(function).parameters.items()
        if option.kind is option.KEYWORD_ONLY
    }
    for name in options:
        if name not in known:
            some = f"(it has {', '.join(known)})" if known else "(it has none)"
            raise ParameterError(
                f"`{name}` is no option of the form `{chosen.module}` {some}; leave it out."
                f"{did_you_mean(name, known)}"
            )
    _check_words(function, options)
    lacking = [name for name, option in known.items() if option.default is option.empty]
    for name in lacking:
        if name not in options:
            raise ParameterError(f"The form `{chosen.module}` needs the option `{name}`; give it.")


def _check_words(function: Callable[..., Any], options: Mapping[str, object]) -> None:
    """Refuse a word that an option does not know: a slip must not show what was to be hidden."""
    hints = get_type_hints(function)
    for name, said in options.items():
        kinds = (hints.get(name), *get_args(hints.get(name)))
        words = [word for kind in kinds if get_origin(kind) is Literal for word in get_args(kind)]
        if words and said not in words and not (said is None and type(None) in kinds):
            raise ParameterError(f"`{name}` is {' or '.join(words)}; found {shown(said)}.")

"""Hierarchy files in and out: one module a kind, chosen by the suffix and what is in the file.

| kind | suffix | what is in it |
|---|---|---|
| `arx` | `.csv` and others | ARX: one line a leaf, `leaf;level 1;...;root` |
| `parents` | `.csv` and others | a table of two columns, `child,parent` |
| `hrc` | `.hrc` | tau-ARGUS: one line a code, indented by a leading string |
| `nested` | `.yaml`, `.yml` | a YAML tree as in a plan, `root: {branch: [leaf, leaf]}` |

To add a kind, write one module beside these with ``read(path) -> Tree`` and ``write(tree, path)``
and name it in ``KINDS``, with its suffixes in ``SUFFIXES``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import Any

from tacita.data.hierarchies import Hierarchy
from tacita.data.hierarchies.files import arx, hrc, nested, parents
from tacita.data.hierarchies.files.delimited import read_rows
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError, OutputError, ParameterError, did_you_mean, shown

KINDS: Mapping[str, ModuleType] = {"arx": arx, "parents": parents, "hrc": hrc, "nested": nested}
SUFFIXES = {".csv": "arx", ".hrc": "hrc", ".yaml": "nested", ".yml": "nested"}
OPTIONS = ("path", "kind", "root", "leading")


def read_hierarchy(
    path: str | PathLike[str],
    *,
    kind: str | None = None,
    root: str | None = None,
    leading: str | None = None,
) -> Tree:
    """Read a hierarchy file.

    Args:
        path: the file, in UTF-8 or Windows-1252.
        kind: `arx`, `parents`, `hrc` or `nested`; found out when left out.
        root: the label of the total, which a `.hrc` file does not hold; `Total` when left out.
        leading: what indents the codes of a `.hrc` file; found out when left out.

    Raises:
        HierarchyError: there is no such file, or what it says is no tree; the message names the
            lines.
    """
    path = Path(path)
    chosen = _checked(kind) or SUFFIXES.get(path.suffix.lower(), "arx")
    if chosen == "hrc":
        return hrc.read(path, root=hrc.ROOT if root is None else root, leading=leading)
    _refuse_options({"root": root, "leading": leading}, chosen)
    if kind is None and chosen == "arx":
        rows = read_rows(path)
        return parents.tree(rows) if parents.fits(rows) else arx.tree(rows)
    read: Tree = KINDS[chosen].read(path)
    return read


def write_hierarchy(
    hierarchy: Hierarchy,
    path: str | PathLike[str],
    values: Iterable[Any] | None = None,
    *,
    kind: str | None = None,
    leading: str | None = None,
) -> None:
    """Write a hierarchy file that `read_hierarchy` reads back as it was.

    Args:
        hierarchy: a category tree, or any other hierarchy together with the values to cover.
        path: the file, which appears complete or not at all; one that exists is replaced.
        values: the values that the file is to cover, perhaps repeated or blank, such as a column;
            all of a category tree when left out.
        kind: `arx`, `parents`, `hrc` or `nested`; by the suffix when left out.
        leading: what indents the codes of a `.hrc` file; `@` when left out.

    Raises:
        OutputError: the file cannot be written, or cannot hold a label; the message names it.
    """
    path = Path(path)
    chosen = _checked(kind) or SUFFIXES.get(path.suffix.lower())
    if chosen is None:
        raise OutputError(
            f"Cannot tell how to write {path}: expected a name ending in {', '.join(SUFFIXES)}, "
            f"or a kind ({', '.join(KINDS)})."
        )
    tree = _tree(hierarchy, values)
    if chosen == "hrc":
        hrc.write(tree, path, leading=leading)
        return
    _refuse_options({"leading": leading}, chosen)
    KINDS[chosen].write(tree, path)


def from_plan(said: Any, folder: Path) -> Tree:
    """Read the file that a plan names: its path, or `{path: ..., kind: ..., root: ..., ...}`.

    Args:
        said: what the plan says below `file`.
        folder: where a relative path starts.
    """
    options = dict(said) if isinstance(said, Mapping) else {"path": said}
    for word in options:
        if word not in OPTIONS:
            raise HierarchyError(
                f"`file` takes {', '.join(OPTIONS)}; found `{word}`.{did_you_mean(word, OPTIONS)}"
            )
    path = options.pop("path", None)
    if not isinstance(path, str | PathLike):
        raise HierarchyError(f"`file` needs the path of a hierarchy file; found {shown(path)}.")
    try:
        return read_hierarchy(folder / path, **options)
    except ParameterError as error:
        raise HierarchyError(str(error)) from error


def _checked(kind: str | None) -> str | None:
    if kind is not None and kind not in KINDS:
        raise ParameterError(
            f"`kind` of a hierarchy file is one of {', '.join(KINDS)}; found {shown(kind)}."
            f"{did_you_mean(str(kind), KINDS)}"
        )
    return kind


def _refuse_options(options: Mapping[str, str | None], kind: str) -> None:
    for word, value in options.items():
        if value is not None:
            raise ParameterError(
                f"`{word}` is said only of `.hrc` files; this one is of the kind `{kind}`. "
                f"Leave it out, or give the kind `hrc`."
            )


def _tree(hierarchy: Hierarchy, values: Iterable[Any] | None) -> Tree:
    if values is not None:
        return Tree.over(hierarchy, values)
    if isinstance(hierarchy, Tree):
        return hierarchy
    raise ParameterError(
        f"A file lists values, and {type(hierarchy).__name__} covers endlessly many; give the "
        "values that the file is to cover."
    )

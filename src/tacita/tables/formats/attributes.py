"""The attributes that span a table in a file: told from their codes, or by their hierarchies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from tacita.data.hierarchies.files import read_hierarchy
from tacita.data.hierarchies.tree import Tree
from tacita.errors import ParameterError, did_you_mean
from tacita.tables.dimension import TOTAL, Dimension
from tacita.tables.ready import flat_dimension

Spoken = Tree | Dimension | Mapping[str, Any] | str | PathLike[str]
Hierarchies = Mapping[str, Spoken | Sequence[Spoken]]
Totals = str | Mapping[str, str]
Missing = Mapping[str, str | Sequence[str]]
TOTALS = (TOTAL, "TOTAL", "total", "Tot", "_T")  # what a total is called, the first that is there


class Spans(NamedTuple):
    """What is said of the attributes that span a table.

    Args:
        hierarchies: for an attribute with subtotals its hierarchy, or several: a tree, nested
            mappings, a dimension, or the path of a file.
        totals: the code of the total, or one for each attribute; found out when it is one of the
            usual ones.
        missing: for an attribute, its codes for missing values, which lie right below the total.
    """

    hierarchies: Hierarchies | None = None
    totals: Totals | None = None
    missing: Missing | None = None

    def dimension(self, name: str, codes: Sequence[str]) -> Dimension:
        """Make the dimension of an attribute: flat, or as its hierarchies say.

        Args:
            name: the attribute.
            codes: the code of every cell.
        """
        said = (self.hierarchies or {}).get(name)
        missing = _several((self.missing or {}).get(name, ()))
        total = self._total(name)
        if isinstance(said, Dimension):
            return replace(said, name=name)
        if said is None:
            usual = next((one for one in TOTALS if one in codes), None)
            flat = flat_dimension(name, codes, usual if total is None else total)
            return replace(flat, missing=frozenset(missing))
        trees = [_tree(one, total) for one in _several(said)]
        return Dimension.from_trees(name, trees, missing=missing)

    def refuse_unspanned(self, names: Sequence[str]) -> None:
        """Refuse what is said of an attribute that does not span the table: a slip of the pen.

        Raises:
            ParameterError: there is such an attribute; the nearest is suggested.
        """
        for option, said in self._asdict().items():
            for name in said if isinstance(said, Mapping) else ():
                if name not in names:
                    raise ParameterError(
                        f"`{option}` names `{name}`, which does not span the table."
                        f"{did_you_mean(str(name), names)}"
                    )

    def _total(self, name: str) -> str | None:
        total = self.totals.get(name) if isinstance(self.totals, Mapping) else self.totals
        return None if total is None else str(total)


def _several(said: Any) -> Sequence[Any]:
    return said if isinstance(said, list | tuple) else [said]


def _tree(said: Any, total: str | None) -> Tree:
    if isinstance(said, Tree):
        return said
    if isinstance(said, Mapping):
        return Tree.from_nested(said)
    is_hrc = Path(said).suffix.lower() == ".hrc"  # the only kind of file that leaves out its total
    return read_hierarchy(said, root=total if is_hrc else None)

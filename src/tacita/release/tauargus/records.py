"""The records of a job: read by their description, and made into tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow.compute as pc

from tacita.arithmetic import log, power
from tacita.data.attribute import Kind, Role
from tacita.data.dataset import Dataset
from tacita.data.declaration import Declaration
from tacita.data.formats import fixed_width, rda
from tacita.data.formats.contents import Contents
from tacita.data.formats.layout import Layout
from tacita.data.formats.rda import Description, Variable
from tacita.data.hierarchies.tree import Tree
from tacita.data.read import dataset_of
from tacita.errors import InputError, did_you_mean
from tacita.release.tauargus.commands import Recode, SafetyRule, SpecifyTable
from tacita.release.tauargus.places import found_file
from tacita.release.tauargus.protected_table import JobTable, hierarchy_tags
from tacita.release.tauargus.recoding import (
    Recoding,
    cut_at_level,
    read_recode,
    read_tree_recode,
    with_cut,
)
from tacita.release.tauargus.rules import Level, judged, levels_of
from tacita.release.tauargus.spelling import (
    Spelling,
    flat_tree,
    read_hierarchy,
    tree_by_digits,
)
from tacita.tables.table import Table
from tacita.tables.tabulate import tabulate
from tacita.tables.wanted import REQUEST_CODES

T = TypeVar("T")
TOTAL = "Total"
KEPT = 2  # of the largest contributions, at least


@dataclass(frozen=True, eq=False)
class Records:
    """Records with their description.

    Args:
        path: their file.
        description: what is said of the variables.
        contents: what they hold.
        recodings: the variables that were made coarser.
    """

    path: Path
    description: Description
    contents: Contents
    recodings: Mapping[str, Recoding] = field(default_factory=dict)

    def variable(self, name: str) -> Variable:
        """Return a variable by its name, in any case.

        Raises:
            InputError: there is none.
        """
        known = {variable.name: variable for variable in self.description.variables}
        return named(self.description.path, known, name)

    def recoded(self, said: Recode, folder: Path) -> Records:
        """Return the records with a variable made coarser, in every table that it spans."""
        name = self.variable(said.variable).name
        tree, spelling = self._plain(name)
        if said.level is not None:
            made = cut_at_level(tree, spelling, said.level)
        elif spelling.is_hierarchical:
            made = read_tree_recode(found_file(folder, said.file or ""), tree, spelling)
        else:
            made = read_recode(found_file(folder, said.file or ""), tree, spelling)
        return replace(self, recodings={**self.recodings, name: made})

    # -- hierarchies -----------------------------------------------------------------------------

    def codes_of(self, name: str) -> tuple[Tree, Spelling]:
        """Return how the codes of a variable lie below each other, and how they are written."""
        if name in self.recodings:
            return self.recodings[name].tree, self.recodings[name].spelling
        return self._plain(name)

    def _plain(self, name: str) -> tuple[Tree, Spelling]:
        variable = self.variable(name)
        root = variable.word("TOTCODE") or TOTAL
        spelling = Spelling(variable.length, missing=variable.missing)
        if file := variable.word("HIERCODELIST"):
            path = found_file(self.description.path.parent, file)
            tree, words = read_hierarchy(path, root, variable.word("HIERLEADSTRING"))
            return tree, replace(spelling, words={**words, root: root}, is_hierarchical=True)
        spelling = replace(spelling, words={root: root})
        held = [str(code) for code in self._held[variable.name]]
        if not held:
            raise InputError(f"all values of `{name}` are missing, so it spans no table.")
        if variable.levels:
            tree = tree_by_digits(held, variable.levels, root)
            return tree, replace(spelling, width=0, is_hierarchical=True)
        return flat_tree(held, root, spelling), spelling

    @cached_property
    def _held(self) -> dict[str, list[object]]:
        table = self.contents.table
        return {
            name: pc.drop_null(pc.unique(table.column(name))).to_pylist()
            for name in table.column_names
        }

    # -- tables ----------------------------------------------------------------------------------

    def table(self, asked: SpecifyTable, safety: SafetyRule) -> JobTable:
        """Make a table and find its sensitive cells."""
        by = [self.variable(name).name for name in asked.by]
        respondents, holdings = levels_of(safety)
        one = self._tabulated(asked, by, respondents, contributor=None)
        several = None
        if holdings.rules:
            several = self._tabulated(asked, by, holdings, contributor=self._holding)
        found = judged(one, several, safety)
        response = None if asked.response is None else self.variable(asked.response)
        return JobTable(
            asked=asked,
            safety=safety,
            judged=found,
            spellings=tuple(self.codes_of(name)[1] for name in by),
            decimals=0 if response is None else response.number("DECIMALS"),
            described=tuple(self._described(name) for name in by),
            table=found,
            respondents=None if several is None else one,
        )

    def _described(self, name: str) -> dict[str, tuple[str, ...]]:
        return hierarchy_tags(self.variable(name).tags, self.description.path.parent)

    def _tabulated(
        self, asked: SpecifyTable, by: list[str], level: Level, *, contributor: str | None
    ) -> Table:
        request, codes = self._request if level.asks_for_requests else (None, REQUEST_CODES)
        named = (asked.response, asked.shadow, asked.cost)
        # tau-ARGUS lets a weighted record stand for others; a holding is one.
        repeats = level.is_weighted and contributor is None
        response, shadow, cost = (None if n is None else self.variable(n).name for n in named)
        table = tabulate(
            self._dataset(by, level),
            by,
            value=response,
            contributor=contributor,
            shadow=shadow,
            cost=cost,
            request=request,
            request_codes=codes,
            largest=max(level.largest, KEPT),
            weighting="represented" if repeats else "respondents",
            name=f"{' x '.join(by)} | {response or '<FREQ>'}",
        )
        for axis, name in enumerate(by):
            if name in self.recodings:
                table = with_cut(table, axis, self.recodings[name])
        return table.with_cells(cost=costs_of(table, asked))

    def _dataset(self, by: list[str], level: Level) -> Dataset:
        said = {
            name: Declaration(hierarchy=self.codes_of(name)[0], kind=Kind.NOMINAL) for name in by
        }
        weights = [v.name for v in self.description.variables if "WEIGHT" in v.tags]
        if level.is_weighted and not weights:
            raise InputError(f"{self.description.path} names no <WEIGHT>, which WGT(1) needs.")
        for name in weights if not level.is_weighted else ():
            said[name] = Declaration(role=[Role.NON_CONFIDENTIAL])  # type: ignore[arg-type]
        return dataset_of(self.contents, said, source=self.path)

    @property
    def _holding(self) -> str:
        return self._tagged("HOLDING", "rules about holdings").name

    @property
    def _request(self) -> tuple[str, tuple[str, ...]]:
        variable = self._tagged("REQUEST", "the request rule")
        return variable.name, variable.tags["REQUEST"] or REQUEST_CODES

    def _tagged(self, tag: str, what: str) -> Variable:
        found = [one for one in self.description.variables if tag in one.tags]
        if not found:
            raise InputError(
                f"{self.description.path} names no <{tag}> variable, which {what} need."
            )
        return found[0]


def named(description: Path, known: Mapping[str, T], name: str) -> T:
    """Return what is called so in a description, in any case.

    Raises:
        InputError: nothing is.
    """
    alike = [one for one in known if one.lower() == name.lower()]
    if not alike:
        raise InputError(f"{description} has no variable `{name}`.{did_you_mean(name, known)}")
    return known[name if name in known else alike[0]]


def costs_of(table: Table, asked: SpecifyTable) -> np.ndarray:
    """Return what is lost with every cell, as a job prices it.

    Raises:
        InputError: frequencies are to be costs, and they are not known.
    """
    cost = table.cells.cost
    if asked.cost_word == "frequency":
        cost = table.cells.frequency
        if np.isnan(cost).any():
            raise InputError("frequencies are to be the costs of cells, and they are not known.")
    elif asked.cost_word == "unity":
        cost = np.ones(len(table))
    if asked.power == 1:
        return cost
    if asked.power == 0:
        return np.asarray(log(np.maximum(cost, 1.0)))
    return np.asarray(power(cost, asked.power))


def open_records(data: Path, metadata: Path) -> Records:
    """Read records by their description.

    Raises:
        InputError: one of the two cannot be understood.
    """
    contents = fixed_width.read(data, Layout(metadata=str(metadata)), frozenset())
    # Hierarchies are read here, of the variables that span a table, and more leniently.
    said = {n: one.model_copy(update={"hierarchy": None}) for n, one in contents.said.items()}
    return Records(data, rda.read_description(metadata), replace(contents, said=said))

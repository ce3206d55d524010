"""The commands of a tau-ARGUS job, one small class each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Totals = Literal["checked", "computed", "free"]
Cost = Literal["frequency", "unity"]
Form = Literal[1, 2, 3, 4, 5, 6]

MANUAL_MARGIN = 20.0  # percent: the level of cells given as unsafe if the job says none
LINKED = 0  # the number that means all tables of a job at once


@dataclass(frozen=True, kw_only=True)
class Command:
    """What a line of a job asks for.

    Args:
        line: its number in the file, from 1 on.
    """

    line: int


# -- what goes in ----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class OpenMicrodata(Command):
    """Name the file of records."""

    file: str


@dataclass(frozen=True, kw_only=True)
class OpenTableData(Command):
    """Name the file of a table that is added up already."""

    file: str


@dataclass(frozen=True, kw_only=True)
class OpenMetadata(Command):
    """Name the `.rda` file that describes the data."""

    file: str


@dataclass(frozen=True, kw_only=True)
class SpecifyTable(Command):
    """Say what a table is made of.

    Args:
        by: the variables that span it.
        response: the variable that is added up; None for a table of counts.
        shadow: the variable that rules look at; None for the response.
        cost: the variable that says what is lost with a cell; None for the response.
        cost_word: what is lost if it is no variable: the frequency, or 1 for every cell.
        power: what the cost is raised to (`lambda`); 0 for its logarithm.
    """

    by: tuple[str, ...]
    response: str | None
    shadow: str | None = None
    cost: str | None = None
    cost_word: Cost | None = None
    power: float = 1.0


@dataclass(frozen=True)
class Rule:
    """A rule as a job says it.

    Args:
        name: `P`, `NK`, `FREQ`, `ZERO` or `REQ`.
        numbers: its parameters.
    """

    name: str
    numbers: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class SafetyRule(Command):
    """Say which cells of the last table are sensitive.

    Args:
        rules: the rules, in their order: of P and NK the first two are about respondents and the
            next two about holdings; of FREQ and REQ the first and the second.
        is_weighted: whether sampling weights count (`WGT`).
        missing_is_safe: whether cells on codes for missing values are safe (`MIS`).
        manual_margin: the level of cells given as unsafe, in percent of their value (`MAN`).
    """

    rules: tuple[Rule, ...] = ()
    is_weighted: bool = False
    missing_is_safe: bool = False
    manual_margin: float = MANUAL_MARGIN


@dataclass(frozen=True, kw_only=True)
class ReadMicrodata(Command):
    """Make all tables of the records."""


@dataclass(frozen=True, kw_only=True)
class ReadTable(Command):
    """Read the table.

    Args:
        totals: whether its totals are checked, computed where they are absent, or left alone.
        keeps_statuses: whether statuses in the file hold although there are rules.
    """

    totals: Totals = "checked"
    keeps_statuses: bool = False


@dataclass(frozen=True, kw_only=True)
class Apriori(Command):
    """Take over what is given of cells beforehand.

    Args:
        file: the a-priori file.
        table: the number of the table.
        separator: what parts its fields.
        skips_errors: whether lines that cannot be followed are passed over.
        expands_trivial: whether a line about a code also holds for codes that mean the same: its
            only child, and the code it is the only child of.
    """

    file: str
    table: int
    separator: str
    skips_errors: bool = True
    expands_trivial: bool = False


@dataclass(frozen=True, kw_only=True)
class Recode(Command):
    """Make a variable coarser.

    Args:
        table: the number of a table that it spans.
        variable: the variable.
        file: the recode file; None where levels are cut.
        level: the deepest level of its hierarchy that is kept.
    """

    table: int
    variable: str
    file: str | None = None
    level: int | None = None


# -- what is done ----------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Hypercube(Command):
    """Suppress by hypercubes (GH).

    Args:
        table: the number of the table; 0 for all of them together.
        bounds: how well an intruder knows every cell beforehand, in percent of its value; 100 for
            no better than that it is not negative.
        size: the size of the model, which means nothing here.
        singletons: whether single contributors are kept from working out cells of others.
    """

    table: int
    bounds: float = 100.0
    size: int = 0
    singletons: bool = True


@dataclass(frozen=True, kw_only=True)
class Modular(Command):
    """Suppress subtable by subtable (MOD).

    Args:
        table: the number of the table; 0 for all of them together.
        minutes: how long a subtable may take.
        single_single: whether a row of two single contributors is looked after.
        single_multiple: whether one of a single contributor and another cell is.
        minimum_frequency: whether one of few contributors in all is.
        scale: the largest cost that solvers get, which means nothing here.
    """

    table: int
    minutes: float = 1.0
    single_single: bool = True
    single_multiple: bool = True
    minimum_frequency: bool = True
    scale: float | None = None


@dataclass(frozen=True, kw_only=True)
class Optimal(Command):
    """Suppress at the least cost (OPT), in some minutes."""

    table: int
    minutes: float = 10.0


@dataclass(frozen=True, kw_only=True)
class Network(Command):
    """Suppress by network flows (NET)."""

    table: int


@dataclass(frozen=True, kw_only=True)
class Rounding(Command):
    """Round to multiples of a base so that totals add up (RND).

    Args:
        table: the number of the table; 0 for all of them together.
        base: the base.
        steps: how many bases a cell may go beyond the nearest multiples.
        minutes: how long it may take.
        partitions: whether the table is rounded part by part.
        stop: 1 to stop at the first solution, 2 at the best.
        unit_cost: whether all changes weigh the same.
    """

    table: int
    base: float
    steps: int = 0
    minutes: float = 10.0
    partitions: bool = False
    stop: int = 2
    unit_cost: bool = False


@dataclass(frozen=True, kw_only=True)
class Adjustment(Command):
    """Move sensitive cells away from their values and others as little as needed (CTA)."""

    table: int


Suppress = Hypercube | Modular | Optimal | Network | Rounding | Adjustment


# -- what comes out --------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class WriteTable(Command):
    """Write a table.

    Args:
        table: its number.
        form: 1 rows and columns, 2 and 3 a line a cell, 4 for Eurostat, 5 intermediate, 6 JJ.
        options: the options that are switched on, such as `AS`.
        off: those that are switched off.
        file: the file.
    """

    table: int
    form: Form
    options: frozenset[str]
    off: frozenset[str]
    file: str

    def has(self, option: str, *, usually: bool = False) -> bool:
        """Tell whether an option holds; the job's word goes first."""
        return option in self.options or (usually and option not in self.off)


@dataclass(frozen=True, kw_only=True)
class Logbook(Command):
    """Name the file that tells what was done."""

    file: str


@dataclass(frozen=True, kw_only=True)
class VersionInfo(Command):
    """Write which program ran the job to a file."""

    file: str


@dataclass(frozen=True, kw_only=True)
class Solver(Command):
    """Choose a solver of linear programs."""

    name: str


@dataclass(frozen=True, kw_only=True)
class GoInteractive(Command):
    """Go on in the windows of tau-ARGUS."""


@dataclass(frozen=True, kw_only=True)
class Silent(Command):
    """Show no windows."""


@dataclass(frozen=True, kw_only=True)
class Clear(Command):
    """Forget all tables and data."""

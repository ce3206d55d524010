"""The shell of `tacita ask`: lines to queries, completion, history."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tacita.cli.printing import print_table, say
from tacita.errors import TacitaError
from tacita.interrupts import forget_interrupt

if TYPE_CHECKING:
    from tacita.api.remote import RemoteDatabase
    from tacita.queries.answer import Answer

PROMPT, GOES_ON = "tacita> ", "   ...> "
HELP = """A query ends with a semicolon. Besides:
  \\view      what can be asked about
  \\policies  what holds of the answers
  \\left      what is left of budgets
  \\quit      leave (so does Ctrl-D)"""
# fmt: off
WORDS = [
    "SELECT", "FROM", "WHERE", "GROUP", "BY", "HAVING", "ORDER", "LIMIT", "AND", "OR", "NOT", "IN",
    "BETWEEN", "LIKE", "IS", "NULL", "CASE", "WHEN", "THEN", "ELSE", "END", "AS", "ASC", "DESC",
    "CUBE", "ROLLUP", "DISTINCT", "count", "sum", "avg", "var_samp", "var_pop", "stddev_samp",
    "stddev_pop", "min", "max", "median", "quantile_cont", "corr", "covar_samp", "covar_pop",
    "regr_slope", "weighted_sum", "weighted_avg",
]
# fmt: on
LONGEST_HISTORY = 2000
DELIMITERS = " \t\n(),=<>;"


class Shell:
    """Reads queries from a person or a pipe and shows the answers.

    Args:
        database: what is asked.
        show: prints an answer.
    """

    def __init__(self, database: RemoteDatabase, show: Callable[[Answer], None]) -> None:
        self._database = database
        self._show = show
        self._commands: dict[str, Callable[[], None]] = {
            "\\view": self._tell_view,
            "\\policies": self._tell_policies,
            "\\left": self._tell_left,
            "\\help": lambda: say(HELP),
        }

    def run(self, history: bool = True) -> None:
        """Talk until the input ends or somebody quits."""
        if not sys.stdin.isatty():
            piped = iter(sys.stdin.read().splitlines())
            self._each(statements(lambda _: next(piped, None)))
            return
        say(f"{self._view['view']} at {self._database.url}. Type \\help for help.")
        with _editing(self.complete, _history_file() if history else None):
            self._each(statements(_typed))

    def complete(self, text: str, state: int) -> str | None:
        """Return one after the other what a beginning can become, as readline asks for it."""
        found = [word for word in self._words if word.casefold().startswith(text.casefold())]
        return found[state] if state < len(found) else None

    def _each(self, said: Iterator[str]) -> None:
        for one in said:
            if one == "\\quit":
                return
            try:
                self._do(one)
            except TacitaError as error:
                print(error, file=sys.stderr)  # noqa: T201 - the command line

    def _do(self, said: str) -> None:
        if not said.startswith("\\"):
            self._show(self._database.ask(said))
        else:
            self._commands.get(said, lambda: say(HELP))()

    @cached_property
    def _view(self) -> dict[str, Any]:
        return self._database.view

    @cached_property
    def _words(self) -> list[str]:
        """What can be completed: the language, the view, its attributes and their values."""
        public, hidden = self._view["public"], self._view["confidential"]
        values = [
            _literal(value) for about in public.values() for value in about.get("values") or ()
        ]
        return [
            *WORDS,
            self._view["view"],
            *public,
            *hidden,
            *values,
            *self._commands,
            "\\quit",
        ]

    def _tell_view(self) -> None:
        for title, group in (("Public", "public"), ("Confidential", "confidential")):
            rows = [
                (name, about["kind"], ", ".join(map(str, about.get("values") or ())))
                for name, about in self._view[group].items()
            ]
            print_table(title, ("attribute", "kind", "values"), rows)

    def _tell_policies(self) -> None:
        rows = [(str(one["name"]), str(one["guarantee"])) for one in self._database.policies]
        print_table("", ("policy", "guarantee"), rows)

    def _tell_left(self) -> None:
        left = self._database.left
        rows = [(name, f"{value:g}") for name, value in left.items()]
        print_table("", ("budget", "left"), rows)
        if not left:
            say("No policy here has a budget.")


def statements(read: Callable[[bool], str | None]) -> Iterator[str]:
    r"""Return queries, which end with a semicolon at the end of a line, and commands.

    Ctrl-C drops what was begun.

    Args:
        read: gives the next line, or None at the end; it is told whether a query was begun.

    >>> lines = iter(["SELECT count(*)", "FROM firms;", "", r"\left", "SELECT 1"])
    >>> list(statements(lambda begun: next(lines, None)))
    ['SELECT count(*)\nFROM firms', '\\left', 'SELECT 1']
    """
    begun: list[str] = []
    while (line := _line(read, begun)) is not None:
        if not begun and line.lstrip().startswith("\\"):
            yield line.strip()
        elif begun or line.strip():
            begun.append(line.rstrip())
        if begun and begun[-1].endswith(";"):
            yield "\n".join(begun).rstrip("; \t\n")
            begun.clear()
    if begun:
        yield "\n".join(begun)


def _line(read: Callable[[bool], str | None], begun: list[str]) -> str | None:
    try:
        return read(bool(begun))
    except KeyboardInterrupt:
        forget_interrupt()
        say("")
        begun.clear()
        return ""


def _typed(begun: bool) -> str | None:
    """Return the next line that a person types; None after Ctrl-D."""
    try:
        return input(GOES_ON if begun else PROMPT)
    except EOFError:
        say("")
        return None


def _literal(value: object) -> str:
    return (
        str(value) if isinstance(value, int | float) else "'" + str(value).replace("'", "''") + "'"
    )


def _history_file() -> Path | None:
    """Return where the history is kept, None for somebody who has no home."""
    try:
        state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    except RuntimeError:
        return None
    return Path(state) / "tacita" / "history"


@contextmanager
def _editing(complete: Callable[[str, int], str | None], history: Path | None) -> Iterator[None]:
    """Let lines be edited, completed and called back, where the system can do that."""
    readline = _readline()
    if readline is None:
        yield
        return
    readline.set_completer(complete)
    readline.set_completer_delims(DELIMITERS)
    readline.parse_and_bind("tab: complete")
    # Whoever may not write there asks without a history.
    with suppress(OSError):
        if history is not None and history.exists():
            readline.read_history_file(history)
    try:
        yield
    finally:
        with suppress(OSError):
            if history is not None:
                _keep(readline, history)


def _readline() -> ModuleType | None:
    try:
        import readline
    except ImportError:
        return None
    return readline


def _keep(readline: ModuleType, history: Path) -> None:
    """Write the history, for nobody else to read."""
    history.parent.mkdir(parents=True, exist_ok=True)
    history.touch(0o600)
    readline.set_history_length(LONGEST_HISTORY)
    readline.write_history_file(history)

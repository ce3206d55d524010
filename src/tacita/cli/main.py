"""The command line's entrance: commands, and what a person sees when something is wrong."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import ParamSpec

import typer

from tacita.cli import (
    advise,
    app,
    ask,
    attack,
    convert,
    demo,
    experiment,
    inspect,
    keys,
    ledger,
    methods,
    optimize,
    profiles,
    risk_map,
    run,
    safe_harbor,
    scenarios,
    serve,
    synthesize,
    tables,
    token,
    verify,
)
from tacita.errors import TacitaError, printable
from tacita.interrupts import noting_interrupts

P = ParamSpec("P")
FAILED, INTERRUPTED = 1, 130


def told(command: Callable[P, None]) -> Callable[P, None]:
    """Let a command tell what went wrong in one sentence, never in a traceback."""

    @functools.wraps(command)
    def telling(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with noting_interrupts():
                command(*args, **kwargs)
        except TacitaError as error:
            _fail(str(error), FAILED)
        except OSError as error:
            _fail(_refused(error), FAILED)
        except KeyboardInterrupt:
            _fail("Interrupted; nothing half-written is left.", INTERRUPTED)
        except MemoryError:
            _fail("The data do not fit into memory; nothing was written.", FAILED)

    return telling


def _refused(error: OSError) -> str:
    """Say what the system refused, where nothing closer to it did."""
    reason = (error.strerror or str(error) or type(error).__name__).rstrip(".")
    what = f" with {error.filename}" if error.filename else ""
    return (
        f"The system refused to go on{what}: {reason}. Choose another path, or correct its rights."
    )


def _fail(sentence: str, code: int) -> None:
    print(f"tacita: {on_one_line(sentence)}", file=sys.stderr)  # noqa: T201 - the command line
    raise typer.Exit(code)


def on_one_line(sentence: str) -> str:
    r"""Return a sentence on one line, without what would confuse a terminal.

    >>> on_one_line("two" + chr(10) + "lines, " + chr(27) + "[31mred")
    'two lines, \\x1b[31mred'
    """
    return printable(" ".join(sentence.split()))


main = typer.Typer(
    help="Statistical disclosure control: protect data, measure what risk is left, prove it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
COMMANDS = (
    run.run,
    app.app,
    verify.verify,
    inspect.inspect,
    advise.advise,
    safe_harbor.safe_harbor,
    synthesize.synthesize,
    scenarios.scenarios,
    profiles.profiles,
    convert.convert,
    methods.methods,
    demo.demo,
    experiment.experiment,
    serve.serve,
    ask.ask,
    attack.attack,
    risk_map.map,
    optimize.optimize,
)
for command in COMMANDS:
    main.command()(told(command))
for on_tables in tables.COMMANDS:
    tables.tables.command()(told(on_tables))
main.add_typer(tables.tables, name="tables")
for on_ledgers in ledger.COMMANDS:
    ledger.ledger.command()(told(on_ledgers))
main.add_typer(ledger.ledger, name="ledger")
for on_keys in keys.COMMANDS:
    keys.keys.command()(told(on_keys))
main.add_typer(keys.keys, name="keys")
for word, on_tokens in token.COMMANDS.items():
    token.token.command(word)(told(on_tokens))
main.add_typer(token.token, name="token")

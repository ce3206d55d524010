"""Progress on a terminal for anything that takes over a second; silence everywhere else."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from tacita.interrupts import raise_if_interrupted

PATIENCE = 1.0  # seconds before a bar appears
_inside: ContextVar[bool] = ContextVar("inside", default=False)


@contextmanager
def progress(total: int) -> Iterator[Callable[[str], None]]:
    """Show a bar over some steps, once they take longer than a second, on a terminal only.

    Yields a function to call with the name of each step as it begins. Inside of other steps there
    is no second bar. On the command line no step begins after an interrupt, even a lost one.

    >>> with progress(2) as step:
    ...     step("reading")
    ...     step("masking")
    """
    if _inside.get() or not sys.stderr.isatty():
        yield lambda _: raise_if_interrupted()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=total)
    begun = -1

    def step(name: str) -> None:
        nonlocal begun
        raise_if_interrupted()
        begun += 1
        bar.update(task, completed=begun, description=name)

    late = threading.Timer(PATIENCE, bar.start)
    late.daemon = True
    late.start()
    entered = _inside.set(True)
    try:
        yield step
    finally:
        _inside.reset(entered)
        late.cancel()
        late.join()
        bar.stop()

"""`tacita app`: the workbench in the browser."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def app(
    folder: Annotated[
        Path, typer.Argument(help="The folder to work in; nothing outside of it is touched.")
    ] = Path(),
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 0,
    session: Annotated[
        Path | None,
        typer.Option(help="Where the work is remembered; `.tacita` in the folder by default."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Open the workbench: microdata, tables and queries in the browser, on this machine only.

    What is done there can be saved as a plan and run with `tacita run`.
    """
    import os

    from tacita.cli.printing import say
    from tacita.errors import load_extra

    for module in ("fastapi", "uvicorn"):
        load_extra(module, "server")
    from tacita.app.running import ready
    from tacita.app.workplace import Workplace

    os.environ["PYTHONSAFEPATH"] = (
        "1"  # modules that lie in the folder are not run by its processes
    )
    bench = ready(Workplace.at(folder, session), port=port, warm=True)
    say(f"The workbench is at {bench.url}")
    say("It lets in one browser, once, which can then work with it. Ctrl-C stops it.")
    sys.stdout.flush()  # whoever started it through a pipe waits for the address
    if browser:
        bench.open_browser()
    bench.run()

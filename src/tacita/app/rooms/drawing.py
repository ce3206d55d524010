"""The library that draws plots, as vl-convert ships it: no request leaves the machine."""

from __future__ import annotations

import subprocess
import sys
import threading
from importlib.metadata import version
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, Response

from tacita.app.bench import bench_of
from tacita.data.formats.atomic import atomic_file

room = APIRouter()
# In a process of its own: the engine that makes it takes 150 MB, which nobody needs afterwards.
MAKE = """import sys, vl_convert
sys.stdout.write(vl_convert.javascript_bundle("export { vegaEmbed };"))"""
KEEP = {"cache-control": "max-age=86400"}
_making = threading.Lock()


@room.get("/vega.js")
def vega(request: Request) -> Response:
    """Hand out the library; it is made once and kept in the session folder."""
    file = kept(bench_of(request).workplace.session)
    return FileResponse(file, media_type="text/javascript", headers=KEEP)


def kept(session: Path) -> Path:
    """Return the library's file in a session folder; it is made if it is not there."""
    file = session / f"vega-{version('vl-convert-python')}.js"
    with _making:
        if not file.exists():
            # -P: modules that lie in the folder of the workbench are not ours.
            command = [sys.executable, "-P", "-c", MAKE]
            made = subprocess.run(command, check=True, capture_output=True)
            with atomic_file(file) as temporary:
                temporary.write_bytes(made.stdout)
    return file

"""A table as a file to take away."""

from __future__ import annotations

import base64
import io
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tacita.app.exports import EXPORTS
from tacita.app.hands.tabled import Tabled, tabled
from tacita.app.hands.work import Work
from tacita.tables.formats import write_table


def run(work: Work) -> dict[str, Any]:
    """Return the file, or a zip archive where there are several."""
    found = tabled(work)
    work.tell("writing")
    with TemporaryDirectory(dir=work.scratch) as place:
        _write(found, Path(place), work.arguments["export"])
        files = sorted(Path(place).iterdir())
        if len(files) == 1:
            return _handed(files[0].name, files[0].read_bytes())
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for file in files:
                packed.write(file, file.name)
        return _handed(f"{found.said.name}.zip", archive.getvalue())


def _write(found: Tabled, place: Path, word: str) -> None:
    export = EXPORTS[word]
    table = found.published if export.is_public else found.table
    options: dict[str, Any] = dict(export.options)
    if word == "internal-html" and found.intervals is not None:
        options["audit"] = found.intervals
    name = f"{found.said.name}{export.suffix}"
    write_table(table, place / name, form=export.form, **options)


def _handed(name: str, content: bytes) -> dict[str, Any]:
    return {"name": name, "content": base64.b64encode(content).decode("ascii")}

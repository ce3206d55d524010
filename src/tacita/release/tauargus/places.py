"""Where the files of a job lie: beside it, whatever Windows calls them.

A job names files as Windows does: with backslashes, drives, and letters of any case. What is not
where it says is looked for beside the job.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from tacita.errors import InputError, did_you_mean

DRIVE = re.compile(r"^([A-Za-z]:|\\\\|//)")  # of a place that is only there on another machine


def found_file(folder: Path, name: str) -> Path:
    """Find a file that a job reads.

    Args:
        folder: where the job lies.
        name: the file as the job names it.

    Raises:
        InputError: there is none.
    """
    parts = PurePosixPath(name.replace("\\", "/")).parts
    for tried in (parts, parts[-1:]):
        place = _descended(folder, tried)
        if place is not None and place.is_file():
            return place
    beside = [file.name for file in folder.iterdir() if file.is_file()]
    raise InputError(
        f"there is no file {name} beside the job, in {folder}.{did_you_mean(parts[-1], beside)}"
    )


def _descended(folder: Path, parts: tuple[str, ...]) -> Path | None:
    """Go down some folders; where a name is not there, one that differs in case will do."""
    place = folder
    for part in parts:
        if part in ("/", "..") or (place / part).exists():
            place = place / part
            continue
        alike = [one for one in _inside(place) if one.name.lower() == part.lower()]
        if not alike:
            return None
        place = min(alike)
    return place


def _inside(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def file_to_write(folder: Path, name: str, out: Path | None) -> Path:
    r"""Return where a file goes that a job writes.

    Args:
        folder: where the job lies.
        name: the file as the job names it; of a place on another machine, the last part counts.
        out: the folder for all files, where one is said; then only the last part counts.

    >>> file_to_write(Path("jobs"), r"E:\results\t.txt", None).as_posix()
    'jobs/t.txt'
    >>> file_to_write(Path("jobs"), r"results\t.txt", None).as_posix()
    'jobs/results/t.txt'
    """
    place = PurePosixPath(name.replace("\\", "/"))
    if out is not None:
        return out / place.name
    return folder / (place.name if DRIVE.match(name) else place)

"""Engines: count where the data live, think on the classes.

Most of disclosure control needs only how many records share a combination of key values. That count
runs on an engine, which may hold far more records than memory does; the search for a masking runs
on the distinct combinations; its result goes back to the engine as a mapping. To add an engine,
write one module beside these with ``open_files(files, **options) -> Records`` and name it below.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from tacita.engines.files import Source, find_files
from tacita.engines.records import Records
from tacita.errors import ParameterError, did_you_mean, shown

__all__ = ["ENGINES", "Engine", "Records", "open_records"]


class Engine(NamedTuple):
    """A place where records can be counted.

    Args:
        module: the module beside this one.
        what: what people call it.
        options: what can be said of how it works.
    """

    module: str
    what: str
    options: frozenset[str] = frozenset()


ENGINES: Mapping[str, Engine] = {
    "memory": Engine("memory", "the engine in memory"),
    "duckdb": Engine(
        "duckdb", "DuckDB", frozenset({"memory_limit", "threads", "temporary_folder"})
    ),
    "spark": Engine("spark", "Spark", frozenset({"session"})),
}


def open_records(source: Source, engine: str, **options: Any) -> Records:
    """Let an engine have the records of some files.

    Args:
        source: the path of a Parquet, CSV or Arrow file, of a folder of them, or a pattern.
        engine: memory, duckdb or spark.
        options: how the engine is to work; those left out or None are the engine's own choice.
    """
    if engine not in ENGINES:
        known = ", ".join(ENGINES)
        hint = did_you_mean(str(engine), ENGINES)
        raise ParameterError(f"`engine` should be one of {known}; found {shown(engine)}.{hint}")
    chosen = ENGINES[engine]
    given = {word: value for word, value in options.items() if value is not None}
    for word in given:
        if word not in chosen.options:
            raise ParameterError(f"`{word}` means nothing for {chosen.what}; leave it out.")
    module = import_module(f"{__name__}.{chosen.module}")
    records: Records = module.open_files(find_files(source), **given)
    return records

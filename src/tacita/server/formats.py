"""The forms an answer is sent in: JSON, CSV and an Arrow stream."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import pyarrow as pa
import pyarrow.csv

from tacita.queries.answer import Answer

MEDIA = {
    "json": "application/json",
    "csv": "text/csv",
    "arrow": "application/vnd.apache.arrow.stream",
}


def form_of(accept: str) -> str:
    """Return the form that a request's `Accept` asks for first; JSON where it names none of ours.

    >>> form_of("text/csv;q=0.9, application/json"), form_of("*/*")
    ('csv', 'json')
    """
    wanted = (part.partition(";")[0].strip().lower() for part in accept.split(","))
    forms = {media: form for form, media in MEDIA.items()}
    return next((forms[media] for media in wanted if media in forms), "json")


def written(answer: Answer, form: str) -> bytes:
    """Return an answer as it is sent."""
    return WRITERS[form](answer)


def to_json(answer: Answer) -> bytes:
    """Return all there is to an answer."""
    return json.dumps(answer.to_dict(), ensure_ascii=False, allow_nan=False).encode()


def to_csv(answer: Answer) -> bytes:
    """Return the rows as CSV with a header; a refused cell is empty."""
    out = io.BytesIO()
    style = pyarrow.csv.WriteOptions(quoting_style="needed")
    pyarrow.csv.write_csv(answer.to_arrow(), out, style)
    return out.getvalue()


def to_arrow(answer: Answer) -> bytes:
    """Return the rows as an Arrow stream; the schema's metadata `tacita` holds all the rest."""
    rest = {name: said for name, said in answer.to_dict().items() if name not in ROWS}
    metadata = {"tacita": json.dumps(rest, ensure_ascii=False, allow_nan=False)}
    table = answer.to_arrow().replace_schema_metadata(metadata)
    out = io.BytesIO()
    with pa.ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table)
    return out.getvalue()


ROWS = ("columns", "rows")
WRITERS: dict[str, Callable[[Answer], bytes]] = {"json": to_json, "csv": to_csv, "arrow": to_arrow}


def told_beside(answer: Answer) -> dict[str, str]:
    """Return the headers that say what CSV has no place for."""
    refused = sum(map(sum, answer.refused))
    return {"Tacita-Entry": str(answer.entry or ""), "Tacita-Refused": str(refused)}

"""What must not be in `public/`: gathered here, and handed on as keyed hashes only.

Looked for anywhere, where they are too surprising to be chance (`tokens.as_secret`):

- values of identifiers that are not released;
- numbers and codes of suppressed cells and of records left out that no released cell has;
- seeds, keys, nonce and digests of the input, and parameters that a method does not tell;
- path and name of the source, of whoever runs this, and of the machine.

Looked for in the released column of the same name, however short: values that occur only in cells
that were suppressed or in records that were left out. What the release shows on purpose (a cell of
a column, the codes and values of tables, parameters that are told) is nobody's secret.
"""

from __future__ import annotations

import getpass
import platform
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.data.attribute import Role
from tacita.data.dataset import FROM_NOBODY, Dataset
from tacita.release.evidence import public_step
from tacita.release.execute import Outcome
from tacita.release.manifest import NONCE_PURPOSE
from tacita.release.red_team.tokens import MOST_WORDS, as_secret, canonical, paths_in, words

IDENTIFIER = "a value of an identifier"
WITHHELD = "a value that only suppressed cells or records left out have"
KEY = "a seed, a key or a digest of the input"
PARAMETER = "a parameter that its method does not tell"
SOURCE = "where the data came from, or who made the release"

SHORTEST = 6  # characters of a text that can be a secret

Hidden = dict[str, dict[str, str]]  # by purpose: which token is which kind of secret


def hidden(
    outcome: Outcome, seed: int | None, run: Mapping[str, Any], names: Iterable[str]
) -> Hidden:
    """Return every token that must not be in `public/`, with what it is.

    Args:
        outcome: what the run gave.
        seed: where all randomness came from, if there was a run.
        run: what differs between two runs, with its secret key.
        names: the names of the released files.
    """
    anywhere = {**_identifiers(outcome), **_keys(outcome, seed, run), **_parameters(outcome)}
    secrets: Hidden = {"words": anywhere, "path": {}, "name": {}}
    if outcome.plan.releases_records:
        for name, values in withheld(outcome.original, outcome.protected):
            secrets[f"cell\0{name}"] = dict.fromkeys(values, WITHHELD)
            for value in values:
                if any(map(str.isdigit, value)) and (secret := as_secret(value)):
                    anywhere.setdefault(secret, WITHHELD)
    has_numbers = any(
        kind != KEY and token.replace(" ", "").isdecimal() for token, kind in anywhere.items()
    )
    for word in shown_on_purpose(outcome, numbers=has_numbers):
        anywhere.pop(word, None)
    _add_source(secrets, outcome.original.origin.source, {*names})
    return secrets


# -- values ----------------------------------------------------------------------------------------


def _identifiers(outcome: Outcome) -> dict[str, str]:
    original = outcome.original
    values = (
        value
        for name in original.with_role(Role.IDENTIFIER)
        for value in distinct(original.column(name))
    )
    secrets = (as_secret(canonical(value)) for value in values)
    return {secret: IDENTIFIER for secret in secrets if secret}


def withheld(original: Dataset, protected: Dataset) -> Iterator[tuple[str, set[str]]]:
    """Yield the values of every released column that only cells or records withheld have."""
    rows = protected.source_rows
    is_out = np.ones(len(original), bool)
    is_out[rows[rows != FROM_NOBODY]] = False
    for name in protected.names:
        if name not in original.names:
            continue
        is_withheld = is_out.copy()
        if name in protected.suppressed_cells:
            suppressed = rows[np.asarray(protected.suppressed_cells[name])]
            is_withheld[suppressed[suppressed != FROM_NOBODY]] = True
        column = original.column(name)
        gone, kept = column.filter(pa.array(is_withheld)), protected.column(name)
        if _is_number(column.type) and kept.type == column.type:  # quick, where spelling is one
            gone = gone.filter(pc.invert(pc.is_in(gone, pc.unique(kept))))
            kept = kept.slice(0, 0)
        values = {canonical(value) for value in distinct(gone)}
        if values:
            yield name, values - {canonical(value) for value in distinct(kept)} - {""}


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def distinct(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return the different values of a column; of sets those inside."""
    while pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        column = pc.list_flatten(column)
    values: list[Any] = pc.unique(column.drop_null()).to_pylist()
    return values


def shown_on_purpose(outcome: Outcome, *, numbers: bool = True) -> Iterator[str]:
    """Yield the words of everything that a release shows because it is meant to.

    Args:
        outcome: what the run gave.
        numbers: whether to yield the numbers of records, too; there may be millions.
    """
    protected = outcome.protected
    shown: list[Any] = [*protected.names, *_leaves([public_step(done) for done in outcome.steps])]
    for name in protected.names:
        if numbers or not _is_number(protected.column(name).type):
            shown += distinct(protected.column(name))
        shown += protected.attribute(name).meaning.value_labels.values()
    for one in outcome.tables.tables if outcome.tables else ():
        shown += [code for dimension in one.published.dimensions for code in dimension.codes]
        shown += [str(label) for d in one.published.dimensions for label in d.labels.values()]
        shown += [float(value) for value in one.published.cells.shown]
    for value in shown:
        text = canonical(value)
        if len(text) >= SHORTEST:
            yield " ".join(words(text)[:MOST_WORDS])


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield name
            yield from _leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner)
    else:
        yield value


# -- keys ------------------------------------------------------------------------------------------


def _keys(outcome: Outcome, seed: int | None, run: Mapping[str, Any]) -> dict[str, str]:
    import hmac

    key = bytes.fromhex(run["input"]["key"])
    numbers = [seed, *(done.seed for done in outcome.steps)]
    spelled = [
        run["input"]["key"],
        run["input"]["hmac_sha256"],
        hmac.digest(key, NONCE_PURPOSE, "sha256").hex(),
        outcome.original.fingerprint(),
        *(each for n in numbers if n is not None for each in (str(n), f"{n:x}", f"0x{n:x}")),
    ]
    return {secret: KEY for each in spelled if (secret := as_secret(each))}


def _parameters(outcome: Outcome) -> dict[str, str]:
    """Return the parameters that methods do not tell: keys of pseudonyms, for one."""
    secrets: dict[str, str] = {}
    for done in outcome.steps:
        told = done.method.told()
        kept = {n: v for n, v in done.method.parameters().items() if n not in told}
        for value in _leaves([*kept.values()]):
            text = canonical(value)
            if any(map(str.isdigit, text)) and (secret := as_secret(text)):
                secrets[secret] = PARAMETER
    return secrets


# -- source, person, machine -----------------------------------------------------------------------


def _add_source(secrets: Hidden, source: Any, names: set[str]) -> None:
    """Add where the data came from; a home of one part, such as `/root`, may be anything."""
    homes = [str(Path.home())]
    if source is not None:
        file = Path(str(source))
        if file.name not in names and "." in file.name:
            secrets["name"][file.name] = SOURCE
        homes.append(str(file if "://" in str(source) else file.absolute()))
    for place in homes:
        secrets["path"] |= dict.fromkeys([*paths_in(place)][-1:], SOURCE)
    for text in (_user(), platform.node()):
        listed = words(text)
        if any(map(str.isdigit, text)) and as_secret(text):
            secrets["words"][" ".join(listed)] = SOURCE


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""

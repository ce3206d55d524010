"""What private answers cannot be promised with, in one sentence each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tacita.data.attribute import Kind
from tacita.errors import ParameterError, did_you_mean
from tacita.mechanisms.private.accounting import exact
from tacita.queries.private.moments import Bounds
from tacita.queries.public_classes import PublicClasses


def refuse_unknown(method: str, names: Iterable[str], data: PublicClasses) -> None:
    """Raise unless names are of numeric attributes."""
    known = [name for name, one in data.attributes.items() if one.kind is Kind.CONTINUOUS]
    for name in names:
        if name not in known:
            raise ParameterError(
                f"`{method}` has bounds of `{name}`, which is no numeric attribute of "
                f"`{data.view}`.{did_you_mean(name, known)}"
            )


def refuse_categories(method: str, names: Iterable[str], data: PublicClasses) -> None:
    """Raise unless names are of confidential categories."""
    known = [
        name for name in data.hidden if data.attributes[name].kind in {Kind.NOMINAL, Kind.ORDINAL}
    ]
    for name in names:
        if name not in known:
            raise ParameterError(
                f"`private_categories` of `{method}` names `{name}`, which is no confidential "
                f"category of `{data.view}`.{did_you_mean(name, known)}"
            )


def refuse_respondent(method: str, name: str | None, data: PublicClasses) -> None:
    """Raise unless an identifier tells of every record whose it is."""
    if name is None:
        return
    if name not in data.identifiers:
        raise ParameterError(
            f"`respondent` of `{method}` is an identifier of `{data.view}`; `{name}` is none."
            f"{did_you_mean(name, data.identifiers)}"
        )
    if data.identifiers[name].null_count:
        raise ParameterError(
            f"`{method}` counts the records of every respondent, so `{name}` must be there in all "
            f"of them; it is blank in {data.identifiers[name].null_count:,}."
        )


def refuse_learning(method: str, learn: Mapping[str, float], bounds: Mapping[str, Bounds]) -> None:
    """Raise unless bounds are learned for a share of the budget, where they are not known."""
    for name, part in learn.items():
        if not 0 < part < 1 or name in bounds:
            raise ValueError(
                f"`learn` of `{method}` needs a share between 0 and 1 for `{name}`, and no bounds "
                f"of it; found {part:g}."
            )


def refuse_shares(
    method: str, shares: Mapping[str, float], projects: Mapping[str, Sequence[str]]
) -> None:
    """Raise unless shares are parts of a whole, and every project has one."""
    if any(not 0 < part <= 1 for part in shares.values()) or sum(map(exact, shares.values())) > 1:
        raise ValueError(f"`shares` of `{method}` are above 0, and at most 1 together.")
    for project in projects:
        if project not in shares:
            raise ValueError(f"`projects` of `{method}` names `{project}`, which has no share.")
    users = [user for members in projects.values() for user in members]
    for user in users:
        if users.count(user) > 1 or user in shares:
            raise ValueError(f"`{user}` can pay from one share of `{method}` only.")

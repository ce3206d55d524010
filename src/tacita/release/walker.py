"""Walking through a plan file: what stands where, and where something is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from tacita.errors import PlanError, TacitaError, did_you_mean, shown
from tacita.release.located import Located, Path_

T = TypeVar("T")
Read = Callable[[Any, Path_], T]


class Walker:
    """Finds the fields of a plan file; each refusal names file, line and field."""

    def __init__(self, located: Located) -> None:
        self.located = located

    def value(self, path: Path_) -> Any:
        """Return what stands at a place, None if nothing does."""
        found = self.located.document
        for part in path:
            if isinstance(found, list) and isinstance(part, int):
                found = found[part]
            else:
                found = found.get(part) if isinstance(found, Mapping) else None
        return found

    def mapping(
        self, path: Path_, known: Sequence[str], needed: Sequence[str] = ()
    ) -> Mapping[str, Any]:
        """Return the fields at a place.

        Args:
            path: the place.
            known: the fields that may stand there.
            needed: the fields that must.
        """
        found = self.value(path)
        if found is None and not needed:
            return {}
        if not isinstance(found, Mapping):
            raise self.located.error(
                path, f"expected the fields {', '.join(known)}; found {shown(found)}."
            )
        for name in found:
            if name not in known:
                hint = did_you_mean(str(name), known)
                raise self.located.error(
                    (*path, name), f"unknown; expected {', '.join(known)}.{hint}"
                )
        for name in needed:
            if name not in found:
                raise self.located.error((*path, name), "it is missing.")
        return found

    def choice(self, path: Path_, found: Any, known: Sequence[T]) -> T:
        """Return what was found, if it is one of the words that may stand at a place."""
        if found not in known:
            words = [str(word) for word in known]
            raise self.located.error(
                path,
                f"expected one of {', '.join(words)}; found {shown(found)}."
                f"{did_you_mean(str(found), words)}",
            )
        return known[known.index(found)]

    def each(self, path: Path_, found: Any, read: Read[T]) -> tuple[T, ...]:
        """Read every item of a list."""
        if found is None:
            return ()
        if not isinstance(found, list):
            raise self.located.error(
                path, f"expected a list (lines that begin with `-`); found {shown(found)}."
            )
        return tuple(self.at((*path, place), item, read) for place, item in enumerate(found))

    def at(self, path: Path_, item: Any, read: Read[T]) -> T:
        """Read one item, and say where it stands when it cannot be read."""
        inner = (*path, next(iter(item))) if isinstance(item, Mapping) and len(item) == 1 else path
        try:
            return read(item, path)
        except PlanError:
            raise
        except TacitaError as error:
            raise self.located.error(inner, str(error)) from error

"""In which order released records stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

from tacita.data.attribute import Role
from tacita.data.content_order import in_content_order, is_in_content_order
from tacita.data.dataset import Dataset
from tacita.errors import ParameterError, shown

By = Literal["contents", "source"]
ORDERS: tuple[By, ...] = get_args(By)


@dataclass(frozen=True)
class Ordering:
    """In which order released records stand.

    Args:
        by: `contents`, a function of the released values alone; or `source`, as they came, which
            lets whoever has another file in that order lay the two side by side.
        history: the released attribute that says whose history a record belongs to: the records of
            one person stay together, in the order in which they came.
    """

    by: By = "contents"
    history: str | None = None

    def __post_init__(self) -> None:
        if self.by not in ORDERS:
            raise ParameterError(f"`order` should be contents or source; found {shown(self.by)}.")
        if self.by == "source" and self.history is not None:
            raise ParameterError(
                "`history` keeps records of one person together; in the order of the source all "
                "records stay where they are. Leave out one of the two."
            )

    def of(self, data: Dataset) -> Dataset:
        """Return released records in their order.

        Raises:
            InputError: there is no such attribute in the release.
        """
        if self.history is not None:
            data.attribute(self.history)
        return data if self.by == "source" else in_content_order(data, self.history)

    def holds(self, data: Dataset) -> bool:
        """Tell whether records stand in the order of their contents."""
        return is_in_content_order(data, self.history)

    def to_plan(self) -> dict[str, Any]:
        """Return the order as plans say it, without what is usual."""
        said = {} if self.by == "contents" else {"order": self.by}
        return said if self.history is None else {**said, "history": self.history}

    def warnings(self) -> Iterator[str]:
        """Say what a person should know of an order."""
        if self.by == "source":
            yield (
                "The records leave in the order of the source: whoever has a file in that order "
                "can lay the two side by side, whatever was masked."
            )

    def sentence(self, data: Dataset) -> str:
        """Return what the reader of a release is told of its order."""
        if self.by == "source":
            return "Records are in the order in which they were collected."
        if self.history is not None:
            return (
                f"Records with the same {self.history} stand together in their order; otherwise "
                "the order follows from the released values alone and means nothing."
            )
        if data.with_role(Role.HOUSEHOLD):
            return (
                "Households stand together; otherwise the order follows from the released values "
                "alone and means nothing."
            )
        return "The order of records follows from the released values alone and means nothing."


BY_CONTENTS = Ordering()

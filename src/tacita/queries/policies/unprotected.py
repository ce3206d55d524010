"""No protection at all: the baseline that attacks are compared with."""

from __future__ import annotations

from typing import ClassVar

from tacita.data.attribute import Kind
from tacita.method import ANY_KIND, Method
from tacita.queries.cells import Cell
from tacita.queries.public_classes import PublicClasses
from tacita.queries.updating import Update
from tacita.queries.watching import Watcher


class Unprotected(Method):
    """Answer every statistical query exactly, as a plain database does.

    It is there to teach, and to show that an attack works where nothing protects. The language
    still refuses what is no statistical query, but a mean of one record is a statistic.

    When not to use it: on data about anybody.

    >>> import tacita as ta
    >>> data = PublicClasses.of(ta.example("toy"), "toy")
    >>> Unprotected().watch(data).guarantee
    'None: every statistic is answered exactly, also of single records.'
    """

    applies_to: ClassVar[frozenset[Kind]] = ANY_KIND
    reference: ClassVar[str] = (
        "Denning, D. E. (1982). Cryptography and Data Security, chapter 6. Addison-Wesley."
    )
    missing: ClassVar[str] = "Blanks are answered as SQL does."

    def watch(self, data: PublicClasses) -> Watcher:  # noqa: ARG002 - nothing depends on the data
        """Begin to look away."""
        return UnprotectedWatcher()


class UnprotectedWatcher:
    """Allows everything and remembers nothing."""

    guarantee = "None: every statistic is answered exactly, also of single records."
    simulatable = True

    def covers(self, cell: Cell) -> bool:  # noqa: ARG002
        """Tell that it has a say about every cell."""
        return True

    def allows(self, cell: Cell) -> bool:  # noqa: ARG002
        """Tell that every cell may be answered."""
        return True

    def learn(self, cell: Cell) -> None:
        """Remember nothing."""

    def move(self, update: Update) -> None:
        """Go on as before after the data changed."""

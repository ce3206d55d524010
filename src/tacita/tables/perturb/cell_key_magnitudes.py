"""The cell-key method for tables of magnitudes."""

from __future__ import annotations

from dataclasses import KW_ONLY
from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from tacita.data.classes import Floats
from tacita.data.decimals import MOST_DECIMALS
from tacita.errors import InputError, ParameterError
from tacita.mechanisms.cell_keys import PerturbationTable, perturbation_table
from tacita.method import Method, TableKind
from tacita.tables.cells import Cells
from tacita.tables.formats import p_table
from tacita.tables.perturb.keying.keys import NOT_ADDITIVE, perturbed_cells, shifted_keys
from tacita.tables.perturb.keying.options import (
    LargestNoise,
    PTable,
    Variance,
    refuse_noise,
    refuse_said_twice,
)
from tacita.tables.perturb.keying.scaling import Noise, Scaling
from tacita.tables.perturb.perturbation import Perturbation
from tacita.tables.system import System

PARTS = 2  # steps of noise that make a unit
PARITIES = ("even", "odd")


class CellKeyMagnitudes(Method):
    """Add noise in shares of the largest contributions, the same in every table for the same cell.

    The largest contributions x_1, x_2, ... of a cell have noise one after the other:
    x -> x + e_j m(x_j) |x_j| v_j, where e_1 = 1 and the e_j of `fading` make further ones smaller,
    m falls from `share` to `large_share` beyond the `flex_point`, and v_j is drawn from a
    perturbation table by the key of the cell (the sum of its records' keys modulo 1, its digits
    shifted for every contribution) and by how many units e_j m(x_j) |x_j| the value is. Nothing
    changes its sign, and a 0 stays 0. With `small_variance` (or a file, `small_table`), cells whose
    largest contribution is small have noise as counts do. Sensitive cells have `extra` more.

    Published values are rounded to `decimals` digits after the point; when left out, to those that
    sums of the tabulated records can have, so that all tables of one file show a cell alike. Say
    them where tables of one population are made of several files. Where records have sampling
    weights, values and contributions are weighted; contributions are not where the table lets
    records stand for others (`weighting="represented"`).

    When not to use it: where tables must add up (adjust or round them instead); for attributes
    whose contributions nearly cancel each other out; where the noise must be as large as a
    protection level for certain, which controlled adjustment promises.

    >>> import pyarrow as pa
    >>> from tacita.tables.tabulate import tabulate
    >>> firms = pa.table({"town": ["a", "a", "b", "b"], "turnover": [500, 20, 300, 250]})
    >>> table = tabulate(firms, ["town"], value="turnover", keys=b"a secret of 16 bytes")
    >>> told = CellKeyMagnitudes(share=0.1).perturb(table.system(), np.random.default_rng())
    >>> bool((np.abs(told.change) <= 0.1 * 5 * 500).all())
    True
    """

    applies_to: ClassVar[frozenset[TableKind]] = frozenset({TableKind.MAGNITUDE})
    reference: ClassVar[str] = (
        "Thompson, G., Broadfoot, S. and Elazar, D. (2013). Methodology for the automatic "
        "confidentialisation of statistical outputs from remote servers at the Australian Bureau "
        "of Statistics. UNECE work session on statistical data confidentiality; Giessing, S. and "
        "Tent, R. (2019). Concepts for generalising tools implementing the cell key method to the "
        "case of continuous variables. UNECE work session on statistical data confidentiality."
    )
    missing: ClassVar[str] = (
        "The value, the key and the largest contributions of every cell must be known."
    )
    example: ClassVar[dict[str, float]] = {"share": 0.1}

    share: Annotated[
        float,
        Field(description="The share of a contribution that noise of 1 stands for.", gt=0, le=1),
    ]
    _: KW_ONLY
    fading: Annotated[
        tuple[Annotated[float, Field(gt=0, le=1)], ...],
        Field(
            description="The parts of their shares that the second, the third largest contribution "
            "and so on count with; without any, only the largest has noise.",
            max_length=20,
        ),
    ] = ()
    flex_point: Annotated[
        float | None,
        Field(description="From which contribution on shares fall; never when left out.", gt=0),
    ] = None
    large_share: Annotated[
        float, Field(description="The share that very large contributions have.", ge=0, le=1)
    ] = 0.0
    power: Annotated[
        float, Field(description="How fast shares fall beyond the flex point.", ge=1, le=100)
    ] = 3.0
    magnifier: Annotated[
        Literal["largest", "mean", "value"],
        Field(
            description="What noise is a share of: the largest contributions, the mean of all, or "
            "the value itself."
        ),
    ] = "largest"
    largest: LargestNoise = 5
    variance: Variance = 1.0
    small_variance: Annotated[
        float | None,
        Field(description="The variance of noise in small cells, which are as counts.", gt=0),
    ] = None
    p_table: PTable = None
    small_table: PTable = None
    parity: Annotated[
        bool,
        Field(
            description="Whether cells with an even and with an odd number of contributors have "
            "different tables of noise, which the file must hold."
        ),
    ] = False
    extra: Annotated[
        float, Field(description="How much larger the noise of sensitive cells is.", ge=0, le=1000)
    ] = 0.0
    same_key: Annotated[
        bool,
        Field(description="Whether the largest contribution is given noise by the key as it is."),
    ] = False
    digits: Annotated[
        int, Field(description="How many digits after the point keys have.", ge=1, le=15)
    ] = 15
    decimals: Annotated[
        int | None,
        Field(
            description="How many digits after the point published values have; when left out, as "
            "many as sums of the tabulated records can have.",
            ge=0,
            le=MOST_DECIMALS,
        ),
    ] = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.p_table is None:
            refuse_noise(self.largest, self.variance, parts=PARTS)
            if self.parity:
                raise ValueError("`parity` needs a `p_table` for even and odd cells.")
        else:
            refuse_said_twice(self, "largest", "variance")
        if self.small_table is not None:
            refuse_said_twice(self, "small_variance")
        elif self.small_variance is not None:
            refuse_noise(self.largest, self.small_variance, parts=PARTS)
        if self.magnifier != "largest" and self.fading:
            raise ValueError("`fading` is for further contributions; leave it out for other noise.")
        if self.flex_point is not None and self.large_share > self.share:
            raise ValueError(
                f"`large_share` of `{self.name}` must not be above `share`; found "
                f"{self.large_share:g} and {self.share:g}."
            )
        return self

    def perturb(self, system: System, rng: np.random.Generator) -> Perturbation:  # noqa: ARG002
        """Add the noise that belongs to the records of each cell."""
        moved = np.flatnonzero(perturbed_cells(system))
        cells = system.cells.take(moved)
        if self.parity:
            _refuse_unknown(system, cells.contributors, "the number of contributors")
        keys = cells.cell_key if self.same_key else shifted_keys(cells.cell_key, self.digits)
        noisy = self._noise(cells).added(cells.value, self._magnified(system, cells), keys)
        value = system.cells.value.copy()
        digits = system.digits if self.decimals is None else self.decimals
        value[moved] = noisy if digits is None else np.round(noisy, digits)
        return Perturbation(
            system,
            value,
            float(np.abs(value - system.cells.value).sum()),
            remarks=(NOT_ADDITIVE,) if system.relations.shape[0] else (),
        )

    def _magnified(self, system: System, cells: Cells) -> Floats:
        """Return what noise is a share of, one column a contribution."""
        if self.magnifier == "value":
            return cells.value[:, None]
        if self.magnifier == "mean":
            _refuse_unknown(system, cells.contributors, "the number of contributors")
            return (cells.value / np.maximum(cells.contributors, 1))[:, None]
        needed = 1 + len(self.fading)
        if cells.largest.shape[1] < needed:
            raise ParameterError(
                f"`{self.name}` needs the {needed} largest contributions of every cell; "
                f"{cells.largest.shape[1]} are known. Tabulate with `largest={needed}`."
            )
        _refuse_unknown(system, cells.largest[:, :needed].sum(axis=1), "the largest contributions")
        return cells.largest[:, :needed]

    def _noise(self, cells: Cells) -> Noise:
        return Noise(
            self._tables(),
            cells.contributors % len(PARITIES) if self.parity else np.zeros(len(cells)),
            self._small_table(),
            Scaling(self.share, self.large_share, self.flex_point, self.power),
            (1.0, *self.fading),
            self.digits,
            np.where(cells.sensitive, self.extra, 0.0),
        )

    def _tables(self) -> tuple[PerturbationTable, ...]:
        """Return the table of all cells, or those of even and odd ones."""
        if self.p_table is None:
            return (perturbation_table(self.largest, self.variance, parts=PARTS),)
        return _held(self.p_table, PARITIES if self.parity else (p_table.ALL,))

    def _small_table(self) -> PerturbationTable | None:
        if self.small_table is not None:
            return _held(self.small_table, (p_table.ALL,))[0]
        if self.small_variance is None:
            return None
        return perturbation_table(self.largest, self.small_variance, parts=PARTS)


def _held(path: str, types: tuple[str, ...]) -> tuple[PerturbationTable, ...]:
    """Read the tables of some types of cells."""
    found = p_table.read(Path(path))
    for one in types:
        if one not in found:
            raise ParameterError(
                f"{path} holds no perturbation table of the type `{one}`; it holds "
                f"{', '.join(found)}."
            )
    return tuple(found[one] for one in types)


def _refuse_unknown(system: System, column: Floats, what: str) -> None:
    if np.isnan(column).any():
        raise InputError(
            f"Noise in shares of contributions needs {what} of every cell; of "
            f"{int(np.isnan(column).sum()):,} of {len(system):,} cells it is not known. Tabulate "
            "microdata."
        )

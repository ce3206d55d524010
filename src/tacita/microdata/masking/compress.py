"""Lossy compression: the data as an image, through JPEG and back."""

from __future__ import annotations

from dataclasses import KW_ONLY
from io import BytesIO
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from tacita.data.classes import Floats
from tacita.data.dataset import Dataset
from tacita.errors import InputError, load_extra
from tacita.method import Method
from tacita.microdata.masking.perturbing.numbers import (
    BLANKS_STAY,
    NUMERIC,
    Perturbed,
    numbers_of,
    with_numbers,
)
from tacita.validity import Change

WHITE = 255
TALLEST, WIDEST = 64_000, 65_496  # JPEG ends at 65,535 pixels; blocks of 8 are not cut

Grays = npt.NDArray[np.uint8]


class Compress(Method):
    """See the data as an image of grays, compress it as JPEG, and release what is left.

    A record is a row of pixels and an attribute a column; v becomes round(255 (v - min) / (max -
    min)). The picture goes through a JPEG codec at some `quality`, which forgets detail in every
    block of 8 records by 8 attributes, and its grays come back as min + gray (max - min) / 255.
    The lower the quality, the higher the compression rate and the protection. Records that stand
    together blur each other, so that their order matters. Every 64,000 records are an image of
    their own. The notes tell the compression rate: bytes of grays by bytes of the file.

    When not to use it: on attributes with outliers, which leave few grays to all other values; with
    the records in an order that tells nothing, where blocks are of unlike records and much is lost.

    >>> import tacita as ta
    >>> rough = ta.example("medical").apply(ta.Compress(["DH", "Chol", "Temp"], quality=50))
    >>> [round(value, -1) for value in rough.column("Chol").to_pylist()[:4]]
    [260.0, 170.0, 220.0, 290.0]
    """

    applies_to: ClassVar = NUMERIC
    keeps: ClassVar = ()
    changes: ClassVar = frozenset({Change.PERTURBATION})
    reference: ClassVar = (
        "Domingo-Ferrer & Torra, Disclosure control methods and information loss for microdata, in "
        "Confidentiality, Disclosure, and Data Access, North-Holland 2001"
    )
    missing: ClassVar = f"{BLANKS_STAY} In the image they have the attribute's mean."
    example: ClassVar = {"attributes": ["age", "income"]}
    public: ClassVar = frozenset({"attributes"})

    attributes: Perturbed
    _: KW_ONLY
    quality: Annotated[
        int,
        Field(
            description="The quality of the image (1, nothing but blocks, to 95, nearly all).",
            ge=1,
            le=95,
        ),
    ] = 75

    def mask(self, data: Dataset, rng: np.random.Generator) -> Dataset:  # noqa: ARG002
        """Return the data after compression."""
        if not len(data):
            return data
        if len(self.attributes) > WIDEST:
            raise InputError(f"An image has at most {WIDEST:,} columns; name fewer attributes.")
        values = numbers_of(data, self.attributes)
        low, span = _ranges(values)
        shades = _grays(values, low, span)
        images = [jpeg(part, self.quality) for part in _parts(shades)]
        shown = np.concatenate([_decoded(image) for image in images])
        rate = shades.nbytes / sum(len(image) for image in images)
        released = np.minimum(low + shown / WHITE * span, low + span)
        return with_numbers(data, self.attributes, released).noting(compression_rate=rate)


def _ranges(values: Floats) -> tuple[Floats, Floats]:
    """Return the lowest value of every attribute and its distance to the highest."""
    known = ~np.isnan(values)
    low, high = (
        np.where(known.any(axis=0), extreme(values, axis=0, where=known, initial=start), 0.0)
        for extreme, start in ((np.min, np.inf), (np.max, -np.inf))
    )
    with np.errstate(over="ignore", invalid="ignore"):
        span = high - low
    if not np.isfinite(span).all():
        raise InputError(
            "An image needs numbers whose distances are finite; found others. Declare them "
            "missing, or top code them."
        )
    return low, span


def _grays(values: Floats, low: Floats, span: Floats) -> Grays:
    """Return values as shades from 0 to 255; a blank has the mean of its attribute."""
    known = ~np.isnan(values)
    share = np.where(known, values - low, 0.0) / np.where(span > 0, span, 1.0)
    mean = share.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return np.asarray(np.rint(np.where(known, share, mean) * WHITE), np.uint8)


def _parts(shades: Grays) -> list[Grays]:
    return [shades[start : start + TALLEST] for start in range(0, len(shades), TALLEST)]


def jpeg(shades: Grays, quality: int) -> bytes:
    """Return an image of grays as a JPEG file."""
    file = BytesIO()
    _images().fromarray(np.ascontiguousarray(shades)).save(file, "JPEG", quality=quality)
    return file.getvalue()


def _decoded(file: bytes) -> Grays:
    return np.asarray(_images().open(BytesIO(file)), np.uint8)


def _images() -> Any:
    return load_extra("PIL.Image", "compression")

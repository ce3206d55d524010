"""The stages of the experiment on hospital discharges: what is made, and what is measured of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from tacita.api.microdata import example, read
from tacita.arithmetic import product
from tacita.data.classes import Floats, Ints
from tacita.data.dataset import Dataset
from tacita.microdata.anonymize.close_clusters import CloseClusters
from tacita.microdata.anonymize.sorted_clusters import SortedClusters
from tacita.microdata.masking.coarsen import Coarsen
from tacita.microdata.masking.mask_uniques import MaskUniques
from tacita.microdata.masking.regenerate import Regenerate, masked_cells, masked_counts
from tacita.microdata.models.k_anonymity import KAnonymity
from tacita.microdata.models.t_closeness import TCloseness
from tacita.microdata.risk.attribute_disclosure import AttributeDisclosure
from tacita.microdata.risk.fitting_uniqueness import FittingUniqueness
from tacita.microdata.risk.uniqueness import Uniqueness
from tacita.microdata.utility.range_distance import RangeDistance

RECORDS = 3_985_166
CONFIDENTIAL = "charge"
HIGH_CHARGE = 100_000
CENSUS = ("age_yrs", "sex", "ethncty", "race", "patzip", "patcnty")
SPATIAL = ("oshpd_id",)
TEMPORAL = ("los", "adm_qtr")
KEYS = ("oshpd_id", *CENSUS, *TEMPORAL)
KNOWN = {
    "census": CENSUS,
    "spatial": SPATIAL,
    "temporal": TEMPORAL,
    "census + spatial": (*CENSUS, *SPATIAL),
    "census + temporal": (*CENSUS, *TEMPORAL),
    "spatial + temporal": (*SPATIAL, *TEMPORAL),
    "all": KEYS,
}
MASKING_ORDER = (
    ("age_yrs", "20 bands"),
    ("ethncty", "suppress"),
    ("race", "suppress"),
    ("sex", "suppress"),
    ("age_yrs", "5 bands"),
    ("age_yrs", "suppress"),
    ("adm_qtr", "suppress"),
    ("patzip", "3 digits"),
    ("patcnty", "suppress"),
    ("patzip", "suppress"),
)
# What PD's masked records were unique in, which Table S3 leaves open. In all keys, hardly any stays
# unique, as the paper finds; in the attributes of the steps, correlations are kept as it finds.
UniqueIn = Literal["keys", "steps"]
MASKED = ("age_yrs", "sex", "ethncty", "race", "patzip", "patcnty", "adm_qtr")
CLOSENESS = {2: 0.25, 3: 0.17, 5: 0.10, 10: 0.05}  # Table S9
COARSENINGS = (32, 16, 8)
RESOLUTIONS = (2, 4, 8, 16, 32, None)  # None: the original values
ORIGINAL = "original"
FEWEST = 20  # two clusters of the largest k

Row = dict[str, Any]


class Discharges(NamedTuple):
    """The data of the experiment.

    Args:
        original: the generated discharges.
        masked: PD, whose unique records were masked in the order of Table S3.
        regenerated: SPD, in which masked values were filled by Algorithm S1.
    """

    original: Dataset
    masked: Dataset
    regenerated: Dataset


def generated(records: int, seed: int) -> Dataset:
    """Generate discharges whose codes are numbers, as the experiment sees them; ZIPs are digits."""
    table = example("patients", records, seed=seed).table.select([*KEYS, CONFIDENTIAL])
    roles = {**dict.fromkeys(KEYS, "key"), CONFIDENTIAL: "confidential"}
    kinds = {name: "nominal" if name == "patzip" else "continuous" for name in table.column_names}
    return read(table, roles=roles, kinds=kinds)


def discharges(records: int, seed: int, unique_in: UniqueIn) -> Discharges:
    """Make the three data sets."""
    rng = np.random.default_rng(seed)
    original = generated(records, seed)
    masking = MaskUniques(MASKING_ORDER, KEYS if unique_in == "keys" else None)
    masked = masking.mask(original, rng)
    counts = masked_counts(original, masked, MASKED)
    filled = Regenerate(MASKED, counts=counts).mask(masked, rng)
    regenerated = original
    for name in MASKED:
        values = filled.column(name).cast(original.column(name).type)
        regenerated = regenerated.with_column(original.attribute(name), values)
    return Discharges(original, masked, regenerated)


# -- Tables S4 and S5 ----------------------------------------------------------------------------


def correlations(made: Discharges) -> list[Row]:
    """Return the correlation of every two keys, among unmasked values and after regeneration.

    It is None where all values were masked, or all are the same.
    """
    shown, filled = _numbers(made.regenerated), _numbers(made.regenerated)
    for name in MASKED:
        shown[masked_cells(made.masked, name), KEYS.index(name)] = np.nan
    before, after = pairwise_correlations(shown), pairwise_correlations(filled)
    return [
        {
            "one": KEYS[a],
            "other": KEYS[b],
            "PD": _defined(before[a, b]),
            "SPD": _defined(after[a, b]),
        }
        for a, b in combinations(range(len(KEYS)), 2)
    ]


def _defined(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None


def agreement(rows: Sequence[Row]) -> float | None:
    """Return the correlation of both sets of correlations, where both are defined."""
    both = np.array([[row["PD"], row["SPD"]] for row in rows], np.float64)
    known = both[~np.isnan(both).any(axis=1)]
    return _defined(pairwise_correlations(known)[0, 1])


def _numbers(data: Dataset) -> Floats:
    columns = [np.asarray(data.column(name).cast(pa.float64())) for name in KEYS]
    return np.column_stack(columns)


def pairwise_correlations(points: Floats) -> Floats:
    """Return the correlations of columns, each pair over the records where both are known.

    >>> points = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [np.nan, 0.0]])
    >>> pairwise_correlations(points)[0, 1].round(6)
    np.float64(1.0)
    """
    known = (~np.isnan(points)).astype(np.float64)
    means = np.nan_to_num(points).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    centred = np.nan_to_num(points - means)  # products lose fewer digits then
    count, totals, squares = (product(one.T, known) for one in (known, centred, centred**2))
    with np.errstate(invalid="ignore", divide="ignore"):
        covariance = product(centred.T, centred) - totals * totals.T / count
        spread = squares - totals**2 / count
        return np.asarray(covariance / np.sqrt(spread * spread.T))


# -- Figure S3 -----------------------------------------------------------------------------------


def uniqueness(made: Discharges, tell: Callable[[str], None]) -> list[Row]:
    """Return the share of unique records by what an attacker knows, in PD and SPD."""
    rows = []
    for known, keys in KNOWN.items():
        tell(f"uniqueness: {known}")
        fitting = FittingUniqueness(keys).measure(made.original, made.masked)
        exact = Uniqueness(keys).measure(made.original, made.regenerated)
        rows.append({"known": known, "PD": _value(fitting), "SPD": _value(exact)})
    return rows


def _value(measured: Any) -> float:
    return float(measured.value or 0)


# -- Figures S4 and S7 ---------------------------------------------------------------------------


class Protection(NamedTuple):
    """A way to protect the discharges, its name in the figures, and its file (Table S10)."""

    name: str
    group: str
    file: str
    method: SortedClusters | CloseClusters | Coarsen


def protections() -> list[Protection]:
    """Return the ways of Figures S4 and S7, besides the masking of PD."""
    return [
        *(_anonymous(k) for k in CLOSENESS),
        *(_close(k, t) for k, t in CLOSENESS.items()),
        *(
            Protection(f"1/{r} coarsening", "coarsening", f"{r}_coarsened_SPD.txt", Coarsen(r))
            for r in COARSENINGS
        ),
    ]


def _anonymous(k: int) -> Protection:
    method = SortedClusters((KAnonymity(k),))
    return Protection(f"k = {k}", "k", f"{k}_anonymous_SPD.txt", method)


def _close(k: int, t: float) -> Protection:
    method = CloseClusters((KAnonymity(k), TCloseness(t, (CONFIDENTIAL,))))
    file = f"{k}_an_{round(100 * t):03}_clos_SPD.txt"
    return Protection(f"k = {k}, t = {t:g}", "k and t", file, method)


def compared(
    made: Discharges, tell: Callable[[str], None], keep: Callable[[Dataset, str], None]
) -> list[Row]:
    """Return risk and loss of every way to protect, and of PD.

    Args:
        made: the data.
        tell: called with the name of each step as it begins.
        keep: called with every protected data set and the name of its file.
    """
    rng = np.random.default_rng(0)  # none of them draws
    rows = []
    for way in protections():
        tell(f"protecting: {way.name}")
        protected = way.method.mask(made.regenerated, rng)
        keep(protected, way.file)
        # Values of a cluster are the same, coarse ones do not overlap: to fit is to be equal.
        unique = _value(Uniqueness().measure(made.regenerated, protected))
        rows.append(
            {"name": way.name, "group": way.group, "reidentification": unique}
            | _measured(made.regenerated, protected)
        )
    tell("measuring: PD")
    unique = _value(FittingUniqueness().measure(made.original, made.masked))
    own = {"name": "safe harbor (PD)", "group": "PD", "reidentification": unique}
    return [*rows, own | _measured(made.original, made.masked)]


def _measured(original: Dataset, protected: Dataset) -> Row:
    disclosed = AttributeDisclosure((CONFIDENTIAL,), above=HIGH_CHARGE)
    return {
        "random_reidentification": len(protected.classes()) / max(len(protected), 1),
        "attribute_disclosure": _value(disclosed.measure(original, protected)),
        "information_loss": _value(RangeDistance().measure(original, protected)),
        "t": protected.notes.get("t"),
        "repaired_clusters": protected.notes.get("repaired"),
    }


# -- Figures S5 and S6 ---------------------------------------------------------------------------


class _Part(NamedTuple):
    """Some keys at one resolution: the class of every record, and its squared distance."""

    classes: Ints
    squares: Floats


def grid(data: Dataset, tell: Callable[[str], None]) -> list[Row]:
    """Return risk and loss where spatiotemporal and census keys are coarsened independently."""
    parts = {}
    for keys in ((*SPATIAL, *TEMPORAL), CENSUS):
        for resolution in RESOLUTIONS:
            tell(f"coarsening {keys[0]} and others: {resolution or ORIGINAL}")
            parts[keys, resolution] = _part(data, keys, resolution)
    rows = []
    for (_, spatiotemporal), one in list(parts.items())[: len(RESOLUTIONS)]:
        for (_, census), other in list(parts.items())[len(RESOLUTIONS) :]:
            resolutions = {"spatiotemporal": spatiotemporal, "census": census}
            named = {part: str(number or ORIGINAL) for part, number in resolutions.items()}
            rows.append(named | _together(one, other))
    return rows


def _part(data: Dataset, keys: tuple[str, ...], resolution: int | None) -> _Part:
    if resolution is None:
        return _Part(data.classes(keys).of_record, np.zeros(len(data)))
    coarse = Coarsen(resolution, keys).mask(data, np.random.default_rng(0))
    distances = RangeDistance(keys).measure(data, coarse).per_record
    squares = np.zeros(len(data)) if distances is None else (len(keys) * distances) ** 2
    return _Part(replace(coarse).classes(keys).of_record, squares)


def _together(one: _Part, other: _Part) -> Row:
    from tacita.kernels.grouping import group

    records = max(len(one.classes), 1)
    counts = group([one.classes, other.classes]).counts
    unique = int(np.count_nonzero(counts == 1))
    loss = float(np.sqrt(one.squares + other.squares).sum()) / (records * len(KEYS))
    return {
        "unique_records": unique,
        "reidentification": unique / records,
        "information_loss": loss,
    }

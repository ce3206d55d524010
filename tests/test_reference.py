"""Our numbers beside those of other systems, where their files are at hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.csv
import pytest

import tacita as ta

SHARED = Path(__file__).parents[2] / "shared"
pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the reference data are not here")
TESTDATA_KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
ADULT_KEYS = [
    "age",
    "education",
    "marital-status",
    "native-country",
    "race",
    "salary-class",
    "sex",
    "workclass",
]


def test_class_sizes_and_weights_equal_sdcmicros():
    """sdcMicro's fk and Fk on testdata, record by record."""
    roles = {**dict.fromkeys(TESTDATA_KEYS, "key"), "sampling_weight": "weight"}
    data = ta.read(SHARED / "data/casc/testdata.csv", roles=roles)
    reference = pyarrow.csv.read_csv(SHARED / "reference/sdcmicro/testdata_fk_Fk_risk.csv")
    classes = data.classes()
    assert np.array_equal(classes.size_of_record, reference.column("fk").to_numpy())
    assert np.allclose(classes.weights[classes.of_record], reference.column("Fk").to_numpy())


def test_generalizing_to_arxs_optimum_gives_its_classes_and_suppressed_records():
    """ARX's k = 5 optima on adult: classes kept and records suppressed at the levels it chose."""
    hierarchies = {name: SHARED / f"data/adult/adult_hierarchy_{name}.csv" for name in ADULT_KEYS}
    data = ta.read(
        SHARED / "data/adult/adult.csv",
        roles=dict.fromkeys(ADULT_KEYS, "key"),
        hierarchies=hierarchies,
    )
    tried = 0
    for row in pyarrow.csv.read_csv(SHARED / "reference/arx.csv").to_pylist():
        if (
            row.get("dataset") != "adult"
            or row.get("privacy") != "k=5"
            or row["local_recoding"] != "none"
        ):
            continue
        masked = data
        for name, level in zip(
            row["qi_order"].split("|"), row["optimum_levels"].split("|"), strict=True
        ):
            masked = masked.apply(ta.Generalize(name, int(level)))
        small = masked.classes().counts < 5
        assert int(masked.classes().counts[small].sum()) == row["suppressed"]
        assert int((~small).sum()) == row["classes"]
        tried += 1
    assert tried

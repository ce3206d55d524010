"""What a file says its codes mean: carried along, and dropped where it is no longer true."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tacita as ta
from tacita.data.codebook import Meaning
from tacita.data.declaration import Declaration
from tacita.data.formats import Contents
from tacita.data.read import dataset_of

SEX = Meaning("Sex", {1: "male", 2: "female", 9: "refused"}, missing_codes=(8, 9))


@pytest.fixture
def survey() -> ta.Microdata:
    contents = Contents(
        pa.table({"sex": [1, 2, None, None, None, 2], "age": [30, 30, 30, 30, 30, 30]}),
        codebook={"sex": SEX},
        reasons={"sex": np.array([0, 0, 1, 2, 0, 0], np.int32)},
        said={"sex": Declaration(role="key", kind="nominal")},
    )
    return ta.Microdata.of(dataset_of(contents, {"age": Declaration(role="key")}, source="x.sav"))


def reasons(data: ta.Dataset) -> list[int]:
    return data.missing_reasons["sex"].tolist()


def test_a_person_goes_before_the_file(survey):
    assert survey.attribute("sex").kind == "nominal"
    said = {"sex": Declaration(kind="ordinal", order=(1, 2))}
    again = dataset_of(survey.contents(), said, source="x.sav")
    assert again.attribute("sex").kind == "ordinal"
    assert again.keys == ["sex", "age"]


def test_a_person_may_take_back_that_a_file_says_ordinal(survey):
    contents = survey.contents()
    ordinal = {"sex": Declaration(kind="ordinal", order=(1, 2))}
    own = Contents(contents.table, contents.codebook, contents.reasons, ordinal)
    for kind in ("nominal", "continuous"):
        data = dataset_of(own, {"sex": Declaration(kind=kind)}, source="x.sav")
        assert data.attribute("sex").kind == kind
        assert data.attribute("sex").order is None


def test_a_missing_code_can_be_said_to_be_suppressed(survey):
    data = dataset_of(survey.contents(), {"sex": Declaration(suppressed=(9,))}, source="x.sav")
    assert data.suppressed_in("sex").tolist() == [False, False, False, True, False, False]
    assert reasons(data) == [0, 0, 1, 0, 0, 0]


def test_values_missing_for_different_reasons_are_told_apart(survey):
    assert survey.classes(["sex"]).counts.tolist() == [1, 2, 1, 1, 1]
    assert survey.without_reasons(["sex"]).classes(["sex"]).counts.tolist() == [1, 2, 3]


def test_reasons_follow_records_and_attributes(survey):
    assert reasons(survey.take(np.array([3, 0]))) == [2, 0]
    assert survey.without(["sex"]).missing_reasons == {}
    assert reasons(survey.replacing("sex", survey)) == [0, 0, 1, 2, 0, 0]
    assert survey.fingerprint() != survey.without_reasons(["sex"]).fingerprint()


def test_only_missing_values_keep_a_reason(survey):
    attribute = survey.attribute("sex")
    filled = survey.with_column(attribute, pa.array([1, 1, 1, None, None, None]))
    assert reasons(filled) == [0, 0, 0, 2, 0, 0]
    hidden = np.array([False, False, False, True, False, False])
    assert reasons(survey.with_column(attribute, survey.column("sex"), hidden)) == [
        0,
        0,
        1,
        0,
        0,
        0,
    ]


def test_recoding_drops_labels_that_no_longer_fit(survey):
    masked = survey.apply(ta.Recode("sex", groups={"any": [1, 2]}))
    meaning = masked.attribute("sex").meaning
    assert meaning.value_labels == {9: "refused"}
    assert meaning.label == "Sex"
    assert reasons(masked) == [0, 0, 1, 2, 0, 0]


def test_a_release_is_judged_as_its_reader_sees_it(survey, tmp_path):
    """A CSV file cannot say why a value is missing, so its classes are larger."""
    data = replace(survey, origin=replace(survey.origin, source=None))
    outcome = data.release(tmp_path / "out", waive="a test", force=True)
    assert outcome.protected.missing_reasons == {}
    assert outcome.protected.classes().counts.tolist() == [1, 2, 3]
    assert ta.verify(tmp_path / "out").verdict == "not proven"
    recoded = data.apply(ta.Recode("sex", groups={"any": [1, 2]}))
    outcome = recoded.release(tmp_path / "stata", format="dta", waive="a test", force=True)
    assert outcome.protected.missing_reasons == {}  # Stata says it of numbers only
    assert ta.verify(tmp_path / "stata").verdict == "not proven"
    outcome = data.release(tmp_path / "spss", format="sav", waive="a test", force=True)
    assert outcome.protected.classes().counts.tolist() == [1, 2, 1, 1, 1]
    assert ta.verify(tmp_path / "spss").verdict == "not proven"

from __future__ import annotations

import pytest

from tacita.errors import InputError
from tacita.tables.formats import cell_key_tags
from tacita.tables.perturb.cell_key_magnitudes import CellKeyMagnitudes

SAID = """<SEPARATOR> ";"
Sex 1
  <RECODEABLE>
Other 1
  <NUMERIC>
  <CKM> N
Savings 4
  <NUMERIC>
  <CKM> T(2)
  <INCLUDEZEROS> Y
  <SEPARATION> Y
  <SCALING> F(0.03, 0.30, 1000, 3, 0.5)
Wealth 4
  <NUMERIC>
  <CKM> M
  <SCALING> N(0.2)
Key 10
  <RECORDKEY>
  <DECIMALS> 8
  <PFILE> "Counts.TXT"
  <PFILE_CONT> "C:\\jobs\\all.txt"
  <PFILE_SEP> small.txt
"""


def said(folder, text):
    for name in ("counts.txt", "all.txt", "small.txt"):
        (folder / name).write_text("")
    path = folder / "micro.rda"
    path.write_text(text)
    return path


def test_tags_become_parameters(tmp_path):
    found = cell_key_tags.read(said(tmp_path, SAID))
    assert (found.keys, found.digits) == ("Key", 8)
    assert found.p_table == str((tmp_path / "counts.txt").resolve())
    assert found.keys_over == {"Savings": "records", "Wealth": "contributions"}
    savings = CellKeyMagnitudes(**found.magnitudes["Savings"])
    assert (savings.share, savings.large_share, savings.flex_point) == (0.3, 0.03, 1000)
    assert (savings.power, savings.fading, savings.digits) == (3, (0.5,), 8)
    assert savings.small_table == str((tmp_path / "small.txt").resolve())
    wealth = CellKeyMagnitudes(**found.magnitudes["Wealth"])
    assert (wealth.magnifier, wealth.share, wealth.small_table) == ("mean", 0.2, None)
    assert wealth.p_table == str((tmp_path / "all.txt").resolve())


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("<RECORDKEY>", "<NUMERIC>", "no variable with the tag <RECORDKEY>"),
        ("<CKM> T(2)", "<CKM> D", r"line 9: expected T\(n\), M, V or N"),
        ("<CKM> T(2)", "<CKM> T(2", "line 9: expected a letter"),
        ("<CKM> T(2)", "<CKM> T(3)", "line 12: expected F.* with 2 numbers of fading"),
        ("<SCALING> N(0.2)", "<NUMERIC>", "line 15: the cell-key method needs the tag <SCALING>"),
        ("<INCLUDEZEROS> Y", "<INCLUDEZEROS> yes", "expected Y or N after <INCLUDEZEROS>"),
        ("<DECIMALS> 8", "<DECIMALS> few", "expected a whole number after <DECIMALS>"),
        ("small.txt", "none.txt", "there is no file `none.txt` beside it"),
    ],
)
def test_faults_are_told_with_their_line(tmp_path, old, new, sentence):
    path = said(tmp_path, SAID.replace(old, new, 1))
    with pytest.raises(InputError, match=sentence):
        cell_key_tags.read(path)

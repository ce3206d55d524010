from __future__ import annotations

import pyarrow as pa
import pytest

from tacita.data.hierarchies import build, generalize
from tacita.data.hierarchies.cuts import Cuts
from tacita.data.hierarchies.dates import Dates
from tacita.data.hierarchies.intervals import Intervals
from tacita.data.hierarchies.prefix import Prefix
from tacita.data.hierarchies.tree import Tree
from tacita.errors import HierarchyError

JOBS = {"any": {"care": ["nurse", "doctor"], "law": ["judge"]}}


def test_a_tree_generalizes_and_blanks_stay_blank():
    tree = Tree.from_nested(JOBS)
    assert generalize(pa.array(["judge", None]), tree, 1).to_pylist() == ["law", None]
    assert generalize(pa.array(["judge", None]), tree, 2).to_pylist() == ["any", None]


@pytest.mark.parametrize(
    "hierarchy",
    [
        Intervals(widths=(5.0, 10.0)),
        Cuts([[1, 2.5], [2.5]]),
        Prefix(3),
        Dates(("month", "year")),
        Tree.from_nested(JOBS),
    ],
    ids=lambda h: type(h).__name__,
)
def test_a_hierarchy_is_built_again_from_what_it_says(hierarchy):
    assert build(hierarchy.specification()) == hierarchy


def test_a_plan_names_a_file_relative_to_its_folder(tmp_path):
    (tmp_path / "jobs.csv").write_text("nurse;care;*\ndoctor;care;*\njudge;law;*\n")
    tree = build({"file": "jobs.csv"}, tmp_path)
    assert tree.labels(pa.array(["doctor"]), 1).to_pylist() == ["care"]


def test_a_plan_says_how_a_file_is_laid_out(tmp_path):
    (tmp_path / "jobs.txt").write_text("care\n--nurse\n")
    said = {"path": "jobs.txt", "kind": "hrc", "leading": "--", "root": "any"}
    assert build({"file": said}, tmp_path) == Tree((("nurse", "care", "any"),))


@pytest.mark.parametrize(
    ("specification", "message"),
    [
        ({"tree": {"a": ["x"], "b": ["y"]}}, "one root"),
        ({"tree": {"a": {"b": ["x"], "c": ["x"]}}}, "twice"),
        ({"tree": {}}, "one root"),
        ({"intervals": {"widths": [5, 12]}}, "multiple"),
        ({"intervals": {"widths": [0, 5]}}, "above 0"),
        ({"intervals": {"wide": [5]}}, "wide"),
        ({"prefix": 0}, "1 or more"),
        ({"dates": ["year", "month"]}, "fine to coarse"),
        ({"dates": ["week"]}, "fine to coarse"),
        ({"prefx": 5}, "Did you mean `prefix`"),
        ({"quantile": 3}, "Did you mean `quantiles`"),
        ({"quantiles": 3}, "makes a hierarchy from data"),
        ({"intervals": {"levels": 3}}, "makes a hierarchy from data"),
        ({"cuts": [[2, 1]]}, "ascending numbers"),
        ({"cuts": [[1, 2], [3]]}, "each level keeps some"),
        ({"cuts": [[]]}, "ascending numbers"),
        ({"cuts": 5}, "ascending numbers"),
        ({"cuts": [[float("inf")]]}, "ascending numbers"),
        ({"cuts": [[True]]}, "ascending numbers"),
        ({"prefix": 5, "tree": {}}, "one way"),
        ({"file": "nowhere.csv"}, "nowhere.csv"),
        ({"file": 5}, "needs the path of a hierarchy file; found 5"),
        ({"file": {"leading": "@"}}, "needs the path of a hierarchy file; found nothing"),
        ({"file": {"path": "a.hrc", "leeding": "@"}}, "Did you mean `leading`"),
        ({"file": {"path": "a.csv", "leading": "@"}}, "`leading` is said only of `.hrc` files"),
        ({"file": {"path": "a.csv", "kind": "arg"}}, "one of arx, parents, hrc, nested"),
    ],
)
def test_what_is_no_hierarchy_is_refused(specification, message):
    with pytest.raises(HierarchyError, match=message):
        build(specification)


@pytest.mark.parametrize(
    ("hierarchy", "values", "named"),
    [
        (Tree.from_nested(JOBS), pa.array(["judge", "clown"]), "'clown'"),
        (Prefix(5), pa.array(["9413", "94138"]), "'9413'"),
        (Intervals(widths=[5]), pa.array(["x"]), "'x'"),
        (Cuts([[5]]), pa.array(["x"]), "'x'"),
        (Dates(("year",)), pa.array(["x"]), "'x'"),
    ],
)
def test_values_that_are_not_covered_are_named(hierarchy, values, named):
    with pytest.raises(HierarchyError, match=f"does not cover {named}"):
        generalize(values, hierarchy, 1)


def test_a_level_beyond_the_root_is_refused():
    with pytest.raises(HierarchyError, match="levels 0 to 5"):
        generalize(pa.array(["94138"]), Prefix(5), 6)

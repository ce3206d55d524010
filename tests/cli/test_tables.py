from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import tacita as ta
from tacita.cli.main import main

CSV = """sector,region,salary,status
IT,BCN,852000,sensitive
IT,TGN,97000,safe
IT,Total,949000,safe
Fin,BCN,335000,sensitive
Fin,TGN,150000,sensitive
Fin,Total,485000,safe
HC,BCN,379000,safe
HC,TGN,103000,safe
HC,Total,482000,safe
Total,BCN,1566000,safe
Total,TGN,350000,safe
Total,Total,1916000,safe
"""
OPTIONS = ["--by", "sector", "--by", "region", "--value", "salary"]


def tacita(*words: object):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def salary(tmp_path):
    path = tmp_path / "salary.csv"
    path.write_text(CSV)
    return path


def test_the_audit_finds_what_is_disclosed(salary):
    done = tacita("tables", "audit", salary, *OPTIONS, "--json")
    found = json.loads(done.stdout)
    assert done.exit_code == 1
    assert (found["suppressed"], found["exact_disclosed"], found["below_level"]) == (3, 3, 3)
    cells = {cell["name"]: cell for cell in found["cells"]}
    it = cells["(sector IT, region BCN)"]
    assert (it["lower"], it["upper"], it["protected"]) == (852000, 852000, False)
    told = tacita("tables", "audit", salary, *OPTIONS).stdout
    assert "NOT SAFE: 3 sensitive cells" in told
    assert "852,000" in told


def test_a_safe_pattern_exits_with_0(salary):
    salary.write_text(
        CSV.replace("103000,safe", "103000,secondary")
        .replace("379000,safe", "379000,secondary")
        .replace("97000,safe", "97000,secondary")
    )
    assert tacita("tables", "audit", salary, *OPTIONS).exit_code == 0


def test_a_jj_file(salary, tmp_path):
    table = ta.read_table(salary, by=["sector", "region"], value="salary")
    table.write(tmp_path / "s.jj")
    done = tacita("tables", "audit", tmp_path / "s.jj", "--json")
    assert json.loads(done.stdout)["exact_disclosed"] == 3
    refused = tacita("tables", "audit", tmp_path / "s.jj", "--html", tmp_path / "s.html")
    assert "cannot be shown as a page" in refused.output
    assert not (tmp_path / "s.html").exists()


def test_several_tables_are_audited_together(salary, tmp_path):
    leak = tmp_path / "leak.csv"
    leak.write_text(
        "sector,region,salary\nIT,BCN,852000\nTotal,BCN,1566000\nIT,Total,949000\nTotal,Total,1916000\n"
    )
    alone = tacita("tables", "audit", salary, *OPTIONS, "--json")
    assert json.loads(alone.stdout)["suppressed"] == 3
    both = tacita("tables", "audit", salary, leak, *OPTIONS, "--json")
    assert "do not add up" in both.output
    other = tmp_path / "sectors.csv"
    other.write_text("sector,salary\nIT,949000\nFin,485000\nHC,482000\nTotal,1916000\n")
    done = tacita("tables", "audit", other, "--by", "sector", "--value", "salary")
    assert done.exit_code == 0


def test_whole_intervals_and_a_page(tmp_path):
    path = tmp_path / "n.csv"
    path.write_text("a,n,status\nx,3,sensitive\ny,4,secondary\nTotal,7,safe\n")
    done = tacita(
        "tables",
        "audit",
        path,
        "--by",
        "a",
        "--value",
        "n",
        "--whole",
        5,
        "--json",
        "--html",
        tmp_path / "n.html",
    )
    found = json.loads(done.stdout)
    assert [(one["lower"], one["upper"]) for one in found["whole_intervals"]] == [(0, 7), (0, 7)]
    assert "sensitive" in (tmp_path / "n.html").read_text()


def test_converting(salary, tmp_path):
    done = tacita("tables", "convert", salary, tmp_path / "s.xlsx", *OPTIONS)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "s.xlsx").stat().st_size
    assert "12 cells" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--hierarchy", "sector"],
            "Expected ATTRIBUTE=WHAT, like region=nuts.hrc; found 'sector'",
        ),
        (["--total", "sector=All"], "`sector` has no code 'All' for its total"),
        (["--form", "cvs"], "Did you mean `csv`"),
        (["--value", "pay"], "pay"),
    ],
)
def test_mistakes_are_told_in_a_sentence(salary, words, told):
    done = tacita("tables", "audit", salary, *OPTIONS, *words)
    assert done.exit_code == 1
    assert told in done.output
    assert "Traceback" not in done.output


def test_a_table_that_does_not_add_up(salary):
    salary.write_text(
        CSV.replace("97000,safe", "97001,safe").replace("852000,sensitive", "852000,safe")
    )
    done = tacita("tables", "audit", salary, *OPTIONS)
    assert "relations of the table do not add up: the parts of" in done.output
    assert "1 more than their total" in done.output
    assert tacita("tables", "audit", salary, *OPTIONS, "--rounding", 1).exit_code in (0, 1)


def test_tables_with_different_attributes_are_linked(tmp_path):
    """The second table tells the totals of the regions, which the first holds back."""
    (tmp_path / "one.csv").write_text(
        "sector,region,n,status\nIT,a,3,u\nIT,b,4,m\nFin,a,5,m\nFin,b,6,m\nTotal,a,8,m\n"
        "Total,b,10,m\nIT,Total,7,s\nFin,Total,11,s\nTotal,Total,18,s\n"
    )
    (tmp_path / "two.csv").write_text(
        "size,region,n,status\nbig,a,1,s\nsmall,a,7,s\nbig,b,10,s\nsmall,b,0,s\n"
        "Total,a,8,s\nTotal,b,10,s\nbig,Total,11,s\nsmall,Total,7,s\nTotal,Total,18,s\n"
    )
    files = (tmp_path / "one.csv", tmp_path / "two.csv")
    by = ["--by", "sector", "--by", "size", "--by", "region", "--value", "n"]
    done = tacita("tables", "audit", *files, *by, "--total", "size=Total", "--json")
    cells = {one["name"]: (one["lower"], one["upper"]) for one in json.loads(done.stdout)["cells"]}
    assert cells["one (region a)"] == (8, 8)
    refused = tacita("tables", "audit", *files, *by, "--by", "regio")
    assert "No file has a column `regio`. Did you mean `region`?" in refused.output


def test_an_attribute_may_have_several_hierarchies(tmp_path):
    (tmp_path / "a.hrc").write_text("north\n@a\n@b\nc\n")
    (tmp_path / "b.hrc").write_text("coast\n@a\n@c\nb\n")
    (tmp_path / "n.csv").write_text("r,n\nTotal,6\nnorth,3\na,\nb,\nc,3\ncoast,4\n")
    words = ["tables", "audit", tmp_path / "n.csv", "--by", "r", "--value", "n", "--json"]
    hierarchies = [f"r={tmp_path / name}" for name in ("a.hrc", "b.hrc")]
    done = tacita(*words, "--hierarchy", hierarchies[0], "--hierarchy", hierarchies[1])
    cells = {one["name"]: one["upper"] for one in json.loads(done.stdout)["cells"]}
    assert cells == {"(r a)": 1, "(r b)": 2}
    assert (
        "`r` has one total; found A, B" in tacita(*words, "--total", "r=A", "--total", "r=B").output
    )


class TestProtect:
    @pytest.mark.parametrize("method", ["optimal", "fast", "modular", "hypercube", "network"])
    def test_it_says_what_it_did_and_the_audit_agrees(self, salary, tmp_path, method):
        table = ta.read_table(salary, by=["sector", "region"], value="salary")
        table.write(tmp_path / "in.jj")
        words = ["--method", method, "--cost", "count", "--time-limit", 20]
        done = tacita(
            "tables", "protect", tmp_path / "in.jj", *words, "--out", tmp_path / "out.jj", "--json"
        )
        assert done.exit_code == 0, done.output
        said = json.loads(done.stdout)
        wanted = {"sensitive", "secondary", "suppressed_value", "exact_disclosed", "below_level",
                  "optimal", "gap", "seconds"}  # fmt: skip
        assert wanted <= set(said)
        assert (said["sensitive"], said["exact_disclosed"], said["below_level"]) == (3, 0, 0)
        audited = json.loads(tacita("tables", "audit", tmp_path / "out.jj", "--json").stdout)
        assert audited["safe"]
        assert audited["suppressed"] == said["sensitive"] + said["secondary"]

    def test_a_table_goes_out_without_its_suppressed_values(self, salary, tmp_path):
        done = tacita("tables", "protect", salary, *OPTIONS, "--out", tmp_path / "s.csv")
        assert done.exit_code == 0, done.output
        assert "safe: 3 sensitive cells" in done.stdout
        assert "852000" not in (tmp_path / "s.csv").read_text()

    def test_what_cannot_be_protected_is_told_and_nothing_written(self, tmp_path):
        path = tmp_path / "n.csv"
        path.write_text("a,n,status\nx,3,sensitive\ny,4,published\nTotal,7,published\n")
        done = tacita(
            "tables", "protect", path, "--by", "a", "--value", "n", "--out", tmp_path / "o.csv"
        )
        assert done.exit_code == 1
        assert "The sensitive cell (a x) cannot be protected" in done.output
        assert not (tmp_path / "o.csv").exists()

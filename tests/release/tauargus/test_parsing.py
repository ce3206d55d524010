"""From the text of a job to its commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.errors import InputError
from tacita.release.tauargus import commands as c
from tacita.release.tauargus.parsing import read_job

NAMES = st.text("abcdefgXYZ_ 019", min_size=1, max_size=8).filter(lambda name: name == name.strip())
FILES = st.text("abcXYZ ./\\:_()+", min_size=1, max_size=12).filter(
    lambda name: name == name.strip() and "//" not in name
)
NUMBERS = st.integers(0, 99).map(float)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("jobs") / "job.arb"


def commands(place, text):
    place.write_text(text)
    return read_job(place)


def only(place, text):
    (command,) = commands(place, text)
    return command


def refusal(place, text):
    with pytest.raises(InputError) as error:
        commands(place, text)
    return str(error.value).removeprefix(f"{place}, ")


# -- what is written is understood -----------------------------------------------------------------


@given(
    st.lists(NAMES, min_size=1, max_size=4), NAMES, NAMES | st.none(), NAMES | st.none(), NUMBERS
)
def test_tables(place, by, response, shadow, cost, power):
    said = "".join(f'"{name}"' for name in by)
    rest = f'"{shadow or ""}"|"{cost or ""}",{power}'
    found = only(place, f'<SPECIFYTABLE> {said}|"{response}"|{rest}')
    assert found == c.SpecifyTable(
        line=1, by=tuple(by), response=response, shadow=shadow, cost=cost, power=power
    )


RULES = {
    "P": st.lists(NUMBERS, min_size=1, max_size=3),
    "NK": st.lists(NUMBERS, min_size=2, max_size=2),
    "FREQ": st.lists(NUMBERS, min_size=2, max_size=2),
    "ZERO": st.lists(NUMBERS, min_size=1, max_size=1),
    "REQ": st.lists(NUMBERS, min_size=3, max_size=4),
}


@given(
    st.sets(st.sampled_from(sorted(RULES))).flatmap(
        lambda names: st.tuples(*(st.tuples(st.just(n), RULES[n]) for n in sorted(names)))
    ),
    st.booleans(),
    st.booleans(),
    NUMBERS,
)
def test_rules(place, rules, weighted, missing, margin):
    said = [f"{name}({','.join(map(str, numbers))})" for name, numbers in rules]
    said += [f"WGT({int(weighted)})", f"mis({int(missing)})", f"MAN({margin})"]
    assert only(place, f"<safetyrule> {'|'.join(said)}|") == c.SafetyRule(
        line=1,
        rules=tuple(c.Rule(name, tuple(numbers)) for name, numbers in rules),
        is_weighted=weighted,
        missing_is_safe=missing,
        manual_margin=margin,
    )


@given(
    st.integers(1, 99),
    st.integers(1, 6),
    st.dictionaries(st.sampled_from(["AS", "SE", "FL", "QU", "HL"]), st.booleans()),
    FILES,
)
def test_tables_to_write(place, table, form, options, file):
    said = "".join(f"{word}{'+' if on else '-'}" for word, on in options.items())
    found = only(place, f'<WRITETABLE> ({table}, {form}, {said}, "{file}")')
    assert (found.table, found.form, found.file) == (table, form, file)
    assert {word: found.has(word, usually=not on) for word, on in options.items()} == options


@pytest.mark.parametrize(
    ("said", "command"),
    [
        ("<READTABLE>", c.ReadTable(line=1)),
        ("<READTABLE> 1T", c.ReadTable(line=1, totals="computed", keeps_statuses=True)),
        ("<READTABLE> 2", c.ReadTable(line=1, totals="free")),
        ("<LOGBOOK> my log.txt", c.Logbook(line=1, file="my log.txt")),
        ('<SOLVER> CPLEX, "license.txt"', c.Solver(line=1, name="CPLEX")),
        (
            '<SPECIFYTABLE> "a"|<FREQ>||-1',
            c.SpecifyTable(line=1, by=("a",), response=None, cost_word="frequency"),
        ),
        (
            '<SPECIFYTABLE> a b|r|"s"|-2,0.5',
            c.SpecifyTable(
                line=1, by=("a", "b"), response="r", shadow="s", cost_word="unity", power=0.5
            ),
        ),
        (
            '<APRIORI> "x, y.hst", 2, ",", 0, 1',
            c.Apriori(
                line=1,
                file="x, y.hst",
                table=2,
                separator=",",
                skips_errors=False,
                expands_trivial=True,
            ),
        ),
        ('<APRIORY> a.hst,1,";"', c.Apriori(line=1, file="a.hst", table=1, separator=";")),
        ("<RECODE> 1, Size, 2", c.Recode(line=1, table=1, variable="Size", level=2)),
        (
            r'<RECODE> 1,"Size", "D:\a, b\s.grc"',
            c.Recode(line=1, table=1, variable="Size", file=r"D:\a, b\s.grc"),
        ),
        ("<SUPPRESS> GH(1)", c.Hypercube(line=1, table=1)),
        (
            "<SUPPRESS> gh(0, 75, 1, 0)",
            c.Hypercube(line=1, table=0, bounds=75, size=1, singletons=False),
        ),
        ("<SUPPRESS> MOD(2)", c.Modular(line=1, table=2)),
        (
            "<SUPPRESS> MOD(1,5,1,0,0,20000)",
            c.Modular(
                line=1,
                table=1,
                minutes=5,
                single_multiple=False,
                minimum_frequency=False,
                scale=20_000,
            ),
        ),
        ("<SUPPRESS> OPT(1,3)", c.Optimal(line=1, table=1, minutes=3)),
        ("<SUPPRESS> NET(1)", c.Network(line=1, table=1)),
        ("<SUPPRESS> CTA(1)", c.Adjustment(line=1, table=1)),
        ("<SUPPRESS> RND(1,5)", c.Rounding(line=1, table=1, base=5)),
        (
            "<SUPPRESS> RND(1,3,2,20,1,1,1)",
            c.Rounding(
                line=1,
                table=1,
                base=3,
                steps=2,
                minutes=20,
                partitions=True,
                stop=1,
                unit_cost=True,
            ),
        ),
        ("<CLEAR>", c.Clear(line=1)),
        ("<SILENT>", c.Silent(line=1)),
        ("<GOINTERACTIVE>", c.GoInteractive(line=1)),
        ('<VERSIONINFO> "v.txt"', c.VersionInfo(line=1, file="v.txt")),
    ],
)
def test_single_commands(place, said, command):
    assert only(place, said) == command


def test_comments_blank_lines_and_line_ends_of_windows(place):
    text = '// made by hand\r\n\r\n  <CLEAR> // all gone\r\n\\\\ old\r\n<LOGBOOK> "a//b.log"\r\n'
    assert commands(place, text) == [c.Clear(line=3), c.Logbook(line=5, file="a//b.log")]


# -- what cannot be understood ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("<SUPRESS> OPT(1)", "the command <SUPRESS> is unknown. Did you mean `SUPPRESS`?"),
        ("<XYZ>", "the command <XYZ> is unknown."),
        ("SUPPRESS OPT(1)", "expected a command such as <OPENMICRODATA>; found"),
        ("<JJ> a.jj", "<JJ> runs a JJ file; protect it with `tacita tables protect` instead."),
        ("<OPENMICRODATA>", "expected the name of a file; found nothing."),
        ("<SUPPRESS> OPTT(1)", "the method OPTT is unknown. Did you mean `OPT`?"),
        ("<SUPPRESS> OPT(1,2,3)", "OPT takes 1 to 2 numbers; found 1, 2, 3."),
        ("<SUPPRESS> OPT(x)", "expected a number; found `x`."),
        ("<SUPPRESS> OPT(1.5)", "expected a whole number; found `1.5`."),
        ("<SUPPRESS> OPT(-1)", "tables are numbered from 0 on; found -1."),
        ("<SUPPRESS> OPT(1,0)", "expected some minutes, above 0; found 0."),
        ("<SUPPRESS> OPT 1", "expected a word and numbers, like P(15,1); found `OPT 1`."),
        ("<SUPPRESS> NET(1) now", "expected nothing after NET(...); found `now`."),
        ("<SUPPRESS> RND(1)", "RND needs a base above 0"),
        ("<SUPPRESS> CKM(1)", "CKM is not run in jobs; perturb the table with `cell_key_counts`"),
        ("<SAFETYRULE> PP(1)", "the rule PP is unknown. Did you mean `P`?"),
        ("<SAFETYRULE> NK(1)", "NK takes 2 numbers; found 1."),
        ("<SAFETYRULE> P(1)P(2)", "expected `|` after P(...)"),
        ("<SAFETYRULE> WGT(2)", "WGT takes 0 or 1; found 2."),
        ("<SAFETYRULE> MAN(-1)", "MAN takes a percentage of 0 or more; found -1."),
        ("<SAFETYRULE> FREQ(1,1)|FREQ(1,1)|FREQ(1,1)", "expected at most 2 rules FREQ"),
        ('<SPECIFYTABLE> "a"', "expected the variables and the response"),
        ('<SPECIFYTABLE> "a"|""', "expected the response, a variable or <FREQ>; found nothing."),
        ('<SPECIFYTABLE> "a"|"b"||-3', "costs by distance (-3) are not known here"),
        ('<SPECIFYTABLE> "a"|"b"|||"x"', "expected up to four parts between `|`; found 5."),
        ('<SPECIFYTABLE> "a"|"b"||-1,x', "expected a number; found `x`."),
        ("<READTABLE> 7", "expected nothing, or 0, 1 or 2 and perhaps T or F; found `7`."),
        ("<READMICRODATA> now", "expected nothing after the command; found `now`."),
        ("<APRIORI> a.hst, 1", "expected a file, the number of a table, a separator"),
        ('<APRIORI> a.hst, 1, "tab"', "expected one character as the separator; found `tab`."),
        ('<APRIORI> a.hst, 1, ";", 2', "expected 0 or 1; found `2`."),
        ("<RECODE> 1, Size", "expected the number of a table, a variable and a recode file"),
        ("<WRITETABLE> 1, 3, AS+, a.txt", "expected a table, a form, options and a file"),
        ("<WRITETABLE> (1, 8, AS+, a.txt)", "expected a form from 1 to 6; found 8."),
        ("<WRITETABLE> (1, 7, AO+, a.txt)", "form 7 is of tables perturbed by cell keys"),
        ("<WRITETABLE> (1, 3, AX+, a.txt)", "the option AX is unknown; there are HL, SO"),
        ("<WRITETABLE> (1, 3, AS, a.txt)", "expected options such as AS+SE-; found `AS`."),
        ("<WRITETABLE> (0, 3, AS+, a.txt)", "tables are numbered from 1 on; found 0."),
        ("<SOLVER> GUROBI", "expected one of FREE, CPLEX, XPRESS; found `GUROBI`."),
    ],
)
def test_a_line_that_cannot_be_understood_is_named(place, said, sentence):
    assert refusal(place, f"// first\n\n{said}\n").startswith(f"line 3: {sentence}")


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), max_size=40))
def test_whatever_a_line_holds_it_is_understood_or_refused_in_a_sentence(place, text):
    for word in ("SUPPRESS", "SAFETYRULE", "SPECIFYTABLE", "WRITETABLE", "APRIORI", "RECODE"):
        place.write_bytes(f"<CLEAR>\n<{word}> {text}\n".encode())
        try:
            found = [command.line for command in read_job(place)]
        except InputError as error:
            found = [1, int(str(error).startswith(f"{place}, line 2: ")) + 1]
        assert found == [1, 2]


def test_no_such_job(tmp_path):
    (tmp_path / "job.arb").write_text("")
    with pytest.raises(InputError, match=r"Did you mean `job\.arb`"):
        read_job(tmp_path / "jobs.arb")
    with pytest.raises(InputError, match="is empty; expected commands of tau-ARGUS, such as <OPEN"):
        read_job(tmp_path / "job.arb")
    (tmp_path / "job.arb").write_text("// later\n\n")
    with pytest.raises(InputError, match="nothing but comments; expected commands of tau-ARGUS"):
        read_job(tmp_path / "job.arb")

"""A job from its begin to its end: order, files, log, and what happens when something is wrong."""

from __future__ import annotations

from typing import get_args

import pytest

from tacita.errors import InputError, OutputError
from tacita.release.tauargus import commands, running, suppressing
from tacita.release.tauargus.running import run_job

OPEN = '<OPENMICRODATA> "firms.asc"\n<OPENMETADATA> "firms.rda"\n'
TABLE = f'{OPEN}<SPECIFYTABLE> "region""size"|"turnover"||\n<SAFETYRULE> P(15)|FREQ(3,20)\n'
READ = f"{TABLE}<READMICRODATA>\n"


def files(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_what_is_told_and_counted(run, folder):
    text = f'<LOGBOOK> "my.log"\n{READ}<SOLVER> CPLEX\n<SUPPRESS> OPT(1,1)\n'
    done = run(f'{text}<WRITETABLE> (1, 3, AS+, "t.txt")\n<VERSIONINFO> "v.txt"\n')
    (one,) = done.tables
    log = (folder / "my.log").read_text()
    assert log == "".join(f"{line}\n" for line in done.log)
    assert "line 7: the solver CPLEX is not used; Tacita has its own" in log
    assert f"line 8: table 1 (region x size | turnover): {8 * 5} cells" in log
    for status, number in one.counts().items():
        assert f"  {status:>2} " in log
        assert f"{number}\n" in log
    assert sum(one.counts().values()) == 8 * 5
    assert "Tacita" in (folder / "v.txt").read_text()
    assert set(done.files) == {folder / "t.txt", folder / "v.txt", folder / "my.log"}
    assert done.to_dict()["tables"][0]["statuses"]["secondary"] == one.counts()[11]


def test_a_log_goes_on_where_the_last_one_ended(run, folder):
    first = run(f'<LOGBOOK> "my.log"\n{READ}').log
    second = run(f'<LOGBOOK> "my.log"\n{READ}').log
    told = (folder / "my.log").read_text().splitlines()
    assert told == [*first, *second]


def test_files_go_to_the_folder_that_is_said(run, folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "new" / "folder"
    before = files(folder)
    run(f'<LOGBOOK> "a.log"\n{READ}<WRITETABLE> (1, 3, AS+, "D:\\x\\t.txt")\n', out=out)
    assert files(out) == {"a.log", "t.txt"}
    assert files(folder) == before | {"job.arb"}


def test_two_files_of_one_name_in_that_folder(run, folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    text = f"{READ}<WRITETABLE> (1, 3, , a/t.txt)\n<WRITETABLE> (1, 2, , b/t.txt)\n"
    with pytest.raises(OutputError, match=r"line 7: Two files of the job would be .*t\.txt"):
        run(text, out=out)
    assert not files(out)


def test_a_job_that_fails_leaves_its_log_and_nothing_else(refused, folder):
    (folder / "t.txt").write_text("of the last job")
    before = files(folder) | {"job.arb", "a.log"}
    text = f'<LOGBOOK> a.log\n{READ}<WRITETABLE> (1, 3, AS+, "t.txt")\n<WRITETABLE> (1, 3, , "n.txt")\n'
    told = refused(f"{text}<SUPPRESS> OPT(2)\n")
    assert told == f"{folder / 'job.arb'}, line 9: there is no table 2; there are 1."
    assert files(folder) == before
    assert (folder / "t.txt").read_text() == "of the last job"
    last = (folder / "a.log").read_text().splitlines()[-1]
    assert last == f"The job failed, and no table was written: {told}"


def test_files_that_cannot_be_written_are_none(run, folder):
    text = f'{READ}<WRITETABLE> (1, 3, AS+, "t.txt")\n<WRITETABLE> (1, 3, AS+, "no/such/t.txt")\n'
    with pytest.raises(OutputError, match="Create the folder"):
        run(text)
    assert not (folder / "t.txt").exists()


def test_nothing_is_read_of_a_job_with_a_line_that_cannot_be_understood(refused, folder):
    told = refused(f'<LOGBOOK> a.log\n{READ}<WRITETABEL> (1, 3, AS+, "t.txt")\n')
    assert "line 7: the command <WRITETABEL> is unknown. Did you mean `WRITETABLE`?" in told
    assert not (folder / "a.log").exists()


def test_windows_are_named_and_end_the_job(run, folder):
    done = run(f'{READ}<SILENT>\n<GOINTERACTIVE>\n<WRITETABLE> (1, 3, AS+, "t.txt")\n')
    assert done.log[-1].startswith("line 7: <GOINTERACTIVE> is not possible without windows")
    assert not (folder / "t.txt").exists()


def test_a_job_may_begin_anew(run):
    other = TABLE.replace('"region""size"', '"sector"')
    (one,) = run(f"{READ}<CLEAR>\n{other}<READMICRODATA>\n").tables
    assert one.name == "sector | turnover"


def test_tables_are_numbered_as_they_come(run):
    again = '<SPECIFYTABLE> "sector"|<FREQ>||\n<SAFETYRULE> FREQ(3,20)\n<READMICRODATA>\n'
    done = run(READ + again)
    assert [one.name for one in done.tables] == ["region x size | turnover", "sector | <FREQ>"]


def test_without_rules_nothing_is_sensitive_and_that_is_told(run):
    done = run(f'{OPEN}<SPECIFYTABLE> "size"|"turnover"||\n<READMICRODATA>\n')
    assert not done.tables[0].table.cells.sensitive.any()
    assert "line 4: table 1 has no <SAFETYRULE>; no cell is called unsafe" in done.log
    assert not any("<SAFETYRULE>" in line for line in run(READ).log)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('<OPENMETADATA> "firms.rda"\n', "line 1: a data file must be opened before"),
        ('<OPENMICRODATA> "firm.asc"\n', "line 1: there is no file firm.asc beside the job"),
        ('<SPECIFYTABLE> "a"|"b"||\n', "line 1: data and their description must be opened"),
        (f"{OPEN}<SAFETYRULE> P(10)\n", "line 3: a <SPECIFYTABLE> must stand before"),
        (f"{TABLE}<SAFETYRULE> P(10)\n", "line 5: a <SPECIFYTABLE> must stand before"),
        (f"{OPEN}<READMICRODATA>\n", "line 3: microdata and a table must be said"),
        (f"{TABLE}<READTABLE>\n", "line 5: the data of a table, and the table, must be said"),
        (f"{TABLE}<SUPPRESS> OPT(1)\n", "line 5: there is no table 1; none was read yet"),
        (f"{TABLE}<SUPPRESS> GH(0)\n", "line 5: there is no table yet"),
        (f"{READ}{OPEN}", "line 6: data are open already; <CLEAR> them first"),
        (f"{READ}<APRIORI> no.hst, 1, ;\n", "line 6: there is no file no.hst"),
        (f"{READ}<WRITETABLE> (2, 3, , a.txt)\n", "line 6: there is no table 2"),
    ],
)
def test_what_cannot_be_done_is_told_with_its_line(refused, text, sentence):
    assert sentence in refused(text)


def test_a_table_that_cannot_be_protected(refused, folder):
    cells = '<SPECIFYTABLE> "size"|"turnover"||\n<SAFETYRULE> FREQ(4,20)\n<READMICRODATA>\n'
    (folder / "p.hst").write_text("2;p\n3;p\n10;p\n;p\n99;u\n")
    told = refused(f'{OPEN}{cells}<APRIORI> "p.hst", 1, ";", 0\n<SUPPRESS> OPT(1)\n')
    assert "line 7: " in told
    assert "99" in told


def test_no_such_job(tmp_path):
    with pytest.raises(InputError, match="There is no file"):
        run_job(tmp_path / "job.arb")


def test_every_command_is_followed_and_every_way_is_a_method():
    followed = vars(running._Running)["_follow"].dispatcher
    for command in commands.Command.__subclasses__():
        assert followed.dispatch(command) is not followed.dispatch(object), command
    for way in get_args(commands.Suppress):
        assert suppressing.way_of.dispatch(way) is not suppressing.way_of.dispatch(object), way

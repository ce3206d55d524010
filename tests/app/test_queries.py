from __future__ import annotations

import json
import re
import sqlite3
import time
from html import unescape
from itertools import count

import pytest
import yaml

import tacita as ta
from tacita.api.database import serve_plan
from tacita.app.bench import Bench
from tacita.app.databases import is_open
from tacita.app.rooms import queries_watching
from tacita.app.rooms.ask import KEYWORDS, STATISTICS
from tacita.queries.language.parse import parse
from tacita.queries.ledger.store import open_store
from tacita.queries.public_classes import PublicClasses
from tacita.registry import family

pytestmark = pytest.mark.usefixtures("kept_hands")

FIRMS = {
    "sector": ["IT"] * 6 + ["HC"] * 6 + ["Fin"] * 3,
    "region": ["BCN"] * 3 + ["TGN"] * 3 + ["BCN"] * 3 + ["TGN"] * 3 + ["BCN", "BCN", "TGN"],
    "salary": [500000, 320000, 32000, 35000, 34000, 28000, 300000, 45000, 34000, 45000, 34000,
               24000, 300000, 35000, 150000],
}  # fmt: skip
ALONE = "SELECT sum(salary) FROM firms WHERE sector = 'Fin' AND region = 'TGN'"


@pytest.fixture
def place(monkeypatch, tmp_path_factory, person) -> str:
    """A project of fifteen salaries, with roles; keys of ledgers are made in a folder of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.mktemp("settings")))
    folder = person.bench.workplace.folder
    rows = zip(*FIRMS.values(), strict=True)
    (folder / "firms.csv").write_text(
        "\n".join([",".join(FIRMS), *(",".join(map(str, row)) for row in rows)]) + "\n"
    )
    plan = {
        "data": {
            "source": "firms.csv",
            "attributes": {"sector": "key", "region": "key", "salary": "confidential"},
        }
    }
    (folder / "start.yaml").write_text(yaml.safe_dump(plan))
    go: str = person.fill("/projects", plan="start.yaml")["go"]
    return go.removesuffix("/data")


def guard(person, place: str, method: str = "query_set_size", **parameters: str) -> None:
    """Choose the first policy, and call the view by its name."""
    current = person.bench.projects.get(place.removeprefix("/p/")).current
    said = {f"p:{name}": one for name, one in parameters.items()}
    kept = person.fill(f"{place}/queries/policies", variant=str(current), method=method, **said)
    assert kept == {"status": 200, "go": ""}
    kept = person.fill(
        f"{place}/queries/settings",
        variant=str(current + 1),
        view="firms",
        ledger="firms-ledger.db",
        tokens="firms-tokens.json",
    )
    assert kept == {"status": 200, "go": ""}


def opened(person, place: str) -> str:
    return person.shown(person.fill(f"{place}/queries/open")["load"])


def asked(person, place: str, sql: str, **more: str) -> str:
    sent = person.fill(f"{place}/ask", sql=sql, **{"user": "ana", **more})
    assert sent["status"] == 200, sent
    return person.shown(sent["load"])


def plan_of(person, place: str) -> dict:
    return yaml.safe_load(person.get(f"{place}/plan.yaml").text)


def told(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_the_first_policy_begins_a_database(person, place):
    page = person.get(f"{place}/queries").text
    assert "Choose a policy to begin" in page
    form = person.shown(f"{place}/queries/form?method=query_set_size")
    assert 'name="p:k"' in form
    assert "When not to use it" in form
    kept = person.fill(
        f"{place}/queries/policies", variant="0", method="query_set_size", **{"p:k": "3"}
    )
    assert kept == {"status": 200, "go": ""}
    assert plan_of(person, place)["queries"] == {
        "view": "start",
        "ledger": "start-ledger.db",
        "tokens": "start-tokens.json",
        "policies": [{"query_set_size": {"k": 3}}],
    }
    shown = person.shown(f"{place}/queries/view")
    assert "No single answer is about fewer than 3 records" in told(shown)
    assert "IT" in shown
    assert not (person.bench.workplace.folder / "start-ledger.db").exists()


def test_policies_are_edited_moved_and_removed(person, place):
    guard(person, place, k="3")
    person.fill(f"{place}/queries/policies", variant="2", method="audit")
    edit = person.shown(f"{place}/queries/form?at=0")
    assert 'value="3"' in edit
    person.fill(
        f"{place}/queries/policies", variant="3", method="query_set_size", at="0", **{"p:k": "4"}
    )
    person.fill(f"{place}/queries/policies/move", variant="4", at="1", do="up")
    assert plan_of(person, place)["queries"]["policies"] == [
        {"audit": {}},
        {"query_set_size": {"k": 4}},
    ]
    person.fill(f"{place}/queries/policies/move", variant="5", at="0", do="remove")
    gone = person.fill(f"{place}/queries/policies/move", variant="6", at="0", do="remove")
    assert gone["status"] == 400
    assert "needs a policy" in gone["detail"]
    person.fill(f"{place}/undo")
    assert len(plan_of(person, place)["queries"]["policies"]) == 2


def test_settings_are_kept_as_a_plan_says_them(person, place):
    guard(person, place, k="3")
    said = {
        "view": "firms", "ledger": "l.db", "rate": "5", "published": "SELECT count(*) FROM firms\n",
    }  # fmt: skip
    person.fill(f"{place}/queries/settings", variant="2", **said)
    assert plan_of(person, place)["queries"] == {
        "view": "firms",
        "ledger": "l.db",
        "published": ["SELECT count(*) FROM firms"],
        "rate": 5,
        "policies": [{"query_set_size": {"k": 3}}],
    }
    page = person.get(f"{place}/queries").text
    assert 'value="l.db"' in page
    person.fill(f"{place}/queries/remove", variant="3")
    assert "queries" not in plan_of(person, place)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"view": "", "ledger": "l.db"}, "`view`"),
        ({"view": "a b", "ledger": "l.db"}, "letters, digits"),
        ({"view": "a", "ledger": "/srv/l.db"}, "not in the folder"),
        ({"view": "a", "ledger": "../l.db"}, "not in the folder"),
        ({"view": "a", "ledger": "l.db", "tokens": "/etc/passwd"}, "not in the folder"),
        ({"view": "a", "ledger": "l.db", "key_file": "../k"}, "not in the folder"),
        ({"view": "a", "ledger": "l.db", "known": "[1"}, "a list such as"),
        ({"view": "a", "ledger": "l.db", "rate": "many"}, "number"),
        ({"view": "a", "ledger": "l.db", "input": "masked"}, "nothing masks"),
    ],
)
def test_settings_that_cannot_be_are_refused_in_a_sentence(person, place, said, why):
    guard(person, place, k="3")
    before = plan_of(person, place)
    reply = person.fill(f"{place}/queries/settings", variant="2", **said)
    assert reply["status"] == 400
    assert why in reply["detail"]
    assert plan_of(person, place) == before


def test_a_database_is_opened_asked_and_closed(person, place):
    guard(person, place, "audit")
    folder = person.bench.workplace.folder
    early = person.fill(f"{place}/ask", sql="SELECT count(*) FROM firms", user="ana")
    assert early["status"] == 400
    assert "closed" in early["detail"]
    assert "It begins when" in person.shown(f"{place}/queries/ledger")
    assert "Open here" in opened(person, place)
    assert (folder / "firms-ledger.db").exists()
    answer = asked(person, place, "SELECT sector, sum(salary) AS s FROM firms GROUP BY sector;")
    assert "949,000" in answer
    assert "482,000" in answer
    assert "of no single record can be computed" in told(answer)
    refused = asked(person, place, ALONE)
    assert "does not allow an answer" in refused
    assert "150,000" not in refused
    wrong = asked(person, place, "SELECT salary FROM firms")
    assert 'class="notice wrong"' in wrong
    state = told(person.shown(f"{place}/queries/state"))
    assert "queries understood 2" in state
    ledger = person.shown(f"{place}/queries/ledger")
    assert "ana" in ledger
    assert "language" in ledger
    history = told(person.shown(f"{place}/ask/history"))
    assert history.index("not understood") < history.index("refused") < history.index("answered")
    later = Bench.at(person.bench.workplace)  # as after a restart
    assert is_open(later, later.projects.get(place.removeprefix("/p/")))
    later.jobs.close()
    assert "Open the database" in person.shown(person.fill(f"{place}/queries/close")["load"])
    kinds = [entry.kind for entry in open_store(folder / "firms-ledger.db").read()]
    assert kinds == ["ledger", "data", "answer", "answer", "language"]


def test_the_plan_is_served_from_the_command_line_with_the_same_history(person, place):
    guard(person, place, "audit")
    opened(person, place)
    total = "SELECT sum(salary) FROM firms"
    rest = f"{total} WHERE NOT (sector = 'Fin' AND region = 'TGN')"
    assert "1,916,000" in asked(person, place, total)
    person.shown(person.fill(f"{place}/queries/close")["load"])
    person.fill(f"{place}/queries/plan")
    assert "tacita serve firms.yaml" in told(person.get(f"{place}/queries").text)
    served = serve_plan(person.bench.workplace.folder / "firms.yaml")
    with served.guard:
        assert served.guard.ask(rest, user="ben").is_refused
    person.fill(f"{place}/queries/plan")
    assert not (person.bench.workplace.folder / "firms 2.yaml").exists()


def test_a_ledger_that_somebody_else_writes_is_left_alone(person, place):
    guard(person, place, "audit")
    person.fill(f"{place}/queries/plan")
    with serve_plan(person.bench.workplace.folder / "firms.yaml").guard as other:
        other.ask("SELECT count(*) FROM firms", user="eve")
        shown = opened(person, place)
        assert "is being written by another process" in shown
        assert "Try again" in shown
        assert "eve" in person.shown(f"{place}/queries/ledger")
    assert "Open here" in opened(person, place)


def test_budgets_go_down_and_explaining_takes_nothing(person, place):
    bounds = "{salary: [0, 600000]}"
    guard(person, place, "private_answers", epsilon="2", bounds=bounds)
    before = told(opened(person, place))
    assert "curator 2" in before
    count = "SELECT count(*) FROM firms"
    explained = told(asked(person, place, count, do="explain"))
    assert "private_answers" in explained
    assert "ana 2" in told(person.shown(f"{place}/queries/state"))
    answer = told(asked(person, place, count))
    assert "What it cost" in answer
    assert "What is left" in answer
    assert "ana 1.98" in told(person.shown(f"{place}/queries/state"))


def test_changed_policies_are_noted_and_the_history_goes_on(person, place):
    guard(person, place, k="3")
    opened(person, place)
    assert "refused" in asked(person, place, ALONE)
    person.fill(
        f"{place}/queries/policies", variant="2", at="0", method="query_set_size", **{"p:k": "1"}
    )
    assert "150,000" in asked(person, place, ALONE)
    store = open_store(person.bench.workplace.folder / "firms-ledger.db")
    assert [entry.kind for entry in store.read()] == [
        "ledger", "data", "answer", "policies", "answer",
    ]  # fmt: skip


def test_what_is_asked_again_is_recorded_again_and_tampering_is_found(person, place):
    guard(person, place, k="3")
    opened(person, place)
    sql = "SELECT count(*) FROM firms WHERE sector = ?"
    for _ in range(2):
        assert ">6<" in asked(person, place, sql, parameters='["HC"]')
    reply = person.fill(f"{place}/ask", sql=sql, user="ana", parameters="HC")
    assert reply["status"] == 400
    assert "JSON list" in reply["detail"]
    path = person.bench.workplace.folder / "firms-ledger.db"
    assert [entry.kind for entry in open_store(path).read()].count("answer") == 2
    sound = person.shown(person.fill(f"{place}/queries/verify")["load"])
    assert "is what was written" in sound
    person.shown(person.fill(f"{place}/queries/close")["load"])
    with sqlite3.connect(path) as ledger:
        ledger.execute("DROP TRIGGER nothing_changes")
        ledger.execute("UPDATE entries SET payload = replace(payload, 'ana', 'eve')")
    broken = person.shown(person.fill(f"{place}/queries/verify")["load"])
    assert "was tampered with" in broken


def test_users_are_let_in_and_out_and_secrets_are_told_once(person, place):
    guard(person, place, k="3")
    assert "Nobody has a token" in person.get(f"{place}/queries/users").text
    said = person.fill(f"{place}/queries/users", user="ana", role="analyst", days="30")
    assert said["secret"].startswith("tacita_")
    shown = person.get(said["load"]).text
    assert said["secret"] not in shown
    assert "valid" in shown
    kept = json.loads((person.bench.workplace.folder / "firms-tokens.json").read_text())
    person.fill(f"{place}/queries/users/revoke", token=kept["tokens"][0]["id"])
    assert "revoked" in person.get(f"{place}/queries/users").text
    session = person.bench.workplace.session
    texts = [one.read_text(errors="replace") for one in session.rglob("*") if one.is_file()]
    assert not any(said["secret"] in text for text in texts)


@pytest.mark.parametrize(
    "form",
    [
        {"user": "ana", "role": "king", "days": "3"},
        {"user": "", "role": "analyst", "days": "3"},
        {"user": "ana", "role": "analyst", "days": "soon"},
        {"user": "ana", "role": "analyst", "days": "-1"},
    ],
)
def test_users_that_cannot_be_are_refused_in_a_sentence(person, place, form):
    guard(person, place, k="3")
    assert person.fill(f"{place}/queries/users", **form)["status"] == 400
    assert not (person.bench.workplace.folder / "firms-tokens.json").exists()


def attacked(person, place: str, **form) -> str:
    variant = str(person.bench.projects.get(place.removeprefix("/p/")).current)
    sent = person.fill(
        f"{place}/queries/attack",
        **{"variant": variant, "attribute": "salary", "victims": "1", "seconds": "60", **form},
    )
    assert sent["status"] == 200, sent
    return told(person.shown(sent["load"]))


def test_attacks_tell_a_weak_policy_from_a_strong_one(person, place):
    guard(person, place, k="3")
    attacks = ["general_tracker", "individual_tracker", "injection"]
    weak = attacked(person, place, attack=attacks)
    assert "general tracker succeeded, 1 of 1" in weak
    assert "150,000 (right)" in weak
    assert "injection withstood" in weak
    assert not (person.bench.workplace.folder / "firms-ledger.db").exists()
    person.fill(f"{place}/queries/policies", variant="2", at="0", method="audit")
    strong = attacked(person, place, attack=attacks)
    assert "0 attacks of 3 succeeded" in strong
    assert "150,000" not in strong


def test_every_attack_is_run_and_tells_what_it_came_to(person, place):
    guard(person, place, "audit")
    attacks = list(family("query attack"))
    found = attacked(person, place, attack=attacks, seconds="1")
    assert f"0 attacks of {len(attacks)} succeeded" in found
    for name in attacks:
        row = found.split(name.replace("_", " "))[1].lstrip()
        assert row.startswith(("withstood", "no result")), name


def test_an_attack_without_a_target_says_so(person, place):
    guard(person, place, k="3")
    said = {"variant": "2", "attack": ["padding"], "victims": "1", "seconds": "5"}
    sent = person.fill(f"{place}/queries/attack", attribute="sector", **said)
    assert "Expected a confidential number" in person.shown(sent["load"])
    none = person.fill(f"{place}/queries/attack", variant="2", attribute="salary")
    assert none["status"] == 400


def test_names_and_values_are_hostile(person, place):
    folder = person.bench.workplace.folder
    hostile = "<script>alert(1)</script>"
    lines = [f'"{hostile}",pay', *(f'"{hostile}{i % 2}",{i}' for i in range(12))]
    (folder / "h.csv").write_text("\n".join(lines) + "\n")
    roles = {hostile: "key", "pay": "confidential"}
    plan = {"data": {"source": "h.csv", "attributes": roles}}
    (folder / "h.yaml").write_text(yaml.safe_dump(plan))
    other = person.fill("/projects", plan="h.yaml")["go"].removesuffix("/data")
    kept = person.fill(
        f"{other}/queries/policies", variant="0", method="query_set_size", **{"p:k": "2"}
    )
    assert kept["status"] == 200
    opened(person, other)
    sql = f'SELECT "{hostile}", count(*) FROM h GROUP BY "{hostile}"'  # noqa: S608 - on purpose
    pages = [
        asked(person, other, sql, user=hostile),
        person.shown(f"{other}/queries/view"),
        person.shown(f"{other}/queries/state"),
        person.shown(f"{other}/queries/ledger"),
        person.shown(f"{other}/ask/history"),
        person.shown(f"{other}/ask/about"),
        person.get(f"{other}/ask").text,
        person.get(f"{other}/queries").text,
    ]
    assert not any("<script>alert" in page for page in pages)
    assert any("&lt;script&gt;alert" in page for page in pages)


def test_jobs_of_others_are_not_answers(person, place):
    guard(person, place, k="3")
    sent = person.fill(f"{place}/queries/verify")
    name = sent["load"].rsplit("/", 1)[1]
    for where in (f"{place}/ask/answered/{name}", f"{place}/queries/attacked/{name}"):
        assert person.get(where).status_code == 404


def toys(person, place: str, **more: object) -> str:
    """A project of the toy data, which the examples of policies are about."""
    plan = {"data": {"example": {"toy": 200}, **more}}
    folder = person.bench.workplace.folder
    (folder / "toy.yaml").write_text(yaml.safe_dump(plan))
    go: str = person.fill("/projects", plan="toy.yaml")["go"]
    return go.removesuffix("/data")


def test_every_policy_is_chosen_with_its_example_opened_and_asked(person, place, monkeypatch):
    monkeypatch.setenv("TACITA_TRIED", "6b" * 32)  # of policies whose noise has a key
    toy = toys(person, place)
    for name, policy in family("policy").items():
        form = person.shown(f"{toy}/queries/form?method={name}")
        said = {f"p:{word}": json.dumps(one) for word, one in policy.example.items()}
        if "attribute" in policy.example:
            said["p:attribute"] = policy.example["attribute"]
        if 'name="p:key_from"' in form:
            said["p:key_from"] = "TACITA_TRIED"
        kept = person.fill(f"{toy}/queries/policies", variant="0", method=name, **said)
        assert kept == {"status": 200, "go": ""}, name
        (chosen,) = plan_of(person, toy)["queries"]["policies"]
        assert {**chosen[name], "key_from": None} == {**policy.example, "key_from": None}
        assert name in told(person.shown(f"{toy}/queries/view"))
        assert "Open here" in opened(person, toy), name
        answer = told(asked(person, toy, "SELECT sum(income) FROM toy"))
        assert "What holds" in answer or "refused" in answer, name
        assert "PRIVACY" in asked(person, toy, "SELECT count(*) FROM toy", do="explain")


def test_what_a_policy_lets_analysts_name_beyond_is_shown(person, place):
    toy = toys(person, place)
    said = {"epsilon": "1", "delta": "1e-6", "bounds": "{income: [0, 100000]}"}
    kept = person.fill(
        f"{toy}/queries/policies", variant="0", method="private_answers",
        **{f"p:{word}": text for word, text in said.items()}, **{"p:private_categories": "[disease]"},
    )  # fmt: skip
    assert kept == {"status": 200, "go": ""}
    for part in ("ask/about", "queries/view"):
        shown = told(person.shown(f"{toy}/{part}"))
        assert "Confidential, but may be grouped by disease" in shown
    guard(person, place, k="3")
    assert "may be grouped by" not in told(person.shown(f"{place}/ask/about"))


def test_a_reload_keeps_the_question_and_the_values_of_its_parameters(person, place):
    guard(person, place, k="3")
    opened(person, place)
    sql = "SELECT avg(salary) FROM firms WHERE sector = ?"
    asked(person, place, sql, parameters='["IT"]', do="explain")
    page = person.get(f"{place}/ask").text
    assert f">{sql}</textarea>" in page
    assert 'value="[&#34;IT&#34;]"' in page
    history = person.get(f"{place}/ask/history").text
    assert f'data-asked="{sql}"' in history
    assert "<td>explained</td>" in history


def test_the_console_completes_words_that_the_language_has(person, place):
    guard(person, place, k="3")
    page = person.get(f"{place}/ask").text
    words = json.loads(page.split("data-language>")[1].split("<")[0])
    assert words == [*STATISTICS, *KEYWORDS]
    toy = PublicClasses.of(ta.example("toy"), "toy")
    two = {"corr(", "covar_pop(", "covar_samp(", "regr_slope("}
    for word in STATISTICS:
        inside = ", age" if word in two else ", 0.5" if word == "quantile(" else ""
        attribute = "age" if "DISTINCT" in word else "income"
        asks = word if word.endswith(")") else f"{word}{attribute}{inside})"
        parse(f"SELECT {asks} FROM toy", toy)  # noqa: S608 - on purpose
    sql = (
        "SELECT region AS r, CASE WHEN age BETWEEN 1 AND 40 THEN 1 ELSE 0 END, count(*) FROM toy "
        "WHERE NOT region IN ('x') OR zip LIKE '1%' AND age IS NOT NULL OR CAST(zip AS text) "
        "IS NULL GROUP BY {} HAVING count(*) > 1 ORDER BY 1 ASC, 2 DESC NULLS LAST LIMIT 3 OFFSET 1"
    )
    groups = ("region, 2", "ROLLUP (region, 2)", "CUBE (region, 2)", "GROUPING SETS ((region, 2))")
    texts = [sql.format(one) for one in groups]
    for text in texts:
        parse(text, toy)
    known = {"EXPLAIN PRIVACY"}  # which the guard understands
    assert not [word for word in KEYWORDS if word not in " ".join(texts) and word not in known]


def test_a_ledger_that_others_write_to_all_the_time_is_shown(person, place, monkeypatch):
    guard(person, place, "audit")
    opened(person, place)
    stamps = count()
    monkeypatch.setattr(queries_watching, "stamp_of", lambda *_: next(stamps))
    for part, says in {"ledger": "Entries", "state": "Open here"}.items():
        waiting = person.get(f"{place}/queries/{part}").text
        job = waiting.split('data-job="')[1][:12]
        while person.get(f"/jobs/{job}?wait=true").json()["state"] != "done":
            pass
        then = unescape(waiting.split('data-then="')[1].split('"')[0])
        assert says in person.get(then).text


def test_a_database_stays_open_when_its_opening_was_long_ago(person, place, monkeypatch):
    guard(person, place, "audit")
    opened(person, place)
    monkeypatch.setattr("tacita.app.jobs.KNOWN", 0)
    jobs, project = person.bench.jobs, person.bench.projects.get(place.removeprefix("/p/"))
    asked = (project, project.variant, "records")
    name = jobs.ask(*asked, "Reading", first=0).identifier
    while name in [one.identifier for one in jobs.all()]:
        time.sleep(0.05)
    assert jobs.result(*asked, first=0) is not None
    assert is_open(person.bench, project)


def test_a_file_of_tokens_is_added_to_the_plan_that_was_looked_at(person, place, monkeypatch):
    guard(person, place, "audit")
    person.fill(f"{place}/queries/settings", variant="2", view="firms", ledger="l.db")
    having, projects = queries_watching.having_database, person.bench.projects

    def beside(plan, said):
        projects.goto(place.removeprefix("/p/"), 0)  # another tab, just now
        return having(plan, said)

    monkeypatch.setattr(queries_watching, "having_database", beside)
    added = person.fill(f"{place}/queries/users", user="ben", role="analyst", days="3")
    assert added["status"] == 200
    variant = projects.get(place.removeprefix("/p/")).variant
    assert (variant.parent, variant.beside) == (3, 0)
    assert variant.part("queries", "tokens") == "firms-tokens.json"


def test_an_answer_that_is_lost_hides_no_other(person, place):
    guard(person, place, "audit")
    opened(person, place)
    for user in ("ana", "ben"):
        asked(person, place, "SELECT count(*) FROM firms", user=user)
    project = person.bench.projects.get(place.removeprefix("/p/"))
    last = person.bench.jobs.all()[0]
    person.bench.jobs._place(project, last.key).unlink()
    history = told(person.get(f"{place}/ask/history").text)
    assert "ben SELECT count(*) FROM firms no longer there" in history
    assert "ana SELECT count(*) FROM firms answered" in history
    assert person.get(f"{place}/ask").status_code == 200


def test_a_plan_that_is_removed_while_it_is_looked_at_is_no_plan(person, place, monkeypatch):
    guard(person, place, "audit")
    person.fill(f"{place}/queries/plan")
    names = ["gone.yaml", *person.bench.workplace.plans()]
    monkeypatch.setattr(type(person.bench.workplace), "plans", lambda _: names)
    assert "tacita serve firms.yaml" in told(person.get(f"{place}/queries").text)

"""Whatever is done in the browser can be run headless, and the other way round."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest
import yaml

import tacita as ta
from tacita.app.choosing import chosen
from tacita.app.forms import form_of_method
from tacita.app.projects import in_yaml
from tacita.method import THAT_MASK
from tacita.registry import family, from_plan
from tacita.release.requirement import FAMILIES

pytestmark = pytest.mark.usefixtures("kept_hands")

MASKING = [method for word in THAT_MASK for method in family(word).values()]
REQUIRED = [method for word in FAMILIES for method in family(word).values()]
# Steps of many sorts, one after the other: what they release must be the same to the byte.
STEPS = ("add_noise", "top_code", "pram", "rank_swap", "swap_records", "generalize", "drop",
         "local_suppression", "sample", "lattice", "shuffle_records")  # fmt: skip
RICH = """\
data:
  source: toy.csv
  undeclared: drop
  attributes:
    age: {role: key, kind: continuous, hierarchy: {intervals: {widths: [5, 10], start: 0}}}
    zip: {role: [key, stratum], kind: nominal, hierarchy: {prefix: 5}}
    region: {role: key, hierarchy: {tree: {Country: {Coast: [Harbour, Lakes], Inland: [Hills, Plain]}}}}
    education: {role: key, kind: ordinal, order: [primary, secondary, bachelor, master]}
    income: {role: confidential, kind: continuous, missing: [-9]}
    disease: {role: confidential}
microdata:
  intruder:
    attributes: [age, zip]
    accuracy: {age: {rounded: 5}, zip: {wrong: 0.1, missing: 0.2}}
    respondents: 0.4
  steps:
  - until: {exact_linkage: {at_most: 0.2}}
    rounds:
    - rank_swap: {attributes: [income], p: 5}
    - rank_swap: {attributes: [income], p: 10}
  - lattice: {to: [{k_anonymity: {k: 3}}, {l_diversity: {l: 2}}], suppression_limit: 0.2}
  - shuffle_records: {}
  require:
  - k_anonymity: {k: 3}
  - uniqueness: {at_most: 0.05}
  measure: [uniqueness, exact_linkage, suppression]
  compare:
    methods: {rank_swap: {attributes: [income], p: [5, 20]}}
    risk: interval_disclosure
    loss: il1s
tables:
- name: incomes
  by: [region, education]
  value: income
  rules: [{minimum_frequency: 3}]
queries:
  view: people
  policies: [{query_set_size: 5}]
  ledger: ledger.db
release: {format: parquet, mapping: true}
"""
COPIES = """\
data: {example: {toy: 150}}
microdata:
  steps: [{sequential_trees: {attributes: [income, education]}}, {drop: [income]}]
  require: [{total_variation: {at_most: 1}}]
  measure: [total_variation]
  copies: 2
"""


@pytest.fixture
def place(person) -> str:
    return person.fill("/projects", example="toy", records="200")["go"].removesuffix("/data")


def project_of(person, place):
    return person.bench.projects.get(place.split("/")[2])


def said_in(shown: str) -> dict[str, list[str]]:
    """What a browser would send of a form: what is filled in, ticked and chosen in its page."""
    form: dict[str, list[str]] = {}
    fields = (
        r"<(input|textarea|select)\b([^>]*)>(?:(?<=textarea)|)(.*?)(?=<input|<textarea|<select|$)"
    )
    for tag, about, rest in re.findall(fields, shown, re.DOTALL):
        name = re.search(r'name="([^"]*)"', about)
        if name is None:
            continue
        value = re.search(r'value="([^"]*)"', about)
        if tag == "textarea":
            sent = [rest.partition("</textarea>")[0]]
        elif tag == "select":
            sent = re.findall(r'<option value="([^"]*)" selected', rest.partition("</select>")[0])
        elif 'type="checkbox"' in about and not about.rstrip().endswith("checked"):
            continue
        else:
            sent = [value[1] if value else ""]
        form.setdefault(unescape(name[1]), []).extend(map(unescape, sent))
    return form


def test_every_form_tells_what_a_method_does_and_is_filled_in(person, place):
    for room, methods in (("protect", MASKING), ("requirements", REQUIRED)):
        for method in methods:
            shown = person.shown(f"{place}/{room}/form?variant=0&method={method.name}")
            form = form_of_method(method)
            text = unescape(shown)
            assert form.summary in text, method.name
            assert "When not to use it" in text, f"{method.name} does not say when not to use it"
            assert form.reference in text, method.name
            assert len(chosen(method, []).paragraphs) >= 1 or not method.draws, method.name
            for field in form.fields if room == "requirements" else chosen_fields(method):
                assert field.about in text, f"{method.name} {field.name}"
                if field.is_filled:
                    assert _is_shown(field, shown), f"{method.name} {field.name}"


def chosen_fields(method) -> list:
    """The parameters that a form asks for; models to reach have forms of their own."""
    return [entry.field for entry in chosen(method, []).entries]


def _is_shown(field, shown: str) -> bool:
    """Whether the form shows what holds when nothing is changed."""
    sent = said_in(shown)[f"p:{field.name}"]
    usual = field.value if isinstance(field.value, str) else json.dumps(field.value)
    return sent == [usual] or float(sent[0]) == field.value


@pytest.mark.parametrize("method", MASKING, ids=lambda cls: cls.name)
def test_the_form_of_a_step_sent_back_as_it_is_changes_nothing(method, page_of):
    step = method(**method.example)
    form = page_of(step)
    assert from_plan(_kept(form), THAT_MASK) == step


@pytest.fixture(scope="module")
def page_of(tmp_path_factory):
    """The form of a step as its page has it, without a server around it."""
    from tacita.app.bench import Bench
    from tacita.app.projects import Project
    from tacita.app.repeating import ONCE
    from tacita.app.workplace import Workplace

    bench = Bench.at(Workplace.at(tmp_path_factory.mktemp("bench")))
    data = ta.example("toy", 20)
    attributes = [
        {"name": name, "kind": one.kind.value, "roles": []} for name, one in data.attributes.items()
    ]

    def shown(step) -> dict[str, list[str]]:
        one = chosen(type(step), attributes, step.parameters())
        project = Project("0" * 12, "toy", 0, ())
        page = bench.page(
            "method.html.j2", project=project, number=0, place=0, chosen=one, how=ONCE, untils=[]
        )
        return said_in(page.body.decode())

    yield shown
    bench.jobs.close()


def _kept(form: dict[str, list[str]]):
    from tacita.app.choosing import step_in

    return step_in(form)


def test_steps_filled_in_with_their_examples_are_measured_and_run_headless(
    person, place, tmp_path_factory
):
    for number, name in enumerate(STEPS):
        form = _filled(next(one for one in MASKING if one.name == name))
        asked = person.fill(f"{place}/protect/try", variant=str(number), at="", **form)
        assert "Tried" in person.shown(asked["load"]), name
        person.fill(f"{place}/protect/apply", variant=str(number), at="", **form)
        assert project_of(person, place).current == number + 1, name
    plan = project_of(person, place).variant.plan
    assert [next(iter(step)) for step in plan["microdata"]["steps"]] == list(STEPS)
    few = {**plan, "microdata": {**plan["microdata"], "measure": ["uniqueness"], "waive": "a test"}}
    person.bench.projects.change(place.split("/")[2], few, "few measures")
    same_headless(person, place, tmp_path_factory.mktemp("out"), "public/data.csv")


def _filled(method) -> dict[str, list[str]]:
    one = chosen(method, [], method(**method.example).parameters())
    form = {"method": [method.name]} | ({"to": list(one.taken)} if one.taken else {})
    for part in (one, *(model for model in one.models if model.form.name in one.taken)):
        form |= {entry.name: list(entry.texts) for entry in part.entries if entry.texts}
    return form


def rich(folder) -> None:
    ta.example("toy", 300).write(folder / "toy.csv")
    (folder / "rich.yaml").write_text(RICH)


def test_a_rich_plan_is_opened_kept_by_every_room_and_run_to_the_same_release(
    person, tmp_path_factory
):
    folder = person.bench.workplace.folder
    rich(folder)
    place = person.fill("/projects", plan="rich.yaml")["go"].removesuffix("/data")
    first = project_of(person, place)
    assert yaml.safe_load(person.get(f"{place}/plan.yaml").text) == yaml.safe_load(RICH)
    # Every room keeps what it shows, and changes nothing else of the plan.
    for room in ("protect", "release", "intruder", "plan", "roles", "tables", "queries", "advise"):
        assert person.get(f"{place}/{room}").status_code == 200, room
    for number in (0, 1):
        form = said_in(person.shown(f"{place}/protect/form?variant={number}&place={number}"))
        assert person.fill(f"{place}/protect/apply", **form).get("detail", "") == ""
    form = said_in(person.shown(f"{place}/requirements/form?variant=2&place=1"))
    assert person.fill(f"{place}/requirements", **form).get("detail", "") == ""
    form = said_in(person.shown(f"{place}/intruder/form?variant=3&who=own"))
    assert person.fill(f"{place}/intruder", **form).get("detail", "") == ""
    form = said_in(person.shown(f"{place}/roles/attributes"))
    assert person.fill(f"{place}/roles", **form).get("detail", "") == ""
    assert (
        person.fill(f"{place}/plan", variant="5", text=in_yaml(first.variant.plan)).get(
            "detail", ""
        )
        == ""
    )
    told = [person.bench.projects.checked(one.plan) for one in project_of(person, place).variants]
    assert len(told) == 7
    compared = yaml.safe_load(RICH)["microdata"]["compare"]
    for variant in project_of(person, place).variants:
        assert variant.part("microdata", "compare") == compared
    for one in told:
        assert (one.steps, one.requirements) == (told[0].steps, told[0].requirements)
        assert (one.intruder, one.data.attributes) == (told[0].intruder, told[0].data.attributes)
        assert (one.tables, one.queries) == (told[0].tables, told[0].queries)
        assert (one.format, one.mapping, one.measures) == ("parquet", True, told[0].measures)
    out = tmp_path_factory.mktemp("out")
    same_headless(person, place, out, "public/data.parquet")
    drawn = "internal/risk-utility-map.csv"
    ours = folder / "releases" / "rich" / drawn
    assert ours.read_bytes() == (out / "run" / drawn).read_bytes()


def test_copies_are_made_in_the_browser_as_headless(person, tmp_path_factory):
    (person.bench.workplace.folder / "copies.yaml").write_text(COPIES)
    place = person.fill("/projects", plan="copies.yaml")["go"].removesuffix("/data")
    assert 'name="copies"' in person.get(f"{place}/release").text
    person.fill(f"{place}/release/as", variant="0", format="csv", copies="1")
    assert "copies" not in project_of(person, place).variant.part("microdata")
    person.fill(f"{place}/release/as", variant="1", format="csv", copies="2")
    assert project_of(person, place).variant.part("microdata", "copies") == 2
    same_headless(person, place, tmp_path_factory.mktemp("out"), "copy-2/public/data.csv")


def same_headless(person, place, out, file: str) -> None:
    """Release in the browser, run the plan that it hands out, and compare."""
    project = project_of(person, place)
    asked = person.fill(f"{place}/release", variant=str(project.current), name="rich", force="yes")
    assert "Released" in person.shown(asked["load"])
    for needed in person.bench.workplace.folder.glob("*.csv"):
        (out / needed.name).write_bytes(needed.read_bytes())
    (out / "plan.yaml").write_text(person.get(f"{place}/plan.yaml").text)
    ta.run(out / "plan.yaml", out / "run", seed=project.seed, force=True)
    ours = person.bench.workplace.folder / "releases" / "rich" / file
    assert ours.read_bytes() == (out / "run" / file).read_bytes()


def test_a_plan_that_is_edited_as_text_says_where_it_is_wrong(person, place):
    text = person.get(f"{place}/plan.yaml").text
    assert f"--seed {project_of(person, place).seed}" in person.get(f"{place}/plan").text
    wrong = text + "microdata:\n  steps:\n  - nothing: 1\n"
    line = wrong.count("\n")
    reply = person.fill(f"{place}/plan", variant="0", text=wrong)
    assert reply["status"] == 400
    assert reply["detail"] == (
        f"Line {line}, field `microdata.steps[0].nothing`: There is no method `nothing`."
    )
    assert "not YAML" in person.fill(f"{place}/plan", variant="0", text="{a: [")["detail"]
    elsewhere = person.fill(f"{place}/plan", variant="0", text="data: {source: /etc/passwd}")
    assert "is not in the folder" in elsewhere["detail"]
    assert len(project_of(person, place).variants) == 1
    kept = person.fill(
        f"{place}/plan", variant="0", text=text + "microdata: {steps: [{sample: 0.5}]}"
    )
    assert kept == {"status": 200, "go": ""}
    assert project_of(person, place).variant.part("microdata", "steps") == [{"sample": 0.5}]

"""One page a method, and the table of all of them, from the registry."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

from docstrings import escaped, examples, prose

from tables import code, codes, in_yaml, table
from tacita.data.attribute import Kind
from tacita.method import FAMILIES, OF_TABLES, THAT_MASK, VERBS, Method, TableKind
from tacita.registry import described, family, from_plan, methods

TITLES = {
    "masking": ("Masking", "They change the data. A plan lists them under `steps`."),
    "anonymization": ("Anonymization", "They reach privacy models: `anonymize` in a plan's steps."),
    "model": ("Privacy models", "They say what must hold and check any data, yours or not."),
    "risk": ("Disclosure risk", "They measure what an intruder may learn."),
    "utility": ("Information loss", "They measure what the protection cost."),
    "attack": ("Attacks", "They do what an intruder would do, and tell how far it went."),
    "rule": ("Sensitivity rules", "They say which cells of a [table](../tables.md) tell too much."),
    "protection": (
        "Protection of tables",
        "They suppress cells until the sensitive ones are safe.",
    ),
    "perturbation": (
        "Perturbation of tables",
        "They change the values of a [table](../tables.md#perturbing); no cell is suppressed.",
    ),
    "table risk": ("Risk of tables", "They measure what a reader of a table may learn."),
    "table utility": ("Loss of tables", "They measure what suppressing or changing cells cost."),
    "table attack": ("Attacks on tables", "They do what a reader of a table could do."),
    "policy": (
        "Policies of databases",
        "They decide which [queries](../queries.md) a guarded database answers.",
    ),
    "query attack": (
        "Attacks on databases",
        "They ask a guarded database what an intruder would ask.",
    ),
}
INTRODUCTION = """---
hide: [toc]
---

# Methods

Every method, by family, with the [kinds](../concepts.md#kinds) of attributes, or of tables, that it
applies to. `tacita methods` prints the same list, `tacita methods top_code` describes one."""
LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "below {}",
    "minItems": "at least {} of them",
    "maxItems": "at most {} of them",
}
TYPES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "mapping",
}


def pages() -> dict[str, str]:
    """Return every generated page by its path."""
    one_each = {path(cls): method_page(cls) for cls in methods().values()}
    return {"methods/index.md": index_page(), **one_each}


def path(cls: type[Method]) -> str:
    """Return where the page of a method lies."""
    return f"methods/{cls.name}.md"


def navigation() -> list[Any]:
    """Return the pages of the methods as the navigation lists them, by family."""
    listed = [{_title(name): [path(cls) for cls in family(name).values()]} for name in _families()]
    return ["methods/index.md", *listed]


def _families() -> list[str]:
    return [name for name in dict.fromkeys(FAMILIES.values()) if family(name)]


def _title(name: str) -> str:
    return TITLES.get(name, (name.capitalize(), ""))[0]


# -- the table of all methods ----------------------------------------------------------------------


def index_page() -> str:
    """Return the table of methods: to which kinds of attributes each applies."""
    return "\n\n".join([INTRODUCTION, *map(_family_section, _families())])


def _family_section(name: str) -> str:
    kinds = (kind.value.replace("_", "-") for kind in _kinds(name))
    columns = ("method", *kinds, "what it does")
    rows = table(columns, map(_index_row, family(name).values()))
    about = TITLES.get(name, ("", ""))[1]
    return f'## {_title(name)}\n\n{about}\n\n<div class="kinds" markdown>\n\n{rows}\n\n</div>'


def _kinds(name: str) -> Iterable[Kind | TableKind]:
    return TableKind if name in OF_TABLES else Kind


def _index_row(cls: type[Method]) -> tuple[str, ...]:
    about = described(cls)
    kinds = ("✓" if kind.value in about["applies_to"] else "" for kind in _kinds(cls.family))
    return f"[{cls.name}]({cls.name}.md)", *kinds, _cell(about["summary"])


# -- the page of a method --------------------------------------------------------------------------


def method_page(cls: type[Method]) -> str:
    """Return the page of a method."""
    about = described(cls)
    text = inspect.cleandoc(cls.__doc__ or "")
    sections = {
        "Parameters": _parameters(about["parameters"]),
        "In a plan": _block("yaml", _plan_lines(cls)),
        "In Python": _block("python", _python_lines(cls)),
        "Example": examples(text),
    }
    filled = [f"## {title}\n\n{body}" for title, body in sections.items() if body]
    return "\n\n".join([f"# {cls.name}", prose(text), _facts(cls, about), *filled])


def _facts(cls: type[Method], about: Mapping[str, Any]) -> str:
    facts = {
        "Family": _title(cls.family),
        "Applies to": ", ".join(about["applies_to"]),
        "Missing values": about["missing"],
        **({"Needs": f"the {' and the '.join(about['needs'])}"} if about["needs"] else {}),
        **_validity(about),
        **_kept(cls),
        **_told(cls),
        "Paper": about["reference"],
    }
    rows = ((f"**{name}**", _cell(fact)) for name, fact in facts.items())
    return f'<div class="facts" markdown>\n\n{table(("", ""), rows)}\n\n</div>'


def _validity(about: Mapping[str, Any]) -> dict[str, str]:
    """Say what a method does to values, or after what its number still means something."""
    words = {"changes": "Does to values", "valid_after": "Means something after"}
    told = {words[name]: about[name] for name in words if name in about}
    return {title: ", ".join(changes) or "nothing" for title, changes in told.items()}


def _kept(cls: type[Method]) -> dict[str, str]:
    """Say what a method that masks keeps; the tests simulate it."""
    if cls.family not in THAT_MASK:
        return {}
    return {"Keeps": "; ".join(map(str, cls.keeps)) or "no statistic exactly or in expectation"}


def _told(cls: type[Method]) -> dict[str, str]:
    """Say what of the method may lie beside the released data, and what the data show."""
    match _verb(cls):
        case "mask":
            public = [f"`{word}`" for word in described(cls)["parameters"] if word in cls.public]
            return {"Told beside the data": ", ".join(public) or "no parameter"}
        case "check" | "measure" as verb:
            alone = verb == "check" or cls.shown_by_release
            needed = "the released file alone" if alone else "the released file and the source"
            return {"Re-derived from": needed}
    return {}


def _verb(cls: type[Method]) -> str:
    return next((verb for verb in VERBS if hasattr(cls, verb)), "")


def _parameters(parameters: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [
        (
            code(name),
            type_words(about),
            _default(about),
            range_words(about),
            _cell(about.get("description", "")),
        )
        for name, about in parameters.items()
    ]
    return table(("parameter", "type", "default", "range", "meaning"), rows) if rows else ""


def _default(about: Mapping[str, Any]) -> str:
    if about["required"]:
        return "required"
    return "none" if about.get("default") is None else code(in_yaml(about["default"]))


def type_words(schema: Mapping[str, Any]) -> str:
    """Say a type of a JSON schema in words.

    >>> type_words({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]})
    'list of text'
    """
    if "enum" in schema:
        return codes(schema["enum"])
    if "anyOf" in schema:
        words = dict.fromkeys(type_words(one) for one in _variants(schema))
        listed = [word for word in words if word != "whole number" or "number" not in words]
        return " or ".join(filter(None, [", ".join(listed[:-1]), listed[-1]]))
    match schema:
        case {"type": "array", "items": items}:
            return f"list of {type_words(items)}"
        case {"type": "object", "additionalProperties": dict() as values}:
            return f"mapping of names to {type_words(values)}"
        case {"type": "string", "format": word}:
            return str(word)
    return TYPES.get(schema.get("type", ""), "value")


def range_words(schema: Mapping[str, Any]) -> str:
    """Say the range of a parameter in words.

    >>> range_words({"type": "number", "exclusiveMinimum": 0, "maximum": 1})
    'above 0, at most 1'
    """
    found = {word: one[word] for one in _variants(schema) for word in LIMITS if word in one}
    return ", ".join(LIMITS[word].format(f"{limit:g}") for word, limit in found.items())


def _variants(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what a parameter may be; none is not worth a word."""
    return [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]


def _cell(text: str) -> str:
    return escaped(" ".join(text.split())).replace("|", "&#124;")


# -- how to call it --------------------------------------------------------------------------------


def _plan_lines(cls: type[Method]) -> list[str]:
    """Return the part of a plan file that uses a method."""
    given = dict(cls.example)
    if cls.family in OF_TABLES:
        return _table_plan_lines(cls, given)
    match _verb(cls):
        case "mask" if cls.family == "anonymization":
            return ["microdata:", "  steps:", _item("anonymize", {"by": cls.name, **given})]
        case "mask":
            return ["microdata:", "  steps:", _item(cls.name, given)]
        case "check":
            return ["microdata:", "  require:", _item(cls.name, given)]
        case "measure":
            bounded = _item(cls.name, {**given, "at_most": 0.1})
            asked = ["  measure:", _item(cls.name, given)]
            return ["microdata:", *asked, "  require:", bounded]
    return []


def _table_plan_lines(cls: type[Method], given: Mapping[str, Any]) -> list[str]:
    begin = ["tables:", "  - name: firms", "    by: [region, size_class]"]
    if TableKind.MAGNITUDE in cls.applies_to:
        begin.append("    value: turnover")
    if cls.family == "rule":
        return [*begin, "    rules:", f"  {_item(cls.name, given)}"]
    if cls.family == "protection":
        return [*begin, "    rules: [{minimum_frequency: 3}]", f"    protect: {cls.name}"]
    if cls.family == "perturbation":
        keys = ["    keys: key"] if cls.name.startswith("cell_key") else []
        said = in_yaml({cls.name: dict(given)}) if given else cls.name
        return [*begin, *keys, f"    perturb: {said}"]
    return [*begin, "    require:", f"  {_item(cls.name, {**given, 'at_most': 0.1})}"]


def _item(name: str, given: Mapping[str, Any]) -> str:
    return f"    - {name}: {in_yaml(dict(given))}" if given else f"    - {name}"


def _python_lines(cls: type[Method]) -> list[str]:
    """Return a short program that uses a method on the example data `toy`."""
    begin = ["import tacita as ta", "", 'data = ta.example("toy", 200)']
    call = _call(cls, cls.example)
    if cls.family in OF_TABLES:
        return _table_python_lines(cls, call)
    match _verb(cls):
        case "mask" if "to" in cls.example:
            return [*begin, f"masked = data.anonymize({_anonymize_arguments(cls)}, seed=1)"]
        case "mask":
            return [*begin, f"masked = data.apply({call}, seed=1)"]
        case "check":
            return [*begin, *_outside(cls), f"print({call}.check(data))"]
        case "measure":
            masked = "masked = data.apply(ta.Sample(0.5), seed=1)"
            return [*begin, *_outside(cls), masked, f"print({call}.measure(data, masked))"]
    return []


def _table_python_lines(cls: type[Method], call: str) -> list[str]:
    """Return a short program that uses a method on a table of example data."""
    if cls.family == "protection":
        return [
            "import tacita as ta",
            "",
            'table = ta.tabulate(ta.example("patients", 400), ["race", "ethncty"])',
            f"print(table.judge(ta.MinimumFrequency(5)).protect({call}))",
        ]
    if cls.family == "perturbation":
        return _perturbing_lines(cls, call)
    is_magnitude = TableKind.MAGNITUDE in cls.applies_to
    firms = 'ta.example("firms", 400)' + ("" if is_magnitude else '.without(["weight"])')
    value = ', value="turnover", contributor="holding"' if is_magnitude else ""
    asked = cls.name == "request_rule"
    request = ', request="size_class", request_codes=["250+"]' if asked else ""
    made = [
        "import tacita as ta",
        "",
        f"firms = {firms}",
        f'table = ta.tabulate(firms, ["region", "size_class"]{value}{request})',
    ]
    if cls.family == "rule":
        return [*made, f"print(table.judge({call}))"]
    verb = "utility" if cls.family == "table utility" else "risk"
    return [*made, "table = table.judge(ta.MinimumFrequency(3))", f"print(table.{verb}({call}))"]


def _perturbing_lines(cls: type[Method], call: str) -> list[str]:
    """Return a short program that perturbs a table of example data."""
    keys = ', keys=b"keep this secret!"' if cls.name.startswith("cell_key") else ""
    is_count = TableKind.FREQUENCY in cls.applies_to
    spanned = '["race", "ethncty"]' if is_count else '["race", "ethncty"], value="charge"'
    rule = "ta.MinimumFrequency(5)"
    return [
        "import tacita as ta",
        "",
        f'table = ta.tabulate(ta.example("patients", 400), {spanned}{keys})',
        f"perturbed = table.judge({rule}).perturb({call}, seed=1)",
        "print(perturbed.perturbation)",
    ]


def _outside(cls: type[Method]) -> list[str]:
    """Return the line that puts the data from outside beside the example data."""
    made = {"population": "data", "holdout": 'ta.example("toy", 200, seed=1)'}
    given = ", ".join(f"{word}={made[word]}" for word in sorted(cls.needs))
    return [f"data = data.with_external({given})"] if given else []


def _call(cls: type[Method], given: Mapping[str, Any]) -> str:
    return f"ta.{cls.__name__}({', '.join(_arguments(given))})"


def _arguments(given: Mapping[str, Any]) -> Iterable[str]:
    return (f"{name}={_literal(value)}" for name, value in given.items())


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) and '"' not in value else repr(value)


def _anonymize_arguments(cls: type[Method]) -> str:
    options = dict(cls.example)
    models = [from_plan(said) for said in options.pop("to")]
    calls = [_call(type(model), model.parameters()) for model in models]
    return ", ".join([*calls, f'by="{cls.name}"', *_arguments(options)])


def _block(language: str, lines: list[str]) -> str:
    return "\n".join([f"```{language}", *lines, "```"]) if lines else ""

"""YAML that would have to be unfolded is refused wherever it is read."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tacita.cli.advise import as_plans_say
from tacita.errors import ParameterError, PlanError
from tacita.plain_yaml import DEEPEST, PlainTextLoader, read_yaml
from tacita.release.plan import read_plan

ONTO_ITSELF = "data: &a\n  source: *a\n"
LAUGHS = "a0: &a0 [x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12)
)
DEEP = "data: " + "[" * 100_000
DEEP_FIELDS = "".join("  " * i + f"f{i}:\n" for i in range(2 * DEEPEST))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text("abc xyz-:#'\"", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=3), inner),
)


@pytest.mark.parametrize("text", [ONTO_ITSELF, LAUGHS, DEEP, DEEP_FIELDS])
def test_it_is_refused_with_a_sentence(text, tmp_path):
    with pytest.raises(yaml.YAMLError):
        read_yaml(text)
    with pytest.raises(yaml.YAMLError):
        yaml.load(text, Loader=PlainTextLoader)  # noqa: S506 - it is a safe loader
    with pytest.raises(ParameterError, match="as plans say it"):
        as_plans_say("--require", text)
    plan = tmp_path / "plan.yaml"
    plan.write_text(text)
    with pytest.raises(PlanError, match=r"line \d+: .*(write out|deep in each other)"):
        read_plan(plan)


@given(PLAIN)
def test_what_is_plain_is_read_as_ever(said):
    text = yaml.dump(said, Dumper=Plain)
    assert read_yaml(text) == said


class Plain(yaml.SafeDumper):
    """Writes everything out."""

    def ignore_aliases(self, data):
        return True


def test_a_part_may_be_referred_to_again():
    assert read_yaml("a: &it [1, {b: 2}]\nc: *it\nd: [*it]") == {
        "a": [1, {"b": 2}], "c": [1, {"b": 2}], "d": [[1, {"b": 2}]],
    }  # fmt: skip
    many = "a: &it 1\n" + "".join(f"b{i}: *it\n" for i in range(1000))
    with pytest.raises(yaml.YAMLError):
        read_yaml(many)


def test_text_stays_text():
    assert yaml.load("[007, 1.50, no]", Loader=PlainTextLoader) == ["007", "1.50", "no"]  # noqa: S506


@pytest.mark.parametrize(
    "text", ["2020-13-45", "!!python/object:os.system x", "{[]: 1}", "9" * 9999]
)
def test_what_cannot_be_a_value_is_not_yaml(text):
    with pytest.raises(yaml.YAMLError):
        read_yaml(text)

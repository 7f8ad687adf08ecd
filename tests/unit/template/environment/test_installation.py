"""What an operator sets for all stacks."""

import collections.abc

from orch import errors as base_errors
from orch.conf import load
from orch.plugin import registry
from orch.template import inputs
from orch.template import template
from orch.template.environment import installation
from orch.template.resources import declaration
from tests import base

_FILES = {"file:///env/kid.yaml": "heat_template_version: 2018-08-31\n"}
_HEAD = "heat_template_version: 2018-08-31\n"
_ONE = _HEAD + "resources:\n  a:\n    type: My::Type\n"
_PARAMETER = _HEAD + "parameters:\n  p: {type: string, default: own}\n"


def _read(**texts: str) -> installation.Installation:
    return installation.read_installation(
        {f"file:///env/{name}.yaml": text for name, text in texts.items()},
        _FILES.__getitem__,
        inputs.Limits(),
    )


def _load(
    text: str,
    installed: installation.Installation,
    environment: collections.abc.Mapping[str, object] | None = None,
    files: collections.abc.Mapping[str, str] | None = None,
) -> template.Template:
    return template.Template.load(
        inputs.Inputs(text, environment, files=files or {}),
        registry.ResourceTypes(load.load([], files=[])),
        inputs.Identity("id", "name", "project"),
        inputs.Limits(),
        installed=installed,
    )


class ReadTest(base.TestCase):
    def test_later_files_win_entry_by_entry(self) -> None:
        found = _read(
            a="parameters: {p: 1, q: 1}\nresource_registry: {A: B, C: D}\n",
            b="parameters: {p: 2}\nresource_registry: {A: E}\n",
        )

        self.assertEqual({"p": 2, "q": 1}, found.parameters)
        self.assertEqual({"A": "E", "C": "D"}, found.resource_registry)

    def test_a_template_is_found_beside_its_environment(self) -> None:
        for target in ("kid.yaml", "file:///env/kid.yaml"):
            found = _read(a=f"resource_registry: {{A: '{target}'}}\n")

            self.assertEqual(_FILES, found.files)
            self.assertEqual(
                {"A": "file:///env/kid.yaml"}, found.resource_registry
            )

    def test_a_template_of_another_machine_is_refused(self) -> None:
        error = self.assertRaises(
            base_errors.Invalid,
            _read,
            a="resource_registry:\n  A: http://example.com/kid.yaml\n",
        )

        self.assertIn("only files of this machine", error.message)

    def test_what_is_wrong_is_told_with_its_place(self) -> None:
        error = self.assertRaises(
            base_errors.Invalid, _read, a="\nparameter: {}\n"
        )

        (problem,) = error.problems
        self.assertEqual("file:///env/a.yaml", problem.file)
        self.assertEqual(2, problem.line)

    def test_what_can_hold_for_one_stack_only_is_refused(self) -> None:
        for text in (
            "event_sinks: []\n",
            "resource_registry: {resources: {a: {A: B}}}\n",
            "resource_registry: {base_url: 'file:///'}\n",
        ):
            error = self.assertRaises(base_errors.Invalid, _read, a=text)
            self.assertIn("cannot hold for all stacks", error.message)


class HoldTest(base.TestCase):
    def test_a_type_is_mapped_without_an_environment(self) -> None:
        loaded = _load(
            _ONE, _read(a="resource_registry: {My::*: OS::Heat::None}")
        )

        self.assertEqual("OS::Heat::None", loaded.resources["a"].type_name)

    def test_a_pattern_of_the_user_wins_over_a_name(self) -> None:
        loaded = _load(
            _ONE,
            _read(a="resource_registry: {My::Type: OS::Heat::Value}"),
            {"resource_registry": {"My::*": "OS::Heat::None"}},
        )

        self.assertEqual("OS::Heat::None", loaded.resources["a"].type_name)

    def test_the_users_mapping_to_nothing_falls_back(self) -> None:
        loaded = _load(
            _ONE,
            _read(a="resource_registry: {My::Type: OS::Heat::None}"),
            {"resource_registry": {"My::Type": "No::Such"}},
        )

        self.assertEqual("OS::Heat::None", loaded.resources["a"].type_name)

    def test_a_template_needs_no_file_in_the_request(self) -> None:
        installed = _read(a="resource_registry: {My::Type: kid.yaml}")

        loaded = _load(_ONE, installed)

        self.assertEqual(
            "file:///env/kid.yaml", loaded.resources["a"].type_name
        )
        loaded.validate(declaration.check_with_rows)

    def test_nothing_of_it_is_shown(self) -> None:
        installed = _read(
            a="parameters: {p: x}\nresource_registry: {My::Type: kid.yaml}"
        )

        answer = _load(_ONE, installed).validation_answer()

        self.assertEqual(
            {
                "event_sinks": [],
                "parameter_defaults": {},
                "parameters": {},
                "resource_registry": {"resources": {}},
            },
            answer["Environment"],
        )

    def test_values_stand_between_the_template_and_the_user(self) -> None:
        defaults = "parameter_defaults: {p: default, other: 1}\n"
        both = defaults + "parameters: {p: value, more: 2}\n"
        for text, environment, wanted in (
            (defaults, None, "default"),
            (both, None, "value"),
            (both, {"parameter_defaults": {"p": "user"}}, "user"),
            (both, {"parameters": {"p": "user"}}, "user"),
        ):
            loaded = _load(_PARAMETER, _read(a=text), environment)

            self.assertEqual(wanted, loaded.shown_parameters()["p"])

    def test_a_template_may_use_the_type_that_it_serves(self) -> None:
        text = _HEAD + "resources:\n  b: {type: OS::Heat::None}\n"
        installed = installation.Installation(
            resource_registry={"OS::Heat::None": "file:///env/kid.yaml"},
            files={"file:///env/kid.yaml": text},
        )
        loaded = _load(
            _HEAD + "resources:\n  a: {type: OS::Heat::None}\n", installed
        )

        loaded.validate(declaration.check_with_rows)
        below = template.Template.load(
            loaded.nested_inputs("a", {}, {}),
            registry.ResourceTypes(load.load([], files=[])),
            inputs.Identity("id", "name", "project"),
            inputs.Limits(),
            installed=installed,
        )
        self.assertEqual("OS::Heat::None", below.resources["b"].type_name)

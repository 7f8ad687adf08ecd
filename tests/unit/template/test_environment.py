"""Environments: their sections, and how files become one."""

from orch.template import environment
from orch.template import errors
from orch.template import inputs
from orch.template import limits
from tests import base

TYPES = {
    "s": "string",
    "n": "number",
    "j": "json",
    "l": "comma_delimited_list",
}


def read(written=None, files=(), parameters=None):
    named = {f"{place}.yaml": text for place, text in enumerate(files)}
    return environment.read(
        inputs.Inputs(
            template={},
            environment=written,
            parameters=parameters or {},
            files=named,
            environment_files=list(named),
        ),
        TYPES,
        limits.Limits(),
    )


class EnvironmentTest(base.TestCase):
    def test_values_of_the_request_win(self) -> None:
        for given in (
            {"written": "parameters: {s: env}"},
            {"files": ["parameters: {s: file}"]},
        ):
            found = read(parameters={"s": "request"}, **given)
            self.assertEqual({"s": "request"}, found.parameters)

    def test_files_take_the_place_of_the_environment(self) -> None:
        found = read("parameters: {s: env}", files=["parameters: {n: 1}"])

        self.assertEqual({"n": 1}, found.parameters)

    def test_what_is_no_environment_is_refused(self) -> None:
        for written in (
            "- a",
            5,
            "a: [",
            "{a: 1}",
            "parameters: [a]",
            "encrypted_param_names: s",
            "event_sinks: [{type: nope}]",
            "event_sinks: [{type: {}}]",
        ):
            self.assertRaises(errors.EnvironmentInvalid, read, written)

    def test_a_file_that_did_not_come_is_named(self) -> None:
        error = self.assertRaises(
            errors.EnvironmentInvalid,
            environment.read,
            inputs.Inputs({}, environment_files=["lost.yaml"]),
            TYPES,
            limits.Limits(),
        )

        self.assertIn("lost.yaml", error.message)

    def test_empty_sections_are_fine(self) -> None:
        found = read("parameters:\nresource_registry:\nevent_sinks:\n")

        self.assertEqual(
            {
                "event_sinks": [],
                "parameter_defaults": {},
                "parameters": {},
                "resource_registry": {"resources": {}},
            },
            found.as_dict(),
        )

    def test_later_files_win_without_a_strategy(self) -> None:
        found = read(
            files=["parameters: {s: a, j: {a: 1}}", "parameters: {s: b}"]
        )

        self.assertEqual({"s": "b", "j": {"a": 1}}, found.parameters)

    def test_strategies_merge_each_type_in_its_way(self) -> None:
        merge = "parameter_merge_strategies: {default: merge}\n"
        found = read(
            files=[
                merge + "parameters: {s: a, j: {a: 1, b: {x: 1}}, l: 'a,b'}",
                merge + "parameters: {s: b, j: {b: {y: 2}}, l: c}",
            ]
        )

        self.assertEqual(
            {"s": "ab", "j": {"a": 1, "b": {"y": 2}}, "l": "a,b,c"},
            found.parameters,
        )

    def test_deep_merges_reach_into_maps(self) -> None:
        deep = "parameter_merge_strategies: {j: deep_merge}\n"
        found = read(
            files=[
                deep + "parameters: {j: {a: {x: 1, l: [1]}}}",
                deep + "parameters: {j: {a: {y: 2, l: [2]}}}",
            ]
        )

        self.assertEqual(
            {"a": {"x": 1, "y": 2, "l": [1, 2]}}, found.parameters["j"]
        )

    def test_files_must_agree_on_the_strategy(self) -> None:
        self.assertRaises(
            errors.MergeConflict,
            read,
            files=[
                "parameters: {j: {a: 1}}",
                "parameters: {j: {b: 1}}\n"
                "parameter_merge_strategies: {j: merge}",
            ],
        )

    def test_numbers_cannot_be_merged(self) -> None:
        merge = "parameter_merge_strategies: {n: merge}\n"

        self.assertRaises(
            errors.MergeImpossible,
            read,
            files=[merge + "parameters: {n: 1}", merge + "parameters: {n: 2}"],
        )

    def test_mappings_of_files_are_put_together(self) -> None:
        found = read(
            files=[
                "resource_registry: {A: X, B: X}",
                "resource_registry: {B: Y}",
            ]
        )

        self.assertEqual({"A": "X", "B": "Y"}, found.resource_registry)

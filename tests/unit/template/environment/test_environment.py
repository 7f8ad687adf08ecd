"""Environments: what is in them, and how files become one."""

from orch.template import errors
from orch.template import inputs
from orch.template import problems
from orch.template.environment import environment
from orch.template.environment import form
from orch.template.text import document
from tests import base

TYPES = {
    "s": "string",
    "n": "number",
    "j": "json",
    "l": "comma_delimited_list",
}


def read(written=None, files=(), parameters=None):
    named = {f"{place}.yaml": text for place, text in enumerate(files)}
    given = inputs.Inputs(
        template={},
        environment=written,
        files=named,
        environment_files=list(named),
    )
    documents, faults = form.read_environments(given, inputs.Limits())
    report = problems.Report()
    report.extend(faults)
    merged = environment.merge_environments(
        documents, parameters or {}, TYPES, report, are_files=bool(named)
    )
    report.check()
    return merged


def refuse(written=None, files=()):
    """Return file, path, line and column of each problem."""
    try:
        read(written, files)
    except errors.TemplateRefused as error:
        return [
            (one.file, one.path, one.line, one.column)
            for one in error.problems
        ]
    return []


class EnvironmentTest(base.TestCase):
    def test_values_of_the_request_win_over_the_environment(self) -> None:
        found = read("parameters: {s: env}", parameters={"s": "request"})

        self.assertEqual({"s": "request"}, found.parameters)

    def test_files_are_merged_upon_the_values_of_the_request(self) -> None:
        found = read(
            files=[
                "parameters: {s: file, l: b}\n"
                "parameter_merge_strategies: {l: merge}"
            ],
            parameters={"s": "request", "n": 1, "l": "a", "j": None},
        )

        self.assertEqual({"s": "file", "n": 1, "l": "a,b"}, found.parameters)

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
            "event_sinks: [a]",
            "event_sinks: [{type: zaqar-queue}]",
            "encrypted_param_names: [[s]]",
        ):
            self.assertRaises(errors.EnvironmentInvalid, read, written)

    def test_an_environment_that_is_an_object_has_paths_and_no_lines(
        self,
    ) -> None:
        self.assertEqual(
            [("environment", "stuff", 0, 0)], refuse({"stuff": {}})
        )

    def test_all_that_is_wrong_comes_at_once_with_file_and_place(self) -> None:
        found = refuse(
            files=[
                "parameters:\n  s: [\n",
                "stuff: {}\nevent_sinks: 5\nparameters: [a]\n",
                "resource_registry:\n"
                "  resources:\n"
                "    web: {hooks: sometimes, restricted_actions: [eat]}\n"
                "    db: 5\n"
                "  A: [B]\n",
            ]
        )

        registry = "resource_registry"
        self.assertEqual(
            [
                ("0.yaml", "", 3, 1),
                ("1.yaml", "stuff", 1, 1),
                ("1.yaml", "event_sinks", 2, 1),
                ("1.yaml", "parameters", 3, 1),
                ("2.yaml", f"{registry}.resources.web.hooks", 3, 11),
                (
                    "2.yaml",
                    f"{registry}.resources.web.restricted_actions[0]",
                    3,
                    50,
                ),
                ("2.yaml", f"{registry}.resources.db", 4, 5),
                ("2.yaml", f"{registry}.A", 5, 3),
            ],
            found,
        )

    def test_what_is_kept_beside_parameters(self) -> None:
        sink = {"type": "zaqar-queue", "target": "q", "ttl": 60}

        found = read({"encrypted_param_names": ["s"], "event_sinks": [sink]})

        self.assertEqual(["s"], found.encrypted_param_names)
        self.assertEqual([sink], found.event_sinks)
        self.assertEqual([sink], found.as_dict()["event_sinks"])
        self.assertEqual(["s"], found.as_stored()["encrypted_param_names"])

    def test_sinks_and_secret_names_of_all_files_count(self) -> None:
        text = (
            "encrypted_param_names: [%s]\n"
            "event_sinks: [{type: zaqar-queue, target: %s}]\n"
        )
        found = read(files=[text % ("s", "s"), text % ("n", "n")])

        self.assertEqual(["s", "n"], found.encrypted_param_names)
        self.assertEqual(
            ["s", "n"], [one["target"] for one in found.event_sinks]
        )

    def test_each_value_knows_where_it_was_written(self) -> None:
        found = read(
            files=[
                "parameters: {s: a, n: 1}\nparameter_defaults: {j: {}}\n",
                "parameters:\n  n: 2\n",
            ],
            parameters={"l": "request"},
        )

        def place(origin: document.Origin) -> tuple[str, int, int]:
            where = origin.document.locate(origin.path)
            return origin.document.file, where.line, where.column

        self.assertEqual({"s", "n"}, set(found.origins))
        self.assertEqual(("1.yaml", 2, 3), place(found.origins["n"]))
        self.assertEqual(("0.yaml", 2, 22), place(found.default_origins["j"]))

    def test_a_file_that_did_not_come_is_named(self) -> None:
        _, (fault,) = form.read_environments(
            inputs.Inputs(
                {}, files={"list.yaml": ""}, environment_files=["lost.yaml"]
            ),
            inputs.Limits(),
        )

        self.assertIn("lost.yaml", fault.message)
        self.assertEqual("lost.yaml", fault.document.file)
        self.assertEqual("Did you mean list.yaml?", fault.advice)

    def test_sections_with_nothing_in_them_are_fine(self) -> None:
        found = read(
            "parameters: {}\nresource_registry: {}\nevent_sinks: []\n"
            "encrypted_param_names: {}\n"
        )

        self.assertEqual(
            {
                "event_sinks": [],
                "parameter_defaults": {},
                "parameters": {},
                "resource_registry": {"resources": {}},
            },
            found.as_dict(),
        )
        self.assertEqual([], found.as_stored()["encrypted_param_names"])

    def test_sections_that_are_null_are_refused(self) -> None:
        for name in (
            "parameters",
            "parameter_defaults",
            "resource_registry",
            "event_sinks",
            "encrypted_param_names",
            "parameter_merge_strategies",
        ):
            place = ("environment", name, 2, 1)
            self.assertEqual([place], refuse(f"---\n{name}:\n"))

    def test_what_is_null_in_a_registry_is_not_shown(self) -> None:
        found = read(
            {
                "resource_registry": {
                    "A": None,
                    "B": "C",
                    "resources": {"web": {"hooks": None}},
                }
            }
        )

        self.assertEqual(
            {"B": "C", "resources": {"web": {}}},
            found.as_dict()["resource_registry"],
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

    def test_a_file_that_names_no_strategy_follows_those_before(self) -> None:
        for first, second, merged in (
            ("s: merge", "", "ab"),
            ("s: merge", "default: overwrite", "ab"),
            ("default: merge", "", "ab"),
            ("default: merge, s: overwrite", "default: merge", "b"),
            ("", "default: merge", "b"),
            ("default: merge, s: nonsense", "", "ab"),
        ):
            strategies = "parameter_merge_strategies: {%s}\n"
            found = read(
                files=[
                    strategies % first + "parameters: {s: a}",
                    strategies % second + "parameters: {s: b}",
                ]
            )
            self.assertEqual({"s": merged}, found.parameters)

    def test_parameters_and_their_defaults_agree_too(self) -> None:
        self.assertRaises(
            errors.MergeConflict,
            read,
            files=[
                "parameters: {s: a}",
                "parameter_defaults: {s: b}\n"
                "parameter_merge_strategies: {s: merge}",
            ],
        )

    def test_nothing_asks_for_no_strategy(self) -> None:
        merge = "parameter_merge_strategies: {s: merge}\n"

        for files in (
            ["parameters: {s: }", merge + "parameters: {s: b}"],
            ["parameters: {s: b}", merge + "parameters: {s: }"],
        ):
            self.assertEqual({"s": "b"}, read(files=files).parameters)

    def test_numbers_cannot_be_merged(self) -> None:
        merge = "parameter_merge_strategies: {n: merge}\n"

        self.assertRaises(
            errors.MergeImpossible,
            read,
            files=[merge + "parameters: {n: 1}", merge + "parameters: {n: 2}"],
        )

    def test_contradictions_are_told_with_their_place(self) -> None:
        merge = "parameter_merge_strategies: {default: merge}\n"
        found = refuse(
            files=[
                merge + "parameters: {n: 1, j: {a: 1}}",
                merge + "parameters: {n: 2}",
                "parameters: {j: {b: 1}}\n"
                "parameter_merge_strategies: {j: deep_merge}",
            ]
        )

        self.assertEqual(
            [
                ("1.yaml", "parameters.n", 2, 14),
                ("2.yaml", "parameters.j", 1, 14),
            ],
            found,
        )

    def test_nothing_in_a_later_file_changes_nothing(self) -> None:
        found = read(files=["parameters: {s: a}", "parameters: {s: }"])

        self.assertEqual({"s": "a"}, found.parameters)
        self.assertEqual({"s": None}, read("parameters: {s: }").parameters)

    def test_mappings_of_files_are_put_together(self) -> None:
        found = read(
            files=[
                "resource_registry: {A: X, B: X}",
                "resource_registry: {B: Y}",
            ]
        )

        self.assertEqual({"A": "X", "B": "Y"}, found.resource_registry)

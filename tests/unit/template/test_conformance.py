"""Plays the conformance cases against the language alone.

What needs an engine, a stack in a stack, or a plug-in with a behaviour of
its own stands in :data:`OPEN`, each with its reason: the test fails when one
of them starts to pass, and when any other stops.
"""

import json
import pathlib
import re

from orch import errors
from orch.graph import graph
from orch.template import inputs
from orch.template import template
from orch.template.language import functions_of_version
from orch.template.language import versions
from orch.template.resources import declaration
from tests import base
from tests.support import shared
from tests.unit.template import fakes

CASES = shared.CASES
AREAS_OF_OTHERS = {
    "groups": "groups are templates of their own",
    "nested": "stacks in stacks come later",
    "update": "needs a running engine",
}
OPEN: dict[str, str] = {
    "properties/asg_desired_out_of_range": "its plug-in refuses that",
    "sections/stack_name_01": "the API checks names of stacks",
    "sections/stack_name_04": "the API checks names of stacks",
    "sections/stack_name_07": "the API checks names of stacks",
    "sections/stack_name_09": "the API checks names of stacks",
    "sections/stack_name_11": "the API checks names of stacks",
}

STACK_ID = "7c1f6ab0-2e3b-4c59-9d2e-0123456789ab"
TYPES = {
    "orch.template.invalid": "StackValidationFailed",
    "orch.template.format": "HTTPBadRequest",
    "orch.template.environment.environment": "HTTPBadRequest",
    "orch.template.validate_failed": "HTTPBadRequest",
    "orch.template.version": "InvalidTemplateVersion",
    "orch.template.schema": "InvalidSchemaError",
    "orch.template.parameter_missing": "UserParameterMissing",
    "orch.template.parameter_unknown": "UnknownUserParameter",
    "orch.template.reference": "InvalidTemplateReference",
    "orch.template.circular": "CircularDependencyException",
    "orch.template.limit": "RequestLimitExceeded",
}
PLACEHOLDERS = {
    "%UUID%": r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    "%SHORT%": r"[a-z2-7]{12}",
    "%STACK_ID%": re.escape(STACK_ID),
}


def _is_same(want: object, got: object) -> bool:
    if isinstance(want, str) and "%" in want and isinstance(got, str):
        pattern = re.escape(want)
        for mark, expression in PLACEHOLDERS.items():
            pattern = pattern.replace(re.escape(mark), expression)
        pattern = re.sub(
            r"%PHYS:(.+?)%",
            lambda found: r"conf\-stack\-" + found[1] + r"\-[a-z2-7]{12}",
            pattern,
        )
        return re.fullmatch(pattern, got, re.DOTALL) is not None
    if isinstance(want, bool) or isinstance(got, bool):
        return want is got
    if isinstance(want, int | float) and isinstance(got, int | float):
        return want == got
    if isinstance(want, dict) and isinstance(got, dict):
        return want.keys() == got.keys() and all(
            _is_same(one, got[key]) for key, one in want.items()
        )
    if isinstance(want, list) and isinstance(got, list):
        return len(want) == len(got) and all(map(_is_same, want, got))
    return type(want) is type(got) and want == got


class _Answer:
    """What one case gave."""

    def __init__(self) -> None:
        self.error: str | None = None
        self.validate: object = None
        self.facts: dict[str, object] = {}


def _play(case: dict[str, object], types: fakes.FactTypes) -> _Answer:
    answer = _Answer()
    given = inputs.Inputs(
        template=case["template"],
        environment=case.get("environment"),
        parameters=case.get("parameters") or {},
        files=case.get("files") or {},
        environment_files=case.get("environment_files") or (),
    )
    name = case.get("stack_name") or "conf-stack"
    who = inputs.Identity(STACK_ID, name, "conformance-project")
    try:
        loaded = template.Template.load(given, types, who, inputs.Limits())
        if case["op"] == "validate":
            show = "show_nested" in (case.get("query") or "")
            answer.validate = loaded.validation_answer(show)
            return answer
        loaded.validate(declaration.check_with_rows)
    except errors.OrchError as error:
        answer.error = TYPES.get(error.code, error.code)
        return answer
    answer.facts = _facts(loaded, types, name)
    return answer


def _facts(
    loaded: template.Template, types: fakes.FactTypes, name: str
) -> dict[str, object]:
    order: graph.Graph[str] = graph.Graph()
    for one in loaded.resources.values():
        order.add(one.name)
        for required in one.requires:
            order.connect(one.name, required)
    world = fakes.Played(loaded, types, name)
    world.play(order.order())
    outputs = loaded.resolve_outputs(world)
    return {
        "outputs": {
            one.key: one.value for one in outputs if one.error is None
        },
        "output_errors": {
            one.key: one.error for one in outputs if one.error is not None
        },
        "output_descriptions": {one.key: one.description for one in outputs},
        "properties": world.properties,
        "metadata": world.metadata,
        "dependencies": {
            one.name: sorted(one.requires) for one in loaded.resources.values()
        },
        "resources": {
            one.name: one.declared_type for one in loaded.resources.values()
        },
        "definition": {
            one.name: {
                "class": one.type_name,
                "deletion_policy": one.deletion_policy,
                "update_policy": one.update_policy,
                "description": one.description,
            }
            for one in loaded.resources.values()
        },
        "parameters": loaded.shown_parameters(),
        "description": loaded.description,
    }


CLASSES = {
    "NoneResource": "OS::Heat::None",
    "TestResource": "OS::Heat::TestResource",
}


def _differences(case: dict[str, object], answer: _Answer) -> list[str]:
    want = case["expect"]
    if "error" in want:
        if answer.error == want["error"]["type"]:
            return []
        return [f"error: want {want['error']}, got {answer.error}"]
    if answer.error is not None:
        return [f"unexpected error: {answer.error}"]
    if "validate" in want:
        if _is_same(want["validate"], answer.validate):
            return []
        return [f"validate: want {want['validate']}, got {answer.validate}"]
    return _fact_differences(want, answer.facts)


def _fact_differences(
    want: dict[str, object], facts: dict[str, object]
) -> list[str]:
    bad = []
    failed = set(facts["output_errors"])
    if failed != set(want.get("output_errors", {})):
        bad.append(f"output errors: {facts['output_errors']}")
    for part in ("outputs", "output_descriptions", "properties", "metadata"):
        for key, value in want.get(part, {}).items():
            if not _is_same(value, facts[part].get(key, "(none)")):
                bad.append(
                    f"{part} {key}: want {value!r},"
                    f" got {facts[part].get(key, '(none)')!r}"
                )
    for part in ("dependencies", "parameters", "description"):
        if part in want and not _is_same(want[part], facts[part]):
            bad.append(f"{part}: want {want[part]!r}, got {facts[part]!r}")
    for name, value in want.get("resources", {}).items():
        if facts["resources"].get(name) != value["type"]:
            bad.append(f"resource {name}: {facts['resources'].get(name)}")
    for name, value in want.get("definition", {}).items():
        wanted = {**value, "class": CLASSES[value["class"]]}
        if facts["definition"].get(name) != wanted:
            bad.append(f"definition {name}: {facts['definition'].get(name)}")
    return bad


class ConformanceTest(base.TestCase):
    """Every area of the published cases."""

    def setUp(self) -> None:
        super().setUp()
        if not CASES.is_dir():
            self.skipTest(shared.missing(CASES))

    def test_every_case_gives_what_heat_gives(self) -> None:
        types = fakes.FactTypes()
        wrong, played = [], 0
        for path in sorted(CASES.glob("*.json")):
            if path.stem in AREAS_OF_OTHERS:
                continue
            for case in json.loads(path.read_text()):
                wrong += self._judge(case, types)
                played += 1
        self.assertEqual([], wrong)
        self.assertGreater(played, 500)

    def _judge(
        self, case: dict[str, object], types: fakes.FactTypes
    ) -> list[str]:
        bad = _differences(case, _play(case, types))
        if "quirk" in case and case.get("args"):
            return []  # about keys of the request that we never see
        if "quirk" in case:
            answer = _play(case, types)
            is_refused = answer.error is not None
            return [] if is_refused or not bad else [f"{case['id']}: {bad}"]
        if case["id"] in OPEN:
            return [] if bad else [f"{case['id']} passes: take it off OPEN"]
        return [f"{case['id']}: {one}" for one in bad]

    def test_the_versions_are_those_of_heat(self) -> None:
        path = CASES / "reference" / "template_versions.json"

        wanted = json.loads(path.read_text())

        self.assertEqual(wanted, versions.list_versions())

    def test_the_functions_of_each_version_are_those_of_heat(self) -> None:
        path = CASES / "reference" / "template_functions.json"
        wanted = json.loads(path.read_text())

        for key, with_conditions in (
            ("without_conditions", False),
            ("with_condition_func", True),
        ):
            listed = {
                version.full_name: [
                    one["functions"]
                    for one in functions_of_version.list_functions(
                        version, with_conditions
                    )
                ]
                for version in versions.VERSIONS
            }
            self.assertEqual(wanted[key], listed)


def find_cases(folder: pathlib.Path, area: str) -> list[dict[str, object]]:
    """Return the cases of one area."""
    found: list[dict[str, object]] = json.loads(
        (folder / f"{area}.json").read_text()
    )
    return found

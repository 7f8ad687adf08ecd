"""Requests are checked by the schemas that the OpenAPI document shows."""

import collections
import re

import jsonschema

from orch import errors
from orch.api.openapi import bodies
from orch.api.openapi import operations
from orch.api.schemas import checker
from orch.api.schemas import stacks
from tests import base
from tests.unit.api import fakes

Body = dict[str, object]

_NAME: Body = {"stack_name": "a"}
_DEPLOYMENT: Body = {"config_id": "c", "server_id": "s"}
_PATH = fakes.STACK_PATH
_READER = {"X-Roles": "reader"}


class SchemasTest(base.TestCase):
    def check(
        self,
        schema: Body,
        good: tuple[Body, ...],
        bad: tuple[Body, ...],
    ) -> None:
        """Check that a schema takes good bodies and no bad one.

        What the checker takes and JSON Schema does not is only null.
        """
        known = jsonschema.Draft202012Validator(schema)
        check = checker.Checker(schema, bodies.OWN).check
        for body in good:
            check(body)
            if None not in body.values():
                self.assertTrue(known.is_valid(body), body)
        for body in bad:
            self.assertRaises(errors.OrchError, check, body)

    def test_each_key_of_an_update_changes_or_is_of_a_retry(self) -> None:
        self.assertEqual(
            {*bodies.UPDATE["properties"]},
            {*stacks.CHANGES, "existing", "retry"}
            | {"skip", "orphan", "replace"},
        )

    def test_stacks(self) -> None:
        self.check(
            bodies.CREATE,
            (
                _NAME,
                {**_NAME, "timeout_mins": "5", "disable_rollback": "TRUE"},
                {**_NAME, "tags": "a,b", "unknown": 1},
                {**_NAME, "adopt_stack_data": {}, "adopt_missing": "create"},
                {**_NAME, "adopt_missing": None, "skip": None, "retry": None},
                {**_NAME, "external_ids": {"a": "1"}, "adopt_verify": "take"},
                {**_NAME, "retry": True, "skip": ["a"], "converge": "STRICT"},
            ),
            (
                {},
                {"stack_name": "1"},
                {"stack_name": "a\n"},
                {**_NAME, "timeout_mins": "soon"},
                {**_NAME, "timeout_mins": -1},
                {**_NAME, "timeout_mins": True},
                {**_NAME, "timeout_mins": stacks.MAX_TIMEOUT_MINS + 1},
                {**_NAME, "disable_rollback": "yes"},
                {**_NAME, "disable_rollback": 0},
                {**_NAME, "tags": 1},
                {**_NAME, "files": []},
                {**_NAME, "adopt_stack_data": 1},
                {**_NAME, "adopt_missing": "create"},
                {**_NAME, "adopt_missing": "x", "adopt_stack_data": {}},
                {**_NAME, "external_ids": ["a"]},
                {**_NAME, "skip": ["a"]},
                {**_NAME, "skip": ["a"], "retry": False},
                {**_NAME, "converge": True},
                {**_NAME, "hand_over": ""},
                {**_NAME, "retrry": True},
            ),
        )
        self.check(
            bodies.UPDATE,
            ({}, {"existing": "true", "clear_parameters": ["a"]}),
            (
                {"existing": 1},
                {"clear_parameters": [1]},
                {"template": 1},
                {"orphan": ["a"]},
                {"adopt_missing": "fail"},
            ),
        )

    def test_actions(self) -> None:
        self.check(
            bodies.ACTION,
            (
                {"suspend": None},
                {"suspend": 7},
                {"check": ""},
                {"resume": {"timeout_mins": 5, "unknown": 1}},
                {"cancel_update": 1},
                {"retry": {"skip": ["a"], "keep_going": True}},
                {"retry": None},
                {"retry": True},
                {"approve": None},
                {"reject": {"text": "no\nno", "operation_id": "o"}},
                {"observe": {}},
            ),
            (
                {},
                {"dance": None},
                {"suspend": None, "resume": None},
                {"suspend": {"keep_goign": True}},
                {"retry": {"template": {"a": 1}}},
                {"retry": {"skip": "a"}},
                {"retry": False},
                {"resume": {"timeout_mins": "soon"}},
                {"resume": {"skip": ["a"]}},
                {"approve": "yes"},
                {"approve": {"text": "a\0b"}},
                {"reject": {"keep_going": True}},
                {"observe": {"resources": []}},
            ),
        )

    def test_plans_and_snapshots(self) -> None:
        self.check(
            bodies.PLAN,
            ({"action": "delete"}, {"action": "snapshot", "name": "n"}),
            ({}, {"action": "dance"}, {"action": "snapshot", "name": []}),
        )
        self.check(
            bodies.SNAPSHOT,
            ({}, {"name": 1}, {"retry": "true", "skip": []}),
            ({"name": True}, {"name": "n" * 256}, {"external_ids": {}}),
        )

    def test_resources(self) -> None:
        self.check(
            bodies.MARK,
            (
                {"mark_unhealthy": True},
                {"mark_unhealthy": "False", "resource_status_reason": None},
            ),
            (
                {},
                {"mark_unhealthy": 1},
                {"mark_unhealthy": True, "more": 1},
                {"mark_unhealthy": True, "resource_status_reason": 1},
            ),
        )
        self.check(
            bodies.OUTCOME,
            ({"physical_id": "42"}, {"is_made": False}),
            (
                {},
                {"is_made": True},
                {"is_made": 0},
                {"physical_id": ""},
                {"physical_id": None},
                {"physical_id": "42", "is_made": False},
                {"physical_id": "42", "more": 1},
            ),
        )

    def test_moves_and_generation(self) -> None:
        self.check(
            bodies.MOVE,
            ({"target": "a", "resources": ["b"]},),
            ({}, {"target": "a"}, {"target": "a", "resources": []}),
        )
        self.check(
            bodies.GENERATION,
            ({"listings": [{"type": "T"}]},),
            ({"listings": [{}]}, {"more": []}),
        )

    def test_abandonment(self) -> None:
        self.check(
            bodies.ABANDON_STEP,
            (
                {"prepare": None},
                {"commit": "token"},
                {"hand_over": {"project": "p"}},
            ),
            (
                {},
                {"commit": ""},
                {"commit": 1},
                {"prepare": 1, "more": 1},
                {"hand_over": {"project": ""}},
                {"hand_over": {"project": "p", "more": 1}},
                {"hand_over": {"project": "p"}, "prepare": None},
            ),
        )
        self.check(
            bodies.ANNOUNCEMENT,
            ({"announcement": {}},),
            ({}, {"announcement": 1}),
        )

    def test_software(self) -> None:
        self.check(
            bodies.SOFTWARE_CONFIG,
            (
                {},
                {"config": 1, "inputs": [{"name": "a", "type": "Json"}]},
                {"outputs": [{"name": "a", "error_output": "true"}]},
            ),
            (
                {"name": 1},
                {"options": []},
                {"inputs": {}},
                {"inputs": [{}]},
                {"inputs": [{"name": ""}]},
                {"inputs": [{"name": "a", "type": "Text"}]},
                {"inputs": [{"name": "a", "more": 1}]},
                {"outputs": [{"name": "a", "error_output": 1}]},
            ),
        )
        self.check(
            bodies.SOFTWARE_DEPLOYMENT,
            (_DEPLOYMENT, {**_DEPLOYMENT, "status": None}),
            (
                {},
                {"config_id": "c"},
                {**_DEPLOYMENT, "action": 1},
                {**_DEPLOYMENT, "input_values": []},
            ),
        )
        self.check(
            bodies.DEPLOYMENT_CHANGE,
            ({}, {"output_values": {}, "config_id": None}),
            ({"status": 1}, {"config_id": 1}, {"output_values": 1}),
        )

    def test_a_search_is_checked_as_what_it_is_nearest_to(self) -> None:
        check = checker.Checker(bodies.SEARCH, bodies.OWN).check
        for body, path in (
            ({"q": "a", "limit": -1}, "limit"),
            ({"q": 1}, "q"),
            ({"q": "a", "sizee": 1}, "sizee"),
            ({"query": 1}, "query"),
            ({"query": {}, "size": -1}, "size"),
        ):
            error = self.assertRaises(errors.Invalid, check, body)
            self.assertEqual([path], [each.path for each in error.problems])

    def test_each_key_of_ours_has_a_meaning_somewhere(self) -> None:
        known = {
            key
            for each in operations.TABLE.values()
            for key in dict(each.body or {}).get("properties", {})  # type: ignore[call-overload]
        }

        self.assertLessEqual(bodies.OWN, known)


class RequestsTest(fakes.ApiTestCase):
    def test_each_operation_checks_its_body_by_its_schema(self) -> None:
        self.bus.answers = collections.defaultdict(
            lambda: errors.Conflict("It is busy.")
        )
        for line, each in operations.TABLE.items():
            if not each.body or not each.needs_body:
                continue
            method, path = line.split()
            place = re.sub(r"{\w+}", "x", f"/v1/demo{path}")
            with self.subTest(line):
                answer = self.ask(method, place, 400, json=[])

                self.assert_error(answer, "HTTPBadRequest", "The body must be")
        self.assertEqual([], self.bus.calls)

    def test_all_problems_are_reported_at_once(self) -> None:
        answer = self.ask(
            "POST",
            "/v1/demo/stacks",
            400,
            json={
                "stack_name": "1",
                "timeout_mins": "soon",
                "parameters": "sesame",
                "skip": ["a"],
            },
        )

        self.assert_error(answer, "StackValidationFailed")
        self.assertEqual(
            {"stack_name", "timeout_mins", "parameters", "skip"},
            {each["path"] for each in answer.json["problems"]},
        )
        self.assertNotIn("sesame", answer.text)

    def test_a_rule_is_checked_before_the_body(self) -> None:
        wrong = {"timeout_mins": "soon"}
        snapshot = f"{_PATH}/snapshots"
        for method, path, body in (
            ("POST", "/v1/demo/stacks", wrong),
            ("POST", "/v1/demo/stacks", []),
            ("PUT", _PATH, wrong),
            ("PATCH", _PATH, wrong),
            ("PUT", _PATH, {**wrong, "retry": True}),
            ("POST", snapshot, wrong),
            ("POST", f"{snapshot}/s/restore", wrong),
            ("POST", f"{_PATH}/plans", {"action": "check", **wrong}),
            ("POST", f"{_PATH}/actions", {"suspend": wrong}),
            ("POST", f"{_PATH}/actions", {"approve": wrong}),
            ("POST", f"{_PATH}/abandon", wrong),
            ("POST", f"{_PATH}/abandon", {"hand_over": wrong}),
            ("POST", "/v1/demo/software_configs", wrong),
        ):
            with self.subTest(path, body=body):
                self.ask(method, path, 403, json=body, headers=_READER)
        self.assertEqual([], self.bus.calls)

    def test_an_empty_document_is_adopted_too(self) -> None:
        self.bus.answers["adoption.adopt"] = errors.Invalid("It is empty.")

        self.ask(
            "POST",
            "/v1/demo/stacks",
            400,
            json={**_NAME, "adopt_stack_data": {}, "adopt_missing": None},
        )

        self.assertEqual({}, self.bus.sent("adoption.adopt")["data"])

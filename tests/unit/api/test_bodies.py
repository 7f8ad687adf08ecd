"""The schemas of bodies say what the code takes, and nothing else."""

import collections.abc

import jsonschema

from orch import errors
from orch.api import body_keys
from orch.api.openapi import bodies
from orch.api.schemas import actions
from orch.api.schemas import adoption
from orch.api.schemas import generation
from orch.api.schemas import holds
from orch.api.schemas import mark_unhealthy
from orch.api.schemas import moves
from orch.api.schemas import outcome
from orch.api.schemas import plans
from orch.api.schemas import software_configs
from orch.api.schemas import software_deployments
from orch.api.schemas import stacks
from tests import base

Body = dict[str, object]
Reader = collections.abc.Callable[[Body], object]

_DEPLOYMENT: Body = {"config_id": "c", "server_id": "s"}


def _act(body: Body) -> object:
    action = actions.action_of(body)
    actions.retry_of(body, action)
    if action in holds.ANSWERS:
        return holds.answer_of(body, action)
    return actions.options_of(body, action)


def _create(body: Body) -> object:
    stacks.check_body(body)
    stacks.name_of(body)
    adoption.data_of(body)
    adoption.ids_of(body)
    body_keys.check_keys(bodies.CREATE, body)
    return stacks.options_of(body)


def _update(body: Body) -> object:
    stacks.check_body(body)
    adoption.ids_of(body)
    body_keys.check_keys(bodies.UPDATE, body)
    return stacks.update_options_of(body, is_patch=False)


def _plan(body: Body) -> object:
    action = plans.action_of(body)
    plans.snapshot_of(action, body)
    return plans.options_of(action, body)


class AgreementTest(base.TestCase):
    def check(
        self,
        schema: dict[str, object],
        read: Reader,
        good: tuple[Body, ...],
        bad: tuple[Body, ...],
    ) -> None:
        """Check that schema and code take the same bodies."""
        known = jsonschema.Draft202012Validator(schema)
        for body in good:
            read(body)
            self.assertTrue(known.is_valid(body), body)
        for body in bad:
            self.assertRaises(errors.OrchError, read, body)
            self.assertFalse(known.is_valid(body), body)

    def test_stacks(self) -> None:
        name = {"stack_name": "a"}
        self.check(
            bodies.CREATE,
            _create,
            (
                name,
                {**name, "timeout_mins": "5", "disable_rollback": "TRUE"},
                {**name, "tags": "a,b", "unknown": 1},
                {
                    **name,
                    "adopt_stack_data": {},
                    "adopt_missing": "create",
                    "keep_going": True,
                },
                {**name, "external_ids": {"a": "1"}, "adopt_verify": "take"},
                {**name, "retry": True, "skip": ["a"]},
            ),
            (
                {},
                {"stack_name": "1"},
                {**name, "timeout_mins": "soon"},
                {**name, "timeout_mins": -1},
                {**name, "timeout_mins": True},
                {**name, "timeout_mins": stacks.MAX_TIMEOUT_MINS + 1},
                {**name, "disable_rollback": "yes"},
                {**name, "tags": 1},
                {**name, "files": []},
                {**name, "adopt_stack_data": 1},
                {**name, "adopt_missing": "create"},
                {**name, "external_ids": ["a"]},
                {**name, "skip": ["a"]},
            ),
        )
        self.check(
            bodies.UPDATE,
            _update,
            ({}, {"existing": "true", "clear_parameters": ["a"]}),
            (
                {"existing": 1},
                {"clear_parameters": [1]},
                {"template": 1},
                {"orphan": ["a"]},
            ),
        )

    def test_actions(self) -> None:
        self.check(
            bodies.ACTION,
            _act,
            (
                {"suspend": None},
                {"check": ""},
                {"resume": {"timeout_mins": 5}},
                {"cancel_update": 1},
                {"retry": {"skip": ["a"], "keep_going": True}},
                {"retry": None},
                {"retry": True},
                {"approve": None},
                {"reject": {"text": "no\nno", "operation_id": "o"}},
            ),
            (
                {},
                {"dance": None},
                {"suspend": None, "resume": None},
                {"retry": {"template": {"a": 1}}},
                {"retry": {"skip": "a"}},
                {"resume": {"timeout_mins": "soon"}},
                {"approve": "yes"},
                {"approve": {"text": "a\0b"}},
                {"reject": {"keep_going": True}},
            ),
        )

    def test_plans(self) -> None:
        self.check(
            bodies.PLAN,
            _plan,
            ({"action": "delete"}, {"action": "snapshot", "name": "n"}),
            ({}, {"action": "dance"}, {"action": "snapshot", "name": []}),
        )

    def test_resources(self) -> None:
        self.check(
            bodies.MARK,
            mark_unhealthy.mark_of,
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
            outcome.find_physical_id,
            (
                {"physical_id": "42"},
                {"is_made": False},
            ),
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
            moves.parse_request,
            ({"target": "a", "resources": ["b"]},),
            ({}, {"target": "a"}, {"target": "a", "resources": []}),
        )
        self.check(
            bodies.GENERATION,
            generation.parse_request,
            ({"listings": [{"type": "T"}]},),
            ({"listings": [{}]}, {"more": []}),
        )
        self.check(
            bodies.ABANDON_STEP,
            lambda body: adoption.receiver_of(body) or adoption.step_of(body),
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
            adoption.announcement_of,
            ({"announcement": {}},),
            ({}, {"announcement": 1}),
        )

    def test_software(self) -> None:
        self.check(
            bodies.SOFTWARE_CONFIG,
            software_configs.parse_request,
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
            software_deployments.parse_request,
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
            software_deployments.change_of,
            ({}, {"output_values": {}, "config_id": None}),
            ({"status": 1}, {"config_id": 1}, {"output_values": 1}),
        )

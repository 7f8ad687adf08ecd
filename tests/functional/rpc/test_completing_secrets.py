"""Secrets that resources make up are covered in whatever leaves since."""

import dataclasses
import typing
from unittest import mock

from oslo_config import cfg

from orch import ids
from orch.db.repositories import outbox
from orch.db.repositories import secret_rows
from orch.engine.notifications import audience as notification_audience
from orch.engine.notifications import enrichment
from orch.events import payloads
from orch.model import notification
from orch.model import resource
from orch.plugin import registry
from orch.resources.heat import random_string
from tests.functional.rpc import worker
from tests.unit.engine import fakes
from tests.unit.model import test_presigned

Json = dict[str, typing.Any]

_STRING: typing.Final = "OS::Heat::RandomString"
_MADE: typing.Final = "made-up-canary-77"
_ADDRESS: typing.Final = test_presigned.OURS
_TEMPLATE: typing.Final = {
    "heat_template_version": "2021-04-16",
    "parameters": {
        "url": {"type": "string", "default": _ADDRESS},
        "db_password": {"type": "string", "default": "pet name"},
        "size": {"type": "number", "default": 2},
    },
    "resources": {
        "rs": {"type": "My::Word"},
        "web": {
            "type": "Test::Server",
            "properties": {"flavor": {"get_attr": ["rs", "value"]}},
        },
    },
}
_PLAIN: typing.Final = {
    "heat_template_version": "2021-04-16",
    "resources": {"web": {"type": "Test::Server"}},
}
_PATTERN: typing.Final = {"resource_registry": {"My::*": "OS::Heat::*"}}
_MAPPED: typing.Final = {"resource_registry": {"My::Word": _STRING}}


class CompletingSecretsTest(worker.TestCase):
    def setUp(self) -> None:
        super().setUp()
        types = (*fakes.KINDS, random_string.RandomString)
        self.start(types=registry.ResourceTypes.of(types, cfg.ConfigOpts()))
        self.completion = enrichment.Enricher(
            self.deps, enrichment.Settings(template="full")
        )

    def make(self, name: str = "app") -> ids.StackId:
        return self.create(_TEMPLATE, name, environment=_MAPPED)

    def put_made(self, stack_id: ids.StackId) -> None:
        self.put_resource(
            stack_id,
            "rs",
            type_name="My::Word",
            mapped_type=_STRING,
            attributes={"value": _MADE},
        )

    def waiting(
        self, stack_id: ids.StackId, **more: object
    ) -> notification.Notification:
        with self.database.read() as connection:
            (begun,) = (
                each
                for each in outbox.list_waiting(connection, 100)
                if each.stack_id == stack_id
            )
        return dataclasses.replace(begun, payload={**begun.payload, **more})

    def leave(self, told: notification.Notification) -> Json:
        (found,) = self.completion([told])
        return dict(found.payload)

    def test_what_is_made_up_meanwhile_is_covered_from_then_on(self) -> None:
        stack_id = self.make()
        told = self.waiting(
            stack_id,
            description=f"log in with {_MADE}",
            state_reason=f"{_MADE} is wrong",
            tags=[_MADE, "red"],
        )
        before = self.leave(told)

        self.put_made(stack_id)

        self.assertEqual(f"log in with {_MADE}", before["description"])
        after = self.leave(told)
        self.assertEqual("log in with ******", after["description"])
        self.assertEqual("****** is wrong", after["state_reason"])
        self.assertEqual(["******", "red"], after["tags"])

    def test_what_a_stack_far_inside_has_made_up_is_covered(self) -> None:
        outer, inner = self.make("outer"), self.make("inner")
        self.set_stack(
            inner, parent_id=outer, root_id=outer, parent_resource="web"
        )
        self.put_made(inner)
        told = self.waiting(outer, description=f"log in with {_MADE}")

        self.assertEqual("log in with ******", self.leave(told)["description"])

    def test_what_another_tree_has_made_up_is_not(self) -> None:
        self.put_made(self.make("other"))
        told = self.waiting(self.make(), description=f"a {_MADE} bird")

        self.assertEqual(f"a {_MADE} bird", self.leave(told)["description"])

    def test_the_secrets_of_a_tree_are_read_once_for_a_batch(self) -> None:
        outer, inner = self.make("outer"), self.make("inner")
        self.set_stack(
            inner, parent_id=outer, root_id=outer, parent_resource="web"
        )
        told = [
            self.waiting(outer),
            self.waiting(inner, parent_id=outer, root_id=outer),
        ]

        with mock.patch.object(
            secret_rows, "read_texts", wraps=secret_rows.read_texts
        ) as looked:
            self.completion(told)

        self.assertEqual(1, looked.call_count)

    def test_parameters_and_templates_of_a_root(self) -> None:
        told = self.leave(self.waiting(self.make()))

        self.assertEqual(
            {"url": "******", "db_password": "******", "size": "2"},
            {
                name: told["parameters"][name]
                for name in _TEMPLATE["parameters"]
            },
        )
        declared = told["template"]["parameters"]
        self.assertEqual("******", declared["url"]["default"])
        self.assertEqual(2, declared["size"]["default"])

    def test_properties_are_covered_as_they_are_noted_and_as_they_leave(
        self,
    ) -> None:
        stack_id = self.make()
        row = self.put_resource(
            stack_id,
            "web",
            properties={
                "flavor": _MADE,
                "peer": "was later",
                "plain": "shown",
            },
            sensitive=("flavor",),
        )
        noted = self.note(stack_id, row)
        self.put_made(stack_id)

        later = {**noted, "peer": f"is {_MADE}"}
        told = self.leave(
            self.waiting(
                stack_id, **{payloads.MEMBER: "web"}, properties=later
            )
        )

        self.assertEqual(
            {"flavor": "******", "peer": "was later", "plain": "shown"},
            noted,
        )
        self.assertEqual(
            {"flavor": "******", "peer": "******", "plain": "shown"},
            told["properties"],
        )

    def note(self, stack_id: ids.StackId, row: resource.Resource) -> Json:
        """Return the properties as they go into the outbox."""
        around = self.get_stack(stack_id)
        with self.database.read() as connection:
            audience = notification_audience.transaction_audience(
                connection, self.deps.templates.find, around
            )
            return dict(audience.shown(row))

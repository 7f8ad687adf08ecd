"""Triggers of workflows, at certain times."""

import dataclasses
import json

from orch.plugin import id_scopes
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

_ID = "5d4b3a1e-0000-4000-8000-00000000000a"


class FakeMistral(clouds.Cloud):
    """Triggers by their names; input is shown as JSON text.

    It answers as the reference of the workflow API, version 2, has it.
    """

    def _make(
        self, kept: clouds.Collection, body: clouds.Body
    ) -> clouds.Answer:
        shown = {
            **body,
            "id": body["name"],
            "workflow_input": json.dumps(body.get("workflow_input", {})),
        }
        kept.rows[body["name"]] = shown
        return 201, shown


class CronTriggerTest(clouds.CloudTestCase):
    kind = type_data.load_type("OS::Mistral::CronTrigger")

    def setUp(self) -> None:
        super().setUp()
        triggers = clouds.Collection("", "cron_triggers")
        self.use(FakeMistral())
        self.cloud.collections["/cron_triggers"] = triggers
        self.rows = triggers.rows

    def test_a_workflow_is_named_by_its_name_or_id(self) -> None:
        for name, key in (("backup", "workflow_name"), (_ID, "workflow_id")):
            workflow = {"name": name, "input": {"a": 1}}
            context = self.made(
                workflow=workflow,
                pattern="* * * * *",
                count=3,
                first_time="2030-01-01 00:00",
            )

            found = self.rows[str(context.physical_id)]
            self.assertEqual("shop-thing-abcdefghijkl", found["name"])
            self.assertEqual(name, found[key])
            self.assertEqual(3, found["remaining_executions"])
            self.assertEqual("2030-01-01 00:00", found["first_execution_time"])
            lost = dataclasses.replace(context, physical_id=None)
            self.assertEqual(context.physical_id, self.plugin.find(lost))
            live = self.plugin.get_reality(context)
            assert live is not None
            self.assertEqual(workflow, live["workflow"])
            self.plugin.delete(context)
            self.assertIsNone(self.plugin.is_deleted(context))

    def test_another_workflow_or_input_is_drift(self) -> None:
        context = self.made(workflow={"name": "backup"}, pattern="* * * * *")
        self.assertEqual(["name"], self.differing(context, context.properties))
        live = self.plugin.get_reality(context)
        assert live is not None
        found = self.rows[str(context.physical_id)]

        found["remaining_executions"] = 1
        self.assertEqual([], self.differing(context, live))
        found["workflow_input"] = "no JSON"
        self.assertEqual(["workflow"], self.differing(context, live))

    def test_its_name_is_that_of_the_project(self) -> None:
        account = id_scopes.Account("p", None)

        self.assertEqual("p", self.plugin.get_id_scope(account, {}))

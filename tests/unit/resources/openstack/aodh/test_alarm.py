"""Alarms of Aodh: their rules, actions and queues."""

import dataclasses
import re
import typing

from orch.clients import rest
from orch.context import request
from orch.plugin import listing
from orch.resources.openstack import type_data
from tests.unit.resources.openstack import clouds

Body = dict[str, typing.Any]

_POOL: typing.Final = "5d4b3a1e-0000-4000-8000-00000000000a"
_RULE: typing.Final = {"type": "gnocchi_resources_threshold", "metric": "cpu"}


class Alarms(clouds.Cloud):
    """Alarms, which a list has without a key around it.

    As Aodh does, it adds the trust that it makes to actions that need one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.kept = clouds.Collection("", "")
        self.collections["/v2/alarms"] = self.kept

    def _make(self, kept: clouds.Collection, body: Body) -> clouds.Answer:
        status, made = super()._make(kept, body)
        assert isinstance(made, dict)
        made["alarm_id"] = made["id"]
        made["ok_actions"] = [
            re.sub(r"^(trust\+\w+://)", r"\1a7c3:delete@", each)
            for each in made.get("ok_actions", ())
        ]
        return status, made

    def find_answer(
        self, method: str, path: str, body: object
    ) -> clouds.Answer:
        if method == "GET" and path.partition("?")[0] == "/v2/alarms":
            return 200, list(self.kept.rows.values())
        return super().find_answer(method, path, body)


class AlarmTest(clouds.CloudTestCase):
    def use_type(self, noun: str) -> None:
        self.kind = type_data.load_type(  # type: ignore[misc]
            f"OS::Aodh::{noun}"
        )
        self.use(Alarms())

    def only(self) -> Body:
        (found,) = self.cloud.collections["/v2/alarms"].rows.values()
        return found

    def test_a_composite_rule_has_its_operator_as_the_key(self) -> None:
        self.use_type("CompositeAlarm")
        rule = {"operator": "or", "rules": [_RULE, _RULE]}

        context = self.made(composite_rule=rule)

        self.assertEqual({"or": [_RULE, _RULE]}, self.only()["composite_rule"])
        live = self.plugin.get_reality(context) or {}
        self.assertEqual(rule, live["composite_rule"])
        self.changed(context, composite_rule={**rule, "operator": "and"})
        self.assertEqual(
            {"and": [_RULE, _RULE]}, self.only()["composite_rule"]
        )

    def test_metadata_to_match_become_part_of_the_query(self) -> None:
        self.use_type("Alarm")
        query = [{"field": "resource", "op": "eq", "value": "r-1"}]

        context = self.made(
            meter_name="cpu",
            threshold=1,
            query=query,
            matching_metadata={"role": "web", "metadata.metering.x": 7},
        )

        self.assertEqual(
            [
                *query,
                {"field": "metadata.role", "op": "eq", "value": "web"},
                {"field": "metadata.metering.x", "op": "eq", "value": "7"},
            ],
            self.only()["threshold_rule"]["query"],
        )
        live = self.plugin.get_reality(context) or {}
        self.assertEqual(query, live["query"])
        self.changed(context, matching_metadata={})
        self.assertEqual(query, self.only()["threshold_rule"]["query"])

    def test_a_change_sends_all_but_what_is_taken_away(self) -> None:
        self.use_type("GnocchiResourcesAlarm")
        context = self.made(
            metric="cpu",
            resource_id="r-1",
            resource_type="instance",
            threshold=1,
            granularity=60,
        )
        self.only()["state"] = "ok"

        self.changed(context, threshold=2, granularity=None)

        (sent,) = [
            each.body for each in self.cloud.requests if each.method == "PUT"
        ]
        assert isinstance(sent, dict)
        self.assertEqual("ok", sent["state"])
        self.assertEqual(
            {
                "metric": "cpu",
                "resource_id": "r-1",
                "resource_type": "instance",
                "threshold": 2,
            },
            sent["gnocchi_resources_threshold_rule"],
        )

    def test_queues_are_actions(self) -> None:
        self.use_type("PrometheusAlarm")

        context = self.made(
            query="up",
            threshold=1,
            ok_actions=["http://a/b", "trust+http://c/d"],
            ok_queues=["a b"],
        )

        self.assertEqual(
            [
                "http://a/b",
                "trust+http://a7c3:delete@c/d",
                "trust+zaqar://a7c3:delete@?queue_name=a%20b",
            ],
            self.only()["ok_actions"],
        )
        self.assertEqual([], self.differing(context, context.properties))
        self.changed(context, ok_actions=["http://a/b"], ok_queues=[])
        self.assertEqual(["http://a/b"], self.only()["ok_actions"])

    def test_a_pool_is_named_by_its_id(self) -> None:
        self.use_type("LBMemberHealthAlarm")

        self.made(pool=_POOL, stack="s-1", autoscaling_group_id="g-1")

        self.assertEqual(
            {
                "pool_id": _POOL,
                "stack_id": "s-1",
                "autoscaling_group_id": "g-1",
            },
            self.only()["loadbalancer_member_health_rule"],
        )

    def test_it_is_disabled_while_its_stack_is_suspended(self) -> None:
        self.use_type("EventAlarm")
        context = self.made(enabled=True)

        self.plugin.suspend(context)
        self.assertFalse(self.only()["enabled"])
        self.plugin.resume(context)
        self.assertTrue(self.only()["enabled"])
        disabled = dataclasses.replace(
            context, properties={**context.properties, "enabled": False}
        )
        self.plugin.resume(disabled)
        self.assertFalse(self.only()["enabled"])

    def test_a_lost_one_is_found_and_lists_have_its_type_alone(self) -> None:
        self.use_type("EventAlarm")
        context = self.made()
        self.cloud.add("/v2/alarms", alarm_id="x", type="prometheus")

        lost = dataclasses.replace(context, physical_id=None)
        self.assertEqual(context.physical_id, self.plugin.find(lost))
        listed = self.plugin.list_physical_resources(
            request.RequestContext(project_id="demo"),
            listing.PhysicalResourceFilter(),
        )
        self.assertEqual(
            [context.physical_id], [each.physical_id for each in listed or ()]
        )
        self.plugin.delete(context)
        self.assertIsNone(self.plugin.is_deleted(context))
        self.assertRaises(rest.CloudNotFound, self.plugin.check, context)

"""Alarms of Aodh whose actions scale a group, on a double of the service."""

import typing

from tests.functional import remote
from tests.support import aodh
from tests.support import rest
from tests.support import waiting

Json = dict[str, typing.Any]


def _template(event_type: str) -> Json:
    return {
        "heat_template_version": "2021-04-16",
        "resources": {
            "group": {
                "type": "OS::Heat::AutoScalingGroup",
                "properties": {
                    "min_size": 1,
                    "max_size": 3,
                    "resource": {"type": "OS::Heat::RandomString"},
                },
            },
            "grow": {
                "type": "OS::Heat::ScalingPolicy",
                "properties": {
                    "adjustment_type": "change_in_capacity",
                    "auto_scaling_group_id": {"get_resource": "group"},
                    "scaling_adjustment": 1,
                },
            },
            "alarm": {
                "type": "OS::Aodh::EventAlarm",
                "properties": {
                    "description": "a server failed",
                    "event_type": event_type,
                    "query": [
                        {"field": "traits.state", "op": "eq", "value": "error"}
                    ],
                    "alarm_actions": [{"get_attr": ["grow", "alarm_url"]}],
                    "alarm_queues": ["mail & more"],
                },
            },
        },
        "outputs": {
            "size": {"value": {"get_attr": ["group", "current_size"]}}
        },
    }


class AlarmTests(remote.CloudTestCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.aodh = cls.use(aodh.Aodh(cls.cloud))

    def wait_for_size(self, stack: rest.Stack, size: int) -> None:
        waiting.wait_for(
            lambda: self.here.outputs(stack)["size"] == size,
            f"the group has {size} members",
        )

    def act(self, stack: rest.Stack, action: str) -> None:
        self.here.ask("POST", f"{stack.path}/actions", {action: None})
        self.here.wait(stack, f"{action.upper()}_COMPLETE")

    def test_an_alarm_grows_a_group_by_its_policy(self) -> None:
        stack = self.created(_template("compute.instance.update"))
        resources = self.here.resources(stack)
        alarm_id = str(resources["alarm"]["physical_resource_id"])
        made = self.aodh.alarms[alarm_id]
        self.assertEqual("event", made["type"])
        self.assertEqual(
            {
                "event_type": "compute.instance.update",
                "query": [
                    {
                        "field": "traits.state",
                        "op": "eq",
                        "type": "string",
                        "value": "error",
                    }
                ],
            },
            made["event_rule"],
        )
        self.assertEqual(
            "trust+zaqar://?queue_name=mail%20%26%20more",
            made["alarm_actions"][1],
        )
        self.wait_for_size(stack, 1)

        self.assertEqual([200], self.aodh.change_state(alarm_id, "alarm"))

        self.wait_for_size(stack, 2)
        self.here.ask(
            "PUT",
            stack.path,
            {"template": _template("compute.instance.delete")},
        )
        self.here.wait(stack, "UPDATE_COMPLETE")
        changed = self.aodh.alarms[alarm_id]
        self.assertEqual(
            "compute.instance.delete", changed["event_rule"]["event_type"]
        )
        self.assertEqual("alarm", changed["state"])
        self.assertEqual(made["alarm_actions"], changed["alarm_actions"])
        self.act(stack, "check")
        self.act(stack, "suspend")
        self.assertFalse(self.aodh.alarms[alarm_id]["enabled"])
        self.act(stack, "resume")
        self.assertTrue(self.aodh.alarms[alarm_id]["enabled"])
        self.here.delete(stack)
        self.wait_until_gone(self.here, stack)
        self.assertEqual({}, self.aodh.alarms)

    def test_each_rule_is_one_that_the_service_has(self) -> None:
        limit = {"threshold": 5, "comparison_operator": "gt"}
        declared: Json = {
            "Ceilometer::Alarm": {
                "meter_name": "cpu",
                "matching_metadata": {"role": "web"},
                **limit,
            },
            "Aodh::CompositeAlarm": {
                "composite_rule": {
                    "operator": "or",
                    "rules": [
                        {"type": "gnocchi_resources_threshold", "metric": "a"},
                        {"type": "gnocchi_resources_threshold", "metric": "b"},
                    ],
                }
            },
            "Aodh::GnocchiAggregationByMetricsAlarm": {
                "metrics": ["m-1"],
                **limit,
            },
            "Aodh::GnocchiAggregationByResourcesAlarm": {
                "metric": "cpu",
                "query": "{}",
                "resource_type": "instance",
                **limit,
            },
            "Aodh::GnocchiResourcesAlarm": {
                "metric": "cpu",
                "resource_id": "r-1",
                "resource_type": "instance",
                **limit,
            },
            "Aodh::LBMemberHealthAlarm": {
                "pool": "5d4b3a1e-0000-4000-8000-00000000000a",
                "stack": "s-1",
                "autoscaling_group_id": "g-1",
            },
            "Aodh::PrometheusAlarm": {"query": "up", **limit},
        }
        stack = self.created(
            {
                "heat_template_version": "2021-04-16",
                "resources": {
                    name.replace("::", "_"): {
                        "type": f"OS::{name}",
                        "properties": properties,
                    }
                    for name, properties in declared.items()
                },
            }
        )

        made = {each["type"]: each for each in self.aodh.alarms.values()}
        self.assertEqual(
            {
                "composite",
                "gnocchi_aggregation_by_metrics_threshold",
                "gnocchi_aggregation_by_resources_threshold",
                "gnocchi_resources_threshold",
                "loadbalancer_member_health",
                "prometheus",
                "threshold",
            },
            made.keys(),
        )
        self.assertEqual(
            [{"field": "metadata.role", "op": "eq", "value": "web"}],
            made["threshold"]["threshold_rule"]["query"],
        )
        self.assertEqual(5, made["prometheus"]["prometheus_rule"]["threshold"])
        self.here.delete(stack)
        self.wait_until_gone(self.here, stack)
        self.assertEqual({}, self.aodh.alarms)

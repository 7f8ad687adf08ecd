"""Policies of both kinds: what they make of signals."""

import collections.abc
import dataclasses

from orch.conf import api
from orch.conf import signals as signals_conf
from orch.plugin import call_context
from orch.plugin import signals
from orch.resources.cfn import scaling_policy as cfn
from orch.resources.groups import adjustment
from orch.resources.groups import scaling_policy as group_scaling_policy
from orch.resources.heat import scaling_policy
from tests import base
from tests.unit.resources import contexts

HEAT = scaling_policy.AutoScalingPolicy
CFN = cfn.AWSScalingPolicy


class ScalingPolicyTest(base.TestCase):
    def setUp(self) -> None:
        super().setUp()
        self.clock = contexts.FakeClock()
        conf = contexts.options()
        api.SECTION.register(conf)
        signals_conf.SECTION.register(conf)
        conf.set_override("seal_keys", ["a" * 40], "signals")
        conf.set_override("url_base", "http://orch", "signals")
        self.heat = HEAT(conf, self.clock)
        self.cfn = CFN(conf, self.clock)

    def context(self, **properties: object) -> call_context.Context:
        given = {
            "auto_scaling_group_id": "shop-group",
            "adjustment_type": adjustment.CHANGE,
            "scaling_adjustment": 1,
            **properties,
        }
        return dataclasses.replace(
            contexts.make(HEAT, **given), stack_project="demo"
        )

    def after(
        self, context: call_context.Context, found: signals.SignalResult
    ) -> call_context.Context:
        kept: collections.abc.Mapping[str, object] = (
            context.signals if found.signal_data is None else found.signal_data
        )
        return dataclasses.replace(context, signals=kept)

    def referring(
        self, referred: call_context.ReferredResource | None
    ) -> call_context.Context:
        return dataclasses.replace(self.context(), referred=referred)

    def test_it_is_made_for_a_group_that_can_be_scaled(self) -> None:
        group = call_context.ReferredResource(
            name="group",
            type_name="OS::Heat::AutoScalingGroup",
            token="group-token",
            properties={},
            metadata={},
            is_scalable=True,
        )
        fixed = dataclasses.replace(
            group, type_name="OS::Heat::InstanceGroup", is_scalable=False
        )

        made = self.heat.create(self.referring(group))

        self.assertEqual("shop-thing-abcdefghijkl", made)
        for wrong, text in (
            (None, "no resource of this stack"),
            (fixed, "the OS::Heat::InstanceGroup of this stack"),
        ):
            error = self.assertRaises(
                group_scaling_policy.NoGroup,
                self.heat.create,
                self.referring(wrong),
            )
            self.assertIn(f"names shop-group, which is {text}", error.message)

    def test_a_signal_asks_for_another_size_of_the_group(self) -> None:
        context = self.context(
            adjustment_type=adjustment.PERCENT,
            scaling_adjustment=-20,
            min_adjustment_step=2,
        )
        found = self.heat.handle_signal(context, None)

        self.assertEqual(
            signals.Resize(
                group="shop-group",
                adjustment_type=adjustment.PERCENT,
                adjustment=-20,
                min_step=2,
            ),
            found.resize,
        )
        self.assertIn("-20", found.reason)

    def test_the_words_of_cloudformation_mean_the_same(self) -> None:
        for word, meant in (
            ("ChangeInCapacity", adjustment.CHANGE),
            ("ExactCapacity", adjustment.EXACT),
            ("PercentChangeInCapacity", adjustment.PERCENT),
        ):
            context = contexts.make(
                CFN,
                AutoScalingGroupName="g",
                AdjustmentType=word,
                ScalingAdjustment=3,
                MinAdjustmentStep=1,
            )
            self.assertEqual(
                signals.Resize(
                    group="g",
                    adjustment_type=meant,
                    adjustment=3,
                    min_step=1,
                ),
                self.cfn.handle_signal(context, None).resize,
            )

    def test_only_an_alarm_changes_anything(self) -> None:
        context = self.context()
        for details in (
            None,
            {},
            {"current": "ALARM", "previous": "ok"},
            {"state": "alarm"},
            "text",
        ):
            found = self.heat.handle_signal(context, details)
            self.assertEqual("shop-group", found.resize and found.resize.group)
        for details in ({"current": "ok"}, {"state": "insufficient data"}):
            self.assertEqual(
                signals.SignalResult(),
                self.heat.handle_signal(context, details),
            )

    def test_within_the_cooldown_signals_change_nothing(self) -> None:
        for plugin, context in (
            (self.heat, self.context(cooldown=60)),
            (
                self.cfn,
                contexts.make(
                    CFN,
                    AutoScalingGroupName="g",
                    AdjustmentType="ExactCapacity",
                    ScalingAdjustment=3,
                    Cooldown=60,
                ),
            ),
        ):
            self.check_cooldown(plugin, context)

    def check_cooldown(
        self,
        plugin: group_scaling_policy.ScalingPolicy,
        context: call_context.Context,
    ) -> None:
        context = self.after(context, plugin.handle_signal(context, None))
        self.clock.time += 59
        self.assertEqual(
            signals.SignalResult(), plugin.handle_signal(context, None)
        )
        self.clock.time += 1
        again = plugin.handle_signal(context, None)
        self.assertNotEqual(signals.SignalResult(), again)

    def test_addresses(self) -> None:
        context = self.context()
        found = self.heat.read_attributes(context, ["alarm_url", "signal_url"])

        self.assertEqual(
            "http://orch/v1/demo/stacks/shop"
            "/5d4b3a1e-0000-4000-8000-000000000001/resources/thing/signal",
            found["signal_url"],
        )
        self.assertStartsWith(found["alarm_url"], "http://orch/v1/signal/arn")

    def test_the_reference_of_cloudformations_is_its_address(self) -> None:
        context = dataclasses.replace(
            contexts.make(CFN), physical_id="made", stack_project="demo"
        )

        self.assertEqual(
            self.cfn.read_attributes(context, ["AlarmUrl"]),
            {"AlarmUrl": self.cfn.reference_id(context)},
        )
        self.assertStartsWith(
            self.cfn.reference_id(context), "http://orch/v1/signal/arn"
        )

    def assertStartsWith(self, found: object, start: str) -> None:  # noqa: N802 - as unittest has it
        self.assertEqual(start, str(found)[: len(start)])

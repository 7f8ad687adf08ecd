from orch.resources.cfn import scaling_policy as cfn_scaling_policy
from orch.resources.heat import access_policy
from orch.resources.heat import autoscaling_group
from orch.resources.heat import delay
from orch.resources.heat import instance_group
from orch.resources.heat import none
from orch.resources.heat import random_string
from orch.resources.heat import remote_stack
from orch.resources.heat import resource_chain
from orch.resources.heat import resource_group
from orch.resources.heat import scaling_policy
from orch.resources.heat import stack
from orch.resources.heat import swift_signal
from orch.resources.heat import swift_signal_handle
from orch.resources.heat import test_resource
from orch.resources.heat import update_wait_condition_handle
from orch.resources.heat import value
from orch.resources.heat import wait_condition
from orch.resources.heat import wait_condition_handle
from orch.resources.heat.software import deployment_groups
from tests import base
from tests.unit.resources.heat import schemas

GROUPS = (
    autoscaling_group.AutoScalingResourceGroup,
    cfn_scaling_policy.AWSScalingPolicy,
    deployment_groups.SoftwareDeploymentGroup,
    deployment_groups.StructuredDeploymentGroup,
    instance_group.InstanceGroup,
    resource_chain.ResourceChain,
    resource_group.ResourceGroup,
    scaling_policy.AutoScalingPolicy,
)


class SchemaTest(base.TestCase):
    def test_each_type_declares_what_clients_of_heat_know(self) -> None:
        for plugin in (
            delay.Delay,
            none.NoneResource,
            random_string.RandomString,
            test_resource.TestResource,
            value.Value,
            access_policy.AccessPolicy,
            stack.HeatStack,
            swift_signal.SwiftSignal,
            swift_signal_handle.SwiftSignalHandle,
            update_wait_condition_handle.UpdateWaitConditionHandle,
            wait_condition.HeatWaitCondition,
            wait_condition_handle.HeatWaitConditionHandle,
            *GROUPS,
        ):
            schemas.check(self, plugin)

    def test_each_declaration_is_described(self) -> None:
        for plugin in (
            delay.Delay,
            random_string.RandomString,
            test_resource.TestResource,
            value.Value,
            access_policy.AccessPolicy,
            remote_stack.RemoteStack,
            stack.HeatStack,
            swift_signal.SwiftSignal,
            swift_signal_handle.SwiftSignalHandle,
            wait_condition.HeatWaitCondition,
            wait_condition_handle.HeatWaitConditionHandle,
            *GROUPS,
        ):
            for item in (*plugin.properties, *plugin.attributes):
                self.assertNotEqual("", item.description, item.name)

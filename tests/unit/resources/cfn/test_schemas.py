from orch.resources.cfn import access_key
from orch.resources.cfn import autoscaling_group
from orch.resources.cfn import launch_configuration
from orch.resources.cfn import stack
from orch.resources.cfn import user
from orch.resources.cfn import wait_condition
from orch.resources.cfn import wait_condition_handle
from tests import base
from tests.unit.resources.heat import schemas


class SchemaTest(base.TestCase):
    def test_each_type_declares_what_clients_of_heat_know(self) -> None:
        for plugin in (
            access_key.AccessKey,
            autoscaling_group.AutoScalingGroup,
            launch_configuration.LaunchConfiguration,
            stack.NestedStack,
            user.User,
            wait_condition.WaitCondition,
            wait_condition_handle.WaitConditionHandle,
        ):
            schemas.check(self, plugin)
            for item in (*plugin.properties, *plugin.attributes):
                self.assertNotEqual("", item.description, item.name)

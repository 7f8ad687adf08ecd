from orch.conf import load
from orch.engine import dependencies
from tests import base


class OptionsTest(base.TestCase):
    def test_limits_and_settings_come_from_the_options(self) -> None:
        conf = load.load([], files=[])
        conf.set_override("max_template_size", 1)
        conf.set_override("max_resources_per_stack", 2)
        conf.set_override("limit_iterators", 3, group="yaql")
        conf.set_override("memory_quota", 4, group="yaql")
        conf.set_override("max_function_time", 0.5, group="engine")
        conf.set_override("max_stacks_per_tenant", 5)
        conf.set_override("stack_action_timeout", 6)
        conf.set_override("max_nested_stack_depth", 7)
        conf.set_override("hidden_stack_tags", ["ours"], group="api")
        conf.set_override("enabled", True, group="observer")

        found = dependencies.limits_of(conf)

        self.assertEqual(
            (1, 2, 3, 4, 0.5),
            (
                found.template_size,
                found.resources,
                found.yaql_iterations,
                found.yaql_memory,
                found.function_s,
            ),
        )
        self.assertEqual(
            dependencies.Settings(
                max_stacks_per_tenant=5,
                stack_action_timeout=6,
                max_nested_stack_depth=7,
                hidden_tags=("ours",),
                observes=True,
            ),
            dependencies.settings_of(conf),
        )

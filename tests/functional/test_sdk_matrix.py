"""Each call of openstacksdk's orchestration proxy and cloud layer works.

None is left out: the public methods of both classes are counted.
"""

import collections.abc
import inspect

import openstack
from openstack.cloud import _orchestration
from openstack.orchestration.v1 import _proxy
from openstack.orchestration.v1 import stack as _stack

from tests.support import serving

_TEMPLATE = """
heat_template_version: 2021-04-16
parameters:
  word: {type: string, default: hello}
resources:
  first:
    type: OS::Heat::Value
    properties:
      value: {get_param: word}
outputs:
  word:
    value: {get_attr: [first, value]}
"""

Observed = collections.abc.MutableSet[str]


class Watched:
    """An object whose methods are counted when they are looked up."""

    def __init__(self, inner: object, seen: Observed) -> None:
        self._wrapped = inner
        self._observed = seen

    def __getattr__(self, name: str) -> object:
        self._observed.add(name)
        return getattr(self._wrapped, name)


class SdkTestCase(serving.ServerTestCase):
    """A connection to the server, as a user makes one."""

    limit_s = 200

    def setUp(self) -> None:
        super().setUp()
        self.connection = openstack.connect(
            load_yaml_config=False,
            load_envvars=False,
            auth_type="none",
            auth={"endpoint": self.system.endpoint},
            orchestration_endpoint_override=self.system.endpoint,
        )
        self.addCleanup(self.connection.close)
        self.observed: set[str] = set()
        path = self.make_directory() / "t.yaml"
        path.write_text(_TEMPLATE, encoding="utf-8")
        self.file = str(path)


class ProxyTest(SdkTestCase):
    """``connection.orchestration``."""

    def setUp(self) -> None:
        super().setUp()
        self.proxy = Watched(self.connection.orchestration, self.observed)

    def test_each_call_has_worked(self) -> None:
        self.prepare()
        stack = self.make()
        self.read(stack)
        self.change(stack)
        self.abandon_stack(stack)
        self.deploy()

        self.assertEqual(set(), methods_of(_proxy.Proxy) - self.observed)

    def prepare(self) -> None:
        given = self.proxy.read_env_and_templates(template_file=self.file)
        self.assertIn("first", given["template"]["resources"])
        files, template = self.proxy.get_template_contents(self.file)
        self.assertEqual({}, files)
        found = self.proxy.validate_template(template)
        self.assertIn("word", found.parameters)

    def make(self) -> object:
        made = self.proxy.create_stack(
            name="proxied", template=_TEMPLATE, tags=["a", "b"]
        )
        self.settle(made, "CREATE_COMPLETE")
        return self.proxy.get_stack(made.id)

    def settle(self, stack: object, status: str) -> None:
        self.proxy.wait_for_status(
            stack, status, ["CREATE_FAILED"], interval=0.2, wait=60
        )

    def read(self, stack: object) -> None:
        self.assertEqual(["a", "b"], list(stack.tags))
        found = self.proxy.find_stack("proxied", ignore_missing=False)
        self.assertEqual(stack.id, found.id)
        listed = self.proxy.stacks(
            status="COMPLETE", name="proxied", action="CREATE"
        )
        self.assertEqual([stack.id], [each.id for each in listed])
        self.assertEqual([], list(self.proxy.stacks(status="FAILED")))
        template = self.proxy.get_stack_template(stack)
        self.assertIn("first", template.resources)
        environment = self.proxy.get_stack_environment(stack)
        self.assertEqual({}, environment.parameters)
        self.assertEqual({}, self.proxy.get_stack_files(stack))
        (resource,) = self.proxy.resources(stack)
        self.assertEqual("CREATE_COMPLETE", resource.status)
        events = list(self.proxy.stack_events(stack))
        self.assertEqual("CREATE_COMPLETE", events[-1].resource_status)
        events = list(self.proxy.stack_events(stack, "first"))
        self.assertEqual({"first"}, {each.resource_name for each in events})
        paged = self.proxy.stack_events(stack, "first", limit=1)
        self.assertEqual(
            [each.id for each in events], [each.id for each in paged]
        )
        exported = self.proxy.export_stack(stack)
        self.assertEqual("proxied", exported["name"])

    def change(self, stack: object) -> None:
        self.proxy.update_stack(
            stack, template=_TEMPLATE, parameters={"word": "new"}
        )
        self.settle(stack, "UPDATE_COMPLETE")
        # The proxy's own ``preview`` gets lost on its way (4.22).
        tried = _stack.Stack.new(
            name=stack.name, id=stack.id, template=_TEMPLATE
        )
        tried.commit(self.connection.orchestration, preview=True)
        now = self.proxy.get_stack(stack.id)
        self.assertEqual("UPDATE_COMPLETE", now.status)
        self.proxy.suspend_stack(stack)
        self.settle(stack, "SUSPEND_COMPLETE")
        self.proxy.resume_stack(stack)
        self.settle(stack, "RESUME_COMPLETE")
        self.proxy.check_stack(stack)
        self.settle(stack, "CHECK_COMPLETE")

    def abandon_stack(self, stack: object) -> None:
        document = self.proxy.abandon_stack(stack)
        self.assertEqual("proxied", document["name"])
        self.proxy.wait_for_delete(stack, interval=0.2, wait=60)
        other = self.make()
        self.proxy.delete_stack(other)
        self.proxy.wait_for_delete(other, interval=0.2, wait=60)
        self.assertIsNone(self.proxy.find_stack("proxied"))

    def deploy(self) -> None:
        proxy = self.proxy
        config = proxy.create_software_config(
            name="setup", group="script", config="#!/bin/sh"
        )
        self.assertEqual(
            [config.id], [each.id for each in proxy.software_configs()]
        )
        found = proxy.get_software_config(config.id)
        self.assertEqual("#!/bin/sh", found.config)
        made = proxy.create_software_deployment(
            config_id=config.id, server_id="web", action="CREATE"
        )
        self.assertEqual(
            [made.id],
            [each.id for each in proxy.software_deployments(server_id="web")],
        )
        shown = proxy.get_software_deployment(made.id)
        self.assertEqual("web", shown.server_id)
        changed = proxy.update_software_deployment(
            made.id, status="COMPLETE", output_values={"result": "fine"}
        )
        self.assertEqual("COMPLETE", changed.status)
        proxy.delete_software_deployment(made.id)
        proxy.delete_software_config(config.id)
        self.assertEqual([], list(proxy.software_configs()))


class CloudTest(SdkTestCase):
    """The calls of the connection itself."""

    def test_each_call_has_worked(self) -> None:
        cloud = Watched(self.connection, self.observed)
        _, template = cloud.get_template_contents(template_file=self.file)
        self.assertIn("first", template["resources"])

        made = cloud.create_stack(
            "clouded",
            tags=["one"],
            template_file=self.file,
            wait=True,
            word="old",
        )
        changed = cloud.update_stack(
            "clouded", template_file=self.file, wait=True, word="new"
        )

        self.assertEqual("CREATE_COMPLETE", made.status)
        self.assertEqual(made.id, changed.id)
        self.assertEqual("UPDATE_COMPLETE", changed.status)
        shown = cloud.get_stack("clouded")
        (output,) = shown.outputs
        self.assertEqual("new", output["output_value"])
        self.assertEqual([made.id], [each.id for each in cloud.list_stacks()])
        found = cloud.search_stacks(filters={"name": "clouded"})
        self.assertEqual([made.id], [each.id for each in found])
        self.assertTrue(cloud.delete_stack("clouded", wait=True))
        self.assertIsNone(cloud.get_stack("clouded"))
        self.assertFalse(cloud.delete_stack("clouded"))

        every = methods_of(_orchestration.OrchestrationCloudMixin)
        self.assertEqual(set(), every - self.observed)


def methods_of(kind: type) -> set[str]:
    """Return the names of the public methods that a class itself has."""
    return {
        name
        for name, value in vars(kind).items()
        if inspect.isfunction(value) and not name.startswith("_")
    }

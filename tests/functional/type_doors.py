"""Ways in which resources come about, with rules that deny some types."""

import json
import pathlib
import tempfile
import typing

from tests.support import ports
from tests.support import rest
from tests.support import serving
from tests.support import waiting

Json = dict[str, typing.Any]

FLAT: typing.Final = "OS::Heat::RandomString"
OF_SERVICE: typing.Final = "AWS::CloudFormation::WaitConditionHandle"
ALLOWED: typing.Final = "OS::Heat::None"
RULES: typing.Final = {
    FLAT: f"resource_types:{FLAT}",
    OF_SERVICE: "resource_types:AWS::CloudFormation::*",
    ALLOWED: None,
    "Test::World::Single": "resource_types:Test::World::Single",
    "OS::Heat::SoftwareDeployment": (
        "resource_types:OS::Heat::SoftwareDeployment"
    ),
}
ALIAS = "My::Alias"
_POLICY = "".join(
    f'"{rule}": "role:admin"\n' for rule in RULES.values() if rule
)


def template(outputs: Json | None = None, /, **resources: object) -> Json:
    return {
        "heat_template_version": "2021-04-16",
        "resources": resources,
        "outputs": outputs or {},
    }


def text_of(**resources: object) -> str:
    """Return a template as a file has it."""
    return json.dumps(template(**resources))


def later(value: object) -> tuple[Json, Json]:
    """Return a resource that holds a value, and how others get that.

    They get it when it is complete; until then nobody knows their types.
    """
    held = {"type": "OS::Heat::Value", "properties": {"value": value}}
    return held, {"get_attr": ["held", "value"]}


def group_of(kind: object, size: int = 1) -> Json:
    """Return a template of a group whose member type is known at run time."""
    held, later_kind = later(kind)
    grown = {
        "type": "OS::Heat::AutoScalingGroup",
        "properties": {
            "min_size": 0,
            "max_size": 5,
            "desired_capacity": size,
            "resource": {"type": later_kind},
        },
    }
    policy = {
        "type": "OS::Heat::ScalingPolicy",
        "properties": {
            "adjustment_type": "change_in_capacity",
            "scaling_adjustment": 1,
            "auto_scaling_group_id": {"get_resource": "group"},
        },
    }
    return template(
        {"url": {"value": {"get_attr": ["policy", "alarm_url"]}}},
        held=held,
        group=grown,
        policy=policy,
    )


class DoorsTestCase(serving.WorldTestCase):
    """A server whose rules deny types to members."""

    more: typing.ClassVar[Json] = {}

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        rules = pathlib.Path(directory.name) / "policy.yaml"
        rules.write_text(_POLICY)
        cls.options = {
            "DEFAULT": {
                "enable_stack_adopt": True,
                "enable_stack_abandon": True,
            },
            "oslo_policy": {"policy_file": rules},
            **cls.more,
        }
        cls.cfn_port = ports.find_free()
        cls.arguments = ("--cfn-port", str(cls.cfn_port))
        super().setUpClass()

    def setUp(self) -> None:
        super().setUp()
        self.admin = self.client
        self.member = rest.Client(self.admin.endpoint, roles="member")
        self.addCleanup(self.member.close)

    def admins(self, wanted: Json, **more: object) -> rest.Stack:
        """Return a complete stack of the administrator."""
        stack = self.admin.create(self.name, wanted, **more)
        self.admin.wait(stack, "CREATE_COMPLETE")
        return stack

    def change(
        self,
        client: rest.Client,
        stack: rest.Stack,
        wanted: Json,
        **more: object,
    ) -> None:
        """Update a stack, to its end."""
        client.ask("PUT", stack.path, {"template": wanted})
        self.ended(stack)

    def touch(self, stack: rest.Stack) -> None:
        """Let the member be who changed the stack last; all stays as it is."""
        self.member.ask("PATCH", stack.path, {"tags": "touched"})
        self.admin.wait(stack, "UPDATE_COMPLETE")

    def ended(self, stack: rest.Stack) -> Json:
        """Return the stack once nothing of it is in progress."""

        def look() -> Json | None:
            found = self.admin.show(stack)
            is_busy = str(found["stack_status"]).endswith("IN_PROGRESS")
            return None if is_busy else found

        return waiting.wait_for(look, "the stack ends")

    def rows(self, stack: rest.Stack, *kinds: str) -> list[Json]:
        """Return the resources of these types in a tree."""
        found = self.admin.get(
            f"{stack.path}/resources?nested_depth=5", "resources"
        )
        return [
            each
            for each in typing.cast(list[Json], found)
            if each["resource_type"] in kinds
        ]

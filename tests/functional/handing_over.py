"""What tests of hand-overs share: two projects of one installation."""

import json
import typing

from tests.support import rest
from tests.support import systems
from tests.support import world_templates

Json = dict[str, typing.Any]

FROM: typing.Final = systems.PROJECT
"""The project that hands stacks over."""
TO: typing.Final = "receiver"
"""The project that takes them over."""
OPTIONS: typing.Final = {
    "enable_stack_adopt": True,
    "enable_stack_abandon": True,
}
HANDLE: typing.Final[Json] = {"type": "OS::Heat::WaitConditionHandle"}


def client_of(system: systems.System, project: str) -> rest.Client:
    """Return a client of another project of a system."""
    base = system.endpoint.rpartition("/")[0]
    return rest.Client(f"{base}/{project}", roles="member")


def tree(secret: str = "") -> tuple[Json, dict[str, str]]:
    """Return a template with child stacks at three levels, and its files.

    Each has a thing and a handle; the root shows the address of the last one.
    """
    parts: dict[str, Json] = {}
    for name, child in (("low", ""), ("mid", "low"), ("top", "mid")):
        url: Json = {"get_attr": ["handle", "endpoint"]}
        part = world_templates.template(
            thing={
                **world_templates.declare_resource(label="x"),
                "type": "Test::World::Single",
            },
            handle=HANDLE,
        )
        resources = typing.cast(Json, part["resources"])
        if child:
            resources["child"] = {"type": f"{child}.yaml"}
            url = {"get_attr": ["child", "url"]}
        part["outputs"] = {"url": {"value": url}}
        parts[name] = part
    root = parts.pop("top")
    if secret:
        root["parameters"] = {
            "word": {"type": "string", "hidden": True, "default": ""}
        }
        root["resources"]["thing"]["properties"]["label"] = {
            "get_param": "word"
        }
    files = {f"{name}.yaml": json.dumps(part) for name, part in parts.items()}
    return root, files


class Parties:
    """What the two projects do.

    :ivar ours: client of the project that hands over
    :ivar theirs: client of the one that takes over
    """

    def __init__(self, ours: rest.Client, theirs: rest.Client) -> None:
        self.ours, self.theirs = ours, theirs

    def offer(self, stack: rest.Stack, project: str = TO) -> Json:
        """Ask for the hand-over of a stack."""
        body = {"hand_over": {"project": project}}
        answer = self.ours.ask("POST", f"{stack.path}/abandon", body)
        return typing.cast(Json, answer)["abandonment"]

    def hand_over(self, stack: rest.Stack) -> Json:
        """Ask for it, and wait until the stack is abandoned."""
        answer = self.offer(stack)
        self.ours.wait(stack, "DELETE_COMPLETE", timeout_s=60)
        return answer

    def begin_take_over(
        self,
        stack: rest.Stack,
        client: rest.Client | None = None,
        **body: object,
    ) -> rest.Stack:
        """Ask for a new stack; return once that is accepted."""
        request = {"stack_name": stack.name, "hand_over": stack.id, **body}
        answer = (client or self.theirs).ask("POST", "/stacks", request)
        made = typing.cast(Json, answer)["stack"]
        return rest.Stack(str(request["stack_name"]), made["id"])

    def take_over(
        self, stack: rest.Stack, status: str = "ADOPT_COMPLETE", **body: object
    ) -> rest.Stack:
        """Take a stack over, and wait for the end."""
        taken = self.begin_take_over(stack, **body)
        self.theirs.wait(taken, status, timeout_s=60)
        return taken

    @staticmethod
    def listed(client: rest.Client, stack: rest.Stack) -> Json | None:
        """Return what a project sees of the hand-over of a stack."""
        found = typing.cast(
            list[Json], client.get("/hand_overs", "hand_overs")
        )
        return next((each for each in found if each["id"] == stack.id), None)

    @staticmethod
    def withdraw(client: rest.Client, stack: rest.Stack) -> None:
        """Withdraw the offer of a stack."""
        client.ask("DELETE", f"/hand_overs/{stack.id}")

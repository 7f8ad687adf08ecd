"""What the tests on a real control plane share.

Each class runs an installation of its own against the control plane that
``ORCH_CLOUD_DIR`` names, and is skipped without one.
"""

import collections.abc
import json
import os
import pathlib
import subprocess
import typing
import uuid

from openstack import connection

from tests.functional import remote
from tests.support import rest
from tests.support import rig
from tests.support import waiting

Json = dict[str, typing.Any]

_COMMAND_S: typing.Final = 60
_ROLES: typing.Final = (
    "member",
    "reader",
    "creator",
    "load-balancer_member",
    "heat_stack_owner",
)
"""Those that the usual user has in a project."""


class RigTestCase(remote.CloudTestCase):
    """An installation on a control plane; stacks are removed at the end.

    :cvar acts_as_admin: tests act for the administrator, in the project
        ``admin``; otherwise for the user ``demo``
    :cvar wait_s: for how long an operation may go on, in seconds
    """

    services = ("identity",)
    acts_as_admin: typing.ClassVar[bool] = False
    wait_s: typing.ClassVar[float] = 90
    cloud: rig.Rig

    @classmethod
    def open_cloud(cls) -> tuple[rig.Rig, connection.Connection]:
        """Return the control plane, and a connection of who acts."""
        found = rig.insist(*cls.services)
        return found, found.admin if cls.acts_as_admin else found.user

    @classmethod
    def user_of_own_project(cls, found: rig.Rig) -> connection.Connection:
        """Return the usual user in a project that ends with the class."""
        name = f"orch-{uuid.uuid4().hex[:8]}"
        identity = found.admin.identity
        project = identity.create_project(name=name, domain_id="default")
        cls.addClassCleanup(identity.delete_project, project.id)
        for role in _ROLES:
            identity.assign_project_role_to_user(
                project.id,
                found.user.current_user_id,
                identity.find_role(role).id,
            )
        auth = dict(found.user.config.get_auth_args())
        auth.update(project_name=name)
        return connection.Connection(
            auth=auth,
            region_name=rig.REGION,
            identity_api_version="3",
        )

    @property
    def admin(self) -> connection.Connection:
        """Return a connection of who may all."""
        return self.cloud.admin

    def made(
        self,
        resources: Json,
        *,
        outputs: Json | None = None,
        status: str = "CREATE_COMPLETE",
        **body: object,
    ) -> rest.Stack:
        """Return a stack of these resources, which ended in that status.

        :param body: further keys of the request
        """
        stack = self.here.create(
            self.name, template(resources, outputs), **body
        )
        self.addCleanup(self.removed, stack)
        self.here.wait(stack, status, timeout_s=self.wait_s)
        return stack

    def updated(
        self,
        stack: rest.Stack,
        resources: Json,
        *,
        outputs: Json | None = None,
        status: str = "UPDATE_COMPLETE",
        **body: object,
    ) -> None:
        """Update a stack; return once it ended in that status."""
        wanted = {"template": template(resources, outputs), **body}
        # Once it is accepted the stack is in progress: no former end is seen.
        self.here.ask("PUT", stack.path, wanted)
        self.here.wait(stack, status, timeout_s=self.wait_s)

    def act(
        self, stack: rest.Stack, action: str, *, status: str = "COMPLETE"
    ) -> None:
        """Do an action without parameters; return once it ended so."""
        self.here.ask("POST", f"{stack.path}/actions", {action: None})
        self.here.wait(
            stack, f"{action.upper()}_{status}", timeout_s=self.wait_s
        )

    def removed(self, stack: rest.Stack) -> None:
        """Delete a stack; return once it is gone."""
        try:
            self.here.delete(stack)
        except rest.RefusedError as refused:
            if refused.status != 404:
                raise
            return

        def is_gone() -> bool:
            shown = self._found(stack)
            if shown.get("stack_status") == "DELETE_FAILED":
                raise AssertionError(shown["stack_status_reason"])
            return shown.get("stack_status") in (None, "DELETE_COMPLETE")

        waiting.wait_for(is_gone, f"{stack.name} is gone", limit_s=120)

    def _found(self, stack: rest.Stack) -> Json:
        """Return a stack as it is shown; empty where it is not."""
        try:
            return self.here.show(stack)
        except rest.RefusedError as refused:
            if refused.status != 404:
                raise
            return {}

    def physical_id(self, stack: rest.Stack, name: str) -> str:
        """Return the id of the thing of a resource."""
        return str(self.here.resources(stack)[name]["physical_resource_id"])

    def openstack(self, *arguments: str, is_admin: bool = False) -> str:
        """Run the ``openstack`` command; return what it prints."""
        place = pathlib.Path(os.environ["ORCH_CLOUD_DIR"])
        cloud = "orch-admin" if is_admin or self.acts_as_admin else "orch-demo"
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "OS_CLIENT_CONFIG_FILE": str(place / "clouds.yaml"),
            "OS_CLOUD": cloud,
        }
        done = subprocess.run(
            (str(place / "venv" / "bin" / "openstack"), *arguments),
            capture_output=True,
            text=True,
            timeout=_COMMAND_S,
            check=False,
            env=environment,
        )
        if done.returncode:
            raise AssertionError(done.stderr)
        return done.stdout

    def shown(self, *arguments: str, is_admin: bool = False) -> typing.Any:
        """Return what the ``openstack`` command shows, parsed."""
        return json.loads(
            self.openstack(*arguments, "-f", "json", is_admin=is_admin)
        )


def template(
    resources: collections.abc.Mapping[str, object],
    outputs: collections.abc.Mapping[str, object] | None = None,
) -> Json:
    """Return a template of these resources."""
    return {
        "heat_template_version": "2021-04-16",
        "resources": dict(resources),
        **({"outputs": dict(outputs)} if outputs else {}),
    }

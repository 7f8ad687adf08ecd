"""Orch's own types; the worker dies when the world has answered a call.

The real call is made, and then, before the engine hears of it, the process
kills itself: once for each act and resource. Which acts these are, and that
it happened, are files of the directory that the variable
``ORCH_TEST_DEATHS`` names: ``create`` asks for it, ``create.file`` tells
that the worker died in the creation of the resource ``file``.
"""

import collections.abc
import contextlib
import os
import pathlib
import signal

from orch.plugin import call_context
from orch.plugin import resource
from orch.resources.heat.software import software_config
from orch.resources.heat.software import software_deployment
from orch.resources.http import resource as http
from orch.resources.local import directory
from orch.resources.local import file
from orch.resources.local import process

VARIABLE = "ORCH_TEST_DEATHS"


def die_once(act: str, context: call_context.Context) -> None:
    """Kill this process, if that is asked for and did not happen yet."""
    deaths = pathlib.Path(os.environ[VARIABLE])
    if not (deaths / act).exists():
        return
    with contextlib.suppress(FileExistsError):
        (deaths / f"{act}.{context.name}").touch(exist_ok=False)
        os.kill(os.getpid(), signal.SIGKILL)


class Dying(resource.Resource):
    """What the types share: it stands before the real one."""

    def create(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Make it and die."""
        made = super().create(context)
        die_once("create", context)
        return made

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult | None:
        """Change it and die."""
        answer = super().update(context, before, changed)
        die_once("update", context)
        return answer


class File(Dying, file.File):
    """A file."""

    type_name = "Test::Dying::File"


class Directory(Dying, directory.Directory):
    """A directory."""

    type_name = "Test::Dying::Directory"


class Process(Dying, process.Process):
    """A process."""

    type_name = "Test::Dying::Process"


class Http(Dying, http.HttpResource):
    """A thing of a service."""

    type_name = "Test::Dying::Http"


class Config(Dying, software_config.SoftwareConfig):
    """A software config."""

    type_name = "Test::Dying::Config"


class Deployment(Dying, software_deployment.SoftwareDeployment):
    """A software deployment."""

    type_name = "Test::Dying::Deployment"

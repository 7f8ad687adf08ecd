"""What a request says of a stack, ready for the engine."""

import dataclasses
import typing

from orch import clock
from orch.api import body
from orch.api import settings
from orch.api import web
from orch.api.schemas import stacks
from orch.clients import template_url
from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import templates


@dataclasses.dataclass(frozen=True, slots=True)
class StackRequest:
    """A body that was checked, and what describes the stack in it."""

    body: stacks.Body
    inputs: contract.StackInputs


class StackRequestReader:
    """Reads the bodies of create, preview and validate."""

    def __init__(
        self,
        client: templates.Templates,
        limits: settings.Settings,
        time: clock.Clock,
    ) -> None:
        self._templates = client
        self._limits = limits
        self._clock = time

    def read(
        self, req: web.Request, *, needs_template: bool = True
    ) -> StackRequest:
        """Return the checked body, template and files fetched if need be.

        :param needs_template: refuse a body without one
        :raises orch.errors.Invalid: it does not describe a stack
        :raises orch.errors.NotFound: the container of its files is not there
        """
        asked = body.read(req, self._limits.max_json_body_size)
        return StackRequest(
            asked,
            self.read_inputs(req.caller, asked, needs_template=needs_template),
        )

    def read_inputs(
        self,
        caller: request.RequestContext,
        request: stacks.Body,
        *,
        needs_template: bool = True,
    ) -> contract.StackInputs:
        """Return what describes the stack in a body, as :meth:`read` does."""
        stacks.check_body(request)
        inputs = typing.cast(
            contract.StackInputs,
            {
                key: request[key]
                for key in stacks.INPUTS
                if request.get(key) is not None
            },
        )
        url = stacks.template_url_of(request, needs_template=needs_template)
        if url is not None:
            inputs["template"] = template_url.fetch_template(
                url,
                limit=self._limits.max_template_size,
                timeout_s=self._limits.template_url_timeout_s,
                time=self._clock,
                within=self._limits.within,
            )
        container = request.get("files_container")
        if container:
            sent = inputs.get("files", {})
            found = self._templates.files(
                caller,
                str(container),
                sorted(sent),
                self._limits.max_json_body_size,
            )
            inputs["files"] = {**found, **sent}
        return inputs

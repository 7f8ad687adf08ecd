"""What a request says of a stack, ready for the engine."""

import dataclasses

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
        return self.parse_request(
            req.caller, self.body(req), needs_template=needs_template
        )

    def body(self, req: web.Request) -> stacks.Body:
        """Return the body as it came; it can be read once.

        :raises orch.errors.Invalid: it is no JSON object
        """
        return body.read(req, self._limits.max_json_body_size)

    def parse_request(
        self,
        caller: request.RequestContext,
        request: stacks.Body,
        *,
        needs_template: bool = True,
    ) -> StackRequest:
        """Return what a body says, as :meth:`read` does."""
        stacks.check_body(request)
        inputs = stacks.inputs_of(request)
        url = stacks.template_url_of(request, needs_template=needs_template)
        if url is not None:
            inputs["template"] = template_url.fetch_template(
                url,
                limit=self._limits.max_template_size,
                timeout_s=self._limits.template_url_timeout_s,
                time=self._clock,
                within=self._limits.within,
            )
        container = stacks.container_of(request)
        if container is not None:
            sent = inputs.get("files", {})
            found = self._templates.files(
                caller,
                container,
                sorted(sent),
                self._limits.max_json_body_size,
            )
            inputs["files"] = {**found, **sent}
        return StackRequest(request, inputs)

"""What a request says of a stack, ready for the engine."""

import dataclasses
import typing

from orch import clock
from orch import project_slots
from orch.api import body
from orch.api import server
from orch.api import settings
from orch.api import web
from orch.api.schemas import stacks
from orch.clients import template_url
from orch.context import request
from orch.rpc import contract

MAX_FETCHES: typing.Final = 8
MAX_FETCHES_PER_PROJECT: typing.Final = 2
"""How many templates are fetched at a time, in all and for one project. Each
fetch has a thread of its own, so that others serve requests."""


@dataclasses.dataclass(frozen=True, slots=True)
class StackRequest:
    """A body that was checked, and what describes the stack in it."""

    body: stacks.Body
    inputs: contract.StackInputs


class StackRequestReader:
    """Reads the bodies of create, preview and validate."""

    def __init__(
        self,
        client: contract.Templates,
        limits: settings.Settings,
        time: clock.Clock,
    ) -> None:
        self._templates = client
        self._limits = limits
        self._clock = time
        self._fetches = project_slots.ProjectSlots(
            "requests that fetch a template",
            MAX_FETCHES,
            MAX_FETCHES_PER_PROJECT,
        )

    def read(
        self, req: web.Request, *, needs_template: bool = True
    ) -> StackRequest:
        """Return the checked body, template and files fetched if need be.

        :param needs_template: refuse a body without one
        :raises orch.errors.Invalid: it does not describe a stack
        :raises orch.project_slots.SlotsTaken: too many templates are fetched
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
            inputs["template"] = self._fetch(caller, url)
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

    def _fetch(self, caller: request.RequestContext, url: str) -> str:
        """Return the template at an address.

        :raises orch.project_slots.SlotsTaken: too many are fetched now
        """
        template_url.check_url(url)
        with self._fetches.taken(caller.project_id), server.Hold.held():
            return template_url.fetch_template(
                url,
                limit=self._limits.max_template_size,
                timeout_s=self._limits.template_url_timeout_s,
                time=self._clock,
                within=self._limits.within,
            )

"""Hand-overs of stacks between projects of one installation."""

import dataclasses
import typing

from orchclient import models
from orchclient import packaging
from orchclient import plans
from orchclient import request_bodies
from orchclient import response_parser
from orchclient import stack_lookup
from orchclient import stacks
from orchclient import transport
from orchclient.values import hand_overs as values

HandOver = values.HandOver

_PAGE: typing.Final = 500


@dataclasses.dataclass(frozen=True, slots=True)
class Offer:
    """A stack that is abandoned, and offered to another project.

    :ivar token: of its abandonment
    :ivar project: the project that may take it over
    :ivar expires_at: until when
    """

    token: str
    project: str
    expires_at: models.Moment


class HandOvers:
    """Hands stacks over to other projects, and takes them over."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def offer(self, stack: models.Which, project: str) -> Offer:
        """Abandon a stack, and offer it to a project; return at once.

        :raises orchclient.errors.ConflictError: it is taken over already
        """
        found = stack_lookup.identify_stack(self._sender, stack)
        answer = self._sender.ask(
            "POST",
            f"{found.path}/abandon",
            {"hand_over": {"project": project}},
        )
        content = response_parser.get_map(answer, "abandonment")
        return Offer(
            response_parser.get_text(content, "token"),
            response_parser.get_text(content, "project"),
            response_parser.required_time(content, "expires_at"),
        )

    def list(self) -> tuple[HandOver, ...]:
        """Return what the project hands over or is offered, newest first."""
        found: list[HandOver] = []
        marker: str | None = None
        while page := self._page(marker):
            if page[-1].id == marker:
                # A service of an earlier release has answered all at once.
                break
            found += page
            marker = page[-1].id
        return tuple(found)

    def _page(self, marker: str | None) -> tuple[HandOver, ...]:
        query = {"limit": _PAGE, "marker": marker}
        answer = self._sender.get("/hand_overs", query)
        return response_parser.get_values(answer, "hand_overs", HandOver.of)

    def withdraw(self, stack_id: str) -> None:
        """Offer an abandoned stack to no project any more.

        :raises orchclient.errors.ConflictError: it is taken over already
        """
        path = f"/hand_overs/{transport.quote_part(stack_id)}"
        self._sender.ask("DELETE", path)

    def take_over(
        self,
        stack_id: str,
        name: str,
        source: packaging.Package | None = None,
        **request: typing.Unpack[request_bodies.AdoptRequest],
    ) -> models.StackIdentity:
        """Adopt a stack that is offered to the project; return the new one.

        :param stack_id: of the abandoned stack
        :param name: of the new one
        :param source: files and environment; the template is the old stack's
        :raises orchclient.errors.ConflictError: it cannot be taken over now
        """
        body = _body(stack_id, name, source, request)
        return stacks.created_stack(
            self._sender.ask_once("POST", "/stacks", body)
        )

    def preview(
        self,
        stack_id: str,
        name: str,
        source: packaging.Package | None = None,
        **request: typing.Unpack[request_bodies.AdoptRequest],
    ) -> plans.Plan:
        """Preview :meth:`take_over`; nothing is changed."""
        body = _body(stack_id, name, source, request)
        answer = self._sender.ask("POST", "/stacks/preview", body)
        stack = response_parser.get_map(answer, "stack")
        return plans.Plan.of(response_parser.get_map(stack, "plan"))


def _body(
    stack_id: str,
    name: str,
    source: packaging.Package | None,
    request: request_bodies.AdoptRequest,
) -> request_bodies.Body:
    body = request_bodies.creation_body(source, request)
    body.pop("template", None)
    return {"stack_name": name, "hand_over": stack_id, **body}

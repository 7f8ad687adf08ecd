"""Lifecycle plug-ins of the service, and answers to their holds."""

from orchclient import models
from orchclient import request_bodies
from orchclient import response_parser
from orchclient import stack_lookup
from orchclient import transport
from orchclient.values import lifecycle as values

Call = values.Call
Held = values.Held
Hold = values.Hold
Plugin = values.Plugin
Verdict = values.Verdict


class Lifecycle:
    """Lists lifecycle plug-ins, and approves or rejects operations on hold.

    Of two answers for one hold the first counts, and the other is an
    :class:`orchclient.errors.ConflictError`.
    """

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def plugins(self) -> tuple[Plugin, ...]:
        """Return the plug-ins of a worker, in the order of their calls."""
        answer = self._sender.get("/lifecycle/plugins")
        return response_parser.get_values(answer, "plugins", Plugin.of)

    def holds(self, *, all_projects: bool = False) -> tuple[Held, ...]:
        """Return the operations of the project on hold, the oldest first.

        :param all_projects: those of all projects, for administrators
        :raises orchclient.errors.ForbiddenError: the caller is none
        """
        answer = self._sender.get(
            "/lifecycle/holds",
            request_bodies.without_absent(all_projects=all_projects or None),
        )
        return response_parser.get_values(answer, "holds", Held.of)

    def approve(
        self,
        stack: models.Which,
        text: str = "",
        *,
        operation_id: str | None = None,
    ) -> models.StackIdentity:
        """Approve the held operation of a stack, so that it goes on.

        :param text: why, for users
        :param operation_id: which one; ``None`` for whichever is held
        :raises orchclient.errors.ConflictError: it is not held
        :raises orchclient.errors.ForbiddenError: the caller has requested it,
            and another user has to approve it
        """
        return self._answer(stack, "approve", text, operation_id)

    def reject(
        self,
        stack: models.Which,
        text: str = "",
        *,
        operation_id: str | None = None,
    ) -> models.StackIdentity:
        """Reject the held operation of a stack, so that it fails.

        :param text: why, for users
        :param operation_id: which one; ``None`` for whichever is held
        :raises orchclient.errors.ConflictError: it is not held
        """
        return self._answer(stack, "reject", text, operation_id)

    def _answer(
        self,
        stack: models.Which,
        action: str,
        text: str,
        operation_id: str | None,
    ) -> models.StackIdentity:
        found = stack_lookup.identify_stack(self._sender, stack)
        content = request_bodies.without_absent(
            text=text or None, operation_id=operation_id
        )
        self._sender.ask_once(
            "POST", f"{found.path}/actions", {action: content}
        )
        return found

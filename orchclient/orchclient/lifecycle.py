"""Lifecycle plug-ins of the service, and answers to their holds."""

import dataclasses

from orchclient import models
from orchclient import request_bodies
from orchclient import response_parser
from orchclient import stack_lookup
from orchclient import transport
from orchclient import verdicts


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A plug-in that is called before and after operations.

    :ivar ordinal: lower ones come first, where nothing else is declared
    :ivar before: names of those that it comes before
    :ivar after: names of those that it comes after
    :ivar scope: ``roots`` or ``every stack``
    :ivar verbs: requests that it is called for; ``None`` for all
    :ivar supports_preview: its verdicts are in plans, too
    :ivar time_limit_s: that one call may take
    :ivar is_fail_open: its errors only warn
    :ivar is_legacy: it was written for Heat
    :ivar load_error: why it could not be loaded
    """

    name: str
    ordinal: int
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    scope: str = "roots"
    verbs: tuple[str, ...] | None = None
    supports_preview: bool = False
    time_limit_s: float = 0.0
    is_fail_open: bool = False
    is_legacy: bool = False
    load_error: str | None = None

    @classmethod
    def of(cls, body: response_parser.Json) -> "Plugin":
        """Return the plug-in that a body describes."""
        is_limited = body.get("verbs") is not None
        return cls(
            name=response_parser.required_text(body, "name"),
            ordinal=response_parser.get_integer(body, "ordinal"),
            before=response_parser.get_texts(body, "before"),
            after=response_parser.get_texts(body, "after"),
            scope=response_parser.get_text(body, "scope"),
            verbs=response_parser.get_texts(body, "verbs")
            if is_limited
            else None,
            supports_preview=response_parser.get_boolean(
                body, "supports_preview"
            ),
            time_limit_s=response_parser.get_number(body, "time_limit"),
            is_fail_open=response_parser.get_boolean(body, "is_fail_open"),
            is_legacy=response_parser.get_boolean(body, "is_legacy"),
            load_error=response_parser.find_text(body, "load_error"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An operation on hold, until it is approved or rejected.

    :ivar path: names of resources from the root stack down to the stack that
        waits; empty for the root
    :ivar stack: that waits
    :ivar root_name: of the root stack
    """

    path: tuple[str, ...]
    stack: models.StackIdentity
    root_name: str
    operation_id: str
    action: str
    hold: verdicts.Hold
    requested_by: str | None = None

    @classmethod
    def of(cls, body: response_parser.Json) -> "Held":
        """Return the operation that a body describes."""
        return cls(
            path=response_parser.get_texts(body, "path"),
            stack=models.stack_of(body),
            root_name=response_parser.get_text(body, "root_name"),
            operation_id=response_parser.required_text(body, "operation_id"),
            action=response_parser.get_text(body, "action"),
            requested_by=response_parser.find_text(body, "requested_by"),
            hold=verdicts.Hold.of(response_parser.get_map(body, "hold")),
        )

    @property
    def which(self) -> str:
        """Return the name of the stack; for child stacks the id."""
        return self.stack.id if self.path else self.stack.name


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
        return tuple(
            map(Plugin.of, response_parser.get_maps(answer, "plugins"))
        )

    def holds(self) -> tuple[Held, ...]:
        """Return the operations of the project on hold, the oldest first."""
        answer = self._sender.get("/lifecycle/holds")
        return tuple(map(Held.of, response_parser.get_maps(answer, "holds")))

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

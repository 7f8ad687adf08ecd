"""Lifecycle plug-ins of the service, and answers for what they hold."""

import dataclasses

from orchclient import identifying
from orchclient import reading
from orchclient import requesting
from orchclient import rulings
from orchclient import transport
from orchclient import values


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """A plug-in that is called around operations.

    :ivar ordinal: lower ones come first, where nothing else is declared
    :ivar before: names of those that it comes before
    :ivar after: names of those that it comes after
    :ivar scope: ``roots`` or ``every stack``
    :ivar verbs: requests that it is called for; ``None`` for all
    :ivar answers_previews: it says in plans what it will say
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
    answers_previews: bool = False
    time_limit_s: float = 0.0
    is_fail_open: bool = False
    is_legacy: bool = False
    load_error: str | None = None

    @classmethod
    def of(cls, body: reading.Json) -> "Plugin":
        """Return the plug-in that a body describes."""
        is_limited = body.get("verbs") is not None
        return cls(
            name=reading.needed_text(body, "name"),
            ordinal=reading.integer(body, "ordinal"),
            before=reading.texts(body, "before"),
            after=reading.texts(body, "after"),
            scope=reading.text(body, "scope"),
            verbs=reading.texts(body, "verbs") if is_limited else None,
            answers_previews=reading.boolean(body, "answers_previews"),
            time_limit_s=reading.number(body, "time_limit"),
            is_fail_open=reading.boolean(body, "is_fail_open"),
            is_legacy=reading.boolean(body, "is_legacy"),
            load_error=reading.find_text(body, "load_error"),
        )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An operation that waits until somebody answers for it.

    :ivar path: names of resources from the outermost stack down to the stack
        that waits; empty for the outermost one
    :ivar stack: that waits
    :ivar root_name: of the outermost stack
    """

    path: tuple[str, ...]
    stack: values.StackIdentity
    root_name: str
    operation_id: str
    action: str
    hold: rulings.Hold
    asked_by: str | None = None

    @classmethod
    def of(cls, body: reading.Json) -> "Held":
        """Return the operation that a body describes."""
        return cls(
            path=reading.texts(body, "path"),
            stack=values.stack_of(body),
            root_name=reading.text(body, "root_name"),
            operation_id=reading.needed_text(body, "operation_id"),
            action=reading.text(body, "action"),
            asked_by=reading.find_text(body, "asked_by"),
            hold=rulings.Hold.of(reading.inner(body, "hold")),
        )

    @property
    def which(self) -> str:
        """Return what people call the stack; inner ones have ids only."""
        return self.stack.id if self.path else self.stack.name


class Lifecycle:
    """Tells of the plug-ins, and answers for operations that they hold.

    Of two answers for one hold the first counts, and the other is an
    :class:`orchclient.errors.ConflictError`.
    """

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def plugins(self) -> tuple[Plugin, ...]:
        """Return the plug-ins of a worker, in the order of their calls."""
        answer = self._sender.get("/lifecycle/plugins")
        return tuple(map(Plugin.of, reading.maps(answer, "plugins")))

    def holds(self) -> tuple[Held, ...]:
        """Return what waits in the project for an answer, oldest first."""
        answer = self._sender.get("/lifecycle/holds")
        return tuple(map(Held.of, reading.maps(answer, "holds")))

    def approve(
        self,
        stack: values.Which,
        text: str = "",
        *,
        operation_id: str | None = None,
    ) -> values.StackIdentity:
        """Let the operation of a stack go on that is held.

        :param text: why, for people
        :param operation_id: that is meant; ``None`` for whichever is held
        :raises orchclient.errors.ConflictError: it is not held
        """
        return self._answer(stack, "approve", text, operation_id)

    def reject(
        self,
        stack: values.Which,
        text: str = "",
        *,
        operation_id: str | None = None,
    ) -> values.StackIdentity:
        """Let the operation of a stack fail that is held.

        :param text: why, for people
        :param operation_id: that is meant; ``None`` for whichever is held
        :raises orchclient.errors.ConflictError: it is not held
        """
        return self._answer(stack, "reject", text, operation_id)

    def _answer(
        self,
        stack: values.Which,
        action: str,
        text: str,
        operation_id: str | None,
    ) -> values.StackIdentity:
        found = identifying.identify(self._sender, stack)
        told = requesting.given(text=text or None, operation_id=operation_id)
        self._sender.ask_once("POST", f"{found.path}/actions", {action: told})
        return found

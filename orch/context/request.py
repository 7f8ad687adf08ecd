"""The context of one request, carried by RPC and stored by operations."""

import collections.abc
import contextlib
import copy
import dataclasses
import enum
import typing

from oslo_context import context


@dataclasses.dataclass(frozen=True, slots=True)
class StackAddress:
    """The address of a stack in a request; both must be the stack's.

    :ivar name: the name in it
    :ivar stack_id: the id in it
    """

    name: str
    stack_id: str


@dataclasses.dataclass(frozen=True, slots=True)
class RequestCondition:
    """The condition of a request: a stack is unchanged.

    :ivar stack_id: the stack
    :ivar revisions: it must have one of them; see ``StackFacts``
    """

    stack_id: str
    revisions: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """The key that identifies a request that may be repeated.

    :ivar key: chosen by the caller, one a request in its project
    :ivar digest: of the whole request
    """

    key: str
    digest: str


@dataclasses.dataclass(slots=True)
class CallWaiting:
    """The time that the calls of one request have waited, in total.

    :ivar spent_s: seconds
    """

    spent_s: float = 0.0


_BINDING: typing.Final = ("address", "condition", "repeat", "override_reason")
"""Fields that a worker must not ignore."""


class OtherProjects(enum.Enum):
    """What one call may do with what other projects than its own have.

    :cvar MISSING: nothing: for this call it does not exist
    :cvar REFUSED: its caller may read it, and the call would change it
    :cvar ALLOWED: all that the call does
    """

    MISSING = enum.auto()
    REFUSED = enum.auto()
    ALLOWED = enum.auto()


class RequestContext(context.RequestContext):
    """The caller of a request, its project, roles and request id.

    The fields are oslo.context's: ``user_id``, ``user_name``, ``project_id``,
    ``roles``, ``request_id``, ``is_admin``, ``auth_token``,
    ``global_request_id`` (the id of another service's request that this one
    serves). ``is_admin`` is what the API has found; workers of this release
    ask their own rules.

    :ivar trust: of a token that another service got by a trust:
        ``id`` of the trust and ``trustee_id``, that service's user
    :ivar address: of the stack; ``None`` where its name does not matter
    :ivar condition: of the stack; ``None`` for none
    :ivar repeat: the idempotency key of the request
    :ivar override_reason: why its caller overrides denials of soft-mandatory
        lifecycle plug-ins, as the rules allow; ``None`` where it does not
    :ivar left: the credential that was made for the request by the worker
        which serves it; it goes nowhere with the context
    :ivar waiting: lets all calls of the request together wait no longer than
        one of them may; ``None`` where each has its own time. It goes nowhere
        with the context
    :ivar other_projects: set by the worker that serves a call, for that call;
        it goes nowhere with the context
    :ivar time_limit_s: seconds that the sender of an RPC call waits for the
        answer; ``None`` where it waits for none
    :ivar origin: what an operation is stored with that acts for this caller
        and that another user has caused, as ``orch.model.origin`` has it;
        ``None`` where the caller asks. No message carries it
    """

    trust: collections.abc.Mapping[str, str] | None = None
    address: StackAddress | None = None
    condition: RequestCondition | None = None
    repeat: IdempotencyKey | None = None
    override_reason: str | None = None
    left: str | None = None
    waiting: CallWaiting | None = None
    other_projects: OtherProjects = OtherProjects.MISSING
    time_limit_s: float | None = None
    origin: collections.abc.Mapping[str, object] | None = None

    def with_time_limit(self, limit_s: float) -> typing.Self:
        """Return a copy for a call whose sender waits so many seconds."""
        sent = copy.copy(self)
        sent.time_limit_s = limit_s
        return sent

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The names of its fields that a worker must not ignore."""
        return tuple(
            name for name in _BINDING if getattr(self, name) is not None
        )

    def update_store(self) -> None:
        """Leave the log of the thread unchanged: see :meth:`logged`.

        A context that is merely made or read would otherwise be in the log
        lines of all that the thread does next.
        """

    @contextlib.contextmanager
    def logged(self) -> collections.abc.Iterator[None]:
        """Bind the log lines of this thread to this request."""
        before = context.get_current()
        self.begin_logging()
        try:
            yield
        finally:
            end_logging(before)

    def begin_logging(self) -> None:
        """Bind log lines to this request until :func:`end_logging`."""
        super().update_store()

    def to_dict(self) -> dict[str, object]:
        """Return all that :meth:`from_dict` takes, the names included."""
        values: dict[str, object] = super().to_dict()
        values["trust"] = self.trust
        values["override_reason"] = self.override_reason
        values["time_limit_s"] = self.time_limit_s
        for name, waiting in (
            ("address", self.address),
            ("condition", self.condition),
            ("repeat", self.repeat),
        ):
            values[name] = (
                None if waiting is None else dataclasses.asdict(waiting)
            )
        values["user_name"] = self.user_name
        values["project_name"] = self.project_name
        values["domain_name"] = self.domain_name
        values["user_domain_name"] = self.user_domain_name
        values["project_domain_name"] = self.project_domain_name
        return values

    def to_stored(self) -> dict[str, object]:
        """Return the caller's data for an operation's row; never a token."""
        values: dict[str, object] = self.to_dict()
        values.pop("auth_token", None)
        values.pop("service_token", None)
        values.pop("trust", None)
        values.pop("address", None)
        values.pop("condition", None)
        values.pop("repeat", None)
        values.pop("time_limit_s", None)
        if self.origin is not None:
            values["origin"] = dict(self.origin)
        return values

    @classmethod
    def from_dict(
        cls, values: dict[str, typing.Any], **kwargs: object
    ) -> typing.Self:
        """Return the context from the result of :meth:`to_dict`."""
        found = super().from_dict(values, **kwargs)
        found.trust = values.get("trust")
        found.override_reason = values.get("override_reason")
        found.time_limit_s = values.get("time_limit_s")
        if values.get("address"):
            found.address = StackAddress(**values["address"])
        if values.get("condition"):
            waiting = values["condition"]
            found.condition = RequestCondition(
                waiting["stack_id"], tuple(waiting["revisions"])
            )
        if values.get("repeat"):
            found.repeat = IdempotencyKey(**values["repeat"])
        return found

    @classmethod
    def from_stored(
        cls, values: collections.abc.Mapping[str, object]
    ) -> typing.Self:
        """Return the context from the result of :meth:`to_stored`."""
        found = cls.from_dict(dict(values))
        origin = values.get("origin")
        if isinstance(origin, collections.abc.Mapping):
            found.origin = origin
        return found


def end_logging(before: context.RequestContext | None = None) -> None:
    """Bind the log lines of this thread to the context before.

    :param before: the context of that time; ``None`` for none
    """
    if before is None:
        vars(context._request_store).pop("context", None)
    else:
        context._request_store.context = before

"""The context of one request, carried by RPC and stored by operations."""

import collections.abc
import contextlib
import dataclasses
import typing

from oslo_context import context


@dataclasses.dataclass(frozen=True, slots=True)
class RequestCondition:
    """What a request depends on: a stack that nobody has changed.

    :ivar stack_id: which stack
    :ivar revisions: of which it must have one; see ``StackFacts``
    """

    stack_id: str
    revisions: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """By what a request is known that may come again.

    :ivar key: chosen by the caller, one a request in its project
    :ivar digest: of all that the request says
    """

    key: str
    digest: str


@dataclasses.dataclass(slots=True)
class CallWaiting:
    """How long the calls of one request have waited, all taken together.

    :ivar spent_s: seconds
    """

    spent_s: float = 0.0


class RequestContext(context.RequestContext):
    """Who asks, for which project, with which roles, under which id.

    The fields are oslo.context's: ``user_id``, ``user_name``, ``project_id``,
    ``roles``, ``request_id``, ``is_admin``, ``auth_token``,
    ``global_request_id`` (the id of the request of somebody else that this
    one serves).

    :ivar trust: of a token that somebody else's service got by a trust:
        ``id`` of the trust and ``trustee_id``, that service's user
    :ivar condition: what the stack must still be; ``None`` for anything
    :ivar repeat: how the request is known when it comes again
    :ivar left: the credential that was made for the request by the worker
        which serves it; it goes nowhere with the context
    :ivar waiting: lets all calls of the request together wait no longer than
        one of them may; ``None`` where each has its own time. It goes nowhere
        with the context
    """

    trust: collections.abc.Mapping[str, str] | None = None
    condition: RequestCondition | None = None
    repeat: IdempotencyKey | None = None
    left: str | None = None
    waiting: CallWaiting | None = None

    @property
    def is_conditional(self) -> bool:
        """Answer whether it depends on a condition, or has a key."""
        return self.condition is not None or self.repeat is not None

    def update_store(self) -> None:
        """Leave the log of the thread alone: :meth:`logged` is for that.

        A context that is merely made or read would otherwise stand in the
        log lines of whatever the thread does next.
        """

    @contextlib.contextmanager
    def logged(self) -> collections.abc.Iterator[None]:
        """Let log lines of this thread say whose request they belong to."""
        before = context.get_current()
        self.begin_logging()
        try:
            yield
        finally:
            end_logging(before)

    def begin_logging(self) -> None:
        """Let them say so until :func:`end_logging`."""
        super().update_store()

    def to_dict(self) -> dict[str, object]:
        """Return all that :meth:`from_dict` takes, the names included."""
        values: dict[str, object] = super().to_dict()
        values["trust"] = self.trust
        for name, waiting in (
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
        """Return what an operation keeps of its caller; never a token."""
        values: dict[str, object] = self.to_dict()
        values.pop("auth_token", None)
        values.pop("service_token", None)
        values.pop("trust", None)
        values.pop("condition", None)
        values.pop("repeat", None)
        return values

    @classmethod
    def from_dict(
        cls, values: dict[str, typing.Any], **kwargs: object
    ) -> typing.Self:
        """Return the context that :meth:`to_dict` wrote down."""
        found = super().from_dict(values, **kwargs)
        found.trust = values.get("trust")
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
        """Return the context that :meth:`to_stored` wrote down."""
        return cls.from_dict(dict(values))


def end_logging(before: context.RequestContext | None = None) -> None:
    """Let log lines of this thread say what they said before.

    :param before: whose request they belonged to; ``None`` for nobody's
    """
    if before is None:
        vars(context._request_store).pop("context", None)
    else:
        context._request_store.context = before

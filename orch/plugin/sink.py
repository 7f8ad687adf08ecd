"""The contract of event sinks, which environments name for a stack.

A package offers a class by an entry point of ``orch.event_sinks``, whose name
is the ``type`` of the sink. The worker makes one instance of it and calls it
from several threads.
"""

import abc
import collections.abc
import dataclasses
import typing

from oslo_config import cfg

from orch import errors
from orch import ids

if typing.TYPE_CHECKING:
    # It takes 15 MB, and a worker without a cloud never needs it.
    from openstack import connection

Declared = collections.abc.Mapping[str, object]
"""A sink as the environment has it."""


class SinkRefused(errors.Permanent):
    """The receiver will never take this event; the next one follows."""

    code = "orch.event_sink.refused"


class SinkUnreachable(errors.Transient):
    """The destination does not answer: its other sinks wait too."""

    code = "orch.event_sink.no_answer"


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """A fault in the declaration of a sink.

    :ivar key: where; ``None`` for the sink as a whole
    :ivar advice: what to do about it; empty where the text says it
    """

    key: str | None
    text: str
    advice: str = ""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SinkEvent:
    """An event in the form for sinks; sensitive values are redacted.

    :ivar body: ``timestamp``, ``version``, ``type``, ``id`` and ``payload``
        as Heat's sinks get them, and facts in addition to those of Heat
    """

    id: str
    stack_id: str
    sequence: int
    body: collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The root stack, whose environment names the sink.

    :ivar connect: gives a connection that acts for the stack; raises
        :class:`orch.plugin.clouds.NoCloud`
    """

    stack_id: ids.StackId
    stack_name: str
    project_id: str
    user_id: str | None
    user_name: str | None
    connect: "collections.abc.Callable[[], connection.Connection]"


class EventSink(abc.ABC):
    """Base of the types of event sinks."""

    type_name: typing.ClassVar[str]
    keys: typing.ClassVar[tuple[str, ...] | None] = ("type", "target")
    """What a sink of the type may hold; ``None`` for anything."""
    secrets: typing.ClassVar[frozenset[str]] = frozenset()
    """Keys whose values are always redacted."""

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Read the options of the installation.

        :raises orch.errors.Invalid: they are wrong
        """
        self._conf = conf

    @classmethod
    def faults(cls, declared: Declared) -> collections.abc.Iterable[Fault]:
        """Return the faults of a sink, other than keys that none has."""
        return ()

    @classmethod
    def destination(cls, declared: Declared) -> str:
        """Return the destination, which sinks have in common."""
        return str(declared["target"])

    @abc.abstractmethod
    def send(self, declared: Declared, event: SinkEvent, owner: Owner) -> None:
        """Send an event; return once the receiver has taken it.

        It may be called again for an event that was taken already.

        :raises SinkRefused: it will never be taken
        :raises SinkUnreachable: not now, nor any event to the same destination
        :raises Exception: not now: the event is sent again, later and later
        """

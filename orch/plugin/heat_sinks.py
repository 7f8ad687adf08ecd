"""Event sinks that were written for Heat, called as Heat calls them.

They are found by Heat's own entry points. Heat makes one instance of a sink
each time, of what the environment has beside the type, and calls
``consume(context, event)``.
"""

import collections.abc
import typing

from orch.context import request
from orch.plugin import read_only_values
from orch.plugin import sink

NAMESPACE: typing.Final = "heat.event_sinks"


def wrap_sink(name: str, kind: type) -> type[sink.EventSink]:
    """Return a class for Heat as one of ours.

    :raises TypeError: it has no method ``consume``
    """
    if not callable(getattr(kind, "consume", None)):
        raise TypeError(f"{kind.__qualname__} has no method consume")
    found: type[sink.EventSink] = type(
        kind.__name__, (_HeatSink,), {"type_name": name, "kind": kind}
    )
    return found


class _HeatSink(sink.EventSink):
    """Calls a class of others."""

    keys = None
    kind: typing.ClassVar[type]

    @classmethod
    def faults(
        cls, declared: sink.Declared
    ) -> collections.abc.Iterable[sink.Fault]:
        """Return why the class cannot be made of it."""
        try:
            cls._made(declared)
        except Exception as error:
            yield sink.Fault(
                None,
                f"{cls.type_name} does not take it: {error}"[:300],
                "Write what that type of sink needs.",
            )

    @classmethod
    def destination(cls, declared: sink.Declared) -> str:
        """Return the target, where it names one."""
        return str(declared.get("target", ""))

    def send(
        self,
        declared: sink.Declared,
        event: sink.SinkEvent,
        owner: sink.Owner,
    ) -> None:
        """Let the class consume the event."""
        context = request.RequestContext(
            user_id=owner.user_id,
            user_name=owner.user_name,
            project_id=owner.project_id,
            overwrite=False,
        )
        self._made(declared).consume(
            context, read_only_values.thaw(event.body)
        )

    @classmethod
    def _made(cls, declared: sink.Declared) -> typing.Any:
        rest = {key: each for key, each in declared.items() if key != "type"}
        return cls.kind(**rest)

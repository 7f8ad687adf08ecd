"""A worker's parts for tests: plug-ins that do as told, and a recorder."""

import collections.abc

from oslo_config import cfg

from orch import clock
from orch import ids
from orch.plugin import call_context
from orch.plugin import resource
from orch.plugin import schema

NOW = clock.Timestamp(1_700_000_000.0)


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        self.moment = 0.0

    def now(self) -> clock.Timestamp:
        return clock.Timestamp(NOW + self.moment)

    def monotonic(self) -> float:
        return self.moment


class Conductor:
    """Notes who was woken up."""

    def __init__(self) -> None:
        self.woken: list[ids.OperationId | None] = []

    def wake(self, operation_id: ids.OperationId | None) -> None:
        self.woken.append(operation_id)


class Server(resource.Resource):
    """A thing with two attributes, read by what a test puts in here."""

    type_name = "Test::Server"
    properties = (
        schema.Property("flavor", schema.Type.STRING, default="small"),
        schema.Property("peer", schema.Type.STRING),
    )
    attributes = (
        schema.Attribute("address", schema.Type.STRING, "Where it is."),
        schema.Attribute("port", schema.Type.INTEGER),
    )

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        super().__init__(conf)
        self.requests: list[tuple[str, ...]] = []
        self.answer: collections.abc.Callable[
            [collections.abc.Collection[str]], object
        ] = lambda names: {name: f"live {name}" for name in names}
        self.shown: object = None

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        self.requests.append(tuple(names))
        return self.answer(names)  # type: ignore[return-value]

    def show(self, context: call_context.Context) -> object:
        return self.shown


class Value(resource.Resource):
    """A value and nothing else.

    Its own text says what it is.
    """

    type_name = "Test::Value"
    support_status = "DEPRECATED"
    properties = (schema.Property("value", schema.Type.ANY),)
    attributes = (schema.Attribute("value"),)

    def is_effect_free(
        self, properties: collections.abc.Mapping[str, object]
    ) -> bool:
        return True

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        return {"value": context.properties.get("value")}


KINDS = (Server, Value)

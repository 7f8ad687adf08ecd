"""Facts of the processes that report."""

import typing

from orch.context import request
from orch.rpc.contract import methods
from orch.rpc.contract import rest


class ServiceFacts(typing.TypedDict):
    """A process of the service that reports.

    :ivar is_up: by the clock of the database
    :ivar settings_number: of the plug-in settings in force, if it has loaded
        them; null otherwise, and for processes that call no plug-ins
    :ivar settings_loaded: the fingerprint of those that it has loaded
    :ivar settings_loadable: the fingerprint of those that it finds now; null
        where it cannot load them
    :ivar idle_reason: why it takes no operations; null where it does
    """

    id: str
    host: str
    binary: str
    topic: str
    report_interval_s: typing.Annotated[
        rest.Count, rest.Name("report_interval")
    ]
    is_up: typing.Annotated[bool, rest.HIDDEN]
    created_at: rest.Time
    updated_at: rest.Time
    settings_number: typing.NotRequired[
        typing.Annotated[rest.Count | None, rest.Default(None)]
    ]
    settings_loaded: typing.NotRequired[
        typing.Annotated[str | None, rest.Default(None)]
    ]
    settings_loadable: typing.NotRequired[
        typing.Annotated[str | None, rest.Default(None)]
    ]
    idle_reason: typing.NotRequired[
        typing.Annotated[str | None, rest.Default(None)]
    ]


@methods.namespace("service")
class Services(typing.Protocol):
    """The processes of the service."""

    @methods.reads()
    def list(self, ctxt: request.RequestContext) -> list[ServiceFacts]:
        """Return the processes that report, and which of them are up."""

    @methods.reads()
    def revision(self, ctxt: request.RequestContext) -> str:
        """Return the version of the worker that answers."""

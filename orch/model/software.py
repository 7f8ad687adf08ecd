"""Software configs, and their deployments to servers.

An agent on the server fetches the configs that are deployed to it, applies
each once, and tells how that went.
"""

import collections.abc
import dataclasses
import enum
import typing

from orch import clock
from orch import ids

Values = collections.abc.Mapping[str, object]

UNGROUPED: typing.Final = "Heat::Ungrouped"


class Status(enum.StrEnum):
    """How far a deployment is; what Orch itself writes."""

    IN_PROGRESS = "IN_PROGRESS"
    COMPLETE = "COMPLETE"
    FAILED = "FAILED"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """What a config says; it never changes.

    :ivar group: which tool of the agent applies it (``script``)
    :ivar config: a text or a map, whatever the tool understands
    :ivar inputs: maps with ``name``, ``type``, ``default``, ``description``
        and, once it is bound to a deployment, ``value``
    :ivar outputs: maps with ``name``, ``type``, ``description`` and
        ``error_output``
    :ivar options: for the tool
    """

    name: str | None = None
    group: str | None = UNGROUPED
    config: object = None
    inputs: collections.abc.Sequence[Values] = ()
    outputs: collections.abc.Sequence[Values] = ()
    options: Values = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Config(Definition):
    """What the rows say of one config."""

    id: str
    project_id: str
    created_at: clock.Timestamp


@dataclasses.dataclass(frozen=True, slots=True)
class Scope:
    """The deployments that a caller may read.

    :ivar project_id: of their owner
    :ivar user_project_id: only those for the stack user of this project;
        ``None`` for all
    """

    project_id: str
    user_project_id: str | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """What the rows say of one deployment.

    :ivar stack_user_project_id: the project of a stack user, which may read
        it if its stack is of ``project_id``
    :ivar config_id: the config whose inputs are bound to this deployment
    :ivar action: why the agent applies the config, ``CREATE`` or another word
    :ivar status: a word of :class:`Status`, unless a caller chose its own
    :ivar stack_id: the stack of the resource that it belongs to; ``None``
        for a deployment that a caller has stored
    :ivar resource_id: the incarnation of that resource
    :ivar signal_count: how many signals its resource had taken when the
        config was handed over: those say nothing of it
    """

    id: str
    project_id: str
    stack_user_project_id: str | None = None
    server_id: str
    config_id: str
    input_values: Values | None = None
    output_values: Values | None = None
    action: str | None = None
    status: str | None = None
    status_reason: str | None = None
    stack_id: ids.StackId | None = None
    resource_id: ids.ResourceId | None = None
    signal_count: int = 0
    created_at: clock.Timestamp
    updated_at: clock.Timestamp | None = None

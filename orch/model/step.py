"""A step of an operation's plan, as it is shown beside the operation."""

import dataclasses
import typing

from orch import ids

WAITING: typing.Final = "WAITING"
"""State of a step that has not begun."""


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One change of a plan, without what only the run needs.

    :ivar kind: what happens, a word of ``planner.plan.Kind``
    :ivar name: of the resource
    """

    kind: str
    name: str
    resource_id: ids.ResourceId


@dataclasses.dataclass(frozen=True, slots=True)
class Noted:
    """How far a step is of which no resource tells.

    :ivar kind: as of the step
    :ivar state: ``WAITING``, ``IN_PROGRESS``, ``COMPLETE``, ``FAILED``, or
        ``UNNEEDED``
    """

    kind: str
    resource_id: ids.ResourceId
    state: str

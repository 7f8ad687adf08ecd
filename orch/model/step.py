"""A step of an operation's plan, as it is shown beside the operation."""

import dataclasses

from orch import ids


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """One change of a plan, without what only the run needs.

    :ivar kind: what happens, a word of ``planner.plan.Kind``
    :ivar name: of the resource
    """

    kind: str
    name: str
    resource_id: ids.ResourceId

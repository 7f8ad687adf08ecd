"""Scopes of physical ids: where an id names one physical resource.

See :meth:`orch.plugin.resource.Resource.get_id_scope`.
"""

import dataclasses
import typing

EVERYWHERE: typing.Final = ""
"""The scope of ids that no two physical resources of a type have."""


@dataclasses.dataclass(frozen=True, slots=True)
class Account:
    """In whose name the services act on a resource.

    :ivar project_id: the project of the stack
    :ivar user_id: the user who asked for the operation; ``None`` where users
        have no id
    """

    project_id: str
    user_id: str | None

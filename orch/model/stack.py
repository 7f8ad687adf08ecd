"""A stack: a named set of resources of one project."""

import collections.abc
import dataclasses
import hashlib
import json

from orch import clock
from orch import ids
from orch.model import states


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """What the rows say of one stack.

    :ivar template_hash: content hash of the template in force
    :ivar environment_hash: content hash of the inputs beside it: a map with
        ``environment``, ``files`` (name to content hash), ``parameters``,
        ``environment_files``
    :ivar good_template_hash: template of the last operation that was
        completed with one: what a failed update goes back to; empty when
        that is nothing, since the creation was undone
    :ivar good_environment_hash: content hash of the inputs beside that
    :ivar timeout_s: seconds an operation may take
    :ivar username: who made it, as people read it (Heat's ``stack_owner``)
    :ivar parent_id: the stack that this one is nested in
    :ivar root_id: the outermost stack of the tree, itself for a root
    :ivar depth: 0 for a root
    :ivar parent_resource: name of the resource that holds it
    :ivar resource_count: resources that its template in force declares
    :ivar tree_count: of a root: those of all stacks of the tree
    :ivar operation_id: the operation that was asked for last
    :ivar has_diverged: of a child stack: a user has changed it by its own
        URL since the stack around it asked for what it is to be
    :ivar blocked: what it waits for while it is in progress, see
        ``model.blocked``
    :ivar deleted_at: set once the stack is gone; it stays readable by id
    """

    id: ids.StackId
    project_id: str
    name: str
    action: states.Action
    status: states.Status
    status_reason: str
    template_hash: str
    environment_hash: str
    good_template_hash: str | None = None
    good_environment_hash: str | None = None
    description: str = ""
    tags: tuple[str, ...] = ()
    disable_rollback: bool = True
    timeout_s: int = 3600
    user_id: str | None = None
    username: str | None = None
    parent_id: ids.StackId | None = None
    root_id: ids.StackId
    depth: int = 0
    parent_resource: str | None = None
    resource_count: int = 0
    tree_count: int = 0
    operation_id: ids.OperationId | None = None
    has_diverged: bool = False
    blocked: collections.abc.Mapping[str, object] | None = None
    created_at: clock.Timestamp
    updated_at: clock.Timestamp | None = None
    deleted_at: clock.Timestamp | None = None

    @property
    def revision(self) -> str:
        """Return a text that is another one after each change.

        It stands for what the stack is asked to be, and for how far that
        is; what its resources show is no part of it.
        """
        told = [getattr(self, name) for name in _REVISED]
        return hashlib.sha256(
            json.dumps(told, default=str).encode()
        ).hexdigest()[:32]


_REVISED = (
    "id",
    "name",
    "action",
    "status",
    "status_reason",
    "template_hash",
    "environment_hash",
    "description",
    "tags",
    "disable_rollback",
    "timeout_s",
    "parent_id",
    "operation_id",
    "updated_at",
    "deleted_at",
)

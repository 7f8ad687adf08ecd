"""Stacks as Heat's objects, for plug-ins that were written for Heat.

They show what a pattern shows, and cannot be changed. The other methods of
Heat's own objects are not here.
"""

import collections.abc
import typing

from orch.context import request
from orch.plugin import lifecycle_operation
from orch.plugin import read_only_values

_ABSENT: typing.Final = read_only_values.FrozenMapping({})


class Context(request.RequestContext):
    """The request context, by the names of Heat's; without a token."""

    @property
    def tenant_id(self) -> str | None:
        """Return the id of the project."""
        return self.project_id

    @property
    def tenant(self) -> str | None:
        """Return the id of the project."""
        return self.tenant_id

    @property
    def username(self) -> str | None:
        """Return the name of the user."""
        return self.user_name


def build_context(request: lifecycle_operation.OperationRequest) -> Context:
    """Return the context of a request."""
    return Context(
        user_id=request.user_id or None,
        user_name=request.user_name or None,
        project_id=request.project_id or None,
        roles=list(request.roles),
        request_id=request.request_id or None,
    )


class _Frozen:
    """Base of objects whose fields cannot be changed."""

    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> None:
        """Raise AttributeError: the object is frozen.

        :raises AttributeError: always
        """
        raise AttributeError(
            f"{name} cannot be set: plug-ins must not change a stack"
        )

    def __delattr__(self, name: str) -> None:
        """Raise AttributeError: the object is frozen.

        :raises AttributeError: always
        """
        raise AttributeError(
            f"{name} cannot go: plug-ins must not change a stack"
        )


class Template(_Frozen, read_only_values.FrozenMapping):
    """A template: a mapping of its sections, and Heat's name for itself."""

    __slots__ = ()

    RESOURCES = "resources"
    PARAMETERS = "parameters"
    OUTPUTS = "outputs"

    @property
    def t(self) -> "Template":
        """Return the sections."""
        return self

    @property
    def version(self) -> tuple[str, object] | None:
        """Return the key and the value of its version."""
        for key in ("heat_template_version", "AWSTemplateFormatVersion"):
            if key in self:
                return key, self[key]
        return None


class Resource(_Frozen):
    """One resource, as plug-ins for Heat read it.

    :ivar t: its definition, as the template has it
    """

    __slots__ = ("_view", "stack", "t")

    _view: lifecycle_operation.ResourceView
    stack: "Stack"
    t: read_only_values.FrozenMapping

    def __init__(
        self, view: lifecycle_operation.ResourceView, stack: "Stack"
    ) -> None:
        """Wrap the view of a resource."""
        object.__setattr__(self, "_view", view)
        object.__setattr__(self, "stack", stack)
        found: object = _ABSENT
        # The other key is that of CloudFormation templates.
        for section in ("resources", "Resources"):
            written = stack.t.get(section)
            if isinstance(written, read_only_values.FrozenMapping):
                found = written.get(view.name)
        if not isinstance(found, read_only_values.FrozenMapping):
            found = _ABSENT
        object.__setattr__(self, "t", found)

    @property
    def name(self) -> str:
        """Return its name."""
        return self._view.name

    @property
    def resource_id(self) -> str | None:
        """Return its physical id; ``None`` while there is none."""
        return self._view.physical_id

    @property
    def properties(self) -> read_only_values.FrozenMapping:
        """Return the properties, resolved as far as they are known."""
        return self._view.properties

    @property
    def action(self) -> str:
        """Return the last action on it; ``INIT`` before the first."""
        return self._view.action or "INIT"

    @property
    def status(self) -> str:
        """Return the status of that action."""
        return self._view.status or "COMPLETE"

    @property
    def state(self) -> tuple[str, str]:
        """Return action and status."""
        return self.action, self.status

    def type(self) -> str:
        """Return its type."""
        return self._view.type_name

    def metadata_get(self) -> read_only_values.FrozenMapping:
        """Return its metadata."""
        return self._view.metadata

    def required_by(self) -> list[str]:
        """Return the names of the resources that require it."""
        return [
            each.name
            for each in self.stack.resources.values()
            if self.name in each._view.requires
        ]

    def FnGetRefId(self) -> str:  # noqa: N802 - Heat's name
        """Return the value of a reference to it: its id, or its name."""
        return self._view.physical_id or self._view.name

    def parsed_template(self) -> dict[str, object]:
        """Return its definition with resolved properties, as plain values."""
        found = read_only_values.thaw(self.t)
        found["Type"] = self.type()
        found["Properties"] = read_only_values.thaw(self.properties)
        return {
            key: value
            for key, value in found.items()
            if key not in ("type", "properties")
        }

    def has_nested(self) -> bool:
        """Whether it has a child stack that is known."""
        return self._view.child_stack is not None

    def nested(self) -> "Stack | None":
        """Return its child stack, if it has one."""
        inner = self._view.child_stack
        if inner is None:
            return None
        return Stack(
            inner,
            self.stack.context,
            inner.action or self.stack.action,
            inner.status or self.stack.status,
            inner.status_reason,
        )


class Stack(_Frozen):
    """One stack, as plug-ins for Heat read it.

    :ivar context: the request context
    :ivar action: the one that the plug-in is called for
    :ivar status: ``IN_PROGRESS`` before it, then how it has ended
    """

    __slots__ = (
        "_view",
        "action",
        "context",
        "resources",
        "status",
        "status_reason",
        "t",
    )

    _view: lifecycle_operation.StackView
    context: Context
    action: str
    status: str
    status_reason: str
    t: Template
    resources: collections.abc.Mapping[str, Resource]

    def __init__(
        self,
        view: lifecycle_operation.StackView,
        context: Context,
        action: str,
        status: str,
        status_reason: str,
    ) -> None:
        """Wrap the view of a stack during an action."""
        object.__setattr__(self, "_view", view)
        object.__setattr__(self, "context", context)
        object.__setattr__(self, "action", action)
        object.__setattr__(self, "status", status)
        object.__setattr__(self, "status_reason", status_reason)
        object.__setattr__(self, "t", Template(view.template))
        object.__setattr__(self, "resources", _Resources(view, self))

    @property
    def id(self) -> str:
        """Return its id."""
        return self._view.id

    @property
    def name(self) -> str:
        """Return its name."""
        return self._view.name

    @property
    def tenant_id(self) -> str:
        """Return the id of its project."""
        return self._view.project_id

    @property
    def state(self) -> tuple[str, str]:
        """Return its action and status."""
        return self.action, self.status

    @property
    def timeout_mins(self) -> int | None:
        """Return the timeout of its operations in minutes, if any."""
        return self._view.timeout_mins

    @property
    def disable_rollback(self) -> bool:
        """Whether a failed operation is not rolled back."""
        return not self._view.has_rollback

    @property
    def tags(self) -> list[str]:
        """Return its tags."""
        return list(self._view.tags)

    @property
    def parameters(self) -> read_only_values.FrozenMapping:
        """Return the values of its parameters; sensitive ones are redacted."""
        return self._view.parameters

    @property
    def outputs(self) -> read_only_values.FrozenMapping:
        """Return the values of its outputs; empty before its creation."""
        return self._view.outputs

    @property
    def nested_depth(self) -> int:
        """Return its depth in the tree; 0 for a root."""
        path = self._view.path
        return path.count("/") + 1 if path else 0

    @property
    def owner_id(self) -> str | None:
        """Return the id of the root stack; ``None`` for a root."""
        return self._view.root_id if self._view.path else None

    def root_stack_id(self) -> str:
        """Return the id of the root stack."""
        return self._view.root_id

    def iter_resources(
        self, nested_depth: int = 0
    ) -> collections.abc.Iterator[Resource]:
        """Yield the resources, with those of child stacks so far down."""
        for each in self.resources.values():
            yield each
            inner = each.nested() if nested_depth > 0 else None
            if inner is not None:
                yield from inner.iter_resources(nested_depth - 1)

    def preview_resources(self) -> list[object]:
        """Return the resources; child stacks are lists of theirs."""
        found: list[object] = []
        for each in self.resources.values():
            inner = each.nested()
            found.append(each if inner is None else inner.preview_resources())
        return found

    def __getitem__(self, name: str) -> Resource:
        """Return one resource."""
        return self.resources[name]

    def __iter__(self) -> collections.abc.Iterator[str]:
        """Iterate over the names of the resources."""
        return iter(self.resources)

    def __len__(self) -> int:
        """Return how many resources there are."""
        return len(self.resources)

    def __contains__(self, name: object) -> bool:
        """Whether it has a resource of that name."""
        return name in self.resources


class _Resources(collections.abc.Mapping[str, Resource]):
    """The resources of a stack, each wrapped at its first access."""

    __slots__ = ("_made", "_stack", "_view")

    def __init__(
        self, view: lifecycle_operation.StackView, stack: Stack
    ) -> None:
        self._view = view
        self._stack = stack
        self._made: dict[str, Resource] = {}

    def __getitem__(self, name: str) -> Resource:
        """Return one of them."""
        if name not in self._made:
            self._made[name] = Resource(
                self._view.resources[name], self._stack
            )
        return self._made[name]

    def __iter__(self) -> collections.abc.Iterator[str]:
        """Iterate over the names of the resources."""
        return iter(self._view.resources)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._view.resources)

"""The frozen view of an operation that lifecycle plug-ins get.

All resources of the tree are in it, those of child stacks with their paths,
with properties resolved as far as they are known before the run. Sensitive
values are redacted as in the answers of the API.
"""

import collections.abc
import dataclasses
import types
import typing

from orch.plugin import read_only_values

UNKNOWN: typing.Final = None
"""The value of properties that are known only after the run."""


VERBS: typing.Final = frozenset(
    {
        "create",
        "update",
        "delete",
        "suspend",
        "resume",
        "check",
        "snapshot",
        "restore",
        "rollback",
        "adopt",
        "abandon",
        "cancel",
        "move",
        "delete_snapshot",
        "accept_drift",
        "drift_policy",
        "mark_unhealthy",
        "answer_outcome",
        "release",
        "signal",
        "clear_breakpoint",
        "revoke_addresses",
        "update_deployment",
        "delete_deployment",
    }
)
"""All requests that plug-ins are called for."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OperationRequest:
    """The request for an operation, what caused it and who asked.

    :ivar operation_id: the same in each call for an operation, and in those
        that are made again after a crash; empty in a preview
    :ivar action: ``CREATE``, ``UPDATE``, ``DELETE``, … as the stack shows it
    :ivar verb: the request, one of :data:`VERBS`
    :ivar attempt: 1 at first, one more with each retry
    :ivar paths: what it changes below the root stack: the child stack where
        it begins, or the resources that it names; empty for all
    :ivar is_preview: nothing will be done; decisions are dropped
    :ivar cause: ``request``, ``signal`` for the resize of a group by a
        signal, or ``repair`` for an update by the observer, and for drift
        that it accepts as a policy says. The child
        operations and the rollback of an operation have its cause
    :ivar user_id: who asked; empty, as name and roles are, for a repair, and
        for a signal whose sender is not known
    :ivar policy_user_id: who set the drift policy that a repair follows;
        empty where that is not known
    """

    operation_id: str
    action: str
    verb: str
    attempt: int = 1
    paths: tuple[str, ...] = ()
    is_preview: bool = False
    cause: str = "request"
    project_id: str = ""
    user_id: str = ""
    user_name: str = ""
    roles: tuple[str, ...] = ()
    policy_user_id: str = ""
    policy_user_name: str = ""
    request_id: str = ""

    @property
    def is_retry(self) -> bool:
        """Whether it has failed before and is retried."""
        return self.attempt > 1


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ResourceView:
    """One resource of a stack, as lifecycle plug-ins read it.

    :ivar path: its names from the root stack on, ``group/0/server``
    :ivar properties: resolved; ``None`` is what is not known yet
    :ivar physical_id: ``None`` while it has none
    :ivar action: the last one, with its ``status``; empty before it exists
    :ivar child_stack: its child stack, if it has one and that is known
    """

    name: str
    path: str
    type_name: str
    properties: read_only_values.FrozenMapping
    metadata: read_only_values.FrozenMapping
    requires: tuple[str, ...] = ()
    physical_id: str | None = None
    action: str = ""
    status: str = ""
    child_stack: "StackView | None" = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StackView:
    """One stack, with its existing or its desired state.

    :ivar path: of its resource in the root stack; empty for a root
    :ivar root_id: of the root stack
    :ivar template: its text as a mapping
    :ivar outputs: their current values; empty before the run
    :ivar timeout_mins: that its operations have; ``None`` for no limit
    :ivar has_rollback: a failed operation is rolled back
    """

    id: str
    root_id: str
    name: str
    project_id: str
    path: str = ""
    description: str = ""
    action: str = ""
    status: str = ""
    status_reason: str = ""
    tags: tuple[str, ...] = ()
    parameters: read_only_values.FrozenMapping
    template: read_only_values.FrozenMapping
    outputs: read_only_values.FrozenMapping
    resources: collections.abc.Mapping[str, ResourceView]
    timeout_mins: int | None = None
    has_rollback: bool = False

    def __post_init__(self) -> None:
        """Make the map of resources read-only."""
        shown = types.MappingProxyType(self.resources)
        object.__setattr__(self, "resources", shown)

    def walk(self) -> collections.abc.Iterator[ResourceView]:
        """Yield all resources of the tree, parents first."""
        for each in self.resources.values():
            yield each
            if each.child_stack is not None:
                yield from each.child_stack.walk()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StoredDecision:
    """A decision that is stored with a stack.

    :ivar root_id: of the root stack that it belongs to
    :ivar path: of the resource that it is for; empty for the stack
    :ivar earlier: values of which one may hold again, where the operation
        of this one fails
    """

    root_id: str
    path: str
    value: object
    earlier: tuple[object, ...] = ()


class Source(typing.Protocol):
    """The source of an operation's view, read at the first access."""

    def before(self) -> StackView | None:
        """Return the stack as it exists."""

    def after(self) -> StackView | None:
        """Return the stack in its desired state."""

    def plan(self) -> collections.abc.Mapping[str, object]:
        """Return the plan, in the form of the API."""

    def decisions(
        self,
    ) -> collections.abc.Mapping[str, collections.abc.Mapping[str, object]]:
        """Return the decisions of the tree: by plug-in, then by path."""

    def decisions_elsewhere(self, plugin: str) -> tuple[StoredDecision, ...]:
        """Return the decisions of a plug-in for other trees."""


class LifecycleOperation:
    """An operation as plug-ins read it; each part is read once.

    :ivar request: the request for it
    """

    __slots__ = ("_cached", "_source", "request")

    request: OperationRequest
    _source: Source
    _cached: dict[str | tuple[str, str], typing.Any]

    def __init__(self, request: OperationRequest, source: Source) -> None:
        """Store the request and the source of the view."""
        object.__setattr__(self, "request", request)
        object.__setattr__(self, "_source", source)
        object.__setattr__(self, "_cached", {})

    @property
    def before(self) -> StackView | None:
        """Return the stack as it exists; ``None`` before its creation."""
        return typing.cast("StackView | None", self._read("before"))

    @property
    def after(self) -> StackView | None:
        """Return the desired stack; ``None`` when it is deleted.

        In a post-op it is the stack as it exists after the run.
        """
        return typing.cast("StackView | None", self._read("after"))

    @property
    def plan(self) -> read_only_values.FrozenMapping:
        """Return the plan, in the form of the API."""
        return read_only_values.FrozenMapping(self._read("plan"))

    @property
    def decisions(self) -> read_only_values.FrozenMapping:
        """Return the decisions of the tree: by plug-in, then by path."""
        return read_only_values.FrozenMapping(self._read("decisions"))

    def decisions_elsewhere(self, plugin: str) -> tuple[StoredDecision, ...]:
        """Return the current decisions of a plug-in for all other trees.

        A plug-in may base its verdict on them: when it decides something and
        others have decided meanwhile, its pre-op is called again.
        """
        found = self._source.decisions_elsewhere(plugin)
        self._cached["elsewhere", plugin] = found
        return found

    @property
    def stack(self) -> StackView:
        """Return the desired stack, or the existing one if it is deleted."""
        found = self.after or self.before
        assert found is not None
        return found

    def _read(self, name: str) -> typing.Any:
        if name not in self._cached:
            self._cached[name] = getattr(self._source, name)()
        return self._cached[name]

    def __setattr__(self, name: str, value: object) -> None:
        """Raise AttributeError: the object is frozen.

        :raises AttributeError: always
        """
        raise AttributeError(f"{name} cannot be set: a pattern is frozen")

    def __delattr__(self, name: str) -> None:
        """Raise AttributeError: the object is frozen.

        :raises AttributeError: always
        """
        raise AttributeError(f"{name} cannot go: a pattern is frozen")


def find_decisions_elsewhere(
    operation: LifecycleOperation, plugin: str
) -> tuple[StoredDecision, ...] | None:
    """Return the decisions for other trees as a plug-in read them last.

    :returns: ``None`` where it has not read them
    """
    return typing.cast(
        "tuple[StoredDecision, ...] | None",
        operation._cached.get(("elsewhere", plugin)),
    )


def renew_decisions(operation: LifecycleOperation) -> None:
    """Drop the cached decisions, so that they are read anew."""
    operation._cached.pop("decisions", None)

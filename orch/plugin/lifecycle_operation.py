"""What lifecycle plug-ins see of an operation: the whole pattern, frozen.

All resources of the tree are in it, those of inner stacks with their paths,
with properties resolved as far as they are known before the run. Values that
nobody may see are covered as in the answers of the API.
"""

import collections.abc
import dataclasses
import types
import typing

from orch.plugin import read_only_values

UNKNOWN: typing.Final = None
"""Stands in properties for what comes into being only with the run."""


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
    }
)
"""All requests that plug-ins are called for."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OperationRequest:
    """What was request for, and by whom.

    :ivar operation_id: the same in each call for an operation, and in those
        that are made again after a crash; empty in a preview
    :ivar action: ``CREATE``, ``UPDATE``, ``DELETE``, … as the stack shows it
    :ivar verb: the request, one of :data:`VERBS`
    :ivar attempt: 1 at first, one more with each retry
    :ivar is_preview: nothing will be done; decisions are dropped
    """

    operation_id: str
    action: str
    verb: str
    attempt: int = 1
    is_preview: bool = False
    project_id: str = ""
    user_id: str = ""
    user_name: str = ""
    roles: tuple[str, ...] = ()
    request_id: str = ""

    @property
    def is_retry(self) -> bool:
        """Answer whether it has failed before, and goes on."""
        return self.attempt > 1


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ResourceView:
    """One resource of a stack.

    :ivar path: its names from the outermost stack on, ``group/0/server``
    :ivar properties: resolved; ``None`` is what is not known yet
    :ivar physical_id: ``None`` while there is no thing
    :ivar action: with ``status`` how it stands; empty before it exists
    :ivar inner: the stack that it is, if it is one and that is known
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
    inner: "StackView | None" = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StackView:
    """One stack, as it stands or as it is to stand.

    :ivar path: of the resource that it is in the outermost stack; empty for
        a root
    :ivar root_id: of the outermost stack
    :ivar template: its text as a mapping
    :ivar outputs: as they stand; empty before the run
    :ivar timeout_mins: that its operations have; ``None`` for no limit
    :ivar has_rollback: what fails of it is rolled back
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
        """Let nobody add or take a resource."""
        shown = types.MappingProxyType(self.resources)
        object.__setattr__(self, "resources", shown)

    def walk(self) -> collections.abc.Iterator[ResourceView]:
        """Go through all resources of the tree, outer ones first."""
        for each in self.resources.values():
            yield each
            if each.inner is not None:
                yield from each.inner.walk()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class StoredDecision:
    """A decision that is kept beside a stack.

    :ivar root_id: of the outermost stack that it belongs to
    :ivar path: of the resource that it is for; empty for the stack
    :ivar earlier: values of which one may hold again, where the operation
        fails that has brought this one
    """

    root_id: str
    path: str
    value: object
    earlier: tuple[object, ...] = ()


class Source(typing.Protocol):
    """Where a pattern comes from, read when somebody looks at it."""

    def before(self) -> StackView | None:
        """Return the stack as it stands."""

    def after(self) -> StackView | None:
        """Return the stack as it is to stand."""

    def plan(self) -> collections.abc.Mapping[str, object]:
        """Return what will change, as the API shows plans."""

    def decisions(
        self,
    ) -> collections.abc.Mapping[str, collections.abc.Mapping[str, object]]:
        """Return those kept beside the tree: by plug-in, then by path."""

    def decisions_elsewhere(self, plugin: str) -> tuple[StoredDecision, ...]:
        """Return those of a plug-in that are kept beside other trees."""


class LifecycleOperation:
    """An operation, as a plug-in sees it; read once, then kept.

    :ivar request: what was request for
    """

    __slots__ = ("_cached", "_source", "request")

    request: OperationRequest
    _source: Source
    _cached: dict[str, typing.Any]

    def __init__(self, request: OperationRequest, source: Source) -> None:
        """Show what comes from there."""
        object.__setattr__(self, "request", request)
        object.__setattr__(self, "_source", source)
        object.__setattr__(self, "_cached", {})

    @property
    def before(self) -> StackView | None:
        """Return the stack as it stands; ``None`` before it was made."""
        found: StackView | None = self._read("before")
        return found

    @property
    def after(self) -> StackView | None:
        """Return the stack as it is to stand; ``None`` when it goes.

        In a post-op it is the stack as it stands after the run.
        """
        found: StackView | None = self._read("after")
        return found

    @property
    def plan(self) -> read_only_values.FrozenMapping:
        """Return what will change, in the shape of the API's plans."""
        found = read_only_values.freeze(self._read("plan"))
        assert isinstance(found, read_only_values.FrozenMapping)
        return found

    @property
    def decisions(self) -> read_only_values.FrozenMapping:
        """Return what is kept beside the tree: by plug-in, then by path."""
        found = read_only_values.freeze(self._read("decisions"))
        assert isinstance(found, read_only_values.FrozenMapping)
        return found

    def decisions_elsewhere(self, plugin: str) -> tuple[StoredDecision, ...]:
        """Return what a plug-in has decided for all other trees, now.

        A plug-in that looks at its own may count with it: when it decides
        something and others have decided meanwhile, its pre-op is called
        again.
        """
        found = self._source.decisions_elsewhere(plugin)
        self._cached[_elsewhere(plugin)] = found
        return found

    @property
    def stack(self) -> StackView:
        """Return the stack as it is to stand, or as it stands if it goes."""
        found = self.after or self.before
        assert found is not None
        return found

    def _read(self, name: str) -> typing.Any:
        if name not in self._cached:
            self._cached[name] = getattr(self._source, name)()
        return self._cached[name]

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse.

        :raises AttributeError: always
        """
        raise AttributeError(f"{name} cannot be set: a pattern is frozen")

    def __delattr__(self, name: str) -> None:
        """Refuse.

        :raises AttributeError: always
        """
        raise AttributeError(f"{name} cannot go: a pattern is frozen")


def find_decisions_elsewhere(
    operation: LifecycleOperation, plugin: str
) -> tuple[StoredDecision, ...] | None:
    """Return what a plug-in was shown of other trees, the last time.

    :returns: ``None`` where it has not looked
    """
    found: tuple[StoredDecision, ...] | None = operation._cached.get(
        _elsewhere(plugin)
    )
    return found


def renew_decisions(operation: LifecycleOperation) -> None:
    """Let the next look at the decisions show those of then."""
    operation._cached.pop("decisions", None)


def _elsewhere(plugin: str) -> str:
    return f"elsewhere {plugin}"

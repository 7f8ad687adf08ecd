"""Arguments and results of the engine's calls to a resource plug-in.

The engine gives a :class:`Context`; the plug-in answers with an id,
:class:`CreateResult`, :class:`AdoptedResource` or :class:`Pending`.
"""

import collections.abc
import dataclasses
import typing

from orch import clock
from orch import errors
from orch.context import request
from orch.model import blocked

PhysicalId = str


class OutcomeUnknown(errors.Permanent):
    """Whether a lost call created something cannot be determined.

    The engine stops there rather than make a second one silently.
    """

    code = "orch.resource.outcome_unknown"
    is_verdict = False


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ReferredResource:
    """The resource of the stack that a property of another one names.

    :ivar token: as in :class:`Context`
    :ivar properties: resolved, as they are or as its change in progress has
        them
    :ivar metadata: those of its template
    :ivar is_scalable: it is a group with a size that signals change
    """

    name: str
    type_name: str
    token: str
    properties: collections.abc.Mapping[str, object]
    metadata: collections.abc.Mapping[str, object]
    is_scalable: bool


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class ChildInputs:
    """The files and environment that a stack passes to a child stack.

    :ivar files: texts by name
    :ivar environment: ``resource_registry`` and ``parameter_defaults``
    """

    files: collections.abc.Mapping[str, str]
    environment: collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The engine's data on the resource that a plug-in acts on.

    :ivar token: the same for every attempt to make this resource, and for
        no other: leave it where the service keeps it (tag, name, metadata)
    :ivar attempt: 1 for the first
    :ivar physical_name: a name for the service, unique and readable:
        ``<stack>-<resource>-<12 characters>``
    :ivar properties: resolved, coerced, defaults filled in
    :ivar update_policy: that of the resource; of types that hold a stack
        only, empty for all others
    :ivar baseline: the live properties as they were after our last change,
        or as they were accepted later; empty where they are not known
    :ivar data: what the plug-in stored before
    :ivar attributes: those that other parts of the template read, as they
        were when the resource was last complete
    :ivar started_at: when this action began; the same after a takeover
    :ivar stack_project: the project of the stack
    :ivar signals: what signals have left, as it is now
        (:meth:`orch.plugin.resource.Resource.handle_signal`); for a type
        that declares ``listens_to`` that of the resource it listens to
    :ivar has_signal_source: of a type that declares ``listens_to``: whether
        there is such a resource in the stack
    :ivar referred: of a type that declares ``refers_to``: the resource of
        the stack that it names; ``None`` where there is none
    :ivar decisions: what lifecycle plug-ins have decided for the resource,
        by the name of the plug-in
    :ivar inputs: of a type that declares ``takes_inputs``: what came with
        the template of the stack; ``None`` where that is not to be known
    :ivar successor: properties of the resource that replaced it, where that
        has the same physical id, and in calls of ``release``; else ``None``
    :ivar is_surplus: another attempt has made it beside the one that the
        resource has; only what bears this physical id may be removed
    :ivar is_outcome_unknown: in calls of ``find``: an earlier creation has
        got no answer. Otherwise the service has refused it: what has a name
        that the template gives belongs to others then
    """

    request: request.RequestContext
    stack_id: str
    stack_name: str
    name: str
    token: str
    attempt: int
    physical_name: str
    physical_id: PhysicalId | None
    properties: collections.abc.Mapping[str, object]
    metadata: collections.abc.Mapping[str, object]
    data: collections.abc.Mapping[str, object]
    update_policy: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    attributes: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    baseline: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    started_at: clock.Timestamp
    stack_project: str = ""
    signals: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    has_signal_source: bool = False
    referred: ReferredResource | None = None
    inputs: ChildInputs | None = None
    decisions: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    successor: collections.abc.Mapping[str, object] | None = None
    is_surplus: bool = False
    is_outcome_unknown: bool = False

    def bounded_name(self, limit: int) -> str:
        """Return the physical name in at most ``limit`` characters.

        Of a longer one the end remains, which makes it unique.
        """
        name = self.physical_name
        return (
            name if len(name) <= limit else f"{name[:2]}-{name[3 - limit :]}"
        )


@dataclasses.dataclass(frozen=True, slots=True)
class CreateResult:
    """The result of a creation or find: the id, and data to store with it.

    :ivar data: JSON values; they come back in :attr:`Context.data`
    """

    physical_id: PhysicalId
    data: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class AdoptedResource:
    """An existing physical resource that is adopted, as described.

    :ivar data: what comes in :attr:`Context.data` from now on
    :ivar metadata: those given, else those of the template
    :ivar document: of a type that holds a stack: what that is adopted from
        (``orch.model.adoption``)
    :ivar is_listed: a list of its service has just shown it
    """

    physical_id: PhysicalId | None
    data: collections.abc.Mapping[str, object]
    metadata: collections.abc.Mapping[str, object]
    document: collections.abc.Mapping[str, object] | None = None
    is_listed: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Pending:
    """The action is still in progress; poll again.

    :ivar after_s: when to poll again, in seconds from now;
        ``None`` leaves it to the engine (growing, jittered intervals)
    :ivar note: what the service says meanwhile, for people
    :ivar awaits_signal: only a signal, or ``after_s`` seconds, bring it on:
        it is polled as soon as either came. ``after_s`` ``None`` then waits
        for a signal alone. The operation may leave its worker meanwhile.
    :ivar child_waits: the engine's own: what a child stack waits for
    """

    after_s: float | None = None
    note: str = ""
    awaits_signal: bool = False
    child_waits: blocked.Blocked | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """What a physical resource is, and whether that is fine.

    :ivar pending: how to look again, where it cannot be said yet
    :ivar fault: what is wrong with it; ``None`` where nothing is
    :ivar reality: the live properties; ``None`` where they cannot be read
    """

    pending: Pending | None = None
    fault: errors.OrchError | None = None
    reality: collections.abc.Mapping[str, object] | None = None


DONE: typing.Final = None
"""What a watch answers once the act is complete."""

"""The contract between the engine and a resource plug-in.

A plug-in says what properties and attributes its type has, and starts and
watches single acts on the world. It holds no state of its own between
calls: whatever it must remember goes back as a physical id or as data, and
comes again in the :class:`Context`. It knows no stack, database or bus.

The engine splits each act in *start* (``create``) and *watch*
(``is_created``), so that waiting holds no thread. Every call may be made
again after a crash: see ``find``.
"""

import collections.abc
import dataclasses
import typing

from oslo_config import cfg

from orch import clock
from orch import errors
from orch.context import request
from orch.plugin import schema

PhysicalId = str


class OutcomeUnknown(errors.Permanent):
    """Nobody can tell whether a lost call made something.

    The engine stops there rather than make a second one silently.
    """

    code = "orch.resource.outcome_unknown"


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a plug-in may know of the resource that it acts on.

    :ivar token: the same for every attempt to make this resource, and for
        no other: leave it where the service keeps it (tag, name, metadata)
    :ivar attempt: 1 for the first
    :ivar physical_name: a name for the world, unique and readable:
        ``<stack>-<resource>-<12 characters>``
    :ivar properties: resolved, coerced, defaults filled in
    :ivar data: what the plug-in stored before
    :ivar started_at: when this action began; the same after a takeover
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
    started_at: clock.Timestamp


@dataclasses.dataclass(frozen=True, slots=True)
class Made:
    """What a creation or find gave: the id, and data to keep beside it.

    :ivar data: JSON values; they come back in :attr:`Context.data`
    """

    physical_id: PhysicalId
    data: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Pending:
    """The act is still under way; ask again.

    :ivar after_s: when asking again makes sense, in seconds from now;
        ``None`` leaves it to the engine (growing, jittered intervals)
    :ivar note: what the service says meanwhile, for people
    """

    after_s: float | None = None
    note: str = ""


DONE: typing.Final = None
"""What a watch answers once the act is complete."""

SHOW: typing.Final = "show"
"""The attribute that every type has: the thing as its service shows it."""


class Resource:
    """Base of all resource types.

    One instance serves all resources of its type in a process, from several
    threads at once.
    """

    type_name: typing.ClassVar[str]
    properties: typing.ClassVar[schema.Properties] = ()
    attributes: typing.ClassVar[schema.Attributes] = ()
    update_policy: typing.ClassVar[schema.Properties] = ()
    """What the resource's ``update_policy`` in a template may hold."""
    support_status: typing.ClassVar[str] = "SUPPORTED"
    is_local: typing.ClassVar[bool] = False
    """Acts on the machine of the worker; off unless the operator allows."""
    can_snapshot: typing.ClassVar[bool] = False
    accepts_any_property: typing.ClassVar[bool] = False
    """Takes also properties, and shows attributes, that it does not declare.
    """

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Keep the options; open nothing yet.

        :param conf: the process's options, with every group of
            ``orch.conf`` registered
        """
        self.conf = conf

    def is_effect_free(
        self, properties: collections.abc.Mapping[str, object]
    ) -> bool:
        """Answer whether making and deleting it changes nothing outside.

        A promise as well: ``create``, ``delete`` and ``read_attributes``
        then end within a millisecond and do no input or output. The engine
        runs them on its own thread, many a transaction, and may run them
        again after a crash.
        """
        return False

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Refuse properties that no schema can refuse.

        Values known only at run time are absent. Called when a request is
        accepted, so it does no input or output.

        :raises orch.errors.Invalid: what is wrong and what to do
        """

    def reference_id(self, context: Context) -> str:
        """Return what ``get_resource`` gives; the physical id by default."""
        return context.physical_id or context.physical_name

    def create(self, context: Context) -> PhysicalId | Made:
        """Start to make the resource.

        :returns: what the world calls it
        :raises orch.errors.Transient: the same call may succeed later
        :raises orch.errors.OrchError: it failed; the text is the reason
        """
        raise errors.NotSupported(f"{self.type_name} cannot be created")

    def is_created(self, context: Context) -> Pending | None:
        """Answer ``None`` once the resource is usable."""
        return DONE

    def find(self, context: Context) -> PhysicalId | Made | None:
        """Find what an earlier attempt left, by ``context.token``.

        :returns: ``None`` when the world surely holds nothing of it
        :raises OutcomeUnknown: this type cannot tell
        """
        raise OutcomeUnknown(
            f"{self.type_name} cannot tell whether an interrupted attempt"
            " made something; look, remove it by hand and retry"
        )

    def delete(self, context: Context) -> None:
        """Start to remove it; already gone is success."""

    def is_deleted(self, context: Context) -> Pending | None:
        """Answer ``None`` once nothing of it is left."""
        return DONE

    def read_attributes(
        self, context: Context, names: collections.abc.Collection[str]
    ) -> collections.abc.Mapping[str, object]:
        """Return the current values of these attributes.

        :param names: attributes of the schema that somebody reads
        :returns: JSON values; a name may be missing when it has no value
        """
        return {}

    def show(self, context: Context) -> object:
        """Return the live object as its service shows it (``show``).

        :returns: a JSON value, or ``None`` where there is nothing to show
        """
        return None


def read(
    plugin: Resource,
    context: Context,
    names: collections.abc.Collection[str],
) -> dict[str, object]:
    """Return the current values of attributes, :data:`SHOW` among them.

    :raises Exception: whatever the plug-in raises
    """
    declared = [name for name in names if name != SHOW]
    found: dict[str, object] = {}
    if declared:
        found.update(plugin.read_attributes(context, declared))
    if SHOW in names:
        found[SHOW] = plugin.show(context)
    return found

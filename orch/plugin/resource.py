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
import functools
import typing

from oslo_config import cfg

from orch import clock
from orch import errors
from orch.context import request
from orch.plugin import listing
from orch.plugin import members as members_
from orch.plugin import schema
from orch.plugin import signals as signals_

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
    :ivar update_policy: that of the resource; of types that hold a stack
        only, empty for all others
    :ivar data: what the plug-in stored before
    :ivar attributes: those that other parts of the template read, as they
        were when the resource was last complete
    :ivar started_at: when this action began; the same after a takeover
    :ivar stack_project: the project of the stack
    :ivar signals: what signals have left (:meth:`Resource.handle_signal`),
        as it is now; for a type that declares ``listens_to`` that of the
        resource it listens to
    :ivar has_heard: of a type that declares ``listens_to``: whether there is
        such a resource in the stack
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
    started_at: clock.Timestamp
    stack_project: str = ""
    signals: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    has_heard: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Made:
    """What a creation or find gave: the id, and data to keep beside it.

    :ivar data: JSON values; they come back in :attr:`Context.data`
    """

    physical_id: PhysicalId
    data: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """A thing that stands and becomes a resource, as somebody described it.

    :ivar data: what comes in :attr:`Context.data` from now on
    :ivar metadata: those given, else those of the template
    :ivar document: of a type that holds a stack: what that is adopted from
        (``orch.model.adoption``)
    """

    physical_id: PhysicalId | None
    data: collections.abc.Mapping[str, object]
    metadata: collections.abc.Mapping[str, object]
    document: collections.abc.Mapping[str, object] | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Pending:
    """The act is still under way; ask again.

    :ivar after_s: when asking again makes sense, in seconds from now;
        ``None`` leaves it to the engine (growing, jittered intervals)
    :ivar note: what the service says meanwhile, for people
    :ivar awaits_signal: only a signal, or ``after_s`` seconds, bring it on:
        it is asked as soon as either came. ``after_s`` ``None`` then waits
        for a signal alone. The operation may leave its worker meanwhile.
    """

    after_s: float | None = None
    note: str = ""
    awaits_signal: bool = False


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
    members: typing.ClassVar[members_.Members | None] = None
    """What says which resources a group is made of; ``None`` for others."""
    support_status: typing.ClassVar[str] = "SUPPORTED"
    is_local: typing.ClassVar[bool] = False
    """Acts on the machine of the worker; off unless the operator allows."""
    can_snapshot: typing.ClassVar[bool] = False
    """A deletion policy may ask for a snapshot before it is removed."""
    names_by_properties: typing.ClassVar[bool] = False
    """``reference_id`` depends on properties: a change in place may alter
    it."""
    accepts_any_property: typing.ClassVar[bool] = False
    """Takes also properties, and shows attributes, that it does not declare.
    """
    shows_any_attribute: typing.ClassVar[bool] = False
    """Shows also attributes that it does not declare, for example those of
    its members.
    """
    holds_stack: typing.ClassVar[bool] = False
    """It is a stack with operations of its own; every change in place is
    told to it, that of its metadata too.
    """
    takes_signals: typing.ClassVar[bool] = False
    """Its resources take signals: see :meth:`handle_signal`."""
    takes_signals_at_rest: typing.ClassVar[bool] = False
    """They take signals also while they are put to rest, rest or go."""
    listens_to: typing.ClassVar[str | None] = None
    """The property that names another resource of the stack, by what
    ``get_resource`` gives for it, whose signals it waits for.
    """
    is_new_each_update: typing.ClassVar[bool] = False
    """Every update of its stack replaces it, whatever its properties are."""
    is_known_only: typing.ClassVar[bool] = False
    """Known by its schema, and nothing serves it: templates with it are
    checked, clients are told of it, but no resource of it is ever made and
    none of its methods is called.
    """

    def __init__(self, conf: cfg.ConfigOpts) -> None:
        """Keep the options; open nothing yet.

        :param conf: the process's options, with every group of
            ``orch.conf`` registered
        """
        self.conf = conf

    @functools.cached_property
    def schemas(self) -> collections.abc.Mapping[str, schema.Property]:
        """The properties by name."""
        return {each.name: each for each in self.properties}

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

    def continue_creation(self, context: Context) -> None:
        """Go on with a creation that failed after it had told the id.

        For whatever has to be asked once more; ``is_created`` comes next.
        """

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

    def handle_adopt(self, context: Context, given: Adopted) -> Adopted:
        """Take over a thing that stands already; make nothing.

        For types that must translate what is given, or tell their service.
        It may be called again after a crash.

        :param context: as it will be, with ``given`` not in it yet
        :returns: id, data and metadata that the resource has from now on
        :raises orch.errors.OrchError: it cannot be; the thing stays as it
            is, and is not touched later
        """
        return given

    def is_adopted(self, context: Context) -> Pending | None:
        """Answer ``None`` once the thing is taken over."""
        return DONE

    def read_properties(
        self, context: Context
    ) -> collections.abc.Mapping[str, object] | None:
        """Return what the thing's properties are in the world now.

        Asked when a thing is adopted, to compare it with its template. Only
        what can be read is in it, in the form that the schema gives it.

        :returns: ``None`` where the type cannot tell
        :raises orch.errors.OrchError: the thing is not there, or is another
            kind of thing
        """
        return None

    def list_things(
        self, asked_by: request.RequestContext, wanted: listing.Filter
    ) -> collections.abc.Iterable[listing.Listed] | None:
        """Return the things of this type that the caller's project has.

        Read while somebody waits for the answer, to write a template of
        them; :meth:`read_properties` is then asked of each.

        :returns: ``None`` where the type cannot list
        :raises orch.errors.OrchError: the service does not tell
        """
        return None

    def abandon(self, context: Context) -> None:
        """Start to let go of a thing that stands on; remove nothing.

        For types that hold a stack: its resources are let go of as well.
        """

    def is_abandoned(self, context: Context) -> Pending | None:
        """Answer ``None`` once the thing is let go of."""
        return DONE

    def needs_replacement(
        self,
        before: collections.abc.Mapping[str, object],
        after: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> bool:
        """Answer whether these changes need a new thing.

        Asked beside the schema (:class:`schema.OnUpdate`), for types whose
        answer depends on the values. It does no input or output.

        :param changed: names of the properties that differ
        """
        return False

    def needs_update(
        self,
        name: str,
        physical_id: PhysicalId | None,
        properties: collections.abc.Mapping[str, object],
        metadata: collections.abc.Mapping[str, object],
    ) -> bool:
        """Answer whether to change it although no property differs.

        It does no input or output.
        """
        return False

    def update(
        self,
        context: Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> Made | None:
        """Start to bring the thing to ``context.properties``, in place.

        It may be called again after a crash, and for other properties after
        a change that failed half way: ``changed`` then names all that may
        differ from what is wanted.

        :param before: properties as they stood when it was last complete
        :param changed: names of the properties to bring about, each of
            which the schema lets change in place
        :returns: data to keep (with the id, which stays), or ``None`` to
            keep what there is
        :raises orch.errors.Busy: another act is under way with the thing
        :raises orch.errors.OrchError: it failed; the text is the reason
        """
        raise errors.NotSupported(
            f"{self.type_name} cannot be changed in place"
        )

    def is_updated(self, context: Context) -> Pending | None:
        """Answer ``None`` once the change has come about."""
        return DONE

    def suspend(self, context: Context) -> None:
        """Start to put it to rest; at rest already is success.

        Types that do not know rest leave it as it is.
        """

    def is_suspended(self, context: Context) -> Pending | None:
        """Answer ``None`` once it rests."""
        return DONE

    def resume(self, context: Context) -> None:
        """Start to wake it; awake already is success."""

    def is_resumed(self, context: Context) -> Pending | None:
        """Answer ``None`` once it is awake."""
        return DONE

    def check(self, context: Context) -> Pending | None:
        """Look whether the thing is there and well.

        :returns: ``None`` when it is; :class:`Pending` to be asked again
        :raises orch.errors.OrchError: it is not; the text says what is wrong
        """
        return DONE

    def snapshot(
        self, context: Context, snapshot_id: str
    ) -> collections.abc.Mapping[str, object]:
        """Start to store its state; to be asked again makes no second one.

        :param snapshot_id: names the snapshot in the world, as the token
            names the thing
        :returns: what :meth:`restored_properties` and
            :meth:`delete_snapshot` need, JSON values
        """
        return {}

    def is_snapshotted(
        self,
        context: Context,
        kept: collections.abc.Mapping[str, object],
    ) -> Pending | None:
        """Answer ``None`` once its state is stored."""
        return DONE

    def delete_snapshot(
        self,
        context: Context,
        kept: collections.abc.Mapping[str, object],
    ) -> None:
        """Remove a stored state; already gone is success."""

    def restored_properties(
        self,
        properties: collections.abc.Mapping[str, object],
        kept: collections.abc.Mapping[str, object],
    ) -> collections.abc.Mapping[str, object]:
        """Return the properties that bring a stored state back.

        Where they differ, they go into the stack's template. It may read
        what is kept, while a caller waits.

        :param properties: values of the template of that time
        :param kept: what :meth:`snapshot` gave
        """
        return properties

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

    def handle_signal(
        self, context: Context, details: object
    ) -> signals_.Signalled:
        """Return what a signal changes; called where ``takes_signals``.

        It runs in a transaction that keeps other signals of the resource
        out, and may run again with the same signal: it only computes, with
        no input or output, and within a millisecond. What has to be done in
        the world is done by the watch of the act under way, which finds the
        signal in ``context.signals``.

        :param details: what was sent, any JSON value; ``None`` for nothing
        :raises orch.errors.Invalid: the resource cannot take this signal;
            an event tells so, and nothing changes
        """
        raise errors.NotSupported(f"{self.type_name} takes no signals")

    def shown_metadata(
        self, context: Context
    ) -> collections.abc.Mapping[str, object]:
        """Return the metadata that clients see, what was signalled too."""
        return context.metadata

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

"""The contract between the engine and a resource plug-in.

A plug-in declares the properties and attributes of its type, and starts and
watches single acts on the world. It holds no state of its own between
calls: what it must remember it returns as a physical id or as data, and
gets again in the :class:`~orch.plugin.call_context.Context`. It knows no
stack, database or bus.

The engine splits each act in *start* (``create``) and *watch*
(``is_created``), so that waiting holds no thread. Every call may be made
again after a crash: see ``find``.
"""

import collections.abc
import typing

from oslo_config import cfg

from orch import clock
from orch import errors
from orch.model import marked
from orch.plugin import adoptable
from orch.plugin import call_context
from orch.plugin import signals as signals_

LATE_MARGIN_S: typing.Final = 5.0
"""Seconds by which a service may act later than its client gives up."""
LATE_EFFECT_S: typing.Final = 60.0 + LATE_MARGIN_S
"""How long a creation without an answer may take effect; a type that knows
its client's timeouts says better."""
SHOW: typing.Final = "show"
"""The attribute of every type: the object as its service shows it."""


class Resource(adoptable.Adoptable):
    """Base of all resource types.

    The declarations of a type are its traits (:mod:`orch.plugin.traits`); the
    methods that only read are in :mod:`orch.plugin.observed`.

    One instance serves all resources of its type in a process, from several
    threads at once.
    """

    def __init__(
        self, conf: cfg.ConfigOpts, clock_: clock.Clock | None = None
    ) -> None:
        """Store options and clock; open no connection yet.

        :param conf: the process's options, with every group of
            ``orch.conf`` registered
        :param clock_: tells how long ago an action began; the machine's when
            none is given
        """
        self.conf = conf
        self.clock = clock_ or clock.SystemClock()

    def is_effect_free(
        self, properties: collections.abc.Mapping[str, object]
    ) -> bool:
        """Whether its creation and deletion change nothing outside.

        A promise as well: ``create``, ``delete`` and ``read_attributes``
        then end within a millisecond and do no input or output. The engine
        runs them on its own thread, many a transaction, and may run them
        again after a crash.
        """
        return False

    def serving_type(
        self, properties: collections.abc.Mapping[str, object]
    ) -> str:
        """Return the name of the type that serves such a resource.

        For a type that is two kinds of resources under one name. A resource
        whose properties lead to another type is replaced.

        :param properties: those of ``chosen_by`` that are given, as they are
            known before anything runs; what depends on other resources is
            as the template writes it
        """
        return self.type_name

    def validate(
        self, properties: collections.abc.Mapping[str, object]
    ) -> None:
        """Raise Invalid if properties are wrong beyond their schema.

        Values known only at run time are absent. Called when a request is
        accepted, so it does no input or output.

        :raises orch.errors.Invalid: what is wrong and what to do
        """

    def examine(self, context: call_context.Context) -> None:
        """Raise Invalid if a service would refuse such a resource.

        Of types that declare ``examines``. Called while a caller waits for a
        new stack to be accepted, of resources whose values are all known by
        then. A service that cannot be asked now is no reason to refuse.

        :param context: of a stack that does not exist yet
        :raises orch.errors.Invalid: what is wrong and what to do
        """

    def reference_id(self, context: call_context.Context) -> str:
        """Return the value of ``get_resource``; by default the physical id."""
        return context.physical_id or context.physical_name

    def expect(
        self, contexts: collections.abc.Sequence[call_context.Context]
    ) -> None:
        """Prepare for several creations that are about to begin.

        Of types that declare ``expects_batches``: work for all of them at
        once may be done here. Each is created by its own call all the same,
        and that call reports its errors.
        """

    def create(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult:
        """Start the creation of the physical resource.

        :returns: its id in the service
        :raises orch.errors.Transient: the same call may succeed later
        :raises orch.errors.OrchError: it failed; the text is the reason
        """
        raise errors.NotSupported(f"{self.type_name} cannot be created")

    def continue_creation(self, context: call_context.Context) -> None:
        """Continue a creation that failed after it had returned the id.

        For requests that have to be repeated; ``is_created`` is called next.
        """

    def is_created(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return ``None`` once the resource is usable."""
        return call_context.DONE

    def is_made_usable(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return ``None`` once an adopted one that was not complete is usable.

        Here: as after its creation.

        :raises orch.errors.OrchError: it will never be
        """
        return self.is_created(context)

    def find(
        self, context: call_context.Context
    ) -> call_context.PhysicalId | call_context.CreateResult | None:
        """Find what an earlier attempt left, by ``context.token``.

        :returns: ``None`` when surely nothing of it exists
        :raises orch.plugin.call_context.OutcomeUnknown: this type cannot
            determine that
        """
        raise call_context.OutcomeUnknown(
            f"{self.type_name} cannot find out whether an interrupted attempt"
            " created something; check, remove it by hand and retry"
        )

    def lookup_properties(
        self,
        before: collections.abc.Mapping[str, object],
        after: collections.abc.Mapping[str, object],
    ) -> collections.abc.Mapping[str, object]:
        """Return the properties to search for an unfinished resource with.

        For types with properties that say only how to talk of it: where the
        template has mended them since the creation began, they hold for the
        rest of it. It does no input or output.

        :param before: those of the creation
        :param after: those that the template desires now; parts of them may
            be unknown when a plan is made
        :returns: ``before`` with the mended ones
        """
        return before

    def find_all(
        self, context: call_context.Context
    ) -> collections.abc.Sequence[
        call_context.PhysicalId | call_context.CreateResult
    ]:
        """Return all physical resources that surely bear ``context.token``.

        What is found beside the known one was made by a call whose answer
        was lost, and is removed: by :meth:`delete`, with a context that
        ``is_surplus``. Called only where such a call may have been.

        :returns: empty where the service cannot list by token
        """
        return ()

    def late_effect_s(self, context: call_context.Context) -> float:
        """Return for how long a creation without an answer may take effect.

        For so long after its beginning what it makes is looked for
        (:meth:`find`), before it counts as never made. Of types that
        ``has_late_effects``.

        :returns: seconds: how long a call waits for its answer, and a margin
        """
        return LATE_EFFECT_S

    def creates_once(self, context: call_context.Context) -> bool:
        """Whether a second creation makes no second physical resource.

        As the id is chosen here, or the service knows the call by a key. A
        creation without an answer is then made again at once, also where
        :meth:`find` cannot tell what became of it.
        """
        return False

    def needs_replacement(
        self,
        before: collections.abc.Mapping[str, object],
        after: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> bool:
        """Whether these changes need a new physical resource.

        Asked in addition to the schema (``schema.OnUpdate``), for types whose
        answer depends on the values. It does no input or output.

        :param changed: names of the properties that differ
        """
        return False

    def properties_to_release(
        self,
        before: collections.abc.Mapping[str, object],
        after: collections.abc.Mapping[str, object],
    ) -> collections.abc.Mapping[str, object]:
        """Return what a replacement needs and only one resource can have.

        Asked before a replacement is created. :meth:`release` is called if
        there is anything; where the former resource becomes current again,
        it is updated to have it again. It does no input or output.

        :param before: properties of the former resource
        :param after: those of its replacement
        :returns: the properties of the former resource that are released,
            each with its value after that
        """
        return {}

    def release(
        self,
        context: call_context.Context,
        released: collections.abc.Mapping[str, object],
    ) -> None:
        """Release properties of a resource that is being replaced.

        It may be called again; gone already is success.

        :param context: of the former resource
        :param released: what :meth:`properties_to_release` returned
        """

    def needs_update(
        self,
        name: str,
        physical_id: call_context.PhysicalId | None,
        properties: collections.abc.Mapping[str, object],
        metadata: collections.abc.Mapping[str, object],
    ) -> bool:
        """Whether to update it although no property differs.

        It does no input or output.
        """
        return False

    def update(
        self,
        context: call_context.Context,
        before: collections.abc.Mapping[str, object],
        changed: collections.abc.Collection[str],
    ) -> call_context.CreateResult | None:
        """Start an update in place to ``context.properties``.

        It may be called again after a crash, and for other properties after
        a change that failed half way: ``changed`` then names all that may
        differ from the desired state.

        :param before: properties as they were when it was last complete
        :param changed: names of the properties to change, each of
            which the schema lets change in place
        :returns: data to store (with the id, which stays), or ``None`` to
            leave the stored data
        :raises orch.errors.Busy: another action on it is in progress
        :raises orch.errors.OrchError: it failed; the text is the reason
        """
        raise errors.NotSupported(
            f"{self.type_name} cannot be changed in place"
        )

    def is_updated(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return ``None`` once the update is complete."""
        return call_context.DONE

    def suspend(self, context: call_context.Context) -> None:
        """Start its suspension; suspended already is success.

        Types without suspension leave it as it is.
        """

    def is_suspended(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return ``None`` once it is suspended."""
        return call_context.DONE

    def resume(self, context: call_context.Context) -> None:
        """Start its resumption; active already is success."""

    def is_resumed(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return ``None`` once it is active."""
        return call_context.DONE

    def snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> collections.abc.Mapping[str, object]:
        """Start to store its state; a second call makes no second snapshot.

        :param snapshot_id: names the snapshot in the service, as the token
            names the physical resource
        :returns: what :meth:`restored_properties` and
            :meth:`delete_snapshot` need, JSON values
        """
        return {}

    def find_snapshot(
        self, context: call_context.Context, snapshot_id: str
    ) -> collections.abc.Mapping[str, object] | None:
        """Find what a call of :meth:`snapshot` stored whose answer is lost.

        It is called when such a snapshot is removed. A type that does not
        implement it leaves behind what it may have stored.

        :returns: what that call would have returned; ``None`` for nothing
        """
        return None

    def is_snapshotted(
        self,
        context: call_context.Context,
        snapshot_data: collections.abc.Mapping[str, object],
    ) -> call_context.Pending | None:
        """Return ``None`` once its state is stored."""
        return call_context.DONE

    def delete_snapshot(
        self,
        context: call_context.Context,
        snapshot_data: collections.abc.Mapping[str, object],
    ) -> None:
        """Remove a stored state; already gone is success."""

    def restored_properties(
        self,
        properties: collections.abc.Mapping[str, object],
        snapshot_data: collections.abc.Mapping[str, object],
    ) -> collections.abc.Mapping[str, object]:
        """Return the properties that restore a stored state.

        Where they differ, they go into the stack's template. It may read
        the stored state, while a caller waits.

        :param properties: values of the template of that time
        :param snapshot_data: what :meth:`snapshot` returned
        """
        return properties

    def delete(self, context: call_context.Context) -> None:
        """Start its deletion; already gone is success."""

    def is_deleted(
        self, context: call_context.Context
    ) -> call_context.Pending | None:
        """Return ``None`` once nothing of it is left."""
        return call_context.DONE

    def read_attributes(
        self,
        context: call_context.Context,
        names: collections.abc.Collection[str],
    ) -> collections.abc.Mapping[str, object]:
        """Return the current values of these attributes.

        :param names: attributes of the schema that the template reads
        :returns: JSON values; a name may be missing when it has no value
        """
        return {}

    def handle_signal(
        self, context: call_context.Context, details: object
    ) -> signals_.SignalResult:
        """Return the effect of a signal; called if ``takes_signals``.

        It runs in a transaction that keeps other signals of the resource
        out, and may run again with the same signal: it only computes, with
        no input or output, and within a millisecond. Changes of the world
        are made by the poll of the action in progress, which finds the
        signal in ``context.signals``.

        :param details: what was sent, any JSON value; ``None`` for nothing
        :raises orch.errors.Invalid: the resource cannot take this signal;
            an event tells so, and nothing changes
        """
        raise errors.NotSupported(f"{self.type_name} takes no signals")

    def forget_failures(
        self, signals: collections.abc.Mapping[str, object]
    ) -> collections.abc.Mapping[str, object]:
        """Return what signals have left, without those that report a failure.

        A retry calls it for each resource that has failed, or that a failed
        one depends on, if it takes signals: nothing that an earlier attempt
        was told may fail the next one. It only computes, as
        :meth:`handle_signal` does.

        :param signals: what ``context.signals`` holds
        """
        return signals

    def given_address(self, context: call_context.Context) -> str | None:
        """Return our address that was given to the physical resource.

        One of :class:`orch.plugin.addresses.Addresses`, where signals are
        sent to or metadata is polled. When a stack moves to another
        installation, requests to this address are forwarded, and it is
        notified of its address there. It only computes.

        :returns: ``None`` where none was given out
        """
        return None

    def shown_metadata(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Return the metadata for clients, with the effect of signals."""
        return context.metadata


def read_attributes(
    plugin: Resource,
    context: call_context.Context,
    names: collections.abc.Collection[str],
) -> marked.Marked:
    """Return the current values of attributes, :data:`SHOW` among them.

    What a child stack says is sensitive is marked.

    :raises Exception: whatever the plug-in raises
    """
    declared = [name for name in names if name != SHOW]
    found: collections.abc.Mapping[str, object] = {}
    if declared:
        found = plugin.read_attributes(context, declared)
    if SHOW in names:
        found = marked.merge(found, {SHOW: plugin.show(context)})
    return marked.merge(found)

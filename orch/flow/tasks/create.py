"""Create a resource, or continue a creation that was begun."""

import collections.abc
import dataclasses
import time
import types
import typing

from oslo_log import log

from orch import errors
from orch.flow.state import store
from orch.flow.tasks import answers
from orch.flow.tasks import base
from orch.flow.tasks import earlier
from orch.flow.tasks import late_calls
from orch.flow.tasks import plugin_errors
from orch.flow.tasks import surplus
from orch.model import marked
from orch.model import resource as model_resource
from orch.planner import plan
from orch.plugin import call_context
from orch.plugin import logged_errors
from orch.plugin import resource

LOG = log.getLogger(__name__)

Values = collections.abc.Mapping[str, object]

_RETRY_S: typing.Final = 0.5
_NOT_REPEATED: typing.Final = (
    "whether it was created where the stack comes from is not known; an update"
    " repeats the request, which makes it once"
)
_NOTHING_FOUND: typing.Final = (
    "Resource ID was not provided: whether it was created where the stack"
    " comes from was not known, and the service has nothing of it; an update"
    " creates it"
)


class CreateTask(base.ChangeTask):
    """Finds what an earlier attempt left, or creates; then waits.

    It may be begun again after an error that passes by itself: then it is an
    earlier attempt of its own.
    """

    _doubt = ""
    _has_called = False
    _is_open: bool | None = None
    _released: Values = types.MappingProxyType({})

    def __init__(self, change: plan.Change, resources: store.Store) -> None:
        """Make the task of a change; nothing is called yet."""
        super().__init__(change, resources)
        self._late_call = late_calls.LateCall(resources.clock)
        self._surplus = surplus.Surplus(resources)
        self._earlier = earlier.EarlierCreation(change, resources)

    def pre_execute(self) -> None:
        """Resolve the properties, which the intent row stores."""
        if not self.change.preserves_properties:
            self._resources.desired_state.resolve(self.change)
        elif self.change.is_repeated:
            self._resources.desired_state.renew_lookup(self.change)
        self._note_released()
        row = self._row()
        plugin = self._resources.plugin(row)
        self.is_effect_free = bool(plugin.is_effect_free(row.properties))
        if not self.is_effect_free:
            self._late_call.take_row(row)

    def expected(
        self,
    ) -> tuple[resource.Resource, call_context.Context] | None:
        """Return the plug-in to notify of several first attempts."""
        row = self._row()
        is_first = not (self.change.is_repeated or self._has_called)
        if row.physical_id is not None or not is_first:
            return None
        if not self._resources.plugin(row).expects_batches:
            return None
        return self._resources.context(row)

    def begin(self) -> base.Step:
        """Find or create the physical resource; check whether it is ready."""
        row = self._row()
        plugin, context = self._resources.context(row)
        if row.physical_id is not None:
            if row.is_answered:
                self._doubt = answers.look(plugin, context)
            with self._earlier.judged(plugin, context):
                plugin.continue_creation(context)
            return self._watch(plugin, context, None)
        created = self._look(plugin, context)
        if created is None:
            waiting = self._wait(plugin, context)
            if waiting is not None:
                return waiting
            created = self._make(plugin, context)
        else:
            plugin.continue_creation(base.with_created(context, created))
        try:
            return self._watch(
                plugin, base.with_created(context, created), created
            )
        except BaseException:
            # It exists, whatever its attributes say.
            self._resources.record_created(self.change, created)
            raise

    def _look(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> call_context.CreateResult | None:
        """Return the physical resource that an earlier attempt left.

        :raises orch.errors.Permanent: another resource has it as its own; a
            type that searches by name may find such a one
        """
        is_repeated = self.change.is_repeated or self._has_called
        if not is_repeated or self.is_effect_free:
            return None
        if self._is_open is None:
            self._is_open = self.change.is_outcome_unknown
        try:
            found = find_physical_resource(plugin, context, self._is_open)
        except call_context.OutcomeUnknown as error:
            if not plugin.creates_once(context):
                raise answers.with_advice(error, context) from error
            found = None
        self._is_open = False
        if found is not None and self._resources.claims.find_owned(
            self._row(), [found.physical_id]
        ):
            raise errors.Permanent(
                "what an earlier attempt seems to have made,"
                f" {found.physical_id}, belongs to another resource; give"
                " this one another name"
            )
        return found

    def _wait(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> base.Step | None:
        """Return how to wait for what a lost call may still make.

        :raises orch.errors.Permanent: nothing is to be made
        """
        if plugin.creates_once(context):
            if self.change.only_finds:
                raise call_context.OutcomeUnknown(_NOT_REPEATED)
            return None
        waiting = self._late_call.wait(plugin, context, "it is created again")
        self._is_open = waiting is not None
        if waiting is None and self.change.only_finds:
            raise errors.Permanent(_NOTHING_FOUND)
        return waiting

    def _note_released(self) -> None:
        """Record what the former resource is about to release."""
        row, former = self._row(), self._find_former()
        if former is None or former.plugin_type != row.plugin_type:
            return
        plugin = self._resources.plugin(former)
        self._released = plugin.properties_to_release(
            former.properties, row.properties
        )
        if self._released:
            self._resources.record_released(former, self._released)

    def _find_former(self) -> model_resource.Resource | None:
        """Return the incarnation that this one replaces, if it exists."""
        acting = self._resources.acting(self.change)
        if acting is None or acting.replaces is None:
            return None
        former = self._resources.rows.get(acting.replaces)
        if former is None or former.physical_id is None or former.external_id:
            return None
        return former

    def _release(self, replacement: call_context.Context) -> None:
        former = self._find_former()
        if former is not None and self._released:
            plugin, context = self._resources.context(former)
            context = dataclasses.replace(
                context, successor=replacement.properties
            )
            plugin.release(context, self._released)

    def _make(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> call_context.CreateResult:
        self._has_called = True
        self._late_call.begin()
        try:
            self._release(context)
            return base.check_created(plugin.create(context), "create")
        except Exception as error:
            if isinstance(error, errors.Transient):
                self._is_open = True
                self.lost_calls += not error.is_over
            self._late_call.end(error)
            raise

    def poll(self) -> base.Step:
        """Check whether the physical resource is usable now."""
        plugin, context = self._resources.context(self._row())
        return self._watch(plugin, context, None)

    def _watch(
        self,
        plugin: resource.Resource,
        context: call_context.Context,
        created: call_context.CreateResult | None,
    ) -> base.Step:
        pending = self._earlier.watch(plugin, context)
        if pending is not None:
            return base.Step(created=created, pending=pending)
        row = self._row()
        step = self._surplus.try_to_remove(
            row, plugin, context, "its deletion tries again"
        )
        if step is not None:
            return dataclasses.replace(step, created=created)
        done = self._complete(plugin, context, created)
        return self._with_baseline(done, plugin, context)

    def _with_baseline(
        self,
        done: base.Step,
        plugin: resource.Resource,
        context: call_context.Context,
    ) -> base.Step:
        """Return the last step of a change with its baseline."""
        if self.is_effect_free or not has_baseline(plugin, self._row()):
            return done
        found = read_baseline(plugin, context)
        return dataclasses.replace(done, baseline=found, has_baseline=True)

    def _complete(
        self,
        plugin: resource.Resource,
        context: call_context.Context,
        created: call_context.CreateResult | None,
    ) -> base.Step:
        names = self._resources.desired_state.attributes_read(self.change.name)
        return base.Step(
            created=created,
            attributes=_read(plugin, context, names),
            reason=self._doubt,
        )


def find_physical_resource(
    plugin: resource.Resource,
    context: call_context.Context,
    is_outcome_unknown: bool,
) -> call_context.CreateResult | None:
    """Return what an earlier attempt has left; ``None`` for nothing.

    :param is_outcome_unknown: that attempt may have made something
    :raises orch.plugin.call_context.OutcomeUnknown: it cannot be known, also
        because the service refused to answer
    :raises orch.errors.Transient: the question may be answered later
    """
    context = dataclasses.replace(
        context, is_outcome_unknown=is_outcome_unknown
    )
    try:
        found = plugin.find(context)
    except call_context.OutcomeUnknown:
        if is_outcome_unknown:
            raise
        return None
    except errors.Transient:
        raise
    except Exception as error:
        if not is_outcome_unknown:
            raise
        if isinstance(error, errors.Busy):
            # A refusal, but not of what the lost call asked for.
            raise errors.Transient(
                "the result of an earlier attempt cannot be searched for"
                f" yet: {error}"
            ) from error
        # It says nothing of what the lost call made.
        raise call_context.OutcomeUnknown(
            f"the result of an earlier attempt cannot be searched for: {error}"
        ) from error
    return None if found is None else base.check_created(found, "find")


def _read(
    plugin: resource.Resource,
    context: call_context.Context,
    names: collections.abc.Collection[str],
) -> dict[str, object]:
    if not names:
        return {}
    try:
        values = resource.read_attributes(plugin, context, names)
        base.check_json(values, "an attribute")
    except BaseException as error:
        # It exists; a reader of the value gets an error that it is missing.
        _log("attributes", context, error)
        return {}
    return marked.merge(dict.fromkeys(names), values)


def has_baseline(
    plugin: resource.Resource, row: model_resource.Resource
) -> bool:
    """Whether a resource has a baseline at all.

    An external resource was never changed by us.
    """
    return plugin.has_reality and row.external_id is None


def read_live(
    plugin: resource.Resource, context: call_context.Context
) -> Values | None:
    """Return what is read of a physical resource.

    A transient error counts once it has come again.

    :raises orch.errors.OrchError: it cannot be read now
    """
    try:
        return plugin.get_reality(context)
    except errors.Transient:
        time.sleep(_RETRY_S)
        return plugin.get_reality(context)


def read_baseline(
    plugin: resource.Resource, context: call_context.Context
) -> Values | None:
    """Return the live properties; ``None`` where they cannot be read.

    The change is complete all the same: an error goes to the log.
    """
    try:
        found = read_live(plugin, context)
        if found is None:
            return None
        base.check_json(dict(found), "what get_reality returned")
    except BaseException as error:
        _log("baseline", context, error)
        return None
    return dict(found)


def _log(
    subject: str, context: call_context.Context, error: BaseException
) -> None:
    wrapped = plugin_errors.wrap_plugin_error(error)
    text = logged_errors.redact_error(wrapped, [context])
    LOG.warning("%s of %s: %s", subject, context.physical_name, text)

"""Create a resource, or continue a creation that was begun."""

import collections.abc
import dataclasses

from oslo_log import log

from orch import errors
from orch.flow.tasks import base
from orch.flow.tasks import plugin_errors
from orch.model import resource as model_resource
from orch.plugin import call_context
from orch.plugin import resource

LOG = log.getLogger(__name__)

Values = collections.abc.Mapping[str, object]


class CreateTask(base.ChangeTask):
    """Finds what an earlier attempt left, or creates; then waits.

    It may be begun again after an error that passes by itself: then it is an
    earlier attempt of its own.
    """

    _has_called = False
    _is_open: bool | None = None

    def pre_execute(self) -> None:
        """Resolve the properties, which the intent row stores."""
        if not self.change.preserves_properties:
            self._resources.desired_state.resolve(self.change)
        row = self._row()
        plugin = self._resources.plugin(row)
        self.is_effect_free = bool(plugin.is_effect_free(row.properties))

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
            plugin.continue_creation(context)
            return self._watch(plugin, context, None)
        created = self._look(plugin, context)
        if created is None:
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
        """Return the physical resource that an earlier attempt left."""
        is_repeated = self.change.is_repeated or self._has_called
        if not is_repeated or self.is_effect_free:
            return None
        if self._is_open is None:
            self._is_open = self.change.is_outcome_unknown
        found = find_physical_resource(plugin, context, self._is_open)
        self._is_open = False
        return found

    def _make(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> call_context.CreateResult:
        self._has_called = True
        try:
            return check_created(plugin.create(context), "create")
        except errors.Transient:
            self._is_open = True
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
        pending = base.check_pending(plugin.is_created(context), "is_created")
        if pending is not None:
            return base.Step(created=created, pending=pending)
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
            created=created, attributes=_read(plugin, context, names)
        )


def check_created(answer: object, operation: str) -> call_context.CreateResult:
    """Return the answer of a creation or find in its long form.

    :param operation: the method that gave it, for the error
    :raises base.BadAnswer: there is no id in it, or data that is not JSON
    """
    if isinstance(answer, str):
        answer = call_context.CreateResult(answer)
    if not isinstance(answer, call_context.CreateResult) or not (
        isinstance(answer.physical_id, str) and answer.physical_id
    ):
        raise base.BadAnswer(
            f"{operation} returned {type(answer).__name__}, not a physical id"
        )
    if not isinstance(answer.data, collections.abc.Mapping):
        raise base.BadAnswer(f"the data that {operation} returned is no map")
    if answer.data:
        base.check_json(answer.data, f"the data that {operation} returned")
    return answer


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
    return None if found is None else check_created(found, "find")


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
        wrapped = plugin_errors.wrap_plugin_error(error)
        LOG.warning("attributes of %s: %s", context.physical_name, wrapped)
        return {}
    return {**dict.fromkeys(names), **values}


def has_baseline(
    plugin: resource.Resource, row: model_resource.Resource
) -> bool:
    """Whether a resource has a baseline at all.

    An external resource was never changed by us.
    """
    return plugin.has_reality and row.external_id is None


def read_baseline(
    plugin: resource.Resource, context: call_context.Context
) -> Values | None:
    """Return the live properties; ``None`` where they cannot be read.

    The change is complete all the same: an error goes to the log.
    """
    try:
        found = plugin.get_reality(context)
        if found is None:
            return None
        base.check_json(dict(found), "what get_reality returned")
    except BaseException as error:
        wrapped = plugin_errors.wrap_plugin_error(error)
        LOG.warning("baseline of %s: %s", context.physical_name, wrapped)
        return None
    return dict(found)

"""Update a resource in place, or replace it, or leave it unchanged."""

import collections.abc
import dataclasses

from orch import errors
from orch.flow.tasks import base
from orch.flow.tasks import create
from orch.model import marked
from orch.model import resource as model_resource
from orch.planner import compare
from orch.planner import plan
from orch.plugin import call_context
from orch.plugin import resource


class NotAllowed(errors.Permanent):
    """A property was changed that the type never lets change."""

    code = "orch.resource.update_not_allowed"


class UpdateTask(create.CreateTask):
    """Brings a physical resource to its desired state.

    All values are known only when it is about to run. An uncertain update may
    then turn out to be nothing at all, or a replacement.
    """

    _found = compare.Comparison(compare.Verdict.SAME)
    _drifted: frozenset[str] = frozenset()

    def pre_execute(self) -> None:
        """Compare the desired state with the existing one."""
        if self.change.kind is plan.Kind.READ:
            row = self._row()
            self.is_effect_free = self._has_all(row) or self._is_free(row)
            return
        if plan.EXTERNAL_ID in self.change.restricted:
            raise NotAllowed(
                f"Update to property external_id of {self.change.name}"
                f" ({self.change.type_name}) is not supported."
            )
        if self.change.is_certain:
            _check_allowed(self.change, *self.change.restricted)
        self._found = self._resources.desired_state.compare(self.change)
        self._check_found()
        if self._found.verdict is compare.Verdict.REPLACE:
            self._replace()
            return
        row = self._row()
        self.is_unchanging = not self._changes(self._resources.plugin(row))
        if self._found.verdict is compare.Verdict.SAME and row.is_complete:
            self._do_nothing(row)
        elif self._found.verdict is not compare.Verdict.REFUSE:
            self.is_effect_free = self._is_free(row)

    def begin(self) -> base.Step:
        """Start the change, and check whether it is complete already."""
        acting = self._resources.acting(self.change)
        if acting is None:
            return base.Step()
        if acting.kind is plan.Kind.CREATE:
            return super().begin()
        plugin, context = self._context()
        if acting.kind is plan.Kind.READ:
            if self._has_all(self._row()):
                return base.Step()
            return self._complete(plugin, context, None)
        return self._update(plugin, context)

    def poll(self) -> base.Step:
        """Check whether the change is complete."""
        acting = self._resources.acting(self.change)
        if acting is not None and acting.kind is plan.Kind.CREATE:
            return super().poll()
        plugin, context = self._context()
        return self._watch_update(plugin, context, None)

    def _context(self) -> tuple[resource.Resource, call_context.Context]:
        """Return the plug-in and its context.

        Properties that the template does not give are desired as they were.
        """
        plugin, context = self._resources.context(self._row())
        if self._found.put_back:
            properties = marked.merge(context.properties, self._found.put_back)
            context = dataclasses.replace(context, properties=properties)
        return plugin, context

    def _update(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> base.Step:
        changed = self._found.changed
        if self._found.verdict is compare.Verdict.REFUSE:
            raise NotAllowed(
                f"{', '.join(changed)} of {self.change.type_name} cannot be"
                " changed; give the resource another name to make a new one"
            )
        before = self._found.before
        if not self._changes(plugin):
            if before is None:
                return self._complete(plugin, context, None)
            if self.change.is_repeated:
                # It is as desired, and what an attempt that was
                # interrupted has begun with it may go on.
                return self._watch_update(plugin, context, None)
            return self._updated(plugin, context, None)
        if before is None:
            before = self._row().properties
            self._drifted = self._find_drifted(plugin, context)
        answer = plugin.update(context, before, changed)
        created = (
            None if answer is None else base.check_created(answer, "update")
        )
        if created is not None:
            context = base.with_created(context, created)
        return self._watch_update(plugin, context, created)

    def _changes(self, plugin: resource.Resource) -> bool:
        """Whether the plug-in is called to change the physical resource."""
        is_forced = plugin.is_nested_stack or (
            plugin.resumes_creation and not self.change.notes_only
        )
        return bool(self._found.changed) or is_forced

    def _find_drifted(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> frozenset[str]:
        """Return the properties that others have changed before this update.

        Of those that the template does not give: the update may change them
        along with others, which is no drift. An attempt that is repeated
        cannot tell the two apart any more, and returns none.
        """
        row = self._row()
        hidden = {
            name: value
            for name, value in (row.baseline or {}).items()
            if row.properties.get(name) is None
        }
        if not hidden or self.is_effect_free or self.change.is_repeated:
            return frozenset()
        live = create.read_baseline(plugin, context)
        return frozenset(
            name
            for name, value in hidden.items()
            if live is None
            or name not in live
            or not plugin.is_like(name, value, live[name])
        )

    def _watch_update(
        self,
        plugin: resource.Resource,
        context: call_context.Context,
        created: call_context.CreateResult | None,
    ) -> base.Step:
        pending = base.check_pending(plugin.is_updated(context), "is_updated")
        if pending is not None:
            return base.Step(created=created, pending=pending)
        return self._updated(plugin, context, created)

    def _updated(
        self,
        plugin: resource.Resource,
        context: call_context.Context,
        created: call_context.CreateResult | None,
    ) -> base.Step:
        """Return the last step of an update, with its baseline."""
        done = self._with_baseline(
            self._complete(plugin, context, created), plugin, context
        )
        if not done.has_baseline:
            return done
        known = baseline_after_update(
            self._row(), self._found, done.baseline, self._drifted
        )
        if done.baseline is not None:
            self._resources.readings.note(self._row().id, done.baseline)
        return dataclasses.replace(done, baseline=known)

    def _check_found(self) -> None:
        """Raise ChangeRefused if the environment forbids the change."""
        if self._found.verdict is compare.Verdict.REPLACE:
            _check_allowed(self.change, "replace")
        elif self._found.verdict is compare.Verdict.MODIFY:
            _check_allowed(self.change, "update")

    def _replace(self) -> None:
        if self.change.replacement_id is None:
            raise NotAllowed(
                f"{', '.join(self._found.replacing)} of"
                f" {self.change.type_name} cannot be changed in place"
            )
        resolved = self._resources.resolve_change(
            self.change, plan.Kind.CREATE
        )
        assert resolved is not None
        self._resources.desired_state.resolve(resolved)
        self._note_released()
        row = self._row()
        plugin = self._resources.plugin(row)
        self.is_effect_free = bool(plugin.is_effect_free(row.properties))

    def _do_nothing(self, row: model_resource.Resource) -> None:
        if self._has_all(row):
            self._resources.resolve_change(self.change, None)
            self.is_effect_free = True
        else:
            self._resources.resolve_change(self.change, plan.Kind.READ)
            self.is_effect_free = self._is_free(row)

    def _has_all(self, row: model_resource.Resource) -> bool:
        """Whether all attributes that the template reads are known."""
        names = self._resources.desired_state.attributes_read(row.name)
        return all(name in row.attributes for name in names)

    def _is_free(self, row: model_resource.Resource) -> bool:
        plugin = self._resources.plugin(row)
        return bool(plugin.is_effect_free(row.properties)) and bool(
            row.desired_properties is None
            or plugin.is_effect_free(row.desired_properties)
        )


def _check_allowed(change: plan.Change, *actions: str) -> None:
    """Raise ChangeRefused if an action is restricted.

    :raises base.ChangeRefused: it does
    """
    for action in actions:
        if action in change.restricted:
            raise base.ChangeRefused(f"{action} is restricted for resource.")


def baseline_after_update(
    row: model_resource.Resource,
    created: compare.Comparison,
    fresh: create.Values | None,
    drifted: collections.abc.Container[str] = frozenset(),
) -> create.Values | None:
    """Return the baseline after an update.

    Where an update did not read the live properties, only those that it has
    changed are new: what others had changed before is a drift still. What no
    template gives may have changed along with it, unless it had drifted. A
    drift that cannot be repaired stays one. Where the live properties cannot
    be read now, those that the update did not change are as they were.

    :param row: as it was before the update was complete
    :param created: what the update was to bring about
    :param fresh: the live properties now
    :param drifted: those that others have changed, of what no template gives
    """
    has_looked = created.before is not None
    if fresh is None:
        before = (
            created.before if created.before is not None else row.properties
        )
        old = {
            name: value
            for name, value in (row.baseline or {}).items()
            if name not in created.changed
            and (
                has_looked
                or name in drifted
                or row.properties.get(name) is not None
            )
            and before.get(name) == row.properties.get(name)
        }
        return old or None
    baseline = {
        name: value
        for name, value in (row.baseline or {}).items()
        if name not in created.changed
        and name not in created.observed
        and (
            has_looked
            or name in drifted
            or row.properties.get(name) is not None
        )
    }
    new = {name: fresh[name] for name in fresh if name not in created.left}
    return {**new, **baseline}

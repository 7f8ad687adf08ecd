"""Adopt an existing physical resource; nothing is created."""

import collections.abc
import dataclasses
import functools
import typing

from oslo_log import log

from orch import errors
from orch.flow.state import claims
from orch.flow.state import takeover
from orch.flow.tasks import base
from orch.flow.tasks import create
from orch.model import adoption
from orch.model import marked
from orch.model import resource as model_resource
from orch.plugin import call_context
from orch.plugin import logged_errors
from orch.plugin import reality
from orch.plugin import resource
from orch.plugin import schema

LOG = log.getLogger(__name__)

_DEFAULT_REALITY: typing.Final = (
    "handle_adopt",
    "is_adopted",
    "check",
    "get_reality",
    "inspect",
)
"""Methods of a plug-in that may read the world."""


_AT_REST: typing.Final = "Adopted at rest: it was suspended; resume the stack"


class Differs(errors.Permanent):
    """A physical resource differs from its template and is not adopted."""

    code = "orch.resource.differs"


@dataclasses.dataclass(frozen=True, slots=True)
class _Observed:
    """The observed state of a physical resource.

    :ivar faults: what is amiss, a sentence each; no values among them
    :ivar properties: those that differ and can be changed in place
    :ivar found: the live properties; ``None`` where they were not read
    :ivar is_verified: its service has shown it
    """

    faults: tuple[str, ...] = ()
    properties: collections.abc.Mapping[str, object] = dataclasses.field(
        default_factory=dict
    )
    found: collections.abc.Mapping[str, object] | None = None
    is_verified: bool = False


class AdoptTask(create.CreateTask):
    """Adopts a physical resource, or only watches an external one."""

    _taken: call_context.AdoptedResource | None = None
    _is_foreign = False
    _listed: _Observed | None = None

    def pre_execute(self) -> None:
        """Resolve the properties; the physical resource is read later."""
        self._resources.desired_state.resolve(self.change)
        if not self.change.takes_over:
            return
        row = self._row()
        plugin = self._resources.plugin(row)
        self.is_effect_free = (
            # What another stack has changes its owner.
            row.taken_from is None
            and bool(plugin.is_effect_free(row.properties))
        ) and all(
            getattr(type(plugin), name) is getattr(resource.Resource, name)
            for name in _DEFAULT_REALITY
        )

    def expected(
        self,
    ) -> tuple[resource.Resource, call_context.Context] | None:
        """Return the plug-in that may inspect several at once.

        A list may be behind: where a difference is to be refused, each is
        inspected by itself.
        """
        row = self._row()
        how = adoption.Verify.of(self._resources.operation.options)
        if (
            not self.change.takes_over
            or self.change.is_unfinished
            or row.is_at_rest
            or row.physical_id is None
            or how is not adoption.Verify.WARN
            or self._resources.plugin(row).is_nested_stack
        ):
            return None
        return self._resources.context(row)

    @staticmethod
    def prepare(
        plugin: resource.Resource,
        expected: collections.abc.Sequence[
            tuple[base.ChangeTask, call_context.Context]
        ],
    ) -> None:
        """Inspect the physical resources of several adoptions at once.

        What is listed without any fault or difference is not inspected by
        itself.
        """
        found = plugin.inspect_all([context for _, context in expected])
        if found is None:
            return
        for (task, context), seen in zip(expected, found, strict=True):
            if seen is not None and isinstance(task, AdoptTask):
                task.take_listed(plugin, context, seen)

    def take_listed(
        self,
        plugin: resource.Resource,
        context: call_context.Context,
        seen: call_context.Inspection,
    ) -> None:
        """Take in what a list shows, if that confirms the template."""
        if seen.fault or seen.pending or seen.reality is None:
            return
        observed = _compare(plugin, context.properties, seen.reality)
        if not observed.faults:
            self._listed = dataclasses.replace(
                observed, found=seen.reality, is_verified=True
            )

    def begin(self) -> base.Step:
        """Adopt the physical resource, and verify it."""
        plugin, context = self._resources.context(self._row())
        if not self.change.takes_over:
            return self._look_only(plugin, context)
        given = call_context.AdoptedResource(
            physical_id=context.physical_id,
            data=context.data,
            metadata=context.metadata,
            document=self._resources.documents.get(self.change.name),
        )
        if not plugin.is_nested_stack:
            _check_leaf(plugin, given)
        if given.physical_id is not None:
            self._is_foreign = self._check_claim(given.physical_id)
        if self._listed is not None and not self._is_foreign:
            given = dataclasses.replace(given, is_listed=True)
        try:
            self._taken = plugin.handle_adopt(context, given)
            created = _check_adopted(self._taken)
            if created.physical_id not in ("", given.physical_id):
                self._is_foreign = self._check_claim(created.physical_id)
            return self._go_on(plugin, context, self._taken)
        finally:
            # Later it may be another one.
            self._listed = None

    def _check_claim(self, physical_id: str) -> bool:
        """Whether a stack of another project owns a physical resource.

        :raises orch.errors.OrchError: one of the same project does
        """
        row = self._row()
        if self._resources.plugin(row).is_nested_stack:
            return False
        if row.taken_from is not None:
            self._take_over(row)
        return self._resources.claims.check(row, physical_id)

    def _take_over(self, row: model_resource.Resource) -> None:
        """Take a physical resource from the stack that owns it, if it does.

        :raises orch.flow.state.claims.AlreadyOwned: that stack does not have
            it any more, an operation of it is in progress, or this operation
            may take nothing from it
        """
        resources = self._resources
        resources.write_apart(
            functools.partial(
                takeover.take_over,
                stack=resources.stack,
                row=resources.claims.with_scope(row),
                sources=resources.operation.options.get(adoption.SOURCES),
                types=resources.claims.types,
                now=resources.clock.now(),
            )
        )

    def poll(self) -> base.Step:
        """Check whether the adoption is complete."""
        plugin, context = self._resources.context(self._row())
        if self._taken is None:
            return self._look_only(plugin, context)
        return self._go_on(plugin, context, self._taken)

    def _look_only(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> base.Step:
        assert self.change.external_id is not None
        created = call_context.CreateResult(self.change.external_id)
        context = base.with_created(context, created)
        try:
            plugin.get_reality(context)
        except reality.Vanished as error:
            raise errors.NotFound(
                f"external_id {created.physical_id} names nothing that exists:"
                f" {error.message}"
            ) from error
        except errors.Transient:
            raise
        except errors.OrchError as error:
            # It may exist all the same.
            text = logged_errors.redact_error(error, [context])
            LOG.debug("%s is not read: %s", context.physical_name, text)
        return self._watch(plugin, context, created)

    def _go_on(
        self,
        plugin: resource.Resource,
        context: call_context.Context,
        taken: call_context.AdoptedResource,
    ) -> base.Step:
        created = base.check_created(_check_adopted(taken), "handle_adopt")
        base.check_json(taken.metadata, "the metadata of handle_adopt")
        context = dataclasses.replace(
            base.with_created(context, created), metadata=taken.metadata
        )
        pending = base.check_pending(plugin.is_adopted(context), "is_adopted")
        if pending is None and self.change.is_unfinished:
            pending = base.check_pending(
                plugin.is_made_usable(context), "is_made_usable"
            )
        options = self._resources.operation.options
        how = adoption.Verify.of(options)
        observed = _Observed()
        # The resources of a child stack are verified by its adoption.
        is_observed = (
            how is not adoption.Verify.TAKE and not plugin.is_nested_stack
        )
        if pending is None and (is_observed or self._is_foreign):
            pending, observed = self._inspect(plugin, context)
        if pending is not None:
            return base.Step(created=created, pending=pending)
        if self._is_foreign and observed.is_verified:
            raise claims.foreign(created.physical_id)
        if not is_observed:
            observed = _Observed()
        other_type = adoption.describe_type(options, self.change.name)
        if is_observed and other_type is not None:
            observed = dataclasses.replace(
                observed, faults=(other_type, *observed.faults)
            )
        if observed.faults and how is adoption.Verify.REFUSE:
            raise Differs(
                f"The physical resource is not adopted: {_describe(observed)}"
            )
        done = self._complete(plugin, context, created)
        if is_observed and create.has_baseline(plugin, self._row()):
            done = dataclasses.replace(
                done, baseline=observed.found, has_baseline=True
            )
        else:
            done = self._with_baseline(done, plugin, context)
        return dataclasses.replace(
            done,
            is_verified=observed.is_verified,
            metadata=taken.metadata,
            properties=marked.merge(context.properties, observed.properties),
            reason=_reason(observed, is_at_rest=self._row().is_at_rest),
        )

    def _inspect(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> tuple[call_context.Pending | None, _Observed]:
        """Compare the physical resource with its template.

        A list is enough, unless others have it or it is not what was listed.

        :raises orch.errors.Transient: its service gives no answer now
        """
        row, listed = self._row(), self._listed
        is_same = (context.physical_id, context.data) == (
            row.physical_id,
            row.data,
        )
        if listed is not None and is_same and not self._is_foreign:
            return None, listed
        return _look(plugin, context, is_at_rest=row.is_at_rest)


def _check_leaf(
    plugin: resource.Resource, given: call_context.AdoptedResource
) -> None:
    """Raise Permanent if what is given is no physical resource.

    :raises orch.errors.Permanent: the document has a child stack, or no id
    """
    if given.document is not None:
        raise errors.Permanent(
            "The document has a stack (resources) in its place, and"
            f" {plugin.type_name} is no stack: give its resource_id alone."
        )
    if given.physical_id is None:
        raise errors.Permanent("Resource ID was not provided.")


def _check_adopted(taken: object) -> call_context.CreateResult:
    """Return id and data of a plug-in's answer.

    :raises base.BadAnswer: it is something else
    """
    if not isinstance(taken, call_context.AdoptedResource):
        raise base.BadAnswer(
            f"handle_adopt returned {type(taken).__name__}, not Adopted"
        )
    return call_context.CreateResult(taken.physical_id or "", taken.data)


def _reason(observed: _Observed, *, is_at_rest: bool) -> str:
    """Return why it is adopted, where that is not plain."""
    if observed.faults:
        return f"Adopted, although {_describe(observed)}"
    return _AT_REST if is_at_rest else ""


def _look(
    plugin: resource.Resource,
    context: call_context.Context,
    *,
    is_at_rest: bool,
) -> tuple[call_context.Pending | None, _Observed]:
    """Compare a physical resource with its template.

    :param is_at_rest: it is suspended, so that it need not be usable
    :raises orch.errors.Transient: its service gives no answer now
    """
    seen = (
        _read_resting(plugin, context)
        if is_at_rest
        else plugin.inspect(context)
    )
    pending = base.check_pending(seen.pending, "check")
    if pending is not None:
        return pending, _Observed()
    fault = seen.fault
    faults = () if fault is None else (fault.message.rstrip("."),)
    if seen.reality is None and fault is not None:
        return None, _Observed(faults)
    observed = _compare(plugin, context.properties, seen.reality or {})
    return None, _Observed(
        (*faults, *observed.faults),
        observed.properties,
        seen.reality,
        is_verified=True,
    )


def _read_resting(
    plugin: resource.Resource, context: call_context.Context
) -> call_context.Inspection:
    """Return what is seen of a suspended resource, which need not be usable.

    :raises orch.errors.Transient: its service gives no answer now
    """
    try:
        return call_context.Inspection(reality=plugin.get_reality(context))
    except (errors.Transient, base.BadAnswer):
        raise
    except errors.OrchError as error:
        return call_context.Inspection(fault=error)


def _compare(
    plugin: resource.Resource,
    wanted: collections.abc.Mapping[str, object],
    found: collections.abc.Mapping[str, object],
) -> _Observed:
    """Return how live and desired properties differ.

    A difference that cannot be changed in place is reported and not stored:
    otherwise the next update would replace the physical resource.
    """
    base.check_json(dict(found), "what get_reality returned")
    names = [
        name
        for name in found
        if not plugin.is_like(name, found[name], wanted.get(name))
    ]
    if not names:
        return _Observed()
    changeable = {
        name: found[name]
        for name in names
        if name in plugin.schemas
        and plugin.schemas[name].on_update is schema.OnUpdate.MODIFY
    }
    listed = ", ".join(sorted(names))
    return _Observed(
        (f"it differs from its template in {listed}",), changeable
    )


def _describe(observed: _Observed) -> str:
    return "; ".join(observed.faults)

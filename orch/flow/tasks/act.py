"""Suspend, resume or check a resource that exists."""

import collections.abc
import dataclasses
import types

from orch import errors
from orch.flow.tasks import base
from orch.flow.tasks import create
from orch.flow.tasks import plugin_errors
from orch.planner import plan
from orch.plugin import adoptable
from orch.plugin import call_context
from orch.plugin import reality
from orch.plugin import resource

Start = collections.abc.Callable[
    [resource.Resource, call_context.Context], None
]
Watch = collections.abc.Callable[
    [resource.Resource, call_context.Context], call_context.Pending | None
]


@dataclasses.dataclass(frozen=True, slots=True)
class _Act:
    """The plug-in's methods for an action.

    :ivar methods: names of the plug-in's methods, start and watch; a type
        that overrides neither has nothing to do
    """

    start: Start
    watch: Watch
    methods: tuple[str, str]


def _start_nothing(
    plugin: resource.Resource, context: call_context.Context
) -> None:
    """Start nothing: a check only reads."""


_ACTS = types.MappingProxyType(
    {
        plan.Kind.SUSPEND: _Act(
            lambda plugin, context: plugin.suspend(context),
            lambda plugin, context: plugin.is_suspended(context),
            ("suspend", "is_suspended"),
        ),
        plan.Kind.RESUME: _Act(
            lambda plugin, context: plugin.resume(context),
            lambda plugin, context: plugin.is_resumed(context),
            ("resume", "is_resumed"),
        ),
        plan.Kind.CHECK: _Act(
            _start_nothing,
            lambda plugin, context: plugin.check(context),
            ("check", "check"),
        ),
    }
)


def is_known(plugin: resource.Resource, kind: plan.Kind) -> bool:
    """Whether a type implements an action.

    A type that reads its live properties is checked by those.
    """
    if kind is plan.Kind.CHECK and plugin.has_reality:
        return True
    return any(
        getattr(type(plugin), name) is not getattr(resource.Resource, name)
        for name in _ACTS[kind].methods
    )


class ActTask(base.ChangeTask):
    """Starts the action, then waits until it is complete."""

    @property
    def _act(self) -> _Act:
        return _ACTS[self.change.kind]

    def pre_execute(self) -> None:
        """Determine whether the type implements the action.

        :raises base.Unfinished: there is nothing to check
        """
        if self.change.unfinished:
            raise base.Unfinished(
                f"{self.change.unfinished} failed before:"
                f" {self._row().status_reason}"
            )
        plugin = self._resources.plugin(self._row())
        self.is_effect_free = not is_known(plugin, self.change.kind)

    def begin(self) -> base.Step:
        """Start the action; report a check that the type does not support."""
        plugin, context = self._resources.context(self._row())
        kind = self.change.kind
        if kind is plan.Kind.CHECK and not is_known(plugin, kind):
            self._record(None)
            return base.Step(
                reason=f"CHECK not supported for {self.change.type_name}"
            )
        self._act.start(plugin, context)
        return self._watch(plugin, context)

    def poll(self) -> base.Step:
        """Check whether the action is complete."""
        return self._watch(*self._resources.context(self._row()))

    def _watch(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> base.Step:
        if self.change.kind is plan.Kind.CHECK:
            return self._inspect(plugin, context)
        answer = self._act.watch(plugin, context)
        return base.Step(
            pending=base.check_pending(answer, self._act.methods[1])
        )

    def _inspect(
        self, plugin: resource.Resource, context: call_context.Context
    ) -> base.Step:
        """Check a physical resource, and record what is read of it.

        :raises orch.errors.OrchError: a fault was found, or it gives no answer
        """
        if not create.has_baseline(plugin, self._row()):
            pending = base.check_pending(plugin.check(context), "check")
            if pending is None:
                self._record(None)
            return base.Step(pending=pending)
        try:
            found = plugin.inspect(context)
        except BaseException as error:
            self._record(_answer_of(plugin, error))
            raise
        pending = base.check_pending(found.pending, "check")
        if pending is not None:
            return base.Step(pending=pending)
        answer: reality.Answer = found.reality
        if answer is None and found.fault is not None:
            answer = _read_faulty(plugin, context, found.fault)
        self._record(answer)
        if found.fault is not None:
            raise found.fault
        return base.Step()

    def _record(self, answer: reality.Answer) -> None:
        """Record what was read; a value that is not JSON counts as an error.

        It is stored with the row, which must not fail for it.
        """
        try:
            if isinstance(answer, collections.abc.Mapping):
                base.check_json(dict(answer), "what get_reality returned")
        except base.BadAnswer as error:
            answer = error
        self._resources.readings.note(self._row().id, answer)


def _read_faulty(
    plugin: resource.Resource,
    context: call_context.Context,
    fault: errors.OrchError,
) -> reality.Answer:
    """Return what is read of a physical resource that has a fault.

    The fault of a check does not say whether it still exists.
    """
    is_of_reading = type(plugin).check is adoptable.Adoptable.check
    if is_of_reading or isinstance(fault, reality.Vanished):
        return fault
    try:
        return create.read_live(plugin, context)
    except BaseException as error:
        return _answer_of(plugin, error)


def _answer_of(
    plugin: resource.Resource, error: BaseException
) -> errors.OrchError:
    """Return the answer that an error stands for."""
    wrapped = plugin_errors.wrap_plugin_error(error)
    if isinstance(wrapped, errors.OrchError):
        return wrapped
    return plugin_errors.UnexpectedPluginError(
        f"{plugin.type_name}: {type(wrapped).__name__}: {wrapped}"
    )

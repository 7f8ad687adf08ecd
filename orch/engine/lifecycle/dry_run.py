"""Call lifecycle plug-ins for a preview, without an operation."""

import dataclasses
import functools
import typing

from orch import clock
from orch.engine import plugin_reads
from orch.engine.lifecycle import hook_call
from orch.engine.lifecycle import plugin_views
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order

TIME_LIMIT_S: typing.Final = 15.0
"""Time limit of all plug-ins together: a caller waits for the answer."""

_MOMENT: typing.Final = "preview"


@dataclasses.dataclass(frozen=True, slots=True)
class PreviewVerdict:
    """The verdict of one plug-in on a preview; ``allow`` gives none.

    :ivar ruling: ``warn``, ``deny`` or ``hold``
    :ivar enforcement: level of the plug-in's verdicts
    """

    plugin: str
    ruling: str
    text: str
    enforcement: str


def has_previewers(members: lifecycle_order.PluginOrder, verb: str) -> bool:
    """Whether any plug-in answers previews."""
    return any(each.plugin.supports_preview for each in members.chain(verb))


def ask_plugins(
    members: lifecycle_order.PluginOrder,
    verb: str,
    operation_of: plugin_views.OperationOf,
    reads: plugin_reads.PluginReads,
    clock_: clock.Clock,
) -> list[PreviewVerdict]:
    """Call the plug-ins that answer previews, one after another.

    A denial does not stop the calls: a preview shows all verdicts. Decisions
    are dropped.

    :param operation_of: returns the operation as a plug-in sees it
    """
    until = clock_.monotonic() + TIME_LIMIT_S
    found = []
    for member in members.chain(verb):
        if member.plugin.supports_preview:
            said = _ask_plugin(
                member, operation_of(member), reads, clock_, until
            )
            if said is not None:
                found.append(said)
    return found


def _ask_plugin(
    member: lifecycle_order.OrderedPlugin,
    view: lifecycle_operation.LifecycleOperation,
    reads: plugin_reads.PluginReads,
    clock_: clock.Clock,
    until: float,
) -> PreviewVerdict | None:
    name = member.plugin.name
    began_at, since = clock_.now(), clock_.monotonic()
    limit = min(until, since + member.time_limit_s)
    try:
        heard = reads.ask(
            functools.partial(hook_call.call_pre_hook, member, view, clock_),
            limit,
        )
    except plugin_reads.ReadFailed:
        error = "it gave no answer in time"
        seconds = clock_.monotonic() - since
        late = hook_call.CallResult(
            began_at, seconds, error=error, is_late=True
        )
        hook_call.count_call(late, name, _MOMENT)
        return _unanswered(member, error)
    hook_call.count_call(heard, name, _MOMENT)
    if heard.verdict is None:
        return _unanswered(member, heard.error or "")
    ruling = heard.verdict.ruling
    if ruling is lifecycle.Ruling.ALLOW:
        return None
    return _shown_verdict(member, ruling, heard.verdict.text)


def _unanswered(
    member: lifecycle_order.OrderedPlugin, error: str
) -> PreviewVerdict:
    """Return the verdict that the failure of a plug-in would count as."""
    ruling = lifecycle.Ruling.DENY
    if member.is_fail_open:
        ruling = lifecycle.Ruling.WARN
    return _shown_verdict(member, ruling, f"it failed: {error}")


def _shown_verdict(
    member: lifecycle_order.OrderedPlugin,
    ruling: lifecycle.Ruling,
    text: str,
) -> PreviewVerdict:
    """Return a verdict as it would count: an advisory plug-in only warns."""
    level = member.enforcement
    if level is lifecycle_order.Enforcement.ADVISORY:
        ruling = lifecycle.Ruling.WARN
    return PreviewVerdict(member.name, ruling.value, text, level.value)

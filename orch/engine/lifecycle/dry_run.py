"""Call lifecycle plug-ins for a preview, without an operation."""

import collections.abc
import typing

from orch import clock
from orch.context import outside
from orch.engine import plugin_reads
from orch.engine.lifecycle import enforcement
from orch.engine.lifecycle import hook_call
from orch.engine.lifecycle import situation
from orch.model import lifecycle as model
from orch.plugin import lifecycle_order

TIME_LIMIT_S: typing.Final = 15.0
"""Time limit of all plug-ins together: a caller waits for the answer."""

_MOMENT: typing.Final = "preview"


def list_previewers(
    members: lifecycle_order.PluginOrder, verb: str
) -> list[lifecycle_order.OrderedPlugin]:
    """Return the plug-ins that answer previews, in order."""
    return [
        each for each in members.chain(verb) if each.plugin.supports_preview
    ]


def ask_plugins(
    members: lifecycle_order.PluginOrder,
    previewers: collections.abc.Iterable[lifecycle_order.OrderedPlugin],
    operation_of: situation.OperationOf,
    reads: plugin_reads.PluginReads,
    clock_: clock.Clock,
    redact: hook_call.Redact,
) -> list[model.Call]:
    """Call plug-ins for a preview, one after another.

    A denial does not stop the calls: a preview shows all verdicts. Decisions
    are dropped.

    :param operation_of: returns the operation as a plug-in sees it
    :param redact: redacts the sensitive parts of a text
    """
    until = clock_.monotonic() + TIME_LIMIT_S
    found = []
    with outside.awaited().slot():
        for member in previewers:
            heard = hook_call.call_within(
                reads, until, member, operation_of(member), clock_
            )
            call = hook_call.call_record(
                heard, member.name, _MOMENT, is_repeat=False, redact=redact
            )
            found.append(enforcement.judge(members, call, None, redact)[0])
    return found

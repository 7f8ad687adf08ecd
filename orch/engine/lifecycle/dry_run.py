"""What plug-ins would say of an operation that nobody has asked for."""

import dataclasses
import functools
import typing

from orch import clock
from orch.engine import plugin_reads
from orch.engine.lifecycle import hook_call
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order

LONGEST_S: typing.Final = 15.0
"""All of them together may take so long: somebody waits for the answer."""

_MOMENT: typing.Final = "preview"


@dataclasses.dataclass(frozen=True, slots=True)
class Said:
    """What a plug-in would say; who allows it says nothing.

    :ivar ruling: ``warn``, ``deny`` or ``hold``
    """

    plugin: str
    ruling: str
    text: str


def has_any(members: lifecycle_order.Roster, verb: str, depth: int) -> bool:
    """Answer whether anybody is to be asked."""
    return any(
        each.plugin.answers_previews for each in members.chain(verb, depth)
    )


def judge(
    members: lifecycle_order.Roster,
    depth: int,
    seen: lifecycle_operation.Pattern,
    reads: plugin_reads.Reads,
    clock_: clock.Clock,
) -> list[Said]:
    """Ask the plug-ins that answer previews, one after another.

    Nobody stops at a denial: all of them are to be seen. What they decide is
    dropped.

    :param depth: of the stack in its tree
    """
    until = clock_.monotonic() + LONGEST_S
    found = []
    for member in members.chain(seen.asked.verb, depth):
        if member.plugin.answers_previews:
            said = _ask(member, seen, reads, clock_, until)
            if said is not None:
                found.append(said)
    return found


def _ask(
    member: lifecycle_order.Member,
    seen: lifecycle_operation.Pattern,
    reads: plugin_reads.Reads,
    clock_: clock.Clock,
    until: float,
) -> Said | None:
    name = member.plugin.name
    began_at, since = clock_.now(), clock_.monotonic()
    limit = min(until, since + member.time_limit_s)
    try:
        heard = reads.ask(
            functools.partial(hook_call.ask, member, seen, clock_), limit
        )
    except plugin_reads.ReadFailed:
        error = "it gave no answer in time"
        seconds = clock_.monotonic() - since
        late = hook_call.Heard(began_at, seconds, error=error, is_late=True)
        hook_call.count(late, name, _MOMENT)
        return _unanswered(member, error)
    hook_call.count(heard, name, _MOMENT)
    if heard.verdict is None:
        return _unanswered(member, heard.error or "")
    if heard.verdict.ruling is lifecycle.Ruling.ALLOW:
        return None
    return Said(name, heard.verdict.ruling.value, heard.verdict.text)


def _unanswered(member: lifecycle_order.Member, error: str) -> Said:
    """Return what the failure of a plug-in would mean."""
    ruling = lifecycle.Ruling.DENY
    if member.is_fail_open:
        ruling = lifecycle.Ruling.WARN
    return Said(member.plugin.name, ruling.value, f"it failed: {error}")

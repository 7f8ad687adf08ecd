"""The effects of signals on resources, in the contract for plug-ins.

A signal is a JSON value that is sent to one resource, from inside a server
for example: over REST, or to the resource's own signed address
(:class:`orch.plugin.addresses.Addresses`). It may come before, while and
after an operation of the stack runs, twice, or a thousand times.
"""

import collections.abc
import dataclasses


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Resize:
    """The request for another size of a group in the same stack.

    :ivar group: what ``get_resource`` returns for the group
    :ivar adjustment_type: ``change_in_capacity``, ``exact_capacity`` or
        ``percent_change_in_capacity``
    :ivar adjustment: by which, or to which, members or percent
    :ivar min_step: members that a percentage changes at least
    """

    group: str
    adjustment_type: str
    adjustment: float
    min_step: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class SignalResult:
    """The effect of a signal on the resource that took it.

    :ivar signal_data: what ``context.signals`` holds from now on, JSON values;
        ``None`` leaves it as it is
    :ivar reason: the text of the event; empty for no event, for a signal that
        has changed nothing
    :ivar answer: JSON value for the sender; ``None`` for nothing
    :ivar resize: a group that has to change its size; where it does not,
        nothing is stored and there is no event
    """

    signal_data: collections.abc.Mapping[str, object] | None = None
    reason: str = ""
    answer: object = None
    resize: Resize | None = None

"""Which version a call needs.

Processes of two releases talk to each other while an installation is
upgraded. A minor number counts what was added, so a worker answers clients of
all earlier ones; a client asks for no more than what the method needs, so
workers of an earlier release answer whatever they know.
"""

import collections.abc
import typing

FIRST: typing.Final = "1.0"
VERSION: typing.Final = "1.10"
"""What workers of this release answer."""

SINCE: typing.Final[collections.abc.Mapping[str, str]] = {
    "adoption.announce": "1.1",
    "adoption.list_forwarded": "1.1",
    "adoption.show_addresses": "1.1",
    "document.changes": "1.10",
    "document.list_stacks": "1.4",
    "document.orphans": "1.4",
    "document.read": "1.4",
    "document.resources": "1.4",
    "drift.accept": "1.3",
    "drift.history": "1.9",
    "drift.observe": "1.3",
    "drift.pause": "1.7",
    "drift.resume": "1.7",
    "drift.set_policy": "1.3",
    "drift.show": "1.3",
    "drift.show_pause": "1.7",
    "drift.show_policy": "1.3",
    "drift.template": "1.3",
    "drift.undo_accept": "1.9",
    "event.follow": "1.1",
    "hand_over.list": "1.9",
    "hand_over.offer": "1.7",
    "hand_over.preview": "1.7",
    "hand_over.take_over": "1.7",
    "hand_over.withdraw": "1.7",
    "leftover.forget": "1.6",
    "leftover.list": "1.6",
    "leftover.show": "1.6",
    "leftover.sweep": "1.6",
    "lifecycle.all_holds": "1.8",
    "lifecycle.approve": "1.2",
    "lifecycle.holds": "1.2",
    "lifecycle.list": "1.2",
    "lifecycle.reject": "1.2",
    "move.move": "1.6",
    "move.preview": "1.6",
    "operation.run_some": "1.1",
    "plan.create_with_stack": "1.10",
    "resource.find_stack": "1.1",
    "search.differences": "1.10",
    "search.facets": "1.4",
    "search.find_saved": "1.10",
    "search.forget_saved": "1.10",
    "search.list_saved": "1.10",
    "search.save": "1.10",
    "software_deployment.poll": "1.1",
    "template.files": "1.2",
}
"""Methods that came after the first version, ``namespace.method``."""


_BINDING: typing.Final[collections.abc.Mapping[str, str]] = {
    "address": "1.5",
    "condition": "1.1",
    "override_reason": "1.9",
    "repeat": "1.1",
}
"""What a call may depend on; workers of earlier versions ignore it."""


def needed(
    namespace: str,
    method: str,
    depends_on: collections.abc.Iterable[str] = (),
) -> str:
    """Return the earliest version that has the method.

    :param depends_on: what the worker must not ignore, as
        ``RequestContext.depends_on`` has it
    """
    since = SINCE.get(f"{namespace}.{method}", FIRST)
    binding = (_BINDING[each] for each in depends_on)
    return max((since, *binding), key=_numbers)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))

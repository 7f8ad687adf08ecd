"""Lifecycle plug-ins and what they say, as the wire shows them."""

import collections.abc

from orch.api import links
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]


def plugin(facts: contract.LifecyclePluginFacts) -> View:
    """Return a plug-in."""
    return {
        "name": facts["name"],
        "ordinal": facts["ordinal"],
        "before": facts["before"],
        "after": facts["after"],
        "scope": facts["scope"],
        "verbs": facts["verbs"],
        "supports_preview": facts["supports_preview"],
        "time_limit": facts["time_limit_s"],
        "is_fail_open": facts["is_fail_open"],
        "is_legacy": facts["is_legacy"],
        "load_error": facts["load_error"],
    }


def verdicts(
    facts: collections.abc.Iterable[contract.VerdictFacts],
) -> list[View]:
    """Return what plug-ins say."""
    return [
        {
            "plugin": each["plugin"],
            "ruling": each["ruling"],
            "text": each["text"],
        }
        for each in facts
    ]


def calls(facts: collections.abc.Iterable[contract.CallFacts]) -> list[View]:
    """Return calls of plug-ins."""
    return [
        {
            "plugin": each["plugin"],
            "attempt": each["attempt"],
            "verb": each["verb"],
            "phase": each["phase"],
            "ruling": each["ruling"],
            "text": each["text"],
            "error": each["error"],
            "began_at": timestamps.format_time(each["began_at"]),
            "seconds": each["seconds"],
            "is_repeat": each["is_repeat"],
        }
        for each in facts
    ]


def child_holds(
    base_url: str, facts: collections.abc.Iterable[contract.ChildHoldFacts]
) -> list[View]:
    """Return how stacks in a stack are held."""
    return [
        {
            "path": each["path"],
            "stack_name": each["stack"]["stack_name"],
            "links": [
                links.link("stack", links.stack(base_url, each["stack"]))
            ],
            "hold": hold(each["hold"]),
        }
        for each in facts
    ]


def open_holds(
    base_url: str, facts: collections.abc.Iterable[contract.OpenHoldFacts]
) -> list[View]:
    """Return what waits in a project until somebody answers."""
    found: list[View] = []
    for each in facts:
        stack = links.stack(base_url, each["stack"])
        found.append(
            {
                "path": each["path"],
                "stack_name": each["stack"]["stack_name"],
                "stack_id": each["stack"]["stack_id"],
                "root_name": each["root"]["stack_name"],
                "links": [
                    links.link("stack", stack),
                    links.link("root", links.stack(base_url, each["root"])),
                    links.link(
                        "operation",
                        f"{stack}/operations/{each['operation_id']}",
                    ),
                ],
                "operation_id": each["operation_id"],
                "action": each["action"],
                "requested_by": each["requested_by"],
                "hold": hold(each["hold"]),
            }
        )
    return found


def hold(facts: contract.HoldFacts | None) -> View | None:
    """Return how an operation is held, or was; ``None`` if it never was."""
    if facts is None:
        return None
    return {
        "plugin": facts["plugin"],
        "text": facts["text"],
        "requested_at": timestamps.format_time(facts["requested_at"]),
        "deadline_at": timestamps.format_time(facts["deadline_at"]),
        "answer": facts["answer"],
        "answered_by": facts["answered_by"],
        "answered_at": timestamps.format_time(facts["answered_at"]),
        "answer_text": facts["answer_text"],
    }

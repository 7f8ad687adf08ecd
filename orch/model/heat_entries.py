"""Entries of documents that Heat wrote, in the form that Orch gives them."""

import collections.abc
import typing

Values = collections.abc.Mapping[str, object]

NO_ID: typing.Final = "has_no_id"
"""Key of an entry: there is nothing in the world that had an id."""

_HANDLES: typing.Final = frozenset(
    {
        "AWS::CloudFormation::WaitConditionHandle",
        "OS::Heat::UpdateWaitConditionHandle",
        "OS::Heat::WaitConditionHandle",
    }
)
_CONDITIONS: typing.Final = frozenset(
    {"AWS::CloudFormation::WaitCondition", "OS::Heat::WaitCondition"}
)
_SERVERS: typing.Final = frozenset(
    {"OS::Heat::DeployedServer", "OS::Nova::Server"}
)
_POLLED: typing.Final = frozenset({"deployments", "os-collect-config"})
_WORDS: typing.Final = ("status", "reason", "data")
_MADE: typing.Final = "COMPLETE"
_NEVER_MADE: typing.Final = ("INIT", "DELETE")


def as_ours(entry: Values) -> Values:
    """Return the entry of a resource with what Heat says otherwise."""
    type_name, metadata = entry.get("type"), entry.get("metadata")
    if type_name in _CONDITIONS:
        return _condition(entry)
    if not isinstance(metadata, dict):
        return entry
    if type_name in _HANDLES and "signals" not in entry:
        return _handle(entry, metadata)
    if type_name in _SERVERS:
        kept = {k: v for k, v in metadata.items() if k not in _POLLED}
        return {**entry, "metadata": kept}
    return entry


def _condition(entry: Values) -> Values:
    is_made = (
        entry.get("status") == _MADE and entry.get("action") not in _NEVER_MADE
    )
    if entry.get("resource_id") or not is_made:
        return entry
    return {**entry, NO_ID: True}


def _handle(entry: Values, metadata: dict[str, object]) -> Values:
    signals = {
        name: {word: told.get(word) for word in _WORDS}
        for name, each in metadata.items()
        if (told := _lowered(each)) is not None
    }
    kept = {k: v for k, v in metadata.items() if k not in signals}
    return {**entry, "metadata": kept, "signals": signals}


def _lowered(found: object) -> dict[str, object] | None:
    """Return a signal, by whichever words; ``None`` when it is none."""
    if not isinstance(found, dict):
        return None
    told = {str(key).lower(): value for key, value in found.items()}
    is_signal = "status" in told and set(told) <= set(_WORDS)
    return told if is_signal else None

"""Fields with a fixed set of values, and these values."""

import collections.abc
import typing

from orch.model import observation
from orch.model import states
from orch.search import document
from orch.search import tokenizer

STATUSES: typing.Final = tuple(each.value for each in states.Status)
ACTIONS: typing.Final = tuple(
    each.value
    for each in states.Action
    if each not in (states.Action.SIGNAL, states.Action.OBSERVE)
)
"""Those that a stack or a resource is in; the others are of events only."""

_DRIFTS: typing.Final = {
    "true": observation.State.DRIFTED.value,
    "false": observation.State.IN_SYNC.value,
}
_VALUES: typing.Final[collections.abc.Mapping[str, tuple[str, ...]]] = {
    "kind": document.KINDS,
    "action": ACTIONS,
    "status": STATUSES,
    "drift": (*(each.value for each in observation.State), *_DRIFTS),
}

TYPES: typing.Final[collections.abc.Mapping[str, str]] = {
    document.STACK: "OS::Heat::Stack",
    document.RESOURCE: "OS::Heat::Resource",
    document.ORPHAN: "OS::Orch::Orphan",
}
"""What Searchlight would call each kind of documents.

Only a stack has that of its kind as its own type.
"""


def find_value(field: str, text: str) -> str:
    """Return the value that a text means; ``drift:true`` is one."""
    return (
        _DRIFTS.get(tokenizer.fold_value(text), text)
        if field == "drift"
        else text
    )


def find_missing(field: str, text: str) -> str:
    """Return what to write instead of a value that the field never has.

    :returns: empty where it may have it
    """
    known = _VALUES.get(field)
    if known is None or tokenizer.fold_value(text) in map(
        tokenizer.fold_value, known
    ):
        return ""
    return f"expected one of {', '.join(known)}"


def find_kind(type_name: str) -> str:
    """Return the kind whose documents all have that type, by Searchlight.

    :returns: empty where it is a type of its own, as that of stacks is
    """
    return _KINDS.get(tokenizer.fold_value(type_name), "")


_KINDS: typing.Final = {
    tokenizer.fold_value(name): kind
    for kind, name in TYPES.items()
    if kind != document.STACK
}

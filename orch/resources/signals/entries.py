"""The entries that signals leave with a handle: one entry an id.

An entry is a map of ``status``, ``reason`` and ``data``. A second signal of
the same id takes the place of the first one.
"""

import collections.abc
import typing

from orch import errors

SUCCESS: typing.Final = "SUCCESS"
FAILURE: typing.Final = "FAILURE"
STATUSES: typing.Final = (SUCCESS, FAILURE)

Entry = collections.abc.Mapping[str, object]
Entries = collections.abc.Mapping[str, object]


class Words(typing.NamedTuple):
    """Names of a signal's parts in one kind of handle."""

    id: str
    status: str
    reason: str
    data: str


HEAT_WORDS: typing.Final = Words("id", "status", "reason", "data")
CFN_WORDS: typing.Final = Words("UniqueId", "Status", "Reason", "Data")


class BadSignal(errors.Invalid):
    """A signal does not have the form that the handle takes."""

    code = "orch.wait_condition.bad_signal"


def with_defaults(
    known: Entries, details: object, words: Words
) -> collections.abc.Mapping[str, object]:
    """Return a signal in which what was left out has its default.

    The id is the next number that no other signal has. A signal that comes
    once more keeps the reason that it was given.

    :raises BadSignal: it is no map
    """
    given = _map_of(details or {}, words)
    number = len(known) + 1
    while str(number) in known:
        number += 1
    reason: object = f"Signal {number} received"
    same = known.get(str(given.get(words.id)))
    if isinstance(same, collections.abc.Mapping):
        reason = same.get("reason")
    return {
        words.reason: reason,
        words.data: None,
        words.id: number,
        words.status: SUCCESS,
        **given,
    }


def add_entry(
    known: Entries, details: object, words: Words
) -> tuple[Entries, Entry]:
    """Return all entries with that of a signal, and this one.

    :raises BadSignal: a part is missing, unknown or wrong
    """
    given = _map_of(details, words)
    if set(given) != set(words):
        raise BadSignal(
            "Metadata format invalid: a signal here has exactly the keys"
            f" {', '.join(words)}"
        )
    status = given[words.status]
    if status not in STATUSES:
        raise BadSignal(
            f"Metadata format invalid: {words.status} is"
            f" {str(status)[:40]!r}, it must be of {', '.join(STATUSES)}"
        )
    entry = {
        "status": status,
        "reason": given[words.reason],
        "data": given[words.data],
    }
    return {**known, str(given[words.id]): entry}, entry


def show_entries(known: Entries, words: Words) -> dict[str, object]:
    """Return the entries as clients of such a handle know them."""
    return {
        entry_id: {
            words.status: entry.get("status"),
            words.reason: entry.get("reason"),
            words.data: entry.get("data"),
        }
        for entry_id, entry in iterate_entries(known)
    }


def iterate_entries(
    known: Entries,
) -> collections.abc.Iterator[tuple[str, Entry]]:
    """Yield the entries with their ids, the oldest id first."""
    for entry_id, entry in known.items():
        if isinstance(entry, collections.abc.Mapping):
            yield entry_id, entry


def without_failures(known: Entries) -> Entries:
    """Return the entries but those of signals that report a failure."""
    failed = {
        entry_id
        for entry_id, entry in iterate_entries(known)
        if entry.get("status") == FAILURE
    }
    return {key: each for key, each in known.items() if key not in failed}


def list_reasons(known: Entries, status: str) -> list[str]:
    """Return the reasons of the signals with this status."""
    return [
        str(entry.get("reason"))
        for _, entry in iterate_entries(known)
        if entry.get("status") == status
    ]


def _map_of(
    details: object, words: Words
) -> collections.abc.Mapping[str, object]:
    if not isinstance(details, collections.abc.Mapping):
        raise BadSignal(
            "Metadata format invalid: a signal here is a JSON object of"
            f" {', '.join(words)}"
        )
    return details

"""Batches of a group's change, with enough members in service.

One rule gives the next batch from what stands. It is asked again after each
batch, so nothing has to be remembered of a way that was cut short.
"""

import collections.abc
import dataclasses
import re
import typing

from orch import errors

_DURATION: typing.Final = re.compile(
    r"PT(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})S)?"
)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class BatchPolicy:
    """The policy by which the members of a group are changed.

    :ivar batch_size: members that are made or changed at once, at least 1
    :ivar in_service: members that are left alone meanwhile; more are made
        for a while where there are too few
    :ivar pause_s: seconds between two batches
    """

    batch_size: int = 1
    in_service: int = 0
    pause_s: float = 0.0


class Batch(typing.NamedTuple):
    """The group after the next batch.

    :ivar capacity: members that it has then
    :ivar changes: members that are made, or get another definition
    """

    capacity: int
    changes: int


class Names(typing.NamedTuple):
    """Names of the policy's keys in one kind of group."""

    batch_size: str
    in_service: str
    pause: str


HEAT_NAMES: typing.Final = Names(
    "max_batch_size", "min_in_service", "pause_time"
)
CFN_NAMES: typing.Final = Names(
    "MaxBatchSize", "MinInstancesInService", "PauseTime"
)


class BadDuration(errors.Invalid):
    """A text is not a valid duration of a group's policy."""

    code = "orch.group.bad_duration"


def read_batch_policy(
    found: object, names: Names = HEAT_NAMES
) -> BatchPolicy | None:
    """Return the pace that a policy asks for.

    :returns: ``None`` where nothing is asked for
    :raises BadDuration: the pause is a text, and no duration
    """
    if not isinstance(found, collections.abc.Mapping):
        return None
    return BatchPolicy(
        batch_size=max(1, int(found.get(names.batch_size) or 1)),
        in_service=int(found.get(names.in_service) or 0),
        pause_s=_seconds(found.get(names.pause) or 0),
    )


def count_batches(
    batch_policy: BatchPolicy, desired: int, current: int, done: int
) -> int:
    """Return how many batches there are on the way to the end.

    The parameters are those of :func:`next_batch`.
    """
    count = 0
    while current != desired or done < desired:
        batch = next_batch(batch_policy, desired, current, done)
        current, done = batch.capacity, done + batch.changes
        count += 1
    return count


def _seconds(written: object) -> float:
    """Return the seconds of a number, or of an ISO 8601 duration.

    :raises BadDuration: it is neither
    """
    if isinstance(written, int | float):
        return float(written)
    found = _DURATION.fullmatch(str(written))
    if found is None or not any(found.groups()):
        raise BadDuration(
            f"Only ISO 8601 duration format of the form PT#H#M#S is"
            f" supported: {str(written)[:40]!r} is none."
        )
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return float(hours * 3600 + minutes * 60 + seconds)


def next_batch(
    batch_policy: BatchPolicy, desired: int, current: int, done: int
) -> Batch:
    """Return the next batch on the way to a size and a definition.

    :param desired: members that there shall be in the end
    :param current: members that there are
    :param done: those of them that stay and are as they shall be
    """
    changes = min(batch_policy.batch_size, max(desired - done, 0))
    untouched = min(batch_policy.in_service, desired, current)
    left_alone = max(min(current, desired - changes), untouched)
    return Batch(left_alone + changes, changes)

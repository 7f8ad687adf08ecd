"""How fast a group changes: batches, with enough members in service.

One rule gives the next batch from what stands. It is asked again after each
batch, so nothing has to be remembered of a way that was cut short.
"""

import collections.abc
import dataclasses
import typing

Values = collections.abc.Mapping[str, object]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How the members of a group are changed.

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


def of(found: object) -> Pace | None:
    """Return the pace that a policy asks for, by its names in Heat.

    :returns: ``None`` where nothing is asked for
    """
    if not isinstance(found, collections.abc.Mapping):
        return None
    return Pace(
        batch_size=max(1, int(found.get("max_batch_size") or 1)),
        in_service=int(found.get("min_in_service") or 0),
        pause_s=float(found.get("pause_time") or 0),
    )


def next_batch(pace: Pace, wanted: int, standing: int, done: int) -> Batch:
    """Return the next batch on the way to a size and a definition.

    :param wanted: members that there shall be in the end
    :param standing: members that there are
    :param done: those of them that stay and are as they shall be
    """
    changes = min(pace.batch_size, max(wanted - done, 0))
    untouched = min(pace.in_service, wanted, standing)
    left_alone = max(min(standing, wanted - changes), untouched)
    return Batch(left_alone + changes, changes)

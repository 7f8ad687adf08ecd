"""The observed state of a stack's physical resources, for its plan."""

import collections.abc
import dataclasses

from orch import errors
from orch import ids
from orch.model import resource
from orch.model import states
from orch.plugin import reality


@dataclasses.dataclass(frozen=True, slots=True)
class Survey:
    """The observed state of a stack's tree.

    :ivar answers: what was read of each physical resource
    :ivar inspected: what was read of those that have failed a check, to check
        them again
    :ivar drifted_stacks: resources whose child stacks have drifted or
        vanished resources, at any depth, or some that a repair has begun
    :ivar narrowed_to: the only resources that are repaired, automatically:
        then no existing one is replaced for its drift, and nothing else is
        created, completed or removed; ``None`` for all
    :ivar unconfirmed: resources that have failed a check whose fault was not
        found again: they are kept
    """

    answers: collections.abc.Mapping[ids.ResourceId, reality.Answer] = (
        dataclasses.field(default_factory=dict)
    )
    inspected: collections.abc.Mapping[ids.ResourceId, reality.Answer] = (
        dataclasses.field(default_factory=dict)
    )
    drifted_stacks: frozenset[ids.ResourceId] = frozenset()
    narrowed_to: frozenset[ids.ResourceId] | None = None
    unconfirmed: frozenset[ids.ResourceId] = frozenset()

    @property
    def is_narrowed(self) -> bool:
        """Whether only some of the drifted resources are repaired."""
        return self.narrowed_to is not None

    def is_exempt(self, row: resource.Resource) -> bool:
        """Whether a resource stays as it is, although it is not complete."""
        return (
            self.narrowed_to is not None
            and row.id not in self.narrowed_to
            and row.id not in self.drifted_stacks
            and not row.is_complete
        )

    def judge(self, row: resource.Resource) -> resource.Resource:
        """Return a row; the fault that a check has found counts if it lasts.

        It is kept as one whose check has had no answer.
        """
        if row.id not in self.unconfirmed:
            return row
        return dataclasses.replace(row, is_outcome_unknown=True)

    def find(self, row: resource.Resource) -> reality.Reality | None:
        """Return the live properties; ``None`` where they are not known."""
        answer = self.answers.get(row.id)
        if isinstance(answer, collections.abc.Mapping):
            return answer
        return None

    def is_vanished(self, row: resource.Resource) -> bool:
        """Whether the physical resource does not exist any more."""
        return isinstance(self.answers.get(row.id), reality.Vanished)

    @property
    def unread(self) -> dict[ids.ResourceId, str]:
        """Why physical resources of the tree could not be read, by row."""
        return {
            row_id: reason
            for row_id, answer in self.answers.items()
            if (reason := _error_of(answer)) is not None
        }

    def find_error(self, row: resource.Resource) -> str | None:
        """Return why a physical resource could not be read, for users.

        :returns: ``None`` where it could, or its type cannot read it at all
        """
        return _error_of(self.answers.get(row.id))


def _error_of(answer: reality.Answer) -> str | None:
    if not isinstance(answer, errors.OrchError) or isinstance(
        answer, reality.Vanished
    ):
        return None
    return answer.message or type(answer).__name__


def is_readable(row: resource.Resource) -> bool:
    """Whether it was created, and is the stack's own.

    Only such are read before an update; one that was replaced and is to be
    removed, too.
    """
    return (
        row.is_in_place
        and row.physical_id is not None
        and row.external_id is None
    )


def is_reportable(row: resource.Resource) -> bool:
    """Whether a report shows the state of a physical resource.

    One that failed a check exists; an update replaces it, whatever its state
    is now.
    """
    return is_readable(row) or (
        row.action is states.Action.CHECK
        and row.physical_id is not None
        and row.external_id is None
    )

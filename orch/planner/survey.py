"""What a look at the things of a stack has shown, for a plan to go by."""

import collections.abc
import dataclasses

from orch import errors
from orch import ids
from orch.model import resource
from orch.model import states
from orch.plugin import reality


@dataclasses.dataclass(frozen=True, slots=True)
class Survey:
    """How the things of a stack, and of those in it, are now.

    :ivar answers: what was found out of each thing that was looked at
    :ivar drifted_stacks: resources that hold a stack in which something has
        drifted or vanished, at any depth
    :ivar narrowed_to: the resources that alone are put right, unasked: then
        nothing that is there is replaced for what it has become; ``None``
        for all
    """

    answers: collections.abc.Mapping[ids.ResourceId, reality.Answer] = (
        dataclasses.field(default_factory=dict)
    )
    drifted_stacks: frozenset[ids.ResourceId] = frozenset()
    narrowed_to: frozenset[ids.ResourceId] | None = None

    @property
    def is_narrowed(self) -> bool:
        """Answer whether only some of what has drifted is put right."""
        return self.narrowed_to is not None

    def is_exempt(self, row: resource.Resource) -> bool:
        """Answer whether a thing stays, although a check has found fault."""
        return (
            self.narrowed_to is not None
            and row.id not in self.narrowed_to
            and is_reportable(row)
            and not row.is_in_place
        )

    def find(self, row: resource.Resource) -> reality.Reality | None:
        """Return the live properties; ``None`` where nobody knows them."""
        answer = self.answers.get(row.id)
        if isinstance(answer, collections.abc.Mapping):
            return answer
        return None

    def is_vanished(self, row: resource.Resource) -> bool:
        """Answer whether the thing is not there any more."""
        return isinstance(self.answers.get(row.id), reality.Vanished)

    def find_error(self, row: resource.Resource) -> str | None:
        """Return why a thing could not be read, for people.

        :returns: ``None`` where it could, or its type cannot tell at all
        """
        answer = self.answers.get(row.id)
        if isinstance(answer, errors.OrchError) and not self.is_vanished(row):
            return answer.message or type(answer).__name__
        return None


def is_readable(row: resource.Resource) -> bool:
    """Answer whether a thing was made, and is the stack's own.

    Only such are looked at before an update; one that was replaced and is
    to be removed too.
    """
    return (
        row.is_in_place
        and row.physical_id is not None
        and row.external_id is None
    )


def is_reportable(row: resource.Resource) -> bool:
    """Answer whether a report tells how a thing is.

    One in which a check has found fault was made; an update makes another
    in its place, whatever it is now.
    """
    return is_readable(row) or (
        row.action is states.Action.CHECK
        and row.physical_id is not None
        and row.external_id is None
    )

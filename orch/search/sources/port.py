"""The port of sources, which read documents of stacks."""

import collections.abc
import typing

from orch import errors
from orch.search import document


class Unobserved(errors.Unavailable):
    """No worker that was asked observes physical resources.

    Another one may, or may soon: it says nothing of what there is.
    """


class Source(typing.Protocol):
    """Reads stacks, of all projects, as the search service itself.

    Every method raises :class:`orch.errors.Unavailable` while nobody can be
    asked.
    """

    def list_stacks(self, after: str, limit: int) -> list[str]:
        """Return ids of stacks at any depth, in order.

        :param after: only ids that sort after it; empty for the first
        :returns: fewer than ``limit`` only where there are no more
        """

    def read(
        self, stack_ids: collections.abc.Sequence[str]
    ) -> list[document.StackDocuments]:
        """Read the documents of these stacks, in any order.

        A stack that is not there any more has no documents; one that this
        source cannot tell of is left out.
        """

    def versions(
        self, stack_ids: collections.abc.Sequence[str]
    ) -> collections.abc.Mapping[str, int] | None:
        """Return the versions of stacks, cheaper than reading them.

        A stack that is not there any more may be left out.

        :returns: by id; ``None`` where only a reading can tell
        """

    def orphans(
        self, after: str
    ) -> collections.abc.Iterator[document.Orphans]:
        """Return the orphans of all projects, project by project.

        One value a project; none where such a source has none at all.

        :param after: the project that came last; empty for the first
        :raises Unobserved: nobody who was asked looks
        """

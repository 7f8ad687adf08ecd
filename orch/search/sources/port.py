"""The port of sources, which read documents of stacks.

A package adds a source by an entry point in the group :data:`NAMESPACE`.
"""

import collections.abc
import dataclasses
import typing

from oslo_config import cfg

from orch import errors
from orch.search import document

NAMESPACE: typing.Final = "orch.search.sources"
"""Each entry point names a :class:`Factory`; ``[search] source`` selects."""


class Unobserved(errors.Unavailable):
    """No worker that was asked observes physical resources.

    Another one may, or may soon: it says nothing of what there is.
    """


@dataclasses.dataclass(frozen=True, slots=True)
class Changes:
    """The changes of a source since a position.

    :ivar position: to ask with the next time
    :ivar changed: versions of stacks, by id; 0 where it is not known
    :ivar changing: of those whose operation is in progress
    :ivar is_complete: false where the position is not known any more: then
        all stacks have to be read
    :ivar has_more: whether to ask again at once
    :ivar is_needed: to read these stacks the source needs what
        :meth:`Source.confirm` forgets: one that is not read at once holds
        the position, too
    """

    position: str
    changed: collections.abc.Mapping[str, int] = dataclasses.field(
        default_factory=dict
    )
    changing: collections.abc.Mapping[str, int] = dataclasses.field(
        default_factory=dict
    )
    is_complete: bool = True
    has_more: bool = False
    is_needed: bool = False


class Watch(typing.Protocol):
    """Notices changes of a source."""

    def stop(self, grace_s: float) -> bool:
        """Notice nothing more.

        :param grace_s: seconds that it may take
        :returns: whether all ended in time
        """


class Source(typing.Protocol):
    """Reads stacks, of all projects, as the search service itself.

    Every method raises :class:`orch.errors.Unavailable` while no service
    answers.
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

    def orphans(
        self, after: str
    ) -> collections.abc.Iterator[document.Orphans]:
        """Return the orphans of all projects, project by project.

        One value a project; none where such a source has none at all.

        :param after: the project that came last; empty for the first
        :raises Unobserved: no worker that was asked observes
        """

    def watch(self, wake: collections.abc.Callable[[], None]) -> Watch:
        """Notice changes until the result is stopped.

        Of the processes that share an index one does at a time.

        :param wake: called after changes, by any thread; a hint only
        """

    def changes(self, position: str, limit: int) -> Changes:
        """Return what has changed since a position, cheap when nothing has.

        None is missed: what :meth:`watch` has not noticed yet is in a later
        answer.

        :param position: of the answer before; empty for the first, which is
            not complete
        :param limit: how many stacks at most
        """

    def confirm(self, position: str) -> None:
        """Forget all changes before a position: they are in the index."""


@typing.runtime_checkable
class ComparingSource(Source, typing.Protocol):
    """A source that leaves out documents that have not changed."""

    def read_changed(
        self,
        stack_ids: collections.abc.Sequence[str],
        known: collections.abc.Mapping[str, document.KnownStack],
    ) -> list[document.StackDocuments]:
        """Read stacks as :meth:`read`, with what has changed of known ones.

        :param known: what the index has of some of them
        """


class Factory(typing.Protocol):
    """Makes a source."""

    def __call__(self, conf: cfg.ConfigOpts, /) -> Source:
        """Return the source that the options describe; it asks nothing yet.

        :raises orch.errors.OrchError: the options are wrong
        """

"""Checks whether this release can use an existing index.

An index has a format, a number that grows with each change of what is in it.
An older one is made anew, as all of it can be read again. One of a newer
release is left to that release: both may run at the same time for a while.
"""

import dataclasses

from orch import errors


class NewerFormat(errors.Unavailable):
    """The index was made by a newer release."""

    code = "orch.search.newer_format"


@dataclasses.dataclass(frozen=True, slots=True)
class IndexState:
    """The format and the content of an existing index.

    :ivar place: where, as an operator knows it
    :ivar found: its format; ``None`` where there is none, or not all of it
    :ivar known: the format that this release makes
    """

    place: str
    found: int | None
    known: int

    @property
    def is_ready(self) -> bool:
        """Whether the index can be queried as it is."""
        return self.found == self.known

    def check_not_newer(self) -> None:
        """Raise NewerFormat if a newer release made it.

        :raises NewerFormat: nothing of it may be changed
        """
        if self.found is not None and self.found > self.known:
            raise NewerFormat(f"{self}. Nothing was changed.")

    def __str__(self) -> str:
        """Say what an operator has to know, and what to do."""
        if self.found is None:
            return (
                f"There is no search index in {self.place}: it is made once"
                " a search service starts with it"
            )
        said = (
            f"The search index in {self.place} has format {self.found}, and"
            f" this release knows {self.known}"
        )
        if self.is_ready:
            return said
        if self.found > self.known:
            return (
                f"{said}: a newer release has made it. Use that release, or"
                " give [search] connection another place"
            )
        return (
            f"{said}: an older release has made it. It is created again, and"
            " filled, once a search service of this release starts"
        )

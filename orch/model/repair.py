"""Which drift an update is to put back, where that is not all of it.

The observer asks for such updates: a policy says which things are repaired,
and what else has drifted stays as it is.
"""

import collections.abc
import dataclasses
import typing

from orch import ids

OPTION: typing.Final = "repairs"
"""Option of an operation: id of a resource to the names of its properties
that are put back, ``None`` for the thing as a whole."""

TRIES: typing.Final = "repair_tries"
"""Option of an update that the observer asked for, and of its rollback: how
many of them in a row have brought nothing about, this one included."""

PATHS: typing.Final = "repair_paths"
"""Option of such an update: the paths of the things that it puts back, names
of resources from the root with ``/`` between them."""

Values = collections.abc.Mapping[str, object]
Names = tuple[str, ...]
Answer = typing.TypeVar("Answer")


@dataclasses.dataclass(frozen=True, slots=True)
class Repair:
    """The drifted resources that an update repairs.

    :ivar only: names of properties by resource; ``None`` for all of it
    """

    only: collections.abc.Mapping[ids.ResourceId, Names | None]

    @classmethod
    def of(cls, options: Values) -> "Repair | None":
        """Return what the options of an operation say.

        :returns: ``None`` where all that has drifted is put back
        """
        found = options.get(OPTION)
        if not isinstance(found, collections.abc.Mapping):
            return None
        return cls(
            {
                ids.ResourceId(key): None if names is None else tuple(names)
                for key, names in found.items()
            }
        )

    @staticmethod
    def saved(options: Values) -> dict[str, object]:
        """Return of the options of an operation those that say it."""
        names = (OPTION, TRIES, PATHS)
        return {key: options[key] for key in names if key in options}

    def to_options(self) -> dict[str, object]:
        """Return the option that says it."""
        said = {
            key: None if names is None else sorted(names)
            for key, names in sorted(self.only.items())
        }
        return {OPTION: said}

    def narrowed(
        self, answers: collections.abc.Mapping[ids.ResourceId, Answer]
    ) -> dict[ids.ResourceId, Answer]:
        """Return of what was read in the world what the update goes by.

        :param answers: what was found out of each resource, a map of its
            properties or something else
        """
        return {
            key: narrowed
            for key, answer in answers.items()
            if key in self.only
            and (narrowed := _narrowed(answer, self.only[key])) is not None
        }


def paths_of(options: Values) -> list[str]:
    """Return the paths of the things that an operation has put back."""
    found = options.get(PATHS)
    return list(map(str, found)) if isinstance(found, list | tuple) else []


def _narrowed(answer: Answer, names: Names | None) -> Answer | None:
    """Return the part of an answer that counts; ``None`` for none.

    Where single properties are put back, a thing that is gone is not made
    anew.
    """
    if names is None:
        return answer
    if not isinstance(answer, collections.abc.Mapping):
        return None
    saved = {name: answer[name] for name in names if name in answer}
    return typing.cast(Answer, saved)

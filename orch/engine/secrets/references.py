"""Whether what a template writes somewhere reads parameters of it.

As it is written, with nothing worked out.
"""

import collections.abc
import typing

from orch.template.language import functions_of_version

_PARAMETERS: typing.Final = frozenset({"get_param", "Ref"})
"""Functions that read parameters."""


def mentions(
    written: object,
    names: collections.abc.Collection[str],
    foreign: collections.abc.Container[str] | None = None,
) -> bool:
    """Answer whether what is written reads one of the parameters.

    A text that has such a name in it, however short, reads nothing. Of a
    function of a third party nobody knows: there it is taken for the name.

    :param foreign: functions of third parties; ``None`` for those installed
    """
    if not names:
        return False
    if foreign is None:
        foreign = functions_of_version.third_party_functions()
    if isinstance(written, dict):
        return any(
            (key in foreign and speaks_of(each, names))
            or (key in _PARAMETERS and _names_one(each, names))
            or mentions(each, names, foreign)
            for key, each in written.items()
        )
    return isinstance(written, list) and any(
        mentions(each, names, foreign) for each in written
    )


def _names_one(
    arguments: object, names: collections.abc.Collection[str]
) -> bool:
    """Answer whether these are arguments for one of the parameters."""
    path = arguments if isinstance(arguments, list) else [arguments]
    if path and isinstance(path[0], str):
        return path[0] in names
    # Which one it is has to be worked out.
    return True


def speaks_of(written: object, names: collections.abc.Collection[str]) -> bool:
    """Answer whether a text in what is written has one of the names in it."""
    if isinstance(written, str):
        return any(name in written for name in names)
    if isinstance(written, dict):
        return any(speaks_of(each, names) for each in written.values())
    return isinstance(written, list) and any(
        speaks_of(each, names) for each in written
    )
